import Bluetooth
import DBus
import Foundation
import Reactor
import TestSupport
import Testing

/// A program on the bus that owns `org.bluez` and does what a test says: for what the emulated sensor has no command
/// for.
///
/// Its objects are the ones that the test gave it, and its methods answer with success unless the test refuses them.
final class BlueZ {
    typealias Properties = [String: Value]

    static let hci0 = "/org/bluez/hci0"
    static let strap = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

    private let loop = EventLoop(name: "bluez")
    private let desk: Desk

    init(
        _ address: String, _ objects: [String: [String: Properties]] = BlueZ.oneAdapter,
        refusing refusals: [String: DBusError] = [:]
    ) throws {
        desk = Desk(Connection(on: loop), objects, refusals)
        loop.start()
        let isThere = Answer<Bool>()
        let address = Connection.Address.address(address)
        loop.perform { [desk] in
            desk.connection.onCall = { [unowned desk] in desk.answer($0) }
            guard (try? desk.connection.open(address)) != nil else { return isThere.set(false) }
            desk.connection.requestName("org.bluez") { isThere.set((try? $0.get()) != nil) }
        }
        guard isThere.wait(atMost: limit) == true else { throw TestFailure("no org.bluez on the bus") }
    }

    deinit {
        loop.sync { [desk] in desk.close() }
        loop.stop()
    }

    /// What was called, such as `StartDiscovery /org/bluez/hci0`, without what every central asks at first.
    var calls: Record<String> { desk.calls }

    static func adapter(isPowered: Bool = true, address: String = "00:AA:01:00:00:00") -> [String: Properties] {
        [
            "org.bluez.Adapter1": [
                "Address": .string(address), "Powered": .bool(isPowered), "Discovering": .bool(false),
            ]
        ]
    }

    static func device(_ address: String, _ more: Properties = [:]) -> [String: Properties] {
        let properties: Properties = [
            "Address": .string(address), "AddressType": .string("random"), "Name": .string("Strap"),
            "Alias": .string("Strap"), "Paired": .bool(false), "Bonded": .bool(false), "Trusted": .bool(false),
            "Connected": .bool(false), "ServicesResolved": .bool(false), "UUIDs": .strings([]),
        ]
        return ["org.bluez.Device1": properties.merging(more) { $1 }]
    }

    static let oneAdapter = [hci0: adapter(), strap: device("C0:FF:EE:00:00:01")]

    // MARK: What a test does

    /// Gives the name on the bus back. The bus notices only later that a connection has ended, and until then it refuses
    /// the name to the next program.
    func leave() throws {
        let hasLeft = Answer<Bool>()
        loop.perform { [desk] in
            desk.connection.callBus("ReleaseName", [.string("org.bluez")]) { hasLeft.set((try? $0.get()) != nil) }
        }
        guard hasLeft.wait(atMost: limit) == true else { throw TestFailure("org.bluez does not leave the bus") }
    }

    /// From now on a method is refused; with nil it is not any more.
    func refuse(_ member: String, with error: DBusError?) {
        loop.sync { [desk] in desk.refusals[member] = error }
    }

    /// The next call of a method is not answered until `release`.
    func hold(_ member: String) { loop.sync { [desk] in desk.heldMember = member } }

    /// Answers the call that was held, or refuses it.
    func release(with error: DBusError?) { loop.sync { [desk] in desk.release(error) } }

    func change(_ path: String, _ interface: String, _ properties: Properties, invalidated: [String] = []) {
        let arguments: [Value] = [.string(interface), .properties(properties), .strings(invalidated)]
        changeSilently(path, interface, properties)
        emit(path, "org.freedesktop.DBus.Properties", "PropertiesChanged", arguments)
    }

    /// Changes what BlueZ answers, and tells nobody.
    func changeSilently(_ path: String, _ interface: String, _ properties: Properties) {
        loop.sync { [desk] in desk.objects[path]?[interface]?.merge(properties) { $1 } }
    }

    func add(_ path: String, _ interfaces: [String: Properties]) {
        loop.sync { [desk] in desk.objects[path, default: [:]].merge(interfaces) { $1 } }
        emit("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", [.path(path), Desk.value(interfaces)])
    }

    func remove(_ path: String, _ interfaces: [String]) {
        loop.sync { [desk] in for interface in interfaces { desk.objects[path]?[interface] = nil } }
        emit("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", [.path(path), .strings(interfaces)])
    }

