import Telemetry
import TestSupport
import Testing

@Suite("vitals groups", .timeLimit(.minutes(60)))
struct GroupCommandTests {
    private static let challenge: JSON = [
        "from": "2026-11-21", "measure": "distance", "period": "week", "target": 50_000, "to": "2026-11-27",
    ]
    private static let birds: JSON = [
        "challenge": challenge, "competing": true, "group": "birds-1", "members": 3, "name": "The early birds",
        "owner": true, "since": 1_795_261_361_000,
    ]
    private static let owls: JSON = [
        "competing": false, "group": "owls-1", "members": 2, "name": "Owls\u{1B}[2J", "owner": false,
        "since": 1_795_261_361_000,
    ]
    private static let table: JSON = [
        "group": "birds-1", "measure": "distance", "period": "week", "from": "2026-11-21", "to": "2026-11-27",
        "over": true, "final": false,
        "rows": [
            ["rank": 1, "member": "m1", "name": "Ada", "value": 8970, "you": true],
            ["rank": 1, "member": "m2", "name": "Grace\u{1B}", "value": 8970, "you": false],
            ["rank": 3, "member": "m3", "value": 0, "you": false],
        ],
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("groups/list", ["groups": [Self.birds, Self.owls]])
        consumer.answer("profile/get", ["profile": ["units": "metric"]])
        return consumer
    }

    @Test("lists groups with their challenges, for people and for programs, and says how to begin")
    func list() throws {
        let consumer = try signedIn()
        let list = try consumer.vitals("groups")
        let lines = list.output.split(separator: "\n").map(String.init)
        #expect(list.status == 0 && lines.count == 3 && lines[0].hasPrefix("NAME"), "\(list)")
        #expect(lines[1].contains("distance on foot, 2026-11-21 to 2026-11-27, target 50.00 km"), "\(list)")
        #expect(lines[2].contains("owls-1") && !list.output.contains("\u{1B}"), "\(list)")
        let json = try consumer.vitals("groups", "--json").output.split(separator: "\n")
        #expect(try json.map { try JSON(payload: Array($0.utf8)) } == [Self.birds, Self.owls])
        #expect(try consumer.completion("groups") { $0.contains("The early birds\n") }.contains("The early birds\n"))
        consumer.answer("groups/list", ["groups": []])
        let none = try consumer.vitals("groups")
        #expect(none.output.isEmpty && none.errors.contains("groups join CODE"), "\(none)")
    }

