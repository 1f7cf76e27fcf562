import DBus
import Foundation
import Reactor
import Telemetry
import TestSupport
import Testing

@testable import vitals_sensor

@Suite("Commands to a running sensor")
struct CommandTests {
    @Test(
        "are read",
        arguments: [
            ("drop", .drop(seconds: 0)), ("drop 2.5", .drop(seconds: 2.5)), ("silent on", .silent(true)),
            ("silent off", .silent(false)), ("malformed", .malformed([0x11])),
            ("malformed 00 5A", .malformed([0, 0x5A])),
            ("malformed 005a", .malformed([0, 0x5A])), ("refuse on", .refuse(true)), ("hang off", .hang(false)),
            ("unplug", .unplug(seconds: nil)), ("unplug 2", .unplug(seconds: 2)), ("plug", .plug),
            ("restart", .restart(seconds: 1)), ("restart 0.5", .restart(seconds: 0.5)),
            ("crash 3", .crash(seconds: 3)), ("forget-bond", .forgetBond), ("power off", .power(false)),
            ("vanish", .vanish), ("appear", .appear),
            ("steps 8042", .steps(8042)),
            ("temperature 36.97", .temperature(.number(mantissa: 3697, exponent: -2))),
            ("temperature nan", .temperature(.notANumber)), ("temperature recorded", .temperature(nil)),
            ("heart-rate 300", .heartRate(300)), ("battery 0", .battery(0)), ("battery 100", .battery(100)),
            ("fail ReadValue InProgress", .fail(method: "ReadValue", error: "InProgress")),
            ("status", .status), ("quit", .quit), ("help", .help),
        ] as [(String, Instruction)])
    func reads(line: String, instruction: Instruction) throws { #expect(try Instruction(line) == instruction) }

    @Test(
        "are refused if they are wrong",
        arguments: [
            "fly", "drop soon", "drop -1", "silent", "silent maybe", "malformed 0", "malformed xy", "steps -1", "steps",
            "temperature", "temperature hot", "heart-rate 70000", "battery 101", "plug 3", "restart -1",
            "fail ReadValue", "vanish now",
        ])
    func refuses(line: String) throws {
        #expect(throws: InstructionError.self) { try Instruction(line) }
        let bench = try Bench()
        let printed = bench.command(line)
        #expect(printed.count == 1 && printed.first?.hasPrefix("error: ") == true)
    }

    @Test("silent keeps the link and sends nothing")
    func silent() throws {
        let bench = try listeningBench()
        #expect(bench.command("silent on") == ["ok"])
        bench.command("heart-rate 71")
        bench.command("silent off")
        bench.command("heart-rate 72")
        let events = bench.client.wait(for: "dev/service000e/char000f Value=0648")
        #expect(!events.contains { $0.contains("0647") || $0.contains("Connected") })
    }

    @Test("malformed changes the next heart rate, and no other")
    func malformed() throws {
        let bench = try listeningBench()
        #expect(bench.command("malformed 1f 00") == ["ok"])
        bench.command("heart-rate 71")
        bench.command("heart-rate 72")
        let events = bench.client.wait(for: "dev/service000e/char000f Value=0648")
        #expect(events == ["dev/service000e/char000f Value=1f00", "dev/service000e/char000f Value=0648"])
    }

    @Test("refuse lets links come about and end, as BlueZ showed it")
    func refuse() throws {
        let bench = try Bench()
        try bench.connect()
        bench.command("drop")
        #expect(bench.command("refuse on") == ["ok"])
        bench.client.wait(for: "removed dev Battery1")
        bench.client.clear()
        #expect(bench.client.device("Connect").outcome == "Failed: le-connection-abort-by-local")
        #expect(bench.client.wait(for: "dev Connected=false") == ["dev Connected=true", "dev Connected=false"])
        bench.command("refuse off")
        #expect(bench.client.device("Connect").outcome == "ok")
    }

    @Test("hang leaves calls of characteristics unanswered, and only those")
    func hang() throws {
        let bench = try listeningBench()
        #expect(bench.command("hang on") == ["ok"])
        let outcome = Answer<String>()
        bench.loop.perform { [connection = bench.client.connection] in
            let path = BusClient.device + "/" + Path.steps
            connection.call(
                "org.bluez", path, "org.bluez.GattCharacteristic1", "ReadValue", [.properties([:])],
                limit: .milliseconds(50)
            ) { outcome.set($0.outcome) }
        }
        #expect(outcome.wait(atMost: limit)?.contains("NoReply") == true)
        #expect(bench.client.property(BusClient.device, "org.bluez.Device1", "Connected") == .bool(true))
        bench.command("hang off")
        #expect(bench.client.read(Path.steps).outcome == "ok")
    }

    @Test("power switches the adapter")
    func power() throws {
        let bench = try Bench()
        #expect(bench.command("power off") == ["ok"])
        #expect(bench.client.adapter("StartDiscovery").outcome == "NotReady: Resource Not Ready")
        #expect(bench.command("power on") == ["ok"])
        #expect(bench.client.adapter("StartDiscovery").outcome == "ok")
        #expect(bench.client.events.starts(with: ["hci0 Powered=false", "hci0 Powered=true"]))
    }

    @Test("vanish takes the device away, appear lets it be found again")
    func vanish() throws {
        let bench = try Bench()
        try bench.connect()
        #expect(bench.command("vanish") == ["ok"])
        bench.client.wait(for: "removed dev Device1")
        bench.client.clear()
        #expect(bench.command("appear") == ["ok"])
        try bench.discover()
        try bench.reconnect()
    }

    @Test("fail makes the next call fail, once, with any error")
    func fail() throws {
        let bench = try listeningBench()
        #expect(bench.command("fail ReadValue InProgress") == ["ok"])
        #expect(bench.client.read(Path.steps).outcome == "InProgress: Failed on command")
        #expect(bench.client.read(Path.steps).outcome == "ok")
        #expect(bench.command("fail Connect org.freedesktop.DBus.Error.NoMemory") == ["ok"])
        #expect(bench.client.device("Connect").outcome.hasPrefix("org.freedesktop.DBus.Error.NoMemory"))
    }

    @Test("status and help say what there is")
    func status() throws {
        let bench = try listeningBench()
        let expected =
            "Vitals HRM C0:FF:EE:00:00:01: connected, 1 listened to, 1 heart rates, last 70 bpm, 0 steps, battery 95 %"
        #expect(bench.command("status") == [expected, "ok"])
        #expect(bench.command("help").count > 10)
        #expect(bench.command("#1 status") == [expected, "ok"])
        for number in ["2", "0", "\(Int.min)"] {
            #expect(bench.command("#\(number) status") == ["error: expected: #1 to #1"])
        }
    }

    @Test("battery is notified, and shown on the device")
    func battery() throws {
        let bench = try listeningBench()
        #expect(bench.client.characteristic(Path.battery, "StartNotify").outcome == "ok")
        #expect(bench.command("battery 17") == ["ok"])
        let events = bench.client.wait(for: "dev Percentage=17")
        #expect(events.contains("dev/service0016/char0017 Value=11"))
        #expect(bench.client.property(BusClient.device, "org.bluez.Battery1", "Percentage") == .byte(17))
        #expect(bench.client.read(Path.battery) == .success([.bytes([17])]))
    }

    /// A sensor whose first heart rate has been heard, and whose next one is an hour away.
    private func listeningBench() throws -> Bench {
        let bench = try Bench(rows: ["0,70,,", "3600,90,,"])
        try bench.connect()
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.client.wait(for: "dev/service000e/char000f Value=0e460000")
        bench.client.clear()
        return bench
    }
}
