import Contract
import Days
package import Desk
package import Features
package import Files
package import Fitness
package import Records
package import Telemetry

// Totals of a person's days: requests `statistics/…`. All of them are answered from days (target Days): a day as it is
// kept, and a period as the totals of its days. So a statistic can never contradict the days that it is about.
//
//     today, day      a day
//     week            Monday to Sunday, and their totals
//     month           its days, and their totals
//     year            the totals of each month, January to December, and of the year
//     years           the totals of each year that has anything
//     summary         the totals of any days
//     goals/reached   how often each goal was reached
//     goals/streaks   how often in a row
//
// A day on which nothing was recorded has nothing but its goals: a graph's line continues across it.

/// The statistics of one person, as of one moment. Belongs to the thread of its store and keys; read-only ones will do.
package struct Statistics {
    private let days: Days
    private let heartRates: HeartRateTiers
    private let user: ID
    private let history: History
    package let today: CalendarDay

    /// - Parameters:
    ///   - zone: the zone of people who do not say where they live.
    ///   - now: Unix milliseconds.
    package init(of user: ID, _ store: Store, _ keys: Keys, zone: String, now: Int64) throws(VaultError) {
        self.user = user
        days = Days(store, keys, Histories(store, keys, zone: zone))
        heartRates = HeartRateTiers(store, keys)
        history = try days.histories.history(of: user)
        today = history.localDays.day(of: now)
    }

    /// What people may ask.
    package static func verbs(_ readers: StoreReaders, _ context: PeopleContext) -> [Verb] {
        RequestContract.statistics.map { name, contract in
            readers.verb(name, contract) { request in
                let (user, question) = (try request.user, try StatisticsQuestion(request))
                let (zone, now) = (context.settings.timeZone, context.now())
                return { source in
                    try Statistics(of: user, source.store, source.keys, zone: zone, now: now).answer(question)
                }
            }
        }
    }

    /// The reply to a question.
    package func answer(_ question: StatisticsQuestion) throws(VaultError) -> JSON {
        switch question {
        case .day(let day): try self.day(day ?? today).json
        case .week(let day): try week((day ?? today).week)
        case .month(let month): try self.month(month ?? today.calendarMonth)
        case .year(let year): try self.year(year ?? today.year)
        case .years: try years()
        case .summary(let range): try PeriodTotals(all(range)).json(Self.name(range))
        case .reached(let range, let period):
            try GoalCounts(
                in: range, by: period, days.goalsReached(of: user, in: range),
                since: days.firstRecorded(of: user), upTo: today, targets: history.targets
            ).json
        case .streaks: try streaks()
        }
    }

    /// How often each goal was reached in a row: those that the person has now, and those that they have just reached.
    private func streaks() throws(VaultError) -> JSON {
        let (streaks, targets) = (try days.streaks(of: user, today: today), history.targets(on: today))
        func counts(_ all: [(field: String, target: Double?, length: Int?)]) -> JSON {
            .object(
                all.filter { $0.target != nil || $0.length ?? 0 > 0 }.map {
                    JSON.Member($0.field, .integer(Int64($0.length ?? 0)))
                })
        }
        return [
            "day": .string("\(today)"), "days": counts(Goal.allCases.map { ($0.field, targets[$0], streaks.days[$0]) }),
            "weeks": counts(WeekGoal.allCases.map { ($0.field, targets[$0], streaks.weeks[$0]) }),
        ]
    }

    private func day(_ day: CalendarDay) throws(VaultError) -> DayTotals {
        try all(day...day).first ?? DayTotals(day, goals: [:])
    }

    private func week(_ week: CalendarWeek) throws(VaultError) -> JSON {
        let days = try all(week.days)
        return .object(
            Self.name(week.days) + [
                JSON.Member("days", .array(days.map(\.json))), JSON.Member("summary", PeriodTotals(days).json()),
            ])
    }

    private func month(_ month: CalendarMonth) throws(VaultError) -> JSON {
        let days = try all(month.days)
        return [
            "month": .string("\(month)"), "days": .array(days.map(\.json)), "summary": PeriodTotals(days).json(),
        ]
    }

    private func year(_ year: Int) throws(VaultError) -> JSON {
        let days = try all(CalendarDay.days(ofYear: year))
        let byMonth = Dictionary(grouping: days, by: \.day.calendarMonth)
        let months = CalendarMonth.months(ofYear: year).map { month in
            PeriodTotals(byMonth[month] ?? []).json([JSON.Member("month", .string("\(month)"))])
        }
        return ["year": .integer(Int64(year)), "months": .array(months), "summary": PeriodTotals(days).json()]
    }

    private func years() throws(VaultError) -> JSON {
        var years: [JSON] = []
        // If a clock was badly wrong, there may be too many years: only the latest are told.
        for year in try recordedYears().suffix(StatisticsQuestion.mostYears) {
            let period = PeriodTotals(try all(CalendarDay.days(ofYear: year)))
            guard period.recordedDays > 0 else { continue }
            years.append(period.json([JSON.Member("year", .integer(Int64(year)))]))
        }
        return ["years": .array(years)]
    }

    /// The years in which something may be recorded, in their order.
    private func recordedYears() throws(VaultError) -> [Int] {
        var years = Set(try days.recordedYears(of: user))
        for hour in try heartRates.hours(of: user, in: -Moment.limit..<Moment.limit) {
            let time = hour.number * 3_600_000
            for day in history.localDays.days(in: time..<time + 3_600_000) { years.insert(day.year) }
        }
        return years.sorted()
    }

    /// Every day of a range: days on which nothing is recorded have only their goals.
    package func all(_ range: ClosedRange<CalendarDay>) throws(VaultError) -> [DayTotals] {
        let recorded = Dictionary(grouping: try days.totals(of: user, in: range), by: \.day)
        return range.map { day in
            recorded[day]?.first ?? DayTotals(day, goals: Self.goals(history.targets(on: day)))
        }
    }

    private static func goals(_ targets: GoalTargets) -> [Goal: GoalDay] {
        var goals = targets.targets.mapValues { GoalDay(target: $0, value: nil) }
        if targets.isDistanceOnFoot { goals[.distance]?.isOnFoot = true }
        return goals
    }

    private static func name(_ range: ClosedRange<CalendarDay>) -> [JSON.Member] {
        [
            JSON.Member("from", .string("\(range.lowerBound)")), JSON.Member("to", .string("\(range.upperBound)")),
        ]
    }
}
