import Daemon
import DaysSupport
import Files
import Fitness
import Foundation
import HouseholdSupport
import Reactor
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Whereabouts

@testable import Accounts
@testable import Calendars
@testable import Custody
@testable import Days
@testable import Exercise
@testable import Features
@testable import Groups
@testable import Guardians
@testable import Meals
@testable import Partners
@testable import Posts
@testable import Quotes
@testable import Readings
@testable import Reminders
@testable import Sharing
@testable import Social
@testable import vitals_consumer

@Suite("Forgetting a person")
struct ForgettingTests {
    let home: ID
    let demo: ID
    let household: Household
    let manager = FileManager.default
    private let people = "\(Household.peopleWithPositions), other: { sensors: [\"home/watch\"] }"

    init() throws {
        home = try ID("home")
        demo = try ID("demo")
        household = try Household()
    }

    private func state(_ name: String) -> String { household.path("state/\(name)") }

    private func erasure(_ parts: Parts, version: Int64 = 1, withAccount: Bool = false) -> Erasure {
        let person = Forgotten(user: demo, version: version, time: start, isWithAccount: withAccount)
        let grants = parts.grants
        return Erasure(person, parts.store, parts.keys, Feature.all) { sensors throws(VaultError) in
            let people = try Claims(store: grants.store).people(parts.settings, only: sensors)
            try grants.settle(people, only: sensors, now: start + 10_000)
        }
    }

    /// A household of two, of whom each has readings.
    private func lived(hours: Int = 1) throws -> (parts: Parts, demo: GatewaySession, other: GatewaySession) {
        var parts = try household.open(people: people)
        let (one, two) = (try parts.session(household), try parts.session(household, "watch"))
        let old = try parts.session(household)
        _ = try parts.take(one.keyBlock, two.keyBlock, old.keyBlock, one.loose(old, [old.record(0, beat(500, 69))]))
        var blocks: [[UInt8]] = []
        for number in 0..<hours {
            let first = Int64(number) * 3_600_000
            blocks.append(try one.block((0..<60).map { beat(first + $0 * 1000, 70) }))
            blocks.append(try two.block((0..<60).map { beat(first + $0 * 1000, 80) }))
        }
        _ = try parts.take(all: blocks)
        let documents = Documents(store: parts.store, keys: parts.keys)
        try documents.write(["email": "ada@example.org"], "contact", of: demo)
        try documents.write(["name": "Ada"], "profile", of: demo)
        try documents.write(["name": "Charles"], "profile", of: ID("other"))
        let (version, name) = try documents.sealed(.string("Ada's phone"), Documents.label(ofDevice: "phone"), of: demo)
        try parts.store.database.execute(
            "INSERT INTO devices (device, person, credential, created_ms, secret_version, name) VALUES ('phone', 'demo', x'00', 0, ?, ?)",
            [.integer(version), .blob(name)])
        try parts.store.database.execute("INSERT INTO accounts (person, created_ms) VALUES ('demo', 0)")
        return (parts, one, two)
    }

