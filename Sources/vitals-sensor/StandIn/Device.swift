// A device as BlueZ shows it: found, connected, resolved.
//
//     absent ──heard──► present ──Connect──► connected ──► resolved
//                          ▲   (waits while     │             │
//                          │    out of reach)   │             │
//                          └──────── link lost, Disconnect ───┘
//
// Attributes stay when a link ends, and so do the clients that listen: after the next connection values flow again
// without another StartNotify.

import DBus
import Reactor
import Telemetry

/// An emulated sensor, seen from the adapter.
final class Device {
    static let interfaceName = "org.bluez.Device1"

    let peripheral: Peripheral
    let path: String
    unowned let adapter: Adapter

    private(set) var isPresent = false
    private(set) var isConnected = false
    private(set) var isResolved = false
    private var isTemporary = true
    private var areServicesKnown = false
    private var alias: String
    private var isPaired = false
    private var isTrusted = false
    private var isBlocked = false
    private var rssi: Int16?
    private var beacons = 0
    private var characteristics: [RemoteCharacteristic] = []
    private var paths: [String] = []
    /// The Connect that waits for the device.
    private var connecting: Call?
    private var connectTimer: EventLoop.Timer?
    private var stepTimer: EventLoop.Timer?
    private var reachTimer: EventLoop.Timer?

    /// Whether links come about, and are ended at once.
    var isRefusing = false
    /// Whether the device is near enough to be heard.
    private(set) var isReachable = true
    /// Whether it has gone for good: it advertises no more.
    private(set) var hasVanished = false

    init(_ peripheral: Peripheral, on adapter: Adapter) {
        self.peripheral = peripheral
        self.adapter = adapter
        alias = peripheral.name
        path = adapter.path + "/dev_" + peripheral.address.split(separator: ":").joined(separator: "_")
        peripheral.onValue = { [unowned self] uuid, value in carry(value, of: uuid) }
        peripheral.onBattery = { [unowned self] in
            if isConnected { objects.changed(["Percentage"], of: Battery.interfaceName, at: path) }
        }
    }

    var objects: ObjectServer { adapter.objects }
    private var loop: EventLoop { adapter.standIn.loop }
    private var settings: StandInSettings { adapter.standIn.settings }

    /// Whether it can be heard: a device with a link does not advertise.
    var isAdvertising: Bool { isReachable && !hasVanished && !isConnected }

    // MARK: Presence

    func appear(rssi: Int16?, isTemporary: Bool) {
        self.rssi = rssi
        self.isTemporary = isTemporary
        isPresent = true
        objects.add([interface], at: path)
    }

    /// An advertisement was heard; nil when nobody listens any more.
    func heard(rssi: Int16?) {
        guard isPresent, rssi != self.rssi else { return }
        self.rssi = rssi
        changed("RSSI")
    }

    /// Not quite the same each time, as in a real room.
    func nextRSSI() -> Int16 {
        beacons += 1
        return [-50, -53, -48, -56][beacons % 4]
    }

    func forgetIfTemporary() { if isPresent, isTemporary, !isConnected { remove() } }

    /// Takes the device and its attributes off the bus.
    func remove() {
        guard isPresent else { return }
        if isConnected { endLink(.removed) }
        failConnect()
        for path in paths { objects.remove(path) }
        (paths, characteristics, areServicesKnown) = ([], [], false)
        (isPaired, isTrusted, isPresent) = (false, false, false)
        objects.remove(path)
    }

    func forget(client: String) { for characteristic in characteristics { characteristic.forget(client: client) } }

    // MARK: What is commanded

    /// The link is lost, and the device out of reach for a while.
    func drop(for pause: Duration) {
        reachTimer?.cancel()
        isReachable = pause == .zero
        loseLink()
        guard !isReachable else { return }
        reachTimer = loop.after(pause) { [unowned self] in
            isReachable = true
            reachabilityChanged()
        }
    }

    /// It advertises no more, and BlueZ forgets it.
    func vanish() {
        hasVanished = true
        remove()
    }

