import Fitness
public import Telemetry

// gpsd's side of the connection: one JSON object a line, of the type that "class" names (gpsd_json(5), protocol 3, of
// versions 3.20 to 3.27). Classes that say nothing about where a receiver is are passed over. A report with a field
// that cannot be is refused as a whole: then the receiver, or whoever speaks in gpsd's place, is not to be believed.

/// What one line of gpsd says.
public enum ReceiverLine: Hashable, Sendable {
    /// The greeting, with gpsd's version.
    case version(String)
    /// A place (`TPV` of mode 2 or 3).
    case fix(ReceiverFix)
    /// The receiver does not know where it is, or not when (`TPV` of mode 0 or 1, or without a time), or it was taken
    /// away (`DEVICE` that is not activated).
    case noFix
    /// How many satellites the receiver uses (`SKY`).
    case satellites(used: Int)
    /// Anything else.
    case other

    /// No line that we read is longer, in bytes. gpsd has 10,240 for a response.
    public static let maximumLength = 16 * 1024

    /// What a line says, without its end.
    /// - Throws: which field is missing or cannot be, and nothing that it held.
    public init(_ line: [UInt8]) throws(MalformedValue) {
        guard line.count <= Self.maximumLength else {
            throw fault(.outOfRange("more than \(Self.maximumLength) bytes"))
        }
        let fields = try Fields(JSON(payload: line))
        switch try fields.text("class") {
        case "TPV": self = try Self.report(fields)
        case "SKY": self = try Self.satellites(fields)
        case "VERSION": self = .version(try fields.text("release") ?? "")
        // Zero is a device that was closed; a time says since when it is open.
        case "DEVICE": self = fields["activated"] == .integer(0) ? .noFix : .other
        case nil: throw fault(.notAllowed("\"class\" is missing"))
        default: self = .other
        }
    }

    private static func report(_ fields: Fields) throws(MalformedValue) -> ReceiverLine {
        guard let mode = try fields.number("mode", in: 0...3) else { throw fault(.notAllowed("\"mode\" is missing")) }
        guard mode >= 2, let text = try fields.text("time"), let latitude = try fields.number("lat", in: -90...90),
            let longitude = try fields.number("lon", in: -180...180)
        else { return .noFix }
        guard let time = unixMilliseconds(iso8601: text), time > 0 else { throw fault(.outOfRange("\"time\"")) }
        let place = Place(latitude: latitude, longitude: longitude)
        var fix = ReceiverFix(time: time, place: place, hasAltitude: mode == 3)
        fix.accuracyMetres = try accuracy(fields)
        let altitude = try fields.number("altMSL", in: -12_000...1_000_000)
        let vertical = try fields.number("epv", in: distance)
        if fix.hasAltitude { (fix.altitudeMetres, fix.verticalAccuracyMetres) = (altitude, vertical) }
        fix.metresPerSecond = try fields.number("speed", in: 0...10_000)
        fix.courseDegrees = try fields.number("track", in: 0...360).map { $0 == 360 ? 0 : $0 }
        fix.device = try fields.text("device")
        return .fix(fix)
    }

    /// Half of the Earth's circumference, in metres.
    private static let distance: ClosedRange<Double> = 0...20_100_000

    private static func accuracy(_ fields: Fields) throws(MalformedValue) -> Double? {
        let east = try fields.number("epx", in: distance)
        let north = try fields.number("epy", in: distance)
        if let error = try fields.number("eph", in: distance) { return error }
        guard let east, let north else { return nil }
        return (east * east + north * north).squareRoot()
    }

    /// Newer versions count satellites (`uSat`); older ones list them. Some reports have neither.
    private static func satellites(_ fields: Fields) throws(MalformedValue) -> ReceiverLine {
        if let count = try fields.number("uSat", in: 0...1000) { return .satellites(used: Int(count)) }
        guard case .array(let satellites)? = fields["satellites"] else { return .other }
        return .satellites(used: satellites.filter { $0["used"] == .bool(true) }.count)
    }
}

private func fault(_ fault: MalformedValue.Fault) -> MalformedValue { MalformedValue("line of gpsd", fault) }

/// The members of one line, each read with its type and its range; nil if one is absent.
private struct Fields {
    private let object: JSON

    init(_ object: JSON) throws(MalformedValue) {
        guard case .object = object else { throw fault(.notAllowed("no object")) }
        self.object = object
    }

    subscript(name: String) -> JSON? { object[name] }

    func number(_ name: String, in range: ClosedRange<Double>) throws(MalformedValue) -> Double? {
        let number: Double
        switch object[name] {
        case nil: return nil
        case .integer(let value): number = Double(value)
        case .number(let value): number = value
        default: throw fault(.notAllowed("\"\(name)\" is no number"))
        }
        guard range.contains(number) else { throw fault(.outOfRange("\"\(name)\"")) }
        return number
    }

    /// A text of at most 256 bytes.
    func text(_ name: String) throws(MalformedValue) -> String? {
        switch object[name] {
        case nil: return nil
        case .string(let text) where text.utf8.count <= 256: return text
        default: throw fault(.notAllowed("\"\(name)\" is no text, or too long"))
        }
    }
}
