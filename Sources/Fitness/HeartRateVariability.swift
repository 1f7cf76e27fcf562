/// Measures of how the time between heartbeats varies (Task Force of the ESC and NASPE 1996). Intervals in milliseconds.
public enum HeartRateVariability {
    /// Root mean square of the differences between neighbours. A nil stands for a beat that is not valid: differences across it do not count.
    /// Nil where there is no difference.
    public static func rmssd(_ intervals: [Double?]) -> Double? {
        var sum = 0.0
        var count = 0
        for case (let first?, let second?) in zip(intervals, intervals.dropFirst()) {
            sum += (second - first) * (second - first)
            count += 1
        }
        return count == 0 ? nil : (sum / Double(count)).squareRoot()
    }

    /// Sample standard deviation of the valid intervals; nil where there are fewer than two.
    public static func sdnn(_ intervals: [Double?]) -> Double? {
        let valid = intervals.compactMap { $0 }
        guard valid.count >= 2 else { return nil }
        let mean = valid.reduce(0, +) / Double(valid.count)
        let squares = valid.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(valid.count - 1)).squareRoot()
    }

    /// How long a beat may take, in milliseconds: 30 to 200 beats a minute.
    static let possible = 300.0...2000.0
    /// A beat may differ from the one before by that interval over this number; more is an extra beat, or one that was missed.
    static let smallestShare = 5.0
    /// How far readings with intervals may be apart, in milliseconds, for the last beat of one to be a neighbour of the other's first.
    static let longestPause: Int64 = 3000

    /// The beats of a series of readings as neighbours, in milliseconds. A nil stands for a beat that is not valid, or for a pause:
    /// there is no difference across it. A beat is valid between 300 and 2,000 ms where it differs from the one before it, valid or
    /// not, by no more than a fifth of that.
    /// - Parameter readings: the intervals that came with each reading, and its time in Unix milliseconds; in the order of their times.
    public static func series(_ readings: some Sequence<(time: Int64, intervals: [Double])>) -> [Double?] {
        var series: [Double?] = []
        var before: (time: Int64, interval: Double?)?
        for reading in readings where !reading.intervals.isEmpty {
            var last: Double?
            if let before {
                if reading.time - before.time <= longestPause { last = before.interval } else { series.append(nil) }
            }
            for interval in reading.intervals {
                let fits = last.map { abs(interval - $0) * smallestShare <= $0 } ?? true
                series.append(possible.contains(interval) && fits ? interval : nil)
                last = interval
            }
            before = (reading.time, last)
        }
        return series
    }

    /// What a series of beats comes to.
    public struct Summary: Hashable, Sendable {
        /// How many beats are valid.
        public let beats: Int
        /// Their mean interval, in milliseconds; nil where there is none.
        public let meanMilliseconds: Double?
        /// Root mean square of the differences between neighbours, in milliseconds; nil where there is none.
        public let rmssd: Double?
        /// Sample standard deviation, in milliseconds; nil where there are fewer than two.
        public let sdnn: Double?

        /// A nil stands for a beat that is not valid.
        public init(_ series: [Double?]) {
            let valid = series.compactMap { $0 }
            beats = valid.count
            meanMilliseconds = valid.isEmpty ? nil : valid.reduce(0, +) / Double(valid.count)
            rmssd = HeartRateVariability.rmssd(series)
            sdnn = HeartRateVariability.sdnn(series)
        }
    }
}