    /// It advertises again, and a known device is back on the bus.
    func reappear() {
        hasVanished = false
        if settings.isKnown, !isPresent { appear(rssi: nil, isTemporary: false) }
    }

    /// It ends its link and advertises no more, but stays known.
    func fallAsleep() {
        hasVanished = true
        loseLink()
    }

    // MARK: The link

    private func connect(_ call: Call) {
        guard adapter.isPowered else { return call.refuse(BlueZError.failed("Input/output error")) }
        guard !isConnected else { return call.reply() }
        guard connecting == nil else { return call.refuse(BlueZError.inProgress) }
        isTemporary = false
        connecting = call
        connectTimer = loop.after(settings.connectTimeout) { [unowned self] in failConnect() }
        reachabilityChanged()
    }

    /// A Connect that waits goes on once the device can be heard.
    func reachabilityChanged() {
        guard connecting != nil, adapter.isPowered, isAdvertising else { return }
        stepTimer?.cancel()
        stepTimer = loop.after(settings.radioDelay) { [unowned self] in
            // Meanwhile it may have gone again.
            if connecting != nil, adapter.isPowered, isAdvertising { beginLink() }
        }
    }

    private func beginLink() {
        isConnected = true
        changed("Connected")
        if isRefusing {
            stepTimer = loop.after(settings.radioDelay) { [unowned self] in
                endLink()
                stepTimer = loop.after(settings.refusalDelay) { [unowned self] in failConnect() }
            }
            return
        }
        let call = connecting
        connecting = nil
        connectTimer?.cancel()
        call?.reply()
        stepTimer = loop.after(settings.radioDelay) { [unowned self] in resolve() }
    }

    /// The services are known from now on. The first time their objects appear before `ServicesResolved`; later values
    /// may flow before it.
    private func resolve() {
        isResolved = true
        if areServicesKnown {
            objects.add([battery], at: path)
            for characteristic in characteristics { characteristic.linkBegan() }
            return changed("ServicesResolved")
        }
        areServicesKnown = true
        addAttributes()
        changed("UUIDs", "ServicesResolved")
        objects.add([battery], at: path)
    }

    private func addAttributes() {
        let table = AttributeTable(of: self)
        for (path, interface) in table.objects { objects.add([interface], at: path) }
        characteristics = table.characteristics
        paths = table.pathsInnermostFirst
    }

    /// The link ends, whoever ended it; a Connect that waits goes on waiting.
    func loseLink() { if isConnected { endLink() } }

    /// The radio was switched.
    func powerChanged() { if adapter.isPowered { reachabilityChanged() } else { failConnect() } }

    /// What ended a link; the order of the signals depends on it.
    private enum LinkEnd {
        case lost
        /// Disconnect was called: it is answered before `Connected` changes. (bleak 0.22 leaves the bus when it sees
        /// that signal, and would never see the answer.)
        case asked(Call)
        /// The device is being removed.
        case removed
    }

    private func endLink(_ end: LinkEnd = .lost) {
        stepTimer?.cancel()
        let wasResolved = isResolved
        (isConnected, isResolved) = (false, false)
        for characteristic in characteristics { characteristic.linkEnded() }
        for uuid in peripheral.listened { peripheral.stopListening(to: uuid) }
        switch end {
        case .lost where wasResolved:
            changed("ServicesResolved", "Connected")
            objects.remove(Battery.interfaceName, from: path)
        case .lost:
            changed("Connected")
        case .asked(let call):
            if wasResolved { changed("ServicesResolved") }
            call.reply()
            changed("Connected")
            objects.remove(Battery.interfaceName, from: path)
        case .removed:
            objects.remove(Battery.interfaceName, from: path)
            if wasResolved { changed("ServicesResolved") }
            changed("Connected")
        }
    }

    private func failConnect() {
        guard let call = connecting else { return }
        stepTimer?.cancel()
        connectTimer?.cancel()
        connecting = nil
        call.refuse(BlueZError.failed("le-connection-abort-by-local"))
    }

