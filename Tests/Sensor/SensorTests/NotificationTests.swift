import DBus
import Foundation
import Glibc
import Reactor
import TestSupport
import Testing

@testable import vitals_sensor

@Suite("The stand-in's characteristics")
struct NotificationTests {
    @Test("are read with offsets, or not, as they are")
    func reads() throws {
        let bench = try Bench()
        #expect(bench.client.read(Path.steps).outcome.contains("UnknownObject"))
        try bench.connect()
        #expect(bench.client.read(Path.location) == .success([.bytes([1])]))
        #expect(bench.client.read(Path.battery) == .success([.bytes([95])]))
        #expect(bench.client.read(Path.steps) == .success([.bytes([0, 0, 0, 0])]))
        #expect(bench.client.read(Path.temperature) == .success([.bytes([0x6E, 1, 0, 0xFF])]))
        #expect(
            bench.client.read(Path.temperature, ["offset": .uint16(3), "mtu": .uint16(23)])
                == .success([.bytes([0xFF])]))
        #expect(
            bench.client.read(Path.temperature, ["offset": .uint16(5)]).outcome == "InvalidOffset: Invalid offset")
        #expect(bench.client.read(Path.heartRate).outcome == "NotPermitted: Read not permitted")
        bench.command("drop")
        #expect(bench.client.read(Path.steps).outcome == "Failed: Not connected")
    }

    @Test("give each client that listens each value, the same value twice included, until it stops")
    func twoClients() throws {
        let bench = try Bench(rows: ["0,70,,", "0.02,70,,", "3600,90,,"])
        try bench.connect()
        let other = try BusClient(bench.bus.address, on: bench.loop)
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        #expect(other.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        let plain = "dev/service000e/char000f Value=0646"
        bench.client.wait(for: plain)
        other.clear()
        bench.command("heart-rate 71")
        for client in [bench.client, other] { client.wait(for: "dev/service000e/char000f Value=0647") }
        #expect(bench.client.characteristic(Path.heartRate, "StopNotify").outcome == "ok")
        #expect(
            bench.client.characteristic(Path.heartRate, "StopNotify").outcome == "Failed: No notify session started")
        #expect(
            bench.client.property(
                BusClient.device + "/" + Path.heartRate, "org.bluez.GattCharacteristic1", "Notifying") == .bool(true))
        other.close()
        bench.client.wait(for: "dev/service000e/char000f Notifying=false")
    }

    @Test("continue after a reconnection without another StartNotify")
    func resumes() throws {
        let bench = try Bench(rows: ["0,70,,", "3600,90,,"])
        try bench.connect()
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.command("drop")
        bench.command("heart-rate 71")
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "InProgress: In Progress")
        try bench.reconnect()
        bench.client.wait(for: "dev ServicesResolved=true")
        bench.command("heart-rate 72")
        let events = bench.client.wait(for: "dev/service000e/char000f Value=0648")
        #expect(!events.contains { $0.contains("Value=0647") || $0.contains("Notifying") })
    }

    @Test("can be acquired by one client, which is then the only one to have them until the link ends")
    func acquire() throws {
        let bench = try Bench(rows: ["0,70,,", "3600,90,,"])
        try bench.connect()
        let options: [Value] = [.properties([:])]
        let reply = try bench.client.characteristic(Path.heartRate, "AcquireNotify", options).get()
        let socket = try #require(reply.first?.asDescriptor)
        defer { close(socket) }
        #expect(reply.last == .uint16(517))
        bench.client.wait(for: "dev/service000e/char000f NotifyAcquired=true")
        for member in ["StartNotify", "AcquireNotify"] {
            let outcome = bench.client.characteristic(Path.heartRate, member, member == "StartNotify" ? [] : options)
            #expect(outcome.outcome == "NotPermitted: Notify acquired")
        }
        #expect(try packet(socket) == [0x0E, 70, 0, 0])
        bench.command("heart-rate 71")
        #expect(try packet(socket) == [0x06, 71])
        bench.command("drop")
        #expect(try packet(socket) == [])
        #expect(!bench.client.events.contains { $0.contains("Value=") })
        bench.client.wait(for: "dev/service000e/char000f NotifyAcquired=false")
    }

    @Test("are free again when the client that acquired them closes the socket")
    func acquireAndClose() throws {
        let bench = try Bench()
        try bench.connect()
        let reply = try bench.client.characteristic(Path.battery, "AcquireNotify", [.properties([:])]).get()
        close(try #require(reply.first?.asDescriptor))
        bench.client.wait(for: "dev/service0016/char0017 NotifyAcquired=false")
        #expect(bench.client.characteristic(Path.battery, "StartNotify").outcome == "ok")
        #expect(
            bench.client.characteristic(Path.battery, "AcquireNotify", [.properties([:])]).outcome
                == "InProgress: In Progress")
    }

    @Test("refuse what they do not support")
    func unsupported() throws {
        let bench = try Bench()
        try bench.connect()
        let unsupported = "NotSupported: Operation is not supported"
        #expect(bench.client.characteristic(Path.location, "StartNotify").outcome == unsupported)
        for path in [Path.location, Path.temperatureIndication] {
            #expect(bench.client.characteristic(path, "AcquireNotify", [.properties([:])]).outcome == unsupported)
        }
        #expect(
            bench.client.characteristic(Path.controlPoint, "AcquireWrite", [.properties([:])]).outcome == unsupported)
        #expect(
            bench.client.characteristic(Path.location, "WriteValue", [.bytes([1]), .properties([:])]).outcome
                == unsupported)
    }

    @Test("indicate the temperature at once to a client that listens, and then with each new value")
    func temperature() throws {
        let bench = try Bench(rows: ["0,70,,36.6", "0.01,71,,36.75"])
        try bench.connect()
        #expect(bench.client.characteristic(Path.temperatureIndication, "StartNotify").outcome == "ok")
        bench.client.wait(for: "dev/service0025/char0026 Value=006e0100ff")
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.client.wait(for: "dev/service0025/char0026 Value=005b0e00fe")
    }

    @Test("reset the energy by the control point, and refuse everything else with the service's own error")
    func controlPoint() throws {
        let bench = try Bench(rows: ["0,180,,", "600,180,,", "1e8,180,,"], speed: 60_000)
        try bench.connect()
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.client.wait(for: "dev/service000e/char000f Value=06b4")
        // Ten minutes at 180 bpm, in the eleventh measurement.
        for _ in 0..<9 { bench.command("heart-rate 71") }
        bench.client.wait(for: "dev/service000e/char000f Value=0e471a03")
        func write(_ bytes: [UInt8]) -> String {
            bench.client.characteristic(Path.controlPoint, "WriteValue", [.bytes(bytes), .properties([:])]).outcome
        }
        #expect(write([2]) == "Failed: Operation failed with ATT error: 0x80")
        #expect(write([1, 1]) == "InvalidValueLength: Invalid Length")
        #expect(write([1]) == "ok")
        for _ in 0..<10 { bench.command("heart-rate 71") }
        bench.client.wait(for: "dev/service000e/char000f Value=0e470000")
        #expect(bench.command("status").first?.hasSuffix(", energy resets: 1") == true)
    }
}

/// The next packet of a socket that does not wait; empty at its end.
private func packet(_ socket: Int32) throws -> [UInt8] {
    try #require(isReadable(socket))
    var buffer = [UInt8](repeating: 0, count: 517)
    let count = recv(socket, &buffer, buffer.count, 0)
    try #require(count >= 0)
    return Array(buffer[..<count])
}
