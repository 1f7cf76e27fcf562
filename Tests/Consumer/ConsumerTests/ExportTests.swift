import Daemon
import DaysSupport
import Files
import Fitness
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Calendars
@testable import Custody
@testable import Days
@testable import Exercise
@testable import Features
@testable import Meals
@testable import Quotes
@testable import Readings
@testable import Reminders
@testable import Sharing
@testable import Social
@testable import vitals_consumer

@Suite("Export")
struct ExportTests {
    let demo: ID
    let household: Household
    private let people = "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }"

    init() throws {
        demo = try ID("demo")
        household = try Household()
    }

    private func picture() -> [UInt8] {
        [0xFF, 0xD8, 0xFF] + (0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }
    }

    /// Hours of heart rate with instants of several readings, some of everything else.
    private func lived() throws -> Parts {
        var parts = try household.open(people: people)
        let (session, old) = (try parts.session(household), try parts.session(household))
        let other = try parts.session(household, "watch")
        _ = try parts.take(session.keyBlock, old.keyBlock, other.keyBlock, other.block(beat(0, 133)))
        var blocks: [[UInt8]] = []
        for number in 0..<120 {
            let first = Int64(number) * 120_000
            // The same instant several times, also over the bounds of blocks.
            blocks.append(
                try session.block((0..<60).map { beat(first + $0 / 3 * 6000, 60 + UInt16($0), rr: [800, 810]) }))
        }
        blocks.append(
            try session.loose(old, [old.record(0, beat(500, 69)), old.record(1, beat(6000, 63, rr: [800, 810]))]))
        let full = HeartRateMeasurement(
            beatsPerMinute: 72, contact: .detected, energyKilojoules: 128, rrIntervals: [831])
        blocks.append(try session.block(Reading(at: beat(7_777_777, 0).moment, .heartRate(full))))
        for number in 0..<50 {
            let moment = beat(Int64(number) * 60_000, 0).moment
            blocks.append(
                try session.block(Reading(at: moment, .steps(StepCount(UInt32(number), isDerived: number % 2 == 0)))))
            blocks.append(
                try session.block(Reading(at: moment, .temperature(Temperature(thousandths: 36_970, site: .armpit)))))
        }
        _ = try parts.take(all: blocks)
        let documents = Documents(store: parts.store, keys: parts.keys)
        try documents.write(["name": "Ada ä"], "profile", of: demo)
        try documents.write(["picture": .string(Data(picture()).base64EncodedString())], "picture", of: demo)
        try documents.write(["email": "ada@example.org"], "contact", of: demo)
        return parts
    }

    private func export(_ parts: Parts, of user: ID? = nil) -> Export {
        Export(Feature.all, ExportSource(user ?? demo, parts.settings, store: parts.store, keys: parts.keys))
    }

    /// All files as their parts put together, through cursors.
    private func all(_ parts: Parts) throws -> [(name: String, text: String)] {
        let export = export(parts)
        var files: [(name: String, text: String)] = []
        var position: ExportPosition? = export.start
        while let here = position {
            let part = try export.part(at: here)
            #expect(part.text.utf8.count <= 32 * 1024)
            if files.last?.name != part.file { files.append((part.file, "")) }
            files[files.count - 1].text += part.text
            let cursor = try part.next.map { try export.cursor(for: $0) }
            position = try cursor.flatMap { try export.position(of: $0) }
            #expect(position == part.next)
        }
        return files
    }

    @Test("comes to an end, part by part, when heart rates are as far apart as times can be")
    func farApart() throws {
        let household = try Household()
        let demo = try ID("demo")
        var parts = try household.open { store, keys in [HeartRateMinutes(store, keys)] }
        let session = try parts.session(household)
        let walls = [-Moment.limit + 1, start, Moment.limit - 1]
        let readings = walls.map { wall in
            Reading(
                at: Moment(wall: wall, monotonic: 1_000_000), .heartRate(HeartRateMeasurement(beatsPerMinute: 70)))
        }
        _ = try parts.take(
            session.keyBlock, session.block(readings[0]), session.block(readings[1]), session.block(readings[2]))
        let export = Export(Feature.all, ExportSource(demo, parts.settings, store: parts.store, keys: parts.keys))
        var (position, days): (ExportPosition?, String) = (export.start, "")
        while let next = position {
            let part = try export.part(at: next)
            if part.file == "days.jsonl" { days += part.text }
            position = part.next
        }
        #expect(days.split(separator: "\n").count == 3, "\(days)")
    }

