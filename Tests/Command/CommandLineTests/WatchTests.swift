import Foundation
import Glibc
import Telemetry
import TestSupport
import Testing

@Suite("vitals watch")
struct WatchTests {
    /// 2025-10-09 08:53:20 UTC
    private static let full = Array(
        #"{"time":1760000000000,"bpm":72,"contact":true,"rr_ms":[812,806],"energy_kj":128}"#.utf8)
    private static let brief = Array(#"{"time":1760000001000,"bpm":172,"contact":false}"#.utf8)

    private func heartRate(_ sensor: String = "strap") throws -> GatewayTopic { .sensor(try ID(sensor), .heartRate) }

    private func watch(_ broker: Broker, _ arguments: String...) throws -> Program {
        let program = try Program(["--port", "\(broker.port)", "watch"] + arguments)
        try broker.waitForWatching()
        return program
    }

    @Test("shows each heart rate on a line, and what comes and goes", arguments: ["mqtt5", "mqtt3.1.1"])
    func lines(protocolName: String) throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let program = try watch(broker, "--count", "2", "--protocol", protocolName)
            #expect(
                Set([try program.line(), try program.line()].map { $0.dropFirst(10) }) == [
                    "gateway home is online", "strap is online",
                ])
            try gateway.say(Self.full, heartRate())
            #expect(try program.line() == "08:53:20  strap  72 bpm  contact  RR 812 806 ms  128 kJ")
            try gateway.keep(Availability.online.bytes, .sensor(ID("strap"), .availability))
            try gateway.keep(Availability.offline.bytes, .sensor(ID("strap"), .availability))
            #expect(try program.line().dropFirst(10) == "strap is offline")
            let event = EventPayload(
                .readFailed, time: 1_760_000_000_000, sensor: try ID("strap"), message: "steps: no")
            try gateway.say(event.bytes, .events)
            #expect(try program.line() == "08:53:20  strap: read failed: steps: no")
            try gateway.say(Self.brief, heartRate())
            let outcome = try program.finish()
            #expect(outcome.output == "08:53:21  strap  172 bpm  no contact\n")
            #expect(outcome.errors == "")
            #expect(outcome.status == 0)
        }
    }

    @Test("prints one JSON object a line, and nothing else")
    func json() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let program = try watch(broker, "--json", "--count", "2")
            try gateway.say(Self.full, heartRate())
            try gateway.keep(Availability.offline.bytes, .sensor(ID("strap"), .availability))
            try gateway.say(Self.brief, heartRate())
            #expect(
                try program.finish().output == """
                    {"gateway":"home","sensor":"strap","time":1760000000000,"bpm":72,"contact":true,"rr_ms":[812,806],\
                    "energy_kj":128}
                    {"gateway":"home","sensor":"strap","time":1760000001000,"bpm":172,"contact":false}

                    """)
        }
    }

    @Test("shows running and cycling, too, and in JSON as the gateway published them")
    func runningAndCycling() throws {
        let payloads = [
            #"{"time":1760000000000,"speed_mps":2.84375,"cadence":166,"stride_m":0.79,"distance_m":1000.5,"running":true,"steps":1234,"derived":true}"#,
            #"{"time":1760000001000,"speed_mps":1.5,"cadence":80,"running":false}"#,
            #"{"time":1760000002000,"wheel_revolutions":12345,"wheel_rpm":171.3,"crank_revolutions":402,"crank_rpm":87.3}"#,
            #"{"time":1760000003000,"crank_revolutions":402}"#,
            #"{"time":1760000004000,"crank_revolutions":403,"power_w":212}"#,
        ]
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let programs = [try watch(broker, "--count", "5"), try watch(broker, "--json", "--count", "5")]
            try broker.waitForLog("Received UNSUBSCRIBE from vitals-", times: 2)
            for (index, payload) in payloads.enumerated() {
                let topic = GatewayTopic.sensor(try ID("strap"), index < 2 ? .running : .cycling)
                if index == 0 { try gateway.say(Array("{}".utf8), topic) }
                try gateway.say(Array(payload.utf8), topic)
            }
            let outcome = try programs[0].finish()
            #expect(
                outcome.lines.suffix(5) == [
                    "08:53:20  strap  running  2.84 m/s  cadence 166  stride 0.79 m  1000.5 m  1234 steps (derived)",
                    "08:53:21  strap  walking  1.5 m/s  cadence 80",
                    "08:53:22  strap  wheel 12345 at 171.3 rpm  crank 402 at 87.3 rpm",
                    "08:53:23  strap  crank 402",
                    "08:53:24  strap  212 W  crank 403",
                ])
            #expect(outcome.errors.contains("home/strap: a running measurement that cannot be read"))
            #expect(
                try programs[1].finish().lines
                    == payloads.map { #"{"gateway":"home","sensor":"strap","# + $0.dropFirst() })
        }
    }

    @Test("keeps to the sensor that was named")
    func oneSensor() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear(sensors: ["strap", "band"])
            let program = try watch(broker, "band", "--json", "--count", "1")
            try gateway.say(Self.full, heartRate())
            try gateway.say(Self.brief, heartRate("band"))
            #expect(try program.finish().output.hasPrefix(#"{"gateway":"home","sensor":"band""#))
        }
    }

    @Test("names the gateway with the sensor, if there are several")
    func severalGateways() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear(sensors: [])
            try gateway.appear("cabin", sensors: [])
            let program = try watch(broker, "--count", "1")
            try gateway.say(Self.brief, heartRate(), of: "cabin")
            #expect(try program.finish().lines.last == "08:53:21  cabin/strap  172 bpm  no contact")
        }
    }

    @Test("says that nobody is there yet, and waits")
    func nobody() throws {
        try withHousehold { broker, gateway, _ in
            let program = try watch(broker, "--count", "1", "--json")
            try program.waitForErrors(containing: "no gateway is online at 127.0.0.1:\(broker.port) yet; waiting")
            try gateway.say(Self.brief, heartRate())
            #expect(try program.finish().lines.count == 1)
        }
    }

    @Test("says that nobody knows the sensor yet")
    func unknownSensor() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let program = try watch(broker, "starp")
            try program.waitForErrors(containing: "no gateway has a sensor starp yet; waiting")
        }
    }

    @Test("shows thousands of heart rates, none left out, in order")
    func many() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let count = 5000
            let program = try watch(broker, "--json", "--count", "\(count)")
            try gateway.pour((1...count).map { Array("{\"time\":\($0),\"bpm\":60}".utf8) }, heartRate())
            let lines = try program.finish().lines
            #expect(
                lines == (1...count).map { "{\"gateway\":\"home\",\"sensor\":\"strap\",\"time\":\($0),\"bpm\":60}" })
        }
    }

    @Test("says once that a heart rate cannot be read, and continues")
    func malformed() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let program = try watch(broker, "--json", "--count", "1")
            try gateway.say(Array("{".utf8), heartRate())
            try gateway.say(Array("{".utf8), heartRate())
            try gateway.say(Self.brief, heartRate())
            let outcome = try program.finish()
            #expect(outcome.lines.count == 1)
            #expect(outcome.errors.components(separatedBy: "home/strap: a heart rate that cannot be read").count == 2)
        }
    }

    @Test("says soon that the broker stands still, although nothing was cut, and continues when it goes on")
    func standstill() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let program = try watch(broker, "--json", "--count", "2")
            try gateway.say(Self.full, heartRate())
            #expect(try program.line().contains("\"bpm\":72"))
            broker.signal(SIGSTOP)
            defer { broker.signal(SIGCONT) }
            try program.waitForErrors(containing: "waiting for the broker")
            broker.signal(SIGCONT)
            try program.waitForErrors(containing: "connected to 127.0.0.1:\(broker.port) again")
        }
    }

    @Test("says that the broker has gone, and continues when it is back")
    func outage() throws {
        let broker = try Broker.home()
        try broker.start()
        let before = try ScriptedGateway(broker)
        try before.appear()
        let program = try watch(broker, "--json", "--count", "2")
        try before.say(Self.full, heartRate())
        #expect(try program.line().contains("\"bpm\":72"))
        before.stop()
        broker.stop()
        try program.waitForErrors(containing: "waiting for the broker")
        try broker.start()
        try broker.waitForLog("Sending SUBACK to vitals-", times: 6)
        try program.waitForErrors(containing: "connected to 127.0.0.1:\(broker.port) again")
        let after = try ScriptedGateway(broker)
        defer { after.stop() }
        try after.say(Self.brief, heartRate())
        let outcome = try program.finish()
        #expect(outcome.lines.count == 1)
        #expect(outcome.status == 0)
        #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome.errors)")
    }

    @Test("ends quietly when nobody reads its output any more, even while nothing comes")
    func closedOutput() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let pipe = try makePipe()
            let program = try Program(["--port", "\(broker.port)", "watch"], output: pipe.writeEnd)
            close(pipe.writeEnd)
            try broker.waitForWatching()
            close(pipe.readEnd)
            let outcome = try program.finish()
            #expect(outcome.status == 0)
            #expect(outcome.errors == "")
        }
    }

    @Test("ends with 0 on Ctrl-C")
    func interrupted() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let program = try watch(broker)
            program.interrupt()
            #expect(try program.finish().status == 0)
        }
    }

    @Test("is colourful on a terminal only, and not if NO_COLOR is set", arguments: [true, false])
    func colours(isWanted: Bool) throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            let terminal = try Terminal()
            let program = try Program(
                ["--port", "\(broker.port)", "watch", "--count", "1"],
                environment: isWanted ? ["TERM": "xterm"] : ["TERM": "xterm", "NO_COLOR": "1"], output: terminal.inner
            )
            try broker.waitForWatching()
            try gateway.say(Self.full, heartRate())
            let outcome = try program.finish()
            let text = terminal.text
            terminal.close()
            #expect(outcome.status == 0)
            #expect(text.contains("72 bpm"))
            #expect(text.contains("\u{1B}[1m72 bpm\u{1B}[0m") == isWanted)
            #expect(text.contains("\u{1B}") == isWanted)
        }
    }
}

/// A pseudoterminal: what the program writes to `inner` can be read from `text`.
private struct Terminal {
    let inner: CInt
    private let outer: CInt

    init() throws {
        var (outer, inner): (CInt, CInt) = (-1, -1)
        guard openpty(&outer, &inner, nil, nil, nil) == 0 else { throw TestFailure("no pseudoterminal") }
        self.outer = outer
        self.inner = inner
    }

    func close() {
        Glibc.close(inner)
        Glibc.close(outer)
    }

    /// All that was written so far.
    var text: String {
        var bytes: [UInt8] = []
        var entry = pollfd(fd: outer, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLIN) != 0 {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(outer, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Broker {
    /// Waits until the program `vitals` has subscribed to all it wants: its last subscription, which only marks the end
    /// of what is kept, is ended at once.
    fileprivate func waitForWatching() throws { try waitForLog("Received UNSUBSCRIBE from vitals-") }
}
