import Foundation
import TestSupport
import Testing

@testable import Daemon
@testable import vitals
@testable import vitals_consumer
@testable import vitals_gateway
@testable import vitals_sensor

/// What the documents say can be typed and followed.
@Suite("Documents")
struct DocumentTests {
    private static let programs: [String: Command] = [
        "vitals": Commands.vitals, "vitals-consumer": ConsumerCommand.declaration, "vitals-gateway": gatewayCommand,
        "vitals-sensor": sensorCommand,
    ]

    /// All documents, with their paths from the project's folder.
    static let documents: [String] = {
        let files = FileManager.default.enumerator(atPath: projectFolder)
        var found: [String] = []
        while let path = files?.nextObject() as? String {
            if path.hasPrefix(".") { files?.skipDescendants() }
            if path.hasSuffix(".md"), !path.hasPrefix(".") { found.append(path) }
        }
        return found.sorted()
    }()

    private func text(_ document: String) throws -> String {
        try String(contentsOfFile: "\(projectFolder)/\(document)", encoding: .utf8)
    }

    @Test("words that people try lead on to commands that are there, and no command has such a name")
    func tried() {
        var count = 0
        for command in [Commands.vitals] + Commands.vitals.subcommands {
            for (word, meant) in command.tried {
                count += 1
                let found = meant.split(separator: " ").reduce(command as Command?) { $0?.subcommand(String($1)) }
                #expect(found != nil && command.subcommand(word) == nil, "\(command.name) \(word): \(meant)")
            }
        }
        #expect(count > 40)
    }

    @Test("there are documents, with commands of each program")
    func some() throws {
        let commands = try Self.documents.flatMap { self.commands(in: try text($0)) }
        #expect(Self.documents.contains("README.md") && Self.documents.contains("deploy/README.md"))
        for program in Self.programs.keys { #expect(commands.count { $0.first == program } > 2, "\(program)") }
    }

    @Test("each command line of our programs is one that they understand", arguments: documents)
    func understood(_ document: String) throws {
        // Its words in backquotes are labels of keys.
        guard !document.hasSuffix("Blocks.md") else { return }
        for (words, isMention) in try mentions(in: text(document)) {
            guard let program = Self.programs[words[0]] else { continue }
            var problem: UsageError?
            do throws(UsageError) { _ = try program.parse(Array(words.dropFirst())) { _ in nil } } catch {
                problem = error
            }
            // Running text names commands without all that they take.
            let said = problem?.problem ?? ""
            guard
                !isMention
                    || !(said.contains(" is missing: ") || said.contains(" needs a value: ")
                        || said.contains("which command?"))
            else { continue }
            #expect(problem == nil, "\(document): \(words.joined(separator: " ")): \(said)")
        }
    }

    @Test("each script is there, and knows the options that it is given", arguments: documents)
    func scripts(_ document: String) throws {
        for words in commands(in: try text(document)) where words[0].hasPrefix("deploy/") {
            guard let script = try? text(words[0]) else {
                Issue.record("\(document): there is no \(words[0])")
                continue
            }
            // Some hand their words on to a program beside them.
            let helpers = ["Tests/Rigs/prove.py", "Tests/Radio/radio.py", "Tests/Benchmarks/bench.py"]
            let known = try script + helpers.compactMap { script.contains($0) ? try text($0) : nil }.joined()
            for option in words.dropFirst() where option.hasPrefix("--") {
                let name = String(option.prefix { $0 != "=" })
                let code = known.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("#") }
                #expect(code.contains { $0.contains(name) }, "\(document): \(words.joined(separator: " ")): \(name)")
            }
        }
    }

    @Test("each link leads to a file that is there, and to one of its headings", arguments: documents)
    func links(_ document: String) throws {
        let folder = (document as NSString).deletingLastPathComponent
        for match in try text(document).matches(of: #/\]\(([^)\s]+)\)/#) {
            let target = String(match.1)
            guard !target.contains("://"), !target.hasPrefix("mailto:") else { continue }
            let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let path = parts[0].isEmpty ? document : joined(folder, parts[0])
            #expect(FileManager.default.fileExists(atPath: "\(projectFolder)/\(path)"), "\(document): \(target)")
            guard parts.count == 2, path.hasSuffix(".md") else { continue }
            #expect(anchors(in: try text(path)).contains(parts[1]), "\(document): \(target)")
        }
    }

