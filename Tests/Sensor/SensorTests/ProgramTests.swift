import DBus
import Foundation
import Glibc
import Reactor
import TestSupport
import Testing

@testable import vitals_sensor

/// The program itself, on a bus of its own.
@Suite("vitals-sensor")
struct ProgramTests {
    let bus: PrivateBus
    let address: String

    init() throws {
        bus = try PrivateBus()
        address = bus.addressText
    }

    func start(_ arguments: [String] = []) throws -> RunningProgram {
        let program = try RunningProgram(
            "vitals-sensor", ["stand-in", "--bus", address] + arguments)
        program.wait(for: "ready\n")
        return program
    }

    private func write(_ text: String) throws -> String {
        let path = bus.folder.path("recording.csv")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// A client of the bus that has found the sensor and connected it, and its loop.
    private func connected() throws -> (BusClient, EventLoop) {
        let loop = EventLoop(name: "test")
        loop.start()
        let client = try BusClient(bus.address, on: loop)
        #expect(client.adapter("StartDiscovery").outcome == "ok")
        client.wait(for: "added dev Device1")
        #expect(client.device("Connect").outcome == "ok")
        client.wait(for: "added dev Battery1")
        return (client, loop)
    }

    @Test("replays a recording once, says how much, ends the link and itself")
    func once() throws {
        let file = try write("elapsed_s,heart_rate_bpm\n0,70\n1,\n2,80\n")
        let program = try start(["--activity", file, "--speed", "100", "--once"])
        let (client, loop) = try connected()
        defer {
            client.close()
            loop.stop()
        }
        client.clear()
        #expect(client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        #expect(program.exitStatus(within: .seconds(60)) == 0)
        #expect(program.text == "ready\nreplayed 2 heart rates\n")
        let events = client.wait(for: "removed hci0 Adapter1")
        #expect(
            Array(events.filter { !$0.hasPrefix("hci0") && !$0.contains("RSSI") }.prefix(5)) == [
                "dev/service000e/char000f Notifying=true", "dev/service000e/char000f Value=0e460000",
                "dev/service000e/char000f Value=0650", "dev ServicesResolved=false Connected=false",
                "removed dev Battery1",
            ])
    }

    @Test("without --once it stays when the recording is over, and answers")
    func stays() throws {
        let file = try write("elapsed_s,heart_rate_bpm,steps\n0,70,0\n2,80,5\n")
        let program = try start(["--activity", file, "--speed", "100"])
        let (client, loop) = try connected()
        defer {
            client.close()
            loop.stop()
        }
        #expect(client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        program.wait(for: "replayed 2 heart rates\n")
        program.send("status")
        program.wait(for: "Vitals HRM C0:FF:EE:00:00:01: connected")
        #expect(client.characteristic(Path.heartRate, "StopNotify").outcome == "ok")
    }

    @Test("takes commands from its input, outlives the end of it, and takes more from a named pipe")
    func commands() throws {
        let pipe = bus.folder.path("commands")
        let program = try start(["--synthesise", "--sensors", "2", "--commands", pipe])
        program.send("status")
        program.wait(for: "Vitals HRM C0:FF:EE:00:00:01: advertising")
        program.wait(for: "Vitals HRM 2 C0:FF:EE:00:00:02: advertising")
        program.wait(for: "ok\n")
        program.send("fly")
        program.wait(for: "error: unknown command \"fly\"; see: help\n")
        program.closeInput()
        for _ in 0..<2 {
            let writer = try #require(FileHandle(forWritingAtPath: pipe))
            writer.write(Data("#2 status\n".utf8))
            try writer.close()
            program.wait(for: "Vitals HRM 2 C0:FF:EE:00:00:02: advertising")
        }
        program.signal(SIGTERM)
        #expect(program.exitStatus(within: .seconds(60)) == 0)
        #expect(!FileManager.default.fileExists(atPath: pipe))
    }

