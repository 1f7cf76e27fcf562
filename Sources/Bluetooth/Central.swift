// The central: Bluetooth's word for the side that scans, connects and subscribes. BlueZ does it; this asks BlueZ.
//
// One thread, one match rule, one table. The thread is an event loop that owns the connection to the bus. The rule asks
// for every signal of org.bluez, and what they say is kept in `Objects`. The table leads from a characteristic's object
// path to who wants its values: a notification is a PropertiesChanged signal whose bytes are found in the message
// without copying anything else of it.
//
// The bus, bluetoothd and the adapter may each be missing, and may each come and go: the central says what it waits for
// and goes on by itself. When bluetoothd ends, everything it had is forgotten (after SIGKILL it takes nothing back, so
// only the owner of its name tells), and subscribers start again from `ready`.

internal import DBus
public import Reactor

/// BlueZ, as a central uses it. `start` and `stop` belong to the owner; all else, and every callback, to `loop`.
// Proof of @unchecked: the mutable state is only touched on `loop`'s thread.
public final class Central: @unchecked Sendable {
    public typealias Completion<Value> = (Result<Value, BluetoothError>) -> Void

    public let loop = EventLoop(name: "dbus")
    public private(set) var state = State.waitingForBus("not connected yet")
    public private(set) var limits: Limits

    let connection: Connection
    private let bus: Bus
    private let adapterName: String?
    let mayPair: (Device) -> Bool
    let events: (Event) -> Void
    private var objects = Objects()
    private var isBlueZThere = false
    /// Who owns org.bluez, such as `:1.7`; empty where nobody does.
    private var owner = ""
    private var backoff = Backoff(first: .milliseconds(500), limit: .seconds(10))
    var subscribers: [String: Subscription] = [:]
    lazy var discovery = Discovery(of: self)

    /// - Parameters:
    ///   - adapter: such as `hci0`; nil for whichever there is.
    ///   - rfkill: the folder in which the kernel tells which radios are blocked.
    ///   - mayPair: whether a device that asks for it may be paired; called on `loop`.
    ///   - events: called on `loop`.
    public init(
        bus: Bus, adapter: String? = nil, limits: Limits = Limits(), rfkill: String = "/sys/class/rfkill",
        mayPair: @escaping @Sendable (Device) -> Bool = { _ in false }, events: @escaping @Sendable (Event) -> Void
    ) {
        self.bus = bus
        adapterName = adapter
        self.limits = limits
        self.mayPair = mayPair
        self.events = events
        connection = Connection(on: loop)
    }

    public func start() {
        connection.onSignal = { [weak self] in self?.receive($0) }
        connection.onDisconnected = { [weak self] in
            self?.loseBlueZ(.waitingForBus("the connection ended"))
            self?.connectLater()
        }
        loop.perform { [self] in connect() }
        loop.start()
    }

    /// Ends the connection; BlueZ then ends this program's notifications, and drops links nobody else uses.
    public func stop() {
        loop.perform { [self] in
            for subscription in subscribers.values { subscription.forget() }
            subscribers = [:]
            connection.close()
        }
        loop.stop()
    }

    // MARK: What there is

    public var adapters: [Adapter] { objects.adapters.values.sorted { $0.path < $1.path } }

    /// The controller that is used: the one that was named, or the first that is powered.
    public var adapter: Adapter? {
        if let adapterName { return adapters.first { $0.name == adapterName } }
        return adapters.first { $0.isPowered } ?? adapters.first
    }

    public var devices: [Device] { objects.devices.values.sorted { $0.path < $1.path } }

    public func characteristics(of device: Device) -> [Characteristic] { objects.characteristics(of: device) }

    // MARK: What can be asked

