import CXML

/// A parser and what its callbacks need. They get a pointer to it, which is valid while it is fed.
final class XMLSession {
    private let handler: any XMLHandler
    private let names: [StaticString]
    private let deepest: Int
    private let longestText: Int
    private var parser: xmlParserCtxtPtr?
    private var guardian = XMLGuard()
    private var depth = 0
    /// How many namespaces each open element declares, and all of them together.
    private var namespaces: [Int] = []
    private var namespaceCount = 0
    private static let mostNamespaces = 200
    private var fault: XMLFault?
    /// The line at which the handler wanted nothing more.
    private(set) var end: Int?
    private var isOver = false
    /// The parser keeps each name at one place as long as it lives: so a name is compared once.
    private var numbers: [UnsafePointer<UInt8>: Int] = [:]
    private var text: [UInt8] = []
    /// The depth of the element whose text is wanted; 0 for none.
    private var textDepth = 0
    /// Whether anything but spaces came.
    private var hasBegun = false

    init(
        _ handler: any XMLHandler, _ names: [StaticString], depth: Int, longestText: Int
    ) throws(XMLFault) {
        self.handler = handler
        self.names = names
        deepest = depth
        self.longestText = longestText
        text.reserveCapacity(min(longestText, 4096))
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
        guard parser != nil else { throw XMLFault(.unreadable, line: nil, "libxml2 has no memory") }
    }

    deinit { if let parser { xmlFreeParserCtxt(parser) } }

    func feed(_ all: UnsafeRawBufferPointer) throws(XMLFault) {
        var bytes = all
        if !hasBegun {
            // Spaces before the declaration are wrong, and one large exporter writes them.
            let begin =
                bytes.firstIndex { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } ?? bytes.count
            bytes = UnsafeRawBufferPointer(rebasing: bytes[begin...])
            hasBegun = !bytes.isEmpty
        }
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        guard guardian.allows(bytes) else {
            throw XMLFault(.tooMuch, line: line, "an element with very many attributes")
        }
        let code = xmlParseChunk(parser, base.assumingMemoryBound(to: CChar.self), CInt(bytes.count), 0)
        try check(code)
    }

    func finish() throws(XMLFault) {
        let code = xmlParseChunk(parser, nil, 0, 1)
        if let fault { throw fault }
        guard !isOver else { return }
        guard hasBegun, depth == 0 else {
            throw XMLFault(.truncated, line: line, "the document ends too early")
        }
        try check(code)
        guard vitals_xml_is_well_formed(parser) != 0 else {
            throw XMLFault(.malformed, line: line, "the document is not well-formed")
        }
    }

    private var line: Int? {
        let line = Int(vitals_xml_line(parser))
        return line > 0 ? line : nil
    }

    /// Every code of libxml2 passes through here.
    private func check(_ code: CInt) throws(XMLFault) {
        if let fault { throw fault }
        guard !isOver else { return }
        // A namespace that is not declared gives a code, too; the document is well-formed without it.
        guard code != 0, vitals_xml_is_well_formed(parser) == 0 else { return }
        let words = vitals_xml_fault(parser).map { String(cString: $0) } ?? "libxml2's code \(code)"
        throw XMLFault(.malformed, line: line, words)
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
        guard !isOver else { return }
        depth += 1
        namespaces.append(declared)
        namespaceCount += declared
        guard namespaceCount <= Self.mostNamespaces else {
            return stop(
                XMLFault(.tooMuch, line: line, "more than \(Self.mostNamespaces) namespaces at once"))
        }
        guard depth <= deepest else {
            return stop(
                XMLFault(.tooMuch, line: line, "more than \(deepest) elements within each other"))
        }
        guard let isWanted = handler.begin(number(name), depth: depth, attributes) else {
            return stop(nil)
        }
        text.removeAll(keepingCapacity: true)
        textDepth = isWanted ? depth : 0
    }

    private func characters(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard textDepth == depth, textDepth > 0 else { return }
        text.append(contentsOf: bytes.prefix(longestText - text.count))
    }

    private func end(_ name: UnsafePointer<UInt8>) {
        guard !isOver else { return }
        let wantsMore = text.withUnsafeBufferPointer { text in
            let own = textDepth == depth ? text : UnsafeBufferPointer(rebasing: text[0..<0])
            return handler.end(number(name), depth: depth, own)
        }
        if !wantsMore { stop(nil) }
        textDepth = 0
        depth -= 1
        namespaceCount -= namespaces.popLast() ?? 0
    }

    private func documentType() {
        stop(XMLFault(.unsupported, line: line, "a document type (DOCTYPE) is not allowed"))
    }

    /// Nothing more is handed over. The parser must not be freed within a callback; it stops.
    /// - Parameter error: what is wrong with the document; nil where its handler wants nothing more.
    private func stop(_ error: XMLFault?) {
        guard !isOver else { return }
        isOver = true
        fault = error
        if error == nil { end = line }
        xmlStopParser(parser)
    }
}
