import DaysSupport
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Features
@testable import vitals_consumer

/// Erasing, exporting, checking and recounting know of features only what the list says. So these tests compare the list
/// with what it cannot know: the schema of a database, and the code that writes documents.
@Suite("The features", .timeLimit(.minutes(60)))
struct FeatureTests {
    private let tables =
        Feature.all.sealedTables.map { (name: $0.name, column: "person", exported: $0.exported) }
        + Feature.all.tables.map { (name: $0.name, column: $0.column, exported: $0.exported) }

    @Test("own each table that says whose its rows are, and no table belongs to two of them")
    func ownership() throws {
        let parts = try Household().open()
        let schema = try parts.store.database.query(
            """
            SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type = 'table' AND c.name IN ('user', 'person', 'owner', 'guardian', 'author')
            ORDER BY t.name, c.name
            """
        ) { row throws(VaultError) in [try row.text(0), try row.text(1)] }
        #expect(schema == tables.map { [$0.name, $0.column] }.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) })
        for table in Feature.all.sealedTables {
            let columns = try parts.store.database.query(
                "SELECT name FROM pragma_table_info(?)", [.text(table.name)]
            ) { row throws(VaultError) in try row.text(0) }
            #expect(Set(["person", "secret_version", table.key, table.sealed]).isSubset(of: columns), "\(table.name)")
        }
    }

    @Test("own each document that the code writes, and no document belongs to two of them")
    func documents() throws {
        let names = Feature.all.documents.map(\.name)
        #expect(Set(names).count == names.count)
        let found = try DocumentNames().found
        #expect(found.count >= 10, "the names are no longer found in the sources")
        #expect(found.keys.sorted() == names.sorted(), "\(found)")
    }

    @Test("own each topic on which people are told something, and no topic belongs to two of them")
    func topics() {
        let topics = Feature.all.topics
        for topic in topics {
            let example = UserTopic.published(topic.filter.replacingOccurrences(of: "+", with: "a"))
            #expect(topics.count { $0.covers(example) } == 1, "\(topic.filter)")
        }
        func covered(_ name: String) -> Bool { topics.contains { $0.covers(.published(name)) } }
        for name in ["today", "goals/steps", "friends/eva/today", "heart-rate", "notifications", "progress"] {
            #expect(covered(name), "\(name)")
        }
        for name in ["today/x", "goals", "friends/eva", "friends/eva/goals", "progress/x", "location"] {
            #expect(!covered(name), "\(name)")
        }
        #expect(topics.allSatisfy { !$0.covers(.response($0.filter)) })
        // When a person is forgotten, what the broker keeps is taken back by its name.
        for feature in Feature.all where feature.name != Feature.today.name {
            #expect(
                feature.topics.allSatisfy { !$0.isRetained || $0.only != nil || $0.isTakenBackByFeature },
                "\(feature.name)")
        }
    }

    @Test("own each kind of notification and each part of the settings, and none belongs to two of them")
    func kindsAndKeys() throws {
        let kinds = Feature.all.flatMap(\.notifications).map(\.name)
        #expect(try kinds.sorted() == ConsumerSources().kindsOfNotifications())
        let keys = Feature.all.compactMap { $0.settings?.key }
        #expect(keys.count >= 4 && Set(keys).count == keys.count)
    }

    @Test("show in an export what they keep, or say why not")
    func exported() {
        let sections = Feature.all.flatMap(\.exports).map(\.name)
        #expect(Set(sections).count == sections.count && !sections.contains("README.txt"))
        var shown: Set<String> = []
        let kept = tables.map { ($0.name, $0.exported) } + Feature.all.documents.map { ($0.name, $0.exported) }
        for (name, exported) in kept {
            switch exported {
            case .shown(let places):
                #expect(!places.isEmpty && Set(places).isSubset(of: sections), "\(name)")
                shown.formUnion(places)
            case .hidden(let reason): #expect(reason.split(separator: " ").count > 3, "\(name)")
            }
        }
        #expect(shown == Set(sections), "a section that shows nothing of what is kept")
        for table in Feature.all.tables {
            guard case .never(let reason) = table.erasure else { continue }
            #expect(reason.split(separator: " ").count > 3, "\(table.name)")
        }
    }

    @Test("make in a new database what their steps make in an older one")
    func schemas() throws {
        let schema = Store.schema + (Feature.all + [.diary(Record())]).schema
        let (stepped, made) = (try TemporaryFolder(), try TemporaryFolder())
        let old = try Database(stepped.path("old.db"), .readWrite(.full), applicationID: Store.applicationID)
        try old.migrate(Array(schema.steps.prefix(1)))
        try old.migrate(schema.steps)
        let new = try Store(folder: made.path, adding: (Feature.all + [.diary(Record())]).schema).database
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' OR sql IS NOT NULL ORDER BY name"
        let columns = """
            SELECT t.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk AS line
            FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' ORDER BY line
            """
        for question in [sql, columns] {
            let (one, other) = (try old.query(question, row: Row.text), try new.query(question, row: Row.text))
            #expect(one == other && one.count > 40, "\(Set(one).symmetricDifference(other))")
        }
    }

    @Test("change no step of a schema that was released: a store that has had it would not have it again")
    func releasedSteps() throws {
        let released = [
            "keys/1": "Ti5pgs4Zn/kEvFxbA1KXMufFng87gZSYbMrk5VVqmMQ=",
            "keys/2": "J3t/5Kyc8EExrKdnVz2BHXo8ij/unxjdEtNNHL7zGd4=",
            "keys/3": "yVDH5NQvkvl82Pt8isn/dZgSYMAxHVJ4Rm1cViqCAKs=",
            "store/1": "i5B2u12Q8VQeRRR8s/IwYln4PNVwJ0mCN+/7daeK4hM=",
            "store/2": "yoTnSLH3hjbQcznmB0pkfXID3pJkdzomGZWahUH+AQY=",
            "store/3": "PdEk8SswekCGaPJu+x0V3HcOsCJCgpAzDfgsvwJ1rDg=",
            "store/4": "ahRwOuIrzdKpsD4ZPNVBlDrI0UqaxBbGI9jGMfG1ScE=",
            "store/5": "wn7O1DQ3qm0NQEQ4uJt1lSATOjfQQ12MwGN65dbD6vY=",
            "store/6": "e0Zho4SPNe9BrS8Ex/ZLKFKhIc+mC7i9QxMy39P54j4=",
            "store/7": "4tB9qofJhiAhWu8Yg96zak4aYQf5qUfsWtyGbdMoOkk=",
            "store/8": "DyV7OWnuCfvkQVU+z7E0G5W+wCy+C1utu50m3Isq9TQ=",
        ]
        var found: [String: String] = [:]
        for step in Store.migrations + Keys.migrations + Feature.all.schema.steps {
            found[step.name] = KeyFile.text(of: try SHA256.digest(Array(step.sql.utf8)))
        }
        for (name, digest) in released { #expect(found[name] == digest, "\(name)") }
    }

    @Test("have names of their own")
    func names() {
        let names = Feature.all.map(\.name)
        #expect(Set(names).count == names.count && !names.contains(""))
    }
}

