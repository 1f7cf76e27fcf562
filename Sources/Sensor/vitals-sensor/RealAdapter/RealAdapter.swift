// A peripheral on a real adapter.
//
// BlueZ keeps the radio, the links and the attribute protocol. This program exports its services, characteristics and
// an advertisement as objects, tells BlueZ where they are (GattManager1.RegisterApplication,
// LEAdvertisingManager1.RegisterAdvertisement), and answers what BlueZ then asks: reads, writes, and whether to notify.
// A notification is a PropertiesChanged of `Value`. BlueZ adds the 2902 descriptors, Generic Access and Generic
// Attribute.
//
// A central that connects reads the name from BlueZ's Generic Access, where it is the adapter's alias: so the adapter
// has the sensor's name while this runs. When the adapter comes back, BlueZ knows nothing of all this, and is told
// again.
//
// Source: BlueZ's doc/org.bluez.GattManager.rst, GattCharacteristic.rst and LEAdvertisement.rst.

import DBus
import Daemon
import Reactor

/// The sensor as BlueZ's own peripheral. Belongs to the connection's loop.
final class RealAdapter: Form {
    static let applicationPath = "/org/vitals/sensor"
    static let advertisementPath = applicationPath + "/advertisement0"

    private let connection: Connection
    private let adapterPath: String
    private let peripheral: Peripheral
    private let objects: ObjectServer
    private let faults = Faults()
    private var characteristics: [LocalCharacteristic] = []
    /// The devices that have read or written something, and so are at the other end of a link to this sensor.
    private var centrals: Set<String> = []
    private var isAdvertising = false
    /// Whether the sensor should be found.
    private var isAwake = true
    /// The adapter's alias before it was the sensor's name.
    private var ownAlias: String?
    private var retry: EventLoop.Timer?

    private static let limit = Duration.seconds(30)

    /// - Parameter adapter: such as `hci0`.
    init(_ adapter: String, of peripheral: Peripheral, on connection: Connection) {
        adapterPath = "/org/bluez/" + adapter
        self.peripheral = peripheral
        self.connection = connection
        objects = ObjectServer(on: connection, managerPath: Self.applicationPath)
        objects.intercept = { [faults, connection] in faults.take($0, on: connection) }
        export()
        peripheral.onValue = { [unowned self] uuid, value in
            characteristics.first { $0.definition.uuid == uuid }?.send(value)
        }
    }

    // MARK: Form

    func begin(completion: @escaping (Result<Void, DBusError>) -> Void) {
        connection.onSignal = { [unowned self] in note($0) }
        let owner = "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'"
        let objects = "type='signal',sender='org.bluez',interface='\(Standard.objectManager)',path='/'"
        for rule in [owner, objects] { connection.match(rule) }
        register(completion: completion)
    }

