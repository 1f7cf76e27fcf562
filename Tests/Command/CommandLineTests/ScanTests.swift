import MQTT
import Telemetry
import TestSupport
import Testing

@Suite("vitals scan")
struct ScanTests {
    private static let polar = DevicePayload(
        address: "C0:FF:EE:00:00:01", name: "Polar H10", rssi: -61, services: ["heart-rate", "battery"], battery: 95)
    private static let strap = DevicePayload(
        address: "C0:FF:EE:00:00:02", name: "Strap", rssi: -45,
        services: [
            "00001800-0000-1000-8000-00805f9b34fb", "heart-rate", "00001801-0000-1000-8000-00805f9b34fb",
            "f1700001-76a1-4c53-9d5b-3f5f0d3c1a00",
        ], connected: true, sensor: try? ID("strap"))
    private static let nameless = DevicePayload(address: "7A:00:00:00:00:03")

    /// Answers a scan: reports some devices as they are found, and all of them at the end.
    private func answer(
        _ gateway: ScriptedGateway, found: [DevicePayload], all: [DevicePayload], help: [String] = []
    ) throws {
        try gateway.answer("scan") { [weak gateway] _ in
            try? gateway?.tell(EventPayload(.scanStarted, time: 1, message: "Scanning Started", seconds: 10))
            for device in found {
                try? gateway?.tell(EventPayload(.found, time: 2, message: "Device Found", device: device))
            }
            try? gateway?.tell(EventPayload(.scanEnded, time: 3, message: "over", seconds: 10))
            return Reply(
                .ok(
                    .object(present: [
                        "seconds": 10, "devices": .array(all.map(\.json)),
                        "help": help.isEmpty ? nil : .array(help.map(JSON.string)),
                    ])))
        }
    }

    @Test(
        "shows each device once, as it is found, and at the end those that no event reported",
        arguments: ["mqtt5", "mqtt3.1.1"])
    func lines(protocolName: String) throws {
        try withHousehold { broker, gateway, vitals in
            try gateway.appear()
            try answer(
                gateway, found: [Self.polar, Self.strap, Self.polar], all: [Self.strap, Self.polar, Self.nameless])
            let outcome = try vitals("scan", "--protocol", protocolName)
            #expect(
                outcome.output == """
                    Scanning Started
                    Device Found    Polar H10             C0:FF:EE:00:00:01  -61 dBm    95 %  heart-rate, battery
                    Device Found  * Strap                 C0:FF:EE:00:00:02  -45 dBm          heart-rate, 1 more  (strap)
                    Device Found    (no name)             7A:00:00:00:00:03  -
                    3 devices found; * is connected
                    to connect one: vitals --port \(broker.port) --protocol \(protocolName) connect C0:FF:EE:00:00:01

                    """)
            #expect(outcome.errors == "")
            #expect(outcome.status == 0)
        }
    }

    @Test("shows a device while the scan is running")
    func prompt() throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try gateway.answer("scan") { _ in nil }
            let program = try Program(["--port", "\(broker.port)", "scan", "--seconds", "1", "--timeout", "1"])
            try gateway.requests.wait(for: 1)
            try gateway.tell(EventPayload(.scanStarted, time: 1, message: "Scanning Started", seconds: 1))
            try gateway.tell(EventPayload(.found, time: 2, message: "Device Found", device: Self.polar))
            #expect(try program.line() == "Scanning Started")
            #expect(try program.line().contains("Polar H10"))
            let outcome = try program.finish()
            #expect(outcome.status == 75)
            #expect(outcome.errors.hasPrefix("vitals: gateway home did not answer in 2 s\n"), "\(outcome.errors)")
        }
    }

    @Test(
        "asks for that time and for those services",
        arguments: [
            ([], #"{"seconds":10}"#), (["--all", "--seconds", "254"], #"{"seconds":254,"services":[]}"#),
            (
                ["--service", "heart-rate", "--service", "1809"],
                #"{"seconds":10,"services":["heart-rate","1809"]}"#
            ),
        ])
    func request(arguments: [String], payload: String) throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try answer(gateway, found: [], all: [Self.polar])
            _ = try Program(["--port", "\(broker.port)", "scan"] + arguments).finish()
            let request = try #require(gateway.requests.all.first)
            #expect(String(decoding: request.payload, as: UTF8.self) == payload)
            // The gateway has as long as the scan takes, and some more.
            #expect(try #require(request.properties?.messageExpirySeconds) > (payload.contains("254") ? 254 : 10))
        }
    }

    @Test("prints a JSON object for each device at the end, and nothing else")
    func json() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try answer(gateway, found: [Self.polar], all: [Self.polar, Self.nameless])
            #expect(
                try vitals("scan", "--json").output == """
                    {"gateway":"home","address":"C0:FF:EE:00:00:01","name":"Polar H10","rssi":-61,\
                    "services":["heart-rate","battery"],"battery":95,"connected":false,"bonded":false}
                    {"gateway":"home","address":"7A:00:00:00:00:03","services":[],"connected":false,"bonded":false}

                    """)
        }
    }

    @Test("gives the gateway's help if nothing was found, and ends with 69", arguments: [[], ["--json"]])
    func nothing(arguments: [String]) throws {
        try withHousehold { broker, gateway, _ in
            try gateway.appear()
            try answer(gateway, found: [], all: [], help: ["Nothing at all was heard.", "Check its \u{1B}battery."])
            let outcome = try Program(["--port", "\(broker.port)", "scan"] + arguments).finish()
            #expect(outcome.output == (arguments.isEmpty ? "Scanning Started\n" : ""))
            #expect(
                outcome.errors
                    == (arguments.isEmpty
                        ? """
                        vitals: gateway home found no device in 10 s
                        Nothing at all was heard.
                        Check its \\u{1b}battery.

                        """
                        : #"{"code":"unavailable","exit_code":69,"hint":"Nothing at all was heard.\nCheck its \\u{1b}battery.","#
                            + #""message":"gateway home found no device in 10 s"}"# + "\n"))
            #expect(outcome.status == 69)
        }
    }

    @Test("says why the gateway cannot scan")
    func notReady() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.answer("scan") { _ in
                Reply(.error(ReplyError(.notReady, "waiting for a Bluetooth adapter", retryAfterSeconds: 30)))
            }
            let outcome = try vitals("scan")
            #expect(outcome.errors == "vitals: home: waiting for a Bluetooth adapter\ntry again in 30 s\n")
            #expect(outcome.status == 69)
        }
    }

    @Test("makes names from the air harmless, and takes no other gateway's events for its own")
    func harmful() throws {
        try withHousehold { _, gateway, vitals in
            try gateway.appear()
            try gateway.appear("cabin")
            var device = Self.polar
            device.name = "\u{1B}[2Jgone"
            let harmful = device
            try gateway.answer("scan") { [weak gateway] _ in
                let event = EventPayload(.found, time: 2, message: "Device Found", device: Self.strap)
                try? gateway?.tell(event, of: "cabin")
                return Reply(.ok(.object([JSON.Member("devices", .array([harmful.json]))])))
            }
            let output = try vitals("scan", "--gateway", "home").output
            #expect(output.contains("\\u{1b}[2Jgone"))
            #expect(!output.contains("\u{1B}") && !output.contains("Strap"))
        }
    }
}