    @Test("several sensors can have the same name, and addresses of their own")
    func sameName() throws {
        let program = try start(["--sensors", "2", "--same-name", "--name", "HRM"])
        program.send("status")
        program.wait(for: "HRM C0:FF:EE:00:00:01: advertising")
        program.wait(for: "HRM C0:FF:EE:00:00:02: advertising")
        // What is about the adapter is done once.
        program.send("unplug 0")
        program.wait(for: "ok\n")
        program.send("crash")
        program.wait(for: "ok\n")
        program.send("status")
        program.wait(for: "HRM C0:FF:EE:00:00:02: no BlueZ")
        program.signal(SIGTERM)
        #expect(program.exitStatus(within: .seconds(60)) == 0)
    }

    @Test("ends by quit, and says when its bus has gone")
    func ends() throws {
        let program = try start()
        program.send("quit")
        #expect(program.exitStatus(within: .seconds(60)) == 0)
        let other = try start()
        bus.kill()
        #expect(other.exitStatus(within: .seconds(60)) == 69)
        #expect(other.text.contains("the bus has gone away"))
    }

    @Test("a second owner of org.bluez is refused, and told so")
    func secondOwner() throws {
        let first = try start()
        let second = try RunningProgram(
            "vitals-sensor", ["stand-in", "--bus", address])
        #expect(second.exitStatus(within: .seconds(60)) == 69)
        #expect(second.text.contains("another program owns org.bluez on this bus"))
        first.signal(SIGINT)
        #expect(first.exitStatus(within: .seconds(60)) == 0)
    }

    @Test(
        "a wrong command line is one clear error",
        arguments: [
            (["stand-in"], 64, "--bus is missing"), (["fly"], 64, "unknown command"),
            (["stand-in", "--bus", "unix:path=/nonexistent/bus"], 69, "is there a bus at unix:path=/nonexistent/bus?"),
            (["stand-in", "--bus", "x", "--once"], 64, "--once: needs --activity"),
            (["stand-in", "--bus", "x", "--once", "--loop"], 64, "--once: excludes --loop"),
            (["stand-in", "--bus", "x", "--address", "C0:FF"], 64, "--address: expected six pairs"),
            (["stand-in", "--bus", "x", "--name", ""], 64, "--name: expected 1 to 29 bytes"),
            (
                ["stand-in", "--bus", "x", "--activity", "/nonexistent/a.csv"], 66,
                "/nonexistent/a.csv: there is no such file"
            ),
            (["stand-in", "--bus", "x", "--encrypted", "all"], 64, "--encrypted: expected vendor or measurements"),
            (["stand-in", "--bus", "x", "--profile", "scale"], 64, "--profile: expected one of strap, thermometer"),
            (["stand-in", "--bus", "x", "--rate", "51"], 64, "--rate"),
            (
                ["stand-in", "--bus", "x", "--profile", "bike", "--rate", "1"], 64,
                "--rate: is for heart rates, which a bike does not measure"
            ),
            (["stand-in", "--bus", "x", "--profile", "power-meter", "--watts", "3001"], 64, "--watts"),
            (
                ["stand-in", "--bus", "x", "--profile", "bike", "--watts", "200"], 64,
                "--watts: is for power, which a bike does not measure"
            ),
            (["adapter", "--sensors", "2"], 64, "--sensors: an adapter is one sensor"),
        ] as [([String], Int32, String)])
    func usage(arguments: [String], status: Int32, words: String) throws {
        let program = try RunningProgram("vitals-sensor", arguments)
        #expect(program.exitStatus(within: .seconds(60)) == status)
        #expect(program.text.contains(words))
    }

    // MARK: Clients that others have made

