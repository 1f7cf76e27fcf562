import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals phone", .timeLimit(.minutes(60)))
struct PhoneCommandTests {
    private static let link = "owntracks:///config?inline=eyJfdHlwZSI6ImNvbmZpZ3VyYXRpb24ifQ=="

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    @Test("a phone is connected: its link is printed, and its code is written for its owner only")
    func add() throws {
        let consumer = try signedIn()
        consumer.answer("phones/add", ["phone": "phone-1", "link": .string(Self.link)])
        let file = consumer.home.path("phone.svg")
        let outcome = try consumer.vitals("phone", "add", "--name", "My phone", "--plain", "--svg", file)
        #expect(outcome.status == 0 && outcome.output == Self.link + "\n", "\(outcome)")
        #expect(outcome.errors.contains("open the link on the phone phone-1, or scan the code"), "\(outcome)")
        #expect(try consumer.last().fields == ["encrypted": false, "name": "My phone"])
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("<svg xmlns="))
        let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        let json = try consumer.vitals("phone", "add", "--json")
        #expect(json.output.contains("\"phone\":\"phone-1\"") && json.errors == "", "\(json)")
        #expect(try consumer.last().fields == [:])
        let nowhere = try consumer.vitals("phone", "add", "--svg", "/nowhere/phone.svg")
        #expect(nowhere.status == 74 && nowhere.errors.contains("cannot be written"), "\(nowhere)")
        let words = "Location Services Disabled: allow that your location is recorded"
        consumer.refuse("phones/add", ReplyError(.notAllowed, words, field: "record_location"))
        #expect(try consumer.vitals("phone", "add") == (77, "", "vitals: \(words)\n"))
        consumer.refuse("phones/add", ReplyError(.notSupported, "the operator has to add phones", field: "phones"))
        #expect(try consumer.vitals("phone", "add").errors == "vitals: the operator has to add phones\n")
    }

    @Test("a terminal also shows the code, if it is wide enough")
    func code() throws {
        let consumer = try signedIn()
        consumer.answer("phones/link", ["phone": "phone-1", "link": .string(Self.link)])
        consumer.answer("phones/list", ["phones": [["phone": "phone-1", "name": "My phone"]]])
        for (columns, isThere) in [("80", true), ("40", false)] {
            let outcome = try consumer.terminal(
                "phone link 'my phone'", [], environment: ["COLUMNS": columns, "LANG": "en_GB.UTF-8"])
            #expect(outcome.status == 0 && outcome.text.contains("▀") == isThere, "\(outcome)")
            #expect(outcome.text.contains("this terminal cannot show the code") != isThere, "\(outcome)")
            #expect(try consumer.last().fields == ["phone": "phone-1"])
        }
    }

    @Test("phones are listed, and removed by their name or id")
    func list() throws {
        let consumer = try signedIn()
        consumer.answer(
            "phones/list",
            [
                "phones": [
                    ["phone": "phone-1", "name": "My phone", "encrypted": true, "created": 1_760_000_000_000],
                    ["phone": "phone-2", "name": "", "encrypted": false, "signed_in": false],
                ], "recorded": false,
            ])
        for words in [["phone"], ["phone", "list"]] {
            let outcome = try consumer.vitals(words)
            #expect(
                outcome.output == """
                    PHONE    NAME      SEALED  CONNECTED
                    phone-1  My phone  yes     2025-10-09 08:53:20
                    phone-2            no      signed out

                    """)
            #expect(outcome.errors.contains("your position is not recorded: vitals --port"), "\(outcome)")
        }
        #expect(try consumer.vitals("phone", "--json").output.split(separator: "\n").count == 2)
        consumer.answer("phones/remove", ["phone": "phone-1"])
        #expect(try consumer.vitals("phone", "remove", "My phone", "--yes") == (0, "My phone is removed\n", ""))
        #expect(try consumer.last().fields == ["phone": "phone-1"])
        #expect(try consumer.terminal("phone remove phone-2", [("Remove it? [y/N]", "n")]).status == 1)
        let nobody = try consumer.vitals("phone", "remove", "Your phone", "--yes")
        #expect(
            nobody.status == 67 && nobody.errors.contains("you have no phone Your phone\nvitals --port"), "\(nobody)")
        consumer.answer("phones/list", ["phones": [], "recorded": true])
        #expect(try consumer.vitals("phone").errors.hasPrefix("vitals: no phones yet"))
    }
}
