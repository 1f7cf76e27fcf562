import Bluetooth
import TestSupport
import Testing

/// A dbus-daemon whose configuration a test changes while it runs, as an operator would.
private final class ConfiguredBus {
    let address: String
    private let folder: TemporaryFolder
    private let daemon: RunningProgram

    init(_ rules: String) throws {
        folder = try TemporaryFolder()
        address = "unix:path=\(folder.path("bus"))"
        let file = try folder.write(Self.text(address, rules), to: "bus.conf")
        daemon = try RunningProgram(
            "dbus-daemon", ["--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1"])
        guard daemon.line(containing: "unix:") != nil else { throw TestFailure("dbus-daemon: \(daemon.text)") }
    }

    deinit { daemon.end(9) }

    func configure(_ rules: String) throws {
        try folder.write(Self.text(address, rules), to: "bus.conf")
        try RunningProgram.run(
            "dbus-send",
            [
                "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
                "org.freedesktop.DBus.ReloadConfig",
            ])
    }

    private static func text(_ address: String, _ rules: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>\(address)</listen>
          <policy context="default">
            <allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
          </policy>
          \(rules)
        </busconfig>
        """
    }
}

@Suite("A bus")
struct BusTests {
    private func central(on bus: ConfiguredBus, _ events: Record<Central.Event>) -> Central {
        Central(bus: .address(bus.address)) { events.append($0) }
    }

    @Test(
        "that does not let us talk to BlueZ is distinguished from one without BlueZ, with what to do, and asked again")
    func notPermitted() throws {
        let rule = "<policy context=\"mandatory\"><deny send_destination=\"org.bluez\"/></policy>"
        let bus = try ConfiguredBus(rule)
        let blueZ = try BlueZ(bus.address)
        let events = Record<Central.Event>()
        let central = central(on: bus, events)
        central.start()
        defer { central.stop() }
        #expect(events.state { if case .notPermitted = $0 { "\($0)".contains("group `bluetooth`") } else { false } })
        try bus.configure("")
        #expect(events.state { $0 == .ready })
        #expect(blueZ.calls.first { $0.hasPrefix("RegisterAgent") } != nil)
    }

    @Test("that takes no match rule is left, and joined again: without signals nothing would be known")
    func noMatchRules() throws {
        let bus = try ConfiguredBus("<limit name=\"max_match_rules_per_connection\">1</limit>")
        let blueZ = try BlueZ(bus.address)
        let events = Record<Central.Event>()
        let central = central(on: bus, events)
        central.start()
        defer { central.stop() }
        #expect(events.state { if case .waitingForBus(let why) = $0 { why.contains("LimitsExceeded") } else { false } })
        try bus.configure("")
        #expect(events.state { $0 == .ready })
        blueZ.change(BlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(false)])
        #expect(events.state { $0 == .adapterOff("hci0") })
    }

    @Test("that is restarted is joined again, and so is the BlueZ on it")
    func restarted() throws {
        let folder = try TemporaryFolder()
        let address = "unix:path=\(folder.path("bus"))"
        func start() throws -> RunningProgram {
            let arguments = ["--session", "--nofork", "--nopidfile", "--address=\(address)", "--print-address=1"]
            let daemon = try RunningProgram("dbus-daemon", arguments)
            guard daemon.line(containing: "unix:") != nil else { throw TestFailure("dbus-daemon: \(daemon.text)") }
            return daemon
        }
        var daemon = try start()
        var blueZ = try BlueZ(address)
        let events = Record<Central.Event>()
        let central = Central(bus: .address(address)) { events.append($0) }
        central.start()
        defer { central.stop() }
        #expect(events.device { $0.path == BlueZ.strap } != nil)
        daemon.end(9)
        #expect(events.state { if case .waitingForBus = $0 { true } else { false } })
        events.removeAll()
        daemon = try start()
        defer { daemon.end(9) }
        blueZ = try BlueZ(address)
        #expect(events.device { $0.path == BlueZ.strap } != nil)
        #expect(blueZ.calls.first { $0.hasPrefix("RequestDefaultAgent") } != nil)
    }
}
