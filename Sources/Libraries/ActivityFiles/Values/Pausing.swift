// How long an activity was active is said by the device's timer. Where its file does not say when the timer stood still, it
// stood still while nothing was recorded.

extension Pause {
    /// The pauses that make an activity as long as its device says.
    /// - Parameters:
    ///   - told: those that the file has.
    ///   - whole: from its start to its end.
    ///   - active: how long its device says that it was active, in milliseconds; nil if it does not say it.
    ///   - samples: in the order of their times.
    /// - Returns: the file's pauses, if they are right within two seconds or a hundredth. If they are too short, the longest gaps
    ///   between samples are added; if they are too long, the gaps replace them. Gaps have more than five seconds and three
    ///   times the usual length, the last one is cut, and at most `mostGaps` are taken. In the end, the pauses may still be
    ///   too short.
    static func fitting(_ told: [Pause], _ whole: ClosedRange<Int64>, active: Int64?, _ samples: [Sample]) -> [Pause] {
        guard let active, active > 0, samples.count > 1 else { return told }
        let elapsed = whole.upperBound - whole.lowerBound
        // No device can have been active for longer than its activity took.
        guard active <= elapsed + 2000 else { return told }
        let paused = told.reduce(0) { $0 + $1.end - $1.start }
        guard abs(elapsed - paused - active) > max(2000, active / 100) else { return told }
        let times = [whole.lowerBound] + samples.map(\.time) + [whole.upperBound]
        let gaps = zip(times, times.dropFirst()).map { Pause(start: $0, end: $1) }.filter { $0.start < $0.end }
        let lengths = gaps.map { $0.end - $0.start }.sorted()
        guard !lengths.isEmpty else { return told }
        let least = max(5000, 3 * lengths[lengths.count / 2])
        var left = elapsed - active
        var pauses = paused <= left ? told : []
        left -= pauses.reduce(0) { $0 + $1.end - $1.start }
        // Gaps that do not overlap one of the file's pauses. Both lists are in the order of time.
        var next = 0
        let free = gaps.filter { gap in
            while next < pauses.count, pauses[next].end <= gap.start { next += 1 }
            return gap.end - gap.start > least && (next == pauses.count || gap.end <= pauses[next].start)
        }
        for gap in free.stablySorted(by: { $0.start - $0.end }).prefix(mostGaps) where left > 0 {
            let length = min(left, gap.end - gap.start)
            pauses.append(Pause(start: gap.start, end: gap.start + length))
            left -= length
        }
        return pauses.stablySorted(by: \.start)
    }

    /// How many pauses are made of gaps: more are not taken over.
    static let mostGaps = 999
}
