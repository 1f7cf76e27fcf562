public import Fitness

/// The most points that a chart has.
let mostChartPoints = 10_000

/// A part of a chart over distance.
public struct DistancePoint: Hashable, Sendable {
    /// The middle of the part, in metres from the beginning.
    public let metres: Double
    /// The pace in the part.
    public let pace: Pace?
    /// The altitude at its middle, in metres above sea level; nil if it is not known.
    public let altitude: Double?
}

extension Course {
    /// Pace and altitude over distance, in at most so many parts of the same length.
    public func series(points count: Int) -> [DistancePoint] {
        let count = min(count, mostChartPoints, stations.count)
        guard count > 0, metres > 0, let first = stations.first, let last = stations.last else { return [] }
        let length = metres / Double(count)
        var arrivals = Arrivals(Way(self))
        var altitudes = Altitudes(stations)
        var start = first.seconds
        return (0..<count).map { index in
            let end = index == count - 1 ? last.seconds : arrivals.seconds(at: Double(index + 1) * length)
            defer { start = end ?? start }
            let middle = (Double(index) + 0.5) * length
            return DistancePoint(
                metres: middle, pace: Pace(metres: length, seconds: (end ?? start) - start),
                altitude: altitudes.metres(at: middle))
        }
    }
}

/// Altitudes on the way, with straight lines between those that are known. Queries must come in rising order.
private struct Altitudes {
    private let known: [(metres: Double, altitude: Double)]
    private var index = 0

    init(_ stations: [Course.Station]) {
        known = stations.compactMap { station in station.point.altitude.map { (station.metres, $0) } }
    }

    mutating func metres(at metres: Double) -> Double? {
        while index < known.count, known[index].metres < metres { index += 1 }
        guard index < known.count else { return known.last?.altitude }
        guard index > 0 else { return known[0].altitude }
        let (one, other) = (known[index - 1], known[index])
        let way = other.metres - one.metres
        return way > 0 ? one.altitude + (other.altitude - one.altitude) * (metres - one.metres) / way : other.altitude
    }
}

/// Heart rates over the time of a workout.
public enum HeartRateSeries {
    /// A part of a chart over time.
    public struct Point: Hashable, Sendable {
        /// The middle of the part, in seconds from the beginning, without pauses.
        public let seconds: Double
        /// The mean, in beats per minute.
        public let mean: Double
        /// The lowest.
        public let minimum: Int
        /// The highest.
        public let maximum: Int
    }

    /// Heart rates in at most so many parts of the same length; parts without any are left out.
    /// - Parameter readings: in any order, some of them more than once.
    public static func points(
        _ readings: some Sequence<HeartRateReading>, _ timer: WorkoutTimer, points count: Int
    ) -> [Point] {
        let counted = counted(readings, timer)
        let count = min(count, mostChartPoints, counted.count)
        guard count > 0, let last = counted.last else { return [] }
        let length = max(last.seconds / Double(count), 0.001)
        var parts = [HeartRateSamples](repeating: HeartRateSamples(), count: count)
        for (seconds, beatsPerMinute) in counted {
            parts[min(count - 1, Int(seconds / length))].add(beatsPerMinute)
        }
        return parts.enumerated().compactMap { index, samples in
            samples.mean.map { mean in
                Point(
                    seconds: (Double(index) + 0.5) * length, mean: mean, minimum: samples.minimum,
                    maximum: samples.maximum)
            }
        }
    }

    /// What counts, in the order of the times, with the active seconds from the beginning.
    static func counted(
        _ readings: some Sequence<HeartRateReading>, _ timer: WorkoutTimer
    ) -> [(seconds: Double, beatsPerMinute: Int)] {
        let samples = WorkoutSample.inOrder(readings.map { .heartRate($0) })
        return samples.compactMap { sample in
            guard case .heartRate(let reading) = sample, let started = timer.started,
                timer.interval(at: reading.time) != nil, reading.time - started <= WorkoutFold.longest,
                HeartRateSamples.plausible.contains(reading.beatsPerMinute)
            else { return nil }
            return (Double(timer.activeMilliseconds(at: reading.time)) / 1000, reading.beatsPerMinute)
        }
    }
}
