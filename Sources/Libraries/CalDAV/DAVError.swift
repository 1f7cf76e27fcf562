import XMLDocuments

/// Which conditions a server says are not met, with an answer of `DAV:error` (RFC 4918, 16).
final class DAVErrorReader: XMLReader {
    enum Condition: Int { case validSyncToken = 1 }

    /// There is more than any error says.
    struct TooMuch: Error {}

    typealias Failure = TooMuch

    static let names: [StaticString] = ["valid-sync-token"]
    private var conditions: Set<Condition> = []
    private var elements = 0

    static func conditions(of bytes: [UInt8]) throws(XMLFailure<TooMuch>) -> Set<Condition> {
        let reader = DAVErrorReader()
        try XMLParser.read(bytes, reader, depth: 8, longestText: 0)
        return reader.conditions
    }

    func begin(_ number: Int, depth: Int, _ attributes: XMLAttributes) throws(TooMuch) -> Bool {
        elements += 1
        guard elements <= 1000 else { throw TooMuch() }
        if let condition = Condition(rawValue: number) { conditions.insert(condition) }
        return false
    }

    func end(_ number: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) throws(TooMuch) {}
}
