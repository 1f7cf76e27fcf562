import Daemon
package import Files
package import Fitness
package import Readings
package import Records
import Storage
package import Telemetry

// The totals of people's days.
//
// Each day with a reading of a step counter, a pedometer or a thermometer has a record (DayRecord.swift), written in the transaction
// that stores the readings. A count belongs to the day on whose calendar it was read; the steps since the count before
// are that day's, so a count that comes late changes its own day, and the first steps of the days up to a day and a
// half after it:
//
//     counts   Mon 20:00 5000 | Tue 8:00 5200, Tue 20:00 9000 | Wed 8:00 9100      Tuesday: 4000, Wednesday: 100
//     late     Tue 23:00 9080                                                     Tuesday: 4080, Wednesday: 20
//
// All of it is computed from sets of readings, so any order of arrival has the same result, which is also what
// `recount` finds.
//
// A workout counts on the day when it began. DaysOfWorkouts.swift takes what workouts have come to once they are over.
//
// The goals of days that have changed are evaluated within the same transaction; changes are announced after it.

/// What is needed to keep something of readings.
package struct DerivationParts {
    package let store: Store
    package let keys: Keys
    /// The time zone of people who have not named one.
    package let zone: String
    /// Hears of minutes that have changed.
    package let minutes: (any MinutesObserver)?
    /// Nil if no goal is reached, because nothing is kept.
    package let goals: (any GoalEvaluation)?
    /// Hear of people whose days have changed.
    package let changes: PeopleChanges

    package init(
        _ store: Store, _ keys: Keys, zone: String, minutes: (any MinutesObserver)? = nil,
        goals: (any GoalEvaluation)? = nil, changes: PeopleChanges = PeopleChanges()
    ) {
        (self.store, self.keys, self.zone) = (store, keys, zone)
        (self.minutes, self.goals, self.changes) = (minutes, goals, changes)
    }
}

/// Knows when goals are reached.
package protocol GoalEvaluation {
    /// Notes which goals of a day are reached now and were not before, and tells the person, within the transaction
    /// that keeps the day.
    /// - Parameters:
    ///   - today: the person's.
    ///   - silently: whether the person is not told.
    ///   - now: Unix milliseconds.
    func evaluate(
        _ goals: inout [Goal: GoalDay], on day: CalendarDay, today: CalendarDay, of user: ID, silently: Bool, now: Int64
    ) throws(VaultError)

    /// The same of a week's goals.
    func evaluate(
        _ goals: inout [WeekGoal: GoalDay], of week: CalendarWeek, today: CalendarDay, of user: ID, silently: Bool, now: Int64
    ) throws(VaultError)
}

/// The days of all people. Belongs to the thread of its store and keys.
package final class Days: Derivation {
    package let histories: Histories
    let rows: DayRows
    var store: Store { rows.store }
    var keys: Keys { rows.keys }

    let goals: (any GoalEvaluation)?
    private let changes: PeopleChanges
    /// People of whom something changes with the transaction that is under way.
    var pending: Set<ID> = []
    private var reported = OncePerMinute<ID>(capacity: 256)

    /// - Parameters:
    ///   - goals: nil if no goal is reached, because nothing is kept.
    ///   - changes: hear of people whose days have changed, or who have moved.
    package init(
        _ store: Store, _ keys: Keys, _ histories: Histories, goals: (any GoalEvaluation)? = nil,
        changes: PeopleChanges = PeopleChanges()
    ) {
        self.goals = goals
        self.changes = changes
        rows = DayRows(store: store, keys: keys)
        self.histories = histories
    }

    package convenience init(_ parts: DerivationParts) {
        self.init(
            parts.store, parts.keys,
            Histories(parts.store, parts.keys, zone: parts.zone, observer: parts.changes), goals: parts.goals,
            changes: parts.changes)
    }

    package func committed() {
        guard !pending.isEmpty else { return }
        let people = pending
        pending = []
        changes.changed(people)
    }

    package func rolledBack() {
        pending = []
        histories.rolledBack()
    }
}

// MARK: - A day's totals

extension Days {
    /// A day's totals. On a day without readings only the goals are known.
    package func totals(of user: ID, on day: CalendarDay) throws(VaultError) -> DayTotals {
        let history = try histories.history(of: user)
        return try totals(of: user, in: day...day, history).first ?? Self.totals(on: day, nil, history)
    }

