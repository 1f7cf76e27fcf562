/// A state that was kept as JSON, which is read strictly: what does not have its shape is no state. Members that are
/// not known are passed over: a later version may have written them.
public struct KeptState {
    /// It is no such state.
    public struct Malformed: Error {
        /// It is no such state.
        public init() {}
    }

    /// What times can be: from 1970 to the year 9999, in Unix milliseconds.
    public static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    private let json: JSON

    /// The state that an object holds.
    public init(_ json: JSON) throws(Malformed) {
        guard case .object = json else { throw Malformed() }
        self.json = json
    }

    /// A time in Unix milliseconds; nil if it is absent.
    public func timeIfPresent(_ name: String) throws(Malformed) -> Int64? {
        guard let value = json[name] else { return nil }
        guard case .integer(let time) = value, Self.times.contains(time) else { throw Malformed() }
        return time
    }

    /// A time in Unix milliseconds.
    public func time(_ name: String) throws(Malformed) -> Int64 {
        guard let time = try timeIfPresent(name) else { throw Malformed() }
        return time
    }

    /// False if it is absent.
    public func flag(_ name: String) throws(Malformed) -> Bool {
        guard let value = json[name] else { return false }
        guard case .bool(let flag) = value else { throw Malformed() }
        return flag
    }

    /// A text; nil if it is absent.
    public func textIfPresent(_ name: String) throws(Malformed) -> String? {
        guard let value = json[name] else { return nil }
        guard case .string(let text) = value else { throw Malformed() }
        return text
    }

    /// One of some words; nil if it is absent.
    public func wordIfPresent<Word: RawRepresentable<String>>(_ name: String, _ type: Word.Type) throws(Malformed)
        -> Word?
    {
        guard let text = try textIfPresent(name) else { return nil }
        guard let word = Word(rawValue: text) else { throw Malformed() }
        return word
    }

    /// A list; empty if it is absent.
    public func list(_ name: String, atMost most: Int) throws(Malformed) -> [JSON] {
        guard let value = json[name] else { return [] }
        guard case .array(let values) = value, values.count <= most else { throw Malformed() }
        return values
    }

    /// A whole number within a range.
    public func integer(_ name: String, in range: ClosedRange<Int64>) throws(Malformed) -> Int64 {
        guard case .integer(let number)? = json[name], range.contains(number) else { throw Malformed() }
        return number
    }
}
