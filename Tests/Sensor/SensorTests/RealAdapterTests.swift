// No controller is needed here: BlueZ's two managers are played by a double on a private bus, which does what BlueZ
// does with an application. It takes the paths that it is given, asks for the managed objects, and then reads, writes
// and subscribes by calling them. What the radio would make of it is not shown by these tests.

import DBus
import Foundation
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import vitals_sensor

/// GattManager1, LEAdvertisingManager1 and a settable `Powered` at /org/bluez/hci0.
private final class ManagerDouble: Sendable {
    let connection: Connection
    let calls = TestSupport.Record<String>()
    private let application = Mutex("")

    init(_ address: Connection.Address, on loop: EventLoop) throws {
        connection = Connection(on: loop)
        let opened = Answer<String>()
        loop.perform { [self] in
            connection.onCall = { [unowned self] in answer($0) }
            open(address, opened)
        }
        try #require(opened.wait(atMost: limit) == "ok")
    }

    private func open(_ address: Connection.Address, _ opened: Answer<String>) {
        do throws(DBusError) { try connection.open(address) } catch { return opened.set(error.description) }
        connection.requestName("org.bluez") { opened.set($0.outcomeOfVoid) }
        connection.match("type='signal',path_namespace='\(RealAdapter.applicationPath)'")
    }

    /// BlueZ dies, and is started again; its adapter is there a moment later.
    func restart(_ address: Connection.Address) throws {
        let opened = Answer<String>()
        calls.removeAll()
        connection.loop.perform { [self] in
            connection.close()
            open(address, opened)
        }
        try #require(opened.wait(atMost: limit) == "ok")
        let managers = ["org.bluez.Adapter1", "org.bluez.GattManager1", "org.bluez.LEAdvertisingManager1"]
        connection.loop.perform { [self] in
            let entries = managers.map { Value.Entry(.string($0), .dictionary("s", "v", [])) }
            try? connection.emit(
                "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
                [.path("/org/bluez/hci0"), .dictionary("s", "a{sv}", entries)])
        }
    }

    private func answer(_ call: Message) {
        let properties = call.arguments.dropFirst().map { $0.asString ?? $0.unwrapped.asString ?? "on" }
        calls.append(call.member == "Set" ? "Set " + properties.joined(separator: " ") : call.member)
        if call.member == "RegisterApplication" { application.withLock { $0 = call.sender } }
        guard call.member == "GetAll" else { return connection.reply(to: call) }
        connection.reply(to: call, [.properties(["Alias": .string("Kitchen"), "Name": .string("BlueZ 5.66")])])
    }

    /// Calls an exported object, as BlueZ does.
    func call(_ path: String, _ interface: String, _ member: String, _ arguments: [Value] = []) -> Result<
        [Value], DBusError
    > {
        let answer = Answer<Result<[Value], DBusError>>()
        let destination = application.withLock { $0 }
        connection.loop.perform { [connection] in
            connection.call(destination, path, interface, member, arguments, limit: limit) { result in
                answer.set(result.map(\.arguments))
            }
        }
        return answer.wait(atMost: limit) ?? .failure(DBusError(name: "no answer", message: member))
    }
}

extension Result where Success == Void, Failure == DBusError {
    fileprivate var outcomeOfVoid: String { if case .failure(let error) = self { error.description } else { "ok" } }
}

@Suite("The sensor on an adapter")
struct RealAdapterTests {
    private let bus: PrivateBus
    private let loop = EventLoop(name: "test")
    private let double: ManagerDouble
    private let program: RunningProgram
    private let objects: [String: [String: [String: Value]]]

