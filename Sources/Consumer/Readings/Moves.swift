import Records
import Telemetry

/// By how much corrections may move a stream's readings: not at all, or by the sum of some boot's corrections from one of
/// them on.
///
/// A clock that was set to a wrong day and back moves only what was measured in between. Readings of an hour are looked
/// for in the hours that each of these moves comes from, and not in all hours between: there may be months of them.
struct Moves {
    /// In milliseconds, in their order. Where there are too many sums, those that are close together are one range.
    private let ranges: [ClosedRange<Int64>]

    /// More ranges than these are joined, at least every second of them with the next: the hours of each are a query.
    static let most = 16

    /// - Parameter sums: in milliseconds; no move at all is one of the moves in any case.
    init(_ sums: some Sequence<Int64>) {
        var separate = SeparateRanges([0..<1])
        for sum in sums { separate.insert(sum..<sum + 1) }
        while separate.ranges.count > Self.most { separate.joinClosest() }
        ranges = separate.ranges.map { ClosedRange($0) }
    }

    /// How many hours a reading may move.
    var slack: ClosedRange<Int64> {
        let (back, ahead) = (ranges.first?.lowerBound ?? 0, ranges.last?.upperBound ?? 0)
        return HourSpan.hour(back)...(HourSpan.hour(ahead) + (ahead > 0 ? 1 : 0))
    }

    /// The hours, by their gateway's clock, of the readings whose corrected times are in some ranges (Unix
    /// milliseconds): in their order, apart from each other.
    func hours(of times: some Sequence<Range<Int64>>) -> [HourSpan] {
        var hours = SeparateRanges()
        for times in times {
            let times = times.clamped(to: -Moment.limit..<Moment.limit + 1)
            guard !times.isEmpty else { continue }
            for range in ranges {
                // What would be moved beyond the limit of all times stays there.
                let first = times.lowerBound == -Moment.limit ? -Moment.limit : times.lowerBound - range.upperBound
                let last = times.upperBound > Moment.limit ? Moment.limit : times.upperBound - 1 - range.lowerBound
                guard first <= Moment.limit, last >= -Moment.limit else { continue }
                hours.insert(HourSpan.hour(max(first, -Moment.limit))..<HourSpan.hour(min(last, Moment.limit)) + 1)
            }
        }
        return hours.ranges.map { HourSpan(hours: ClosedRange($0)) }
    }
}

extension Corrections {
    /// By how much readings of all boots may be moved.
    var moves: Moves { Moves(sums) }
}