    /// BlueZ or the adapter has gone, or is there again.
    private func note(_ signal: Message) {
        let arguments = signal.arguments
        let isOurs = arguments.first?.asString == adapterPath
        if signal.isSignal("org.freedesktop.DBus", "NameOwnerChanged") {
            if arguments.last == .string("") { forget() }
        } else if signal.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved"), isOurs {
            forget()
        } else if signal.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded"), isOurs {
            guard arguments.last?.asDictionary?["org.bluez.LEAdvertisingManager1"] != nil else { return }
            forget()
            registerAgain()
        }
    }

    /// BlueZ no longer knows anything about us.
    private func forget() {
        retry?.cancel()
        isAdvertising = false
        centrals = []
        for characteristic in characteristics { characteristic.stop() }
    }

    /// BlueZ may be busy switching the adapter on.
    private func registerAgain() {
        register { [unowned self] result in
            Self.report(result)
            guard case .failure = result else { return }
            retry = connection.loop.after(.seconds(2)) { [weak self] in self?.registerAgain() }
        }
    }

    func end() {
        retry?.cancel()
        stopAdvertising()
        callAdapter("org.bluez.GattManager1", "UnregisterApplication", [.path(Self.applicationPath)])
        if let ownAlias { set("Alias", .string(ownAlias)) }
    }

    func retire(_ peripheral: Peripheral) {
        isAwake = false
        disconnect()
        stopAdvertising()
    }

    func follow(_ instruction: Instruction, for peripheral: Peripheral) throws(InstructionError) {
        switch instruction {
        case .drop(let seconds):
            disconnect()
            guard seconds > 0, isAdvertising else { return }
            stopAdvertising()
            connection.loop.after(.seconds(seconds)) { [weak self] in
                if let self, isAwake { advertise { Self.report($0) } }
            }
        case .hang(let isOn): faults.isHanging = isOn
        case .fail(let method, let name): faults.fail(method, with: BlueZError.error(name, "Failed on command"))
        case .power(let isOn): set("Powered", .bool(isOn)) { Self.report($0) }
        case .vanish:
            isAwake = false
            disconnect()
            stopAdvertising()
        case .appear:
            isAwake = true
            advertise { Self.report($0) }
        default: throw InstructionError("only the stand-in can do this; on an adapter BlueZ has the links")
        }
    }

    func state(of peripheral: Peripheral) -> String { isAdvertising ? "advertising" : "not advertising" }

    private static func report(_ result: Result<Void, DBusError>) {
        if case .failure(let error) = result { log.error("\(error)") }
    }

    // MARK: BlueZ's managers

    private func register(completion: @escaping (Result<Void, DBusError>) -> Void) {
        set("Powered", .bool(true)) { [unowned self] result in
            guard case .success = result else { return completion(result) }
            takeName()
            let arguments: [Value] = [.path(Self.applicationPath), .properties([:])]
            callAdapter("org.bluez.GattManager1", "RegisterApplication", arguments) { [unowned self] result in
                guard case .success = result, isAwake else { return completion(result) }
                advertise(completion: completion)
            }
        }
    }

    /// The adapter has the sensor's name from now on. Its own alias is restored at the end; an alias that is just
    /// BlueZ's default name is restored by emptying it.
    private func takeName() {
        let arguments: [Value] = [.string(BlueZInterface.adapter)]
        connection.call("org.bluez", adapterPath, Standard.properties, "GetAll", arguments, limit: Self.limit) {
            [weak self] result in
            guard let self, let properties = try? result.get().arguments.first?.asDictionary else { return }
            let alias = properties["Alias"]?.asString
            if ownAlias == nil { ownAlias = alias == properties["Name"]?.asString ? "" : alias }
            set("Alias", .string(peripheral.name)) { Self.report($0) }
        }
    }

    private func advertise(completion: @escaping (Result<Void, DBusError>) -> Void) {
        guard !isAdvertising else { return completion(.success(())) }
        isAdvertising = true
        let arguments: [Value] = [.path(Self.advertisementPath), .properties([:])]
        callAdapter("org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", arguments) { [unowned self] result in
            if case .failure = result { isAdvertising = false }
            completion(result)
        }
    }

    private func stopAdvertising() {
        guard isAdvertising else { return }
        isAdvertising = false
        let path = Value.path(Self.advertisementPath)
        callAdapter("org.bluez.LEAdvertisingManager1", "UnregisterAdvertisement", [path])
    }

    private func set(
        _ property: String, _ value: Value, completion: @escaping (Result<Void, DBusError>) -> Void = { _ in }
    ) {
        let arguments: [Value] = [.string(BlueZInterface.adapter), .string(property), .variant(value)]
        callAdapter(Standard.properties, "Set", arguments, completion: completion)
    }

    /// Ends the links whose other end is known. A central that only listens has not revealed its identity, and keeps
    /// its link; links of other programs are left alone.
    private func disconnect() {
        for central in centrals {
            connection.call("org.bluez", central, BlueZInterface.device, "Disconnect", limit: Self.limit) { _ in }
        }
        centrals = []
    }

    private func callAdapter(
        _ interface: String, _ member: String, _ arguments: [Value],
        completion: @escaping (Result<Void, DBusError>) -> Void = { _ in }
    ) {
        connection.call("org.bluez", adapterPath, interface, member, arguments, limit: Self.limit) { result in
            completion(result.map { _ in () })
        }
    }

    // MARK: Our objects

    private func export() {
        for (index, service) in peripheral.profile.services.enumerated() {
            let path = "\(Self.applicationPath)/service\(index)"
            let properties = [Property("UUID", .string(service.uuid)), Property("Primary", .bool(true))]
            objects.add([Interface(name: "org.bluez.GattService1", properties: properties)], at: path)
            for (index, definition) in service.characteristics.enumerated() {
                let characteristic = LocalCharacteristic(
                    definition, of: peripheral, on: objects, at: "\(path)/char\(index)", service: path)
                characteristic.onCentral = { [unowned self] in centrals.insert($0) }
                characteristics.append(characteristic)
                objects.add([characteristic.interface], at: characteristic.path)
            }
        }
        let advertisement = Interface(
            name: "org.bluez.LEAdvertisement1",
            properties: [
                Property("Type", .string("peripheral")),
                Property("ServiceUUIDs", .strings(peripheral.profile.advertised)),
                Property("LocalName", .string(peripheral.name)),
                Property("Appearance", .uint16(peripheral.profile.appearance)),
                // Without this flag in what it advertises, a BlueZ that discovers leaves it out.
                Property("Discoverable", .bool(true)),
            ],
            methods: [
                Method("Release") { [unowned self] call in
                    isAdvertising = false
                    call.reply()
                }
            ])
        objects.add([advertisement], at: Self.advertisementPath)
    }
}