    init() throws {
        bus = try PrivateBus()
        loop.start()
        double = try ManagerDouble(bus.address, on: loop)
        let file = bus.folder.path("recording.csv")
        try "elapsed_s,heart_rate_bpm,steps,temperature_c\n0,70,10,36.6\n3600,80,12,36.7\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        program = try RunningProgram(
            "vitals-sensor",
            ["adapter", "--adapter", "hci0", "--bus", bus.addressText, "--activity", file])
        program.wait(for: "ready\n")
        let reply = try double.call(
            RealAdapter.applicationPath, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"
        ).get()
        objects = (reply.first?.asDictionary ?? [:]).mapValues { object in
            (object.asDictionary ?? [:]).mapValues { $0.asDictionary ?? [:] }
        }
    }

    private func stop() {
        endProgram()
        loop.sync { [connection = double.connection] in connection.close() }
        loop.stop()
    }

    private func endProgram() {
        guard program.isRunning else { return }
        program.signal(SIGTERM)
        #expect(program.exitStatus(within: .seconds(60)) == 0)
    }

    private func path(of uuid: String) throws -> String {
        try #require(objects.first { $0.value["org.bluez.GattCharacteristic1"]?["UUID"] == .string(uuid) }?.key)
    }

    private func characteristic(_ uuid: String, _ member: String, _ arguments: [Value] = []) throws -> Result<
        [Value], DBusError
    > {
        double.call(try path(of: uuid), "org.bluez.GattCharacteristic1", member, arguments)
    }

    @Test("powers the adapter, gives it the sensor's name, registers application and advertisement, and takes all back")
    func registers() throws {
        defer { stop() }
        endProgram()
        // What it said last may be read only now.
        let calls = try double.calls.wait { $0.last == "Set Alias Kitchen" }
        // The adapter's properties are asked for while the application is registered.
        #expect(calls.first == "Set Powered on")
        #expect(calls.filter { $0.hasPrefix("Set Alias") } == ["Set Alias Vitals HRM", "Set Alias Kitchen"])
        #expect(
            calls.filter { $0.contains("egister") } == [
                "RegisterApplication", "RegisterAdvertisement", "UnregisterAdvertisement", "UnregisterApplication",
            ])
    }

    @Test("registers again when BlueZ was started again, and sends nothing until somebody listens again")
    func registersAgain() throws {
        defer { stop() }
        let heartRate = "00002a37-0000-1000-8000-00805f9b34fb"
        #expect(try characteristic(heartRate, "StartNotify") == .success([]))
        try double.restart(bus.address)
        #expect(double.calls.first { $0 == "RegisterAdvertisement" } != nil)
        #expect(double.calls.all.contains("RegisterApplication"))
        program.send("status")
        program.wait(for: ": advertising, 0 listened to")
        #expect(try characteristic(heartRate, "StartNotify") == .success([]))
        program.send("status")
        program.wait(for: ": advertising, 1 listened to")
    }

    @Test("exports every service and characteristic, each naming its service, and an advertisement")
    func exports() throws {
        defer { stop() }
        let services = objects.filter { $0.value["org.bluez.GattService1"] != nil }
        #expect(
            Set(services.values.compactMap { $0["org.bluez.GattService1"]?["UUID"]?.asString })
                == Set(Profile.strap.services.map(\.uuid)))
        for (path, interfaces) in objects {
            guard let properties = interfaces["org.bluez.GattCharacteristic1"] else { continue }
            let service = try #require(properties["Service"]?.asString)
            #expect(path.hasPrefix(service + "/") && services[service] != nil)
            let uuid = try #require(properties["UUID"]?.asString)
            #expect(properties["Flags"]?.asStrings == Profile.strap.characteristic(uuid)?.flags)
        }
        let advertisement = try #require(objects[RealAdapter.advertisementPath]?["org.bluez.LEAdvertisement1"])
        #expect(advertisement["Type"] == .string("peripheral") && advertisement["LocalName"] == .string("Vitals HRM"))
        #expect(advertisement["Discoverable"] == .bool(true))
        #expect(advertisement["ServiceUUIDs"] == .strings(Profile.strap.advertised))
    }

    @Test("answers reads and writes, and refuses with the codes that BlueZ passes on")
    func readsAndWrites() throws {
        defer { stop() }
        let options = Value.properties(["device": .path("/org/bluez/hci0/dev_00"), "offset": .uint16(0)])
        #expect(try characteristic(Profile.steps, "ReadValue", [options]) == .success([.bytes([0, 0, 0, 0])]))
        #expect(
            try characteristic(Profile.temperature, "ReadValue", [.properties(["offset": .uint16(3)])])
                == .success([.bytes([0xFF])]))
        let controlPoint = "00002a39-0000-1000-8000-00805f9b34fb"
        #expect(try characteristic(controlPoint, "WriteValue", [.bytes([1]), options]) == .success([]))
        #expect(try characteristic(controlPoint, "WriteValue", [.bytes([7]), options]).outcome == "Failed: 0x80")
        #expect(try characteristic(controlPoint, "ReadValue", [options]).outcome == "NotPermitted: Read not permitted")
        // The link whose other end has made itself known can be ended.
        program.send("drop")
        program.wait(for: "ok\n")
        program.send("refuse on")
        program.wait(for: "error: only the stand-in can do this")
        #expect(double.calls.first { $0 == "Disconnect" } != nil)
    }

    @Test("notifies by the signal that BlueZ takes, from StartNotify to StopNotify")
    func notifies() throws {
        defer { stop() }
        let heartRate = "00002a37-0000-1000-8000-00805f9b34fb"
        let path = try path(of: heartRate)
        let seen = Mutex<[String]>([])
        let last = Answer<Bool>()
        loop.sync { [connection = double.connection] in
            connection.onSignal = { signal in
                guard signal.path == path, let line = BusClient.describe(signal) else { return }
                seen.withLock { $0.append(String(line.dropFirst(path.count + 1))) }
                if line.hasSuffix("Notifying=false") { last.set(true) }
            }
        }
        #expect(try characteristic(heartRate, "StartNotify") == .success([]))
        program.send("heart-rate 75")
        program.wait(for: "ok\n")
        #expect(try characteristic(heartRate, "StopNotify") == .success([]))
        program.send("heart-rate 76")
        program.wait(for: "ok\n")
        #expect(last.wait(atMost: limit) == true)
        let expected = ["Notifying=true", "Value=0e460000", "Value=064b", "Notifying=false"]
        #expect(seen.withLock { $0 } == expected)
        let temperature = "00002a1c-0000-1000-8000-00805f9b34fb"
        #expect(try characteristic(temperature, "StartNotify") == .success([]))
        #expect(try characteristic(temperature, "Confirm") == .success([]))
        #expect(try characteristic(Profile.steps, "StartNotify").outcome == "NotSupported: Operation is not supported")
    }

    @Test("stops and resumes advertising on command")
    func advertising() throws {
        defer { stop() }
        program.send("vanish")
        program.wait(for: "ok\n")
        program.send("status")
        program.wait(for: "not advertising")
        program.send("appear")
        program.wait(for: "ok\n")
        program.send("status")
        program.wait(for: ": advertising")
    }
}