    /// The totals of those days in a range that have any, in their order. A heart rate at rest comes with its baseline. To know it, the
    /// week before the range is read, too.
    package func totals(of user: ID, in days: ClosedRange<CalendarDay>) throws(VaultError) -> [DayTotals] {
        let history = try histories.history(of: user)
        var (totals, baseline): ([DayTotals], RestingBaseline) = ([], RestingBaseline())
        let near = days.lowerBound.advanced(by: -RestingBaseline.days)...days.upperBound
        for part in Self.pieces(of: near) {
            for var one in try self.totals(of: user, in: part, history) {
                if let heartRate = one.heartRate, let kind = heartRate.restingOf {
                    one.heartRate?.restingBaseline = baseline.value(on: one.day, of: kind)
                    baseline.add(heartRate, on: one.day)
                }
                if days.contains(one.day) { totals.append(one) }
            }
        }
        return totals
    }

    /// Days of which everything is in memory at once: each has up to 1,440 minutes of heart rate.
    private static func pieces(of days: ClosedRange<CalendarDay>) -> [ClosedRange<CalendarDay>] {
        stride(from: days.lowerBound.daysSince1970, through: days.upperBound.daysSince1970, by: 100).map { first in
            let last = min(first + 99, days.upperBound.daysSince1970)
            return CalendarDay(daysSince1970: first)...CalendarDay(daysSince1970: last)
        }
    }

    private func totals(
        of user: ID, in days: ClosedRange<CalendarDay>, _ history: History
    ) throws(VaultError) -> [DayTotals] {
        var records: [CalendarDay: DayRecord] = [:]
        // A workout may have begun before the first day, and gone on.
        let near = days.lowerBound.advanced(by: -2)...days.upperBound
        for (day, record) in try rows.records(of: user, in: near) { records[day] = record }
        let minutes = try minutes(of: user, in: days, history)
        // A span of many days may have nothing at all.
        return days.filter { !minutes.isEmpty || records[$0] != nil }.compactMap { day in
            let time = HeartRateDay.Time(day, records, history)
            let heartRate = time.needed.flatMap { needed in
                HeartRateDay(minutes[needed], time, of: history.person(on: day))
            }
            guard records[day] != nil || heartRate != nil else { return nil }
            var totals = Self.totals(on: day, records[day], history)
            totals.heartRate = heartRate
            return totals
        }
    }

    /// The minutes of some days, and those that are needed beside them.
    private func minutes(
        of user: ID, in days: ClosedRange<CalendarDay>, _ history: History
    ) throws(VaultError) -> HeartRateSources {
        let times = [days.lowerBound, days.upperBound].flatMap { history.localDays.intervals(of: $0) }
        // A first or last day that was skipped has no times of its own.
        let first = times.map(\.lowerBound).min() ?? days.lowerBound.daysSince1970 * 86_400_000 - 86_400_000
        let end = times.map(\.upperBound).max() ?? days.upperBound.daysSince1970 * 86_400_000 + 2 * 86_400_000
        return try HeartRateTiers(store, keys).minutes(
            of: user, in: first - HeldHeartRates.reach..<max(first, end) + HeldHeartRates.reach)
    }

    /// A day's totals without the heart rate, which takes more to look up.
    package func totalsWithoutHeartRate(of user: ID, on day: CalendarDay) throws(VaultError) -> DayTotals {
        try Self.totals(on: day, rows.record(of: user, on: day), histories.history(of: user))
    }

    /// The same of those days in a range that have any, in their order.
    package func totalsWithoutHeartRate(
        of user: ID, in days: ClosedRange<CalendarDay>
    ) throws(VaultError) -> [DayTotals] {
        let history = try histories.history(of: user)
        return try rows.records(of: user, in: days).map { Self.totals(on: $0.day, $0.record, history) }
    }

    /// The first day of which there is a record; nil if there is none.
    package func firstRecorded(of user: ID) throws(VaultError) -> CalendarDay? { try rows.span(of: user)?.lowerBound }

