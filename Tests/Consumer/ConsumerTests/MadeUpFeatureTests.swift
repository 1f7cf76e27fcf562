import Contract
import Daemon
import DaysSupport
import Desk
import Files
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Custody
@testable import Days
@testable import Features
@testable import Readings
@testable import vitals_consumer

/// A feature that is on the list of these tests alone: nothing else in the consumer knows it.
@Suite("A feature that is new on the list", .timeLimit(.minutes(60)))
struct MadeUpFeatureTests {
    private let demo: ID
    private let household: Household
    private let steps = Record<Bool>()
    private let features: [Feature]

    init() throws {
        demo = try ID("demo")
        household = try Household()
        features = Feature.all + [.diary(steps)]
    }

    /// A household with heart rates of three hours, and all that the diary keeps.
    private func lived() throws -> Parts {
        let features = features
        var parts = try household.open(adding: features.schema) { store, keys in
            features.derivations(DerivationParts(store, keys, zone: "UTC"))
        }
        while try !parts.stale.work(within: .seconds(10)) {}
        let session = try parts.session(household)
        let hours = try [0, 1, 30].map { hour in
            try session.block((0..<5).map { beat(hour * 3_600_000 + $0 * 1000, 70) })
        }
        _ = try parts.take(all: [session.keyBlock] + hours)
        let documents = Documents(store: parts.store, keys: parts.keys)
        try documents.write("My days", "diary-title", of: demo)
        try documents.write("fine", "diary-mood", of: demo)
        try parts.store.database.execute("INSERT INTO diary_readers (reader, person) VALUES ('other', 'demo')")
        return parts
    }

    @Test("answers people at a running service and publishes to them; what others ask is answered, too")
    func asked() throws {
        try Broker.with { broker in
            func settings(_ more: String) throws -> ConsumerSettings {
                try household.settings(
                    port: broker.port, more: more, features: features)
            }
            let first = try settings("")
            _ = try Keys(first, .create)
            let consumer = try Consumer(first, features: features, readiness: Readiness()) { Issue.record($0) }
            consumer.start()
            defer { consumer.stop() }
            let client = try Client(
                broker, isRecorded: false, "vitals/v1/users/+/responses/#", "vitals/v1/users/+/diary/#")
            defer { client.stop() }
            try broker.waitForLog("vitals/v1/users/+/requests/#")
            func ask(_ verb: String) throws -> Reply.Outcome {
                let place = "vitals/v1/users/demo/responses/\(UUID().uuidString)"
                client.session.publish(
                    Message(
                        topic: "vitals/v1/users/demo/requests/\(verb)", payload: Array("{}".utf8), qos: .atLeastOnce,
                        properties: Message.Properties(responseTopic: place)))
                return try client.wait("a reply") { $0.topic == place ? try Reply(payload: $0.payload).outcome : nil }
            }
            #expect(try ask("diary/get") == .ok(["title": .null]))
            #expect(try ask("profile/get") == .ok(["profile": .null]))
            func heard(_ payload: String) throws {
                let place = "vitals/v1/users/demo/diary/greeting"
                _ = try client.wait(payload) { $0.topic == place && $0.payload == Array(payload.utf8) ? true : nil }
            }
            try heard("hello")
            consumer.reload(try settings("diary_greeting: \"good morning\","))
            try heard("good morning")
            // What the broker keeps of a person goes with everything else of theirs.
            consumer.session.loop.perform { [demo] in consumer.changes.forgotten(demo) }
            try heard("")
        }
    }

    @Test("is exported by its section, which the first text explains")
    func exported() throws {
        let parts = try lived()
        let export = Export(features, ExportSource(demo, parts.settings, store: parts.store, keys: parts.keys))
        #expect(try export.part(at: export.start).text.contains("\ndiary.json\n    What you have written.\n"))
        let cursor = try export.cursor(for: ExportPosition(section: "diary.json"))
        let position = try #require(try export.position(of: cursor))
        let part = try export.part(at: position)
        #expect(part.file == "diary.json" && part.next == nil)
        #expect(part.text == "{\"title\":\"My days\",\"mood\":\"fine\",\"pages\":3}\n")
    }

