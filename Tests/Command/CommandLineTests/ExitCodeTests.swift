import Daemon
import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("Exit codes", .timeLimit(.minutes(60)))
struct ExitCodeTests {
    @Test(
        "of a gateway's or the consumer's refusals are those of the table",
        arguments: [
            (ReplyError.Code.sensorOffline, 69), (.notReady, 69), (.notSupported, 69), (.timeout, 75), (.busy, 75),
            (.rateLimited, 75), (.unknownSensor, 67), (.unknownDevice, 67), (.notFound, 67), (.noValue, 67),
            (.badRequest, 65), (.invalid, 65), (.alreadyRegistered, 65), (.refused, 77), (.wrongCredentials, 77),
            (.locked, 77), (.expired, 77), (.notAllowed, 77), (.malformedValue, 76), (.internal, 70),
        ] as [(ReplyError.Code, Int32)])
    func refusals(code: ReplyError.Code, status: Int32) throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet) { _ in Reply(.error(ReplyError(code, "no"))) }
            #expect(try vitals("read", "steps").status == status)
        }
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.refuse("goals/get", ReplyError(code, "no"))
        #expect(try consumer.vitals("goals").status == status)
    }

    @Test("are tried for every refusal that there is")
    func complete() { #expect(ReplyError.Code.allCases.count == 20) }

    @Test("of vitals are those of the table")
    func vitals() throws {
        let consumer = try ScriptedConsumer()
        func expect(_ status: Int32, _ words: [String], input: [String] = [], _ line: Int = #line) throws {
            let program = try RunningProgram(
                "vitals", ["--port", "\(consumer.broker.port)"] + words,
                environment: ["HOME": consumer.home.path, "TZ": "UTC"], inheritsEnvironment: false)
            for line in input { program.send(line) }
            program.closeInput()
            #expect(program.exitStatus() == status, "line \(line), \(words): \(program.text)")
        }
        let nowhere = consumer.home.path("nowhere")
        try consumer.home.write("{ gateway: 5 }", to: "wrong.json5")
        try consumer.home.write("", to: "empty")
        try consumer.home.write("x", to: "there.tar")
        try expect(64, ["frobnicate"])
        try expect(65, ["sign-in", "ada@example.org", "--password-file", consumer.home.path("empty")])
        try expect(66, ["sign-in", "ada@example.org", "--password-file", nowhere])
        try expect(69, ["sensors"])
        try expect(69, ["--host", "127.0.0.2", "status"])
        try expect(77, ["today"])
        try expect(78, ["--settings", nowhere, "status"])
        try expect(78, ["--settings", consumer.home.path("wrong.json5"), "status"])
        try consumer.signIn()
        try expect(66, ["picture", "set", nowhere])
        try expect(74, ["export", consumer.home.path("there.tar")])
        try expect(75, ["today", "--timeout", "0.3"])
        consumer.answer("statistics/week", ["odd": true])
        try expect(76, ["week"])
        consumer.answer("friends/list", ["friends": []])
        try expect(67, ["friends", "accept", "grace"])
        consumer.answer("picture/get", ["picture": .null])
        try expect(67, ["picture", "get", nowhere])
        // A first reset of the password, whose command line does not say what becomes of what hangs on the account.
        consumer.answer("reset-password", ["changed": false, "hanging": ["friends": 2]])
        try expect(64, ["password", "reset", "ada@example.org", "--code"], input: ["123456", "Babbage-1791!"])
        let declined = try consumer.terminal("gateways remove attic", [("[y/N]", "n")])
        #expect(declined.status == 1, "\(declined)")
    }

    @Test("of the scripts under deploy/ are those of the table")
    func scripts() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        func expect(_ status: Int32, _ words: [String], environment: [String: String] = [:], _ line: Int = #line) throws
        {
            let environment = environment.merging(["HOME": folder.path]) { first, _ in first }
            let program = try RunningProgram(
                "\(projectFolder)/deploy/\(words[0])", Array(words.dropFirst()), environment: environment)
            #expect(program.exitStatus(within: .seconds(60)) == status, "line \(line), \(words): \(program.text)")
        }
        try expect(64, ["up", "--frobnicate"])
        try expect(64, ["up", "--port", "70000"])
        try expect(66, ["up", "--activity", "nowhere.csv"])
        let broker = try Broker()
        try broker.start()
        try expect(69, ["up", "--port", "\(broker.port)"])
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let programs = URL(fileURLWithPath: tests).deletingLastPathComponent().path
        try expect(74, ["up", "--state", folder.path("file")], environment: ["VITALS_PROGRAMS": programs])
        try expect(64, ["broker"])
        try expect(64, ["broker", folder.path("broker"), "many"])
        try expect(64, ["broker", "--person", "consumer", folder.path("broker"), "1883"])
        try expect(74, ["broker", folder.path("file/broker"), "1883"])
        try expect(64, ["certificates", folder.path("certificates")])
        try expect(66, ["certificates", folder.path("certificates"), "server", "pi.local"])
        try expect(66, ["certificates", folder.path("certificates"), "renew"])
        try expect(0, ["certificates", folder.path("certificates"), "authority"])
        try expect(74, ["certificates", folder.path("certificates"), "authority"])
        try expect(74, ["certificates", folder.path("file/certificates"), "authority"])
    }
}
