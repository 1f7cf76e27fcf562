// What BlueZ has, as it reports it: every object under org.bluez with the properties that we use.
//
// Source: BlueZ's doc/org.bluez.Adapter.rst, org.bluez.Device.rst and org.bluez.GattCharacteristic.rst.

internal import DBus

/// A Bluetooth controller, such as `/org/bluez/hci0`.
public struct Adapter: Equatable, Sendable {
    public let path: String
    public internal(set) var address = ""
    public internal(set) var isPowered = false
    public internal(set) var isDiscovering = false

    /// Such as `hci0`.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// A remote device that BlueZ knows: seen in a scan a short while ago, connected, or remembered.
public struct Device: Equatable, Sendable {
    /// What kind of address a device uses. Core Specification, Vol 6, Part B, 1.3.
    public enum AddressType: String, Sendable {
        /// Given by the maker, from the IEEE's numbers.
        case `public`
        /// Made up by the device; `Device.hasStableAddress` says whether for good.
        case random
    }

    public let path: String
    /// Such as `C0:FF:EE:00:00:01`. For a bonded device this is its identity, whatever address it advertises with.
    public internal(set) var address = ""
    public internal(set) var addressType = AddressType.public
    /// The name that the device itself gives; empty if it gives none.
    public internal(set) var name = ""
    /// What somebody on this machine called it; BlueZ makes one up from name or address if nobody did.
    public internal(set) var alias = ""
    public internal(set) var isConnected = false
    /// The services are known; characteristics can be used.
    public internal(set) var isResolved = false
    /// BlueZ says that they are. It says so before it has shown the last of them.
    var saysResolved = false
    /// There are keys for this or a later connection.
    public internal(set) var isPaired = false
    /// The keys are kept, here and (as far as BlueZ knows) by the device.
    public internal(set) var isBonded = false
    /// dBm, while it is being discovered; nil when the discovery has ended.
    public internal(set) var rssi: Int?
    /// Services, as lower-case 128-bit UUIDs.
    public internal(set) var services: [String] = []
    /// Percent, if BlueZ keeps it: while the device is connected.
    public internal(set) var battery: Int?

    /// The address will be the same tomorrow: it is public, static random (its two top bits are set; Core
    /// Specification, Vol 6, Part B, 1.3.2.1), or that of a bonded device, which BlueZ resolves to the identity.
    public var hasStableAddress: Bool {
        if addressType == .public || isBonded { return true }
        guard let top = address.first?.hexDigitValue else { return false }
        return top >= 0xC
    }

    /// The path of the adapter it belongs to.
    var adapterPath: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }
}

/// A characteristic of a connected device.
public struct Characteristic: Equatable, Sendable {
    public let path: String
    /// Lower-case 128-bit UUID.
    public let uuid: String
    /// As BlueZ names them: `read`, `notify`, `indicate`, `write`, …
    public let flags: Set<String>

    public var canRead: Bool { flags.contains("read") }
    public var canNotify: Bool { flags.contains("notify") || flags.contains("indicate") }
}

/// The objects of one run of bluetoothd.
struct Objects {
    static let adapterInterface = "org.bluez.Adapter1"
    static let deviceInterface = "org.bluez.Device1"
    static let batteryInterface = "org.bluez.Battery1"
    static let characteristicInterface = "org.bluez.GattCharacteristic1"

    private(set) var adapters: [String: Adapter] = [:]
    private(set) var devices: [String: Device] = [:]
    private(set) var characteristics: [String: Characteristic] = [:]

    /// What kind of object a change was about.
    enum Change: Equatable {
        case adapter(String)
        case device(String)
        case deviceRemoved(Device)
    }

