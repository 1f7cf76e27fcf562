import Fitness

/// Writes a document as UTF-8. Its callers keep elements in order; texts are escaped here.
struct XMLWriter {
    private(set) var bytes: [UInt8]
    /// The names of elements that are open.
    private var open: [StaticString] = []

    init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
        append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func indent() {
        for _ in open { bytes.append(0x20) }
    }

    /// Begins an element.
    /// - Parameter attributes: names and values, which are escaped.
    mutating func begin(_ name: StaticString, _ attributes: [(StaticString, String)] = []) {
        beginTag(name)
        for (name, value) in attributes { attribute(name, value) }
        endTag()
    }

    /// Begins an element whose attributes follow, up to `endTag`.
    mutating func beginTag(_ name: StaticString) {
        indent()
        bytes.append(0x3C)
        append(name)
        open.append(name)
    }

    mutating func attribute(_ name: StaticString, _ value: String) {
        nameAttribute(name)
        escape(value)
        bytes.append(0x22)
    }

    mutating func attribute(_ name: StaticString, _ value: Double, digits: Int) {
        nameAttribute(name)
        number(value, digits: digits)
        bytes.append(0x22)
    }

    mutating func attribute(_ name: StaticString, time: Int64) {
        nameAttribute(name)
        self.time(time)
        bytes.append(0x22)
    }

    private mutating func nameAttribute(_ name: StaticString) {
        bytes.append(0x20)
        append(name)
        bytes.append(0x3D)
        bytes.append(0x22)
    }

    mutating func endTag() { bytes += [0x3E, 0x0A] }

    /// Whether an element is open.
    var isOpen: Bool { !open.isEmpty }

    /// Ends the element that was begun last.
    mutating func end() {
        guard let name = open.popLast() else { return }
        indent()
        close(name)
    }

    private mutating func close(_ name: StaticString) {
        bytes += [0x3C, 0x2F]
        append(name)
        bytes += [0x3E, 0x0A]
    }

    private mutating func line(_ name: StaticString, _ content: (inout XMLWriter) -> Void) {
        indent()
        bytes.append(0x3C)
        append(name)
        bytes.append(0x3E)
        content(&self)
        close(name)
    }

    /// An element with a text.
    mutating func element(_ name: StaticString, _ text: String) { line(name) { $0.escape(text) } }

    /// An element with a number, with at most so many digits behind the point; none where there is no number.
    mutating func element(_ name: StaticString, _ value: Double?, digits: Int) {
        guard let value, value.isFinite else { return }
        line(name) { $0.number(value, digits: digits) }
    }

    /// An element with a whole number.
    mutating func element(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
        guard let value else { return }
        line(name) { $0.integer(Int64(clamping: value)) }
    }

    /// An element with a time in UTC.
    mutating func element(_ name: StaticString, time: Int64) { line(name) { $0.time(time) } }

    /// `2026-11-21T10:00:00Z`, with milliseconds where there are any, of one of `Recording.dates`.
    mutating func time(_ unixMilliseconds: Int64) {
        let beyond = unixMilliseconds.floorRemainder(by: 1000)
        let seconds = unixMilliseconds.floorDivided(by: 1000)
        let ofDay = seconds.floorRemainder(by: 86_400)
        let day = CalendarDay(localSeconds: seconds)
        padded(Int64(day.year), 4)
        bytes.append(0x2D)
        padded(Int64(day.month), 2)
        bytes.append(0x2D)
        padded(Int64(day.day), 2)
        bytes.append(0x54)
        padded(ofDay / 3600, 2)
        bytes.append(0x3A)
        padded(ofDay / 60 % 60, 2)
        bytes.append(0x3A)
        padded(ofDay % 60, 2)
        if beyond > 0 {
            bytes.append(0x2E)
            padded(beyond, 3)
        }
        bytes.append(0x5A)
    }

    private mutating func padded(_ value: Int64, _ digits: Int) {
        var worth: Int64 = 1
        for _ in 1..<digits { worth *= 10 }
        while worth > 1, value < worth {
            bytes.append(0x30)
            worth /= 10
        }
        integer(value)
    }

    private mutating func integer(_ value: Int64) {
        if value < 0 { bytes.append(0x2D) }
        var rest = value.magnitude
        let begin = bytes.count
        repeat {
            bytes.append(0x30 + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[begin...].reverse()
    }

    /// Decimal digits without an exponent, which xsd:decimal does not have, and without zeros at the end.
    private mutating func number(_ value: Double, digits: Int) {
        var scale: Int64 = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = (value * Double(scale)).rounded()
        guard scaled.magnitude < 9e18 else { return integer(value < 0 ? .min : .max) }
        let whole = Int64(scaled)
        if whole < 0 { bytes.append(0x2D) }
        integer(Int64(clamping: whole.magnitude / scale.magnitude))
        var fraction = whole.magnitude % scale.magnitude
        guard fraction > 0 else { return }
        var count = digits
        while fraction % 10 == 0 {
            fraction /= 10
            count -= 1
        }
        bytes.append(0x2E)
        padded(Int64(fraction), count)
    }

    /// A text with the characters of XML's own escaped. What XML 1.0 cannot have becomes a space.
    private mutating func escape(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            case "\u{FFFE}", "\u{FFFF}": bytes.append(0x20)
            case _ where scalar.value < 0x20: bytes.append(0x20)
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}