    /// Connects; BlueZ then finds out the services, and `Device.isResolved` tells when it has.
    public func connect(_ device: Device, completion: @escaping Completion<Void>) {
        let attempt = "connect to \(device.address)"
        call(attempt, device.path, Objects.deviceInterface, "Connect", limit: limits.connect) { [weak self] result in
            // BlueZ goes on trying after our limit, and would refuse the next Connect as InProgress.
            if case .failure(let error) = result, error.isTimeout { self?.disconnect(device) { _ in } }
            completion(result.map { _ in })
        }
    }

    public func disconnect(_ device: Device, completion: @escaping Completion<Void>) {
        call("disconnect from \(device.address)", device.path, Objects.deviceInterface, "Disconnect") {
            completion($0.map { _ in })
        }
    }

    public func read(
        _ characteristic: Characteristic, limit: Duration? = nil, completion: @escaping Completion<[UInt8]>
    ) {
        let attempt = "read \(characteristic.uuid)"
        call(
            attempt, characteristic.path, Objects.characteristicInterface, "ReadValue", [.properties([:])], limit: limit
        ) { result in
            completion(
                result.flatMap { reply in
                    guard let bytes = reply.reader.bytes() else {
                        let words = "the answer is no array of bytes"
                        let error = DBusError(name: DBusError.Name.invalidArguments, message: words)
                        return .failure(BluetoothError(attempt, error))
                    }
                    return .success(bytes)
                })
        }
    }

    public func write(_ bytes: [UInt8], to characteristic: Characteristic, completion: @escaping Completion<Void>) {
        call(
            "write \(characteristic.uuid)", characteristic.path, Objects.characteristicInterface, "WriteValue",
            [.bytes(bytes), .properties(["type": .string("request")])]
        ) { completion($0.map { _ in }) }
    }

    /// Looks for devices for as long as the token lives, whatever BlueZ does meanwhile.
    public func discover(_ filter: Discovery.Filter = .init()) -> Discovery.Token { discovery.begin(filter) }

    /// Starts discovery anew where one runs: some controllers go deaf in a long one.
    public func restartDiscovery() { discovery.restart() }

    /// Switches the adapter in use on or off.
    public func setPowered(_ isPowered: Bool, completion: @escaping Completion<Void>) {
        let attempt = "switch the Bluetooth adapter \(isPowered ? "on" : "off")"
        guard let adapter else {
            let error = DBusError(name: DBusError.Name.unknownObject, message: "there is no adapter")
            loop.after(.zero) { completion(.failure(BluetoothError(attempt, error))) }
            return
        }
        set(attempt, adapter.path, Objects.adapterInterface, "Powered", .bool(isPowered), completion)
    }

    /// Sets a property.
    func set(
        _ attempt: String, _ path: String, _ interface: String, _ name: String, _ value: Value,
        _ completion: @escaping Completion<Void>
    ) {
        call(
            attempt, path, "org.freedesktop.DBus.Properties", "Set",
            [.string(interface), .string(name), .variant(value)]
        ) { completion($0.map { _ in }) }
    }

    func call(
        _ attempt: String, _ path: String, _ interface: String, _ member: String, _ arguments: [Value] = [],
        limit: Duration? = nil, completion: @escaping (Result<Message, BluetoothError>) -> Void
    ) {
        connection.call("org.bluez", path, interface, member, arguments, limit: limit ?? limits.call) { result in
            completion(result.mapError { BluetoothError(attempt, $0) })
        }
    }

    // MARK: The bus and bluetoothd, coming and going

