import Daemon
import DaysSupport
import Files
import Fitness
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Readings

@Suite("A year of fifty people")
struct YearTests {
    /// Takes what is made up, as a consumer does, by a clock of its own.
    private final class Life {
        var parts: Parts
        let days: Days
        let minutes: HeartRateMinutes
        let stale: StaleHours
        let packing: Packing
        private var known: Set<SessionID> = []
        private var batch: [[UInt8]] = []
        private(set) var now = MadeUpYear.start

        init(_ household: Household, _ people: [ID]) throws {
            let sensors = people.enumerated().map { number, user in
                let names = (0..<MadeUpYear.sensors(ofPerson: number)).map { "\"home/\(user.text)-\($0)\"" }
                return "\"\(user.text)\": { sensors: [\(names.joined(separator: ", "))] }"
            }
            var derived: (days: Days, minutes: HeartRateMinutes)?
            parts = try household.open(people: sensors.joined(separator: ", "), now: MadeUpYear.start) { store, keys in
                let days = Days(store, keys, Histories(store, keys, zone: "Europe/Berlin"))
                let minutes = HeartRateMinutes(store, keys)
                derived = (days, minutes)
                return [days, minutes]
            }
            guard let (days, minutes) = derived else { throw TestFailure("nothing is derived") }
            (self.days, self.minutes) = (days, minutes)
            // A year of commits in seconds: here nobody pulls the plug.
            try parts.store.database.execute("PRAGMA synchronous = OFF")
            stale = StaleHours(parts.store, parts.keys, [days, minutes])
            packing = Packing(parts.store, parts.keys, parts.ingest.totals.deletions, closedHours: FoldedLater(minutes))
            { _ in false }
            stale.now = { [unowned self] in now }
            packing.now = { [unowned self] in now }
        }

        /// Lives through the year, six hours at once.
        func live(_ year: MadeUpYear) throws {
            let six: Int64 = 6 * 3_600_000
            for event in year.events {
                while event.time >= now + six {
                    try commit(until: now + six)
                    if (now - MadeUpYear.start) % (10 * MadeUpYear.day) == 0 { try catchUp() }
                }
                switch event.what {
                case .block(let block, let sessions):
                    for session in sessions where known.insert(session.id).inserted { batch.append(session.keyBlock) }
                    batch.append(block)
                case .profile(let person, let profile):
                    try commit(until: event.time)
                    try take(profile, of: year.people[person].user)
                }
            }
            try commit(until: now + six)
            try catchUp()
        }

        private func commit(until time: Int64) throws {
            now = max(now, time)
            let blocks = batch
            batch = []
            guard !blocks.isEmpty else { return }
            let (answers, _) = try parts.take(all: blocks, wall: now)
            for answer in answers {
                guard case .acknowledge = answer else { throw TestFailure("\(answer)") }
            }
        }

        private func take(_ profile: Profile, of user: ID) throws {
            try parts.store.change(user) { () throws(VaultError) in
                try days.take(profile, of: user, now: now)
                try Documents(store: parts.store, keys: parts.keys).write(profile.json, "profile", of: user)
            }
            days.committed()
            try catchUp()
        }

        /// What is stale is computed again, and what is over is packed, as far as it is not younger than the tick
        /// before.
        private func catchUp() throws {
            while try !stale.work(within: .seconds(10)) {}
            while try packing.workOnce(until: .max) {}
        }
    }

