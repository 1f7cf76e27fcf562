import DBus
import Daemon
import Foundation
import Reactor
import TestSupport

@testable import vitals_sensor

/// BlueZ with one device that it knows already, and whose every value the test decides, byte by byte: the stand-in's
/// own objects, without the stand-in's sensor.
// Proof of @unchecked: constants, and what only the loop touches.
final class ScriptedSensor: @unchecked Sendable {
    private static let adapter = "/org/bluez/hci0"
    private static let device = "\(adapter)/dev_C0_FF_EE_00_00_01"

    private let loop = EventLoop(name: "sensor")
    private let connection: Connection
    /// UUIDs, once for each StartNotify.
    let subscribed = TestSupport.Record<String>()
    /// UUIDs, once for each StopNotify.
    let unsubscribed = TestSupport.Record<String>()
    private var objects: ObjectServer?
    private var values: [String: [UInt8]] = [:]
    private var isConnected = false
    private var isBonded = false
    private var battery: UInt8?

    /// A flag of no characteristic of BlueZ's: it promises notifications, and StartNotify fails.
    static let broken = "broken"

    /// - Parameter flags: of each characteristic, by its UUID, as BlueZ names them.
    init(named name: String, on bus: PrivateBus, _ flags: [(uuid: String, flags: [String])]) throws {
        connection = Connection(on: loop)
        let address = bus.addressText
        loop.start()
        let answer = Answer<String?>()
        loop.perform { [self] in
            do {
                try connection.open(.address(address))
                let objects = ObjectServer(on: connection)
                self.objects = objects
                serve(name, flags, on: objects)
                connection.requestName("org.bluez") { result in
                    if case .failure(let error) = result { answer.set("\(error)") } else { answer.set(nil) }
                }
            } catch { answer.set("\(error)") }
        }
        if let error = answer.wait() { throw TestFailure(error) }
    }

    func stop() {
        loop.perform { [self] in
            connection.close()
            objects = nil
        }
        loop.stop()
    }

    // MARK: What the test decides

    /// A notification or an indication.
    func send(_ uuid: String, _ bytes: [UInt8]) {
        loop.sync { [self] in
            values[uuid] = bytes
            objects?.changed(["Value"], of: "org.bluez.GattCharacteristic1", at: Self.path(uuid))
        }
    }

    func bond() {
        loop.sync { [self] in
            isBonded = true
            objects?.changed(["Bonded"], of: "org.bluez.Device1", at: Self.device)
        }
    }

    /// As BlueZ does it, which listens to the battery itself: the interface comes with the first value.
    func setBattery(_ percent: UInt8) {
        loop.sync { [self] in
            let isNew = battery == nil
            battery = percent
            guard isNew else {
                return objects?.changed(["Percentage"], of: "org.bluez.Battery1", at: Self.device) ?? ()
            }
            let percentage = Property("Percentage", "y", get: { [unowned self] in battery.map(Value.byte) })
            objects?.add([Interface(name: "org.bluez.Battery1", properties: [percentage])], at: Self.device)
        }
    }

    func drop() {
        loop.sync { [self] in
            isConnected = false
            objects?.changed(["ServicesResolved", "Connected"], of: "org.bluez.Device1", at: Self.device)
        }
    }

    // MARK: Its objects

    private func serve(_ name: String, _ flags: [(uuid: String, flags: [String])], on objects: ObjectServer) {
        let nothing =
            ["SetDiscoveryFilter": ["filter": "a{sv}"], "StartDiscovery": [:], "StopDiscovery": [:]]
            as [String: KeyValuePairs<String, String>]
        let powered = [Property("Address", .string("00:AA:01:00:00:00")), Property("Powered", .bool(true))]
        let methods = nothing.map { name, takes in Method(name, takes: takes) { $0.reply() } }
        objects.add([Interface(name: "org.bluez.Adapter1", properties: powered, methods: methods)], at: Self.adapter)
        objects.add([device(name)], at: Self.device)
        for (uuid, flags) in flags {
            objects.add([characteristic(uuid, flags)], at: Self.path(uuid))
        }
    }

    private func device(_ name: String) -> Interface {
        Interface(
            name: "org.bluez.Device1",
            properties: [
                Property("Address", .string("C0:FF:EE:00:00:01")), Property("AddressType", .string("random")),
                Property("Adapter", .path(Self.adapter)), Property("Name", .string(name)),
                Property("Connected", "b", get: { [unowned self] in .bool(isConnected) }),
                Property("ServicesResolved", "b", get: { [unowned self] in .bool(isConnected) }),
                Property("Bonded", "b", get: { [unowned self] in .bool(isBonded) }),
            ],
            methods: [
                Method("Connect") { [unowned self] call in
                    isConnected = true
                    objects?.changed(["Connected", "ServicesResolved"], of: "org.bluez.Device1", at: Self.device)
                    call.reply()
                },
                Method("Disconnect") { $0.reply() },
            ])
    }

    private func characteristic(_ uuid: String, _ flags: [String]) -> Interface {
        Interface(
            name: "org.bluez.GattCharacteristic1",
            properties: [
                Property("UUID", .string(uuid)), Property("Flags", .strings(flags)),
                Property("Value", "ay", get: { [unowned self] in .bytes(values[uuid] ?? []) }),
            ],
            methods: [
                Method("StartNotify") { [unowned self] call in
                    guard !flags.contains(Self.broken) else {
                        return call.refuse(DBusError(name: "org.bluez.Error.Failed", message: "broken"))
                    }
                    call.reply()
                    subscribed.append(uuid)
                },
                Method("StopNotify") { [unowned self] call in
                    call.reply()
                    unsubscribed.append(uuid)
                },
            ])
    }

    private static func path(_ uuid: String) -> String { "\(device)/service0006/char\(uuid.dropFirst(4).prefix(4))" }
}
