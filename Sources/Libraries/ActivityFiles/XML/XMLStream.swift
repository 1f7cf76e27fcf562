import CXML

// XML documents as a stream, by libxml2's push parser: it is fed piece by piece, calls back for each element, and
// builds nothing. What it may not do:
//
// - A document type is refused as soon as its name is known, before libxml2 reads anything of it. So there are no
//   entities but the five of XML itself, nothing is expanded, and nothing is fetched (XML_PARSE_NONET says so, too). An
//   Apple Health export begins with one, and is read without it: see `XMLBeginning.withoutDocumentType`.
// - libxml2's own limits hold, as XML_PARSE_HUGE is not given: 10 MB for an attribute, a tag or a CDATA section, 50,000
//   bytes for a name, 256 elements within each other. Ours for the depth is less.
// - What takes it very long is refused before it sees it (`XMLGuard`), and so are many namespaces: it looks through all
//   that are declared around an element for the prefix of each.
//
// What libxml2 hands over is UTF-8, and valid only while the handler runs.

/// An attribute of an element.
struct XMLAttributes {
    fileprivate let count: Int
    fileprivate let pointers: UnsafeMutablePointer<UnsafePointer<UInt8>?>?

    /// The value of an attribute, as bytes; nil where there is none of this name. Its namespace does not matter.
    subscript(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
        guard let pointers else { return nil }
        for index in 0..<count {
            // Five pointers each: name, prefix, address of the namespace, begin and end of the value.
            guard let local = pointers[index * 5], isEqual(local, name) else { continue }
            guard let begin = pointers[index * 5 + 3], let end = pointers[index * 5 + 4] else { return nil }
            return UnsafeBufferPointer(start: begin, count: end - begin)
        }
        return nil
    }

    /// The value of an attribute as it is kept: see `kept`.
    func text(_ name: StaticString, atMost limit: Int) -> String? {
        guard let value = self[name] else { return nil }
        let written = value.wholeScalars(limit * 8)
        var bytes: [UInt8] = []
        var index = written.startIndex
        while index < written.endIndex {
            bytes.append(written[index])
            // Where libxml2 replaces no entities, it leaves `&#38;`: right for documents that are written again.
            let isAmpersand = written[index] == UInt8(ascii: "&") && written[index...].starts(with: "&#38;".utf8)
            index += isAmpersand ? 5 : 1
        }
        return kept(bytes, limit)
    }

    private func isEqual(_ text: UnsafePointer<UInt8>, _ name: StaticString) -> Bool {
        strcmp(
            UnsafeRawPointer(text).assumingMemoryBound(to: CChar.self),
            UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
    }
}

/// Takes what a document says. Elements are known by their local names.
protocol XMLReader: AnyObject {
    /// The names that it knows; what else there is has the number 0 in the calls below, the first of these has 1.
    static var names: [StaticString] { get }
    /// An element begins. Depth is 1 for the root.
    /// - Returns: whether the text directly in it is wanted at its end.
    func begin(_ name: Int, depth: Int, _ attributes: XMLAttributes) throws(ActivityFileError) -> Bool
    /// An element ends.
    /// - Parameter text: what is in it, where it was wanted: of at most `XMLStream.longestText` bytes.
    func end(_ name: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) throws(ActivityFileError)
}

/// Reads documents.
enum XMLStream {
    /// Bytes of a text that are kept; numbers, times and names are shorter.
    static let longestText = 4096

    /// Hands all elements of a document to a reader.
    /// - Parameter prologue: bytes that come before those of the stream.
    /// - Throws: what is wrong, after everything before it was handed over.
    static func read<Reader: XMLReader>(
        _ format: String, _ stream: ByteStream, _ limits: Limits, _ reader: Reader, prologue: [UInt8] = [],
        repairing: Bool = false
    ) throws(ActivityFileError) {
        let head = try prologue.isEmpty ? stream.peek(XMLGuard.longestDeclaration) : prologue
        if let said = XMLGuard.faultOfEncoding(head) {
            throw ActivityFileError(format, .unsupported, at: .line(1), said)
        }
        let session = XMLSession(format, limits, reader, Reader.names)
        try session.start()
        if !prologue.isEmpty {
            try prologue.withUnsafePieces { bytes throws(ActivityFileError) in try session.feed(bytes) }
        }
        while let piece = try stream.next() {
            if repairing {
                try repaired(piece).withUnsafePieces { bytes throws(ActivityFileError) in try session.feed(bytes) }
            } else {
                try session.feed(piece)
            }
        }
        try session.finish()
    }

