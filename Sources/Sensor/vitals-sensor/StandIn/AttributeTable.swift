import DBus
import Telemetry

/// The attributes of a device as objects: BlueZ numbers them by their handles, as the sensor's own table has them. It
/// keeps Generic Access (handles 1 to 5) to itself and shows the rest.
struct AttributeTable {
    /// In the order of their handles.
    private(set) var objects: [(path: String, interface: Interface)] = []
    private(set) var characteristics: [RemoteCharacteristic] = []
    /// The order in which BlueZ removes them: descriptors, their characteristic, and finally the service.
    private(set) var pathsInnermostFirst: [String] = []

    private let device: Device
    private var handle = 0x0006

    init(of device: Device) {
        self.device = device
        addGenericAttribute()
        for service in device.peripheral.profile.services { add(service) }
    }

    private mutating func add(_ service: Service) {
        let path = addService(service.uuid)
        for definition in service.characteristics {
            let characteristic = RemoteCharacteristic(
                definition, of: device, at: "\(path)/char\(hexadecimal(handle))", service: path)
            characteristics.append(characteristic)
            objects.append((characteristic.path, characteristic.interface))
            let hasDescriptor = definition.isSubscribable
            if hasDescriptor { addDescriptor(of: characteristic.path) }
            pathsInnermostFirst.append(characteristic.path)
            handle += hasDescriptor ? 3 : 2
        }
        pathsInnermostFirst.append(path)
    }

    /// Generic Attribute, as every sensor has it. Its values do not matter, as nobody asks for them.
    private mutating func addGenericAttribute() {
        let path = addService(GATT.uuid(0x1801))
        let characteristics: [(UInt16, [String], [UInt8])] = [
            (0x2A05, ["indicate"], []), (0x2B29, ["read", "write"], [0]),
            (0x2B2A, ["read"], [0x56, 0x69, 0x74, 0x61, 0x6C, 0x73] + [UInt8](repeating: 0, count: 10)),
        ]
        for (uuid, flags, value) in characteristics {
            let own = "\(path)/char\(hexadecimal(handle))"
            var properties = [
                Property("UUID", .string(GATT.uuid(uuid))), Property("Service", .path(path)),
                Property("Value", .bytes(value)), Property("Flags", .strings(flags)), Property("MTU", .uint16(517)),
            ]
            let hasDescriptor = flags == ["indicate"]
            if hasDescriptor { properties.insert(Property("Notifying", .bool(false)), at: 3) }
            let methods = [
                Method("ReadValue", takes: ["options": "a{sv}"], gives: ["value": "ay"]) { call in
                    if flags.contains("read") { return call.reply([.bytes(value)]) }
                    call.refuse(BlueZError.att(.readNotPermitted))
                }
            ]
            let name = BlueZInterface.characteristic
            objects.append((own, Interface(name: name, properties: properties, methods: methods)))
            if hasDescriptor { addDescriptor(of: own) }
            pathsInnermostFirst.append(own)
            handle += hasDescriptor ? 3 : 2
        }
        pathsInnermostFirst.append(path)
    }

    private mutating func addService(_ uuid: String) -> String {
        let path = "\(device.path)/service\(hexadecimal(handle))"
        let properties = [
            Property("UUID", .string(uuid)), Property("Device", .path(device.path)), Property("Primary", .bool(true)),
            Property("Includes", .paths([])),
        ]
        objects.append((path, Interface(name: "org.bluez.GattService1", properties: properties)))
        handle += 1
        return path
    }

    /// Client Characteristic Configuration. BlueZ writes it itself, in StartNotify.
    private mutating func addDescriptor(of characteristic: String) {
        let path = "\(characteristic)/desc\(hexadecimal(handle + 2))"
        let properties = [
            Property("UUID", .string(GATT.clientCharacteristicConfiguration)),
            Property("Characteristic", .path(characteristic)), Property("Value", .bytes([])),
        ]
        let methods = [
            Method("ReadValue", takes: ["options": "a{sv}"], gives: ["value": "ay"]) { $0.reply([.bytes([0, 0])]) },
            Method("WriteValue", takes: ["value": "ay", "options": "a{sv}"]) {
                $0.refuse(BlueZError.notPermitted("Write not permitted"))
            },
        ]
        objects.append((path, Interface(name: "org.bluez.GattDescriptor1", properties: properties, methods: methods)))
        pathsInnermostFirst.append(path)
    }

    private func hexadecimal(_ handle: Int) -> String {
        let digits = String(handle, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
