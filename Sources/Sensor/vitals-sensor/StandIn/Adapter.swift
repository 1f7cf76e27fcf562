import DBus
import Reactor
import Telemetry

/// The adapter hci0: power, discovery, and the devices it knows.
final class Adapter {
    let path = "/org/bluez/hci0"

    unowned let standIn: StandIn
    private(set) var devices: [Device] = []
    /// Whether it is on the bus.
    private(set) var isPlugged = false
    /// Whether somebody has pulled it out.
    var isPulled = false
    private(set) var isPowered = true
    private var alias: String
    private var isDiscoverable = false
    private var discoverableTimeout: UInt32 = 180
    private var isPairable = false
    private var pairableTimeout: UInt32 = 0
    /// The clients that discover, and the filter of each; a filter may be set before its discovery starts.
    private var discoverers: Set<String> = []
    private var filters: [String: DiscoveryFilter] = [:]
    private var advertising: EventLoop.Timer?

    private static let name = "BlueZ 5.66"

    init(of standIn: StandIn) {
        self.standIn = standIn
        alias = Self.name
    }

    var objects: ObjectServer { standIn.objects }
    var isDiscovering: Bool { isPowered && !discoverers.isEmpty }

    /// The path of a device by its address.
    func path(of address: String) -> String {
        path + "/dev_" + address.split(separator: ":").joined(separator: "_")
    }

    func appear(isPowered: Bool) {
        self.isPowered = isPowered
        isPlugged = true
        objects.add([interface], at: path)
        for device in devices { device.comeBack() }
    }

    /// The adapter's own object goes.
    func leave() {
        isPlugged = false
        objects.remove(path)
    }

    /// BlueZ has died; nobody is told.
    func orphan() {
        (discoverers, filters) = ([], [:])
        advertising?.cancel()
        isPlugged = false
        for device in devices { device.orphan() }
    }

    func add(_ device: Device) { devices.append(device) }

    /// The sensor that a device was has another address on the air from now on: to anybody without a bond with it that
    /// is a different device, and the one that they know is never heard again.
    func renewAddress(of device: Device) -> Device {
        guard device.peripheral.isPrivate else { return device }
        device.peripheral.renewAddress()
        guard !device.isPaired else { return device }
        device.isGhost = true
        devices.removeAll { $0.isGhost && !$0.isPresent }
        add(Device(device.peripheral, on: self))
        return devices[devices.count - 1]
    }

    /// Ends what a client had asked for.
    func forget(client: String) {
        filters[client] = nil
        if discoverers.contains(client) { stopDiscovery(client) }
        for device in devices { device.forget(client: client) }
    }

    func setPairable(_ isPairable: Bool) {
        guard isPairable != self.isPairable else { return }
        self.isPairable = isPairable
        changed("Pairable")
    }

    /// Switches the radio. Links end before the adapter says that it is off, and so does discovery, for good.
    func setPowered(_ isPowered: Bool) {
        guard isPlugged, isPowered != self.isPowered else { return }
        if isPowered {
            self.isPowered = true
            changed("Powered")
            for device in devices { device.powerChanged() }
        } else {
            for device in devices { device.loseLink() }
            switchOff()
        }
    }

    /// The adapter says that it is off.
    func switchOff() {
        let wasDiscovering = isDiscovering
        isPowered = false
        discoverers = []
        endDiscovery()
        changed(wasDiscovering ? ["Powered", "Discovering"] : ["Powered"])
        for device in devices { device.powerChanged() }
    }

    // MARK: Discovery

    private func startDiscovery(_ call: Call) {
        guard isPowered else { return call.refuse(BlueZError.notReady) }
        guard !discoverers.contains(call.sender) else { return call.refuse(BlueZError.busy) }
        let isFirst = discoverers.isEmpty
        discoverers.insert(call.sender)
        call.reply()
        if isFirst { changed("Discovering") }
        listen(after: standIn.settings.radioDelay)
    }

    private func stopDiscovery(_ call: Call) {
        guard isPowered else { return call.refuse(BlueZError.notReady) }
        guard discoverers.contains(call.sender) else { return call.refuse(BlueZError.failed("No discovery started")) }
        filters[call.sender] = nil
        stopDiscovery(call.sender)
        call.reply()
    }

    private func stopDiscovery(_ client: String) {
        discoverers.remove(client)
        guard discoverers.isEmpty else { return }
        endDiscovery()
        changed("Discovering")
    }

    private func endDiscovery() {
        advertising?.cancel()
        for device in devices { device.heard(rssi: nil) }
    }

    /// Hears the advertisements once a second, and so for the first time soon after discovery began.
    private func listen(after delay: Duration) {
        advertising?.cancel()
        advertising = standIn.loop.after(delay) { [unowned self] in
            for device in devices { hear(device) }
            listen(after: .seconds(1))
        }
    }

