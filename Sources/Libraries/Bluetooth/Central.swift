// The central: Bluetooth's word for the side that scans, connects and subscribes. BlueZ does the work; this class asks
// it to.
//
// One thread, one match rule, one table. The thread is an event loop, which others may share. The rule asks
// for every signal of org.bluez, and what they say is kept in `Objects`. The table leads from a characteristic's object
// path to the subscription that wants its values: a notification is a PropertiesChanged signal whose bytes are found in
// the message without copying anything else of it.
//
// The bus, bluetoothd and the adapter may each be missing, and may each come and go: the central says what it is
// waiting for, and continues by itself. When bluetoothd ends, everything it had is forgotten (after SIGKILL it
// withdraws nothing itself, so only the owner of its name shows it), and subscribers start again from `ready`.

internal import DBus
public import Reactor

/// BlueZ, as a central uses it. `start` and `stop` belong to the owner; everything else, and every callback, belongs to
/// `loop`.
// Proof of @unchecked: the mutable state is only touched on `loop`'s thread.
public final class Central: @unchecked Sendable {
    public typealias Completion<Value> = (Result<Value, BluetoothError>) -> Void

    public let loop: EventLoop
    private let isLoopShared: Bool
    public private(set) var state = State.waitingForBus("not connected yet")
    public private(set) var limits: Limits

    let connection: Connection
    private let bus: Bus
    private let adapterName: String?
    let mayPair: (Device) -> Bool
    let events: (Event) -> Void
    private let rfkill: RFKill
    private var objects = Objects()
    private var isBlueZThere = false
    /// Who owns org.bluez, such as `:1.7`; empty if nobody does.
    private(set) var owner = ""
    /// Rises with each owner: an answer from an earlier owner does not count for this one.
    private var run = 0
    /// The path of the adapter in use.
    private var adapterPath: String?
    /// The adapter stays in use while it is off, because we switched it off ourselves.
    var isOffByUs = false
    private lazy var comingBack = Retry(
        on: loop, Backoff(first: .milliseconds(500), limit: .seconds(10))
    ) { [weak self] in self?.connect() }
    private var askPauses = Backoff(first: .milliseconds(500), limit: .seconds(60))
    /// While the adapter is blocked.
    private lazy var unblocking = Retry(on: loop, Backoff(first: .seconds(1), limit: .seconds(30))) { [weak self] in
        self?.settle()
    }
    var subscribers: [String: Subscription] = [:]
    private var lastHeard: Subscription?
    var openCalls: [Int: OpenCall] = [:]
    var callCount = 0
    /// By the devices' paths.
    var connecting: [String: ConnectAttempt] = [:]
    /// The devices whose services are about to be shown, by their paths, each with the number of the attempt.
    private var resolving: [String: Int] = [:]
    private var resolveCount = 0
    lazy var discovery = Discovery(of: self)
    private lazy var agent = Agent(of: self)

    /// - Parameters:
    ///   - shared: the loop to run on; its owner starts it, and stops it after the central. Nil if the central has its own.
    ///   - adapter: such as `hci0`, or its address; nil for any.
    ///   - rfkill: the folder in which the kernel shows which radios are blocked.
    ///   - mayPair: whether a device that asks for it may be paired; called on `loop`.
    ///   - events: called on `loop`.
    public init(
        on shared: EventLoop? = nil, bus: Bus, adapter: String? = nil, limits: Limits = Limits(),
        rfkill: String = "/sys/class/rfkill",
        mayPair: @escaping @Sendable (Device) -> Bool = { _ in false }, events: @escaping @Sendable (Event) -> Void
    ) {
        (loop, isLoopShared) = (shared ?? EventLoop(name: "dbus"), shared != nil)
        self.bus = bus
        adapterName = adapter
        self.limits = limits
        self.rfkill = RFKill(folder: rfkill)
        self.mayPair = mayPair
        self.events = events
        connection = Connection(on: loop)
    }

    public func start() {
        connection.onSignal = { [weak self] in self?.receive($0) }
        connection.onCall = { [weak self] in self?.agent.receive($0) }
        connection.onDisconnected = { [weak self] in
            self?.change(owner: "", .waitingForBus("the connection ended"))
            self?.comingBack.later()
        }
        loop.perform { [self] in connect() }
        if !isLoopShared { loop.start() }
    }

