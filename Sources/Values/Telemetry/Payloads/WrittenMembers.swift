// A list of years consists of objects that were written, sealed and stored here. Making values of them, only to write
// the same bytes again, takes longer than opening them. So they are looked at as they are written.

/// The members of an object that this program has written before, one after the other.
///
/// Of names and values, only strings and brackets are looked at, to find their ends. So this is for bytes that were
/// sealed here, after they had been written here: without white space, and with names in which nothing is escaped.
public struct WrittenMembers {
    /// A name, without its quotation marks, and the bytes that spell a value.
    public typealias Member = (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)

    private let bytes: ArraySlice<UInt8>
    /// Where the next member begins: at the brace or the comma before it.
    private var position: Int

    /// The members of the object that `bytes` spell.
    public init(of bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The next member; nil after the last one. Throws where the bytes spell no object.
    public mutating func next() throws(StrictJSON.Fault) -> Member? {
        let isFirst = position == bytes.startIndex
        guard let before = byte(at: position) else { throw .notJSON }
        if before == UInt8(ascii: "}"), !isFirst { return try end() }
        guard before == UInt8(ascii: isFirst ? "{" : ",") else { throw .notJSON }
        position += 1
        if isFirst, byte(at: position) == UInt8(ascii: "}") { return try end() }
        guard byte(at: position) == UInt8(ascii: "\"") else { throw .notJSON }
        let name = (position + 1)..<(try endOfString(from: position))
        guard byte(at: name.upperBound + 1) == UInt8(ascii: ":") else { throw .notJSON }
        let value = (name.upperBound + 2)..<(try endOfValue(from: name.upperBound + 2))
        position = value.upperBound
        return (bytes[name], bytes[value])
    }

    private func end() throws(StrictJSON.Fault) -> Member? {
        guard position + 1 == bytes.endIndex else { throw .notJSON }
        return nil
    }

    private func byte(at index: Int) -> UInt8? { index < bytes.endIndex ? bytes[index] : nil }

    /// The quotation mark that ends a string.
    /// - Parameter start: the one that begins it.
    private func endOfString(from start: Int) throws(StrictJSON.Fault) -> Int {
        var index = start + 1
        while let byte = byte(at: index), byte != UInt8(ascii: "\"") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
        guard index < bytes.endIndex else { throw .notJSON }
        return index
    }

    /// The comma or the brace after a value, which belongs to what is around it.
    private func endOfValue(from start: Int) throws(StrictJSON.Fault) -> Int {
        var (index, depth) = (start, 0)
        while let byte = byte(at: index) {
            switch byte {
            case UInt8(ascii: "\""): index = try endOfString(from: index)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
                if depth == 0 {
                    guard index > start else { throw .notJSON }
                    return index
                }
                if byte != UInt8(ascii: ",") { depth -= 1 }
            default: break
            }
            index += 1
        }
        throw .notJSON
    }
}
