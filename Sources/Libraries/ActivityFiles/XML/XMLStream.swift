import Fitness
import XMLDocuments

// Documents of recorded activities. How they are read safely is in XMLDocuments; an Apple Health export begins with a document
// type, which is refused there, and is read without it: see `XMLBeginning.withoutDocumentType`.

/// Reads documents.
enum XMLStream {
    /// Bytes of a text that are kept; numbers, times and names are shorter.
    private static let longestText = 4096

    /// Hands all elements of a document to a reader.
    /// - Parameter prologue: bytes that come before those of the stream.
    /// - Throws: what is wrong, after everything before it was handed over.
    static func read<Reader: XMLReader>(
        _ format: String, _ stream: ByteStream, _ limits: Limits, _ reader: Reader,
        prologue: [UInt8] = [],
        repairing: Bool = false
    ) throws(ActivityFileError) where Reader.Failure == ActivityFileError {
        let head = try prologue.isEmpty ? stream.peek(XMLGuard.longestDeclaration) : prologue
        if let said = XMLGuard.faultOfEncoding(head) {
            throw ActivityFileError(format, .unsupported, at: .line(1), said)
        }
        let feeder: Feeder<Reader>
        do throws(XMLFailure<ActivityFileError>) {
            feeder = Feeder(format, try XMLParser(reader, depth: limits.depth, longestText: longestText))
        } catch { throw ActivityFileError(format, error) }
        if !prologue.isEmpty {
            try prologue.withUnsafePieces { bytes throws(ActivityFileError) in try feeder.feed(bytes) }
        }
        while let piece = try stream.next() {
            if repairing {
                try repaired(piece).withUnsafePieces { bytes throws(ActivityFileError) in
                    try feeder.feed(bytes)
                }
            } else {
                try feeder.feed(piece)
            }
        }
        try feeder.finish()
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

/// A parser whose failures are this library's errors.
private struct Feeder<Reader: XMLReader> where Reader.Failure == ActivityFileError {
    private let format: String
    private let parser: XMLParser<Reader>

    init(_ format: String, _ parser: XMLParser<Reader>) {
        (self.format, self.parser) = (format, parser)
    }

    func feed(_ bytes: UnsafeRawBufferPointer) throws(ActivityFileError) {
        do throws(XMLFailure<ActivityFileError>) { try parser.feed(bytes) } catch {
            throw ActivityFileError(format, error)
        }
    }

    func finish() throws(ActivityFileError) {
        do throws(XMLFailure<ActivityFileError>) { try parser.finish() } catch {
            throw ActivityFileError(format, error)
        }
    }
}

extension ActivityFileError {
    /// What is wrong with a document, or what its reader says of it and where that is.
    fileprivate init(_ format: String, _ failure: XMLFailure<ActivityFileError>) {
        switch failure {
        case .document(let fault):
            let reason: Reason =
                switch fault.reason {
                case .malformed: .malformed
                case .truncated: .truncated
                case .tooMuch: .tooMuch
                case .unsupported: .unsupported
                case .unreadable: .unreadable
                }
            // libxml2's words may have a name of the document, and end with a line break.
            let said = kept(fault.said.utf8, 200) ?? "the document is not well-formed"
            self.init(format, reason, at: fault.line.map { .line($0) }, said)
        case .reader(let error, let line):
            self.init(
                error.format, error.reason, at: error.position ?? line.map { .line($0) }, error.said)
        }
    }
}

extension XMLAttributes {
    /// The value of an attribute as it is kept: see `kept`.
    func text(_ name: StaticString, atMost limit: Int) -> String? {
        guard let value = self[name] else { return nil }
        let written = value.wholeScalars(limit * 8)
        var bytes: [UInt8] = []
        var index = written.startIndex
        while index < written.endIndex {
            bytes.append(written[index])
            // Where libxml2 replaces no entities, it leaves `&#38;`: right for documents that are written again.
            let isAmpersand =
                written[index] == UInt8(ascii: "&") && written[index...].starts(with: "&#38;".utf8)
            index += isAmpersand ? 5 : 1
        }
        return kept(bytes, limit)
    }
}
