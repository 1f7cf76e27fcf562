import Daemon
import Glibc

/// What drawings are drawn on: as wide as the terminal, with the characters that it shows.
struct Paper {
    /// How many columns it has.
    let width: Int
    /// Whether it shows more than ASCII: the locale says so, in its variables. Asking the C library instead would
    /// refuse a locale that comes along by ssh and is not installed here, although it is the terminal that
    /// counts.
    let isUnicode: Bool
    let style = Style()

    /// A narrower drawing is unreadable, and nobody can follow a line across a wider one.
    private static let widths = 40...120

    init() {
        width = min(max(Self.columns ?? 80, Self.widths.lowerBound), Self.widths.upperBound)
        let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? ""
        isUnicode = locale.lowercased().replacing("-", with: "").contains("utf8")
    }

    /// The width that is asked for, otherwise the terminal's; nil if there is none.
    static var columns: Int? {
        if let asked = variable("COLUMNS").flatMap({ Int($0) }) { return asked }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// One of two characters.
    func glyph(_ character: Character, or ascii: Character) -> Character { isUnicode ? character : ascii }

    /// Parts of a sentence, on as many lines as they need.
    func wrapped(_ parts: [String]) -> String {
        var lines: [String] = []
        for part in parts {
            if let last = lines.last, last.count + part.count + 3 <= width {
                lines[lines.count - 1] = last + ", " + part
            } else {
                lines.append(part)
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The mark next to a value that has reached its goal.
    var star: Character { glyph("★", or: "*") }
}

extension String {
    /// In columns of a table of numbers.
    func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

    /// In columns of a table of words.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Without spaces at the end.
    var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// `12,310`
func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index) % 3 == 0 { text += "," }
        text.append(digit)
    }
    return (number < 0 ? "-" : "") + text
}

/// `12,310.4`: a number of digits after the point, rounded.
func decimal(_ number: Double, _ digits: Int) -> String {
    let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
    // Within what a whole number holds; nothing that is drawn comes near.
    let scaled = Int(min(max((number * Double(scale)).rounded(), -9e15), 9e15))
    guard digits > 0 else { return grouped(scaled) }
    let rest = String(scaled.magnitude % scale.magnitude)
    let whole = grouped(Int(scaled.magnitude / scale.magnitude))
    return (scaled < 0 ? "-" : "") + whole + "." + String(repeating: "0", count: digits - rest.count) + rest
}

/// How much time that is: `11 h 20 min`, `12 min`, `45 s`.
func spell(seconds: Int) -> String {
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min"
    default:
        let minutes = seconds / 60 % 60
        return "\(grouped(seconds / 3600)) h" + (minutes == 0 ? "" : " \(minutes) min")
    }
}