    @Test("bleak finds it, connects, reads and listens")
    func bleak() throws {
        let program = try start(["--activity", activities.appendingPathComponent("run-9km.csv").path, "--speed", "60"])
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Clients/bleak_client.py").path
        let said = try RunningProgram.runPython([script], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        #expect(said.contains("heart rates by StartNotify [69, 69, 69]"))
        #expect(said.contains("disconnected: True"))
        program.signal(SIGTERM)
        #expect(program.exitStatus(within: .seconds(60)) == 0)
    }

    @Test("bluetoothctl scans, connects, reads, listens and disconnects")
    func bluetoothctl() throws {
        let program = try start(["--activity", activities.appendingPathComponent("run-9km.csv").path, "--speed", "10"])
        let client = try RunningProgram("bluetoothctl", [], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        let device = "C0:FF:EE:00:00:01"
        client.wait(for: "Agent registered")
        client.send("show")
        client.wait(for: "Powered: yes")
        client.send("scan le")
        client.wait(for: "Device \(device) Vitals HRM")
        client.send("connect \(device)")
        client.wait(for: "Connection successful")
        client.wait(for: "ServicesResolved: yes")
        client.send("scan off")
        client.wait(for: "Discovery stopped")
        client.send("info \(device)")
        client.wait(for: "UUID: Heart Rate")
        client.send("gatt.select-attribute 00002a37-0000-1000-8000-00805f9b34fb")
        client.send("gatt.notify on")
        client.wait(for: "Notify started")
        client.wait(for: "0e 45 00 00")
        client.send("gatt.notify off")
        client.wait(for: "Notify stopped")
        client.send("gatt.select-attribute f1700003-76a1-4c53-9d5b-3f5f0d3c1a00")
        client.send("gatt.read")
        client.wait(for: "00 00 00")
        client.send("disconnect \(device)")
        client.wait(for: "Connected: no")
        client.send("quit")
        #expect(client.exitStatus(within: .seconds(60)) == 0)
        program.send("status")
        program.wait(for: "advertising")
    }

    @Test("bluetoothctl's agent is asked, and pairs")
    func bluetoothctlPairs() throws {
        let program = try start(["--synthesise", "--encrypted", "vendor", "--known"])
        let client = try RunningProgram(
            "bluetoothctl", ["--agent", "NoInputNoOutput"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": address])
        client.wait(for: "Agent registered")
        client.send("default-agent")
        client.wait(for: "Default agent request successful")
        client.send("connect C0:FF:EE:00:00:01")
        client.wait(for: "ServicesResolved: yes")
        client.send("gatt.select-attribute \(Profile.steps)")
        client.send("gatt.read")
        client.wait(for: "Accept pairing (yes/no)")
        client.send("yes")
        client.wait(for: "Paired: yes")
        client.wait(for: "00 00 00 00")
        client.send("quit")
        #expect(client.exitStatus(within: .seconds(60)) == 0)
        program.send("status")
        program.wait(for: "connected, bonded")
    }

    @Test("busctl shows the tree and understands every object's description")
    func busctl() throws {
        let program = try start(["--known"])
        let tree = try RunningProgram.run("busctl", ["--address=\(address)", "tree", "--list", "org.bluez"])
        #expect(
            tree.split(separator: "\n").map(String.init) == [
                "/", "/org", "/org/bluez", "/org/bluez/hci0", BusClient.device,
            ])
        let loop = EventLoop(name: "test")
        loop.start()
        defer { loop.stop() }
        let client = try BusClient(bus.address, on: loop)
        defer { client.close() }
        #expect(client.device("Connect").outcome == "ok")
        client.wait(for: "added dev Battery1")
        func introspect(_ path: String) throws -> String {
            try RunningProgram.run("busctl", ["--address=\(address)", "introspect", "org.bluez", path])
        }
        let adapter = try introspect(BusClient.adapter)
        #expect(adapter.contains(".StartDiscovery") && adapter.contains(".Powered"))
        #expect(try introspect("/").contains(".GetManagedObjects"))
        let device = try introspect(BusClient.device)
        #expect(device.contains("org.bluez.Battery1") && device.contains("\"Vitals HRM\""))
        let characteristic = try introspect(BusClient.device + "/" + Path.heartRate)
        #expect(characteristic.contains(".AcquireNotify") && characteristic.contains("\"notify\""))
        #expect(try introspect(BusClient.device + "/" + Path.heartRate + "/desc0011").contains("GattDescriptor1"))
        program.send("status")
        program.wait(for: ": connected")
    }
}
