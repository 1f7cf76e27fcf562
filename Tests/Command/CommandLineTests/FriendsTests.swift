import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals, for friends", .timeLimit(.minutes(60)))
struct FriendsTests {
    private static let friends: JSON = [
        "friends": [
            friend("g1", "Grace Hopper", "friend", ["day": "2026-11-21", "steps": 8042, "muted": false]),
            friend("g2", "Grace Kelly", "friend", ["muted": true]), friend("b1", "Charles Babbage", "friend", [:]),
            friend("b2", "Charlie", "friend", [:]), friend("a1", "Anne \u{1B}[31m", "asked", [:]),
            friend("i1", nil, "invited", ["to": "byron@example.org"]), friend("x1", "Xerxes", "blocked", [:]),
            friend("c1", "Charles", "blocked", [:]),
        ]
    ]

    private static func friend(_ id: String, _ name: String?, _ state: String, _ more: JSON) -> JSON {
        var members: [JSON.Member] = [
            JSON.Member("friend", .string(id)), JSON.Member("state", .string(state)),
            JSON.Member("since", 1_760_000_000_000),
        ]
        if let name { members.append(JSON.Member("name", .string(name))) }
        if case .object(let others) = more { members += others }
        return .object(members)
    }

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("friends/list", Self.friends)
        return consumer
    }

    @Test("friends are listed, with their steps; names do no harm to a terminal")
    func list() throws {
        let consumer = try signedIn()
        let outcome = try consumer.vitals("friends")
        #expect(
            outcome.output == """
                NAME               STEPS  STATE           SINCE       ID
                Grace Hopper       8,042  friend          2025-10-09  g1
                Grace Kelly        -      friend, muted   2025-10-09  g2
                Charles Babbage    -      friend          2025-10-09  b1
                Charlie            -      friend          2025-10-09  b2
                Anne \\u{1b}[31m    -      asks you        2025-10-09  a1
                byron@example.org  -      invited by you  2025-10-09  i1
                Xerxes             -      blocked         2025-10-09  x1
                Charles            -      blocked         2025-10-09  c1

                """)
        #expect(try consumer.vitals("friends", "--json").output.split(separator: "\n").count == 8)
        consumer.answer("friends/list", ["friends": []])
        #expect(try consumer.vitals("friends").errors.contains("no friends yet"))
    }

    @Test("a terminal that is too narrow for a table breaks no id and no name")
    func narrow() throws {
        let consumer = try signedIn()
        let id = "q4kz7m2xw6ab3c5dq4kz7m2xw6ab3c5d"
        consumer.answer(
            "friends/list", ["friends": [Self.friend(id, "Grace Hopper", "friend", ["steps": 8042, "muted": true])]])
        #expect(
            try consumer.vitals("friends", environment: ["COLUMNS": "60"]).output == """
                NAME   Grace Hopper
                STEPS  8,042
                STATE  friend, muted
                SINCE  2025-10-09
                ID     \(id)

                """)
        #expect(try consumer.vitals("friends").output.split(separator: "\n").count == 2)
        consumer.answer("friends/list", ["friends": []])
        consumer.answer(
            "notifications/list",
            [
                "notifications": [
                    [
                        "id": "n1x7q2m4", "time": 1_760_000_000_000, "confirmed": false,
                        "text": "Grace Hopper gave you a thumb up for your steps",
                    ]
                ]
            ])
        #expect(
            try consumer.vitals("notifications", environment: ["COLUMNS": "60"]).output == """
                   TIME                 ID        TEXT
                *  2025-10-09 08:53:20  n1x7q2m4  Grace Hopper gave you a
                                                  thumb up for your steps

                """)
        consumer.answer(
            "devices/list", ["devices": [["device": "phone", "name": "The phone", "created": 1_760_000_000_000]]])
        #expect(
            try consumer.vitals("devices", environment: ["COLUMNS": "40"]).output == """
                DEVICE     phone *
                NAME       The phone
                SIGNED IN  2025-10-09 08:53:20

                """)
    }

    @Test("an e-mail address, a phone number and a code are told apart")
    func invite() throws {
        let consumer = try signedIn()
        consumer.answer("friends/invite", ["state": "invited"])
        for (text, field) in [
            ("grace@example.org", "email"), ("+49 (151) 234-5678", "phone"), ("0049.151.2345678", "phone"),
            ("7QKM-2DZX-0H4W-9C1T-V6RA-XP3E", "code"), ("1234-5678-9012-3456-7890-1234", "code"),
        ] {
            let outcome = try consumer.vitals("friends", "invite", text)
            #expect(
                outcome.status == 0
                    && outcome.output.hasPrefix(
                        "invited: if somebody here has this address, number or code, they are asked"),
                "\(outcome)")
            #expect(try consumer.last().fields == .object([JSON.Member(field, .string(text))]))
            #expect(outcome.errors.contains("your friends do not see your steps"), "\(outcome)")
        }
        consumer.answer("friends/invite", ["state": "friend", "friend": "g1"])
        #expect(try consumer.vitals("friends", "invite", "7QKM-2DZX").output == "you are friends now\n")
        consumer.answer("friends/code", ["code": "7QKM-2DZX", "expires": 1_760_000_000_000])
        let code = try consumer.vitals("friends", "code")
        #expect(code.output == "7QKM-2DZX\n" && code.errors.contains("until 2025-10-09 08:53:20"), "\(code)")
    }

    @Test("each of them is named as people are: in small letters, by a beginning, or by the id")
    func names() throws {
        let consumer = try signedIn()
        for (words, verb, fields, text) in [
            (["cheer", "grace h", "up"], "cheer", ["friend": "g1", "thumb": "up"], "thumbs up for Grace Hopper"),
            (["cheer", "CHARLIE", "down"], "cheer", ["friend": "b2", "thumb": "down"], "thumbs down for Charlie"),
            (["friends", "accept", "anne"], "accept", ["friend": "a1"], "you and Anne \\u{1b}[31m are friends now"),
            (["friends", "refuse", "a1"], "refuse", ["friend": "a1"], "Anne \\u{1b}[31m is refused"),
            (["friends", "remove", "byron"], "remove", ["friend": "i1"], "byron@example.org is removed"),
            (["friends", "block", "g2", "--yes"], "block", ["friend": "g2"], "Grace Kelly is blocked"),
            (["friends", "unblock", "xer"], "unblock", ["friend": "x1"], "Xerxes is not blocked any more"),
            (["friends", "unblock", "charles"], "unblock", ["friend": "c1"], "Charles is not blocked any more"),
            (
                ["friends", "mute", "b1"], "mute", ["friend": "b1", "muted": true],
                "you are no longer told of thumbs of"
            ),
            (["friends", "unmute", "g2"], "mute", ["friend": "g2", "muted": false], "you are told of thumbs of"),
        ] as [([String], String, JSON, String)] {
            consumer.answer("friends/\(verb)", verb == "cheer" ? ["left": 19] : [:])
            let program = try RunningProgram(
                "vitals", ["--port", "\(consumer.broker.port)"] + words,
                environment: ["HOME": consumer.home.path, "TZ": "UTC"])
            program.closeInput()
            #expect(program.exitStatus() == 0 && program.text.hasPrefix(text), "\(program.text)")
            if verb == "cheer" { #expect(program.text.hasSuffix("; 19 more today\n")) }
            let last = try consumer.last()
            #expect(last.user == "ada" && last.name == "friends/\(verb)" && last.fields == fields, "\(last)")
        }
    }

    @Test("whether friends see one's steps is asked at a terminal or said on the command line, and is printed")
    func sharing() throws {
        let consumer = try signedIn()
        consumer.answer("friends/accept") { fields in
            Reply(.ok(["state": "friend", "share": fields["share"] ?? ["steps": false]]))
        }
        let quiet = try consumer.vitals("friends", "accept", "anne")
        #expect(try consumer.last().fields == ["friend": "a1"])
        #expect(quiet.status == 0 && quiet.errors.contains("your friends do not see your steps"), "\(quiet)")
        for (text, value) in [("on", true), ("off", false)] {
            let said = try consumer.vitals("friends", "accept", "anne", "--share-steps", text)
            #expect(try consumer.last().fields == ["friend": "a1", "share": ["steps": .bool(value)]])
            #expect(said.errors.contains("your friends see your steps for the day") == value, "\(said)")
        }
        #expect(try consumer.vitals("friends", "accept", "anne", "--share-steps", "perhaps").status == 64)
        consumer.answer("consent/get", ["steps": false])
        let asked = try consumer.terminal(
            "friends accept anne", [("your steps for the day to your friends? [y/N]", "y")])
        #expect(asked.status == 0 && asked.text.contains("your friends see your steps"), "\(asked)")
        #expect(try consumer.last().fields == ["friend": "a1", "share": ["steps": true]])
        // A person who already shows them is not asked.
        consumer.answer("consent/get", ["steps": true])
        #expect(try consumer.terminal("friends accept anne", []).status == 0)
        #expect(try consumer.last().fields == ["friend": "a1"])
    }

    @Test("somebody can also be blocked by a notification, or by an invitation that they have withdrawn")
    func blockingByNotification() throws {
        let consumer = try signedIn()
        consumer.answer("friends/block", ["state": "blocked"])
        consumer.answer(
            "notifications/list",
            [
                "notifications": [
                    ["id": "n1", "kind": "goal-reached"],
                    ["id": "n2", "kind": "friend-request", "from": "a7", "from_name": "You fool"],
                ], "more": false,
            ])
        for wanted in ["n2", "a7", "you fool"] {
            let outcome = try consumer.vitals("friends", "block", wanted, "--yes")
            #expect(outcome.status == 0 && outcome.output == "You fool is blocked\n", "\(outcome)")
            #expect(try consumer.last().fields == ["friend": "a7"])
        }
        let gone = try consumer.vitals("friends", "block", "vbk22mcxxcxpany6", "--yes")
        #expect(gone.output == "vbk22mcxxcxpany6 is blocked\n", "\(gone)")
        #expect(try consumer.last().fields == ["friend": "vbk22mcxxcxpany6"])
        #expect(try consumer.vitals("friends", "block", "nobody", "--yes").status != 0)
        #expect(try consumer.last().name == "notifications/list")
    }

    @Test("a name that fits several people is asked about, with their names; one that fits nobody is reported")
    func ambiguous() throws {
        let consumer = try signedIn()
        let grace = try consumer.vitals("cheer", "grace", "up")
        #expect(
            grace == (
                64, "",
                "vitals: which grace? There are Grace Hopper (g1), Grace Kelly (g2)\nname that person by the id\n"
            ))
        #expect(try consumer.last().name == "friends/list")
        let nobody = try consumer.vitals("friends", "accept", "grace")
        #expect(
            nobody.status == 67 && nobody.errors.contains("there is nobody called grace to accept\nyou can name Anne"),
            "\(nobody)")
        #expect(try consumer.vitals("friends", "remove", "").status == 67)
        let thumb = try consumer.vitals("cheer", "charlie", "sideways")
        #expect(thumb.status == 64 && thumb.errors.contains("THUMB: expected"), "\(thumb)")
        let no = try consumer.terminal("friends block charlie", [("Block Charlie?", "n")])
        #expect(no.status == 1 && no.text.contains("nothing was changed"), "\(no)")
        #expect(try consumer.last().name == "friends/list")
        consumer.refuse("friends/cheer", ReplyError(.rateLimited, "20 a day are enough", retryAfterSeconds: 3600))
        let often = try consumer.vitals("cheer", "charlie", "up")
        #expect(often == (75, "", "vitals: 20 a day are enough\ntry again in 1 h\n"))
    }

    private static func notification(_ number: Int64, confirmed: Bool = false) -> JSON {
        [
            "id": .string("n\(number)"), "kind": "thumbs-up", "time": .integer(1_760_000_000_000 + number * 1000),
            "text": .string("Thumb \(number)\u{7}"), "confirmed": .bool(confirmed),
        ]
    }

    @Test("notifications are listed, as many as wanted, and confirmed")
    func notifications() throws {
        let consumer = try signedIn()
        consumer.answer(
            "notifications/list",
            ["notifications": [Self.notification(2), Self.notification(1, confirmed: true)], "more": false])
        #expect(
            try consumer.vitals("notifications", "--all").output == """
                   TIME                 ID  TEXT
                *  2025-10-09 08:53:22  n2  Thumb 2\\u{7}
                   2025-10-09 08:53:21  n1  Thumb 1\\u{7}

                """)
        #expect(try consumer.last().fields == ["all": true, "limit": 50])
        #expect(try consumer.vitals("notifications", "--json").output.hasPrefix(#"{"confirmed":false,"id":"n2""#))
        // As many requests as it takes.
        consumer.answer("notifications/list") { fields in
            let first: Int64 = fields["before"] == nil ? 400 : 300
            guard case .integer(let limit) = fields["limit"] else { return Reply(.error(ReplyError(.invalid, "?"))) }
            let part = (0..<limit).map { Self.notification(first - $0) }
            return Reply(.ok(["notifications": .array(part), "more": true]))
        }
        let many = try consumer.vitals("notifications", "--limit", "150")
        #expect(many.output.split(separator: "\n").count == 151 && many.errors == "vitals: there are more: --limit\n")
        #expect(try consumer.last().fields == ["before": "n301", "limit": 50])
        consumer.answer("notifications/confirm", ["confirmed": 2])
        #expect(try consumer.vitals("notifications", "confirm", "n1", "n2").output == "2 confirmed\n")
        #expect(try consumer.last().fields == ["ids": ["n1", "n2"]])
        #expect(try consumer.vitals("notifications", "confirm", "--all").status == 0)
        #expect(try consumer.last().fields == ["all": true])
        #expect(try consumer.vitals("notifications", "confirm").status == 64)
        #expect(try consumer.vitals("notifications", "confirm", "n1", "--all").status == 64)
    }

    @Test("a person who follows is shown each notification once, as it comes, even after the broker was away")
    func follow() throws {
        let consumer = try signedIn()
        consumer.answer(
            "notifications/list", ["notifications": [Self.notification(2), Self.notification(1)], "more": false])
        let program = try RunningProgram(
            "vitals", ["--port", "\(consumer.broker.port)", "notifications", "--follow"],
            environment: ["HOME": consumer.home.path, "TZ": "UTC"], output: .apart)
        #expect(program.line(after: 1) == "2025-10-09 08:53:22  Thumb 2\\u{7}")
        #expect(program.lines.first == "2025-10-09 08:53:21  Thumb 1\\u{7}")
        let topic = "vitals/v1/users/ada/notifications"
        consumer.tell(topic, Self.notification(2))
        consumer.tell(topic, Self.notification(3))
        #expect(program.line(after: 2) == "2025-10-09 08:53:23  Thumb 3\\u{7}")
        consumer.answer(
            "notifications/list",
            ["notifications": [4, 3, 2].map { Self.notification($0) }.json, "more": false])
        consumer.broker.stop()
        #expect(program.complains("waiting for the broker"))
        try consumer.broker.start()
        #expect(program.line(after: 3) == "2025-10-09 08:53:24  Thumb 4\\u{7}")
        #expect(program.lines.count == 4)
        program.signal(SIGINT)
        #expect(program.exitStatus() == 0)
    }
}

extension [JSON] {
    fileprivate var json: JSON { .array(self) }
}
