import Bluetooth
import DBus
import Foundation
import TestSupport
import Testing

private let hci1 = "/org/bluez/hci1"
private let strapAtHci1 = "/org/bluez/hci1/dev_C0_FF_EE_00_00_01"

/// The kernel's folder of switches, made by the test.
private struct Switches {
    private let parent: TemporaryFolder
    let path: String

    init() throws {
        parent = try TemporaryFolder()
        path = parent.path("rfkill")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    func set(_ number: Int, _ name: String, type: String = "bluetooth", soft: Int = 0, hard: Int = 0) throws {
        let folder = "\(path)/rfkill\(number)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (file, text) in [("name", name), ("type", type), ("soft", "\(soft)"), ("hard", "\(hard)")] {
            try "\(text)\n".write(toFile: "\(folder)/\(file)", atomically: false, encoding: .utf8)
        }
    }
}

@Suite("An adapter")
struct AdapterTests {
    @Test("that rfkill blocks is distinguished from one that is off, and waited for")
    func blocked() throws {
        let switches = try Switches()
        try switches.set(0, "phy0", type: "wlan", hard: 1)
        try switches.set(1, "hci1", hard: 1)  // Another adapter's.
        try switches.set(2, "hci0", soft: 1)
        let bench = try BlueZBench([BlueZ.hci0: BlueZ.adapter(isPowered: false)], rfkill: switches.path)
        #expect(bench.events.state { $0 == .adapterBlocked(name: "hci0", isHard: false) })
        // Nobody tells that the block is gone: it is looked at again.
        try switches.set(2, "hci0")
        #expect(bench.events.state { $0 == .adapterOff("hci0") })
        try bench.peer().change(BlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(true)])
        #expect(bench.events.state { $0 == .ready })
        // A powered adapter is used, whatever the folder says.
        try switches.set(2, "hci0", hard: 1)
        bench.events.removeAll()
        try bench.peer().change(BlueZ.hci0, "org.bluez.Adapter1", ["Discovering": .bool(true)])
        try bench.peer().change(BlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(false)])
        #expect(bench.events.state { $0 == .adapterBlocked(name: "hci0", isHard: true) })
        #expect(!bench.events.all.contains { if case .state(.adapterOff) = $0 { true } else { false } })
    }

    @Test("that a switch of the machine has taken away is blocked, too")
    func takenAway() throws {
        let switches = try Switches()
        try switches.set(0, "tpacpi_bluetooth_sw", soft: 1, hard: 1)
        let bench = try BlueZBench([:], rfkill: switches.path)
        #expect(bench.events.state { $0 == .adapterBlocked(name: "tpacpi_bluetooth_sw", isHard: true) })
    }

    @Test("is switched off and on; a radio that turns out to be blocked is looked at again")
    func power() throws {
        let switches = try Switches()
        let bench = try BlueZBench(rfkill: switches.path)
        _ = try bench.device()
        #expect(bench.outcome { $0.setPowered(false, completion: $1) } == nil)
        #expect(try bench.peer().calls.first { $0 == "Powered=false \(BlueZ.hci0)" } != nil)
        try bench.peer().change(BlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(false)])
        #expect(bench.events.state { $0 == .adapterOff("hci0") })
        try switches.set(0, "hci0", soft: 1)
        try bench.peer().refuse(
            "Set", with: DBusError(name: "org.bluez.Error.Blocked", message: "Blocked through rfkill"))
        let error = try #require(bench.outcome { $0.setPowered(true, completion: $1) })
        #expect(error.isBlocked && error.hint?.contains("rfkill unblock") == true)
        #expect(bench.events.state { $0 == .adapterBlocked(name: "hci0", isHard: false) })
    }

    @Test("that is not there cannot be switched on")
    func noAdapter() throws {
        let bench = try BlueZBench([:])
        #expect(bench.events.state { $0 == .waitingForAdapter })
        let error = try #require(bench.outcome { $0.setPowered(true, completion: $1) })
        #expect(error.message == "there is no adapter")
    }

    @Test("is unplugged and plugged in again, under whatever name")
    func unplugged() throws {
        let bench = try BlueZBench()
        _ = try bench.device()
        let blueZ = try bench.peer()
        blueZ.change(BlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(false)])
        blueZ.remove(BlueZ.strap, ["org.bluez.Device1"])
        blueZ.remove(BlueZ.hci0, ["org.bluez.Adapter1"])
        #expect(bench.events.state { $0 == .waitingForAdapter })
        #expect(bench.events.first { if case .deviceRemoved = $0 { true } else { false } } != nil)
        bench.events.removeAll()
        blueZ.add(hci1, BlueZ.adapter(isPowered: false))
        #expect(bench.events.state { $0 == .adapterOff("hci1") })
        blueZ.change(hci1, "org.bluez.Adapter1", ["Powered": .bool(true)])
        blueZ.add(strapAtHci1, BlueZ.device("C0:FF:EE:00:00:01"))
        #expect(bench.events.state { $0 == .ready })
        #expect(bench.events.device { $0.path == strapAtHci1 } != nil)
    }
}

