package import Files
import Fitness
package import Records
package import Telemetry

// More than any sensor sends.
//
// A chest strap sends one heart rate a second, with the one to four intervals that ended in it; the fastest sensors
// notify 50 times a second, and a notification of the usual 20 bytes has room for nine RR intervals: 450 a second. A
// Bluetooth LE link carries some hundreds of notifications a second at the most. So a sensor's second that has more
// than 1,000 readings, or more than 2,000 RR intervals, is made up, and a block that would bring it there is not kept.
// A second is one of the readings' own times, as corrected: a gateway that sends a week at once, a recording that is
// played at sixty times its speed, and a clock that is set right afterwards do not make a second any fuller.
//
// Readings are counted in memory, minute by minute of each sensor, for a limited number of minutes. That count is a
// hint: it does not know what was stored before the start, nor what came so long ago that another minute has taken its
// place, and it still counts what a clock block has moved. So the stored readings decide: they are counted when the
// hint goes over the limit, and once when it goes over half of it. After a restart, or after a batch that the disk
// refused, a second may thus take half as much in addition. For a real sensor no blocks are opened; and if somebody has
// made up very many such seconds, those that cannot be counted within the minute are taken to be full.
//
// A block itself also says on how many days its readings are, by their corrected times. Each day costs a row in several
// tables, which a block of some bytes does not pay for. A gateway makes a block of what it has every ten seconds or
// minutes, and a crash leaves nothing older in its journal. So a block of more than eight days of UTC is made up as
// well: clocks that are set in the meantime explain a few of them, but not more.

/// Which seconds of a sensor have more than any sensor sends. Belongs to one thread.
package struct Density {
    package struct Limits {
        /// For each sensor and second.
        package var readings: Int
        package var intervals: Int
        /// For each block: days of UTC.
        package var days: Int
        /// No limits: for tests of what stores of earlier versions may hold.
        package static let none = Limits(readings: .max, intervals: .max, days: .max)

        package init(readings: Int = 1000, intervals: Int = 2000, days: Int = 8) {
            self.readings = readings
            self.intervals = intervals
            self.days = days
        }
    }

    /// How many readings a second has, and how many RR intervals.
    package struct Count: Equatable {
        package var readings = 0
        package var intervals = 0

        package mutating func add(_ reading: Reading) { add(BareReading(reading)) }

        package mutating func add(_ reading: BareReading) {
            readings += 1
            intervals += Int(reading.intervals)
        }

        static func + (one: Count, other: Count) -> Count {
            Count(readings: one.readings + other.readings, intervals: one.intervals + other.intervals)
        }

        package func isOver(_ limits: Limits) -> Bool { readings > limits.readings || intervals > limits.intervals }
    }

    /// A minute of one sensor's stream.
    package struct Minute: Hashable {
        package let stream: Int64
        /// Since 1970.
        package let number: Int64

        package var milliseconds: Range<Int64> { number * 60_000..<(number + 1) * 60_000 }
    }

    private struct Place {
        var minute: Minute?
        /// When it was last counted in what is stored; nil if it was not.
        var checked: UInt64?
    }

    private let limits: Limits
    private let hint: Limits
    private var found: [Minute: Int] = [:]
    private var places: [Place]
    /// Sixty seconds for each place, one after the other: one array, because minutes come and go by the thousand.
    private var counts: [Count]
    private var next = 0
    /// How often stored readings were counted, and since when.
    private var (begun, checks): (UInt64, Int) = (0, 0)

    /// For how long a count from the store is believed, in milliseconds.
    private static let memory: UInt64 = 60_000
    /// How often stored readings are counted within that time.
    private static let mostChecks = 16

    /// - Parameter capacity: how many minutes are remembered.
    init(_ limits: Limits = Limits(), capacity: Int = 1024) {
        self.limits = limits
        hint = Limits(readings: limits.readings / 2, intervals: limits.intervals / 2)
        places = Array(repeating: Place(), count: capacity)
        counts = Array(repeating: Count(), count: capacity * 60)
    }

    /// Notes the readings of a block that is about to be stored.
    /// - Parameters:
    ///   - readings: with their times as corrected.
    ///   - now: milliseconds of a clock that never runs backwards.
    ///   - stored: counts the stored readings of a minute, second by second; nil if they are too many to be counted.
    /// - Returns: whether no second has more than a sensor sends, and the block has no more days than any gateway's;
    ///   otherwise the block must not be stored.
    mutating func admits(
        _ readings: [BareReading], of stream: Int64, now: UInt64,
        stored: (Minute) throws(VaultError) -> [Count]?
    ) throws(VaultError) -> Bool {
        guard !Self.areOfMoreDays(readings, than: limits.days) else { return false }
        var suspects: Set<Minute> = []
        // Many readings follow one of the same minute.
        var (begin, seconds, most): (Int64, Int, Limits) = (.min / 2, 0, limits)
        for reading in readings {
            let wall = reading.wall
            if !(0..<60_000 ~= wall - begin) {
                let number = wall.floorDivided(by: 60_000)
                let place = place(of: Minute(stream: stream, number: number))
                (begin, seconds) = (number * 60_000, place * 60)
                most = places[place].checked != nil ? limits : hint
            }
            let index = seconds + Int(wall - begin) / 1000
            counts[index].add(reading)
            if counts[index].isOver(most) {
                suspects.insert(Minute(stream: stream, number: wall.floorDivided(by: 60_000)))
            }
        }
        guard !suspects.isEmpty else { return true }
        var isOver = false
        for minute in suspects {
            if try isTooMuch(minute, readings, now: now, stored: stored) { isOver = true }
        }
        if isOver { takeBack(readings, of: stream) }
        return !isOver
    }

    /// Whether some readings are on more than this many days of UTC.
    private static func areOfMoreDays(_ readings: [BareReading], than limit: Int) -> Bool {
        guard var first = readings.first?.wall else { return false }
        var last = first
        for reading in readings { (first, last) = (min(first, reading.wall), max(last, reading.wall)) }
        func day(_ wall: Int64) -> Int64 { wall.floorDivided(by: 86_400_000) }
        // Nearly all blocks end here.
        guard day(last) - day(first) >= limit else { return false }
        return Set(readings.map { day($0.wall) }).count > limit
    }

    /// Whether a minute has a second with too much, by its stored readings.
    private mutating func isTooMuch(
        _ minute: Minute, _ readings: [BareReading], now: UInt64,
        stored: (Minute) throws(VaultError) -> [Count]?
    ) throws(VaultError) -> Bool {
        let place = place(of: minute)
        let range = place * 60..<place * 60 + 60
        if let checked = places[place].checked, now < checked + Self.memory {
            return counts[range].contains { $0.isOver(limits) }
        }
        if now >= begun + Self.memory { (begun, checks) = (now, 0) }
        checks += 1
        guard checks <= Self.mostChecks else { return true }
        places[place].checked = now
        guard var seconds = try stored(minute) else {
            let full = Count(readings: limits.readings, intervals: limits.intervals)
            counts.replaceSubrange(range, with: repeatElement(full, count: 60))
            return true
        }
        for reading in readings where minute.milliseconds.contains(reading.wall) {
            seconds[Int((reading.wall - minute.milliseconds.lowerBound) / 1000)].add(reading)
        }
        counts.replaceSubrange(range, with: seconds)
        return seconds.contains { $0.isOver(limits) }
    }

    /// Nothing of a batch was stored, and the gateways will send it again: the counts may include it, so all counts are
    /// forgotten, as after a restart.
    package mutating func rolledBack() {
        found = [:]
        for place in places.indices { places[place] = Place() }
        (next, begun, checks) = (0, 0, 0)
    }

    private mutating func takeBack(_ readings: [BareReading], of stream: Int64) {
        for reading in readings {
            let wall = reading.wall
            let number = wall.floorDivided(by: 60_000)
            guard let place = found[Minute(stream: stream, number: number)] else { continue }
            let index = place * 60 + Int((wall - number * 60_000) / 1000)
            var one = Count()
            one.add(reading)
            counts[index].readings = max(0, counts[index].readings - one.readings)
            counts[index].intervals = max(0, counts[index].intervals - one.intervals)
        }
    }

    /// The place where a minute is counted; a new minute takes the place of the one that was added the longest time
    /// ago.
    private mutating func place(of minute: Minute) -> Int {
        if let known = found[minute] { return known }
        let place = next
        next = (next + 1) % places.count
        if let old = places[place].minute { found[old] = nil }
        places[place] = Place(minute: minute)
        found[minute] = place
        counts.withUnsafeMutableBufferPointer { $0[place * 60..<place * 60 + 60].update(repeating: Count()) }
        return place
    }
}