    @Test("is checked: what does not open is found")
    func checked() throws {
        let parts = try lived()
        #expect(try CheckCommand.findings(parts.store, parts.keys, features).isGood)
        try parts.store.database.execute(
            "UPDATE diary SET sealed = zeroblob(60) WHERE page = (SELECT min(page) FROM diary)")
        #expect(try CheckCommand.findings(parts.store, parts.keys, features).unreadable == 1)
    }

    @Test("is recounted, and what is wrong is computed again where hours are stale")
    func recounted() throws {
        let parts = try lived()
        let (store, keys) = (parts.store, parts.keys)
        func findings() throws -> RecountCommand.Findings {
            try RecountCommand().findings(store, keys, features.derivations(DerivationParts(store, keys, zone: "UTC")))
        }
        let good = try findings()
        let others = try RecountCommand().findings(
            store, keys, Feature.all.derivations(DerivationParts(store, keys, zone: "UTC")))
        #expect(good.people == 1 && good.differing == 0 && good.kept == others.kept + 3)
        let pages = Pages(store, keys)
        let hour = HourSpan.hour(start) + 1
        try pages.write(9, hour, of: demo)
        // A page of an hour in which nothing else is stored or kept.
        try pages.write(9, hour + 1000, of: demo)
        #expect(try findings().differing == 2)
        try store.markStale(demo, HourSpan.earliest...HourSpan.latest)
        while try !parts.stale.work(within: .seconds(10)) {}
        #expect(try findings() == good)
    }

    @Test("does not keep a reset from ending where it has not sealed again what a reset keeps: that goes")
    func notSealedAgain() throws {
        let covers = Feature(
            name: "covers",
            schema: Schema(
                "covers/1",
                making: [
                    Table(
                        "covers",
                        [.text("person"), .integer("page"), .integer("secret_version"), .blob("sealed")],
                        key: ["person", "page"])
                ]),
            sealedTables: [
                SealedTable(
                    "covers", key: "page", isKeptByReset: true, exported: .hidden(because: "it is made for this test")
                ) { row, user, version throws(VaultError) in
                    Documents.context("cover \(try row.int("entry"))", user, version)
                }
            ])
        let features = Feature.all + [covers]
        let parts = try household.open(adding: features.schema)
        try parts.store.database.execute(
            "INSERT INTO covers (person, page, secret_version, sealed) VALUES ('demo', 1, 1, zeroblob(60))")
        let person = Forgotten(user: demo, version: 1, time: start, isWithAccount: false)
        var erasure = Erasure(person, parts.store, parts.keys, features) { _ throws(VaultError) in }
        try erasure.finish()
        #expect(try parts.count("covers") == 0)
        #expect(try !Erasure.isPending(person, parts.store, parts.keys, features))
    }

