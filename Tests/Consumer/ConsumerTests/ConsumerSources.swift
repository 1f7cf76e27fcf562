import Foundation
import TestSupport

@testable import Features

/// The sources of the consumer, for tests of what no list has.
struct ConsumerSources {
    let files: [(path: String, text: String)]

    init() throws {
        let folder = "\(projectFolder)/Sources/Consumer"
        guard let paths = FileManager.default.enumerator(atPath: folder) else { throw TestFailure("no \(folder)") }
        files = try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { path in
            (path, try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8))
        }
    }

    /// All phrases that people are told.
    func phrases() throws -> [Phrase] {
        let text = #""((?:[^"\\]|\\.)*)""#
        let found = try matches(of: #"Phrase\(\s*english:\s*"# + text + #",\s*german:\s*"# + text)
        let calls = try matches(of: #"Phrase\(\s*english:"#).count
        guard calls > 20, found.count == calls else { throw TestFailure("\(found.count) of \(calls) phrases are read") }
        return found.map { Phrase(english: $0[0], german: $0[1]) }
    }

    /// The names of all kinds of notifications, in their order.
    func kindsOfNotifications() throws -> [String] {
        let extensions = try matches(of: #"extension Notification\.Kind \{([^}]*)\}"#).map { $0[0] }
        return try extensions.flatMap { try Self.matches(of: #"Self\(\s*"([a-z-]+)","#, in: $0) }.map { $0[0] }.sorted()
    }

    private func matches(of pattern: String) throws -> [[String]] {
        try files.flatMap { try Self.matches(of: pattern, in: $0.text) }
    }

    /// What the parentheses of a pattern hold, each time that it is found.
    private static func matches(of pattern: String, in text: String) throws -> [[String]] {
        let whole = NSRange(text.startIndex..., in: text)
        return try NSRegularExpression(pattern: pattern).matches(in: text, range: whole).map { match in
            (1..<match.numberOfRanges).compactMap { Range(match.range(at: $0), in: text).map { String(text[$0]) } }
        }
    }
}