    /// Interfaces that appeared at a path, with all their properties.
    mutating func add(_ path: String, _ interfaces: [String: [String: Value]]) -> Change? {
        var change: Change?
        // Device1 before Battery1, which is on the same path and means nothing without the device.
        for (interface, properties) in interfaces.sorted(by: { $0.key > $1.key }) {
            if interface == Self.characteristicInterface {
                let uuid = properties["UUID"]?.asString?.lowercased() ?? ""
                let flags = Set(properties["Flags"]?.asStrings ?? [])
                characteristics[path] = Characteristic(path: path, uuid: uuid, flags: flags)
            } else {
                change = update(path, interface, properties, isNew: true) ?? change
            }
        }
        return change
    }

    /// Interfaces that went from a path. A device is gone with its Device1: Battery1 alone goes at each disconnection.
    mutating func remove(_ path: String, _ interfaces: [String]) -> Change? {
        var change: Change?
        for interface in interfaces {
            switch interface {
            case Self.adapterInterface:
                adapters[path] = nil
                change = .adapter(path)
            case Self.deviceInterface:
                change = devices.removeValue(forKey: path).map(Change.deviceRemoved) ?? change
                characteristics = characteristics.filter { !$0.key.hasPrefix(path + "/") }
            case Self.characteristicInterface:
                characteristics[path] = nil
            case Self.batteryInterface:
                guard devices[path] != nil else { break }
                devices[path]?.battery = nil
                change = change ?? .device(path)
            default: break
            }
        }
        return change
    }

    /// Properties that changed, and the names of those that no longer have a value. An object that was never announced
    /// is not one of ours.
    mutating func update(
        _ path: String, _ interface: String, _ properties: [String: Value], invalidated: [String] = [],
        isNew: Bool = false
    ) -> Change? {
        switch interface {
        case Self.adapterInterface:
            guard var adapter = adapters[path] ?? (isNew ? Adapter(path: path) : nil) else { return nil }
            adapter.apply(properties)
            adapters[path] = adapter
            return .adapter(path)
        case Self.deviceInterface:
            guard var device = devices[path] ?? (isNew ? Device(path: path) : nil) else { return nil }
            device.apply(properties)
            if invalidated.contains("RSSI") { device.rssi = nil }
            devices[path] = device
            return .device(path)
        case Self.batteryInterface:
            guard devices[path] != nil else { return nil }
            if let percentage = properties["Percentage"]?.asInteger { devices[path]?.battery = Int(percentage) }
            if invalidated.contains("Percentage") { devices[path]?.battery = nil }
            return .device(path)
        default:
            return nil
        }
    }

    /// BlueZ has now shown everything that a device has.
    mutating func confirmResolved(_ path: String) {
        if let device = devices[path] { devices[path]?.isResolved = device.saysResolved }
    }

    /// A device's characteristics, in the order of their handles.
    func characteristics(of device: Device) -> [Characteristic] {
        characteristics.values.filter { $0.path.hasPrefix(device.path + "/") }.sorted { $0.path < $1.path }
    }
}

extension Adapter {
    fileprivate mutating func apply(_ properties: [String: Value]) {
        if let value = properties["Address"]?.asString { address = value }
        if let value = properties["Powered"]?.asBool { isPowered = value }
        if let value = properties["Discovering"]?.asBool { isDiscovering = value }
    }
}

extension Device {
    fileprivate mutating func apply(_ properties: [String: Value]) {
        if let value = properties["Address"]?.asString { address = value }
        if let value = properties["AddressType"]?.asString { addressType = AddressType(rawValue: value) ?? .random }
        if let value = properties["Name"]?.asString { name = value }
        if let value = properties["Alias"]?.asString { alias = value }
        if let value = properties["Connected"]?.asBool { isConnected = value }
        if let value = properties["ServicesResolved"]?.asBool {
            saysResolved = value
            if !value { isResolved = false }
        }
        if let value = properties["Paired"]?.asBool { isPaired = value }
        if let value = properties["Bonded"]?.asBool { isBonded = value }
        if let value = properties["RSSI"]?.asInteger { rssi = Int(value) }
        if let value = properties["UUIDs"]?.asStrings { services = value.map { $0.lowercased() } }
    }
}