    @Test("is erased, and takes its own step", arguments: [false, true])
    func erased(withAccount: Bool) throws {
        let parts = try lived()
        let (store, keys) = (parts.store, parts.keys)
        let before = try store.personalRows(of: demo)
        for table in ["diary", "diary_readers"] { #expect(before[table, default: 0] > 0, "\(table)") }
        let person = Forgotten(user: demo, version: 1, time: start, isWithAccount: withAccount)
        let nobody = try household.settings(people: "")
        let grants = parts.grants
        var erasure = Erasure(person, store, keys, features) { sensors throws(VaultError) in
            try grants.settle(Claims(store: store).people(nobody, only: sensors), only: sensors, now: start + 10_000)
        }
        try erasure.finish()
        while try !parts.stale.work(within: .seconds(10)) {}
        #expect(steps.all == [withAccount])
        #expect(erasure.proof.tried >= 6 && erasure.proof.opened == 0)
        let after = try store.personalRows(of: demo)
        #expect(after["diary"] == 0 && after["diary_readers"] == (withAccount ? 0 : 1))
        let documents = Documents(store: store, keys: keys)
        #expect(try documents.read("diary-title", of: demo) == (withAccount ? nil : "My days"))
        #expect(try documents.read("diary-mood", of: demo) == nil)
        #expect(try !Erasure.isPending(person, store, keys, features))
        // What somebody writes meanwhile is found.
        try store.database.execute(
            "INSERT INTO diary (person, page, secret_version, sealed) VALUES ('demo', 1, 1, x'00')")
        #expect(try Erasure.isPending(person, store, keys, features))
        #expect(try !Erasure.isPending(person, store, keys, Feature.all))
    }
}

extension Feature {
    /// - Parameter steps: takes what its step was told of the account.
    static func diary(_ steps: Record<Bool>) -> Feature {
        Feature(
            name: "diary",
            schema: Schema(
                "diary/1",
                making: [
                    Table(
                        "diary",
                        [.text("person"), .integer("page"), .integer("secret_version"), .blob("sealed")],
                        key: ["person", "page"]),
                    Table("diary_readers", [.text("reader"), .text("person")], key: ["reader"]),
                ]),
            sealedTables: [
                SealedTable("diary", key: "page", exported: .shown(in: "diary.json")) {
                    row, user, version throws(VaultError) in
                    Documents.context(Pages.label(try row.int("entry")), user, version)
                }
            ],
            tables: [
                PersonalTable(
                    name: "diary_readers", erasure: .withAccount,
                    exported: .hidden(because: "readers know it themselves"))
            ],
            documents: [
                FeatureDocument(name: "diary-title", isKeptByReset: true, exported: .shown(in: "diary.json")),
                FeatureDocument(name: "diary-mood", exported: .shown(in: "diary.json")),
            ],
            exports: [
                .document("diary.json", "What you have written.") { source throws(VaultError) in
                    let pages = try Pages(source.store, source.keys).all(of: source.user).count
                    return .object(present: [
                        "title": try source.documents.read("diary-title", of: source.user),
                        "mood": try source.documents.read("diary-mood", of: source.user),
                        "pages": .integer(Int64(pages)),
                    ])
                }
            ],
            erasing: { person, _ throws(VaultError) in steps.append(person.isWithAccount) },
            derivations: [{ Pages($0.store, $0.keys) }],
            verbs: { parts in
                // Its own words, in a person's language.
                #expect(Language.german(.diaryFull) == "Das Tagebuch ist voll.")
                let context = parts.context
                let title = { @Sendable (request: PeopleRequest) throws -> JSON in
                    ["title": try context.documents.read("diary-title", of: request.user) ?? .null]
                }
                return [Verb("diary/get", .diaryGet, .atOnce(title))]
            },
            service: { parts in Greeting(parts.context) }, topics: [FeatureTopic(.greeting, isRetained: true)],
            notifications: [Notification.Kind("diary-full", .neutralNews)], settings: DiarySettings.self)
    }
}

extension UserTopic {
    fileprivate static let greeting = UserTopic.published("diary/greeting")
}

extension RequestContract {
    fileprivate static let diaryGet = RequestContract(
        "The diary's title.", answers: .record([.always("title", .text.orNull)]))
}

extension Phrase {
    fileprivate static let diaryFull = Phrase(english: "The diary is full.", german: "Das Tagebuch ist voll.")
}

private struct DiarySettings: FeatureSettings {
    static let key = "diary_greeting"
    static let isTakenAtOnce = true
    let greeting: String

    init(_ settings: Section) throws(SettingsError) {
        greeting = try settings.string(Self.key, default: nil) ?? "hello"
    }
}

/// Greets people when the broker is there.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
private final class Greeting: FeatureService, @unchecked Sendable {
    private let context: PeopleContext

    init(_ context: PeopleContext) { self.context = context }

    func connected() { greet() }
    func settingsChanged() { greet() }

