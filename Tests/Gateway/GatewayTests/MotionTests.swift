import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("What moves", .timeLimit(.minutes(60)))
struct MotionTests {
    private static let sensors = #"sensors: { strap: { name: "Standard", wheel_mm: 2000 } },"#

    private func bytes(_ text: String) throws -> [UInt8] {
        try text.split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
    }

    /// What is recorded of a sensor with one characteristic that sends these values.
    private func recorded(_ uuid: String, _ values: [String], live topic: String) throws -> [Reading.Value] {
        let bus = try PrivateBus()
        let sensor = try ScriptedSensor(named: "Standard", on: bus, [(uuid, ["notify"])])
        defer { sensor.stop() }
        let home = try RecordingHome(bus: bus, Self.sensors)
        _ = try sensor.subscribed.take("a subscription") { $0 == uuid ? $0 : nil }
        for value in values { sensor.send(uuid, try bytes(value)) }
        _ = try home.payloads(topic, count: values.count)
        return try home.recorded().map(\.value)
    }

    @Test("of a foot pod is recorded as it comes")
    func foot() throws {
        let motions = try recorded(
            GATT.runningSpeedAndCadenceMeasurement, ["1F D8 02 A6 4F 00 01 00 00 00", "00 80 02 50"], live: "running")
        #expect(
            motions == [
                .motion(Motion(metresPerSecond: 2.84375, totalMetres: 0.1, cadence: 166, source: .foot)),
                .motion(Motion(metresPerSecond: 2.5, cadence: 80, source: .foot)),
            ])
    }

    @Test("of a bicycle is recorded by the size of its wheel, and nothing of a crank at rest")
    func bicycle() throws {
        let motions = try recorded(
            GATT.cyclingSpeedAndCadenceMeasurement,
            ["01 0A 00 00 00 00 04", "01 0C 00 00 00 00 08", "02 02 00 00 04", "02 02 00 00 04"], live: "cycling")
        #expect(
            motions == [
                .motion(Motion(totalMetres: 20, source: .bicycle)),
                .motion(Motion(metresPerSecond: 4, totalMetres: 24, source: .bicycle)),
            ])
    }

    @Test("of a power meter is published and recorded with its power")
    func power() throws {
        let bus = try PrivateBus()
        let sensor = try ScriptedSensor(named: "Standard", on: bus, [(GATT.cyclingPowerMeasurement, ["notify"])])
        defer { sensor.stop() }
        let home = try RecordingHome(bus: bus, Self.sensors)
        let info = try home.payloads("info", count: 1)
        #expect(info.last?["capabilities"] == ["cycling", "power"])
        for value in ["20 00 D4 00 00 00 00 00", "20 00 D5 00 02 00 00 04"] {
            sensor.send(GATT.cyclingPowerMeasurement, try bytes(value))
        }
        let live = try home.payloads("cycling", count: 2)
        #expect(live[1]["power_w"] == 213 && live[1]["crank_rpm"] == 120 && live[1]["wheel_rpm"] == nil)
        #expect(
            try home.recorded().map(\.value) == [
                .motion(Motion(watts: 212, source: .bicycle)),
                .motion(Motion(cadence: 120, watts: 213, source: .bicycle)),
            ])
    }

    @Test("and knows its position is recorded with it, and nobody hears of it")
    func location() throws {
        let bus = try PrivateBus()
        let flags = [(GATT.locationAndSpeed, ["notify"]), (GATT.runningSpeedAndCadenceMeasurement, ["notify"])]
        let sensor = try ScriptedSensor(named: "Standard", on: bus, flags)
        defer { sensor.stop() }
        let home = try RecordingHome(bus: bus, Self.sensors)
        #expect(try home.payloads("info", count: 1).last?["capabilities"] == ["steps", "running", "location"])
        let place = "E2 38 B1 1C 18 62 E6 06 D0 CA 00"
        for value in ["8C 00 \(place)", "0C 00 \(place)", "01 00"] {
            sensor.send(GATT.locationAndSpeed, try bytes(value))
        }
        sensor.send(GATT.runningSpeedAndCadenceMeasurement, try bytes("00 80 02 50"))
        // It came after the others.
        _ = try home.payloads("running", count: 1)
        let values = try home.recorded().map(\.value)
        let position = try #require(
            Position(latitude: 48.1376482, longitude: 11.5761688, altitudeMetres: 519.2, source: .sensor))
        #expect(values.count == 2 && values.contains(.position(position)))
        let topics = Set(
            home.everything.lines.filter { $0.hasPrefix("vitals/") && $0.contains("/sensors/") }.compactMap { line in
                line.split(separator: " ").first?.split(separator: "/").last.map(String.init)
            })
        #expect(topics.isSubset(of: ["info", "availability", "running", "grant"]), "\(topics)")
        #expect(!home.everything.text.contains("48.13"))
    }
}
