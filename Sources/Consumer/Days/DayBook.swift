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
            // The readings still hold everything that was in it.
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

    /// Derives the steps of all days on which something has changed, and what these come to. A day whose steps stay the
    /// same stays as it was computed.
    /// - Returns: the days whose totals have changed.
    mutating func derive(_ history: History) throws(VaultError) -> [CalendarDay] {
        var changed = touched
        for day in affected.union(touched) {
            let old = try record(of: day)
            guard old.hasSteps || old.steps != nil else { continue }
            let steps = try steps(of: day, old)
            guard steps != old.steps || old.figures == nil else { continue }
            try change(day) { record in
                record.steps = steps
                record.figures = steps.flatMap { StepFigures($0, of: history.person(on: day)) }
            }
            changed.insert(day)
        }
        (touched, affected) = ([], [])
        return changed.filter { records[$0] != kept[$0] ?? DayRecord() }.sorted()
    }

    /// Computes again what a day's steps come to.
    mutating func measure(_ day: CalendarDay, _ history: History) throws(VaultError) {
        guard let steps = try record(of: day).steps else { return }
        let figures = StepFigures(steps, of: history.person(on: day))
        guard try record(of: day).figures != figures else { return }
        try change(day) { $0.figures = figures }
    }

    private mutating func steps(of day: CalendarDay, _ record: DayRecord) throws(VaultError) -> Steps? {
        let intervals = localDays.intervals(of: day)
        guard let first = intervals.first?.lowerBound, let end = intervals.last?.upperBound else { return nil }
        var near: [DayRecord] = []
        for other in localDays.days(in: first - StepCounter.longestGap..<end) {
            near.append(try self.record(of: other))
        }
        let byCounters = record.counts.keys.sorted().compactMap { sensor in
            let counts = near.flatMap { $0.counts[sensor] ?? [] }
            return StepCounter.day(
                counts.map { StepCounter.Count(time: $0.time, steps: UInt32(truncatingIfNeeded: $0.value)) },
                during: intervals)
        }
        let byPedometers = record[.span].keys.sorted().compactMap { sensor in
            StepCounter.day(near.flatMap { $0[.span][sensor] ?? [] }.map(\.span), during: intervals)
        }
        return StepCounter.most(of: byCounters + byPedometers)
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
