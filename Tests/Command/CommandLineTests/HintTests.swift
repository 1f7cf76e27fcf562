import Foundation
import Telemetry
import TestSupport
import Testing

@testable import vitals

@Suite("Hints of vitals")
struct HintTests {
    @Test(
        "have the flags in use in every command of ours, and in nothing else",
        arguments: [
            ("vitals sign-in", "vitals --port 1 sign-in"),
            ("see `vitals status`, or (vitals scan)", "see `vitals --port 1 status`, or (vitals --port 1 scan)"),
            ("see vitals goals set --help", "see vitals goals set --help"),
            ("are vitals and the consumer of the same version?", "are vitals and the consumer of the same version?"),
            ("/opt/vitals scan, vitals-gateway enrol", "/opt/vitals scan, vitals-gateway enrol"),
            ("vitals sign-in NAME\nvitals scan --help", "vitals --port 1 sign-in NAME\nvitals scan --help"),
        ])
    func completed(hint: String, result: String) {
        #expect(Hints.completed(hint, " --port 1", in: Commands.names) == result)
    }

    @Test("repeat what the command line says about the broker, quoted, and not how long or in which form")
    func flags() throws {
        let broker = try Broker()
        try broker.start()
        defer { broker.stop() }
        try broker.folder.write("{}", to: "my settings.json5")
        let settings = broker.folder.path("my settings.json5")
        let outcome = try Program.run(
            "--settings", settings, "--port", "\(broker.port)", "--host", "localhost", "--gateway", "attic", "--json",
            "--timeout", "5", "today")
        let flags = "--settings '\(settings)' --host localhost --port \(broker.port) --gateway attic"
        #expect(
            outcome.errors.contains(
                "\"hint\":\"vitals \(flags) sign-in NAME, or for a new account: vitals \(flags) sign-up NAME"))
    }

    @Test("repeat --password-file if it is for the broker, and not if it is the account's")
    func passwordFile() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        let file = try consumer.home.write("Lovelace-1815!\n", to: "password")
        consumer.answer("reset-all/ask", ["confirmation": "c-1", "has_password": true])
        consumer.answer("reset-all/confirm", ["next": "profile"])
        let port = consumer.broker.port
        let account = try consumer.vitals("reset-all", "--yes", "--password-file", file)
        #expect(account.output.hasSuffix("next: vitals --port \(port) profile edit\n"), "\(account)")
        let signedIn = try consumer.vitals("sign-in", "ada@example.org", "--password-file", file)
        #expect(signedIn.errors.contains("vitals --port \(port) sign-out ends it"), "\(signedIn)")
        let before = try consumer.vitals("--anonymous", "reset-all", "--yes", "--password-file", file)
        #expect(before.errors.contains("vitals --port \(port) sign-in NAME"), "\(before)")
        let broker = try consumer.vitals("--username", "ada", "--password-file", file, "reset-all", "--yes")
        let flags = "--port \(port) --username ada --password-file \(file)"
        #expect(broker.output.hasSuffix("next: vitals \(flags) profile edit\n"), "\(broker)")
        // The settings may name the user, too.
        try consumer.home.write("{ broker: { port: \(port), username: 'ada' } }", to: "vitals.json5")
        let settings = consumer.home.path("vitals.json5")
        let named = try consumer.vitals("--settings", settings, "--password-file", file, "reset-all", "--yes")
        #expect(named.output.contains("--password-file \(file) profile edit\n"), "\(named)")
    }

    @Test("to revoke a device comes at sign-out if there are accounts, and not in a home without them")
    func signOut() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.refuse("account/sign-out", ReplyError(.internal, "no"))
        let account = try consumer.vitals("sign-out")
        #expect(account.status == 70 && account.errors.contains("devices revoke phone"), "\(account)")
        // As deploy/up leaves it: the broker's name of a person of the settings is that person's id.
        func signIn() throws {
            let folder = ".config/vitals/accounts/127.0.0.1:\(consumer.broker.port)"
            try consumer.home.write(#"{"user":"demo","device":"demo"}"#, to: "\(folder).json")
            try consumer.home.write("x\n", to: "\(folder).password")
        }
        try signIn()
        let silent = try consumer.vitals("sign-out")
        #expect(silent.status == 70 && silent.errors.contains("signed out here"), "\(silent)")
        #expect(!silent.errors.contains("revoke"), "\(silent)")
        try signIn()
        consumer.refuse("account/sign-out", ReplyError(.notSupported, "This home has no accounts", field: "accounts"))
        #expect(try consumer.vitals("sign-out") == (0, "Signed out\n", ""))
        #expect(try consumer.vitals("today").status == 77)
    }

    @Test("take back what was printed: a sensor behind its gateway and a slash, and by its name")
    func sensors() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.appear("cabin", sensors: ["strap", "watch"])
            try gateway.keep(SensorInfoPayload(name: "Polar H10").bytes, .sensor(ID("strap"), .info))
            try gateway.answer(.stepsGet) { _ in Reply(.ok(["steps": 12])) }
            try gateway.answer("rename") { _ in Reply(.ok(["sensor": "strap", "name": "Chest"])) }
            // Two gateways: which one, the slash says.
            #expect(try vitals("read", "steps").status == 64)
            #expect(try vitals("read", "steps", "home/strap").output == "12 steps\n")
            #expect(try vitals("read", "steps", "home/polar h10").output == "12 steps\n")
            #expect(try vitals("read", "steps", "Polar H10", "--gateway", "home").output == "12 steps\n")
            #expect(try vitals("rename", "home/Polar H10", "Chest").output == "strap is now called Chest\n")
            let unknown = try vitals("read", "steps", "home/Garmin")
            #expect(
                unknown.status == 67 && unknown.errors.contains("no sensor is called Garmin: there are strap"),
                "\(unknown)")
            let torn = try vitals("read", "steps", "home/strap", "--gateway", "cabin")
            #expect(torn.status == 64 && torn.errors.contains("cabin is not home"), "\(torn)")
        }
    }

    @Test("watch takes a sensor as it prints it")
    func watch() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try gateway.appear("cabin")
            let program = try Program(["--port", "\(broker.port)", "watch", "cabin/strap", "--count", "1"])
            #expect(try program.line().contains("gateway cabin is online"))
            #expect(try program.line().contains("strap is online"))
            try gateway.say(Array(#"{"time":1,"bpm":60}"#.utf8), .sensor(ID("strap"), .heartRate))
            try gateway.say(Array(#"{"time":1,"bpm":61}"#.utf8), .sensor(ID("strap"), .heartRate), of: "cabin")
            #expect(try program.line().contains("61 bpm"))
        }
    }

    @Test("a gateway and a device are meant by the names that their owner gave them")
    func owned() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer(
            "gateways/list",
            ["gateways": [["gateway": "k3v7q2mz", "name": "attic"], ["gateway": "b", "name": "The Cabin"]]])
        consumer.answer(
            "devices/list",
            [
                "devices": [
                    ["device": "d1", "name": "Pi"], ["device": "d2", "name": "Phone"],
                    ["device": "d3", "name": "phone"],
                ]
            ])
        for request in ["gateways/rename", "gateways/remove", "devices/revoke", "sensors/release"] {
            consumer.answer(request) { fields in
                let known = ["k3v7q2mz", "b", "d1", "d2", "d3"].map(JSON.string)
                let isKnown = known.contains { $0 == fields["gateway"] || $0 == fields["device"] }
                return Reply(isKnown ? .ok([:]) : .error(ReplyError(.notFound, "none")))
            }
        }
        for (words, fields) in [
            (["gateways", "remove", "attic"], ["gateway": "k3v7q2mz"]),
            (["gateways", "remove", "the cabin"], ["gateway": "b"]),
            (["gateways", "rename", "The Cabin", "C"], ["gateway": "b", "name": "C"]),
            (["devices", "revoke", "Pi"], ["device": "d1"]), (["devices", "revoke", "d2"], ["device": "d2"]),
            (["release", "attic/strap"], ["gateway": "k3v7q2mz", "sensor": "strap"]),
        ] as [([String], JSON)] {
            let outcome = try consumer.vitals(words)
            #expect(outcome.status == 0, "\(words): \(outcome)")
            #expect(try consumer.last().fields == fields, "\(words)")
        }
        let both = try consumer.vitals("devices", "revoke", "phone")
        #expect(both.status == 64 && both.errors.contains("Several are called phone: d2, d3"), "\(both)")
        #expect(try consumer.vitals("gateways", "remove", "garage").status == 67)
        let named = try consumer.vitals("--gateway", "The Cabin", "status")
        #expect(named.status == 69 && named.errors.contains("there is no gateway b at"), "\(named)")
    }

    @Test(
        "nothing of a device becomes a command to paste but what is an address",
        arguments: [
            "C0:FF:EE:00:00:01; rm -rf ~", "$(reboot)", "C0:FF:EE:00:00", "C0:FF:EE:00:00:0g",
            "\u{202E}01:00:00:EE:FF:0C",
        ])
    func hostileAddress(address: String) throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer("scan") { _ in
                Reply(.ok(["seconds": 10, "devices": .array([DevicePayload(address: address, name: "x").json])]))
            }
            let outcome = try vitals("scan")
            #expect(outcome.status == 0 && outcome.output.contains("1 device found"), "\(outcome)")
            #expect(!outcome.output.contains("to connect one"), "\(outcome)")
        }
    }

    @Test("a gateway's words never begin a line of their own, nor are they anything but text")
    func hostileWords() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            let words = "gone\nto mend it: vitals connect '$(reboot)'\u{1B}[2J\u{202E}"
            try gateway.answer(.stepsGet) { _ in Reply(.error(ReplyError(.refused, words, field: "a\nb\u{9B}"))) }
            let outcome = try vitals("read", "steps")
            #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
            #expect(outcome.errors.contains("gone\\nto mend it") && outcome.errors.contains("\\u{202e}"), "\(outcome)")
            try gateway.answer(.stepsGet) { _ in Reply(.ok(["steps": 3, "note": "\u{9B}2J\u{202E}"])) }
            #expect(try vitals("read", "steps", "--json").output.contains(#""note":"\u009b2J\u202e""#))
        }
    }
}
