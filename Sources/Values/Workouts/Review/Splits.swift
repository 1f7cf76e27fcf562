public import Fitness

/// A part of the way, such as a kilometre.
public struct Split: Hashable, Sendable {
    /// Metres: those of all splits but for the last, which has what is left.
    public let metres: Double
    /// How long it took, without pauses, in seconds.
    public let seconds: Double
    /// Metres climbed; nil if no altitude is known.
    public let ascentMetres: Double?
    /// The mean heart rate in beats per minute; nil if there is none.
    public let heartRate: Double?

    /// The pace.
    public var pace: Pace? { Pace(metres: metres, seconds: seconds) }
}

/// The fastest time over a distance.
public struct BestTime: Hashable, Sendable {
    /// Metres.
    public let metres: Double
    /// How long it took, without pauses, in seconds.
    public let seconds: Double
    /// How many seconds after the beginning of the workout it began, without pauses.
    public let start: Double

    /// A time from its parts.
    public init(metres: Double, seconds: Double, start: Double) {
        (self.metres, self.seconds, self.start) = (metres, seconds, start)
    }

    /// The pace.
    public var pace: Pace? { Pace(metres: metres, seconds: seconds) }
}

extension Course {
    /// The distances for which best times are kept, in metres.
    public static let bestDistances = [1000.0, 5000, 10_000]
    /// How many splits there are at most.
    static let mostSplits = 10_000

    /// The way in parts of the same length; the last one is what is left. None if there would be more than 10,000.
    /// - Parameters:
    ///   - length: metres.
    ///   - heartRates: in any order, some of them more than once.
    public func splits(
        every length: Double = 1000, heartRates: some Sequence<HeartRateReading> = [], _ timer: WorkoutTimer
    ) -> [Split] {
        guard let first = stations.first, let last = stations.last, metres > 0, length > 0,
            metres / length <= Double(Self.mostSplits)
        else { return [] }
        let count = max(1, Int((metres / length - 1e-6).rounded(.up)))
        var arrivals = Arrivals(stations)
        var ends = (1..<count + 1).map { number in
            number < count ? arrivals.seconds(at: Double(number) * length) ?? last.seconds : last.seconds
        }
        // The stops after the last metre belong to it.
        ends[count - 1] = last.seconds
        let ascents = ascents(every: length, count)
        let rates = Self.means(heartRates, timer, from: first.seconds, ends)
        return (0..<count).map { index in
            Split(
                metres: index < count - 1 ? length : metres - Double(count - 1) * length,
                seconds: ends[index] - (index > 0 ? ends[index - 1] : first.seconds), ascentMetres: ascents?[index],
                heartRate: rates[index])
        }
    }

    /// Metres climbed in each split; their sum is the ascent.
    private func ascents(every length: Double, _ count: Int) -> [Double]? {
        guard ascentMetres != nil else { return nil }
        var climb = Climb(activity)
        var ascents = [Double](repeating: 0, count: count)
        for index in stations.indices {
            let climbed = Self.step(&climb, stations, index)
            // What is counted at the end of a split was climbed in it.
            let split = Int((stations[index].metres / length).rounded(.up)) - 1
            ascents[max(0, min(count - 1, split))] += climbed
        }
        return ascents
    }

    /// The mean heart rate of each span of active time, given by the span's end in seconds.
    static func means(
        _ readings: some Sequence<HeartRateReading>, _ timer: WorkoutTimer, from start: Double, _ ends: [Double]
    ) -> [Double?] {
        var samples = [HeartRateSamples](repeating: HeartRateSamples(), count: ends.count)
        var span = 0
        for (seconds, beatsPerMinute) in HeartRateSeries.counted(readings, timer) where seconds >= start {
            while span < ends.count, seconds > ends[span] { span += 1 }
            guard span < ends.count else { break }
            samples[span].add(beatsPerMinute)
        }
        return samples.map(\.mean)
    }

    /// The shortest time in which a distance in metres was covered anywhere on the way, pauses left out; nil if the way
    /// is shorter.
    ///
    /// Between stations the speed is taken to be steady, so the best window begins or ends at a station.
    public func fastest(_ distance: Double) -> BestTime? {
        guard distance > 0, distance <= metres else { return nil }
        var best: BestTime?
        func consider(_ start: Double, _ end: Double) {
            guard end > start, end - start < best?.seconds ?? .infinity else { return }
            best = BestTime(metres: distance, seconds: end - start, start: start)
        }
        var (ends, starts) = (Arrivals(stations), Arrivals(stations))
        for station in stations {
            if let end = ends.seconds(at: station.metres + distance) { consider(station.seconds, end) }
            if station.metres >= distance, let start = starts.lastSeconds(at: station.metres - distance) {
                consider(start, station.seconds)
            }
        }
        return best
    }

    /// The best times over 1, 5 and 10 km, as far as the way goes.
    public var bestTimes: [BestTime] { bestTimes(in: .metric) }

    /// The same with a mile in place of the kilometre for those who think in miles. They race over 5 and 10 km, too.
    public func bestTimes(in units: Units) -> [BestTime] {
        ([units.way] + Self.bestDistances.dropFirst()).compactMap { fastest($0) }
    }
}