    @Test(
        "comes to what was lived, and to a recount: late blocks, restarts, wrong clocks, moves, daylight saving",
        .timeLimit(.minutes(60)))
    func year() throws {
        let household = try Household()
        let users = try (0..<50).map { try ID("person-\($0)") }
        let life = try Life(household, users)
        let grants = try Dictionary(
            uniqueKeysWithValues: life.parts.grants.current().map { ($0.grant.sensor.text, $0.grant) })
        let year = try MadeUpYear(people: users, seed: 6) { sensor, boot in
            guard let grant = grants[sensor] else { throw TestFailure("no grant for \(sensor)") }
            return try GatewaySession(grant, household.home, boot: boot)
        }
        for (what, number) in year.happened { #expect(number >= 25, "\(what)") }
        #expect(year.happened.count == 5)
        try life.live(year)
        var whole = 0
        for person in year.people {
            let expected = Self.days(of: person)
            guard let first = expected.keys.min(), let last = expected.keys.max() else { continue }
            let kept = try life.days.totals(of: person.user, in: first.advanced(by: -9)...last.advanced(by: 9))
            #expect(kept.map(\.day) == expected.keys.sorted(), "\(person.user)")
            for day in kept where day != expected[day.day] {
                Issue.record("\(person.user): \(day) is not \(String(describing: expected[day.day]))")
            }
            for recount in [try life.days.recount(of: person.user), try life.minutes.recount(of: person.user)] {
                #expect(recount.kept > 0 && recount.differing == 0, "\(person.user): \(recount)")
            }
            whole += kept.count
        }
        #expect(whole > 2000)
        #expect(try life.parts.count("stale") == 0)
        // Most of it lies packed and folded by then.
        for table in ["blocks WHERE type = 16", "heart_rate_days"] {
            let rows = try life.parts.count(table)
            #expect(rows > 1000, "\(table)")
        }
    }

    /// What was lived, told day by day with nothing but arithmetic.
    private static func days(of person: MadeUpPerson) -> [CalendarDay: DayTotals] {
        let localDays = person.localDays
        var days: [CalendarDay: DayTotals] = [:]
        let steps = person.counters.indices.map { Self.steps(of: person, person.sensor($0)) }
        let minutes = Self.minutes(of: person)
        for (day, entries) in Dictionary(grouping: person.entries, by: { localDays.day(of: $0.time) }) {
            let made = CountedSteps.together(steps.compactMap { $0[day] }, localDays.intervals(of: day))
            var totals = Self.totals(of: person, on: day, entries, made)
            let time = HeartRateDay.Time(localDays.intervals(of: day)) { localDays.minuteOfDay(at: $0) }
            let needed = time.needed ?? 0..<0
            totals.heartRate = HeartRateDay(minutes[needed], time, of: Self.body(of: person, on: day))
            if totals.isRecorded { days[day] = totals }
        }
        return days
    }

    private static func totals(
        of person: MadeUpPerson, on day: CalendarDay, _ entries: [MadeUpPerson.Entry],
        _ made: (walking: Double, running: Double)?
    ) -> DayTotals {
        var totals = DayTotals(day)
        totals.steps = made.map { Steps($0) }
        let body = body(of: person, on: day)
        totals.figures = made.flatMap { steps in
            guard let length = body.stepLengthMetres, let weight = body.weightKilograms else { return nil }
            let (walked, run) = (length * steps.walking, length * steps.running)
            return DayFigures(
                metres: [.foot: length * (steps.walking + steps.running)],
                kilocalories: weight * walked / 1000 * 0.5 + weight * run / 1000)
        }
        totals.goals[.steps] = GoalDay(target: 10_000, value: totals.steps.map { Double($0.total) })
        let temperatures = entries.compactMap { entry -> TemperatureReading? in
            guard case .temperature(let temperature) = entry.value else { return nil }
            return TemperatureReading(sensor: "home/\(entry.sensor)", time: entry.time, celsius: temperature.celsius)
        }
        totals.temperature = TemperatureDay(temperatures)
        return totals
    }

    private static func body(of person: MadeUpPerson, on day: CalendarDay) -> Person {
        let profile = person.bodies.value(on: day)
        let sexes: [Profile.Gender: Person.Sex] = [.female: .female, .male: .male]
        return Person(
            sex: sexes[profile.gender], ageYears: Double(profile.dateOfBirth.age(on: day)),
            heightCentimetres: profile.heightCentimetres, weightKilograms: profile.weightKilograms)
    }

    /// Heart rates by minute, in order, of each sensor.
    private static func minutes(of person: MadeUpPerson) -> HeartRateSources {
        HeartRateSources(
            person.counters.indices.map { sensor in
                .init(HeartRateSource(Int64(sensor) + 1), minutes(of: person, person.sensor(sensor))[...])
            })
    }

    private static func minutes(of person: MadeUpPerson, _ sensor: String) -> [(number: Int64, minute: HeartRateMinute)] {
        var minutes: [Int64: HeartRateMinute] = [:]
        for entry in person.entries {
            guard entry.sensor == sensor, case .heartRate(let measured) = entry.value, measured.beatsPerMinute > 0, measured.contact != .notDetected
            else { continue }
            let number = HeartRateMinute.number(of: entry.time)
            minutes[number, default: HeartRateMinute()].add(Int(measured.beatsPerMinute), at: entry.time)
        }
        return minutes.map { (number: $0.key, minute: $0.value) }.sorted { $0.number < $1.number }
    }

    /// The steps of one sensor, count after count; a day without a count has none.
    private static func steps(of person: MadeUpPerson, _ sensor: String) -> [CalendarDay: CountedSteps] {
        var steps: [CalendarDay: CountedSteps] = [:]
        var before: (time: Int64, counter: UInt32)?
        let localDays = person.localDays
        for (time, counter) in person.counts(of: sensor) {
            defer { before = (time, counter) }
            var sum = steps[localDays.day(of: time)] ?? CountedSteps(heard: time)
            defer { steps[localDays.day(of: time)] = sum }
            guard let before, time - before.time <= 36 * 3_600_000 else { continue }
            let made = Int(counter >= before.counter ? counter - before.counter : counter)
            sum.differences.append(CountedSteps.Difference(from: before.time, to: time, made: made))
        }
        return steps
    }
}

/// Folds as if it were later than the minute for which what has just come is left alone.
private final class FoldedLater: ClosedHours {
    private let minutes: HeartRateMinutes

    init(_ minutes: HeartRateMinutes) { self.minutes = minutes }

    func fold(before hour: Int64, isBusy: (ID) -> Bool, now: Int64) throws(VaultError) -> Bool {
        try minutes.fold(before: hour, isBusy: isBusy, now: now + 120_000)
    }
}
