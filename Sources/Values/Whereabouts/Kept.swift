import Telemetry

/// A state that was kept as JSON, which is read strictly: what does not have its shape is no state. Members that are
/// not known are passed over: a later version may have written them.
struct Kept {
    /// It is no such state.
    struct Malformed: Error {}

    /// What times can be: from 1970 to the year 9999, in Unix milliseconds.
    static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    private let json: JSON

    init(_ json: JSON) throws(Malformed) {
        guard case .object = json else { throw Malformed() }
        self.json = json
    }

    func timeIfPresent(_ name: String) throws(Malformed) -> Int64? {
        guard let value = json[name] else { return nil }
        guard case .integer(let time) = value, Self.times.contains(time) else { throw Malformed() }
        return time
    }

    func time(_ name: String) throws(Malformed) -> Int64 {
        guard let time = try timeIfPresent(name) else { throw Malformed() }
        return time
    }

    /// False if it is absent.
    func flag(_ name: String) throws(Malformed) -> Bool {
        guard let value = json[name] else { return false }
        guard case .bool(let flag) = value else { throw Malformed() }
        return flag
    }

    func textIfPresent(_ name: String) throws(Malformed) -> String? {
        guard let value = json[name] else { return nil }
        guard case .string(let text) = value else { throw Malformed() }
        return text
    }

    func wordIfPresent<Word: RawRepresentable<String>>(_ name: String, _ type: Word.Type) throws(Malformed) -> Word? {
        guard let text = try textIfPresent(name) else { return nil }
        guard let word = Word(rawValue: text) else { throw Malformed() }
        return word
    }

    /// A list; empty if it is absent.
    func list(_ name: String, atMost most: Int) throws(Malformed) -> [JSON] {
        guard let value = json[name] else { return [] }
        guard case .array(let values) = value, values.count <= most else { throw Malformed() }
        return values
    }
}
