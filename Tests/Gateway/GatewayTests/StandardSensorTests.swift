import Foundation
import Telemetry
import TestSupport
import Testing

/// The gateway as a program with one sensor, of which its settings say nothing but the name.
private final class ScriptedHome {
    let folder: TemporaryFolder
    let broker: Broker
    let bus: PrivateBus
    let sensor: ScriptedSensor
    let gateway: RunningProgram
    /// All that the gateway publishes.
    let everything: RunningProgram
    private static let topics = "vitals/v1/gateways/home"

    init(_ flags: [(uuid: String, flags: [String])]) throws {
        folder = try TemporaryFolder()
        broker = try Broker.home()
        try broker.start()
        bus = try PrivateBus()
        sensor = try ScriptedSensor(named: "Standard", on: bus, flags)
        everything = try RunningProgram(
            "/usr/bin/stdbuf",
            ["-oL", "mosquitto_sub", "-d", "-v", "-p", "\(broker.port)", "-t", "\(Self.topics)/#"])
        try #require(everything.line(containing: "Subscribed") != nil)
        let settings = """
            {
              gateway: "home", state: "gateway", bluetooth: { bus: "\(bus.addressText)" },
              broker: { port: \(broker.port), username: "home", password_file: "\(broker.folder.path("home.password"))" },
              sensors: { it: { name: "Standard" } },
            }
            """
        gateway = try RunningProgram("vitals-gateway", ["--settings", folder.write(settings, to: "gateway.json5")])
        try #require(everything.line(containing: "capabilities") != nil)
    }

    deinit {
        gateway.end()
        sensor.stop()
        broker.stop()
    }

    /// Asks; the reply comes at `responses/{name}`.
    func ask(_ what: String, _ name: String, expirySeconds: Int = 30) throws {
        let asker = try RunningProgram(
            "/usr/bin/mosquitto_pub",
            [
                "-V", "mqttv5", "-q", "1", "-p", "\(broker.port)", "-t", "\(Self.topics)/sensors/it/\(what)/get",
                "-m", "{}", "-D", "publish", "response-topic", "\(Self.topics)/responses/\(name)",
                "-D", "publish", "message-expiry-interval", "\(expirySeconds)",
            ])
        try #require(asker.exitStatus() == 0)
    }

    /// The first payload of a topic after this many others, whole.
    func payload(_ topic: String, after count: Int = 0) throws -> JSON {
        let start = "\(Self.topics)/\(topic) "
        func payloads(_ lines: [String]) -> [String] { lines.filter { $0.hasPrefix(start) } }
        guard everything.wait(until: { payloads($0).count > count }) else {
            throw TestFailure("no \(topic) came: \(everything.text)\n\(gateway.text)")
        }
        return try JSON(payload: Array(payloads(everything.lines)[count].dropFirst(start.count).utf8))
    }

    /// How many readings there were to be kept: nobody has a grant here, so whatever is to be kept is counted as not
    /// recorded. The link is lost, and the health told after that says so.
    func kept() throws -> JSON? {
        let health = "\(Self.topics)/health "
        func connected(_ count: Int) -> (String) -> Bool {
            { $0.hasPrefix(health) && $0.contains("\"connected\":\(count)}") }
        }
        try #require(everything.wait { $0.contains(where: connected(1)) })
        sensor.drop()
        func after(_ lines: [String]) -> String? {
            lines.firstIndex(where: connected(1)).flatMap { lines[$0...].first(where: connected(0)) }
        }
        try #require(everything.wait { after($0) != nil })
        let line = try #require(after(everything.lines))
        return try JSON(payload: Array(line.dropFirst(health.count).utf8))["not_recorded"]
    }

    /// Waits until the gateway has subscribed to a characteristic.
    func waitForSubscription(to uuid: String) throws {
        _ = try sensor.subscribed.take("a subscription to \(uuid)") { $0 == uuid ? $0 : nil }
    }
}

private func bytes(_ text: String) throws -> [UInt8] {
    try text.split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
}

@Suite("Standard sensors, without settings", .timeLimit(.minutes(60)))
struct StandardSensorTests {
    private static let measurement = "06 71 0E 00 FE E9 07 05 15 0A 1E 2D 01"
    private static let intermediate = "00 C4 09 00 FE"
    private static let notANumber = "00 FF FF 7F 00"

    private static let thermometer = [
        (GATT.temperatureMeasurement, ["indicate"]), (GATT.intermediateTemperature, ["notify"]),
    ]