    /// Ends the connection; BlueZ then ends this program's notifications, and drops links that nobody else uses. Not from the
    /// loop.
    public func stop() {
        loop.sync { [self] in
            for subscription in subscribers.values { subscription.forget() }
            subscribers = [:]
            run += 1
            comingBack.cancel()
            unblocking.cancel()
            connection.close()
        }
        if !isLoopShared { loop.stop() }
    }

    // MARK: What there is

    public var adapters: [Adapter] { objects.adapters.values.sorted { $0.path < $1.path } }

    /// The controller in use.
    public var adapter: Adapter? { adapterPath.flatMap { objects.adapters[$0] } }

    /// The devices that BlueZ knows through that controller.
    public var devices: [Device] {
        objects.devices.values.filter { $0.adapterPath == adapterPath }.sorted { $0.path < $1.path }
    }

    /// A device of any adapter.
    func device(at path: String) -> Device? { objects.devices[path] }

    public func characteristics(of device: Device) -> [Characteristic] { objects.characteristics(of: device) }

    // MARK: The bus and bluetoothd, coming and going

    private func connect() {
        do throws(DBusError) {
            switch bus {
            case .system: try connection.open(.system)
            case .address(let text): try connection.open(.address(text))
            }
        } catch {
            return comeBack(because: error)
        }
        // The bus answers in order: when GetNameOwner is answered, both rules are in force.
        let rules = [
            "type='signal',sender='org.bluez'",
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'",
        ]
        for rule in rules {
            connection.match(rule) { [weak self] in if case .failure(let error) = $0 { self?.hangUp(because: error) } }
        }
        connection.callBus("GetNameOwner", [.string("org.bluez")]) { [weak self] result in
            guard let self, connection.isOpen else { return }
            switch result {
            case .success(let reply):
                comingBack.reset()
                let name = reply.arguments.first?.asString ?? ""
                if name != owner { change(owner: name, state) }
            case .failure(let error) where error.name == "org.freedesktop.DBus.Error.NameHasNoOwner":
                comingBack.reset()
                if owner.isEmpty { change(to: .waitingForBlueZ) }
            case .failure(let error): hangUp(because: error)
            }
        }
    }

    /// Gives up a connection that would never hear of BlueZ, to begin again with another.
    private func hangUp(because error: DBusError) {
        guard connection.isOpen else { return }  // It was closed, and the calls that were under way fail with it.
        connection.close()
        comeBack(because: error)
    }

    private func comeBack(because error: DBusError) {
        change(owner: "", Self.waiting(because: error))
        comingBack.later()
    }

    private static func waiting(because error: DBusError) -> State {
        error.name == DBusError.Name.accessDenied ? .notPermitted(error.message) : .waitingForBus("\(error)")
    }

    /// bluetoothd has gone, come, or gone and come: what the earlier one had is forgotten.
    private func change(owner newOwner: String, _ newState: State) {
        loseBlueZ(newState)
        owner = newOwner
        askPauses.reset()
        if !owner.isEmpty { findBlueZ() }
    }

    private func findBlueZ() {
        let manager = "org.freedesktop.DBus.ObjectManager"
        call("ask what BlueZ has", "/", manager, "GetManagedObjects") { [weak self, run] result in
            guard let self, run == self.run else { return }
            switch result {
            case .success(let reply):
                askPauses.reset()
                isBlueZThere = true
                for (path, interfaces) in reply.arguments.first?.asDictionary ?? [:] {
                    _ = objects.add(path, Self.interfaces(interfaces))
                }
                for path in objects.devices.keys { objects.confirmResolved(path) }
                agent.begin()
                settle()
            case .failure(let error):
                change(to: Self.waiting(because: DBusError(name: error.name, message: error.message)))
                // bluetoothd may be starting, or the bus may get another policy: ask again.
                loop.after(askPauses.next()) { [weak self] in
                    if let self, run == self.run { findBlueZ() }
                }
            }
        }
    }

    private func loseBlueZ(_ newState: State) {
        run += 1
        isBlueZThere = false
        objects = Objects()
        resolving = [:]
        adapterPath = nil
        isOffByUs = false
        unblocking.cancel()
        for subscription in subscribers.values { subscription.forget() }
        subscribers = [:]
        discovery.forget()
        agent.forget()
        change(to: newState)
        giveUpConnecting()
    }

    // MARK: The adapter, coming and going

    /// Looks at the adapters again.
    func settle() {
        guard isBlueZThere else { return }
        let next = adapterToUse
        let isOther = next?.path != adapterPath
        if isOther {
            for device in devices { events(.deviceRemoved(device)) }
            adapterPath = next?.path
            isOffByUs = false
        }
        change(to: adapterState)
        if isOther { for device in devices { events(.device(device)) } }
        discovery.settle()
    }

