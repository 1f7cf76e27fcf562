// XML documents as a stream, by libxml2's push parser: it is fed piece by piece, calls back for each element, and
// builds nothing. What it may not do:
//
// - A document type is refused as soon as its name is known, before libxml2 reads anything of it. So there are no
//   entities but the five of XML itself, nothing is expanded, and nothing is fetched (XML_PARSE_NONET says so, too).
// - libxml2's own limits hold, as XML_PARSE_HUGE is not given: 10 MB for an attribute, a tag or a CDATA section, 50,000
//   bytes for a name, 256 elements within each other. Ours for the depth is less.
// - What takes it very long is refused before it sees it (`XMLGuard`), and so are many namespaces: it looks through all
//   that are declared around an element for the prefix of each.
//
// What libxml2 hands over is UTF-8, and valid only while the handler runs.

/// Takes what a document says. Elements are known by their local names.
public protocol XMLReader: AnyObject {
    /// Why it wants nothing more.
    associatedtype Failure: Error
    /// The names that it knows; what else there is has the number 0 in the calls below, the first of these has 1.
    static var names: [StaticString] { get }
    /// An element begins. Depth is 1 for the root.
    /// - Returns: whether the text directly in it is wanted at its end.
    func begin(_ name: Int, depth: Int, _ attributes: XMLAttributes) throws(Failure) -> Bool
    /// An element ends.
    /// - Parameter text: what is in it, where it was wanted: of at most as many bytes as the parser keeps.
    func end(_ name: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) throws(Failure)
}

/// Reads one document, piece by piece.
public struct XMLParser<Reader: XMLReader> {
    private let handler: ReaderHandler<Reader>
    private let session: XMLSession

    /// A parser that tells a reader of all elements.
    /// - Parameters:
    ///   - depth: how many elements may be within each other.
    ///   - longestText: how many bytes of a text are kept.
    public init(_ reader: Reader, depth: Int, longestText: Int) throws(XMLFailure<Reader.Failure>) {
        handler = ReaderHandler(reader)
        do throws(XMLFault) {
            session = try XMLSession(handler, Reader.names, depth: depth, longestText: longestText)
        } catch { throw .document(error) }
    }

    /// The next bytes of the document. The first ones have been looked at with `XMLGuard.faultOfEncoding`.
    /// - Throws: what is wrong, after everything before it was handed over.
    public func feed(_ bytes: UnsafeRawBufferPointer) throws(XMLFailure<Reader.Failure>) {
        do throws(XMLFault) { try session.feed(bytes) } catch { throw .document(error) }
        try throwFailure()
    }

    /// The document is over.
    public func finish() throws(XMLFailure<Reader.Failure>) {
        do throws(XMLFault) { try session.finish() } catch { throw .document(error) }
        try throwFailure()
    }

    private func throwFailure() throws(XMLFailure<Reader.Failure>) {
        if let failure = handler.failure { throw .reader(failure, line: session.end) }
    }

    /// Reads a whole document that is in memory.
    public static func read(
        _ bytes: [UInt8], _ reader: Reader, depth: Int, longestText: Int
    ) throws(XMLFailure<Reader.Failure>) {
        if let said = XMLGuard.faultOfEncoding(Array(bytes.prefix(XMLGuard.longestDeclaration))) {
            throw .document(XMLFault(.unsupported, line: 1, said))
        }
        let parser = try XMLParser(reader, depth: depth, longestText: longestText)
        let failure: XMLFailure<Reader.Failure>? = bytes.withUnsafeBytes { bytes in
            do throws(XMLFailure<Reader.Failure>) {
                try parser.feed(bytes)
                return nil
            } catch { return error }
        }
        if let failure { throw failure }
        try parser.finish()
    }
}

/// What a session tells of a document. It does not know its reader's type, which a callback in C cannot have.
protocol XMLHandler: AnyObject {
    /// - Returns: whether the text is wanted; nil if nothing more is.
    func begin(_ name: Int, depth: Int, _ attributes: XMLAttributes) -> Bool?
    /// - Returns: whether anything more is wanted.
    func end(_ name: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool
}

/// Tells a reader, and keeps what it throws.
private final class ReaderHandler<Reader: XMLReader>: XMLHandler {
    private let reader: Reader
    private(set) var failure: Reader.Failure?

    init(_ reader: Reader) { self.reader = reader }

    func begin(_ name: Int, depth: Int, _ attributes: XMLAttributes) -> Bool? {
        do throws(Reader.Failure) { return try reader.begin(name, depth: depth, attributes) } catch {
            failure = error
            return nil
        }
    }

    func end(_ name: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        do throws(Reader.Failure) { try reader.end(name, depth: depth, text) } catch {
            failure = error
            return false
        }
        return true
    }
}