    private func disconnect(_ call: Call) {
        if !isConnected, connecting == nil { return call.refuse(BlueZError.notConnected) }
        failConnect()
        if isConnected { endLink(.asked(call)) } else { call.reply() }
    }

    private func carry(_ value: [UInt8], of uuid: String) {
        guard isResolved else { return }
        characteristics.first { $0.definition.uuid == uuid }?.arrived(value)
    }

    private func pair(_ call: Call) {
        guard !isPaired else { return call.refuse(BlueZError.alreadyExists) }
        guard isConnected || isAdvertising else {
            return call.refuse(BlueZError.error("ConnectionAttemptFailed", "Page Timeout"))
        }
        isTemporary = false
        isPaired = true
        changed("Bonded", "Paired")
        call.reply()
    }

    // MARK: org.bluez.Device1

    private func changed(_ names: String...) { objects.changed(names, of: Self.interfaceName, at: path) }

    private var battery: Interface { Battery.interface(of: peripheral) }

    private var interface: Interface {
        Interface(name: Self.interfaceName, properties: properties, methods: methods)
    }

    private var methods: [Method] {
        [
            Method("Disconnect") { [unowned self] in disconnect($0) },
            Method("Connect") { [unowned self] in connect($0) },
            // Neither profile nor pairing needs more of a heart-rate sensor than a link.
            Method("ConnectProfile", takes: ["UUID": "s"]) { [unowned self] in connect($0) },
            Method("DisconnectProfile", takes: ["UUID": "s"]) { $0.refuse(BlueZError.notSupported) },
            Method("Pair") { [unowned self] in pair($0) },
            Method("CancelPairing") { $0.refuse(BlueZError.doesNotExist) },
        ]
    }

    private var properties: [Property] {
        [
            Property("Address", .string(peripheral.address)),
            Property("AddressType", .string("random")),
            Property("Name", .string(peripheral.name)),
            Property(
                "Alias", "s", get: { [unowned self] in .string(alias) },
                set: { [unowned self] value in
                    alias = value.asString.flatMap { $0.isEmpty ? nil : $0 } ?? peripheral.name
                    changed("Alias")
                }),
            Property("Paired", "b", get: { [unowned self] in .bool(isPaired) }),
            Property("Bonded", "b", get: { [unowned self] in .bool(isPaired) }),
            Property(
                "Trusted", "b", get: { [unowned self] in .bool(isTrusted) },
                set: { [unowned self] value in
                    isTrusted = value.asBool == true
                    changed("Trusted")
                }),
            Property(
                "Blocked", "b", get: { [unowned self] in .bool(isBlocked) },
                set: { [unowned self] value in
                    isBlocked = value.asBool == true
                    changed("Blocked")
                }),
            Property("LegacyPairing", .bool(false)),
            Property("RSSI", "n", get: { [unowned self] in rssi.map { .int16($0) } }),
            Property("Connected", "b", get: { [unowned self] in .bool(isConnected) }),
            Property(
                "UUIDs", "as", get: { [unowned self] in .strings(areServicesKnown ? Self.uuids : Profile.advertised) }),
            Property("Adapter", .path(adapter.path)),
            Property("ServicesResolved", "b", get: { [unowned self] in .bool(isResolved) }),
        ]
    }

    /// Generic Access and Generic Attribute are on every device; the rest is in the order of the UUIDs, as BlueZ has it.
    private static let uuids = ([GATT.uuid(0x1800), GATT.uuid(0x1801)] + Profile.services.map(\.uuid)).sorted()
}

/// The battery, which BlueZ shows on the device itself while there is a link.
enum Battery {
    static let interfaceName = "org.bluez.Battery1"

    static func interface(of peripheral: Peripheral) -> Interface {
        Interface(
            name: interfaceName,
            properties: [Property("Percentage", "y", get: { [unowned peripheral] in .byte(peripheral.battery) })])
    }
}
