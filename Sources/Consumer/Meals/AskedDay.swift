import Days
import Features
import Files
import Fitness
import Records
import Telemetry

/// What a person has eaten and used on a day, and what they could still eat, as the databases have it. On a reader's thread.
struct AskedDay {
    private let user: ID
    private let source: ReadSource
    private let days: Days
    private let history: History
    private let today: CalendarDay
    /// Unix milliseconds.
    private let now: Int64

    /// - Parameters:
    ///   - zone: that of people who have named none.
    ///   - now: Unix milliseconds.
    init(of user: ID, _ source: ReadSource, zone: String, now: Int64) throws(VaultError) {
        (self.user, self.source, self.now) = (user, source, now)
        days = Days(source.store, source.keys, Histories(source.store, source.keys, zone: zone))
        history = try days.histories.history(of: user)
        today = history.localDays.day(of: now)
    }

    /// - Parameter day: nil for today.
    func reply(on day: CalendarDay?) throws(VaultError) -> JSON {
        let day = day ?? today
        let meals = try MealDays(source.store, source.keys).meals(of: user, on: day)
        let balance = try balance(meals, on: day)
        return .object(
            [JSON.Member("day", .string("\(day)")), JSON.Member("meals", .array(meals.map(\.json)))]
                + balance.members(isToday: day == today))
    }

    /// - Parameters:
    ///   - day: nil for today.
    ///   - energy: no idea has more, in kilocalories; nil for what is left of the day, if it is not over.
    func ideas(_ ideas: MealIdeas, on day: CalendarDay?, upTo energy: Double?) throws(VaultError) -> JSON {
        let day = day ?? today
        // Nothing can be eaten on a day that is over.
        let left = day >= today ? try balance(MealDays(source.store, source.keys).meals(of: user, on: day), on: day).left : nil
        let language = try Notifications(source.store, source.keys).language(of: user)
        return .object(present: [
            "left_kcal": left.map { .number($0, decimals: 0) },
            "ideas": .array(ideas.offered(on: day, upTo: energy ?? left).map { $0.json(in: language) }),
        ])
    }

    private func balance(_ meals: [Meal], on day: CalendarDay) throws(VaultError) -> EnergyBalance {
        let intervals = history.localDays.intervals(of: day)
        func length(_ ranges: [Range<Int64>]) -> Double { ranges.reduce(0) { $0 + Double($1.upperBound - $1.lowerBound) } }
        let passed = length(intervals.map { $0.clamped(to: Int64.min..<now) })
        return EnergyBalance(
            eaten: meals.map(\.nutrition).reduce(.nothing, +),
            try days.totalsWithoutHeartRate(of: user, on: day), of: history.person(on: day),
            passed: intervals.isEmpty ? 1 : passed / length(intervals))
    }
}