    @Test("a foot pod runs live, and its steps are derived as they pass; before it has sent anything there are none")
    func footPod() throws {
        let home = try ScriptedHome([(GATT.runningSpeedAndCadenceMeasurement, ["notify"])])
        #expect(try home.payload("sensors/it/info")["capabilities"] == ["steps", "running"])
        try home.ask("steps", "early")
        #expect(try home.payload("responses/early")["error"]?["code"] == "no-value")

        home.sensor.send(
            GATT.runningSpeedAndCadenceMeasurement, try bytes("1F D8 02 A6 4F 00 01 00 00 00"))
        let first = try home.payload("sensors/it/running")
        #expect(first["speed_mps"] == .number(2.84375) && first["cadence"] == 166 && first["running"] == true)
        #expect(first["stride_m"] == .number(0.79) && first["distance_m"] == .number(0.1))
        #expect(first["steps"] == 0 && first["derived"] == true)

        // 255 in a minute are more than four in a second.
        var latest = first
        for count in 1...10_000 where latest["steps"] == 0 {
            home.sensor.send(GATT.runningSpeedAndCadenceMeasurement, try bytes("00 80 02 FF"))
            latest = try home.payload("sensors/it/running", after: count)
        }
        #expect(latest["steps"] == 1 && latest["speed_mps"] == .number(2.5) && latest["running"] == false)
        try home.ask("steps", "steps")
        let reply = try home.payload("responses/steps")
        #expect(reply["data"]?["steps"] == 1 && reply["data"]?["derived"] == true)
    }

    @Test("heart rates that cannot be, and intervals of 0, are not shown live; a missing contact is")
    func noHeart() throws {
        let home = try ScriptedHome([(GATT.heartRateMeasurement, ["notify"])])
        #expect(try home.payload("sensors/it/info")["capabilities"] == ["heart-rate"])
        // 65,535, 0, 24 and 241 beats a minute; none without skin; 72, with times between beats of 0 and 831/1024 s.
        for value in ["01 FF FF", "00 00", "00 18", "00 F1", "04 00", "10 48 00 00 3F 03"] {
            home.sensor.send(GATT.heartRateMeasurement, try bytes(value))
        }
        let first = try home.payload("sensors/it/heart-rate")
        #expect(first["bpm"] == 0 && first["contact"] == false, "\(first)")
        let second = try home.payload("sensors/it/heart-rate", after: 1)
        #expect(second["bpm"] == 72 && second["rr_ms"] == [812], "\(second)")
    }

    @Test("a bicycle's wheel and crank turn live, and what cannot be read is counted and not published")
    func bicycle() throws {
        let home = try ScriptedHome([(GATT.cyclingSpeedAndCadenceMeasurement, ["notify"])])
        #expect(try home.payload("sensors/it/info")["capabilities"] == ["cycling"])
        for value in ["02 00 00 00 00", "02 02", "02 02 00 00 04"] {
            home.sensor.send(GATT.cyclingSpeedAndCadenceMeasurement, try bytes(value))
        }
        let first = try home.payload("sensors/it/cycling")
        #expect(first["crank_revolutions"] == 0 && first["crank_rpm"] == nil && first["wheel_revolutions"] == nil)
        let second = try home.payload("sensors/it/cycling", after: 1)
        #expect(second["crank_revolutions"] == 2 && second["crank_rpm"] == 120)
        #expect(home.gateway.line(containing: "truncated") != nil)
        try home.ask("steps", "steps")
        #expect(try home.payload("responses/steps")["error"]?["code"] == "not-supported")
    }

    @Test("nonsense from a sensor, and a link that it keeps losing, are in the log once a minute")
    func loggedOnceAMinute() throws {
        let home = try ScriptedHome([(GATT.cyclingSpeedAndCadenceMeasurement, ["notify"])])
        for _ in 1...50 { home.sensor.send(GATT.cyclingSpeedAndCadenceMeasurement, try bytes("02 02")) }
        home.sensor.send(GATT.cyclingSpeedAndCadenceMeasurement, try bytes("02 02 00 00 04"))
        // It came after all of the others.
        _ = try home.payload("sensors/it/cycling")
        #expect(home.gateway.lines.count { $0.contains("sensor it: ") && $0.contains("truncated") } == 1)
        for count in 1...3 {
            home.sensor.drop()
            let isBack = home.everything.wait { lines in
                lines.count { $0.hasSuffix("sensors/it/availability online") } > count
            }
            try #require(isBack, "\(home.gateway.text)")
        }
        #expect(home.gateway.lines.count { $0.contains("sensor it: connected") } == 1)
        #expect(home.gateway.lines.count { $0.contains("sensor it: the link was lost") } == 1)
        // All of it was counted.
        let health = try #require(home.everything.lines.last { $0.contains("/health ") })
        #expect(health.contains("\"malformed\":50"), "\(health)")
    }