    private func connect() {
        do throws(DBusError) {
            switch bus {
            case .system: try connection.open(.system)
            case .address(let text): try connection.open(.address(text))
            }
        } catch {
            change(to: .waitingForBus(error.message))
            return connectLater()
        }
        backoff.reset()
        // The bus answers in order: when GetNameOwner is answered, both rules are in force.
        connection.match("type='signal',sender='org.bluez'")
        connection.match(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'")
        connection.callBus("GetNameOwner", [.string("org.bluez")]) { [weak self] result in
            guard let self else { return }
            owner = (try? result.get())?.arguments.first?.asString ?? ""
            if owner.isEmpty { change(to: .waitingForBlueZ) } else { findBlueZ() }
        }
    }

    private func connectLater() {
        loop.after(backoff.next()) { [weak self] in self?.connect() }
    }

    private func findBlueZ() {
        let manager = "org.freedesktop.DBus.ObjectManager"
        call("ask what BlueZ has", "/", manager, "GetManagedObjects") { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let reply):
                isBlueZThere = true
                objects = Objects()
                for (path, interfaces) in reply.arguments.first?.asDictionary ?? [:] {
                    _ = objects.add(path, Self.interfaces(interfaces))
                }
                settle()
                for device in devices { events(.device(device)) }
            case .failure(let error):
                change(to: .waitingForBus("\(error)"))
                // bluetoothd may be starting, or may refuse this user: ask again.
                loop.after(backoff.next()) { [weak self] in
                    if let self, connection.isOpen, !isBlueZThere { findBlueZ() }
                }
            }
        }
    }

    private func loseBlueZ(_ newState: State) {
        isBlueZThere = false
        objects = Objects()
        for subscription in subscribers.values { subscription.forget() }
        subscribers = [:]
        discovery.forget()
        change(to: newState)
    }

    /// Looks at the adapter again.
    private func settle() {
        guard isBlueZThere else { return }
        guard let adapter else { return change(to: .waitingForAdapter) }
        change(to: adapter.isPowered ? .ready : .adapterOff(adapter.name))
        discovery.settle()
    }

    private func change(to newState: State) {
        guard newState != state else { return }
        state = newState
        events(.state(newState))
    }

    // MARK: Signals

    private func receive(_ message: Message) {
        // Rules are for what is said to all. Anybody on the bus may send a signal to this connection alone.
        if message.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), message.sender == "org.freedesktop.DBus" {
            owner = message.arguments.last?.asString ?? ""
            loseBlueZ(.waitingForBlueZ)
            if !owner.isEmpty { findBlueZ() }
            return
        }
        guard message.sender == owner else { return }
        if message.isSignal("org.freedesktop.DBus.Properties", "PropertiesChanged") {
            propertiesChanged(message)
        } else if message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesAdded") {
            let arguments = message.arguments
            guard isBlueZThere, arguments.count == 2, let path = arguments[0].asString else { return }
            tell(objects.add(path, Self.interfaces(arguments[1])))
        } else if message.isSignal("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") {
            let arguments = message.arguments
            guard isBlueZThere, arguments.count == 2, let path = arguments[0].asString else { return }
            tell(objects.remove(path, arguments[1].asStrings ?? []))
        }
    }

    /// The hot path: a heartbeat is a PropertiesChanged of a characteristic's Value.
    private func propertiesChanged(_ message: Message) {
        var reader = message.reader
        guard reader.isString("org.bluez.GattCharacteristic1") else {
            guard isBlueZThere, let interface = reader.value()?.asString else { return }
            reader.next()
            tell(objects.update(message.path, interface, reader.value()?.asDictionary ?? [:]))
            return
        }
        guard let subscription = subscribers[message.path] else { return }
        reader.next()
        guard var entry = reader.inside() else { return }
        repeat {
            guard var value = entry.inside(), value.isString("Value") else { continue }
            value.next()
            if let bytes = value.inside()?.bytes() { subscription.deliver(bytes) }
        } while entry.next()
    }

    private func tell(_ change: Objects.Change?) {
        switch change {
        case .adapter: settle()
        case .device(let path): if let device = objects.devices[path] { events(.device(device)) }
        case .deviceRemoved(let device): events(.deviceRemoved(device))
        case nil: break
        }
    }

    private static func interfaces(_ value: Value) -> [String: [String: Value]] {
        value.asDictionary?.mapValues { $0.asDictionary ?? [:] } ?? [:]
    }
}
