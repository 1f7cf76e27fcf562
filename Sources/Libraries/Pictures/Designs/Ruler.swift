import Fitness

/// Marks at round numbers of a unit of length: metres or kilometres, feet or miles.
struct Ruler {
    /// From one mark to the next, in metres: 1, 2 or 5 times a power of ten of the unit.
    let step: Double
    private let unit: Quantity.Unit
    /// A unit, in metres.
    private let length: Double
    private let decimals: Int

    /// - Parameters:
    ///   - least: how far one mark has to be from the next at least, in metres, above 0.
    ///   - isLong: whether the unit is the long one of the two; nil if that depends on the step.
    init(_ units: Units, atLeast least: Double, isLong: Bool? = nil) {
        let short = units == .metric ? 1 : Units.metresPerFoot
        let round = RoundSteps.atLeast(least / short)
        // 1 km rather than 1,000 m, but 1,000 ft, which is no round part of a mile.
        if isLong ?? (units == .metric ? round >= 1000 : round > 1000) {
            let steps = RoundSteps.atLeast(least / units.way)
            (length, unit) = (units.way, units.wayUnit)
            (step, decimals) = (steps * length, steps < 1 ? 1 : 0)
        } else {
            (length, unit, decimals) = (short, units.height(0).unit, 0)
            step = round * short
        }
    }

    /// What a mark is called: `200 m`, `0.5 mi`.
    func name(_ metres: Double) -> String { "\(decimal(metres / length, decimals)) \(unit.rawValue)" }
}
