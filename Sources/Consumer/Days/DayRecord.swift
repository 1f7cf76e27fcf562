package import Fitness
package import Records
package import Storage
package import Telemetry

// What a day is made of, and its results: a row of `days`.
//
// A record holds the day's inputs, each count and temperature with its sensor and time, as a set: in whichever order
// and however often they come, the record is the same in the end. The steps are derived from them, and from those of
// the days before; they are kept, so that a year is read without computing it again. Values that depend on the person's
// body are not kept: they are computed from the history when they are read.
//
// Which goals were reached is kept, and not derived: what was announced stays announced.
//
//     1 or 2, version       steps: walking + 1 (0: none), running; of version 2 how many counts were left out
//     goals reached         number; each: goal, target (a Double's bits), time
//     sensors with counts   number; each: length and name; number; each: time since the one before, count
//     sensors with temperatures   the same with thousandths of a degree
//
// Numbers are varints, with a sign zigzag (`Varint`).

/// The record of a day.
package struct DayRecord: Equatable {
    /// A value from a sensor, and its time (Unix milliseconds).
    package struct Entry: Hashable, Comparable {
        package let time: Int64
        /// Steps, or thousandths of a degree Celsius.
        package let value: Int64

        package static func < (one: Entry, other: Entry) -> Bool { (one.time, one.value) < (other.time, other.value) }
    }

    /// How many are kept of each sensor, the first of the day: one in four seconds, from morning to night. More is a
    /// fault, or a flood.
    package static let capacity = 20_000
    /// How many are kept of all sensors together, the first of the day: each change of a day opens and seals all of it.
    static let capacityOfAll = 60_000

    package var steps: Steps?
    package var reached: [Goal: GoalDay.Reached] = [:]
    /// By sensor, in order, each once.
    package private(set) var counts: [String: [Entry]] = [:]
    private(set) var temperatures: [String: [Entry]] = [:]
    /// How many counts and temperatures there are.
    private var size = 0

    package var isEmpty: Bool { counts.isEmpty && temperatures.isEmpty && reached.isEmpty }

    /// Whether some of it was left out.
    package var isFull: Bool {
        size >= Self.capacityOfAll || counts.values.contains { $0.count >= Self.capacity }
            || temperatures.values.contains { $0.count >= Self.capacity }
    }

    /// Adds a sensor's count or temperature; other readings are kept elsewhere.
    package mutating func insert(_ reading: Reading, _ sensor: String) {
        let time = reading.moment.wall
        switch reading.value {
        case .steps(let steps):
            let counter = steps.isDerived ? Self.derived(sensor) : sensor
            size += Self.insert(Entry(time: time, value: Int64(steps.counter)), &counts[counter, default: []])
        case .temperature(let temperature):
            let entry = Entry(time: time, value: Int64(temperature.thousandths))
            size += Self.insert(entry, &temperatures[sensor, default: []])
        case .heartRate, .position, .motion, .pedometer: break
        }
        leaveOutLatest()
    }

    /// A counter that a gateway derived from cadence is different from the sensor's own: in one list each would look
    /// like a restart of the other. No sensor has such a name, because names have no spaces.
    private static func derived(_ sensor: String) -> String { "\(sensor) derived" }

    /// - Returns: how many more entries there are now.
    private static func insert(_ entry: Entry, _ entries: inout [Entry]) -> Int {
        // Most entries come in order.
        var index = entries.count
        if let last = entries.last, entry <= last {
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle] < entry { low = middle + 1 } else { high = middle }
            }
            index = low
            guard entries[index] != entry else { return 0 }
        }
        guard index < capacity else { return 0 }
        let before = entries.count
        entries.insert(entry, at: index)
        if entries.count > capacity { entries.removeLast() }
        return entries.count - before
    }

    /// Leaves out the latest entries of all sensors while there are too many. The rest is the same in whichever order
    /// they came: an entry that was left out was later than as many others as a day keeps, and there are always that
    /// many.
    private mutating func leaveOutLatest() {
        // If two days' entries are put together, many are too many at once: they are looked for together.
        if size > Self.capacityOfAll + 64 { leaveOutAllLatest() }
        while size > Self.capacityOfAll {
            let count = Self.latest(counts)
            let temperature = Self.latest(temperatures)
            if let count, temperature.map({ ($0.entry, $0.sensor) < (count.entry, count.sensor) }) ?? true {
                Self.removeLast(of: count.sensor, &counts)
            } else if let temperature {
                Self.removeLast(of: temperature.sensor, &temperatures)
            }
            size -= 1
        }
    }

    private mutating func leaveOutAllLatest() {
        var all: [(entry: Entry, sensor: String, isTemperature: Bool)] = []
        all.reserveCapacity(size)
        for (sensor, entries) in counts { for entry in entries { all.append((entry, sensor, false)) } }
        for (sensor, entries) in temperatures { for entry in entries { all.append((entry, sensor, true)) } }
        all.sort { one, other in
            if one.entry != other.entry { return one.entry < other.entry }
            return one.sensor == other.sensor ? !one.isTemperature && other.isTemperature : one.sensor < other.sensor
        }
        for (_, sensor, isTemperature) in all[Self.capacityOfAll...] {
            if isTemperature {
                Self.removeLast(of: sensor, &temperatures)
            } else {
                Self.removeLast(of: sensor, &counts)
            }
        }
        size = Self.capacityOfAll
    }

    private static func latest(_ sensors: [String: [Entry]]) -> (entry: Entry, sensor: String)? {
        var latest: (entry: Entry, sensor: String)?
        for (sensor, entries) in sensors {
            guard let entry = entries.last else { continue }
            if latest.map({ ($0.entry, $0.sensor) < (entry, sensor) }) ?? true { latest = (entry, sensor) }
        }
        return latest
    }

    private static func removeLast(of sensor: String, _ sensors: inout [String: [Entry]]) {
        sensors[sensor]?.removeLast()
        if sensors[sensor]?.isEmpty == true { sensors[sensor] = nil }
    }

    private mutating func measure() {
        size = counts.values.reduce(0) { $0 + $1.count } + temperatures.values.reduce(0) { $0 + $1.count }
    }

    /// Adds all entries of another record of the same day.
    package mutating func insert(_ other: DayRecord) {
        for (sensor, entries) in other.counts { Self.insert(entries, &counts[sensor, default: []]) }
        for (sensor, entries) in other.temperatures { Self.insert(entries, &temperatures[sensor, default: []]) }
        measure()
        leaveOutLatest()
    }

    private static func insert(_ more: [Entry], _ entries: inout [Entry]) {
        entries = entries.isEmpty ? more : Array(Set(entries).union(more).sorted().prefix(capacity))
    }

    /// Whether any entry is within a range of time.
    func hasInputs(within times: Range<Int64>) -> Bool {
        counts.values.contains { $0.contains { times.contains($0.time) } }
            || temperatures.values.contains { $0.contains { times.contains($0.time) } }
    }

    /// Takes out the entries within a range of time.
    package mutating func remove(_ times: Range<Int64>) {
        for (sensor, entries) in counts where entries.contains(where: { times.contains($0.time) }) {
            let left = entries.filter { !times.contains($0.time) }
            counts[sensor] = left.isEmpty ? nil : left
        }
        for (sensor, entries) in temperatures where entries.contains(where: { times.contains($0.time) }) {
            let left = entries.filter { !times.contains($0.time) }
            temperatures[sensor] = left.isEmpty ? nil : left
        }
        measure()
    }

    /// The result of the day's temperatures.
    package var temperature: TemperatureDay? {
        TemperatureDay(
            temperatures.flatMap { sensor, entries in
                entries.map {
                    TemperatureReading(sensor: sensor, time: $0.time, celsius: Double($0.value) / 1000)
                }
            })
    }
}

