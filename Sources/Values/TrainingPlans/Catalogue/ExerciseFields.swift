import Telemetry

/// The members of one exercise, each read once and checked. Members that nobody asks for are passed over.
struct ExerciseFields {
    /// What is wrong with one, as the end of a line that names the exercise.
    struct Wrong: Error {
        let reason: String
    }

    private let json: JSON

    init(_ bytes: [UInt8]) throws(Wrong) {
        do throws(StrictJSON.Fault) {
            json = try StrictJSON.value(bytes)
        } catch {
            switch error {
            case .notUTF8: throw Wrong(reason: "its bytes are not UTF-8")
            case .notJSON: throw Wrong(reason: "it is not JSON")
            case .duplicateName: throw Wrong(reason: "it has two members with the same name")
            case .tooDeep: throw Wrong(reason: "it is nested more than \(JSON.maximumDepth) deep")
            }
        }
    }

    /// The id, if that is well formed: to say which exercise is meant.
    var knownID: String? { try? id() }

    func id() throws(Wrong) -> String {
        let text = try text("id")
        guard Self.isID(text) else {
            throw Wrong(reason: "its id is not 1 to 64 letters, digits, hyphens and underscores")
        }
        return text
    }

    /// Whether a text could name an exercise.
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }

    /// A text on one line, which is not blank.
    func line(_ name: String, atMost most: Int) throws(Wrong) -> String {
        let text = try text(name)
        guard Self.isLine(text) else { throw Wrong(reason: "its \(name) is blank, or not a line of plain text") }
        guard text.utf8.count <= 4 * most, text.count <= most else {
            throw Wrong(reason: "its \(name) is longer than \(most) characters")
        }
        return text
    }

    /// A list of such lines; breaks within one are taken for spaces.
    func lines(_ name: String, atMost most: Int, _ longest: Int) throws(Wrong) -> [String] {
        let texts = try texts(name).map { $0.split { $0.isNewline || $0 == "\t" }.joined(separator: " ") }
        guard texts.count <= most else { throw Wrong(reason: "its \(name) are more than \(most)") }
        for text in texts {
            guard Self.isLine(text) else {
                throw Wrong(reason: "one of its \(name) is blank, or not a line of plain text")
            }
            guard text.utf8.count <= 4 * longest, text.count <= longest else {
                throw Wrong(reason: "one of its \(name) is longer than \(longest) characters")
            }
        }
        return texts
    }

    /// One of the words that are known.
    func word<Word: RawRepresentable<String>>(_ name: String) throws(Wrong) -> Word {
        try known(text(name), name)
    }

    /// One of the words that are known; nil for null.
    func wordOrNull<Word: RawRepresentable<String>>(_ name: String) throws(Wrong) -> Word? {
        if try member(name) == .null { return nil }
        return try word(name) as Word
    }

    /// A list of words, none of them twice.
    func words<Word: RawRepresentable<String> & Hashable>(
        _ name: String, _ counts: ClosedRange<Int>
    ) throws(Wrong) -> [Word] {
        let texts = try texts(name)
        guard counts.contains(texts.count) else {
            throw Wrong(reason: "its \(name) are \(texts.count), and not \(counts.lowerBound) to \(counts.upperBound)")
        }
        var words: [Word] = []
        for text in texts {
            let word: Word = try known(text, name)
            guard !words.contains(word) else { throw Wrong(reason: "its \(name) have \(Self.quoted(text)) twice") }
            words.append(word)
        }
        return words
    }

    /// A list of words; empty if it is absent.
    func wordsIfPresent<Word: RawRepresentable<String> & Hashable>(
        _ name: String, _ counts: ClosedRange<Int>
    ) throws(Wrong) -> [Word] {
        json[name] == nil ? [] : try words(name, counts)
    }

    // MARK: What is a text, and which one

    private func member(_ name: String) throws(Wrong) -> JSON {
        guard let value = json[name] else { throw Wrong(reason: "it has no \(name)") }
        return value
    }

    private func text(_ name: String) throws(Wrong) -> String {
        guard case .string(let text) = try member(name) else { throw Wrong(reason: "its \(name) is not a text") }
        return text
    }

    private func texts(_ name: String) throws(Wrong) -> [String] {
        guard case .array(let values) = try member(name) else { throw Wrong(reason: "its \(name) is not a list") }
        var texts: [String] = []
        for value in values {
            guard case .string(let text) = value else { throw Wrong(reason: "its \(name) are not texts") }
            texts.append(text)
        }
        return texts
    }

    private func known<Word: RawRepresentable<String>>(_ text: String, _ name: String) throws(Wrong) -> Word {
        guard let word = Word(rawValue: text) else {
            throw Wrong(reason: "its \(name) \(Self.quoted(text)) is not known")
        }
        return word
    }

    private static func isLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { !$0.isHarmful } && text.contains { !$0.isWhitespace }
    }

    /// A text from the file as an operator's terminal may show it.
    private static func quoted(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(40).map { $0.isHarmful ? "?" : String($0) }.joined()
        return "\"\(start)\(text.unicodeScalars.count > 40 ? "…" : "")\""
    }
}
