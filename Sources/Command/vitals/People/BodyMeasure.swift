import Fitness

/// Weights and heights of people, as they read and type them. A profile has them in kilograms and centimetres.
enum BodyMeasure {
    case weight, height

    /// `61.5 kg`, `135.6 lb`; `168 cm`, `5 ft 6 in`.
    /// - Parameter value: kilograms or centimetres.
    func text(_ value: Double, in units: Units) -> String {
        switch (self, units) {
        case (.weight, _): return units.weight(value).text
        case (.height, .metric): return "\(decimal(value, 0)) cm"
        case (.height, .imperial):
            let (feet, inches) = Units.feetAndInches(centimetres: value)
            return "\(feet) ft \(inches) in"
        }
    }

    /// What a profile may have, in kilograms or centimetres.
    var range: ClosedRange<Double> { self == .weight ? ProfileRules.weights : ProfileRules.heights }

    /// What may be typed, for error messages.
    func expected(in units: Units) -> String {
        let example =
            switch (self, units) {
            case (.weight, .metric): "61.5 kg"
            case (.weight, .imperial): "135 lb"
            case (.height, .metric): "168 cm"
            case (.height, .imperial): "5 ft 6 in"
            }
        let name = self == .weight ? "weight" : "height"
        let (least, most) = (text(range.lowerBound, in: units), text(range.upperBound, in: units))
        return "a \(name) such as \(example), from \(least) to \(most)"
    }

    /// Kilograms or centimetres; nil if the text is no such measure, or out of range.
    /// - Parameter units: those of a number without a unit; nil if there has to be one. A height in feet needs one always.
    func value(_ text: String, in units: Units? = nil) -> Double? {
        let text = text.lowercased().filter { $0 != " " }.replacing(",", with: ".")
        let value =
            switch self {
            case .weight: Self.amount(text, Self.weights, bare: units.map { $0 == .metric ? "kg" : "lb" })
            case .height:
                Self.feetAndInches(text) ?? Self.amount(text, Self.heights, bare: units == .metric ? "cm" : nil)
            }
        return value.flatMap { range.contains($0) ? $0 : nil }
    }

    // A unit that ends another comes later.
    private static let weights = [("kg", 1), ("lbs", Units.kilogramsPerPound), ("lb", Units.kilogramsPerPound)]
    private static let heights = [("cm", 1), ("in", Units.centimetresPerInch), ("m", 100)]

    private static func amount(_ text: String, _ units: [(name: String, factor: Double)], bare: String?) -> Double? {
        if let unit = units.first(where: { text.hasSuffix($0.name) }) {
            return number(text.dropLast(unit.name.count)).map { $0 * unit.factor }
        }
        guard let unit = units.first(where: { $0.name == bare }) else { return nil }
        return number(text[...]).map { $0 * unit.factor }
    }

    /// `5ft6in`, `5'6"`, `5ft`, in centimetres.
    private static func feetAndInches(_ text: String) -> Double? {
        let text = text.replacing("ft", with: "'").replacing("in", with: "\"")
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 2, let feet = number(parts[0]) else { return nil }
        guard !parts[1].isEmpty else { return feet * 12 * Units.centimetresPerInch }
        guard let inches = number(parts[1].hasSuffix("\"") ? parts[1].dropLast() : parts[1]), inches < 12 else {
            return nil
        }
        return (feet * 12 + inches) * Units.centimetresPerInch
    }

    /// A number as people write it: digits, and a point.
    private static func number(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }) else { return nil }
        return Double(text)
    }
}