    /// Asks the central's agent, once it is registered and the default; its error's name and words, or `ok`.
    func askAgent(_ member: String, _ arguments: [Value], path: String = "/org/vitals/agent") throws -> String {
        try #require(calls.first { $0 == "RequestDefaultAgent /org/vitals/agent" } != nil)
        let answer = Answer<String>()
        loop.perform { [desk] in
            desk.connection.call(desk.caller, path, "org.bluez.Agent1", member, arguments, limit: limit) { result in
                switch result {
                case .success: answer.set("ok")
                case .failure(let error): answer.set("\(error)")
                }
            }
        }
        return try #require(answer.wait(atMost: limit))
    }

    /// The unique name of the central that called.
    var central: String { loop.sync { [desk] in desk.caller } }

    private func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [Value]) {
        loop.sync { [desk] in
            #expect(throws: Never.self) { try desk.connection.emit(path, interface, member, arguments) }
        }
    }
}

/// What `BlueZ` answers with.
// Proof of @unchecked: the mutable state is touched on the connection's loop only, and let go of after `close`.
private final class Desk: @unchecked Sendable {
    let connection: Connection
    let calls = Record<String>()
    var objects: [String: [String: BlueZ.Properties]]
    var refusals: [String: DBusError]
    var caller = ""
    /// The method that is not answered, and its call once it came.
    var heldMember: String?
    private var heldCall: Message?

    init(
        _ connection: Connection, _ objects: [String: [String: BlueZ.Properties]], _ refusals: [String: DBusError]
    ) {
        self.connection = connection
        self.objects = objects
        self.refusals = refusals
    }

    func close() {
        heldCall = nil
        connection.close()
    }

    func release(_ error: DBusError?) {
        guard let call = heldCall else { return }
        heldCall = nil
        if let error { connection.refuse(call, error) } else { connection.reply(to: call) }
    }

    func answer(_ call: Message) {
        caller = call.sender
        if let error = refusals[call.member] { return connection.refuse(call, error) }
        if call.member == heldMember {
            (heldMember, heldCall) = (nil, call)
            return calls.append("\(call.member) \(call.path)")
        }
        let arguments = call.arguments
        switch call.member {
        case "GetManagedObjects":
            let entries = objects.map { Value.Entry(.path($0.key), Self.value($0.value)) }
            return connection.reply(to: call, [.dictionary("o", "a{sa{sv}}", entries)])
        case "GetAll":
            let properties = objects[call.path]?[arguments[0].asString ?? ""] ?? [:]
            return connection.reply(to: call, [.properties(properties)])
        case "RegisterAgent", "RequestDefaultAgent", "RemoveDevice":
            calls.append("\(call.member) \(arguments[0].asString ?? "")")
        case "Set":
            calls.append("\(arguments[1].asString ?? "")=\(arguments[2].asBool ?? false) \(call.path)")
        case "SetDiscoveryFilter": break
        default: calls.append("\(call.member) \(call.path)")
        }
        connection.reply(to: call)
    }

    static func value(_ interfaces: [String: BlueZ.Properties]) -> Value {
        .dictionary("s", "a{sv}", interfaces.map { Value.Entry(.string($0.key), .properties($0.value)) })
    }
}

/// A central on a private bus where `BlueZ` answers.
final class BlueZBench {
    let bus: PrivateBus
    private(set) var blueZ: BlueZ?
    let central: Central
    let events = Record<Central.Event>()

    init(
        _ objects: [String: [String: BlueZ.Properties]] = BlueZ.oneAdapter,
        refusing refusals: [String: DBusError] = [:],
        adapter: String? = nil,
        limits: Central.Limits = .init(), rfkill: String = "/nowhere",
        mayPair: @escaping @Sendable (Device) -> Bool = { _ in false }
    ) throws {
        bus = try PrivateBus()
        blueZ = try BlueZ(bus.addressText, objects, refusing: refusals)
        let events = events
        central = Central(
            bus: .address(bus.addressText), adapter: adapter, limits: limits, rfkill: rfkill, mayPair: mayPair
        ) { events.append($0) }
        central.start()
    }

    deinit { central.stop() }

    func peer() throws -> BlueZ { try #require(blueZ) }

    func device() throws -> Device { try #require(events.device { $0.path == BlueZ.strap }) }

    /// Ends BlueZ, and begins another.
    func restartBlueZ() throws {
        try peer().leave()
        blueZ = nil
        blueZ = try BlueZ(bus.addressText)
    }

    /// Runs a call of the central; nil if it succeeded.
    func outcome(_ call: @escaping @Sendable (Central, @escaping Central.Completion<Void>) -> Void) -> BluetoothError? {
        central.outcome(call)
    }
}
