import Bluetooth
import DBus
import TestSupport
import Testing

@Suite("A device's services")
struct ResolvingTests {
    private static let service = BlueZ.strap + "/service000e"
    private static let characteristic: [String: BlueZ.Properties] = [
        "org.bluez.GattCharacteristic1": ["UUID": .string(heartRate), "Flags": .strings(["notify"])]
    ]

    private func resolved(_ isResolved: Bool) -> BlueZ.Properties { ["ServicesResolved": .bool(isResolved)] }

    /// The characteristics that the central knew when it said that all are known.
    private func known(_ bench: BlueZBench) -> [String] {
        guard let device = bench.events.device(where: \.isResolved) else { return ["never resolved"] }
        return bench.central.loop.sync { [central = bench.central] in
            central.characteristics(of: device).map(\.uuid)
        }
    }

    @Test("are known when all of them were shown, though BlueZ says so before")
    func late() throws {
        let bench = try BlueZBench()
        _ = try bench.device()
        let blueZ = try bench.peer()
        blueZ.hold("Get")
        blueZ.change(BlueZ.strap, "org.bluez.Device1", ["Connected": .bool(true)].merging(resolved(true)) { $1 })
        #expect(bench.events.device { $0.isConnected }?.isResolved == false)
        #expect(blueZ.calls.first { $0 == "Get \(BlueZ.strap)" } != nil)
        blueZ.add(Self.service + "/char000f", Self.characteristic)
        blueZ.release(with: nil)
        #expect(known(bench) == [heartRate])
    }

    @Test("are not known when they went before they were shown; the next time counts")
    func lost() throws {
        let bench = try BlueZBench()
        _ = try bench.device()
        let blueZ = try bench.peer()
        blueZ.hold("Get")
        blueZ.change(BlueZ.strap, "org.bluez.Device1", ["Connected": .bool(true)].merging(resolved(true)) { $1 })
        #expect(blueZ.calls.first { $0 == "Get \(BlueZ.strap)" } != nil)
        blueZ.calls.removeAll()
        blueZ.change(BlueZ.strap, "org.bluez.Device1", resolved(false))
        blueZ.change(BlueZ.strap, "org.bluez.Device1", resolved(true))
        blueZ.release(with: nil)
        blueZ.add(Self.service + "/char000f", Self.characteristic)
        #expect(blueZ.calls.first { $0 == "Get \(BlueZ.strap)" } != nil)
        #expect(known(bench).count <= 1)
        #expect(bench.events.all.count { if case .device(let device) = $0 { device.isResolved } else { false } } == 1)
    }

    @Test("are known from the start of a device that is connected already")
    func fromTheStart() throws {
        let strap = BlueZ.device("C0:FF:EE:00:00:01", ["Connected": .bool(true)].merging(resolved(true)) { $1 })
        let bench = try BlueZBench([
            BlueZ.hci0: BlueZ.adapter(), BlueZ.strap: strap, Self.service + "/char000f": Self.characteristic,
        ])
        #expect(try bench.device().isResolved)
        #expect(known(bench) == [heartRate])
        #expect(try !bench.peer().calls.all.contains { $0.hasPrefix("Get ") })
    }
}