    @Test("has everything that readings prints, in the same order, and the documents")
    func wholeWay() throws {
        let parts = try lived()
        let files = try all(parts)
        #expect(
            files.map(\.name) == [
                "README.txt", "account.json", "profile.json", "sensors.json", "picture.jpeg", "heart-rate.csv",
                "steps.csv", "temperature.csv",
            ])
        let byName = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
        #expect(byName["account.json"] == "{\"user\":\"demo\",\"email\":\"ada@example.org\"}\n")
        #expect(byName["profile.json"] == "{\"name\":\"Ada ä\"}\n")
        #expect(try Array(#require(Data(base64Encoded: byName["picture.jpeg"] ?? ""))) == picture())
        for kind in [ReadingKind.heartRate, .steps, .temperature] {
            let lines = try #require(byName["\(kind.rawValue).csv"]).split(separator: "\n").map(String.init)
            #expect(lines.first == header(kind))
            let printed = try parts.printed(kind)
            #expect(lines.count == printed.count + 1)
            for (line, json) in zip(lines.dropFirst(), printed) { #expect(try described(line, kind) == json) }
        }
        #expect(try parts.printed().count > 7000)
    }

    /// The first line of a CSV file.
    private func header(_ kind: ReadingKind) -> String {
        let section = Feature.readings.exports.first { $0.name == "\(kind.rawValue).csv" }
        return section?.columns.map(\.name).joined(separator: ",") ?? ""
    }

    /// A line of a CSV file as `readings` prints it.
    private func described(_ line: String, _ kind: ReadingKind) throws -> String {
        let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        #expect(unixMilliseconds(iso8601: fields[0]) == Int64(fields[1]))
        var members = ["\"time\":\(fields[1])"]
        for (name, field) in zip(header(kind).split(separator: ",").dropFirst(2), fields.dropFirst(2))
        where !field.isEmpty {
            switch name {
            case "rr_ms": members.append("\"rr_ms\":[\(field.replacing(" ", with: ","))]")
            case "site": members.append("\"site\":\"\(field)\"")
            default: members.append("\"\(name)\":\(field)")
            }
        }
        return "{\(members.joined(separator: ","))}"
    }