// MARK: - As bytes

extension DayRecord {
    /// The version of most days, and the version of days with counts left out.
    private static let (version, withCountsLeftOut): (UInt8, UInt8) = (1, 2)

    package var bytes: [UInt8] {
        let leftOut = steps?.countsLeftOut ?? 0
        var bytes = [leftOut > 0 ? Self.withCountsLeftOut : Self.version]
        bytes.appendVarint(UInt64(steps.map { $0.walking + 1 } ?? 0))
        bytes.appendVarint(UInt64(steps?.running ?? 0))
        if leftOut > 0 { bytes.appendVarint(UInt64(leftOut)) }
        bytes.appendVarint(UInt64(reached.count))
        for (index, goal) in Goal.allCases.enumerated() {
            guard let reached = reached[goal] else { continue }
            bytes.appendVarint(UInt64(index))
            bytes.appendVarint(reached.target.bitPattern)
            bytes.appendZigzag(reached.time)
        }
        for sensors in [counts, temperatures] {
            bytes.appendVarint(UInt64(sensors.count))
            for (sensor, entries) in sensors.sorted(by: { $0.key < $1.key }) {
                bytes.appendVarint(UInt64(sensor.utf8.count))
                bytes += sensor.utf8
                bytes.appendVarint(UInt64(entries.count))
                var last: Int64 = 0
                for entry in entries {
                    bytes.appendZigzag(entry.time - last)
                    bytes.appendZigzag(entry.value)
                    last = entry.time
                }
            }
        }
        return bytes
    }

