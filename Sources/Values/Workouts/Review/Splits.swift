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

extension BestTime {
    /// The distances over which best times are kept, in metres: those that people race over.
    public static let distances = [400, 1000, Units.metresPerMile, 5000, 10_000, 21_097.5, 42_195]

    /// The world's best times on foot over these distances, in seconds (World Athletics, November 2026): a
    /// faster one was measured wrongly, or was not run.
    static let worldsBest = [43.03, 131.96, 223.13, 755.36, 1571, 3402, 7235]

    /// Whether a person can have been so fast over one of the distances.
    static func isBelievable(_ metres: Double, seconds: Double, _ activity: Activity) -> Bool {
        guard activity.kind == .foot, let index = distances.firstIndex(of: metres) else { return true }
        return seconds >= worldsBest[index]
    }
}

extension Way {
    /// How many splits there are at most.
    static let mostSplits = 10_000

    /// The way in parts of the same length; the last one is what is left. None if there would be more than 10,000.
    /// - Parameters:
    ///   - length: metres.
    ///   - climbs: how much was climbed when; nil if no altitude is known.
    ///   - hearts: the heart rates that hold in the workout, in the order of their times.
    public func splits(
        every length: Double = 1000, climbs: [(seconds: Double, metres: Double)]? = nil,
        hearts: [HeldHeartRate] = [], _ timer: WorkoutTimer
    ) -> [Split] {
        guard let first = marks.first, let last = marks.last, metres > 0, length > 0,
            metres / length <= Double(Self.mostSplits)
        else { return [] }
        let count = max(1, Int((metres / length - 1e-6).rounded(.up)))
        var arrivals = Arrivals(self)
        // The stops after the last metre belong to it.
        let ends = (1..<count + 1).map { number in
            number < count ? arrivals.seconds(at: Double(number) * length) ?? last.seconds : last.seconds
        }
        let ascents = climbs.map { Self.sums($0, ends) }
        let rates = Self.means(hearts, timer, from: first.seconds, ends)
        return (0..<count).map { index in
            Split(
                metres: index < count - 1 ? length : metres - Double(count - 1) * length,
                seconds: ends[index] - (index > 0 ? ends[index - 1] : first.seconds), ascentMetres: ascents?[index],
                heartRate: rates[index])
        }
    }

    /// Metres climbed in each span of active time, given by the span's end in seconds; what is counted at an end was climbed
    /// before it. Their sum is the ascent.
    private static func sums(_ climbs: [(seconds: Double, metres: Double)], _ ends: [Double]) -> [Double] {
        var (sums, span) = ([Double](repeating: 0, count: ends.count), 0)
        for climb in climbs {
            while span < ends.count - 1, climb.seconds > ends[span] { span += 1 }
            sums[span] += climb.metres
        }
        return sums
    }

    /// The mean heart rate of each span of active time, given by the span's end in seconds, over its recorded
    /// time.
    private static func means(
        _ hearts: [HeldHeartRate], _ timer: WorkoutTimer, from start: Double, _ ends: [Double]
    ) -> [Double?] {
        var sums = [(slots: Double, sum: Double)](repeating: (0, 0), count: ends.count)
        var span = 0
        for heart in hearts {
            let seconds = Double(timer.activeMilliseconds(at: heart.time)) / 1000
            guard seconds >= start else { continue }
            // What begins with a span is part of it.
            while span < ends.count, seconds >= ends[span] { span += 1 }
            guard span < ends.count else { break }
            sums[span].slots += 1
            sums[span].sum += heart.beatsPerMinute
        }
        return sums.map { $0.slots > 0 ? $0.sum / $0.slots : nil }
    }

    /// The shortest active time that a distance in metres took anywhere on the way; nil if the way is shorter.
    ///
    /// Between marks the speed is taken to be steady, so the best window begins or ends at a mark.
    public func fastest(_ distance: Double) -> BestTime? {
        guard distance > 0, distance <= metres else { return nil }
        var best: BestTime?
        func consider(_ start: Double, _ end: Double) {
            guard end > start, end - start < best?.seconds ?? .infinity else { return }
            best = BestTime(metres: distance, seconds: end - start, start: start)
        }
        var (ends, starts) = (Arrivals(self), Arrivals(self))
        for mark in marks {
            if let end = ends.seconds(at: mark.metres + distance) { consider(mark.seconds, end) }
            if mark.metres >= distance, let start = starts.lastSeconds(at: mark.metres - distance) {
                consider(start, mark.seconds)
            }
        }
        return best
    }

    /// The best times over the distances that are kept, up to the length of the way: none indoors, and none that nobody can run.
    public func bestTimes(_ activity: Activity) -> [BestTime] {
        guard !activity.isIndoors else { return [] }
        return BestTime.distances.compactMap { fastest($0) }
            .filter { BestTime.isBelievable($0.metres, seconds: $0.seconds, activity) }
    }
}