    /// Which goals were reached on each of some days; days without a record are left out.
    package func goalsReached(of user: ID, in days: ClosedRange<CalendarDay>) throws(VaultError) -> [CalendarDay: Set<Goal>] {
        var reached: [CalendarDay: Set<Goal>] = [:]
        for days in Self.pieces(of: days) {
            for (day, record) in try rows.records(of: user, in: days) { reached[day] = Set(record.reached.keys) }
        }
        return reached
    }

    /// The years with steps, a temperature or a workout, in their order.
    package func recordedYears(of user: ID) throws(VaultError) -> [Int] { try rows.years(of: user) }

    /// The totals without the heart rate.
    private static func totals(
        on day: CalendarDay, _ record: DayRecord?, _ history: History, withTemperature: Bool = true
    ) -> DayTotals {
        let steps = record?.steps
        let figures = record?.figures ?? steps.flatMap { DayFigures(StepCounter.Made($0), of: history.person(on: day)) }
        var totals = DayTotals(
            day, steps: steps, figures: figures, temperature: withTemperature ? record?.temperature : nil)
        let targets = history.targets(on: day)
        for goal in Goal.allCases {
            let reached = record?.reached[goal]
            guard targets[goal] != nil || reached != nil else { continue }
            totals.goals[goal] = GoalDay(
                target: targets[goal], value: totals[goal, targets], reached: reached,
                isOnFoot: goal == .distance && targets.isDistanceOnFoot)
        }
        return totals
    }
}

// MARK: - Keeping

extension Days {
    /// A batch enters readings of this many days of a person at once, because all of them are in memory; those of more
    /// days are counted as stale hours are.
    private static let mostDays = 8

    package func take(_ people: [PersonsReadings], now: Int64) throws(VaultError) {
        for person in people {
            let portions = person.portions.filter { $0.readings.contains { $0.kind.isOfDays } }
            guard !portions.isEmpty, try keys.version(of: person.user) != nil else { continue }
            let history = try histories.keep(person.user, now: now)
            var book = DayBook(rows, person.user, history.localDays)
            let today = history.localDays.day(of: now)
            var later = HourRanges()
            for portion in portions {
                for bare in portion.readings where bare.kind.isOfDays {
                    let wall = bare.wall
                    guard let reading = bare.reading else {
                        // Of a pedometer's span, a batch knows only the time.
                        later.insert(HourSpan.hour(wall)...HourSpan.hour(wall))
                        continue
                    }
                    if DayBook.calendar.contains(wall) {
                        let day = history.localDays.day(of: wall)
                        // Goals are about today, and its steps begin with those of yesterday.
                        let isRecent = day == today || day == today.advanced(by: -1)
                        guard isRecent || book.isOpen(day, Self.mostDays) else {
                            later.insert(HourSpan.hour(wall)...HourSpan.hour(wall))
                            continue
                        }
                    }
                    try book.insert(reading, portion.sensor)
                }
            }
            // What an import brings is known to the person.
            let isImport = portions.allSatisfy { $0.sensor.hasPrefix("\(OwnGateway.name)/\(OwnGateway.importPrefix)") }
            try close(&book, history, silently: isImport, now: now)
            for hours in later.ranges { try store.markStale(person.user, hours) }
        }
    }

    package func hourReader(
        of user: ID
    ) throws(VaultError) -> @Sendable (Int64, StoredReadings) throws(VaultError) -> DayBook.Reread {
        let localDays = try histories.history(of: user).localDays
        return { hour, stored throws(VaultError) in
            let book = DayBook(DayRows(store: stored.store, keys: stored.keys), user, localDays)
            return try book.reread(HourSpan.times(hour...hour).clamped(to: DayBook.calendar), stored)
        }
    }

    /// A row of a day represents all its hours. A calendar's day begins and ends up to 26 hours from that of UTC.
    package func firstKept(of user: ID) -> @Sendable (ClosedRange<Int64>, Store) throws(VaultError) -> Int64? {
        { hours, store throws(VaultError) in
            let (first, values) = (
                hours.lowerBound, [Value.text(user.text), .integer(HourSpan.day(hours.lowerBound) - 2)]
            )
            let day = try store.database.first(
                "SELECT min(day) FROM days WHERE person = ? AND day >= ?", values, row: Row.intIfPresent)
            return (day ?? nil).map { max(first, $0 * 24 - 26) }
        }
    }

