import Fitness
import Telemetry

/// The hours that something covers.
package struct HourSpan: Equatable {
    package var first: Int64
    package var last: Int64

    /// The hour of a wall time, Unix milliseconds.
    @inlinable
    package static func hour(_ wall: Int64) -> Int64 { wall.floorDivided(by: 3_600_000) }

    /// The day of an hour, both since 1970, UTC.
    package static func day(_ hour: Int64) -> Int64 { hour.floorDivided(by: 24) }

    /// The hours of a range of wall times.
    package init(times: ClosedRange<Int64>) {
        (first, last) = (Self.hour(times.lowerBound), Self.hour(times.upperBound))
    }

    /// Some hours since 1970, UTC.
    package init(hours: ClosedRange<Int64>) { (first, last) = (hours.lowerBound, hours.upperBound) }

    /// The hours from the earliest to the latest of some wall times; nil if there are none.
    package init?(_ walls: some Sequence<Int64>) {
        guard let first = walls.min(), let last = walls.max() else { return nil }
        self.first = Self.hour(first)
        self.last = Self.hour(last)
    }

    /// No reading is earlier or later.
    package static let earliest = hour(-Moment.limit)
    package static let latest = hour(Moment.limit)

    /// The time that some hours cover, Unix milliseconds.
    package static func times(_ hours: ClosedRange<Int64>) -> Range<Int64> {
        let first = max(hours.lowerBound, earliest)
        return first * 3_600_000..<(max(first, min(hours.upperBound, latest)) + 1) * 3_600_000
    }
}
