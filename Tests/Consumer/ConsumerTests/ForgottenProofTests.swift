import Daemon
import DaysSupport
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import vitals_consumer

/// That what was forgotten cannot be brought back: not from what is left, and not from backups.
@Suite("What was forgotten", .timeLimit(.minutes(60)))
struct ForgottenProofTests {
    let demo: ID
    let household: Household
    let manager = FileManager.default
    private let people = "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }"

    init() throws {
        demo = try ID("demo")
        household = try Household()
    }

    /// Readings and a profile of two people; a backup of that; then one of them is forgotten.
    private func forgotten(more: String = "", blocks: Int = 20) throws -> (
        settings: ConsumerSettings, session: GatewaySession
    ) {
        var parts = try household.open(people: people)
        let (session, other) = (try parts.session(household), try parts.session(household, "watch"))
        _ = try parts.take(session.keyBlock, other.keyBlock, other.block(beat(0, 80)))
        _ = try parts.take(all: (0..<blocks).map { try session.block(beat(Int64($0) * 1000, 70)) })
        let documents = Documents(store: parts.store, keys: parts.keys)
        try documents.write(["name": "Ada Lovelace"], "profile", of: demo)
        try documents.write(["email": "ada@example.org"], "contact", of: demo)
        let settings = try household.settings(people: people, more: more)
        _ = try output { _ = try BackupCommand(folder: household.path("before")).run(settings, output: $0) }
        _ = try output { _ = try ForgetCommand(user: demo, isWithAccount: false).run(settings, output: $0) }
        return (settings, session)
    }

