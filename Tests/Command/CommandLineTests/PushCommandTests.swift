import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals push", .timeLimit(.minutes(60)))
struct PushCommandTests {
    private static let address = "ntfys://tk_secret@ntfy.sh/topic"

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    @Test("an address is added from a file, from standard input or from the terminal, and is shown nowhere")
    func add() throws {
        let consumer = try signedIn()
        consumer.answer("push/add", ["push": "push-1", "address": "ntfys://ntfy.sh/…", "label": "phone"])
        let file = try TemporaryFolder()
        let path = try file.write("\(Self.address)\nnot this\n", to: "address")
        let outcome = try consumer.vitals(
            "push", "add", "--address-file", path, "--label", "phone", "--kind", "goal-reached", "--kind", "thumbs-up")
        #expect(
            outcome.status == 0 && outcome.output == "Notifications are brought to ntfys://ntfy.sh/…\n", "\(outcome)")
        #expect(outcome.errors.contains("push test phone"), "\(outcome)")
        let fields: JSON = [
            "address": .string(Self.address), "kinds": ["goal-reached", "thumbs-up"], "label": "phone",
        ]
        #expect(try consumer.last().fields == fields)
        let typed = try consumer.terminal("push add", [("Address: ", Self.address)])
        #expect(typed.status == 0 && !typed.text.contains("tk_secret"), "\(typed)")
        #expect(try consumer.last().fields == ["address": .string(Self.address)])
        let nothing = try consumer.vitals("push", "add")
        #expect(nothing.status == 64 && nothing.errors.contains("no address on standard input"), "\(nothing)")
        #expect(nothing.errors.contains("--address-file"))
        let given = try consumer.vitals("push", "add", Self.address)
        #expect(given.status == 64, "\(given)")
        consumer.refuse("push/add", ReplyError(.notSupported, "the operator has to add push", field: "push"))
        #expect(
            try consumer.vitals("push", "add", "--address-file", path).errors
                == "vitals: the operator has to add push\n")
    }

    @Test("addresses are listed, tried and removed by their label or id")
    func list() throws {
        let consumer = try signedIn()
        consumer.answer(
            "push/list",
            [
                "addresses": [
                    [
                        "push": "push-1", "address": "ntfys://ntfy.sh/…", "label": "My phone", "created": 1,
                        "waiting": 0, "sent": 1_760_000_000_000,
                    ],
                    [
                        "push": "push-2", "address": "tgram://…", "created": 1, "kinds": ["goal-reached"],
                        "waiting": 3, "failed": 1_760_000_000_000, "problem": "the receiver did not answer in time",
                    ],
                    [
                        "push": "push-3", "address": "ntfys://example.org/…", "created": 1, "waiting": 0,
                        "enabled": false, "sent": 1_760_000_000_000,
                    ],
                ], "details": false,
            ])
        for words in [["push"], ["push", "list"]] {
            let outcome = try consumer.vitals(words)
            #expect(
                outcome.output == """
                    ADDRESS  LABEL     LEADS TO               KINDS         LATEST
                    push-1   My phone  ntfys://ntfy.sh/…      all           sent 2025-10-09 08:53:20
                    push-2   -         tgram://…              goal-reached  failed 2025-10-09 08:53:20: the receiver did not answer in time, 3 waiting
                    push-3   -         ntfys://example.org/…  all           off since the password was reset

                    """, "\(outcome)")
            #expect(outcome.errors.contains("push confirm switches an address on again\n"), "\(outcome)")
            #expect(outcome.errors.contains("only what kind of thing has happened goes there: vitals"), "\(outcome)")
        }
        #expect(try consumer.vitals("push", "--json").output.split(separator: "\n").count == 3)
        consumer.answer("push/confirm", ["push": "push-3", "address": "ntfys://example.org/…", "enabled": true])
        let confirmed = try consumer.vitals("push", "confirm", "push-3")
        #expect(confirmed == (0, "Notifications are brought to ntfys://example.org/… again\n", ""))
        #expect(try consumer.last().fields == ["push": "push-3"])
        consumer.answer("push/test", ["push": "push-1", "sent": true])
        #expect(try consumer.vitals("push", "test", "my phone").output == "Sent: look whether it has arrived\n")
        #expect(try consumer.last().fields == ["push": "push-1"])
        consumer.answer("push/remove", ["push": "push-1"])
        #expect(try consumer.vitals("push", "remove", "My phone", "--yes") == (0, "My phone is removed\n", ""))
        #expect(try consumer.last().fields == ["push": "push-1"])
        #expect(try consumer.terminal("push remove push-2", [("Remove it? [y/N]", "n")]).status == 1)
        let nobody = try consumer.vitals("push", "remove", "Your phone", "--yes")
        #expect(
            nobody.status == 67 && nobody.errors.contains("you have no address Your phone\nvitals --port"), "\(nobody)")
        consumer.answer("push/list", ["addresses": [], "details": true])
        let empty = try consumer.vitals("push").errors
        #expect(empty.hasPrefix("vitals: no addresses yet") && empty.contains("the whole text"), "\(empty)")
        #expect(!empty.contains("confirm"), "\(empty)")
    }

    @Test("whether the text goes out is said by on or off", arguments: [true, false])
    func details(isOn: Bool) throws {
        let consumer = try signedIn()
        consumer.answer("push/set", ["details": .bool(isOn)])
        let outcome = try consumer.vitals("push", "details", isOn ? "on" : "off")
        #expect(outcome.output.hasPrefix(isOn ? "The text of" : "Only what kind"), "\(outcome)")
        #expect(try consumer.last().fields == ["details": .bool(isOn)])
        #expect(try consumer.vitals("push", "details", "perhaps").status == 64)
    }
}
