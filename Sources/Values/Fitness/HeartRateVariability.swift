/// Measures of how the time between heartbeats varies (Task Force of the ESC and NASPE 1996). Intervals in
/// milliseconds.
public enum HeartRateVariability {
    /// Root mean square of the differences between neighbours. A nil stands for a beat that is not valid: differences
    /// across it do not count. Nil if there is no difference.
    public static func rmssd(_ intervals: [Double?]) -> Double? { Summary(intervals).rmssd }

    /// Sample standard deviation of the valid intervals; nil if there are fewer than two.
    public static func sdnn(_ intervals: [Double?]) -> Double? { Summary(intervals).sdnn }

    /// How long a beat may take, in milliseconds: 30 to 200 beats a minute.
    static let possible = 300.0...2000.0
    /// A beat may differ from the one before by at most that one's interval divided by this number; a greater
    /// difference means an extra beat, or one that was missed.
    static let smallestShare = 5.0
    /// How far apart, in milliseconds, two readings with intervals may be for the last beat of one to be a neighbour of
    /// the other's first.
    static let longestPause: Int64 = 3000

    /// The beats of a series of readings as neighbours, in milliseconds. A nil stands for a beat that is not valid, or
    /// for a pause: there is no difference across it. A beat is valid between 300 and 2,000 ms if it differs from
    /// the one before it, valid or not, by at most a fifth of that. An interval of 0 does not stand for a beat, and
    /// nothing is compared with it.
    /// - Parameter readings: the intervals that came with each reading, and its time in Unix milliseconds; in the order
    ///   of their times.
    public static func series(_ readings: some Sequence<(time: Int64, intervals: [Double])>) -> [Double?] {
        var series: [Double?] = []
        var beats = Beats()
        for reading in readings { beats.add(reading.intervals, at: reading.time) { series.append($0) } }
        return series
    }

    /// Tells which beats are valid, reading by reading.
    private struct Beats {
        private var before: (time: Int64, interval: Double?)?

        /// Calls `body` with each beat that a reading adds to the series.
        mutating func add(_ intervals: some Collection<Double>, at time: Int64, _ body: (Double?) -> Void) {
            guard !intervals.isEmpty else { return }
            var last: Double?
            if let before {
                if time - before.time <= longestPause { last = before.interval } else { body(nil) }
            }
            for interval in intervals {
                let fits = last.map { abs(interval - $0) * smallestShare <= $0 } ?? true
                body(possible.contains(interval) && fits ? interval : nil)
                last = interval > 0 ? interval : nil
            }
            before = (time, last)
        }
    }

    /// What follows from a series of beats.
    public struct Summary: Hashable, Sendable {
        /// How many beats are valid.
        public let beats: Int
        /// Their mean interval, in milliseconds; nil if there is none.
        public let meanMilliseconds: Double?
        /// Root mean square of the differences between neighbours, in milliseconds; nil if there is none.
        public let rmssd: Double?
        /// Sample standard deviation, in milliseconds; nil if there are fewer than two.
        public let sdnn: Double?

        /// A nil stands for a beat that is not valid.
        public init(_ series: some Sequence<Double?>) {
            var sums = Sums()
            for beat in series { sums.add(beat) }
            self.init(sums)
        }

        fileprivate init(_ sums: Sums) {
            beats = sums.beats
            meanMilliseconds = sums.beats == 0 ? nil : sums.sum / Double(sums.beats)
            rmssd = sums.differences == 0 ? nil : (sums.squaredDifferences / Double(sums.differences)).squareRoot()
            sdnn = sums.beats < 2 ? nil : (sums.squares / Double(sums.beats - 1)).squareRoot()
        }
    }

    /// Sums up readings one by one, in the order of their times: however many there are, only a few numbers are kept of
    /// them.
    public struct Sums: Sendable {
        private var series = Beats()
        private var last: Double?
        fileprivate private(set) var (beats, sum) = (0, 0.0)
        fileprivate private(set) var (differences, squaredDifferences) = (0, 0.0)
        /// The mean so far, and the sum of the squares of the beats' differences from it (Welford 1962): no precision
        /// is lost if there are many beats.
        private var mean = 0.0
        fileprivate private(set) var squares = 0.0

        /// Nothing yet.
        public init() {}

        /// Adds a reading.
        /// - Parameters:
        ///   - intervals: in milliseconds.
        ///   - time: Unix milliseconds.
        public mutating func add(_ intervals: some Collection<Double>, at time: Int64) {
            var series = series
            series.add(intervals, at: time) { add($0) }
            self.series = series
        }

        /// Adds a beat; nil stands for one that is not valid.
        fileprivate mutating func add(_ beat: Double?) {
            defer { last = beat }
            guard let beat else { return }
            beats += 1
            sum += beat
            let difference = beat - mean
            mean += difference / Double(beats)
            squares += difference * (beat - mean)
            guard let last else { return }
            differences += 1
            squaredDifferences += (beat - last) * (beat - last)
        }

        /// The results for all readings so far.
        public var summary: Summary { Summary(self) }
    }
}
