import Fitness
import Glibc

// What follows from how somebody has run: about how long a race would take, and about how much oxygen they use.

/// The time that a race would take, by a time over another distance: t × (d2 / d1)^1.06 (Riegel, American Scientist 69(3), 285, 1981).
public enum RaceForecast {
    /// The distances that are foretold, in metres. For a marathon the formula is ten minutes and more too fast for half of all runners
    /// (Vickers and Vertosick, BMC Sports Sci Med Rehabil 8, 26, 2016).
    public static let distances = [5000, 10_000, longest]
    /// How old a best time is at most, in days.
    public static let mostDays = 84
    private static let longest = 21_097.5
    /// How short a distance may be that says something about a longer one, in metres, and how many times as long or as short that one is at most.
    private static let (least, factor) = (1500.0, 4.0)

    /// In seconds; nil if the distances are too different.
    public static func seconds(over metres: Double, from best: BestTime) -> Double? {
        let ratio = metres / best.metres
        guard metres <= longest, best.metres >= least, (1 / factor...factor).contains(ratio) else { return nil }
        return best.seconds * pow(ratio, 1.06)
    }
}

/// Oxygen uptake at the most, in millilitres a kilogram and minute: about what a steady run shows (ACSM; reserve of heart rate equals
/// reserve of uptake, Swain and Leutholtz, Med Sci Sports Exerc 29(3), 410, 1997).
public enum OxygenUptake {
    /// How long a run is at least, and how much of its beginning is left out, in seconds.
    public static let (least, beginning) = (1200.0, 600.0)
    /// How much may be climbed in a kilometre, in metres.
    public static let mostAscent = 10.0
    /// How many runs count, the latest ones.
    public static let runs = 5
    /// How far off it may be, in percent.
    public static let tolerancePercent: Int64 = 10
    private static let shares = 0.4...0.9

    /// What a run shows; nil if it was too easy or too hard to show anything.
    /// - Parameters:
    ///   - speed: metres a minute.
    ///   - heartRate: the mean, in beats per minute.
    public static func of(speed: Double, heartRate: Double, rest: Double, maximum: Double) -> Double? {
        guard maximum > rest else { return nil }
        let share = (heartRate - rest) / (maximum - rest)
        guard shares.contains(share) else { return nil }
        return 0.2 * speed / share + 3.5
    }

    /// The median of some runs; nil of none.
    public static func median(_ runs: [Double]) -> Double? {
        let sorted = runs.sorted()
        return sorted.isEmpty ? nil : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension Way {
    /// The speed of what came after some seconds of active time, in metres a minute, and the mean of its heart rates; nil if either is not known.
    /// - Parameter hearts: the heart rates that hold in the workout, in the order of their times.
    public func steady(after seconds: Double, _ hearts: [HeldHeartRate], _ timer: WorkoutTimer) -> (speed: Double, heartRate: Double)? {
        guard let first = marks.first(where: { $0.seconds >= seconds }), let last = marks.last, last.seconds > first.seconds else { return nil }
        let rates = hearts.filter { Double(timer.activeMilliseconds(at: $0.time)) / 1000 >= first.seconds }.map(\.beatsPerMinute)
        guard !rates.isEmpty else { return nil }
        return (60 * (last.metres - first.metres) / (last.seconds - first.seconds), rates.reduce(0, +) / Double(rates.count))
    }
}