    /// A path that is meant from a folder.
    private func joined(_ folder: String, _ path: String) -> String {
        (folder + "/" + path).split(separator: "/").reduce(into: [Substring]()) { parts, part in
            if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
        }.joined(separator: "/")
    }

    @Test("the events that the services log are in a table, with their ids, and each is logged")
    func events() throws {
        let table = try text("deploy/care.md").matches(of: #/\| `([a-z-]+)` \|.*\| `([0-9a-f]{32})` \|/#)
        #expect(table.map { "\($0.1) \($0.2)" } == LogEvent.allCases.map { "\($0.name) \($0.id)" })
        let sources = try #require(FileManager.default.enumerator(atPath: "\(projectFolder)/Sources"))
        let code = try sources.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
            .map { try text("Sources/\($0)") }.joined()
        for event in LogEvent.allCases { #expect(try code.contains(Regex("event: \\.\(event)\\b")), "\(event)") }
    }

    // MARK: What is in a document

    /// The names of headings, as links write them: in small letters, with hyphens for spaces.
    private func anchors(in text: String) -> Set<String> {
        var anchors: Set<String> = []
        for line in text.split(separator: "\n") where line.hasPrefix("#") {
            let title = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
            anchors.insert(
                String(title.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 }))
        }
        return anchors
    }

    private func commands(in text: String) -> [[String]] { mentions(in: text).map(\.words) }

    /// The command lines in blocks, and those that running text mentions, whose first word is a program of ours or a
    /// script, as words.
    private func mentions(in text: String) -> [(words: [String], isMention: Bool)] {
        var (found, isInBlock, block) = ([(words: [String], isMention: Bool)](), false, "")
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.trimmingCharacters(in: .whitespaces).hasPrefix("```") {
                isInBlock.toggle()
                let lines = block.replacing("\\\n", with: " ").split(separator: "\n").map(String.init)
                found += lines.flatMap(commands(line:)).map { ($0, false) }
                block = ""
            } else if isInBlock {
                block += line + "\n"
            } else {
                found += line.matches(of: #/`([^`]+)`/#).flatMap { commands(line: String($0.1)) }.map { ($0, true) }
            }
        }
        return found
    }

    /// The commands of a line: what pipes and redirections join is several.
    private func commands(line: String) -> [[String]] {
        // What stands for something else cannot be typed.
        guard !line.contains("…"), !line.contains("<("), !line.contains("["), !line.contains("{") else { return [] }
        // A picture of folders, or a table.
        guard !line.trimmingCharacters(in: .whitespaces).contains("   ") || line.contains("#") else { return [] }
        return words(line).split(omittingEmptySubsequences: true) { ["|", "||", "&&", ";"].contains($0) }.compactMap {
            part in
            var part = part.prefix { !$0.hasPrefix("#") && !$0.hasPrefix(">") && $0 != "<" && $0 != "2>/dev/null" }
            if part.first == "$" { part = part.dropFirst() }
            if part.first == "sudo" {
                part = part.dropFirst()
                while let option = part.first, option.hasPrefix("-") { part = part.dropFirst(option == "-u" ? 2 : 1) }
            }
            guard let first = part.first else { return nil }
            let name = first.hasPrefix("deploy/") ? first : String(first.split(separator: "/").last ?? "")
            guard Self.programs[name] != nil || isScript(name), part.count > 1 else { return nil }
            return [name] + part.dropFirst().filter { $0 != "&" }
        }
    }

    private func isScript(_ name: String) -> Bool {
        name.hasPrefix("deploy/") && !name.hasSuffix("/") && !name.contains(".")
    }

    /// The words of a line, as a shell splits it.
    private func words(_ line: String) -> [String] {
        var (words, word, quote) = ([String](), String?.none, Character?.none)
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                (quote, word) = (character, word ?? "")
            } else if character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + [word].compactMap { $0 }
    }
}
