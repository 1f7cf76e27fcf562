import Telemetry

/// The members of one JSON object, each read with its type, its limits and its range. A member that is absent or `null`
/// is nil: whoever needs it asks with `require`.
struct Fields {
    /// No message of the apps has so many; what converts other trackers' messages sends some sixty.
    private static let most = 128
    /// The first second that is later than any year of four digits.
    private static let lastSecond: Double = 253_402_300_799

    private let object: JSON
    private let attempted: String

    /// The members of an object, read to do what is `attempted`: `read a location`.
    init(_ object: JSON, _ attempted: String) throws(OwnTracksError) {
        guard case .object(let members) = object else {
            throw OwnTracksError(attempted, .wrongType, "it is no object")
        }
        guard members.count <= Self.most else {
            throw OwnTracksError(attempted, .tooLong, "more than \(Self.most) fields")
        }
        self.object = object
        self.attempted = attempted
    }

    /// The value of a field that has to be there.
    func require<Value>(_ name: String, _ value: Value?) throws(OwnTracksError) -> Value {
        guard let value else { throw error(.missing, name, "is missing") }
        return value
    }

    /// A finite number.
    func number(_ name: String, in range: ClosedRange<Double>) throws(OwnTracksError) -> Double? {
        let number: Double
        switch object[name] {
        case nil, .null: return nil
        case .integer(let value): number = Double(value)
        case .number(let value): number = value
        default: throw error(.wrongType, name, "is no number")
        }
        guard range.contains(number) else {
            throw error(.outOfRange, name, "is not within \(range.lowerBound) and \(range.upperBound)")
        }
        return number
    }

    /// A finite number that is below zero where the phone does not know it, which is nil here.
    func numberIfKnown(_ name: String, upTo most: Double) throws(OwnTracksError) -> Double? {
        guard let number = try number(name, in: -1000...most), number >= 0 else { return nil }
        return number
    }

    /// A number without a fraction. (The reader of JSON takes 3.0 for one, too.)
    func whole(_ name: String, in range: ClosedRange<Int64>) throws(OwnTracksError) -> Int64? {
        switch object[name] {
        case nil, .null: return nil
        case .integer(let value):
            guard range.contains(value) else {
                throw error(.outOfRange, name, "is not within \(range.lowerBound) and \(range.upperBound)")
            }
            return value
        default: throw error(.wrongType, name, "is no whole number")
        }
    }

    /// A time in Unix seconds, between 1970 and 9999, as Unix milliseconds. Milliseconds that somebody sends as seconds
    /// are later than that.
    func time(_ name: String) throws(OwnTracksError) -> Int64? {
        guard let seconds = try number(name, in: 1...Self.lastSecond) else { return nil }
        return Int64((seconds * 1000).rounded())
    }

    /// True or false.
    func flag(_ name: String) throws(OwnTracksError) -> Bool? {
        switch object[name] {
        case nil, .null: return nil
        case .bool(let value): return value
        default: throw error(.wrongType, name, "is neither true nor false")
        }
    }

    /// A text, as it came: somebody may have typed any character.
    func text(_ name: String, atMost bytes: Int) throws(OwnTracksError) -> String? {
        switch object[name] {
        case nil, .null: return nil
        case .string(let text):
            guard text.utf8.count <= bytes else { throw error(.tooLong, name, "has more than \(bytes) bytes") }
            return text
        default: throw error(.wrongType, name, "is no text")
        }
    }

    /// A list of texts; empty where there is none.
    func texts(_ name: String, atMost count: Int, ofAtMost bytes: Int) throws(OwnTracksError) -> [String] {
        switch object[name] {
        case nil, .null: return []
        case .array(let values):
            guard values.count <= count else { throw error(.tooLong, name, "has more than \(count) elements") }
            var texts: [String] = []
            for value in values {
                guard case .string(let text) = value else { throw error(.wrongType, name, "is no list of texts") }
                guard text.utf8.count <= bytes else {
                    throw error(.tooLong, name, "has an element of more than \(bytes) bytes")
                }
                texts.append(text)
            }
            return texts
        default: throw error(.wrongType, name, "is no list")
        }
    }

    /// An error about one field.
    func error(_ reason: OwnTracksError.Reason, _ name: String, _ said: String) -> OwnTracksError {
        OwnTracksError(attempted, reason, field: name, said)
    }
}

/// The members of a message that is written, as the apps write them. What is nil or empty is left out.
struct Members {
    private(set) var all: [JSON.Member]

    /// Members of a message of a type.
    init(of kind: PhoneReport.Kind) {
        all = [JSON.Member("_type", .string(kind.rawValue))]
    }

    var json: JSON { .object(all) }

    mutating func add(_ name: String, _ value: JSON?) {
        if let value { all.append(JSON.Member(name, value)) }
    }

    mutating func add(_ name: String, text: String?) { add(name, text.map(JSON.string)) }

    mutating func add(_ name: String, texts: [String]) {
        if !texts.isEmpty { add(name, .array(texts.map(JSON.string))) }
    }

    mutating func add(_ name: String, whole: Int64?) { add(name, whole.map(JSON.integer)) }

    mutating func add(_ name: String, flag: Bool?) { add(name, flag.map(JSON.bool)) }

    /// A number, without a fraction where it has none.
    mutating func add(_ name: String, number: Double?) {
        add(name, number.map { number in Int64(exactly: number).map(JSON.integer) ?? .number(number) })
    }

    /// Unix milliseconds as Unix seconds, without a fraction where they have none.
    mutating func add(_ name: String, time: Int64?) {
        guard let time else { return }
        add(name, time % 1000 == 0 ? .integer(time / 1000) : .number(Double(time) / 1000))
    }
}
