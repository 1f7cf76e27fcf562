import Foundation
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("vitals share", .timeLimit(.minutes(60)))
struct ShareCommandTests {
    private static let address = "mastodons://the-token@mastodon.example"
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2, 3, 4]

    private static let preview: JSON = [
        "share": "share-1", "expires": 1_760_000_600_000, "text": "Run: 9.0 km.\nIn the rain",
        "link": "https://example.org/#workout",
        "picture": [
            "type": "image/png", "length": 8, "next": 4,
            "data": .string(Data(png.prefix(4)).base64EncodedString()),
        ],
        "facebook": "https://www.facebook.com/sharer/sharer.php?u=x", "x": "https://x.com/intent/post?text=x",
        "to": [
            ["service": "s-1", "label": "Mastodon", "address": "mastodons://mastodon.example/…"],
            ["service": "s-2", "label": "mailtos://example.org/…", "address": "mailtos://example.org/…"],
        ],
    ]

    private static let shown = """
        Run: 9.0 km.
        In the rain
        https://example.org/#workout

        With a picture: PNG, 8 bytes; --picture FILE writes it to look at it
        On Facebook yourself: https://www.facebook.com/sharer/sharer.php?u=x
        On X yourself: https://x.com/intent/post?text=x

        """

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("share/preview", Self.preview)
        consumer.answer("share/cancel", ["share": "share-1"])
        consumer.answer("workouts/list", ["workouts": [["id": "run-7"]]])
        consumer.answer(
            "share/post",
            [
                "results": [
                    ["service": "s-1", "label": "Mastodon", "sent": true, "state": "sent"],
                    ["service": "s-2", "label": "mail", "sent": true, "state": "sent", "picture": false],
                ]
            ])
        return consumer
    }

    @Test("shows what would be posted, asks Post or Cancel, and prints each result")
    func asks() throws {
        let consumer = try signedIn()
        let prompt = "To Mastodon (mastodons://mastodon.example/…), mailtos://example.org/…: Post or Cancel? [p/C]"
        let posted = try consumer.terminal("share workout", [(prompt, "p")])
        let text = posted.text.replacingOccurrences(of: "\r\n", with: "\n")
        #expect(posted.status == 0 && text.contains(Self.shown), "\(text)")
        #expect(text.hasSuffix("Mastodon: sent\nmail: sent, without the picture\n"), "\(text)")
        #expect(try consumer.last().fields == ["share": "share-1", "to": ["s-1", "s-2"]])
        for answer in ["c", "", "y"] {
            let cancelled = try consumer.terminal("share statistics", [(prompt, answer)])
            #expect(cancelled.status == 1 && cancelled.text.contains("nothing was posted"), "\(cancelled)")
            #expect(try consumer.last().name == "share/cancel")
        }
    }

    @Test("posts in a script only with --yes or --to, and says so")
    func scripts() throws {
        let consumer = try signedIn()
        let neither = try consumer.vitals("share", "workout", "latest")
        #expect(neither.status == 1 && neither.output == Self.shown, "\(neither)")
        #expect(neither.errors.contains("nothing was posted") && neither.errors.contains("--to SERVICE"), "\(neither)")
        #expect(try consumer.last().name == "share/cancel")
        let all = try consumer.vitals("share", "week", "--day", "2026-11-21", "--yes")
        #expect(all.status == 0 && all.output == Self.shown + "Mastodon: sent\nmail: sent, without the picture\n")
        let one = try consumer.vitals("share", "goal", "--of", "distance", "--to", "mastodon", "--text", "So far!")
        #expect(one.status == 0 && one.output.hasPrefix("So far!\nhttps://example.org/#workout\n"), "\(one)")
        #expect(!one.output.contains("On X"))
        #expect(try consumer.last().fields == ["share": "share-1", "text": "So far!", "to": ["s-1"]])
        let nobody = try consumer.vitals("share", "day", "--to", "Matrix")
        #expect(nobody.status == 67 && nobody.errors.contains("you have no service Matrix"), "\(nobody)")
        #expect(nobody.errors.contains("share services lists yours"))
    }

    @Test(
        "asks for what the command line names",
        arguments: [
            ("workout run-3", #"{"what":"workout","workout":"run-3"}"#),
            ("workout", #"{"what":"workout","workout":"run-7"}"#),
            ("day --no-picture", #"{"what":"report","period":"day","picture":false}"#),
            ("month --day 2026-11-21", #"{"what":"report","period":"month","day":"2026-11-21"}"#),
            ("statistics", #"{"what":"statistics"}"#), ("post p-1", #"{"what":"post","post":"p-1"}"#),
            ("goal", #"{"what":"goal","goal":"steps"}"#),
        ])
    func questions(words: String, fields: String) throws {
        let consumer = try signedIn()
        let asked = try consumer.vitals(["share"] + words.split(separator: " ").map(String.init))
        #expect(asked.status == 1)
        let wanted = try JSON(payload: Array(fields.utf8))
        #expect(consumer.asked("share/preview").map(\.fields) == [wanted])
    }

    @Test("writes the whole picture into a file")
    func picture() throws {
        let consumer = try signedIn()
        consumer.answer(
            "share/picture",
            ["type": "image/png", "length": 8, "data": .string(Data(Self.png.suffix(4)).base64EncodedString())])
        let folder = try TemporaryFolder()
        let file = folder.path("run.png")
        let outcome = try consumer.vitals("share", "workout", "--picture", file)
        #expect(outcome.status == 1 && outcome.errors.contains("run.png: the picture"), "\(outcome)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(Self.png))
        #expect(consumer.asked("share/picture").map(\.fields) == [["offset": 4, "share": "share-1"]])
        let nowhere = try consumer.vitals("share", "workout", "--yes", "--picture", folder.path("no/where.png"))
        #expect(nowhere.status == 74 && consumer.asked("share/post").isEmpty, "\(nowhere)")
    }

    @Test("asks again for what is still on its way, and says what nobody knows, and what was refused")
    func results() throws {
        let consumer = try signedIn()
        let count = Counter()
        consumer.answer("share/post") { _ in
            guard count.next() > 1 else {
                return Reply(.ok(["results": [["service": "s-1", "label": "M", "sent": false, "state": "going"]]]))
            }
            return Reply(
                .ok([
                    "results": [
                        ["service": "s-1", "label": "M", "sent": false, "state": "unknown", "problem": "look there"],
                        ["service": "s-2", "label": "N", "sent": false, "state": "failed", "problem": "said: 401"],
                    ]
                ]))
        }
        let outcome = try consumer.vitals("share", "statistics", "--yes")
        #expect(
            outcome.status == 69 && outcome.output.hasSuffix("M: nobody knows: look there\nN: said: 401\n"),
            "\(outcome)")
        #expect(consumer.asked("share/post").count == 2)
    }

    @Test("says what to do where there is no service")
    func none() throws {
        let consumer = try signedIn()
        consumer.answer("share/preview", ["share": "share-1", "text": "t", "x": "https://x.com/", "to": []])
        let outcome = try consumer.vitals("share", "statistics", "--yes")
        #expect(outcome.status == 77 && outcome.output == "t\n\nOn X yourself: https://x.com/\n", "\(outcome)")
        #expect(outcome.errors.contains("you have no service to post to") && outcome.errors.contains("share add"))
        let json = try consumer.vitals("share", "day", "--json")
        #expect(json.errors.contains(#""code":"not-allowed","exit_code":77"#), "\(json)")
    }

    @Test("services are added from a file, standard input or the terminal, listed, and removed")
    func services() throws {
        let consumer = try signedIn()
        consumer.answer(
            "share/add", ["service": "s-1", "label": "My Mastodon", "address": "mastodons://mastodon.example/…"])
        let file = try TemporaryFolder()
        let path = try file.write("\(Self.address)\nnot this\n", to: "address")
        let added = try consumer.vitals("share", "add", "--address-file", path, "--label", "My Mastodon")
        #expect(added.status == 0 && added.output == "You can share to mastodons://mastodon.example/…\n", "\(added)")
        #expect(added.errors.contains("share statistics --to 'My Mastodon'"), "\(added)")
        #expect(try consumer.last().fields == ["address": .string(Self.address), "label": "My Mastodon"])
        let nameless = try consumer.vitals("share", "add", "--address-file", path, "--label", " ")
        #expect(nameless.status == 64 && nameless.errors.hasPrefix("vitals: --label: is empty"), "\(nameless)")
        let typed = try consumer.terminal("share add", [("Address: ", Self.address)])
        #expect(typed.status == 0 && !typed.text.contains("the-token"), "\(typed)")
        #expect(try consumer.vitals("share", "add", Self.address).status == 64)
        consumer.refuse("share/add", ReplyError(.notSupported, "add sharing: {}", field: "sharing"))
        #expect(try consumer.vitals("share", "add", "--address-file", path).errors == "vitals: add sharing: {}\n")
        consumer.answer(
            "share/services",
            [
                "services": [["service": "s-1", "label": "My Mastodon", "address": "mastodons://mastodon.example/…"]],
                "available": false,
            ])
        let listed = try consumer.vitals("share", "services")
        #expect(
            listed.output == """
                SERVICE  LABEL        LEADS TO
                s-1      My Mastodon  mastodons://mastodon.example/…

                """, "\(listed)")
        #expect(listed.errors.contains("sharing: {}"))
        consumer.answer("share/remove", ["service": "s-1"])
        let unasked = try consumer.vitals("share", "remove", "my mastodon")
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
        #expect(try consumer.last().name == "share/services")
        #expect(try consumer.vitals("share", "remove", "my mastodon", "--yes") == (0, "my mastodon is removed\n", ""))
        #expect(try consumer.last().fields == ["service": "s-1"])
        #expect(try consumer.terminal("share remove s-1", [("Remove it? [y/N]", "n")]).status == 1)
    }

    @Test("what was shared lately is listed with its results")
    func latest() throws {
        let consumer = try signedIn()
        consumer.answer("share/list", ["shares": []])
        #expect(try consumer.vitals("share").errors.contains("you have shared nothing yet"))
        consumer.answer(
            "share/list",
            [
                "shares": [
                    [
                        "share": "a", "time": 1_760_000_000_000, "what": "workout",
                        "results": [
                            ["service": "s-1", "label": "M", "sent": true, "state": "sent"],
                            ["service": "s-2", "label": "N", "sent": false, "state": "failed", "problem": "no"],
                        ],
                    ]
                ]
            ])
        #expect(
            try consumer.vitals("share", "list").output == """
                TIME                 WHAT     SERVICE  RESULT
                2025-10-09 08:53:20  workout  M        sent
                2025-10-09 08:53:20  workout  N        no

                """)
        #expect(try consumer.vitals("share", "--json").output.split(separator: "\n").count == 1)
    }

    @Test("programs get the preview and the results, an object each")
    func json() throws {
        let consumer = try signedIn()
        let outcome = try consumer.vitals("share", "statistics", "--json", "--yes")
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 0 && lines.count == 2, "\(outcome)")
        let preview = try JSON(payload: Array(lines[0].utf8))
        #expect(preview["picture"]?["type"] == "image/png" && preview["picture"]?["length"] == 8 && preview["share"] == "share-1")
        #expect(try JSON(payload: Array(lines[1].utf8))["results"] != nil)
        let neither = try consumer.vitals("share", "statistics", "--json")
        #expect(neither.status == 1 && neither.output.split(separator: "\n").count == 1)
    }
}

/// Counts how often it was asked.
private final class Counter: Sendable {
    private let count = Mutex(0)

    /// 1 at first.
    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}

extension ScriptedConsumer {
    /// What was asked under a name.
    fileprivate func asked(_ name: String) -> [(user: String?, name: String, fields: JSON)] {
        requests.all.filter { $0.name == name }
    }
}
