import DBus
import Foundation
import Reactor
import Telemetry
import TestSupport
import Testing

@testable import vitals_sensor

@Suite("What kinds of sensor there are")
struct ProfileTests {
    private static let measurement = "service000e/char000f"

    @Test(
        "each advertises its service and tells what it is and how full its battery is",
        arguments: [
            ("strap", "0000180d"), ("thermometer", "00001809"), ("foot-pod", "00001814"), ("bike", "00001816"),
            ("power-meter", "00001818"),
        ])
    func services(word: String, service: String) throws {
        let profile = try #require(Profile.all.first { $0.word == word })
        let bench = try Bench(profile: profile)
        try bench.discover()
        let advertised = bench.client.property(BusClient.device, "org.bluez.Device1", "UUIDs")
        #expect(advertised == .strings([service + "-0000-1000-8000-00805f9b34fb"]))
        #expect(bench.client.property(BusClient.device, "org.bluez.Device1", "Name") == .string(profile.name))
        try bench.reconnect()
        let objects = try bench.client.managedObjects()
        func read(_ uuid: String) throws -> [UInt8]? {
            let path = try #require(
                objects.first { $0.value["org.bluez.GattCharacteristic1"]?["UUID"] == .string(uuid) }?.key)
            let arguments: [Value] = [.properties([:])]
            return try bench.client.call(path, "org.bluez.GattCharacteristic1", "ReadValue", arguments).get().first?
                .asBytes
        }
        #expect(try read(GATT.batteryLevel) == [95])
        #expect(try read(GATT.modelNumber) == Array(profile.model.utf8))
        #expect(objects[BusClient.device]?["org.bluez.Battery1"]?["Percentage"] == .byte(95))
    }

    @Test("a thermometer shows each second what it has, and measures in five, repeatedly while somebody listens")
    func thermometer() throws {
        let bench = try Bench(
            rows: ["0,,,36.97", "1e8,,,36.97"], speed: 100, profile: .thermometer)
        try bench.connect()
        #expect(bench.client.characteristic(Self.measurement, "StartNotify").outcome == "ok")
        #expect(bench.client.characteristic("service000e/char0012", "StartNotify").outcome == "ok")
        let measured = "dev/service000e/char000f Value=00710e00fe"
        let events = bench.client.wait("two measurements") { $0.filter { $0 == measured }.count >= 2 }
        let end = try #require(events.lastIndex(of: measured))
        let values = events[...end].filter { $0.contains("Value=") }.map { String($0.suffix(10)) }
        let second = ["00490e00fe", "00530e00fe", "005d0e00fe", "00670e00fe", "00710e00fe", "00710e00fe"]
        // The first seconds may have been over before anybody listened to the second characteristic.
        #expect(Array(values.suffix(second.count)) == second)
        #expect(bench.client.characteristic(Self.measurement, "StopNotify").outcome == "ok")
        #expect(bench.client.characteristic("service000e/char0012", "StopNotify").outcome == "ok")
        bench.client.clear()
        bench.command("temperature nan")
        #expect(bench.client.characteristic(Self.measurement, "StartNotify").outcome == "ok")
        let later = bench.client.wait(for: "dev/service000e/char000f Value=00ffff7f00")
        #expect(!later.contains { $0.contains("char0012 Value") })
    }

    @Test("a foot pod tells the speed, the steps of both feet, their length and the way")
    func footPod() throws {
        let bench = try Bench(
            rows: ["0,,2.5,90,1000", "3600,,,,"],
            header: "elapsed_s,heart_rate_bpm,speed_mps,cadence_rpm,distance_m", profile: .footPod)
        try bench.connect()
        #expect(bench.client.read("service000e/char0012") == .success([.bytes([7, 0])]))
        #expect(bench.client.characteristic(Self.measurement, "StartNotify").outcome == "ok")
        // 2.5 m/s are 150 m in a minute, in 180 steps.
        bench.client.wait(for: "dev/service000e/char000f Value=078002b4530010270000")
    }

    @Test("a bike counts turns of wheel and cranks, and both counts wrap around")
    func bike() throws {
        let bench = try Bench(
            rows: ["0,,0,0", "1,,4.21,60", "2,,0,0", "12,,4.21,60", "1e8,,,"], speed: 100,
            header: "elapsed_s,heart_rate_bpm,speed_mps,cadence_rpm", profile: .bike)
        try bench.connect()
        #expect(bench.client.read("service000e/char0012") == .success([.bytes([3, 0])]))
        bench.client.clear()
        #expect(bench.client.characteristic(Self.measurement, "StartNotify").outcome == "ok")
        let events = bench.client.wait("four values") { $0.filter { $0.contains("Value=") }.count == 4 }
        let start = "03f6ffffff0000f6ff0000"
        // Two turns of the wheel and one of the cranks in each second; the last of each ends with it.
        let second = "03f8ffffff0004f7ff0004"
        let last = "030c00000000300100" + "0030"
        #expect(
            events.filter { $0.contains("Value=") }.map { $0.suffix(22) }
                == [start, second, second, last].map { $0[...] })
    }

    @Test("a power meter tells one power while the recording moves, none where it stands, and counts the cranks")
    func powerMeter() throws {
        let bench = try Bench(
            rows: ["0,,0,0", "1,,4.21,60", "2,,0,0", "1e8,,,"], speed: 100,
            header: "elapsed_s,heart_rate_bpm,speed_mps,cadence_rpm", profile: .powerMeter)
        try bench.connect()
        #expect(bench.client.read("service000e/char0012") == .success([.bytes([8, 0, 0, 0])]))
        bench.client.clear()
        #expect(bench.client.characteristic(Self.measurement, "StartNotify").outcome == "ok")
        let events = bench.client.wait("three values") { $0.filter { $0.contains("Value=") }.count == 3 }
        // Flags, power, turns of the cranks, and the time of the last.
        #expect(
            events.filter { $0.contains("Value=") }.map { $0.suffix(16) }
                == ["20000000f6ff0000", "2000c800f7ff0004", "20000000f7ff0004"])
    }

    @Test("heart rates at a fixed rate count up by one, and only those that were handed to somebody")
    func rate() throws {
        let bench = try Bench(rows: ["0,70,,", "1e8,70,,"], rate: 50)
        try bench.connect()
        bench.client.clear()
        func values(_ events: [String]) -> [UInt16] {
            events.filter { $0.contains("char000f Value=") }.compactMap { event in
                let digits = event.suffix(from: event.index(after: event.lastIndex(of: "=") ?? event.startIndex))
                let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset in
                    UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
                }
                return try? HeartRateMeasurement(gatt: bytes).beatsPerMinute
            }
        }
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.client.wait("some heart rates") { $0.filter { $0.contains("char000f Value=") }.count >= 10 }
        bench.command("drop")
        let before = values(bench.client.events)
        #expect(before == Array(1...UInt16(before.count)))
        try bench.reconnect()
        bench.client.wait("a heart rate") { $0.contains { $0.contains("char000f Value=") } }
        #expect(values(bench.client.events).first.map { Int($0) } == before.count + 1)
        let sent = bench.peripheral { $0.heartRateCount } ?? 0
        #expect(sent > before.count)
    }
}