    private func hear(_ device: Device) {
        guard device.isAdvertising else { return }
        let rssi = device.nextRSSI()
        let isWanted = discoverers.contains { client in
            filters[client]?.admits(device.peripheral, rssi: rssi) ?? true
        }
        guard isWanted else { return }
        if device.isPresent { device.heard(rssi: rssi) } else { device.appear(rssi: rssi) }
    }

    private func removeDevice(_ call: Call) {
        let path = call.arguments[0].asString
        guard let device = devices.first(where: { $0.path == path && $0.isPresent }) else {
            return call.refuse(BlueZError.doesNotExist)
        }
        device.remove(call)
    }

    // MARK: org.bluez.Adapter1

    private func changed(_ names: String...) { changed(names) }

    private func changed(_ names: [String]) { objects.changed(names, of: BlueZInterface.adapter, at: path) }

    private var interface: Interface {
        Interface(name: BlueZInterface.adapter, properties: properties, methods: methods)
    }

    private var methods: [Method] {
        [
            Method("StartDiscovery") { [unowned self] in startDiscovery($0) },
            Method("SetDiscoveryFilter", takes: ["properties": "a{sv}"]) { [unowned self] call in
                guard let filter = DiscoveryFilter(call.arguments[0].asDictionary ?? [:]) else {
                    return call.refuse(BlueZError.invalidArguments)
                }
                filters[call.sender] = filter
                call.reply()
            },
            Method("StopDiscovery") { [unowned self] in stopDiscovery($0) },
            Method("RemoveDevice", takes: ["device": "o"]) { [unowned self] in removeDevice($0) },
            Method("GetDiscoveryFilters", gives: ["filters": "as"]) { call in
                call.reply([.strings(DiscoveryFilter.names)])
            },
        ]
    }

    private var properties: [Property] {
        [
            Property("Address", .string(standIn.settings.adapterAddress)),
            Property("AddressType", .string("public")),
            Property("Name", .string(Self.name)),
            Property(
                "Alias", "s", get: { [unowned self] in .string(alias) },
                set: { [unowned self] value in
                    // BlueZ goes back to its name if the alias is emptied.
                    alias = value.asString.flatMap { $0.isEmpty ? nil : $0 } ?? Self.name
                    changed("Alias")
                }),
            Property("Class", .uint32(0)),
            Property(
                "Powered", "b", get: { [unowned self] in .bool(isPowered) },
                set: { [unowned self] value in
                    setPowered(value.asBool == true)
                }),
            Property(
                "Discoverable", "b", get: { [unowned self] in .bool(isDiscoverable) },
                set: { [unowned self] value in
                    isDiscoverable = value.asBool == true
                    changed("Discoverable")
                }),
            Property(
                "DiscoverableTimeout", "u", get: { [unowned self] in .uint32(discoverableTimeout) },
                set: { [unowned self] value in
                    discoverableTimeout = UInt32(value.asInteger ?? 0)
                    changed("DiscoverableTimeout")
                }),
            Property(
                "Pairable", "b", get: { [unowned self] in .bool(isPairable) },
                set: { [unowned self] value in
                    setPairable(value.asBool == true)
                }),
            Property(
                "PairableTimeout", "u", get: { [unowned self] in .uint32(pairableTimeout) },
                set: { [unowned self] value in
                    pairableTimeout = UInt32(value.asInteger ?? 0)
                    changed("PairableTimeout")
                }),
            Property("Discovering", "b", get: { [unowned self] in .bool(isDiscovering) }),
            Property("UUIDs", .strings([0x1801, 0x1800, 0x180A].map { GATT.uuid($0) })),
            Property("Modalias", .string("usb:v1D6Bp0246d0542")),
            Property("Roles", .strings(["central", "peripheral"])),
        ]
    }
}

/// What one client wants to discover; what it does not name admits everything.
struct DiscoveryFilter {
    static let names = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]

    private var uuids: [String] = []
    private var weakest: Int64?
    private var transport = "auto"
    private var pattern = ""

    /// Nil if a filter is unknown or its value is of another type.
    init?(_ properties: [String: Value]) {
        for (name, value) in properties {
            guard Self.names.contains(name) else { return nil }
            switch name {
            case "UUIDs":
                guard let texts = value.asStrings else { return nil }
                for text in texts {
                    guard let uuid = GATT.uuid(text) else { return nil }
                    uuids.append(uuid)
                }
            case "RSSI":
                guard let threshold = value.asInteger else { return nil }
                weakest = threshold
            case "Transport":
                guard let text = value.asString, ["auto", "bredr", "le"].contains(text) else { return nil }
                transport = text
            case "Pattern":
                guard let text = value.asString else { return nil }
                pattern = text
            default: break
            }
        }
    }

    func admits(_ peripheral: Peripheral, rssi: Int16) -> Bool {
        guard transport != "bredr", rssi >= weakest ?? Int64(Int16.min) else { return false }
        guard peripheral.name.hasPrefix(pattern) || peripheral.airAddress.hasPrefix(pattern) else { return false }
        return uuids.isEmpty || uuids.contains(where: peripheral.profile.advertised.contains)
    }
}
