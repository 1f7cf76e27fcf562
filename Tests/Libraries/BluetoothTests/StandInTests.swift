import Bluetooth
import Foundation
import TestSupport
import Testing

private let bodySensorLocation = "00002a38-0000-1000-8000-00805f9b34fb"

/// What real BlueZ did with these faults is recorded; the emulated sensor's stand-in follows the recordings.
@Suite("A central and a sensor that needs a bond")
struct EncryptedSensorTests {
    @Test("are bonded when a value is read, if the device may be paired")
    func bonds() throws {
        let bench = try Bench(["--encrypted", "measurements"], mayPair: { $0.name == "Vitals HRM" })
        let device = try bench.connected()
        #expect(!device.isBonded)
        let value = bench.read(try bench.characteristic(bodySensorLocation, of: device))
        #expect(try #require(value).get().count == 1)
        #expect(bench.events.device { $0.isBonded && $0.isPaired } != nil)
    }

    @Test("are not, if it may not: the read fails when BlueZ removes the device, and the refusal is reported")
    func refuses() throws {
        let bench = try Bench(["--encrypted", "measurements", "--forget-after", "1"])
        let device = try bench.connected()
        let value = bench.read(try bench.characteristic(bodySensorLocation, of: device))
        guard case .failure(let error) = value else { return #expect(Bool(false), "it was read") }
        #expect(error.isOffline, "\(error)")
        #expect(bench.events.first { if case .deviceRemoved = $0 { true } else { false } } != nil)
        #expect(bench.events.first { if case .pairingRefused = $0 { true } else { false } } != nil)
    }

    @Test("can be bonded in advance; a bond that the sensor has lost is noticed when it connects, and made again")
    func lostBond() throws {
        let bench = try Bench(["--encrypted", "measurements"], mayPair: { _ in true })
        let device = try bench.connected()
        #expect(bench.outcome { $0.pair(device, completion: $1) } == nil)
        let bonded = try #require(bench.events.device { $0.isBonded && $0.isPaired })
        bench.events.removeAll()
        bench.command("drop")
        bench.command("forget-bond")
        #expect(bench.events.device { !$0.isConnected } != nil)
        let error = try #require(bench.outcome { $0.connect(bonded, completion: $1) })
        #expect(error.isBondLost, "\(error)")
        #expect(bench.outcome { $0.remove(bonded, completion: $1) } == nil)
        bench.events.removeAll()
        let again = try bench.connected()
        #expect(!again.isBonded)
        #expect(bench.outcome { $0.pair(again, completion: $1) } == nil)
    }

    @Test("are not mistaken for a lost bond if a sensor without one refuses")
    func refusal() throws {
        let bench = try Bench()
        let device = try bench.connected()
        bench.command("drop")
        bench.command("refuse on")
        #expect(bench.events.device { !$0.isConnected } != nil)
        let error = try #require(bench.outcome { $0.connect(device, completion: $1) })
        #expect(!error.isBondLost)
    }
}

@Suite("A central and its surroundings")
struct SurroundingsTests {
    /// What happens, and what the central says of it.
    static let faults: [(String, Central.State)] = [
        ("unplug 0.2", .waitingForAdapter), ("restart 0.2", .waitingForBlueZ), ("crash 0.2", .waitingForBlueZ),
    ]

    @Test("come back together: found again and connected again, with an agent", arguments: faults)
    func comesBack(fault: String, state: Central.State) throws {
        let bench = try Bench(["--encrypted", "measurements"], mayPair: { _ in true })
        _ = try bench.connected()
        bench.events.removeAll()
        bench.command(fault)
        #expect(bench.events.state { $0 == state })
        #expect(bench.events.state { $0 == .ready })
        // The kernel keeps the link of a bluetoothd that was killed for a while.
        #expect(bench.device { !$0.isConnected } != nil)
        bench.events.removeAll()
        let device = try bench.connected()
        #expect(try #require(bench.read(try bench.characteristic(bodySensorLocation, of: device))).get().count == 1)
    }
}