    /// With spaces instead of control characters, which no document of XML 1.0 may have, and some have all the same.
    private static func repaired(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var copy = Array(bytes)
        for index in copy.indices where copy[index] < 0x20 {
            if copy[index] != 0x0A, copy[index] != 0x0D, copy[index] != 0x09 { copy[index] = 0x20 }
        }
        return copy
    }
}

extension [UInt8] {
    /// The bytes at one place.
    func withUnsafePieces(
        _ body: (UnsafeRawBufferPointer) throws(ActivityFileError) -> Void
    ) throws(ActivityFileError) {
        let failed = withUnsafeBytes { bytes in
            fault { () throws(ActivityFileError) in try body(bytes) }
        }
        if let failed { throw failed }
    }
}

/// A parser and what its callbacks need. They get a pointer to it, which is valid as long as `XMLStream.read` runs.
private final class XMLSession {
    private let format: String
    private let limits: Limits
    private let reader: any XMLReader
    private let names: [StaticString]
    private var parser: xmlParserCtxtPtr?
    private var guardian = XMLGuard()
    private var depth = 0
    /// How many namespaces each open element declares, and all of them together.
    private var namespaces: [Int] = []
    private var namespaceCount = 0
    private static let mostNamespaces = 200
    private var fault: ActivityFileError?
    /// The parser keeps each name at one place as long as it lives: so a name is compared once.
    private var numbers: [UnsafePointer<UInt8>: Int] = [:]
    private var text: [UInt8] = []
    /// The depth of the element whose text is wanted; 0 for none.
    private var textDepth = 0
    /// Whether anything but spaces came.
    private var hasBegun = false

    init(_ format: String, _ limits: Limits, _ reader: any XMLReader, _ names: [StaticString]) {
        self.format = format
        self.limits = limits
        self.reader = reader
        self.names = names
        text.reserveCapacity(XMLStream.longestText)
    }

    deinit { if let parser { xmlFreeParserCtxt(parser) } }

    func start() throws(ActivityFileError) {
        let session = Unmanaged.passUnretained(self).toOpaque()
        parser = vitals_xml_parser(
            session,
            { data, name, _, _, namespaces, _, count, _, attributes in
                guard let data, let name else { return }
                Unmanaged<XMLSession>.fromOpaque(data).takeUnretainedValue()
                    .begin(name, Int(namespaces), XMLAttributes(count: Int(count), pointers: attributes))
            },
            { data, name, _, _ in
                guard let data, let name else { return }
                Unmanaged<XMLSession>.fromOpaque(data).takeUnretainedValue().end(name)
            },
            { data, bytes, count in
                guard let data, let bytes else { return }
                Unmanaged<XMLSession>.fromOpaque(data).takeUnretainedValue()
                    .characters(UnsafeBufferPointer(start: bytes, count: Int(count)))
            },
            { data, _, _, _ in
                guard let data else { return }
                Unmanaged<XMLSession>.fromOpaque(data).takeUnretainedValue().documentType()
            })
        guard parser != nil else { throw ActivityFileError(format, .unreadable, "libxml2 has no memory") }
    }

    func feed(_ all: UnsafeRawBufferPointer) throws(ActivityFileError) {
        var bytes = all
        if !hasBegun {
            // Spaces before the declaration are wrong, and one large exporter writes them.
            let begin = bytes.firstIndex { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } ?? bytes.count
            bytes = UnsafeRawBufferPointer(rebasing: bytes[begin...])
            hasBegun = !bytes.isEmpty
        }
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        guard guardian.allows(bytes) else {
            throw ActivityFileError(format, .tooMuch, at: line, "an element with very many attributes")
        }
        let code = xmlParseChunk(parser, base.assumingMemoryBound(to: CChar.self), CInt(bytes.count), 0)
        try check(code)
    }