    @Test("takes all that is stored of them and nobody else, and the account's own stays under a new secret")
    func wholeWay() throws {
        var (parts, session, other) = try lived(hours: 30)
        let key = try #require(try parts.keys.person("demo", version: 1)).stream.publicKey
        let before = try parts.grant()
        let others = try parts.printed(user: "other")
        try parts.store.database.execute(
            "INSERT INTO claims (gateway, sensor, person, kinds, claimed_ms) VALUES ('home', 'belt', 'demo', 2, 0)")
        var inviters = Inviters()
        inviters.remember(try ID("other"), try drawnID(), "told", now: start)
        try Documents(store: parts.store, keys: parts.keys).write(inviters.json, Inviters.document, of: demo)
        var erasure = erasure(parts)
        var steps: [Erasure.Step?] = []
        while erasure.step != nil {
            #expect(try erasure.advance() != .waitsForReaders)
            if steps.last != erasure.step { steps.append(erasure.step) }
        }
        #expect(steps.count == 6)
        // Two sessions' keys, four documents and names.
        #expect(erasure.proof == Erasure.Proof(tried: 6, opened: 0))

        #expect(try parts.keys.all().filter { $0.user == "demo" }.map(\.version) == [2])
        #expect(try parts.keys.owner(of: key) == nil)
        #expect(try parts.printed() == [] && parts.printed(user: "other") == others && others.count == 1800)
        #expect(try parts.count("blocks") == 30 && parts.count("sessions") == 1 && parts.count("records") == 0)
        #expect(try parts.count("ledger") == 31)
        let documents = Documents(store: parts.store, keys: parts.keys)
        #expect(try documents.read("contact", of: demo) == ["email": "ada@example.org"])
        #expect(try documents.read("profile", of: demo) == nil && documents.read("inviters", of: demo) == nil)
        #expect(try documents.read("profile", of: ID("other")) == ["name": "Charles"])
        let device = try parts.store.database.first("SELECT secret_version, name FROM devices") {
            row throws(VaultError) in
            (version: try row.int(0), name: try row.blob(1))
        }
        let name = try documents.opened(
            #require(device).name, Documents.label(ofDevice: "phone"), of: demo, version: 2)
        #expect(device?.version == 2 && name == .string("Ada's phone"))

        // What is recorded is what it is without a profile.
        let kinds = try RecordedKinds(Documents(store: parts.store, keys: parts.keys)).kinds(of: demo)
        #expect(try Claims(store: parts.store).people(parts.settings).last?.kinds == kinds && kinds != .steps)
        let after = try parts.grant()
        #expect(after.stream != before.stream && after.until == nil && after.personPublicKey != key)
        #expect(try CheckCommand.findings(parts.store, parts.keys).isGood)
        // What the gateway still has of the old stream is acknowledged, and not kept; the others' goes on.
        parts.ingest.forgetSessions()
        let (answers, reports) = try parts.take(
            all: [session.keyBlock, session.block(beat(1, 99)), other.block(beat(2, 98))])
        #expect(answers == [.acknowledge(home, [session.identity(0), session.identity(31 + 1), other.identity(31)])])
        #expect(reports.map(\.verdict) == [.forgotten, .forgotten])
        #expect(try parts.count("blocks") == 31 && parts.count("sessions") == 1)
    }

    /// A household in which every table that says whose its rows are has some of demo's.
    private func full() throws -> Parts {
        var made: (minutes: HeartRateMinutes, days: Days)?
        var parts = try household.open(people: people) { store, keys in
            let both = (HeartRateMinutes(store, keys), Days(store, keys, Histories(store, keys, zone: "UTC")))
            made = both
            return [both.0, both.1]
        }
        let (minutes, _) = try #require(made)
        while try !parts.stale.work(within: .seconds(10)) {}
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 70)), session.block(count(start, 100)))
        while try minutes.fold(before: .max, now: start + 100_000_000) {}
        _ = try parts.take(session.block(beat(3_600_000, 71)), session.block(count(start + 60_000, 160)))
        _ = try parts.take(all: session.blocks(movements()))
        let (store, keys) = (parts.store, parts.keys)
        try store.markStale(demo, 0...10)
        let documents = Documents(store: store, keys: keys)
        try documents.write(["email": "ada@example.org"], "contact", of: demo)
        try documents.write(["name": "Ada"], "profile", of: demo)
        try documents.write(["gear": [["name": "Blue shoes"]]], GearDocument.name, of: demo)
        try documents.write(["plans": [["name": "Lunch run"]]], WorkoutPlanDocument.name, of: demo)
        try documents.write(["minutes": 5, "say": ["pace"]], "voice", of: demo)
        try documents.write(["gateway": "home", "workouts": true], "music", of: demo)
        try writeMadeUpTraining(documents, of: demo)
        try documents.write(SharingServices.madeUp, SharingServices.document, of: demo)
        try documents.write(["shares": []], ShareRecords.document, of: demo)
        try documents.write(["told": 20_766], "weekly", of: demo)
        try documents.write(["reached": []], "week-goals", of: demo)
        let phone: JSON = ["phone": "phone-a", "password": "x", "secret": "y", "created": 0]
        try documents.write(["phones": [phone]], "phones", of: demo)
        try ReminderList(documents: documents).write([.madeUp()], of: demo)
        let soup = Nutrition(kilocalories: 450, protein: 22)
        try MealDays(store, keys).write(
            [Meal(id: ID("20778-soup"), time: start, name: "Soup", grams: nil, soup)], of: demo,
            on: CalendarDay(daysSince1970: 20_778))
        try Foods(store, keys).add(Food(id: ID("soup"), name: "Soup", portion: 400, soup), of: demo)
        try LikedQuotes(store, keys).add(
            Quote(id: ID("tea"), english: "Afterwards, tea.", german: "Danach: Tee."), of: demo, now: start)
        try CalendarRecord.madeUp().keep(documents, of: demo)
        var birds = Group(
            id: try ID("birds"), name: "Birds", founder: Group.Member(id: try drawnID(), user: demo, since: start))
        birds.add(Challenge(.steps, .week, from: CalendarDay(daysSince1970: 20_000), target: nil))
        try GroupBook(documents).found(birds)
        try documents.write(["contact": "ada@example.org"], "partners", of: demo)
        try OfferRows(store, keys).write(
            PartnerOffer(id: try ID("offer"), activity: "running", area: "Old Town", since: start, expires: .max), of: demo)
        // Somebody who watches over themselves is there as both.
        try documents.write(["hash": "01", "set": 0], "verification-code", of: demo)
        try documents.write(["guardians": [["guardian": "demo", "since": 0]]], "guardians", of: demo)
        try documents.write(["dependents": ["demo"]], "dependents", of: demo)
        var rule = WatchRule(
            id: try ID("rule"), dependent: demo, guardian: demo, kind: .silence(SilenceWatch(minutes: 30)))
        rule.begin = start
        try WatchRules(store: store, keys: keys).write(rule)
        let alert = Alert(
            id: try ID("alert"), dependent: demo, kind: .helpWanted, time: start, about: nil, sight: nil, pause: nil)
        #expect(try AlertRows(store: store, keys: keys).add(alert, now: start, next: nil))
        try Notifications(store, keys).add(
            Notification(kind: .goalReached, time: start, day: CalendarDay("2026-11-21"), goal: "steps", text: "!"),
            to: demo)
        // Somebody who has to do with their own post is there as all of the three.
        let post = Post(id: try ID("post"), author: demo, time: start, hasPicture: true, isForFriends: true)
        try PostRows(store, keys).add(post, Picture(["picture": .string(Data(smallestJPEG()).base64EncodedString())]))
        let thumb = GivenThumb(post: post.id, author: demo, thumb: .up, told: demo)
        _ = try ThumbRows(store, keys).write(thumb, by: demo, to: post)
        let reported = Reportable(post, post.figures, picture: nil)
        #expect(try ReportRows(store, keys).add("Why not?", of: reported, by: demo, now: start))
        let comment = PostComment(
            id: try ID("comment"), post: post.id, author: demo, writer: demo, time: start, text: "Mine", told: demo)
        try CommentRows(store, keys).write(comment)
        try OwnPlaceChoice.keep(true, documents, of: demo)
        try documents.write(["times": [.integer(start)]], "posting", of: demo)
        let run = try KeptWorkout(id: ID("run"), .running, goal: nil, endsAtGoal: false, start: start)
        try WorkoutRows(store, keys).write(run, of: demo)
        try WorkoutVersions(store, keys).write(
            WorkoutVersion(id: ID("before"), workout: run.id, number: 1, kept: run, made: nil), of: demo)
        let digest = [UInt8](repeating: 7, count: 32)
        let answered = try documents.sealed(.string("yes"), Answered.label(digest), of: demo)
        let name = try documents.sealed(.string("Ada's phone"), Documents.label(ofDevice: "phone"), of: demo)
        for (sql, values) in [
            (
                "INSERT INTO answered VALUES (?, 'demo', ?, ?, 0)",
                [.blob(digest), .integer(answered.version), .blob(answered.sealed)]
            ),
            (
                "INSERT INTO devices VALUES ('phone', 'demo', x'00', 0, ?, ?)",
                [.integer(name.version), .blob(name.sealed)]
            ),
            ("INSERT INTO accounts VALUES ('demo', NULL, NULL, NULL, 0, 0, NULL, 0)", []),
            ("INSERT INTO subjects VALUES (zeroblob(32), 'demo', 'provider')", []),
            ("INSERT INTO claims VALUES ('home', 'belt', 'demo', 2, 0)", []),
            ("INSERT INTO claims VALUES ('phones', 'phone-a', 'demo', 8, 0)", []),
            ("INSERT INTO push_queue VALUES (1, 'demo', 'push-a', 'told', 0, 0, 0)", []),
            ("INSERT INTO waiting_invitations VALUES ('waiting-a', 'demo', zeroblob(32), 0)", []),
            ("INSERT INTO gateways VALUES ('shed', 'demo', zeroblob(32), x'00', x'00', 0, 0)", []),
        ] as [(String, [Value])] { try store.database.execute(sql, values) }
        // A list of its own, which goes on knowing them.
        let rows = try store.personalRows(of: demo).filter { $0.key != "forgotten" }
        #expect(rows.count >= 15 && rows.allSatisfy { $0.value > 0 }, "\(rows.filter { $0.value == 0 })")
        return parts
    }

    @Test("empties every table that says whose its rows are, and each had some", arguments: [false, true])
    func everyTable(withAccount: Bool) throws {
        let parts = try full()
        let before = try parts.store.personalRows(of: demo, upTo: 1)
        #expect(before.count >= 9 && before.values.allSatisfy { $0 > 0 })
        // Nobody is to have the sensor afterwards.
        let settings = try household.settings(people: "other: { sensors: [\"home/watch\"] }")
        let person = Forgotten(user: demo, version: 1, time: start, isWithAccount: withAccount)
        let grants = parts.grants
        var erasure = Erasure(person, parts.store, parts.keys, Feature.all) { sensors throws(VaultError) in
            let people = try Claims(store: grants.store).people(settings, only: sensors)
            try grants.settle(people, only: sensors, now: start + 10_000)
        }
        try erasure.finish()
        #expect(erasure.proof.tried >= 9 && erasure.proof.opened == 0)
        // The end of a stream has hours computed again, of which nothing is left.
        while try !parts.stale.work(within: .seconds(10)) {}
        #expect(try parts.store.personalRows(of: demo, upTo: 1).values.allSatisfy { $0 == 0 })
        let left = Set(try parts.store.personalRows(of: demo).filter { $0.value > 0 }.keys)
        let account: Set = ["accounts", "claims", "devices", "documents", "gateways", "subjects"]
        #expect(left == (withAccount ? ["forgotten"] : account.union(["forgotten", "people"])))
    }

    @Test("takes no table's rows that an export did not show, unless its feature says why not")
    func exported() throws {
        let parts = try full()
        let source = ExportSource(demo, parts.settings, store: parts.store, keys: parts.keys)
        let shown = try Feature.all.flatMap(\.exports).filter { section in
            try section.part(source, ExportPosition(section: section.name)) != nil
        }
        let tables =
            Feature.all.sealedTables.map { ($0.name, $0.exported) } + Feature.all.tables.map { ($0.name, $0.exported) }
        #expect(tables.count >= 15)
        for (name, exported) in tables {
            guard case .shown(let sections) = exported else { continue }
            #expect(Set(sections).isSubset(of: shown.map(\.name)), "\(name)")
        }
    }

    @Test("leaves the sensor's past nobody's, and another person's late readings are still judged by it")
    func foreignTimes() throws {
        // First other, then demo, then other again had the strap.
        _ = try household.open(people: "other: { sensors: [\"home/strap\"] }", now: start)
        var parts = try household.open(people: "demo: { sensors: [\"home/strap\"] }", now: start + 600_000)
        let first = try #require(try parts.store.streams(of: ID("other")).first)
        let times = try parts.store.foreignTimes(of: first)
        #expect(times.count == 1)
        var erasure = erasure(parts)
        try erasure.finish()
        #expect(try parts.store.foreignTimes(of: first).map(\.lowerBound).contains(times[0].lowerBound))
        parts = try household.open(people: "other: { sensors: [\"home/strap\"] }", now: start + 900_000)
        let after = try parts.store.foreignTimes(of: first)
        #expect(after.contains { $0.contains(start + 700_000) } && !after.contains { $0.contains(start + 901_000) })
    }

    @Test("tells a gateway that the stream has ended, for as long as nobody else has the sensor")
    func ended() throws {
        var (parts, _, _) = try lived()
        let before = try parts.grant()
        // Nobody is to have it now.
        let settings = try household.settings(people: "other: { sensors: [\"home/watch\"] }")
        try parts.grants.settle(settings.people, now: start + 5000)
        var erasure = erasure(parts)
        try erasure.finish()
        for _ in 1...2 {
            let grant = try parts.grant()
            #expect(grant.stream == before.stream && grant.until == start + 5000)
            #expect(grant.personPublicKey == before.personPublicKey)
            parts = try household.open(people: "other: { sensors: [\"home/watch\"] }", now: start + 20_000)
        }
    }

    @Test("with the account leaves nothing but a name on the list")
    func account() throws {
        var (parts, _, _) = try lived()
        let settings = try household.settings(people: "other: { sensors: [\"home/watch\"] }")
        try parts.store.database.execute(
            "INSERT INTO claims (gateway, sensor, person, kinds, claimed_ms) VALUES ('home', 'strap', 'demo', 7, 0)")
        try parts.store.database.execute("INSERT INTO subjects VALUES (zeroblob(32), 'demo', 'provider')")
        let lookup = try parts.keys.lookup("email", "ada@example.org")
        try parts.store.database.execute("UPDATE accounts SET email = ? WHERE person = 'demo'", [.blob(lookup)])
        _ = try NameCodes(.reset, store: parts.store, keys: parts.keys).issue(lookup, now: start)
        try parts.grants.settle(Claims(store: parts.store).people(settings), now: start + 5000)
        let person = Forgotten(user: demo, version: 1, time: start, isWithAccount: true)
        let grants = parts.grants
        var erasure = Erasure(person, parts.store, parts.keys, Feature.all) { sensors throws(VaultError) in
            let people = try Claims(store: grants.store).people(settings, only: sensors)
            try grants.settle(people, only: sensors, now: start + 10_000)
        }
        let before = try parts.store.personalRows(of: demo)
        try erasure.finish()
        #expect(erasure.proof.tried == 5 && erasure.proof.opened == 0)
        let rows = try parts.store.personalRows(of: demo)
        for table in ["accounts", "devices", "documents", "subjects", "claims", "streams"] {
            #expect(before[table, default: 0] > 0 && rows[table] == 0, "\(table)")
        }
        // Nor in pages that are free now.
        try parts.store.database.checkpoint()
        let file = try #require(manager.contents(atPath: parts.store.database.path))
        #expect(try parts.store.database.first("PRAGMA secure_delete", row: Row.int) == 1)
        #expect(file.range(of: Data(lookup)) == nil)
        #expect(try parts.count("codes") == 0, "a code to reset the password has a hash of the address")
        #expect(try !parts.keys.all().contains { $0.user == "demo" })
        #expect(try parts.store.forgotten().people[demo]?.isWithAccount == true)
        #expect(try parts.grant().until != nil)
        // Should the id ever come again, its secret is none that was forgotten.
        #expect(try parts.keys.currentVersion(of: demo) == 2)
        parts = try household.open(people: people, now: start + 20_000)
        #expect(try parts.keys.version(of: demo) == 2)
    }

    @Test("with the account takes along what a request that was under way writes meanwhile")
    func straggler() throws {
        let (parts, _, _) = try lived()
        let demo = demo
        let path = parts.store.database.path
        let (gone, written) = (Goodbye(), Record<String>())
        let forgetting = Forgetting(
            ForgottenPlaces(parts.settings, store: parts.store, keys: parts.keys), Feature.all, gone,
            BeingForgotten(), PeopleChanges())
        let loop = EventLoop(name: "forgetting")
        loop.perform {
            forgetting.start(loop)
            forgetting.forget(
                demo, keepingAccount: false,
                progress: { progress in
                    guard progress.step == "streams", written.all.isEmpty else { return }
                    written.append("late")
                    do {
                        let beside = try Database(path, .readWrite(.full), applicationID: Store.applicationID)
                        try beside.execute(
                            "INSERT INTO devices (device, person, credential, created_ms, secret_version, name) VALUES ('late', 'demo', x'00', 0, 1, x'00')"
                        )
                        try beside.execute(
                            "INSERT INTO gateways (gateway, owner, identity, credential, claim_key, enrolled_ms) VALUES ('late', 'demo', zeroblob(32), x'00', x'00', 0)"
                        )
                    } catch {
                        Issue.record(error)
                    }
                }, completion: { result, _ in if case .failure(let error) = result { Issue.record(error) } })
        }
        loop.start()
        defer { loop.stop() }
        #expect(try gone.devices.wait(for: 1).first?.map(\.text).sorted() == ["late", "phone"])
        let beside = try Database(path, .readOnly, applicationID: Store.applicationID)
        #expect(try beside.first("SELECT count(*) FROM devices", row: Row.int) == 0)
        #expect(try beside.first("SELECT count(*) FROM gateways", row: Row.int) == 0)
        #expect(try beside.first("SELECT gateway FROM ended_gateways", row: Row.text) == "late")
    }

    @Test("is on the list while leave is taken elsewhere, so that a kill loses nothing, and goes on afterwards")
    func leave() throws {
        let (parts, _, _) = try lived()
        let settings = parts.settings
        let places = ForgottenPlaces(settings, store: parts.store, keys: parts.keys)
        let (demo, gone, taker, changes) = (demo, Goodbye(), SlowFarewell(), PeopleChanges())
        changes.add(taker)
        let forgetting = Forgetting(places, Feature.all, gone, BeingForgotten(), changes)
        let (loop, left) = (EventLoop(name: "forgetting"), Record<[String]>())
        loop.perform {
            forgetting.start(loop)
            forgetting.forget(demo, keepingAccount: true) { _, sentences in left.append(sentences) }
        }
        loop.start()
        defer { loop.stop() }
        let goOn = try #require(try taker.asked.wait(for: 1).first)
        let keys = try Keys(settings, .read)
        #expect(try ForgottenList(state("forgotten"), keys).people[demo]?.isWithAccount == false)
        #expect(try keys.all().contains { $0.user == "demo" && $0.version == 1 })
        loop.perform { goOn("Do the rest yourself") }
        #expect(try left.wait(for: 1) == [["Do the rest yourself"]])
        #expect(try keys.all().filter { $0.user == "demo" }.map(\.version) == [2])
    }

    @Test("waits for nobody else's leave, and is on the list as soon as somebody asks")
    func leaves() throws {
        let (parts, _, _) = try lived()
        let settings = parts.settings
        let places = ForgottenPlaces(settings, store: parts.store, keys: parts.keys)
        let (demo, other, taker, changes) = (demo, try ID("other"), SlowFarewell(), PeopleChanges())
        changes.add(taker)
        let forgetting = Forgetting(places, Feature.all, Goodbye(), BeingForgotten(), changes)
        let (loop, gone) = (EventLoop(name: "forgetting"), Record<String>())
        loop.perform {
            forgetting.start(loop)
            for user in [demo, other] {
                forgetting.forget(user, keepingAccount: true) { _, left in gone.append("\(user) \(left)") }
            }
        }
        loop.start()
        defer { loop.stop() }
        let asked = try taker.asked.wait(for: 2)
        let list = try ForgottenList(state("forgotten"), Keys(settings, .read))
        #expect(Set(list.people.keys) == [demo, other])
        // The first one's server never answers: the second one is forgotten all the same.
        loop.perform { asked[1](nil) }
        #expect(try gone.wait(for: 1) == ["other []"])
        loop.perform { asked[0]("Do the rest yourself") }
        #expect(try gone.wait(for: 2).last == "demo [\"Do the rest yourself\"]")
    }

    @Test("goes on at the next start, wherever it was interrupted", arguments: 0...12)
    func interrupted(after parts: Int) throws {
        do {
            let (opened, _, _) = try lived(hours: 3)
            let places = ForgottenPlaces(opened.settings, store: opened.store, keys: opened.keys)
            try places.note(Forgotten(user: demo, version: 1, time: start, isWithAccount: false))
            var erasure = erasure(opened)
            for _ in 0..<parts where erasure.step != nil { _ = try erasure.advance() }
        }
        let settings = try household.settings(people: people)
        do { _ = try Consumer(settings, readiness: Readiness()) { _ in } }
        let keys = try Keys(settings, .read)
        #expect(try keys.all().filter { $0.user == "demo" }.map(\.version) == [2])
        let opened = try household.open(people: people, now: start + 30_000)
        #expect(try opened.printed() == [])
        #expect(try Documents(store: opened.store, keys: opened.keys).read("contact", of: demo) != nil)
        while try opened.store.deleteForgotten(atMost: 10) > 0 {}
        #expect(try opened.count("blocks") == 3 && opened.count("sessions") == 1)
        #expect(try CheckCommand.findings(opened.store, opened.keys).isGood)
    }

    @Test("is remembered in files that tell what somebody else wrote, or what a power cut tore")
    func list() throws {
        let (parts, session, _) = try lived()
        let settings = try household.settings(people: people, more: "forgotten_file: \"stick/forgotten\",")
        let places = ForgottenPlaces(settings, store: parts.store, keys: parts.keys)
        let person = Forgotten(user: demo, version: 1, time: start, isWithAccount: false)
        // The second place is not there: the first counts.
        try places.note(person)
        let path = state("forgotten")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let list = try ForgottenList(path, parts.keys)
        #expect(list.people == [demo: person] && list.streams == [session.stream] && list.strange == 0)
        // It is there now, and gets all of it.
        try manager.createDirectory(atPath: household.path("stick"), withIntermediateDirectories: false)
        #expect(try places.bringUpToDate().people == [demo: person])
        #expect(try ForgottenList(household.path("stick/forgotten"), parts.keys) == list)
        #expect(try parts.store.isForgotten(session.stream))

        let whole = try #require(manager.contents(atPath: path))
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: URL(fileURLWithPath: path))
            let torn = try ForgottenList(path, parts.keys)
            #expect(
                torn.people.count + torn.streams.count
                    == lines.count { length >= whole.range(of: Data($0.utf8))!.upperBound })
            if length % 7 == 0 {
                // What is added afterwards is whole.
                let other = Forgotten(user: home, version: 3, time: start, isWithAccount: true)
                var more = ForgottenList()
                more.add(other)
                try more.append(to: path, parts.keys)
                #expect(try ForgottenList(path, parts.keys).people[home] == other)
            }
        }
        for index in whole.indices where whole[index] != UInt8(ascii: "\n") {
            var altered = whole
            altered[index] ^= 1
            try altered.write(to: URL(fileURLWithPath: path))
            let read = try ForgottenList(path, parts.keys)
            #expect(read.people.count + read.streams.count == lines.count - 1 && read.strange >= 1)
        }
    }
}

/// Takes leave until it is told that this is over.
private final class SlowFarewell: PeopleObserver, LeaveTaker {
    let asked = Record<@Sendable (String?) -> Void>()

    func announceLeave(of user: ID) throws(VaultError) -> String? { nil }

    func takeLeave(of user: ID, completion: @escaping @Sendable (String?) -> Void) { asked.append(completion) }
}

/// Notes the devices of accounts that are gone.
private final class Goodbye: ForgettingDoors {
    let devices = Record<[ID]>()
    let givenSensors: Set<SensorName> = []

    func settle(_ sensors: Set<SensorName>) throws(VaultError) {}

    func accountGone(_ user: ID, _ devices: [ID]) { self.devices.append(devices) }
}
