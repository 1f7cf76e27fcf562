// A list of years consists of objects that were written, sealed and stored here. Making values of them, only to write
// the same bytes again, takes longer than opening them. So they are looked at as they are written.

/// The members of an object that this program has written before, one after the other.
///
/// Of names and values, only strings and brackets are looked at, to find their ends. So this is for bytes that were
/// sealed here, after they had been written here: without white space, and with names in which nothing is escaped.
public struct WrittenMembers {
    /// One of them.
    public struct Member {
        /// Name, colon and value.
        public let written: ArraySlice<UInt8>
        fileprivate let nameLength: Int

        /// The value, as it is written.
        public var value: ArraySlice<UInt8> { written.dropFirst(nameLength + 3) }
        /// The name with its quotation marks, and the colon.
        public var writtenName: ArraySlice<UInt8> { written.prefix(nameLength + 3) }
        /// The name.
        public var name: String { String(decoding: written.dropFirst().prefix(nameLength), as: UTF8.self) }

        /// Whether it has this name, in UTF-8.
        public func isNamed(_ name: [UInt8]) -> Bool {
            nameLength == name.count && written.dropFirst().prefix(nameLength).elementsEqual(name)
        }
    }

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
        let start = position
        let endOfName = try endOfString(from: start)
        guard byte(at: endOfName + 1) == UInt8(ascii: ":") else { throw .notJSON }
        position = try endOfValue(from: endOfName + 2)
        return Member(written: bytes[start..<position], nameLength: endOfName - start - 1)
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