extension Store {
    /// How many rows are opened to count a minute. No sensor's hour has that many, and each row costs time.
    private static let mostCounted = 4096

    /// Counts the stored readings of a minute of a stream, second by second, by their corrected times; nil if they
    /// are too many.
    /// - Parameter limit: how many readings are opened at most, not counting those of the last row: a packed row may
    ///   have that many.
    package func counts(
        of stream: StoredStream, _ person: Keys.Person, _ minute: Density.Minute, _ corrections: Corrections,
        opening limit: Int = 1 << 16
    ) throws(VaultError) -> [Density.Count]? {
        let times = minute.milliseconds
        var hours = corrections.moves.hours(of: [times])[...]
        var reader = StreamReader(stream, person, self)
        var seconds = Array(repeating: Density.Count(), count: 60)
        var (last, opened, seen): ((hour: Int64, number: Int64)?, Int, Int) = (nil, 0, 0)
        while let span = hours.first {
            let page = try blocks(of: stream.number, kinds: .all, hours: span, after: last, limit: 16)
            guard let end = page.last else {
                hours.removeFirst()
                continue
            }
            last = (end.firstHour, end.number)
            opened += page.count
            guard opened <= Self.mostCounted else { return nil }
            for block in page {
                guard seen <= limit else { return nil }
                let readings = try reader.readings(of: block) ?? []
                seen += readings.count
                for found in readings {
                    let wall = corrections.corrected(found.reading.moment, of: found.boot)
                    guard times.contains(wall) else { continue }
                    seconds[Int((wall - times.lowerBound) / 1000)].add(found.reading)
                }
            }
        }
        return seconds
    }
}