    private var adapterToUse: Adapter? {
        let candidates = adapters.filter { adapter in
            guard let adapterName else { return true }
            return adapter.name == adapterName || adapter.address.lowercased() == adapterName.lowercased()
        }
        let current = candidates.first { $0.path == adapterPath }
        if let current, current.isPowered || isOffByUs { return current }
        return candidates.first { $0.isPowered } ?? current ?? candidates.first
    }

    /// rfkill is checked only if the adapter is off or absent, and then again from time to time: the kernel reports
    /// changes only to readers of a device of its own.
    private var adapterState: State {
        unblocking.cancel()
        if let adapter, adapter.isPowered {
            unblocking.reset()
            return .ready
        }
        // rfkill knows adapters by name, not by address.
        if let block = rfkill.block(of: adapter?.name ?? adapterName.flatMap { $0.contains(":") ? nil : $0 }) {
            unblocking.later()
            return .adapterBlocked(name: block.name, isHard: block.isHard)
        }
        unblocking.reset()
        return adapter.map { .adapterOff($0.name) } ?? .waitingForAdapter
    }

    private func change(to newState: State) {
        guard newState != state else { return }
        state = newState
        events(.state(newState))
    }

    // MARK: Signals

    private func receive(_ message: Message) {
        // Match rules are for broadcasts. Anybody on the bus may also send a signal to this connection alone.
        guard message.isFrom(owner) else {
            if message.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), message.isFrom("org.freedesktop.DBus") {
                change(owner: message.arguments.last?.asString ?? "", .waitingForBlueZ)
            }
            return
        }
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
            let changed = reader.value()?.asDictionary ?? [:]
            reader.next()
            let invalidated = reader.value()?.asStrings ?? []
            return tell(objects.update(message.path, interface, changed, invalidated: invalidated))
        }
        guard let subscription = subscriber(of: message) else { return }
        reader.next()
        guard var entry = reader.inside() else { return }
        repeat {
            guard var value = entry.inside(), value.isString("Value") else { continue }
            value.next()
            if let bytes = value.inside()?.bytes() { subscription.deliver(bytes) }
        } while entry.next()
    }

    /// Whose value it is. Often it is from the same sensor as the one before.
    private func subscriber(of message: Message) -> Subscription? {
        if let lastHeard, lastHeard.isActive, message.isAt(lastHeard.characteristic.path) { return lastHeard }
        lastHeard = subscribers[message.path]
        return lastHeard
    }

    /// Properties of a device that came in an answer of BlueZ's, rather than in a signal.
    func deviceChanged(_ path: String, _ properties: [String: Value]) {
        tell(objects.update(path, Objects.deviceInterface, properties))
    }

    private func tell(_ change: Objects.Change?) {
        switch change {
        case .adapter: settle()
        case .device(let path):
            guard let device = objects.devices[path] else { break }
            if !device.saysResolved { resolving[path] = nil } else if !device.isResolved { awaitServices(of: device) }
            if device.adapterPath == adapterPath { events(.device(device)) }
            if device.isConnected { linkSeen(path) }
        case .deviceRemoved(let device):
            if device.adapterPath == adapterPath { events(.deviceRemoved(device)) }
            resolving[device.path] = nil
            giveUpConnecting(device.path)
            failCalls(about: device)
        case nil: break
        }
    }

    /// bluetoothd signals the changes of one object after those of another: ServicesResolved may come before the
    /// services and characteristics. But it sends all pending signals before it answers any call.
    private func awaitServices(of device: Device) {
        let path = device.path
        guard resolving[path] == nil else { return }
        resolveCount += 1
        let number = resolveCount
        resolving[path] = number
        call(
            "ask for the services of \(device.address)", path, "org.freedesktop.DBus.Properties", "Get",
            [.string(Objects.deviceInterface), .string("ServicesResolved")]
        ) { [weak self] _ in
            guard let self, resolving[path] == number else { return }  // It has changed in the meantime.
            resolving[path] = nil
            objects.confirmResolved(path)
            if let device = objects.devices[path], device.adapterPath == adapterPath { events(.device(device)) }
        }
    }

    private static func interfaces(_ value: Value) -> [String: [String: Value]] {
        value.asDictionary?.mapValues { $0.asDictionary ?? [:] } ?? [:]
    }
}
