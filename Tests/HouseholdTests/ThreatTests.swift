import Foundation
import TestSupport
import Testing

/// The table of threats names a test for each thing that it says cannot be done.
@Suite("The table of threats")
struct ThreatTests {
    /// The rows below a heading, as their cells.
    private func rows(below heading: String) throws -> [[String]] {
        let text = try String(contentsOfFile: "\(projectFolder)/deploy/threats.md", encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n\(heading)\n").last)
        let lines = section.split(separator: "\n").drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return lines.dropFirst(2).map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// All that a cell has in backquotes.
    private func quoted(_ cell: String) -> [String] { cell.matches(of: #/`([^`]+)`/#).map { String($0.1) } }

    private let sources: [String: [String]] = {
        var found: [String: [String]] = [:]
        let files = FileManager.default.enumerator(atPath: "\(projectFolder)/Tests")
        while let path = files?.nextObject() as? String {
            let url = URL(fileURLWithPath: "\(projectFolder)/Tests/\(path)")
            guard ["swift", "py"].contains(url.pathExtension) else { continue }
            guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
            found[url.lastPathComponent, default: []].append(text)
        }
        return found
    }()

    /// Whether it is a function of a file of tests, a rig, or a scenario of the radio.
    private func isThere(_ name: String) -> Bool {
        let parts = name.split(separator: ".").map(String.init)
        if parts.count == 2 {
            return sources["\(parts[0]).swift"]?.contains { $0.contains("func \(parts[1])(") } ?? false
        }
        let function = "def \(name.replacing(" ", with: "_"))("
        return sources["\(name).py"] != nil
            || ["links.py", "sensors.py", "permissions.py", "costs.py"].contains { file in
                sources[file]?.contains { $0.contains(function) } ?? false
            }
    }

    @Test("has a test, a rig or a scenario that is there beside each thing that cannot be done")
    func shown() throws {
        let rows = try rows(below: "# Who could attack, and what they get")
        #expect(rows.count > 25)
        for row in rows {
            let (attacker, cannot, shownBy) = (row[0], row[3], row[row.count - 1])
            // Against the first, nothing helps; the second says so itself.
            guard row.count == 5, !cannot.isEmpty, !shownBy.hasPrefix("none: "), !shownBy.hasPrefix("destroy ") else {
                continue
            }
            let named = quoted(shownBy.replacing("the access matrix", with: "`access`"))
            #expect(!named.isEmpty, "\(attacker): nothing shows it")
            for name in named { #expect(isThere(name), "\(attacker): there is no \(name)") }
        }
    }

    @Test("has tests that are there beside what attacks have found")
    func found() throws {
        let rows = try rows(below: "## What attacks have found, and what was changed")
        let named = rows.flatMap { $0.flatMap(quoted) }.filter { $0.contains(#/^[A-Z]\w+Tests\.\w+$/#) }
        #expect(rows.count > 15 && named.count > 10)
        for name in named { #expect(isThere(name), "there is no \(name)") }
    }
}