    /// All sessions' keys, as they lie sealed in a copy of vitals.db from before, tried with all that these keys hold.
    private func opened(_ data: String, _ keys: Keys) throws -> Int {
        let database = try Database(data + "/vitals.db", .readOnly, applicationID: Store.applicationID)
        let rows = try database.query(
            "SELECT id, session, boot, sealed_key FROM sessions JOIN streams ON streams.number = stream WHERE person = 'demo'"
        ) { row throws(VaultError) in
            (
                sealed: try row.blob(3),
                context: RowContext("session", fixed: try row.blob(0) + row.blob(1) + row.blob(2))
            )
        }
        #expect(rows.count == 1)
        var ciphers = [keys.service]
        for name in try keys.all() {
            ciphers.append(try #require(try keys.person(name.user, version: name.version)).rows)
        }
        return rows.count { row in ciphers.contains { (try? $0.open(row.sealed, row.context)) != nil } }
    }

    private func moveDatabasesAway(to name: String, wholeState: Bool = false) throws {
        let (state, place) = (household.path("state"), household.path(name))
        if wholeState { return try manager.moveItem(atPath: state, toPath: place) }
        try manager.createDirectory(atPath: place, withIntermediateDirectories: false)
        for file in try manager.contentsOfDirectory(atPath: state) where file.contains(".db") {
            try manager.moveItem(atPath: "\(state)/\(file)", toPath: "\(place)/\(file)")
        }
    }

    private func restore(_ settings: ConsumerSettings, data: String, keys: String, list: String? = nil) throws -> String
    {
        let command = RestoreCommand(
            data: household.path(data), keys: household.path(keys), forgotten: list.map(household.path))
        return try output { _ = try command.run(settings, now: start + 90_000, output: $0) }.joined(separator: "\n")
    }

    private func expectNothing(_ settings: ConsumerSettings, _ session: GatewaySession) throws {
        let keys = try Keys(settings, .read)
        #expect(try keys.all().filter { $0.user == "demo" && $0.version == 1 }.isEmpty)
        #expect(try opened(household.path("before/data"), keys) == 0)
        var parts = try household.open(people: people, now: start + 100_000)
        #expect(try parts.printed() == [] && parts.printed(user: "other") == [line(0, 80)])
        #expect(try parts.count("blocks") == 1)
        let documents = Documents(store: parts.store, keys: parts.keys)
        #expect(try documents.read("profile", of: demo) == nil)
        #expect(try CheckCommand.findings(parts.store, parts.keys).isGood)
        // Gateways send again what they keep: it is taken from them, and not kept.
        let (answers, reports) = try parts.take(all: [session.keyBlock, session.block(beat(9, 99))])
        #expect(answers.count == 1 && reports.map(\.verdict) == [.forgotten, .forgotten])
        #expect(try parts.count("blocks") == 1)
    }

    @Test("is opened by what is left as little as by nothing; and was, by what there was")
    func left() throws {
        let (settings, session) = try forgotten()
        try expectNothing(settings, session)
        // The control: with the keys of before they open.
        let before = try Keys(settings, .read, folder: household.path("before/keys"))
        #expect(try opened(household.path("before/data"), before) == 1)
        // The secret itself, as it was wrapped, is in no file any more.
        let old = try Database(household.path("before/keys/keys.db"), .readOnly, applicationID: Keys.applicationID)
        let sealed = try #require(
            try old.first("SELECT sealed FROM secrets WHERE person = 'demo'", row: Row.blob))
        var scanned = 0
        let names = ["Ada Lovelace", "ada@example.org", "\"bpm\""]
        for file in try manager.contentsOfDirectory(atPath: household.path("state")) {
            let bytes = try #require(manager.contents(atPath: household.path("state/\(file)")))
            scanned += bytes.count
            #expect(bytes.range(of: Data(sealed.suffix(32))) == nil, "\(file)")
            for name in names { #expect(bytes.range(of: Data(name.utf8)) == nil, "\(file)") }
        }
        #expect(scanned > 10_000)
    }

    @Test("does not come back with older data beside the keys of today")
    func olderData() throws {
        let (settings, session) = try forgotten()
        try moveDatabasesAway(to: "live", wholeState: true)
        let said = try restore(settings, data: "before/data", keys: "live")
        #expect(said.contains("1 person forgotten since the backup"))
        try expectNothing(settings, session)
    }

    @Test(
        "does not come back with older keys, by the list in the state folder, on a stick, in a later backup, or given",
        arguments: ["state", "stick", "backup", "given"])
    func olderKeys(list: String) throws {
        try manager.createDirectory(atPath: household.path("stick"), withIntermediateDirectories: false)
        let (settings, session) = try forgotten(more: list == "stick" ? "forgotten_file: \"stick/forgotten\"," : "")
        if list == "backup" {
            _ = try output { _ = try BackupCommand(folder: household.path("after")).run(settings, output: $0) }
            for part in ["data", "keys"] {
                #expect(manager.fileExists(atPath: household.path("after/\(part)/forgotten")))
            }
            // The parts of two backups put together.
            try manager.moveItem(
                atPath: household.path("after/keys/forgotten"), toPath: household.path("before/keys/forgotten"))
        }
        try moveDatabasesAway(to: "live", wholeState: list != "state")
        let said = try restore(
            settings, data: "before/data", keys: "before/keys", list: list == "given" ? "live/forgotten" : nil)
        #expect(said.contains("1 person forgotten since the backup"))
        try expectNothing(settings, session)
        // From now on everybody knows again.
        #expect(try ForgottenList(household.path("state/forgotten"), Keys(settings, .read)).people.count == 1)
        let documents = Documents(
            store: try Store(folder: settings.state, readOnly: true, adding: Feature.all.schema),
            keys: try Keys(settings, .read))
        #expect(try documents.read("contact", of: demo) == ["email": "ada@example.org"], "the account's own stays")
    }

    @Test("does not come back while a list that may name them cannot be read")
    func unreadableList() throws {
        try manager.createDirectory(atPath: household.path("stick"), withIntermediateDirectories: false)
        let (settings, session) = try forgotten(more: "forgotten_file: \"stick/forgotten\",")
        try moveDatabasesAway(to: "live", wholeState: true)
        try manager.moveItem(atPath: household.path("stick"), toPath: household.path("pocket"))
        let refusal = thrown(Failure.self) { try restore(settings, data: "before/data", keys: "before/keys") }
        #expect(refusal?.message.contains("stick/forgotten") == true)
        // A folder in its place is none that can be read either.
        try manager.createDirectory(
            atPath: household.path("stick/forgotten"), withIntermediateDirectories: true)
        #expect(throws: Failure.self) { try restore(settings, data: "before/data", keys: "before/keys") }
        try manager.removeItem(atPath: household.path("stick"))
        try manager.moveItem(atPath: household.path("pocket"), toPath: household.path("stick"))
        _ = try restore(settings, data: "before/data", keys: "before/keys")
        try expectNothing(settings, session)
    }

    @Test("leaves alone what a person of the same id has had since a backup from before them was restored")
    func beforeThem() throws {
        _ = try household.open(people: "other: { sensors: [\"home/watch\"] }")
        let backup = BackupCommand(folder: household.path("without"))
        _ = try output { _ = try backup.run(household.settings(), output: $0) }
        let (settings, _) = try forgotten()
        try moveDatabasesAway(to: "live")
        _ = try restore(settings, data: "without/data", keys: "without/keys")
        do {
            var parts = try household.open(people: people, now: start + 100_000)
            let session = try parts.session(household)
            _ = try parts.take(session.keyBlock, session.block(beat(200_000, 71)))
            #expect(try parts.keys.version(of: demo) == 2)
        }
        do { _ = try Consumer(settings, readiness: Readiness()) { _ in } }
        let parts = try household.open(people: people, now: start + 300_000)
        #expect(try parts.printed() == [line(200_000, 71)])
    }

    @Test("comes back only where no list is left at all, and a list that somebody made up forgets nobody")
    func noList() throws {
        let (settings, _) = try forgotten()
        try moveDatabasesAway(to: "live", wholeState: true)
        try "person other 9 1 account 00000000000000000000000000000000\n".write(
            toFile: household.path("made-up"), atomically: true, encoding: .utf8)
        #expect(throws: Failure.self) {
            try restore(settings, data: "before/data", keys: "before/keys", list: "nowhere")
        }
        let said = try restore(settings, data: "before/data", keys: "before/keys", list: "made-up")
        #expect(!said.contains("forgotten"))
        let parts = try household.open(people: people, now: start + 100_000)
        #expect(try parts.printed().count == 20 && parts.printed(user: "other").count == 1)
    }