@Suite("Of several adapters")
struct SeveralAdaptersTests {
    private static func objects(isHci0Powered: Bool) -> [String: [String: BlueZ.Properties]] {
        [
            BlueZ.hci0: BlueZ.adapter(isPowered: isHci0Powered), BlueZ.strap: BlueZ.device("C0:FF:EE:00:00:01"),
            hci1: BlueZ.adapter(address: "00:AA:01:01:00:41"), strapAtHci1: BlueZ.device("C0:FF:EE:00:00:01"),
        ]
    }

    /// The paths of the devices that were reported, in order.
    private func told(_ bench: BlueZBench) -> [String] {
        bench.events.all.compactMap { if case .device(let device) = $0 { device.path } else { nil } }
    }

    @Test("the first that is powered is used for as long as it is, and the others' devices are not seen")
    func sticky() throws {
        let bench = try BlueZBench(Self.objects(isHci0Powered: false))
        let blueZ = try bench.peer()
        #expect(bench.events.device { $0.path == strapAtHci1 } != nil)
        blueZ.change(BlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(true)])
        blueZ.change(BlueZ.strap, "org.bluez.Device1", ["RSSI": .int16(-40)])
        blueZ.change(strapAtHci1, "org.bluez.Device1", ["RSSI": .int16(-70)])
        #expect(bench.events.device { $0.rssi == -70 } != nil)
        #expect(told(bench) == [strapAtHci1, strapAtHci1])
        // Off: the other one is there.
        bench.events.removeAll()
        blueZ.change(hci1, "org.bluez.Adapter1", ["Powered": .bool(false)])
        #expect(bench.events.device { $0.path == BlueZ.strap } != nil)
        let removed = bench.events.first { if case .deviceRemoved = $0 { true } else { false } }
        guard case .deviceRemoved(let device) = removed else { return #expect(Bool(false), "none was removed") }
        #expect(device.path == strapAtHci1)
        let paths = bench.central.loop.sync { [central = bench.central] in central.devices.map(\.path) }
        #expect(paths == [BlueZ.strap])
    }

    @Test("the named one is waited for, by name or by address", arguments: ["hci0", "00:aa:01:00:00:00"])
    func named(name: String) throws {
        let bench = try BlueZBench(Self.objects(isHci0Powered: false), adapter: name)
        #expect(bench.events.state { $0 == .adapterOff("hci0") })
        try bench.peer().change(BlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(true)])
        #expect(bench.events.state { $0 == .ready })
        #expect(Set(told(bench)) == [BlueZ.strap])
    }

    @Test("the one that we switch off stays the one in use: it is going to be switched on again")
    func powerCycle() throws {
        let bench = try BlueZBench(Self.objects(isHci0Powered: true))
        let blueZ = try bench.peer()
        #expect(bench.events.device { $0.path == BlueZ.strap } != nil)
        #expect(bench.outcome { $0.setPowered(false, completion: $1) } == nil)
        blueZ.change(BlueZ.hci0, "org.bluez.Adapter1", ["Discovering": .bool(false)])
        blueZ.change(BlueZ.hci0, "org.bluez.Adapter1", ["Powered": .bool(false)])
        #expect(bench.events.state { $0 == .adapterOff("hci0") })
        // It does not come back: then the other one will do.
        blueZ.refuse("Set", with: DBusError(name: "org.bluez.Error.Failed", message: "Failed"))
        #expect(bench.outcome { $0.setPowered(true, completion: $1) } != nil)
        #expect(bench.events.device { $0.path == strapAtHci1 } != nil)
    }
}