    @Test("a thermometer's measurement answers, and not what it shows on its way there")
    func thermometer() throws {
        let home = try ScriptedHome(Self.thermometer)
        #expect(try home.payload("sensors/it/info")["capabilities"] == ["temperature"])
        try home.ask("temperature", "measurement")
        try home.waitForSubscription(to: GATT.intermediateTemperature)
        try home.waitForSubscription(to: GATT.temperatureMeasurement)
        home.sensor.send(GATT.intermediateTemperature, try bytes(Self.intermediate))
        home.sensor.send(GATT.temperatureMeasurement, try bytes(Self.measurement))
        let data = try #require(try home.payload("responses/measurement")["data"])
        #expect(data["celsius"] == .number(36.97) && data["site"] == "armpit" && data["intermediate"] == nil)
        try home.sensor.unsubscribed.wait { Set($0) == Set(Self.thermometer.map(\.0)) }

        try home.ask("temperature", "none")
        try home.waitForSubscription(to: GATT.temperatureMeasurement)
        home.sensor.send(GATT.temperatureMeasurement, try bytes(Self.notANumber))
        #expect(try home.payload("responses/none")["error"]?["code"] == "no-value")
    }

    @Test("if only intermediate temperatures come in time, the last of them answers, is marked, and is not kept")
    func onItsWay() throws {
        let home = try ScriptedHome(Self.thermometer)
        try home.ask("temperature", "long", expirySeconds: 60)
        try home.ask("temperature", "short", expirySeconds: 8)
        try home.waitForSubscription(to: GATT.intermediateTemperature)
        try home.waitForSubscription(to: GATT.temperatureMeasurement)
        for value in ["00 00 09 00 FE", Self.intermediate, Self.notANumber, "00 01"] {
            home.sensor.send(GATT.intermediateTemperature, try bytes(value))
        }
        let short = try #require(try home.payload("responses/short")["data"])
        #expect(short["celsius"] == 25 && short["intermediate"] == true)
        // A client that has time keeps waiting for the measurement.
        home.sensor.send(GATT.temperatureMeasurement, try bytes(Self.measurement))
        #expect(try home.payload("responses/long")["data"]?["celsius"] == .number(36.97))
        #expect(try home.kept() == 1)
    }

    @Test("what a thermometer shows answers at once if it measures nothing else, and is not kept either")
    func intermediateOnly() throws {
        let home = try ScriptedHome([(GATT.intermediateTemperature, ["notify"])])
        #expect(try home.payload("sensors/it/info")["capabilities"] == ["temperature"])
        try home.ask("temperature", "it", expirySeconds: 60)
        try home.waitForSubscription(to: GATT.intermediateTemperature)
        home.sensor.send(GATT.intermediateTemperature, try bytes(Self.intermediate))
        let data = try #require(try home.payload("responses/it")["data"])
        #expect(data["celsius"] == 25 && data["intermediate"] == true)
        try home.sensor.unsubscribed.wait(for: 1)
        #expect(try home.kept() == 0)
    }

    @Test("the household is told when a battery's charge changes, and when a bond was made")
    func details() throws {
        let home = try ScriptedHome([(GATT.heartRateMeasurement, ["notify"])])
        let first = try home.payload("sensors/it/info")
        #expect(first["battery"] == nil && first["bonded"] == false && first["capabilities"] == ["heart-rate"])
        home.sensor.setBattery(80)
        #expect(try home.payload("sensors/it/info", after: 1)["battery"] == 80)
        home.sensor.setBattery(79)
        #expect(try home.payload("sensors/it/info", after: 2)["battery"] == 79)
        home.sensor.bond()
        let last = try home.payload("sensors/it/info", after: 3)
        #expect(last["battery"] == 79 && last["bonded"] == true)
    }

    @Test("a sensor of everything streams everything at once")
    func everything() throws {
        let home = try ScriptedHome([
            (GATT.heartRateMeasurement, ["notify"]), (GATT.runningSpeedAndCadenceMeasurement, ["notify"]),
            (GATT.cyclingSpeedAndCadenceMeasurement, ["notify"]),
        ])
        #expect(
            try home.payload("sensors/it/info")["capabilities"] == ["heart-rate", "steps", "running", "cycling"])
        home.sensor.send(GATT.heartRateMeasurement, try bytes("0E 4B 80 00"))
        home.sensor.send(GATT.runningSpeedAndCadenceMeasurement, try bytes("00 80 02 50"))
        home.sensor.send(GATT.cyclingSpeedAndCadenceMeasurement, try bytes("01 36 30 00 00 00 04"))
        #expect(try home.payload("sensors/it/heart-rate")["bpm"] == 75)
        #expect(try home.payload("sensors/it/running")["cadence"] == 80)
        #expect(try home.payload("sensors/it/cycling")["wheel_revolutions"] == 12_342)
    }

    @Test("a heart rate is not kept away by something else that cannot be listened to")
    func oneOfTwo() throws {
        let home = try ScriptedHome([
            (GATT.heartRateMeasurement, ["notify"]),
            (GATT.runningSpeedAndCadenceMeasurement, ["notify", ScriptedSensor.broken]),
        ])
        home.sensor.send(GATT.heartRateMeasurement, try bytes("0E 4B 80 00"))
        #expect(try home.payload("sensors/it/heart-rate")["bpm"] == 75)
        #expect(home.gateway.line(containing: "cannot subscribe to \(GATT.runningSpeedAndCadenceMeasurement)") != nil)
    }
}
