public import Fitness
import Glibc

/// What heart rates add to the load of training (Banister 1991): minutes × x × k e^(b x), where x is the share of the
/// reserve between rest and maximum, k and b are 0.64 and 1.92 for men, 0.86 and 1.67 for women.
public struct TrainingImpulse: Hashable, Sendable {
    private let rest: Double
    private let maximum: Double
    private let factor: Double
    private let exponent: Double

    /// The formula for a person; nil if sex, age or heart rate at rest are not known, or leave no reserve.
    public init?(_ person: Person) {
        guard let sex = person.sex, let rest = person.restingHeartRate, let maximum = person.maximumHeartRate,
            maximum > rest
        else { return nil }
        (self.rest, self.maximum) = (rest, maximum)
        (factor, exponent) = sex == .male ? (0.64, 1.92) : (0.86, 1.67)
    }

    /// The load of some minutes at a heart rate. Below rest it is 0, and above the maximum it is that of the maximum.
    public func load(heartRate: Double, minutes: Double) -> Double {
        let share = max(0, min(1, (heartRate - rest) / (maximum - rest)))
        return minutes * share * factor * exp(exponent * share)
    }
}