    package func extent(of found: DayBook.Reread, _ hour: Int64) -> ReadExtent {
        ReadExtent(times: found.times, kinds: Set(Reading.Kind.ofDays))
    }

    package func replace(_ hour: Int64, of user: ID, with found: DayBook.Reread, now: Int64) throws(VaultError) {
        guard try keys.version(of: user) != nil else { return }
        let history = try histories.keep(user, now: now)
        var book = DayBook(rows, user, history.localDays)
        try book.fill(with: found)
        try close(&book, history, now: now)
    }

    /// Takes a profile that is about to replace the person's old one, within the same transaction. Call `committed`
    /// after it.
    package func take(_ profile: Profile, of user: ID, now: Int64) throws(VaultError) {
        // A first profile has a zone where the person had the house's, although no days were kept by that.
        let isFirst = try histories.profile(of: user) == nil
        let before = try histories.history(of: user)
        let moved = try histories.take(profile, of: user, now: now)
        // Readings from a clock that is ahead of ours may be stored already.
        if let moved { try store.markStale(user, HourSpan.hour(moved)...HourSpan.latest) }
        if isFirst, let kept = try rows.span(of: user) {
            // Days before the first profile take it, and what their steps come to is not kept yet.
            let (first, last) = (kept.lowerBound.daysSince1970, kept.upperBound.daysSince1970)
            try store.markStale(user, first * 24 - 26...last * 24 + 50)
        }
        if isFirst || moved != nil { changes.moved(user) }
        try reconsider(user, since: before, now: now)
    }

    /// How many days to come are counted again at once: a clock that is ahead of ours may have brought some.
    private static let mostToCome = 3

    /// Evaluates today's goals again, within a transaction: targets or body have changed. Call `committed` after it.
    /// - Parameter before: what applied before; nil if nothing has changed that days are counted with.
    package func reconsider(_ user: ID, since before: History? = nil, now: Int64) throws(VaultError) {
        let history = try histories.keep(user, now: now)
        var book = DayBook(rows, user, history.localDays)
        let today = history.localDays.day(of: now)
        if let before {
            for day in try rows.days(of: user, in: today...today.advanced(by: Self.mostToCome))
            where before.person(on: day) != history.person(on: day) {
                try book.measure(day, history)
            }
        }
        try evaluate(today, &book, history, now: now)
        try evaluate(weeksOf: [today], &book, history, now: now)
        try book.write()
        pending.insert(user)
    }

    /// Derives what follows from what was entered, and keeps it.
    func close(
        _ book: inout DayBook, _ history: History, silently: Bool = false, now: Int64
    ) throws(VaultError) {
        let changed = try book.derive(history)
        for day in changed { try evaluate(day, &book, history, silently: silently, now: now) }
        // Most batches bring counts alone, of which no week knows.
        let ofWeeks = changed.filter { book.changesItsWeek($0) }
        try evaluate(weeksOf: ofWeeks, &book, history, silently: silently, now: now)
        let leftOut = book.newlyLeftOut
        if leftOut > 0, let count = reported.count(book.user, leftOut, now: millisecondsSinceBoot()) {
            log.warning(
                """
                \(count) step \(count == 1 ? "count" : "counts") of \(book.user) \(count == 1 ? "is" : "are") beyond what \
                anybody walks since the one before: stored, and not counted
                """)
        }
        if try book.write() { pending.insert(book.user) }
    }

    func evaluate(
        _ day: CalendarDay, _ book: inout DayBook, _ history: History, silently: Bool = false, now: Int64
    ) throws(VaultError) {
        let record = try book.record(of: day)
        // No goal is about temperatures, and there may be very many of them.
        var goals = Self.totals(on: day, record, history, withTemperature: false).goals
        try self.goals?.evaluate(
            &goals, on: day, today: history.localDays.day(of: now), of: book.user, silently: silently, now: now)
        let reached = goals.compactMapValues(\.reached)
        if reached != record.reached { try book.change(day) { $0.reached = reached } }
    }
}

extension Reading.Kind {
    /// The kinds of readings that days are made of.
    static let ofDays: [Reading.Kind] = [.steps, .temperature, .pedometer]

    /// Whether its readings are what days are made of.
    var isOfDays: Bool { self == .steps || self == .temperature || self == .pedometer }
}