    private func greet() {
        for person in context.settings.people {
            context.session.publish(
                Array(context.settings[DiarySettings.self].greeting.utf8),
                to: context.topics[user: person.user, .greeting], qos: .atLeastOnce, retain: true)
        }
    }
}

/// A page for each hour, with the number of its heart rates.
private final class Pages: Derivation {
    private let store: Store
    private let documents: Documents

    init(_ store: Store, _ keys: Keys) {
        self.store = store
        documents = Documents(store: store, keys: keys)
    }

    static func label(_ page: Int64) -> String { "diary page \(page)" }

    func all(of user: ID) throws(VaultError) -> [(page: Int64, count: JSON?)] {
        let rows = try store.database.query(
            "SELECT page, secret_version, sealed FROM diary WHERE person = ? ORDER BY page", [.text(user.text)]
        ) { row throws(VaultError) in
            (page: try row.int("page"), version: try row.int("secret_version"), sealed: try row.blob("sealed"))
        }
        var all: [(page: Int64, count: JSON?)] = []
        for row in rows {
            all.append(
                (row.page, try documents.opened(row.sealed, Self.label(row.page), of: user, version: row.version)))
        }
        return all
    }

    func write(_ count: Int64, _ page: Int64, of user: ID) throws(VaultError) {
        let (version, sealed) = try documents.sealed(.integer(count), Self.label(page), of: user)
        try store.database.execute(
            "DELETE FROM diary WHERE person = ? AND page = ?", [.text(user.text), .integer(page)])
        guard count > 0 else { return }
        try store.database.execute(
            "INSERT INTO diary (person, page, secret_version, sealed) VALUES (?, ?, ?, ?)",
            [.text(user.text), .integer(page), .integer(version), .blob(sealed)])
    }

    private static func counted(
        _ hour: Int64, of user: ID, _ stored: StoredReadings
    ) throws(VaultError) -> Int64 {
        let times = HourSpan.times(hour...hour)
        var count: Int64 = 0
        _ = try stored.each(of: user, .heartRate, from: times.lowerBound, to: times.upperBound) { _ in
            count += 1
            return true
        }
        return count
    }

    func take(_ people: [PersonsReadings], now: Int64) throws(VaultError) {
        for person in people {
            var counts: [Int64: Int64] = [:]
            for page in try all(of: person.user) {
                if case .integer(let count)? = page.count { counts[page.page] = count }
            }
            for entry in person.entries where entry.bare.kind == .heartRate {
                counts[HourSpan.hour(entry.bare.wall), default: 0] += 1
            }
            for (page, count) in counts { try write(count, page, of: person.user) }
        }
    }

    func hourReader(of user: ID) -> @Sendable (Int64, StoredReadings) throws(VaultError) -> Int64 {
        { hour, stored throws(VaultError) in try Self.counted(hour, of: user, stored) }
    }

    func firstKept(of user: ID) -> @Sendable (ClosedRange<Int64>, Store) throws(VaultError) -> Int64? {
        { hours, store throws(VaultError) in
            try store.database.first(
                "SELECT min(page) FROM diary WHERE person = ? AND page >= ?",
                [.text(user.text), .integer(hours.lowerBound)], row: Row.intIfPresent) ?? nil
        }
    }

    func extent(of found: Int64, _ hour: Int64) -> ReadExtent {
        ReadExtent(times: HourSpan.times(hour...hour), kinds: [.heartRate])
    }

    func replace(_ hour: Int64, of user: ID, with found: Int64, now: Int64) throws(VaultError) {
        try write(found, hour, of: user)
    }

    func recount(of user: ID) throws(VaultError) -> (kept: Int, differing: Int) {
        let pages = try all(of: user)
        var differing = 0
        let stored = StoredReadings(store: store, keys: documents.keys)
        for page in pages where try page.count != .integer(Self.counted(page.page, of: user, stored)) { differing += 1 }
        return (pages.count, differing)
    }

    func committed() {}
    func rolledBack() {}
}