    /// The record that `bytes` spell; nil if they spell none, which does not happen with a row that opens.
    init?(_ bytes: [UInt8]) {
        var rest = Numbers(bytes)
        let version = rest.byte()
        guard version == Self.version || version == Self.withCountsLeftOut, let walking = rest.number(),
            let running = rest.number(), let leftOut = version == Self.version ? 0 : rest.number(),
            let walked = Int(exactly: walking), let run = Int(exactly: running), let count = Int(exactly: leftOut),
            let goals = rest.number()
        else { return nil }
        if walked > 0 { steps = Steps(walking: walked - 1, running: run, countsLeftOut: count) }
        for _ in 0..<min(goals, 16) {
            guard let index = rest.number(), index < UInt64(Goal.allCases.count), let target = rest.number(),
                let time = rest.signed()
            else { return nil }
            reached[Goal.allCases[Int(index)]] = GoalDay.Reached(target: Double(bitPattern: target), time: time)
        }
        guard let counts = rest.sensors(), let temperatures = rest.sensors(), rest.isAtEnd else { return nil }
        (self.counts, self.temperatures) = (counts, temperatures)
        measure()
    }

    /// Takes numbers off the front of some bytes.
    private struct Numbers {
        private var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { rest = bytes[...] }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func byte() -> UInt8? { rest.popFirst() }

        mutating func number() -> UInt64? {
            var position = rest.startIndex
            guard let number = try? Varint.take(from: rest, at: &position) else { return nil }
            rest = rest[position...]
            return number
        }

        mutating func signed() -> Int64? { number().map { Int64(zigzag: $0) } }

        mutating func sensors() -> [String: [Entry]]? {
            guard let number = number(), number <= UInt64(rest.count) else { return nil }
            var sensors: [String: [Entry]] = [:]
            for _ in 0..<number {
                guard let length = self.number(), length <= UInt64(rest.count) else { return nil }
                let name = String(decoding: rest.prefix(Int(length)), as: UTF8.self)
                rest = rest.dropFirst(Int(length))
                guard let count = self.number(), count <= UInt64(rest.count) else { return nil }
                var entries: [Entry] = []
                entries.reserveCapacity(Int(count))
                var time: Int64 = 0
                for _ in 0..<count {
                    guard let passed = signed(), let value = signed() else { return nil }
                    time &+= passed
                    entries.append(Entry(time: time, value: value))
                }
                sensors[name] = entries
            }
            return sensors
        }
    }
}

// MARK: - The table

