package import Files
package import Fitness
package import Readings
import Records
package import Telemetry

/// The days of one person that a transaction works on.
package struct DayBook {
    package let user: ID
    private let rows: DayRows
    private let localDays: LocalDays
    /// Whether kept records are not read at all.
    private let isBlank: Bool
    /// The records that were looked at, as they are now.
    package private(set) var records: [CalendarDay: DayRecord] = [:]
    private var kept: [CalendarDay: DayRecord] = [:]
    /// Days in which something was entered or taken out.
    private var touched: Set<CalendarDay> = []
    /// Days whose steps may have changed.
    private var affected: Set<CalendarDay> = []
    /// Days of whose times a workout has changed.
    private var workedOut: Set<CalendarDay> = []

    /// The times that calendars cover, Unix milliseconds: a reading from outside has no day, however its clock got
    /// there.
    static let calendar: Range<Int64> = -62_135_596_800_000 + 172_800_000..<253_402_300_800_000 - 172_800_000

    init(_ rows: DayRows, _ user: ID, _ localDays: LocalDays, isBlank: Bool = false) {
        self.rows = rows
        self.user = user
        self.localDays = localDays
        self.isBlank = isBlank
    }

    /// A day's record; an empty one if there is none.
    package mutating func record(of day: CalendarDay) throws(VaultError) -> DayRecord {
        if let record = records[day] { return record }
        let record = try isBlank ? nil : rows.record(of: user, on: day)
        if record == nil, !isBlank, try rows.removeDamaged(of: user, on: day) {
            // The readings still hold everything that was in it, and those who keep workouts tell of these again where hours are stale.
            for times in localDays.intervals(of: day) { try rows.store.markStale(user, times) }
        }
        kept[day] = record
        records[day] = record ?? DayRecord()
        return record ?? DayRecord()
    }

    /// Whether a day is already worked on, or may be, if at most `limit` days are.
    package func isOpen(_ day: CalendarDay, _ limit: Int) -> Bool { touched.count < limit || touched.contains(day) }

    package mutating func change(_ day: CalendarDay, _ body: (inout DayRecord) -> Void) throws(VaultError) {
        _ = try record(of: day)
        body(&records[day, default: DayRecord()])
    }

    /// Enters a count, a temperature or a span of a pedometer.
    package mutating func insert(_ reading: Reading, _ sensor: String) throws(VaultError) {
        let time = reading.moment.wall
        guard Self.calendar.contains(time), reading.kind.isOfDays else { return }
        // What ends at midnight is of the day that ends.
        let day = localDays.day(of: reading.kind == .pedometer ? time - 1 : time)
        try change(day) { $0.insert(reading, sensor) }
        touched.insert(day)
        if reading.kind != .temperature { affect(time..<time + 1) }
    }

    // MARK: Workouts

    /// Enters what a workout that is over came to, in place of what was known of it, perhaps on another day: its person may have
    /// lived in another zone since.
    /// - Returns: the day that knew it; nil if none did.
    mutating func enter(_ workout: DayWorkout) throws(VaultError) -> CalendarDay? {
        let start = workout.times.lowerBound
        guard Self.calendar.contains(start) else { return nil }
        let day = localDays.day(of: start)
        let known = try self.day(of: workout.id, from: start)
        if let known, known != day { try remove(workout: workout.id, on: known) }
        let old = try record(of: day).workouts
        try change(day) { $0.enter(workout) }
        guard records[day]?.workouts != old else { return known }
        if let before = old[workout.id] { touch(before.times, on: day) }
        touch(workout.times, on: day)
        return known
    }

    /// Takes out a workout that began at a moment.
    mutating func remove(workout id: String, from start: Int64) throws(VaultError) {
        guard Self.calendar.contains(start), let day = try day(of: id, from: start) else { return }
        try remove(workout: id, on: day)
    }

    /// The day that knows a workout that began at a moment: mostly the one of that moment.
    private mutating func day(of id: String, from start: Int64) throws(VaultError) -> CalendarDay? {
        let day = localDays.day(of: start)
        if try record(of: day).workouts[id] != nil { return day }
        for other in try daysKept(start..<start + 1) where try record(of: other).workouts[id] != nil { return other }
        return nil
    }

    private mutating func remove(workout id: String, on day: CalendarDay) throws(VaultError) {
        guard let old = try record(of: day).workouts[id] else { return }
        try change(day) { record in
            record.remove(workout: id)
            // Nothing stays of a day without anything else.
            if record.hasNothing { record.reached = [:] }
        }
        touch(old.times, on: day)
    }

    /// Takes the workouts of a day as they are kept, to derive the day again.
    mutating func take(_ workouts: [DayWorkout], on day: CalendarDay) throws(VaultError) {
        for workout in workouts {
            try change(day) { $0.enter(workout) }
            touch(workout.times, on: day)
        }
    }

    private mutating func touch(_ times: Range<Int64>, on day: CalendarDay) {
        workedOut.insert(day)
        // A count of the next day may tell of steps in its time.
        workedOut.formUnion(localDays.days(in: times.lowerBound..<times.upperBound + StepCounter.longestGap))
    }

    // MARK: Reading again

    /// What was read again of a range of time.
    package struct Reread: Sendable {
        package let times: Range<Int64>
        fileprivate let found: [CalendarDay: DayRecord]
    }

    /// Reads what is stored of a range of time, and of its full days as a whole: what was left out of these may find
    /// room now.
    func reread(_ times: Range<Int64>, _ stored: StoredReadings) throws(VaultError) -> Reread {
        var (times, before) = (times, times)
        repeat {
            before = times
            for day in try daysKept(before) {
                guard let record = try rows.record(of: user, on: day), isFull(record, day, within: before) else {
                    continue
                }
                // After a move to the west, one day may be within another.
                for whole in localDays.intervals(of: day) {
                    times = min(times.lowerBound, whole.lowerBound)..<max(times.upperBound, whole.upperBound)
                }
            }
        } while times != before
        var blank = DayBook(rows, user, localDays, isBlank: true)
        try blank.fill(times, from: stored)
        return Reread(times: times, found: blank.records)
    }

    /// Whether a day is full, and has something to do with a range of time.
    private func isFull(_ record: DayRecord, _ day: CalendarDay, within times: Range<Int64>) -> Bool {
        record.isFull && (localDays.days(in: times).contains(day) || record.hasInputs(within: times))
    }

    /// Puts what was read of a range of time in place of what is kept of it.
    package mutating func fill(with reread: Reread) throws(VaultError) {
        guard !reread.times.isEmpty else { return }
        for day in try daysKept(reread.times) {
            let old = try record(of: day)
            let whole = localDays.intervals(of: day)
            if isFull(old, day, within: reread.times), !whole.allSatisfy({ $0.clamped(to: reread.times) == $0 }) {
                // The day was not full when the range was read, and later readings may have been left out of it.
                for times in whole { try rows.store.markStale(user, times) }
            }
            try change(day) { $0.remove(reread.times) }
            if records[day] != old { touched.insert(day) }
        }
        for (day, found) in reread.found {
            try change(day) { $0.insert(found) }
            touched.insert(day)
        }
        affect(reread.times)
    }

    /// Enters what is stored of a range of time.
    package mutating func fill(_ times: Range<Int64>, from stored: StoredReadings) throws(VaultError) {
        guard !times.isEmpty else { return }
        let names = try sensors()
        for kind in Reading.Kind.ofDays {
            var failure: VaultError?
            _ = try stored.eachOfStreams(of: user, kind, from: times.lowerBound, to: times.upperBound) {
                reading, stream in
                do throws(VaultError) { try insert(reading, names[stream] ?? "") } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
        }
    }

    /// The days whose records may hold something of a range of time, even if they were written under an earlier zone.
    private func daysKept(_ times: Range<Int64>) throws(VaultError) -> [CalendarDay] {
        let days = localDays.days(in: times)
        guard let first = days.first, let last = days.last else { return [] }
        return try rows.days(of: user, in: first.advanced(by: -2)...last.advanced(by: 2))
    }

    private func sensors() throws(VaultError) -> [Int64: String] {
        var names: [Int64: String] = [:]
        for stream in try rows.store.streams(of: user) { names[stream.number] = "\(stream.gateway)/\(stream.sensor)" }
        return names
    }

    /// Counts within a range have changed: so may the steps of all days that begin with one of these counts.
    private mutating func affect(_ times: Range<Int64>) {
        let after = times.lowerBound..<times.upperBound + StepCounter.longestGap
        affected.formUnion(localDays.days(in: after))
    }

    /// Derives the steps of all days on which something has changed, and what the days come to. A day whose steps and workouts stay
    /// the same stays as it was computed.
    /// - Returns: the days whose totals have changed.
    mutating func derive(_ history: History) throws(VaultError) -> [CalendarDay] {
        var changed = touched
        for day in affected.union(touched).union(workedOut) {
            let old = try record(of: day)
            guard old.hasSteps || old.steps != nil || workedOut.contains(day) else { continue }
            let near = try near(day)
            let made = made(of: day, near)
            // As many steps as before may have been made at other times, in a workout or outside of it.
            let hasWorkouts = near.contains { !$0.record.workouts.isEmpty }
            guard made?.steps != old.steps || old.figures == nil || hasWorkouts || workedOut.contains(day) else { continue }
            let figures = figures(of: day, made, near, history)
            try change(day) { record in
                record.steps = made?.steps
                record.figures = figures
            }
            changed.insert(day)
        }
        (touched, affected, workedOut) = ([], [], [])
        return changed.filter { records[$0] != kept[$0] ?? DayRecord() }.sorted()
    }

    /// Whether a day has other workouts or reached goals than what is kept: the goals of its week follow from these.
    func changesItsWeek(_ day: CalendarDay) -> Bool {
        let (now, before) = (records[day] ?? DayRecord(), kept[day] ?? DayRecord())
        return now.workouts != before.workouts || now.reached != before.reached
    }

    /// Computes again what a day comes to.
    mutating func measure(_ day: CalendarDay, _ history: History) throws(VaultError) {
        let record = try record(of: day)
        guard record.steps != nil || !record.workouts.isEmpty else { return }
        let near = try near(day)
        let made = made(of: day, near)
        let figures = figures(of: day, made, near, history)
        guard record.figures != figures || record.steps != made?.steps else { return }
        try change(day) { record in
            record.steps = made?.steps
            record.figures = figures
        }
    }

    private typealias Near = [(day: CalendarDay, record: DayRecord)]

    /// A day, and the days before it that may have counts and workouts for it.
    private mutating func near(_ day: CalendarDay) throws(VaultError) -> Near {
        let intervals = localDays.intervals(of: day)
        guard let first = intervals.first?.lowerBound, let end = intervals.last?.upperBound else { return [] }
        var near: Near = []
        for other in localDays.days(in: first - StepCounter.longestGap..<end) { near.append((other, try record(of: other))) }
        return near
    }

    private func figures(
        of day: CalendarDay, _ made: StepCounter.Made?, _ near: Near, _ history: History
    ) -> DayFigures? {
        let (own, others) = workouts(of: day, near)
        return DayFigures(made, own, others: others, of: history.person(on: day))
    }

    /// The workouts that began on a day, and those of days before.
    private func workouts(of day: CalendarDay, _ near: Near) -> (own: [DayWorkout], others: [DayWorkout]) {
        func all(_ days: (CalendarDay) -> Bool) -> [DayWorkout] {
            near.filter { days($0.day) }.flatMap { $0.record.workouts.values }
        }
        return (all { $0 == day }, all { $0 < day })
    }

    /// The steps of a day by the source that counted most, as they were before several sources counted; nil without sources.
    mutating func stepsOfOneSource(on day: CalendarDay) throws(VaultError) -> Steps? {
        let near = try near(day)
        let sources = sources(of: day, near)
        return sources.max { ($0.steps.total, $0.steps.running) < ($1.steps.total, $1.steps.running) }?.steps
    }

    private func made(of day: CalendarDay, _ near: Near) -> StepCounter.Made? {
        let sources = sources(of: day, near)
        let (own, others) = workouts(of: day, near)
        let made = StepCounter.together(sources, in: localDays.intervals(of: day))
        guard own.contains(where: { $0.steps != nil }) else { return made }
        let more = (made ?? StepCounter.Made(isTimed: true)).with(own, after: others)
        return made == nil && more.steps.total == 0 ? nil : more
    }

    /// The steps of a day by each sensor that counted any.
    private func sources(of day: CalendarDay, _ near: Near) -> [StepCounter.Made] {
        guard let record = near.first(where: { $0.day == day })?.record, record.hasSteps else { return [] }
        let intervals = localDays.intervals(of: day)
        let isTimed = record.counts.count + record[.span].count > 1 || near.contains { !$0.record.workouts.isEmpty }
        let byCounters = record.counts.keys.sorted().compactMap { sensor in
            let counts = near.flatMap { $0.record.counts[sensor] ?? [] }
            return StepCounter.made(
                counts.map { StepCounter.Count(time: $0.time, steps: UInt32(truncatingIfNeeded: $0.value)) },
                during: intervals, isTimed: isTimed)
        }
        let byPedometers = record[.span].keys.sorted().compactMap { sensor in
            StepCounter.made(
                near.flatMap { $0.record[.span][sensor] ?? [] }.map(\.span), during: intervals, isTimed: isTimed)
        }
        return byCounters + byPedometers
    }

    /// How many more counts are left out of days than before these changes.
    var newlyLeftOut: Int {
        records.reduce(0) { sum, entry in
            let before = kept[entry.key]?.steps?.countsLeftOut ?? 0
            return sum + max(0, (entry.value.steps?.countsLeftOut ?? 0) - before)
        }
    }

    /// Keeps what has changed.
    /// - Returns: whether anything has.
    @discardableResult
    package mutating func write() throws(VaultError) -> Bool {
        var hasChanged = false
        for (day, record) in records where record != kept[day] ?? DayRecord() {
            try rows.write(record, of: user, on: day)
            kept[day] = record
            hasChanged = true
        }
        return hasChanged
    }
}

extension DayRecord.Entry {
    /// The span of a pedometer that it is.
    fileprivate var span: StepCounter.Span {
        StepCounter.Span(
            from: time - (value & 0xFFFF_FFFF), to: time, steps: UInt32(truncatingIfNeeded: value >> 32))
    }
}