/// The names of documents in the sources: the last argument but one of each `read`, `write` and `remove` that ends with
/// `of:`.
private struct DocumentNames {
    /// Each with a file that has it.
    private(set) var found: [String: String] = [:]

    private let sources: ConsumerSources

    init() throws {
        sources = try ConsumerSources()
        for (path, text) in sources.files {
            for call in ["ocuments.read(", "ocuments.write(", "ocuments.remove("] {
                for rest in text.components(separatedBy: call).dropFirst() {
                    let arguments = Self.arguments(rest)
                    guard arguments.count > 1, arguments.last?.hasPrefix("of:") == true else { continue }
                    let argument = arguments[arguments.count - 2]
                    // What goes through a list of names has them from the list.
                    if argument == "name", path.hasSuffix("Forgetting/Erasure.swift") { continue }
                    let name = try #require(literal(argument, in: text), "\(argument) in \(path)")
                    found[name] = path
                }
            }
        }
    }

    /// The arguments of a call, of which the text begins after the parenthesis.
    private static func arguments(_ text: String) -> [String] {
        var arguments = [""]
        var depth = 0
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted {
                if "([{".contains(character) { depth += 1 }
                if ")]}".contains(character) { depth -= 1 }
                if depth < 0 { break }
                if character == ",", depth == 0 {
                    arguments.append("")
                    continue
                }
            }
            arguments[arguments.count - 1].append(character)
        }
        return arguments.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// The text of a literal, or of the constant that an expression such as `Self.name` names.
    private func literal(_ expression: String, in text: String) -> String? {
        if expression.hasPrefix("\"") { return String(expression.dropFirst().dropLast()) }
        let parts = expression.split(separator: ".").map(String.init)
        guard parts.count == 2 else { return nil }
        let places = parts[0] == "Self" ? [text] : sources.files.map(\.text).filter { declares(parts[0], $0) }
        for place in places {
            let halves = place.components(separatedBy: "static let \(parts[1]) = \"")
            if halves.count == 2 { return halves[1].split(separator: "\"").first.map(String.init) }
        }
        return nil
    }

    private func declares(_ type: String, _ text: String) -> Bool {
        ["struct", "class", "enum", "extension"].contains { text.contains("\($0) \(type) ") }
            || text.contains("struct \(type):") || text.contains("class \(type):")
    }
}
