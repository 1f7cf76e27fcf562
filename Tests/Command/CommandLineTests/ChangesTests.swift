import Foundation
import MQTT
import Telemetry
import TestSupport
import Testing

/// What the gateway was asked.
private func asked(_ gateway: ScriptedGateway) -> [String] {
    gateway.requests.all.map { message in
        let name = message.topic.split(separator: "/").last.map(String.init) ?? ""
        return "\(name) \(String(decoding: message.payload, as: UTF8.self))"
    }
}

@Suite("vitals connect")
struct ConnectTests {
    private static let connected: ScriptedGateway.Answering = { _ in
        Reply(
            .ok([
                "sensor": "strap", "name": "Polar H10", "address": "C0:FF:EE:00:00:01", "message": "Device Connected",
            ]))
    }

    @Test(
        "asks for a device, with an id and a name if they are given, and for an existing sensor by its id",
        arguments: [
            (["C0:FF:EE:00:00:01"], #"connect {"device":"C0:FF:EE:00:00:01"}"#),
            (
                ["Polar H10", "--sensor", "strap", "--name", "Mine"],
                #"connect {"device":"Polar H10","sensor":"strap","name":"Mine"}"#
            ),
            (["strap"], #"connect {"sensor":"strap"}"#), (["starp"], #"connect {"device":"starp"}"#),
        ])
    func request(arguments: [String], expected: String) throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try gateway.answer("connect", Self.connected)
            let outcome = try Program(["--port", "\(broker.port)", "connect"] + arguments).finish()
            #expect(asked(gateway) == [expected])
            #expect(outcome.output == "Device Connected: Polar H10 (C0:FF:EE:00:00:01), sensor strap\n")
            #expect(outcome.status == 0)
            // A radio may take its time.
            #expect((30...60).contains(try #require(gateway.requests.all.first?.properties?.messageExpirySeconds)))
        }
    }

    @Test("waits as long as it is told to, and prints the reply as JSON", arguments: ["mqtt5", "mqtt3.1.1"])
    func json(protocolName: String) throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer("connect", Self.connected)
            let outcome = try vitals(
                "connect", "Polar H10", "--json", "--timeout", "5", "--protocol", protocolName)
            #expect(
                outcome.output == """
                    {"address":"C0:FF:EE:00:00:01","message":"Device Connected","name":"Polar H10","sensor":"strap"}

                    """)
            if protocolName == "mqtt5" {
                #expect(try #require(gateway.requests.all.first?.properties?.messageExpirySeconds) == 5)
            }
        }
    }

    @Test("says that nothing by that name was seen, and where to look")
    func unknownDevice() throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear()
            try gateway.answer("connect") { _ in
                Reply(.error(ReplyError(.unknownDevice, "no device Polar was seen", field: "device")))
            }
            let outcome = try vitals("connect", "Polar")
            #expect(
                outcome.errors == """
                    vitals: home: no device Polar was seen
                    `vitals --port \(broker.port) scan` shows those nearby

                    """)
            #expect(outcome.status == 67)
        }
    }

    @Test("does not give a sensor another name")
    func renaming() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            let outcome = try vitals("connect", "strap", "--name", "Mine")
            #expect(outcome.errors.hasPrefix("vitals: --name: strap is already a sensor; see vitals rename\n"))
            #expect(outcome.status == 64)
        }
    }
}

@Suite("vitals disconnect, forget, rename")
struct SeparateTests {
    @Test(
        "are done by the gateway, which says how it went",
        arguments: [
            (["disconnect", "strap"], #"disconnect {"sensor":"strap"}"#, "Device Disconnected: strap\n"),
            (["disconnect", "--yes"], #"disconnect {"sensor":"strap"}"#, "Device Disconnected: strap\n"),
            (["forget", "-y"], #"forget {"sensor":"strap"}"#, "Device Forgotten: strap\n"),
            (
                ["rename", "strap", "Chest strap"], #"rename {"sensor":"strap","name":"Chest strap"}"#,
                "strap is now called Chest strap\n"
            ),
            (["rename", "strap", ""], #"rename {"sensor":"strap","name":""}"#, "strap is now called Polar H10\n"),
        ])
    func done(arguments: [String], request: String, output: String) throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            for name in ["disconnect", "forget", "rename"] {
                try gateway.answer(name) { message in
                    let fields = (try? Request(payload: message.payload))?.fields
                    let name = fields?["name"].flatMap { $0 == "" ? nil : $0 } ?? "Polar H10"
                    return Reply(.ok(["sensor": "strap", "name": name, "message": "done"]))
                }
            }
            let outcome = try Program(["--port", "\(broker.port)"] + arguments).finish()
            #expect(asked(gateway) == [request])
            #expect(outcome.output == output)
            #expect(outcome.errors == "")
            #expect(outcome.status == 0)
        }
    }

    @Test("want to know which sensor, if there are several", arguments: ["disconnect", "forget"])
    func severalSensors(command: String) throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear(sensors: ["strap", "band"])
            let outcome = try vitals(command)
            #expect(
                outcome.errors == """
                    vitals: which sensor? Gateway home has band, strap
                    such as: vitals --port \(broker.port) \(command) band

                    """)
            #expect(outcome.status == 64)
        }
    }

    @Test("say that there is no such sensor")
    func unknownSensor() throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear()
            try gateway.answer("disconnect") { _ in Reply(.error(ReplyError(.unknownSensor, "no sensor starp"))) }
            let outcome = try vitals("disconnect", "starp")
            #expect(
                outcome.errors == """
                    vitals: home/starp: no sensor starp
                    `vitals --port \(broker.port) sensors` lists all of them

                    """)
            #expect(outcome.status == 67)
        }
    }

    @Test(
        "ask a person at a terminal first, and do nothing unless the answer is yes",
        arguments: [
            ("disconnect", "Disconnect strap? [y/N]", "y", true), ("disconnect", "Disconnect strap? [y/N]", "", false),
            ("forget", "Forget strap, and its bond? [y/N]", "YES", true),
            ("forget", "Forget strap, and its bond? [y/N]", "no", false),
        ])
    func asksFirst(command: String, question: String, answer: String, isDone: Bool) throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try gateway.answer(command) { _ in Reply(.ok(["sensor": "strap"])) }
            let vitals = try programPath("vitals")
            // script(1) is the terminal.
            let terminal = try RunningProgram(
                "script",
                ["--quiet", "--return", "--command", "\(vitals) --port \(broker.port) \(command)", "/dev/null"],
                environment: ["HOME": broker.folder.path])
            #expect(terminal.prints(question))
            #expect(asked(gateway).isEmpty)
            terminal.send(answer)
            #expect(terminal.exitStatus() == (isDone ? 0 : 1), "\(terminal.text)")
            #expect(asked(gateway) == (isDone ? [#"\#(command) {"sensor":"strap"}"#] : []))
            #expect(terminal.text.contains(isDone ? ": strap" : "nothing was changed"))
        }
    }
}

/// Where a program of ours is: next to the tests.
private func programPath(_ name: String) throws -> String {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
}