    @Test("begins with a text that explains each of its files and each column of its tables")
    func readme() throws {
        let parts = try lived()
        let export = export(parts)
        let first = try export.part(at: export.start)
        #expect(first.file == "README.txt" && first.next?.section == "account.json")
        let lines = first.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for section in export.sections {
            let place = try #require(lines.firstIndex(of: section.name), "\(section.name)")
            #expect(lines[place + 1].hasPrefix("    ") && lines[place + 1].hasSuffix("."), "\(section.name)")
            for column in section.columns {
                #expect(lines[place...].contains { $0.hasPrefix("      \(column.name): ") }, "\(column.name)")
            }
        }
        #expect(
            export.sections.map(\.name) == [
                "README.txt", "account.json", "profile.json", "consent.json", "devices.json", "sensors.json",
                "phones.json", "picture",
                "history.json", "week-goals.json", "friends.json", "thumbs.json", "groups.json", "partners.json", "guardians.json", "dependents.json", "place.json", "watch-rules.json",
                "alerts.json", "posts.json", "post-picture", "reminders.json", "calendar.json", "quotes.json", "notifications.json", "push.json",
                "sharing.json", "weekly.json",
                "heart-rate-deleted.json",
                "workout-goal.json", "workout-plans.json", "workout-gear.json", "workouts.jsonl", "workout-originals.jsonl", "training.json", "trainings.jsonl", "music.json",
                "voice.json", "imports.json", "meals.jsonl", "foods.json",
                "days.jsonl",
                "position.csv", "motion.csv", "pedometer.csv", "heart-rate.csv", "steps.csv", "temperature.csv",
            ])
        // The document names them all, in the same order.
        let document = try String(contentsOfFile: "\(projectFolder)/deploy/topics.md", encoding: .utf8)
        let told = document.components(separatedBy: "These follow in this order: ").last?.components(
            separatedBy: ". All")
        let names = (told?.first ?? "").split(separator: "`").filter { $0.contains(".") }.map(String.init)
        #expect(names == export.sections.dropFirst().map { $0.name.contains(".") ? $0.name : "\($0.name).*" })
    }

    @Test("holds everything that is kept of people: every document, and every table that says whose its rows are")
    func complete() throws {
        let parts = try lived()
        let (store, keys) = (parts.store, parts.keys)
        let documents = Documents(store: store, keys: keys)
        let friend = try ID("other")
        let name = try documents.sealed(.string("Ada's phone"), Documents.label(ofDevice: "phone"), of: demo)
        for (sql, values) in [
            (
                "INSERT INTO devices VALUES ('phone', 'demo', x'00', 0, ?, ?)",
                [.integer(name.version), .blob(name.sealed)]
            ),
            ("INSERT INTO accounts VALUES ('demo', NULL, NULL, NULL, 0, 0, NULL, 0)", []),
            ("INSERT INTO subjects VALUES (zeroblob(32), 'demo', 'a provider')", []),
            ("INSERT INTO claims VALUES ('home', 'belt', 'demo', 2, 0)", []),
        ] as [(String, [Value])] { try store.database.execute(sql, values) }
        try documents.write(["steps": true], "consent", of: demo)
        try documents.write(["gear": [["name": "Blue shoes"]]], "workout-gear", of: demo)
        try documents.write(["plans": [["name": "Lunch run"]]], "workout-plans", of: demo)
        try documents.write(["miles": 2, "say": ["pace"]], "voice", of: demo)
        try ReminderList(documents: documents).write([.madeUp()], of: demo)
        let soup = Nutrition(kilocalories: 450, protein: 22)
        try MealDays(store, keys).write(
            [Meal(id: ID("20778-soup"), time: start, name: "Soup", grams: nil, soup)], of: demo,
            on: CalendarDay(daysSince1970: 20_778))
        try Foods(store, keys).add(Food(id: ID("soup"), name: "Soup", portion: 400, soup), of: demo)
        try LikedQuotes(store, keys).add(
            Quote(id: ID("tea"), english: "Afterwards, tea.", german: "Danach: Tee."), of: demo, now: start)
        try CalendarRecord.madeUp().keep(documents, of: demo)
        try documents.write(["gateway": "home", "workouts": true], "music", of: demo)
        try writeMadeUpTraining(documents, of: demo)
        try documents.write(SharingServices.madeUp, SharingServices.document, of: demo)
        try documents.write(["told": 20_766], "weekly", of: demo)
        try documents.write(["reached": [["from": 20_773, "goal": "days", "target": 5, "time": .integer(start)]]], "week-goals", of: demo)
        try documents.write(["name": "Bob"], "profile", of: friend)
        let lists = FriendLists(documents)
        try store.change([demo, friend]) { () throws(VaultError) in
            for (one, other) in [(demo, friend), (friend, demo)] {
                try lists.change(one) { $0.add(Tie(id: other, user: other, state: .friend, since: start)) }
            }
            try Notifications(store, keys).add(
                Notification(
                    kind: .goalReached, time: start, day: CalendarDay("2026-11-21"), goal: "steps", text: "Reached!"),
                to: demo)
        }
        let tie = try #require(lists.list(of: demo).ties.first)
        try documents.write(
            ["day": "2026-11-21", "given": .object([JSON.Member(friend.text, 3), JSON.Member("gone", 2)])], "thumbs",
            of: demo)
        _ = try Deletions(store, keys).hide(start + 10_000_000..<start + 10_001_000, of: demo)
        let byName = Dictionary(uniqueKeysWithValues: try all(parts).map { ($0.name, $0.text) })
        func file(_ name: String) throws -> JSON { try JSON(payload: Array(#require(byName[name]).utf8)) }
        #expect(try file("consent.json") == ["steps": true])
        #expect(try file("workout-gear.json") == ["gear": [["name": "Blue shoes"]]])
        #expect(try file("voice.json") == ["miles": 2, "say": ["pace"]])
        #expect(try file("music.json") == ["gateway": "home", "workouts": true])
        let training = try #require(byName["training.json"])
        #expect(training.contains(#""equipment":["bands"],"level":"beginner""#), "\(training)")
        #expect(training.contains(#""2026-11-16":[{"choice":"choice"#) && training.contains(#""time":"2026-11-21T"#))
        #expect(byName["trainings.jsonl"]?.contains(#"{"workout":"run","started":"2026-11-21T"#) == true)
        #expect(try file("workout-plans.json") == ["plans": [["name": "Lunch run"]]])
        #expect(try file("weekly.json") == ["told": "2026-11-09"])
        #expect(byName["week-goals.json"]?.contains(#"{"from":"2026-11-16","goal":"days","target":5,"time":"2026-11-21T"#) == true)
        let reminders = try #require(byName["reminders.json"])
        let calendar = try #require(byName["calendar.json"])
        #expect(calendar.contains("https://cloud.example.org/ada/fitness/") && calendar.contains("every month"))
        #expect(!calendar.contains("correct horse"))
        #expect(reminders.contains(#""label":"Yoga","#) && reminders.contains(#""changed":"2026-11-21T"#))
        let sharing = try #require(byName["sharing.json"])
        #expect(sharing.contains("mastodons://mastodon.example/…") && !sharing.contains("the-token"))
        #expect(
            byName["quotes.json"] == """
                {"quotes":[{"quote":"tea","en":"Afterwards, tea.","de":"Danach: Tee.","time":"2026-11-21T09:00:00.000Z"}]}

                """)
        #expect(
            byName["meals.jsonl"] == """
                {"day":"2026-11-21","meal":"20778-soup","time":"2026-11-21T09:00:00.000Z","name":"Soup","energy_kcal":450.0,"protein_g":22.0}

                """)
        #expect(
            byName["foods.json"] == """
                {"foods":[{"food":"soup","name":"Soup","portion_g":400.0,"energy_kcal":450.0,"protein_g":22.0}]}

                """)
        #expect(try file("account.json")["providers"] == ["a provider"])
        #expect(byName["devices.json"]?.contains("Ada's phone") == true)
        #expect(byName["sensors.json"]?.contains("belt") == true)
        let friends = try #require(byName["friends.json"])
        #expect(friends.contains(#"{"friend":"\#(tie.id)","name":"Bob","state":"friend""#), "\(friends)")
        #expect(byName["notifications.json"]?.contains("Reached!") == true)
        #expect(
            byName["thumbs.json"] == """
                {"day":"2026-11-21","thumbs":[{"given":2},{"friend":"other","given":3}]}

                """)
        #expect(
            byName["heart-rate-deleted.json"] == """
                {"deleted":[{"from":"2026-11-21T11:46:40.000Z","to":"2026-11-21T11:46:41.000Z"}]}

                """)
    }

    @Test("has what workouts were before they were corrected, however long their notes are")
    func originals() throws {
        let parts = try lived()
        let versions = WorkoutVersions(parts.store, parts.keys)
        for number in 1...40 as ClosedRange<Int64> {
            // Two of each day, of 4,000 bytes.
            let began = start - number / 2 * 86_400_000
            var run = try KeptWorkout(id: ID("run"), .running, goal: nil, endsAtGoal: false, start: began)
            run.note = String(repeating: "ü", count: 2000)
            try versions.write(
                WorkoutVersion(id: drawnID(), workout: run.id, number: number, kept: run, made: nil), of: demo)
        }
        let text = try #require(all(parts).first { $0.name == "workout-originals.jsonl" }?.text)
        let lines = try text.split(separator: "\n").map { try JSON(payload: Array($0.utf8)) }
        #expect(Set(lines.map { $0["number"]?.double }).count == 40 && lines.count == 40)
        #expect(lines.allSatisfy { $0["kept_for"] == "run" && $0["workout"]?["note"] != nil })
    }

    @Test("spells the dates of its documents as ISO 8601 has them")
    func dates() throws {
        let parts = try lived()
        try Documents(store: parts.store, keys: parts.keys).write(
            [
                "zones": [["zone": "Europe/Berlin"], ["from": 951_782_400_000, "zone": "UTC"]],
                "bodies": [["from": 0, "height_cm": 168]], "targets": [["from": 20_778, "steps": 12_000]],
            ], "history", of: demo)
        let notification = Notification(
            kind: .goalReached, time: 951_782_400_000, day: CalendarDay("2000-02-29"), goal: "steps", text: "Reached!")
        try parts.store.change(demo) { () throws(VaultError) in
            try Notifications(parts.store, parts.keys).add(notification, to: demo)
        }
        let byName = Dictionary(uniqueKeysWithValues: try all(parts).map { ($0.name, $0.text) })
        #expect(
            byName["history.json"] == """
                {"bodies":[{"from":"1970-01-01","height_cm":168}],"targets":[{"from":"2026-11-21","steps":12000}],\
                "zones":[{"zone":"Europe/Berlin"},{"from":"2000-02-29T00:00:00.000Z","zone":"UTC"}]}

                """)
        let notifications = try #require(byName["notifications.json"])
        #expect(notifications.contains(#""time":"2000-02-29T00:00:00.000Z""#), "\(notifications)")
    }

    @Test("takes no cursor of another person's, none that was altered, and none that was made up")
    func cursors() throws {
        let parts = try lived()
        let export = export(parts)
        let position = ExportPosition(section: "heart-rate.csv", time: start, count: 3)
        let cursor = try export.cursor(for: position)
        #expect(try export.position(of: cursor) == position)
        #expect(try self.export(parts, of: ID("other")).position(of: cursor) == nil)
        for index in cursor.indices {
            var altered = Array(cursor)
            let place = cursor.distance(from: cursor.startIndex, to: index)
            altered[place] = altered[place] == "0" ? "1" : "0"
            #expect(try export.position(of: String(altered)) == nil)
        }
        for text in ["", "00", String(repeating: "0", count: cursor.count), cursor + "00", "é" + cursor.dropFirst()] {
            #expect(try export.position(of: text) == nil)
        }
    }

    @Test("takes no cursor of an earlier version, and none of a section that is not there any longer")
    func oldCursors() throws {
        let parts = try lived()
        let export = export(parts)
        func hexadecimal(_ bytes: [UInt8]) -> String {
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        // The number of a file, a time and a count.
        let old: [UInt8] = [10] + [UInt8](repeating: 0, count: 16)
        let sealed = try parts.keys.service.seal(old, RowContext("export", "demo"))
        #expect(try export.position(of: hexadecimal(sealed)) == nil)
        // It is the section that is missing.
        let cursor = try export.cursor(for: ExportPosition(section: "diary.json"))
        #expect(try export.position(of: cursor) == nil)
        let source = ExportSource(demo, parts.settings, store: parts.store, keys: parts.keys)
        let diary = Feature(name: "diary", exports: [.document("diary.json", "Your diary.") { _ in [:] }])
        #expect(try Export([diary], source).position(of: cursor)?.section == "diary.json")
    }

    @Test("as a command writes the same files, for their owner alone")
    func command() throws {
        let parts = try lived()
        let folder = household.path("taken")
        let settings = try household.written()
        let lines = try output { _ = try ExportCommand(user: demo, folder: folder).run(settings, output: $0) }
        #expect(lines.count == 8)
        for (name, text) in try all(parts) {
            let bytes = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
            #expect(name.hasPrefix("picture") ? Array(bytes) == picture() : bytes == Data(text.utf8), "\(name)")
            var status = stat()
            #expect(stat("\(folder)/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        #expect(
            thrown(Failure.self) { try ExportCommand(user: demo, folder: folder).run(settings, output: 1) } != nil
        )
        // What does not open is said to be missing.
        try parts.store.database.execute("UPDATE blocks SET sealed = zeroblob(40) WHERE number = 2")
        let damaged = thrown(Failure.self) {
            try output { _ = try ExportCommand(user: demo, folder: folder + "-2").run(settings, output: $0) }
        }
        #expect(damaged?.message.contains("does not open") == true)
    }
}
