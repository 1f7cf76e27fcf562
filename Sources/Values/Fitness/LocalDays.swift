// The days of somebody who moves. A day is what the calendar on the wall showed: in the zone that was in force, with
// its daylight saving. So a day is no fixed stretch of time, but the moments at which that date was shown:
//
//     daylight saving begins      23 hours
//     daylight saving ends        25 hours
//     a move east                 fewer; over the date line the day may not have been at all
//     a move west                 more, and a person may come home to yesterday, which continues after a piece of today
//
// Each moment is in exactly one day, and a day's intervals are found from the offsets in force around it.

/// The days of a person in the zones where they were, one after another.
public struct LocalDays: Sendable {
    /// Zones in the order of their beginnings; the first has none.
    private let zones: [(from: Int64, rules: ZoneRules)]

    /// The days in one zone from the beginning of time, and in other zones after it.
    /// - Parameter moves: which zone is in force from which moment (Unix milliseconds), in any order; of several at the
    ///   same moment the last counts.
    public init(_ first: ZoneRules, moves: [(from: Int64, zone: ZoneRules)] = []) {
        var zones = [(from: Int64.min, rules: first)]
        // The sort keeps the order of equals.
        for move in moves.sorted(by: { $0.from < $1.from }) {
            if zones.count > 1, zones[zones.count - 1].from == move.from { zones.removeLast() }
            zones.append((move.from, move.zone))
        }
        self.zones = zones
    }

    /// The day on the wall at a moment.
    /// - Parameter time: Unix milliseconds.
    public func day(of time: Int64) -> CalendarDay {
        let index = zones.lastIndex { $0.from <= time } ?? 0
        return zones[index].rules.day(at: time)
    }

    /// The minute of the day on the wall at a moment, from 0 to 1439.
    /// - Parameter time: Unix milliseconds.
    public func minuteOfDay(at time: Int64) -> Int {
        let index = zones.lastIndex { $0.from <= time } ?? 0
        let seconds = time.floorDivided(by: 1000)
        let minutes = (seconds + zones[index].rules.offset(at: seconds)).floorDivided(by: 60)
        return Int(minutes - minutes.floorDivided(by: 1440) * 1440)
    }

    /// When a day took place, in Unix milliseconds: intervals that neither touch nor overlap, in their order. None
    /// if the day was skipped.
    /// - Parameter minutes: only what the clock on the wall showed between these minutes of the day.
    public func intervals(of day: CalendarDay, minutes: Range<Int> = 0..<1440) -> [Range<Int64>] {
        let midnight = day.daysSince1970 * 86_400_000
        let begin = midnight + Int64(minutes.lowerBound) * 60_000
        let end = midnight + Int64(minutes.upperBound) * 60_000
        var intervals: [Range<Int64>] = []
        let near = midnight - Self.farthest..<midnight + 86_400_000 + Self.farthest
        for piece in pieces(of: near) {
            let wall = begin - piece.offset..<end - piece.offset
            let interval = wall.clamped(to: piece.times)
            guard !interval.isEmpty else { continue }
            if let last = intervals.last, last.upperBound == interval.lowerBound {
                intervals[intervals.count - 1] = last.lowerBound..<interval.upperBound
            } else {
                intervals.append(interval)
            }
        }
        return intervals
    }

    /// When a day is over, in Unix milliseconds: the end of its last interval. Nil if the day was skipped.
    public func end(of day: CalendarDay) -> Int64? { intervals(of: day).last?.upperBound }

    /// Every day that is at least partly in a range of Unix milliseconds, in the order of the calendar. Days before the
    /// year 1 or after 9999 are left out.
    public func days(in times: Range<Int64>) -> [CalendarDay] {
        let known: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000
        var days: Set<CalendarDay> = []
        for piece in pieces(of: times.clamped(to: known)) {
            let (first, last) = (piece.times.lowerBound, piece.times.upperBound - 1)
            let dates = [first, last].map { time in
                CalendarDay(localSeconds: (time + piece.offset).floorDivided(by: 1000))
            }
            days.formUnion(dates[0]...dates[1])
        }
        return days.sorted()
    }

    /// No clock is farther from UTC than this: `ZoneRules` allow nothing beyond it.
    private static let farthest: Int64 = 26 * 3_600_000

    /// A range in pieces of one offset each, all in milliseconds.
    private func pieces(of times: Range<Int64>) -> [(times: Range<Int64>, offset: Int64)] {
        var pieces: [(times: Range<Int64>, offset: Int64)] = []
        for (index, zone) in zones.enumerated() {
            let end = index + 1 < zones.count ? zones[index + 1].from : Int64.max
            let inForce = times.clamped(to: zone.from..<max(end, zone.from))
            guard !inForce.isEmpty else { continue }
            let seconds =
                inForce.lowerBound.floorDivided(by: 1000)..<(inForce.upperBound - 1).floorDivided(by: 1000) + 1
            var start = inForce.lowerBound
            for change in zone.rules.changes(within: seconds) + [seconds.upperBound] {
                let end = min(change * 1000, inForce.upperBound)
                guard start < end else { continue }
                pieces.append((start..<end, zone.rules.offset(at: start.floorDivided(by: 1000)) * 1000))
                start = end
            }
        }
        return pieces
    }
}
