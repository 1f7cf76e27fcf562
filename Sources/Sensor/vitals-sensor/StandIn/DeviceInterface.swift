import DBus
import Telemetry

/// org.bluez.Device1, as a table.
extension Device {
    var interface: Interface { Interface(name: BlueZInterface.device, properties: properties, methods: methods) }

    private var methods: [Method] {
        [
            Method("Disconnect") { [unowned self] in disconnect($0) },
            Method("Connect") { [unowned self] in connect($0) },
            // No profile needs anything of a heart-rate sensor except a link.
            Method("ConnectProfile", takes: ["UUID": "s"]) { [unowned self] in connect($0) },
            Method("DisconnectProfile", takes: ["UUID": "s"]) { $0.refuse(BlueZError.notSupported) },
            Method("Pair") { [unowned self] in pair($0) },
            Method("CancelPairing") { [unowned self] in cancelPairing($0) },
        ]
    }

    private var properties: [Property] {
        [
            Property("Address", "s", get: { [unowned self] in .string(address) }),
            Property("AddressType", "s", get: { [unowned self] in .string(addressType) }),
            Property("Name", .string(peripheral.name)),
            Property(
                "Alias", "s", get: { [unowned self] in .string(alias ?? peripheral.name) },
                set: { [unowned self] value in
                    alias = value.asString.flatMap { $0.isEmpty ? nil : $0 }
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
            Property("UUIDs", "as", get: { [unowned self] in .strings(uuids) }),
            Property("Adapter", .path(adapter.path)),
            Property("ServicesResolved", "b", get: { [unowned self] in .bool(isResolved) }),
        ]
    }

    /// As advertised until the services are known. Generic Access and Generic Attribute are on every device; the rest
    /// is in the order of the UUIDs, as BlueZ has it.
    private var uuids: [String] {
        guard areServicesKnown else { return peripheral.profile.advertised }
        return ([GATT.uuid(0x1800), GATT.uuid(0x1801)] + peripheral.profile.services.map(\.uuid)).sorted()
    }

    /// Public, unless its two top bits say that it is random: static (11) or private and resolvable (01).
    private var addressType: String {
        let top = UInt8(address.prefix(2), radix: 16) ?? 0
        return top >> 6 == 0b11 || address != peripheral.address ? "random" : "public"
    }
}

/// The battery, which BlueZ shows on the device itself while there is a link.
enum Battery {
    static func interface(of peripheral: Peripheral) -> Interface {
        Interface(
            name: BlueZInterface.battery,
            properties: [Property("Percentage", "y", get: { [unowned peripheral] in .byte(peripheral.battery) })])
    }
}
