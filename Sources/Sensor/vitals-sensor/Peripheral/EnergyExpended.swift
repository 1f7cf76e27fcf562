/// The energy that a sensor says a person has expended: 70 kg, 35 years, by heart rate alone.
///
/// Source: Keytel and others, "Prediction of energy expenditure from heart rate monitoring during submaximal exercise",
/// Journal of Sports Sciences 23 (2005), the equation without VO2max for men, in kJ/min.
struct EnergyExpended {
    private var total = 0.0
    private var last: Double?

    /// As in 2A37: it stays at 65535 once there.
    var kilojoules: UInt16 { UInt16(min(65_535, total)) }

    mutating func reset() { total = 0 }

    mutating func add(until elapsed: Double, beatsPerMinute: UInt16?) {
        defer { last = elapsed }
        guard let last, let beatsPerMinute else { return }
        let perMinute = -55.0969 + 0.6309 * Double(beatsPerMinute) + 0.1988 * 70 + 0.2017 * 35
        total += max(0, perMinute) * (elapsed - last) / 60
    }
}
