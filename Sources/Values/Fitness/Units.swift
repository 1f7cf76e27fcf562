/// How a person reads and types lengths, weights and temperatures. What is kept and sent is metric whatever they chose.
public enum Units: String, CaseIterable, Sendable {
    /// Kilometres, metres, kilograms, degrees Celsius.
    case metric
    /// Miles, feet, pounds, degrees Fahrenheit.
    case imperial

    // The international yard and pound are defined by these numbers, so they are exact (agreement of 1959; NIST Special
    // Publication 811, appendix B.8).

    /// A mile is 5280 feet.
    public static let metresPerMile = 1609.344
    public static let metresPerFoot = 0.3048
    public static let kilogramsPerPound = 0.45359237
    /// A pound has 16 ounces.
    public static let gramsPerOunce = kilogramsPerPound * 1000 / 16
    /// A foot has 12 of them.
    public static let centimetresPerInch = 2.54
}

/// A number in the unit in which a person reads it. It is not a text yet: languages write numbers differently.
public struct Quantity: Hashable, Sendable {
    /// What a number can be counted in: the symbol, which English and German share.
    public enum Unit: String, CaseIterable, Sendable {
        case metres = "m"
        case kilometres = "km"
        case feet = "ft"
        case miles = "mi"
        case kilometresPerHour = "km/h"
        case milesPerHour = "mph"
        case celsius = "°C"
        case fahrenheit = "°F"
        case kilograms = "kg"
        case pounds = "lb"
        case grams = "g"
        case ounces = "oz"
    }

    /// In the unit.
    public let value: Double
    /// How many decimals say enough.
    public let decimals: Int
    public let unit: Unit

    fileprivate init(_ value: Double, _ unit: Unit, decimals: Int) {
        (self.value, self.unit, self.decimals) = (value, unit, decimals)
    }
}

// MARK: - How far and how fast

extension Units {
    /// The length by which a way is counted, and for which a pace is, in metres: a kilometre or a mile.
    public var way: Double { self == .metric ? 1000 : Self.metresPerMile }

    /// What `way` is called.
    public var wayUnit: Quantity.Unit { self == .metric ? .kilometres : .miles }

    /// How far that is, from metres: `850 m`, `8.97 km`; `820 ft`, `5.57 mi`.
    public func distance(_ metres: Double) -> Quantity {
        // A thousand feet are a fifth of a mile.
        let isShort = abs(metres) < (self == .metric ? 1000 : 1000 * Self.metresPerFoot)
        return isShort ? height(metres) : ways(metres, decimals: 2)
    }

    /// The same in kilometres or miles, however short it is.
    public func ways(_ metres: Double, decimals: Int) -> Quantity {
        Quantity(metres / way, wayUnit, decimals: decimals)
    }

    /// A short length, or how high something is, from metres: `52 m`, `171 ft`.
    public func height(_ metres: Double) -> Quantity {
        switch self {
        case .metric: Quantity(metres, .metres, decimals: 0)
        case .imperial: Quantity(metres / Self.metresPerFoot, .feet, decimals: 0)
        }
    }

    /// How fast something is, from metres a second: `28.3 km/h`, `17.6 mph`.
    public func speed(_ metresPerSecond: Double) -> Quantity {
        let unit: Quantity.Unit = self == .metric ? .kilometresPerHour : .milesPerHour
        return Quantity(metresPerSecond * 3600 / way, unit, decimals: 1)
    }
}

// MARK: - How warm, how heavy, how tall

extension Units {
    /// How warm it is, from degrees Celsius: `36.6 °C`, `97.9 °F`. 0 °C are 32 °F, and 5 degrees of one are 9 of the
    /// other (NIST Special Publication 811, appendix B.8).
    public func temperature(_ celsius: Double) -> Quantity {
        switch self {
        case .metric: Quantity(celsius, .celsius, decimals: 1)
        case .imperial: Quantity(celsius * 9 / 5 + 32, .fahrenheit, decimals: 1)
        }
    }

    /// How heavy somebody is, from kilograms: `61.5 kg`, `135.6 lb`.
    public func weight(_ kilograms: Double) -> Quantity {
        switch self {
        case .metric: Quantity(kilograms, .kilograms, decimals: 1)
        case .imperial: Quantity(kilograms / Self.kilogramsPerPound, .pounds, decimals: 1)
        }
    }

    /// How heavy something to eat is, from grams: `250 g`, `8.8 oz`.
    public func food(_ grams: Double) -> Quantity {
        switch self {
        case .metric: Quantity(grams, .grams, decimals: 0)
        case .imperial: Quantity(grams / Self.gramsPerOunce, .ounces, decimals: 1)
        }
    }

    /// Feet and inches, to the nearest inch: 168 cm are 5 feet and 6 inches.
    public static func feetAndInches(centimetres: Double) -> (feet: Int, inches: Int) {
        // Nobody is as tall as the largest number here, and it can be counted.
        let inches = Int((min(max(centimetres, 0), 1e6) / centimetresPerInch).rounded())
        return (inches / 12, inches % 12)
    }
}