    @Test("shows a table with its ranks and units, and who you are in it")
    func table() throws {
        let consumer = try signedIn()
        consumer.answer("groups/table", Self.table)
        let shown = try consumer.vitals("groups", "table", "the EARLY birds", "--from", "2026-11-21")
        #expect(try consumer.last().fields == ["from": "2026-11-21", "group": "birds-1"])
        let lines = shown.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 5 && lines[0].hasSuffix(": over; late readings still change it"), "\(shown)")
        #expect(lines[1].contains("DISTANCE") && lines[2].contains("Ada (you)") && lines[2].hasSuffix("8.97 km"), "\(shown)")
        #expect(lines[4].contains("3 ") && lines[4].contains("somebody") && !shown.output.contains("\u{1B}"), "\(shown)")
        consumer.answer("profile/get", ["profile": ["units": "imperial"]])
        #expect(try consumer.vitals("groups", "table", "birds-1").output.contains("5.57 mi"))
        consumer.refuse("groups/table", ReplyError(.notFound, "this group has no such challenge", field: "from"))
        let earlier = try consumer.vitals("groups", "table", "birds-1", "--from", "2020-01-01")
        #expect(earlier.status == 67 && earlier.errors.contains("groups show 'The early birds' lists its challenges"), "\(earlier)")
        let none = try consumer.vitals("groups", "table", "birds-1")
        #expect(none.status == 67 && none.errors.contains("groups challenge 'The early birds' steps week"), "\(none)")
    }

    @Test(
        "refuses a target that is not one, in the person's unit and before anything is asked of the group",
        arguments: [
            ("steps", "metric", "2.5", "a whole number from 1 to 1,000,000,000"),
            ("minutes", "metric", "99999999999999999", "a whole number from 1 to 1,000,000,000"),
            ("workouts", "metric", "0", "a whole number from 1 to 1,000,000,000"),
            ("distance", "metric", "100km", "0.001 to 1,000,000 km"), ("distance", "metric", "0.0001", "0.001 to 1,000,000 km"),
            ("distance", "imperial", "0", "0.001 to 621,371 mi"),
        ])
    func targets(measure: String, units: String, target: String, expected: String) throws {
        let consumer = try signedIn()
        consumer.answer("profile/get", ["profile": ["units": .string(units)]])
        consumer.answer("groups/challenge", Self.birds)
        let refused = try consumer.vitals("groups", "challenge", "birds-1", measure, "week", "--target", target)
        #expect(
            refused.status == 64 && refused.errors.hasPrefix("vitals: --target: expected \(expected), found \(target)\n"), "\(refused)")
        #expect(try consumer.last().name == "groups/list")
    }

    @Test("makes, joins and changes groups, and asks before what cannot be brought back")
    func changes() throws {
        let consumer = try signedIn()
        consumer.answer("groups/create", Self.birds)
        #expect(try consumer.vitals("groups", "create", "The early birds").output == "The early birds is your group now\n")
        consumer.answer("groups/code", ["code": "7QKM-2DZX-0H4W-9C1T-V6RA-XP3E", "expires": 1_795_261_361_000])
        let code = try consumer.vitals("groups", "code", "birds-1")
        #expect(code.output == "7QKM-2DZX-0H4W-9C1T-V6RA-XP3E\n" && code.errors.contains("can join until 2026-11-21"), "\(code)")
        consumer.answer("groups/join", Self.owls)
        let joined = try consumer.vitals("groups", "join", "7QKM-2DZX-0H4W-9C1T-V6RA-XP3E")
        #expect(joined.status == 0 && joined.errors.contains("groups compete"), "\(joined)")
        #expect(try consumer.last().fields == ["code": "7QKM-2DZX-0H4W-9C1T-V6RA-XP3E"])
        consumer.answer("groups/compete", Self.birds)
        #expect(try consumer.vitals("groups", "compete", "birds-1", "off").status == 0)
        #expect(try consumer.last().fields == ["compete": false, "group": "birds-1"])
        consumer.answer("groups/challenge", Self.birds)
        consumer.answer("profile/get", ["profile": ["units": "imperial"]])
        let begun = try consumer.vitals("groups", "challenge", "birds-1", "distance", "week", "--target", "10")
        #expect(begun.output.hasPrefix("a challenge has begun in The early birds: distance on foot, "), "\(begun)")
        #expect(
            try consumer.last().fields == [
                "group": "birds-1", "measure": "distance", "period": "week", "target": 16_093,
            ])
        for command in ["leave", "delete", "end-challenge"] {
            consumer.answer("groups/\(command)", [:])
            let unasked = try consumer.vitals("groups", command, "birds-1")
            #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(command): \(unasked)")
            #expect(try consumer.vitals("groups", command, "birds-1", "--yes").status == 0, "\(command)")
        }
        consumer.answer("groups/show", ["group": "birds-1", "people": [["member": "m2", "name": "Grace", "you": false]]])
        consumer.answer("groups/remove", [:])
        #expect(try consumer.vitals("groups", "remove", "birds-1", "gr", "--yes").output == "Grace is not in The early birds any more\n")
        #expect(try consumer.last().fields == ["group": "birds-1", "member": "m2"])
        let unknown = try consumer.vitals("groups", "table", "Nobody's")
        #expect(unknown.status == 67 && unknown.errors.contains("you are in no group Nobody's"), "\(unknown)")
    }
}

@Suite("vitals partners", .timeLimit(.minutes(60)))
struct PartnerCommandTests {
    private static let offer: JSON = [
        "offer": "offer-1", "activity": "running", "area": "Old Town", "since": 1_795_261_361_000,
        "pace": ["from_s_per_km": 330, "to_s_per_km": 375],
    ]
    private static let other: JSON = [
        "offer": "offer-2", "activity": "running", "area": "Old Mill", "since": 1_795_261_361_000,
    ]
    private static let list: JSON = [
        "offers": [offer], "asks": [], "asked": [["ask": "ask-1", "offer": "offer-1", "activity": "running", "time": 1_795_261_361_000]],
        "partners": [["partner": "partner-1", "name": "Grace", "contact": "grace@example.org", "activity": "running", "since": 0]],
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("partners/list", Self.list)
        consumer.answer("profile/get", ["profile": ["units": "metric"]])
        return consumer
    }

