import Foundation
import MQTT
import Telemetry
import Testing

@Suite("vitals read")
struct ReadTests {
    private static let steps: ScriptedGateway.Answering = { message in
        Reply(.ok(["time": 1_760_000_000_000, "steps": 8042]), id: (try? Request(payload: message.payload))?.id)
    }

    private static let temperature: ScriptedGateway.Answering = { message in
        Reply(
            .ok(["time": 1_760_000_000_000, "celsius": .number(36.97), "site": "armpit"]),
            id: (try? Request(payload: message.payload))?.id)
    }

    @Test("prints the steps of the only sensor", arguments: ["mqtt5", "mqtt3.1.1"])
    func steps(protocolName: String) throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet, Self.steps)
            let outcome = try vitals("read", "steps", "--protocol", protocolName)
            #expect(outcome.output == "8042 steps at 2025-10-09 08:53:20\n")
            #expect(outcome.errors == "")
            #expect(outcome.status == 0)
        }
    }

    @Test("prints the temperature and where it was taken", arguments: ["mqtt5", "mqtt3.1.1"])
    func temperature(protocolName: String) throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.temperatureGet, Self.temperature)
            let outcome = try vitals("read", "temperature", "strap", "--protocol", protocolName)
            #expect(outcome.output == "36.97 °C (armpit) at 2025-10-09 08:53:20\n")
            #expect(outcome.status == 0)
        }
    }

    @Test("says which steps were derived, and which temperature was still on its way")
    func remarks() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            let moment = Moment(wall: 1_760_000_000_000, monotonic: 0)
            let steps = Reading(at: moment, .steps(StepCount(1234, isDerived: true)))
            var onItsWay = try Temperature(thousandths: 36_500, site: .armpit)
            onItsWay.isIntermediate = true
            let temperature = Reading(at: moment, .temperature(onItsWay))
            try gateway.answer(.stepsGet) { _ in Reply(steps) }
            try gateway.answer(.temperatureGet) { _ in Reply(temperature) }
            #expect(try vitals("read", "steps").output == "1234 steps (derived from cadence) at 2025-10-09 08:53:20\n")
            #expect(
                try vitals("read", "temperature").output == "36.5 °C (armpit, intermediate) at 2025-10-09 08:53:20\n")
            onItsWay.site = nil
            let elsewhere = Reading(at: moment, .temperature(onItsWay))
            try gateway.answer(.temperatureGet) { _ in Reply(elsewhere) }
            #expect(try vitals("read", "temperature").output == "36.5 °C (intermediate) at 2025-10-09 08:53:20\n")
        }
    }

    @Test("prints the time of day alone if it is today's")
    func today() throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet) { _ in Reply(.ok(["time": .integer(now), "steps": 1])) }
            let output = try vitals("read", "steps").output
            #expect(output.wholeMatch(of: /1 step at \d\d:\d\d:\d\d\n/) != nil, "\(output)")
        }
    }

    @Test("prints the data of the reply as JSON")
    func json() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet, Self.steps)
            let outcome = try vitals("read", "steps", "strap", "--json")
            #expect(try JSON(payload: Array(outcome.output.utf8)) == ["steps": 8042, "time": 1_760_000_000_000])
            #expect(outcome.lines.count == 1)
        }
    }

    @Test("asks with a response topic in the gateway's space, correlation data and a deadline")
    func request() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet, Self.steps)
            _ = try vitals("read", "steps", "--timeout", "20")
            let request = try #require(gateway.requests.all.first)
            #expect(gateway.requests.all.count == 1)
            let properties = try #require(request.properties)
            #expect(properties.responseTopic?.hasPrefix("vitals/v1/gateways/home/responses/") == true)
            #expect(properties.correlationData?.count == 16)
            #expect((1...20).contains(try #require(properties.messageExpirySeconds)))
            #expect(!request.retain)
        }
    }

    @Test("prints an error of the gateway's in its words", arguments: ReplyError.Code.allCases)
    func error(code: ReplyError.Code) throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet) { _ in Reply(.error(ReplyError(code, "so it is", retryAfterSeconds: 30))) }
            let outcome = try vitals("read", "steps")
            #expect(outcome.output == "")
            #expect(outcome.errors.hasPrefix("vitals: home/strap: so it is\n"), "\(outcome.errors)")
            if code == .timeout { #expect(outcome.errors.hasSuffix("\ntry again in 30 s\n")) }
            if code == .sensorOffline { #expect(outcome.errors.hasSuffix("Then try again in 30 s\n")) }
        }
    }

    @Test("does not take a reply without steps for one")
    func malformedReply() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet) { _ in Reply(.ok(["what": "else"])) }
            let outcome = try vitals("read", "steps")
            #expect(outcome.status == 76)
            #expect(outcome.errors == "vitals: the gateway's reply has no steps\n--json shows what it has\n")
        }
    }

    @Test("ends with 75 when no reply comes", arguments: ["mqtt5", "mqtt3.1.1"])
    func noReply(protocolName: String) throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet) { _ in nil }
            let outcome = try vitals("read", "steps", "--timeout", "3", "--protocol", protocolName)
            #expect(outcome.status == 75)
            #expect(
                outcome.errors == """
                    vitals: gateway home did not answer in 3 s
                    see `vitals --port \(broker.port) --protocol \(protocolName) status`, or wait longer with --timeout

                    """)
            #expect(gateway.requests.all.count == 1)
        }
    }

    @Test("does not take the reply to somebody else's request of MQTT 3.1.1 for its own")
    func somebodyElsesReply() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer(.stepsGet) { _ in Reply(.ok(["steps": 1]), id: .string("another")) }
            let outcome = try vitals("read", "steps", "--timeout", "3", "--protocol", "mqtt3.1.1")
            #expect(outcome.status == 75)
        }
    }

    @Test("wants to know which sensor, if there are several")
    func severalSensors() throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear(sensors: ["strap", "band"])
            let outcome = try vitals("read", "temperature")
            #expect(outcome.status == 64)
            #expect(
                outcome.errors == """
                    vitals: which sensor? Gateway home has band, strap
                    such as: vitals --port \(broker.port) read temperature band

                    """)
        }
    }

    @Test("says that a gateway has no sensor")
    func noSensor() throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear(sensors: [])
            let outcome = try vitals("read", "steps")
            #expect(outcome.status == 69)
            #expect(outcome.errors.hasPrefix("vitals: gateway home at 127.0.0.1:\(broker.port) has no sensor\n"))
        }
    }

    @Test("asks which gateway, if there are several, and uses the one that is named")
    func severalGateways() throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear()
            try gateway.appear("cabin", sensors: ["band"])
            try gateway.answer(.stepsGet, Self.steps)
            let outcome = try vitals("read", "steps")
            #expect(outcome.status == 64)
            #expect(
                outcome.errors == """
                    vitals: which gateway? At 127.0.0.1:\(broker.port) there are cabin, home
                    name it with --gateway ID

                    """)
            #expect(try vitals("--gateway", "home", "read", "steps").status == 0)
        }
    }

    @Test("says that a gateway is offline, and asks it nothing")
    func offline() throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear()
            try gateway.keep(StatusPayload.will.bytes, .status)
            try gateway.answer(.stepsGet, Self.steps)
            let outcome = try vitals("read", "steps", "strap")
            #expect(outcome.status == 69)
            #expect(outcome.errors.hasPrefix("vitals: gateway home at 127.0.0.1:\(broker.port) is offline\n"))
            #expect(gateway.requests.all.isEmpty)
        }
    }

    @Test("says that there is no such gateway")
    func noGateway() throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear("cabin")
            let outcome = try vitals("read", "steps", "--gateway", "home")
            #expect(outcome.status == 69)
            let sentence = "vitals: there is no gateway home at 127.0.0.1:\(broker.port), below vitals/v1\n"
            #expect(outcome.errors.hasPrefix(sentence), "\(outcome.errors)")
        }
    }

    @Test("ends with 69 when the broker goes while it waits")
    func brokerGoes() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try gateway.answer(.stepsGet) { _ in nil }
            let program = try Program(["--port", "\(broker.port)", "read", "steps"])
            try gateway.requests.wait(for: 1)
            broker.stop()
            let outcome = try program.finish()
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains("the connection was lost"), "\(outcome.errors)")
        }
    }
}