    func finish() throws(ActivityFileError) {
        let code = xmlParseChunk(parser, nil, 0, 1)
        if let fault { throw fault }
        guard hasBegun, depth == 0 else {
            throw ActivityFileError(format, .truncated, at: line, "the document ends too early")
        }
        try check(code)
        guard vitals_xml_is_well_formed(parser) != 0 else {
            throw ActivityFileError(format, .malformed, at: line, "the document is not well-formed")
        }
    }

    private var line: ActivityFileError.Position? {
        let line = Int(vitals_xml_line(parser))
        return line > 0 ? .line(line) : nil
    }

    /// Every code of libxml2 passes through here.
    private func check(_ code: CInt) throws(ActivityFileError) {
        if let fault { throw fault }
        // A namespace that is not declared gives a code, too; the document is well-formed without it.
        guard code != 0, vitals_xml_is_well_formed(parser) == 0 else { return }
        // The library's words may have a name of the document, and end with a line break.
        let words = vitals_xml_fault(parser).map { String(cString: $0) } ?? "libxml2's code \(code)"
        let said = kept(words.utf8, 200) ?? "libxml2's code \(code)"
        throw ActivityFileError(format, .malformed, at: line, said)
    }

    // MARK: What the parser calls

    private func number(_ name: UnsafePointer<UInt8>) -> Int {
        if let number = numbers[name] { return number }
        let text = UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self)
        let index = names.firstIndex {
            strcmp(text, UnsafeRawPointer($0.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
        }
        let number = index.map { $0 + 1 } ?? 0
        // A document may have millions of unknown names.
        if numbers.count < 1000 { numbers[name] = number }
        return number
    }

    private func begin(_ name: UnsafePointer<UInt8>, _ declared: Int, _ attributes: XMLAttributes) {
        guard fault == nil else { return }
        depth += 1
        namespaces.append(declared)
        namespaceCount += declared
        guard namespaceCount <= Self.mostNamespaces else {
            return stop(
                ActivityFileError(format, .tooMuch, at: line, "more than \(Self.mostNamespaces) namespaces at once"))
        }
        guard depth <= limits.depth else {
            return stop(
                ActivityFileError(format, .tooMuch, at: line, "more than \(limits.depth) elements within each other"))
        }
        do throws(ActivityFileError) {
            let isWanted = try reader.begin(number(name), depth: depth, attributes)
            text.removeAll(keepingCapacity: true)
            textDepth = isWanted ? depth : 0
        } catch { stop(located(error)) }
    }

    private func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard textDepth == depth, textDepth > 0 else { return }
        text.append(contentsOf: bytes.prefix(XMLStream.longestText - text.count))
    }

    private func end(_ name: UnsafePointer<UInt8>) {
        guard fault == nil else { return }
        var failed: ActivityFileError?
        text.withUnsafeBufferPointer { text in
            let own = textDepth == depth ? text : UnsafeBufferPointer(rebasing: text[0..<0])
            do throws(ActivityFileError) { try reader.end(number(name), depth: depth, own) } catch { failed = error }
        }
        if let failed { stop(located(failed)) }
        textDepth = 0
        depth -= 1
        namespaceCount -= namespaces.popLast() ?? 0
    }

    private func documentType() {
        stop(ActivityFileError(format, .unsupported, at: line, "a document type (DOCTYPE) is not allowed"))
    }

    private func located(_ error: ActivityFileError) -> ActivityFileError {
        ActivityFileError(error.format, error.reason, at: error.position ?? line, error.said)
    }

    /// Nothing more is handed over. The parser must not be freed within a callback; it stops.
    private func stop(_ error: ActivityFileError) {
        guard fault == nil else { return }
        fault = error
        xmlStopParser(parser)
    }
}