/// The rows of `days`. Belongs to the thread of its store and keys.
package struct DayRows {
    package let store: Store
    package let keys: Keys

    /// The record of a day; nil if there is none, or if it can no longer be opened.
    package func record(of user: ID, on day: CalendarDay) throws(VaultError) -> DayRecord? {
        let found = try store.database.first(
            "SELECT secret_version, sealed FROM days WHERE person = ? AND day = ?",
            [.text(user.text), .integer(day.daysSince1970)]
        ) { row throws(VaultError) in try row.sealedRow() }
        return try found.flatMap { (found) throws(VaultError) in
            try opened(found, of: user, on: day.daysSince1970)
        }
    }

    /// The records of some days in their order.
    package func records(
        of user: ID, in days: ClosedRange<CalendarDay>
    ) throws(VaultError) -> [(day: CalendarDay, record: DayRecord)] {
        let rows = try store.database.query(
            "SELECT day, secret_version, sealed FROM days WHERE person = ? AND day BETWEEN ? AND ? ORDER BY day",
            [.text(user.text), .integer(days.lowerBound.daysSince1970), .integer(days.upperBound.daysSince1970)]
        ) { row throws(VaultError) in
            (day: try row.int("day"), sealed: try row.sealedRow())
        }
        var records: [(day: CalendarDay, record: DayRecord)] = []
        for row in rows {
            guard let record = try opened(row.sealed, of: user, on: row.day) else { continue }
            records.append((CalendarDay(daysSince1970: row.day), record))
        }
        return records
    }

    /// The days within a range that have a record, in their order.
    package func days(of user: ID, in days: ClosedRange<CalendarDay>) throws(VaultError) -> [CalendarDay] {
        try store.database.query(
            "SELECT day FROM days WHERE person = ? AND day BETWEEN ? AND ? ORDER BY day",
            [.text(user.text), .integer(days.lowerBound.daysSince1970), .integer(days.upperBound.daysSince1970)]
        ) { row throws(VaultError) in CalendarDay(daysSince1970: try row.int("day")) }
    }

    /// From the first day that has a record to the last.
    package func span(of user: ID) throws(VaultError) -> ClosedRange<CalendarDay>? {
        let found = try store.database.first(
            "SELECT min(day) AS first_day, max(day) AS last_day FROM days WHERE person = ?", [.text(user.text)]
        ) { row throws(VaultError) in (first: try row.intIfPresent("first_day"), last: try row.intIfPresent("last_day"))
        }
        guard let first = found?.first, let last = found?.last else { return nil }
        return CalendarDay(daysSince1970: first)...CalendarDay(daysSince1970: last)
    }

    /// The years that have a day with a record, in their order.
    package func years(of user: ID) throws(VaultError) -> [Int] {
        var years: [Int] = []
        var from = Int64.min
        while true {
            // Each year is looked up by itself: there may be thousands of days, or thousands of years between two.
            let found = try store.database.first(
                "SELECT min(day) AS day FROM days WHERE person = ? AND day >= ?", [.text(user.text), .integer(from)]
            ) { row throws(VaultError) in try row.intIfPresent("day") }
            guard let day = found.flatMap({ $0 }) else { return years }
            let year = CalendarDay(daysSince1970: day).year
            years.append(year)
            from = max(day, CalendarDay.days(ofYear: year).upperBound.daysSince1970) + 1
        }
    }

    /// Keeps a record in place of the one before, under the latest version of the person's secret; an empty record is
    /// removed.
    package func write(_ record: DayRecord, of user: ID, on day: CalendarDay) throws(VaultError) {
        let number = day.daysSince1970
        guard !record.isEmpty else {
            try store.database.execute(
                "DELETE FROM days WHERE person = ? AND day = ?", [.text(user.text), .integer(number)])
            return
        }
        let (version, sealed) = try keys.seal(record.bytes, of: user, "a day") { Self.context(user, number, $0) }
        try store.database.execute(
            """
            INSERT INTO days (person, day, secret_version, sealed) VALUES (?, ?, ?, ?)
            ON CONFLICT (person, day) DO UPDATE SET
                secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [.text(user.text), .integer(number), .integer(version), .blob(sealed)])
    }

    /// Removes a day's row if it exists and does not open, though its secret is there: otherwise the latest readings
    /// alone would take its place, and nobody would know.
    func removeDamaged(of user: ID, on day: CalendarDay) throws(VaultError) -> Bool {
        let number = day.daysSince1970
        let version = try store.database.first(
            "SELECT secret_version FROM days WHERE person = ? AND day = ?", [.text(user.text), .integer(number)],
            row: Row.int)
        guard let version, try keys.person(user.text, version: version) != nil else { return false }
        try store.database.execute(
            "DELETE FROM days WHERE person = ? AND day = ?", [.text(user.text), .integer(number)])
        return true
    }

    private func opened(_ row: SealedRow, of user: ID, on day: Int64) throws(VaultError) -> DayRecord? {
        try keys.open(row, of: user) { Self.context(user, day, $0) }.flatMap { DayRecord($0) }
    }

    /// What a record's sealing is bound to.
    package static func context(_ user: ID, _ day: Int64, _ version: Int64) -> RowContext {
        RowContext("days", user.text, "\(day)", "\(version)")
    }
}