    @Test("is forgotten in the end, whenever whoever does it is killed")
    func killed() throws {
        let (settings, _) = try forgotten(blocks: 1)
        for round in 0..<24 {
            let version: Int64
            do {
                var parts = try household.open(people: people, now: start + 100_000 + Int64(round))
                version = try #require(try parts.keys.version(of: demo))
                let session = try parts.session(household)
                _ = try parts.take(all: [session.keyBlock] + (0..<1500).map { try session.block(beat(Int64($0), 70)) })
                try Documents(store: parts.store, keys: parts.keys).write(["name": "Ada"], "profile", of: demo)
            }
            let list = household.path("state/forgotten")
            let length = manager.contents(atPath: list)?.count ?? 0
            let program = try RunningProgram(
                "vitals-consumer",
                ["forget", "--user", "demo", "--yes", "--settings", household.path("consumer.json5")])
            // From when the list has them, each time a little later.
            var looks = 0
            while program.isRunning, looks < round * round * 40 {
                if looks > 0 || manager.contents(atPath: list)?.count ?? 0 > length { looks += 1 }
            }
            program.end(SIGKILL)
            let isNoted = manager.contents(atPath: list)?.count ?? 0 > length
            do { _ = try Consumer(settings, readiness: Readiness()) { _ in } }
            let parts = try household.open(people: people, now: start + 200_000)
            let versions = try parts.keys.all().filter { $0.user == "demo" }.map(\.version)
            #expect(versions == (isNoted ? [version + 1] : [version]), "round \(round)")
            #expect(try parts.printed().count == (isNoted ? 0 : 1500))
            while try parts.store.deleteForgotten(atMost: 1000) > 0 {}
            #expect(try CheckCommand.findings(parts.store, parts.keys).isGood)
        }
    }
}
