import Glibc

/// How the time between the beats of a night varies (Task Force of the ESC and NASPE 1996): in windows of five minutes on the clock.
public struct NightVariability {
    /// How long a window is, in milliseconds.
    public static let windowMilliseconds: Int64 = 300_000
    /// How many windows with figures a night needs for its figures.
    public static let leastWindows = 12
    /// How many nights make a trend, and how many of them must have a value (Plews et al., Int J Sports Physiol Perform 9(5), 783, 2014).
    public static let (trendNights, leastOfTrend) = (7, 3)

    /// Five minutes.
    public struct Window: Sendable {
        /// When it begins, in Unix milliseconds.
        public let from: Int64
        /// What its beats come to.
        public let summary: HeartRateVariability.Summary
    }

    /// The windows that are at least half covered by valid beats, in their order.
    public private(set) var windows: [Window] = []
    /// The window that is being summed up, by its number since 1970, with the beats of each sensor.
    private var current: (number: Int64, sensors: [Int64: HeartRateVariability.Sums])?

    /// Nothing yet.
    public init() {}

    /// Adds a reading; they come in the order of their times.
    /// - Parameters:
    ///   - intervals: in milliseconds.
    ///   - time: Unix milliseconds.
    ///   - sensor: beats are neighbours only of those of their own sensor. Of several sensors in a window, the one with most beats counts.
    public mutating func add(_ intervals: some Collection<Double>, at time: Int64, of sensor: Int64 = 0) {
        guard !intervals.isEmpty else { return }
        let number = time.floorDivided(by: Self.windowMilliseconds)
        if current?.number != number {
            finish()
            current = (number, [:])
        }
        current?.sensors[sensor, default: HeartRateVariability.Sums()].add(intervals, at: time)
    }

    /// Ends the last window.
    public mutating func finish() {
        defer { current = nil }
        guard let current else { return }
        let best = current.sensors.min { one, other in
            (-one.value.summary.beats, one.key) < (-other.value.summary.beats, other.key)
        }
        guard let summary = best?.value.summary, let mean = summary.meanMilliseconds, summary.rmssd != nil, summary.sdnn != nil,
            Double(summary.beats) * mean * 2 >= Double(Self.windowMilliseconds)
        else { return }
        windows.append(Window(from: current.number * Self.windowMilliseconds, summary: summary))
    }

    /// The median of the windows' RMSSD, in milliseconds; nil if too few windows have one.
    public var rmssd: Double? {
        let known = windows.compactMap(\.summary.rmssd).sorted()
        guard known.count >= Self.leastWindows else { return nil }
        return (known[(known.count - 1) / 2] + known[known.count / 2]) / 2
    }

    /// The mean of the windows' SDNN, in milliseconds: the SDNN index; nil if too few windows have one.
    public var sdnn: Double? {
        let known = windows.compactMap(\.summary.sdnn)
        guard known.count >= Self.leastWindows else { return nil }
        return known.reduce(0, +) / Double(known.count)
    }

    /// The RMSSD of some nights as their trend, in milliseconds: e to the mean of its logarithms; nil if too few are known.
    public static func trend(_ nights: [Double?]) -> Double? {
        let known = nights.compactMap { $0 }.filter { $0 > 0 }
        guard known.count >= leastOfTrend else { return nil }
        return exp(known.reduce(0) { $0 + log($1) } / Double(known.count))
    }
}