@Suite("What BlueZ takes back")
struct InvalidatedTests {
    @Test("a device has no strength any more when BlueZ says so, and no battery when its interface goes")
    func invalidated() throws {
        var strap = BlueZ.device("C0:FF:EE:00:00:01", ["RSSI": .int16(-61)])
        strap["org.bluez.Battery1"] = ["Percentage": .byte(95)]
        let bench = try BlueZBench([BlueZ.hci0: BlueZ.adapter(), BlueZ.strap: strap])
        let blueZ = try bench.peer()
        // Whichever of the two interfaces the message had first.
        #expect(bench.events.device { $0.rssi == -61 && $0.battery == 95 } != nil)
        blueZ.change(BlueZ.strap, "org.bluez.Device1", [:], invalidated: ["RSSI"])
        #expect(bench.events.device { $0.rssi == nil && $0.battery == 95 } != nil)
        blueZ.change(BlueZ.strap, "org.bluez.Battery1", ["Percentage": .byte(94)])
        #expect(bench.events.device { $0.battery == 94 } != nil)
        blueZ.remove(BlueZ.strap, ["org.bluez.Battery1"])
        #expect(bench.events.device { $0.battery == nil } != nil)
        #expect(!bench.events.all.contains { if case .deviceRemoved = $0 { true } else { false } })
    }

    @Test("a discovery that is restarted stops and starts, and one that does not run is not started")
    func restartsDiscovery() throws {
        let bench = try BlueZBench()
        _ = try bench.device()
        let blueZ = try bench.peer()
        bench.central.loop.sync { [central = bench.central] in central.restartDiscovery() }
        let token = Holder<Discovery.Token>()
        bench.central.loop.sync { [central = bench.central] in token.value = central.discover() }
        #expect(blueZ.calls.first { $0 == "StartDiscovery \(BlueZ.hci0)" } != nil)
        blueZ.change(BlueZ.hci0, "org.bluez.Adapter1", ["Discovering": .bool(true)])
        // The bus keeps the order: what came before this has been seen.
        blueZ.change(BlueZ.strap, "org.bluez.Device1", ["RSSI": .int16(-50)])
        #expect(bench.events.device { $0.rssi == -50 } != nil)
        bench.central.loop.sync { [central = bench.central] in central.restartDiscovery() }
        let expected = ["StartDiscovery", "StopDiscovery", "StartDiscovery"].map { "\($0) \(BlueZ.hci0)" }
        try blueZ.calls.wait { $0.filter { $0.contains("Discovery ") }.count >= 3 }
        #expect(blueZ.calls.all.filter { $0.contains("Discovery ") } == expected)
        bench.central.loop.sync { token.value = nil }
    }

    @Test("a discovery that BlueZ ends by itself is begun again, and not at once")
    func endedDiscovery() throws {
        let bench = try BlueZBench()
        _ = try bench.device()
        let blueZ = try bench.peer()
        let token = Holder<Discovery.Token>()
        bench.central.loop.sync { [central = bench.central] in token.value = central.discover() }
        #expect(blueZ.calls.first { $0 == "StartDiscovery \(BlueZ.hci0)" } != nil)
        let ended = ContinuousClock.now
        for isDiscovering in [true, false] {
            blueZ.change(BlueZ.hci0, "org.bluez.Adapter1", ["Discovering": .bool(isDiscovering)])
        }
        try blueZ.calls.wait { $0.count { $0 == "StartDiscovery \(BlueZ.hci0)" } == 2 }
        #expect(ContinuousClock.now - ended > .seconds(1))
        bench.central.loop.sync { token.value = nil }
    }
}
