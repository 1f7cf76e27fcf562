import Glibc
import Telemetry

// Text on its way to a terminal, a journal or a person: the names of sensors come over the air, and may hold anything.

/// `text` on one line, harmless to a terminal: control characters, line separators and the characters that reverse the
/// direction of writing become `\n`, `\t`, `\r` or `\u{1b}`. Everything else stays as it is.
public func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isHarmful) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\t": result += "\\t"
        case _ where scalar.isHarmful: result += "\\u{" + String(scalar.value, radix: 16) + "}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// An error in one line: what it says in several lines, such as a problem and what to do about it, with semicolons between them.
public func inOneLine(_ error: any Error) -> String {
    "\(error)".split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }.joined(separator: "; ")
}

/// JSON that is harmless to a terminal: what `escaped` replaces becomes one of JSON's own escapes, so programs read the
/// same text. Only strings have such characters.
public func escapedInJSON(_ json: String) -> String {
    guard json.unicodeScalars.contains(where: \.isHarmful) else { return json }
    var result = ""
    for scalar in json.unicodeScalars {
        guard scalar.isHarmful else {
            result.unicodeScalars.append(scalar)
            continue
        }
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return result
}

/// `text` as one word of a command to paste into a shell: as it is if nothing in it is special to a shell, and
/// otherwise in single quotes. Characters that would be harmful to a terminal become replacement characters, because no
/// quotes could make them harmless to look at.
public func shellQuoted(_ text: String) -> String {
    var plain = ""
    for scalar in text.unicodeScalars { plain.unicodeScalars.append(scalar.isHarmful ? "\u{FFFD}" : scalar) }
    let isWord = plain.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "-")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "+"): true
        default: false
        }
    }
    guard !isWord || plain.isEmpty else { return plain }
    return "'" + plain.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

/// `0 devices`, `1 device`, `2 devices`: a number of what `noun` names.
/// - Parameter plural: if it is more than the noun with an `s`.
public func counted(_ count: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
}

/// As much of `bytes` as fits in `limit` bytes, ending with `…` when something was cut, and never inside a character.
func cut(_ bytes: [UInt8], to limit: Int) -> [UInt8] {
    guard bytes.count > limit else { return bytes }
    let ellipsis = Array("…".utf8)
    var end = max(0, limit - ellipsis.count)
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return bytes[..<end] + ellipsis
}

/// Writes all of `bytes`, going on after an interruption. Gives up silently on anything else: the reader of the
/// descriptor has gone, and there is nobody left to tell.
func write(_ bytes: [UInt8], to descriptor: CInt) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if count == 0 || errno != EINTR {
            return
        }
    }
}

/// The candidate that `word` was most likely meant to be, or nil if none is near. Case, hyphens and underscores do
/// not count as differences; up to a third of the letters may be wrong (one in short words).
func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let plain = letters(of: word)
    let allowed = max(1, min(3, plain.count / 3))
    let ranked = candidates.map { (candidate: $0, distance: editDistance(plain, letters(of: $0))) }
        .filter { $0.distance <= allowed }
    return ranked.min { ($0.distance, $0.candidate) < ($1.distance, $1.candidate) }?.candidate
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words ("optimal string
/// alignment", the restricted Damerau-Levenshtein distance).
func editDistance(_ first: [Character], _ second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for i in first.indices {
        var row = [i + 1]
        for j in second.indices {
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (first[i] == second[j] ? 0 : 1))
            if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
                cost = min(cost, beforeLast[j - 1] + 1)
            }
            row.append(cost)
        }
        (beforeLast, last) = (last, row)
    }
    return last[second.count]
}

private func letters(of word: String) -> [Character] {
    word.lowercased().filter { $0 != "-" && $0 != "_" }.prefix(64).map { $0 }
}