    @Test("lists partners, questions and offers, and finds all pages of others'")
    func list() throws {
        let consumer = try signedIn()
        let list = try consumer.vitals("partners")
        for text in ["Grace", "grace@example.org", "ask-1", "5:30 to 6:15 /km"] {
            #expect(list.output.contains(text), "\(text): \(list)")
        }
        #expect(list.errors.contains("vitals") && list.errors.contains("partners contact"), "\(list)")
        consumer.answer("partners/find") { fields in
            fields["after"] == "page-2"
                ? Reply(.ok(["offers": [Self.other]])) : Reply(.ok(["offers": [Self.offer], "next": "page-2"]))
        }
        let found = try consumer.vitals("partners", "find", "--activity", "running", "--area", "old")
        #expect(found.output.contains("Old Town") && found.output.contains("offer-1"), "\(found)")
        #expect(found.output.contains("Old Mill") && found.output.contains("offer-2"), "\(found)")
        let pages = consumer.requests.all.filter { $0.name == "partners/find" }.map(\.fields)
        #expect(
            pages == [
                ["activity": "running", "area": "old"], ["activity": "running", "after": "page-2", "area": "old"],
            ])
        for (what, names) in [
            ("partners", "Grace\n"), ("partner-offers", "offer-1\n"), ("partner-asks", "ask-1\n"),
            ("partners-and-asks", "Grace\nask-1\n"),
        ] { #expect(try consumer.completion(what) { $0 == names } == names, "\(what)") }
        #expect(try consumer.completion("partner-own-asks", asking: "partners/list") == "")
        consumer.answer("partners/find", ["offers": []])
        let nobody = try consumer.vitals("partners", "find", "--activity", "long walks")
        #expect(nobody.errors.hasSuffix("partners offer 'long walks' --area 'Old Town'\n"), "\(nobody)")
    }

    @Test("offers, asks, answers and ends, with paces in the units that the person reads")
    func changes() throws {
        let consumer = try signedIn()
        consumer.answer("partners/offer", Self.offer)
        #expect(try consumer.vitals("partners", "offer", "running", "--area", "Old Town", "--pace", "5:30-6:15").status == 0)
        let pace: JSON = ["from_s_per_km": 330, "to_s_per_km": 375]
        #expect(
            try consumer.last().fields == ["activity": "running", "area": "Old Town", "pace": pace])
        consumer.answer("profile/get", ["profile": ["units": "imperial"]])
        _ = try consumer.vitals("partners", "offer", "running", "--area", "Old Town", "--pace", "8:51-10:03")
        #expect(try consumer.last().fields["pace"] == pace)
        for words in [["--area", "Old Town", "--pace", "5:30"], ["--pace", "5:30-6:15"]] {
            let wrong = try consumer.vitals(["partners", "offer", "running"] + words)
            #expect(wrong.status == 64 && wrong.errors.contains(words.count == 2 ? "say where" : "5:30-6:15"), "\(wrong)")
        }
        for (units, pace, problem) in [
            ("metric", "6:15-5:30", "the faster one comes first, as in 5:30-6:15"),
            ("metric", "0:30-6:15", "expected times from 1:00 to 60:00 for a kilometre, found 0:30-6:15"),
            ("imperial", "8:51-97:00", "expected times from 1:37 to 96:34 for a mile, found 8:51-97:00"),
        ] {
            consumer.answer("profile/get", ["profile": ["units": .string(units)]])
            let wrong = try consumer.vitals("partners", "offer", "running", "--area", "Old Town", "--pace", pace)
            #expect(wrong.status == 64 && wrong.errors.hasPrefix("vitals: --pace: \(problem)\n"), "\(wrong)")
        }
        consumer.answer("partners/answer", ["partner": ["partner": "p2", "name": "Otto", "activity": "running", "since": 0]])
        let accepted = try consumer.vitals("partners", "accept", "ask-1")
        #expect(accepted.output.hasPrefix("you train with Otto now, who has not said"), "\(accepted)")
        #expect(try consumer.last().fields == ["accept": true, "ask": "ask-1"])
        for words in [["end", "gra"], ["block", "ask-1"]] {
            let unasked = try consumer.vitals(["partners"] + words)
            #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
            #expect(try consumer.last().name == "partners/answer")
        }
        consumer.answer("partners/end", [:])
        #expect(try consumer.vitals("partners", "end", "gra", "--yes").output == "you do not train with Grace any more\n")
        #expect(try consumer.last().fields == ["partner": "partner-1"])
        consumer.answer("partners/block", ["friend": "ask-1"])
        let blocked = try consumer.vitals("partners", "block", "ask-1", "--yes")
        #expect(blocked.output.contains("vitals --port \(consumer.broker.port) friends unblock ask-1"), "\(blocked)")
        #expect(try consumer.last().fields == ["ask": "ask-1"])
        consumer.answer("partners/contact", [:])
        #expect(try consumer.vitals("partners", "contact", "--clear").status == 0)
        #expect(try consumer.last().fields == ["contact": .null])
        #expect(try consumer.vitals("partners", "contact").status == 64)
        let both = try consumer.vitals("partners", "contact", "grace@example.org", "--clear")
        #expect(both.status == 64 && both.errors.contains("--clear: "), "\(both)")
        #expect(try consumer.last().fields == ["contact": .null])
    }
}
