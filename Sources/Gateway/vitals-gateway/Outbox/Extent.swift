import Fitness
import Telemetry

/// How many readings there are, and the times of the first and the last: what a gap block says about lost readings.
///
/// It is stored in the clear next to sealed blocks, so it has whole seconds: for a sensor that notifies with each beat,
/// exact times would reveal the heart rate.
struct Extent: Equatable {
    private(set) var count: Int
    /// Unix seconds, of the first reading and of the last.
    private(set) var first: Int64
    private(set) var last: Int64

    init(count: Int, first: Int64, last: Int64) {
        self.count = count
        self.first = first
        self.last = last
    }

    /// The extent of readings; nil if there are none.
    init?(of readings: [Reading]) {
        guard let first = readings.first else { return nil }
        self.init(at: first.moment.wall)
        for reading in readings.dropFirst() { add(Extent(at: reading.moment.wall)) }
    }

    /// The extent of one reading, from its wall time in Unix milliseconds.
    init(at wall: Int64) {
        let second = Self.second(of: wall)
        self.init(count: 1, first: second, last: second)
    }

    mutating func add(_ other: Extent) {
        count += other.count
        first = min(first, other.first)
        last = max(last, other.last)
    }

    /// As a gap block says it: to the end of the last second.
    func gap(_ reason: GapBody.Reason) throws(MalformedValue) -> GapBody {
        try GapBody(count: UInt64(clamping: count), first: first * 1000, last: last * 1000 + 999, reason: reason)
    }

    /// The second that contains a wall time.
    static func second(of wall: Int64) -> Int64 {
        let wall = min(max(wall, -Moment.limit / 2), Moment.limit / 2)
        return wall.floorDivided(by: 1000)
    }
}

extension Extent? {
    /// The extent with another reading added.
    static func += (extent: inout Extent?, other: Extent) {
        if extent == nil { extent = other } else { extent?.add(other) }
    }
}
