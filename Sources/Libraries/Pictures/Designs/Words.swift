import Fitness

// Numbers and days as people read them: 12,000 and 8.04, Saturday, 21 November 2026.

/// A number with so many decimals, and commas between thousands.
func decimal(_ value: Double, _ decimals: Int) -> String {
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    let scaled = (abs(value) * scale).rounded()
    // What is larger is no number that a picture shows.
    guard scaled < 1e15 else { return "–" }
    let (whole, rest) = Int64(scaled).quotientAndRemainder(dividingBy: Int64(scale))
    var text = grouped(whole)
    if decimals > 0 {
        let digits = "\(rest)"
        text += "." + String(repeating: "0", count: max(0, decimals - digits.count)) + digits
    }
    return (value < 0 && scaled > 0 ? "−" : "") + text
}

private func grouped(_ number: Int64) -> String {
    let digits = Array("\(number)")
    return digits.enumerated().reduce(into: "") { text, digit in
        if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += "," }
        text.append(digit.element)
    }
}

extension Quantity {
    /// `8.97`
    var number: String { decimal(value, decimals) }
    /// `8.97 km`
    var text: String { "\(number) \(unit.rawValue)" }
}

/// `47:13`, `1:02:03`
func clock(_ seconds: Double) -> String {
    let seconds = Int(min(max(seconds, 0), 1e9).rounded())
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
}

extension CalendarDay {
    /// `Saturday, 21 November 2026`
    var longName: String { "\(Self.weekdays[weekday - 1]), \(day) \(calendarMonth.longName)" }

    /// Monday to Sunday.
    static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
}

extension CalendarMonth {
    /// `November 2026`
    var longName: String { "\(Self.names[month - 1]) \(year)" }

    private static let names = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}
