import Fitness
import Telemetry

// Numbers with their units, as the person who asks reads them.

extension Quantity {
    /// `8.97 km`, `1,240 ft`
    var text: String { "\(number) \(unit.rawValue)" }

    /// `8.97`, for where the unit is told already.
    var number: String { decimal(value, decimals) }
}

extension Units {
    /// Those that a profile names, or else metric ones.
    init(ofProfile profile: JSON) {
        guard case .string(let name)? = profile["units"], let units = Units(rawValue: name) else {
            self = .metric
            return
        }
        self = units
    }

    /// `5:19 /km`, `8:33 /mi`; nil where there is no pace.
    func pace(metres: Double, seconds: Double) -> String? {
        Pace(metres: metres, seconds: seconds).map { "\($0.text(in: self)) /\(wayUnit.rawValue)" }
    }
}
