// Steps and temperatures are often read from a maker's own characteristic. Which one, and how it encodes its value, are
// settings of a sensor's profile; these are the names of the encodings there.

/// How a characteristic encodes a step counter.
public enum StepsEncoding: String, CaseIterable, Sendable {
    /// One byte.
    case uint8
    /// Two bytes, little-endian.
    case uint16
    /// Three bytes, little-endian.
    case uint24
    /// Four bytes, little-endian.
    case uint32
    /// As in 2B40.
    case stepCounterSummary = "step-counter-summary"

    /// The encoding of that name in settings; the error lists the names there are.
    public init(named name: String) throws(MalformedValue) {
        guard let encoding = Self(rawValue: name) else { throw unknown(name, of: "steps encoding", Self.names) }
        self = encoding
    }

    /// All names, for messages.
    public static var names: [String] { allCases.map(\.rawValue) }

    /// The counter in a value. No bytes at all, or a summary without steps, are `noValue`; trailing bytes are ignored.
    public func steps(in bytes: [UInt8]) throws(MalformedValue) -> UInt32 {
        var reader = ByteReader(bytes, of: "steps")
        guard !bytes.isEmpty else { throw reader.malformed(.noValue) }
        switch self {
        case .uint8: return UInt32(try reader.byte())
        case .uint16: return UInt32(try reader.uint16Little())
        case .uint24: return try reader.uint24Little()
        case .uint32: return try reader.uint32Little()
        case .stepCounterSummary:
            guard let steps = try StepCounterSummary(gatt: bytes).steps else { throw reader.malformed(.noValue) }
            return steps
        }
    }
}

/// How a characteristic encodes a temperature.
public enum TemperatureEncoding: String, CaseIterable, Sendable {
    /// IEEE 11073 FLOAT, four bytes, degrees Celsius.
    case float
    /// IEEE 11073 SFLOAT, two bytes, degrees Celsius.
    case sfloat
    /// Two's complement, two bytes, hundredths of a degree Celsius, as in 2A6E; 8000 means not known.
    case hundredths = "sint16-hundredths"
    /// As in 2A1C and 2A1E.
    case temperatureMeasurement = "temperature-measurement"

    /// The encoding of that name in settings; the error lists the names there are.
    public init(named name: String) throws(MalformedValue) {
        guard let encoding = Self(rawValue: name) else { throw unknown(name, of: "temperature encoding", Self.names) }
        self = encoding
    }

    /// All names, for messages.
    public static var names: [String] { allCases.map(\.rawValue) }

    /// The temperature in a value. No bytes at all, NaN and similar values are `noValue`; trailing bytes are ignored.
    public func temperature(in bytes: [UInt8]) throws(MalformedValue) -> Temperature {
        var reader = ByteReader(bytes, of: "temperature")
        guard !bytes.isEmpty else { throw reader.malformed(.noValue) }
        switch self {
        case .float:
            return try Temperature(thousandths: MedicalFloat(float: try reader.uint32Little()).thousandths())
        case .sfloat:
            return try Temperature(thousandths: MedicalFloat(sfloat: try reader.uint16Little()).thousandths())
        case .hundredths:
            let hundredths = Int16(bitPattern: try reader.uint16Little())
            guard hundredths != .min else { throw reader.malformed(.noValue) }
            return try Temperature(thousandths: Int64(hundredths) * 10)
        case .temperatureMeasurement:
            return try TemperatureMeasurement(gatt: bytes).temperature()
        }
    }
}

private func unknown(_ name: String, of subject: String, _ names: [String]) -> MalformedValue {
    MalformedValue(subject, .notAllowed("\"\(name)\" is not one of \(names.joined(separator: ", "))"))
}
