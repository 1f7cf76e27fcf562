import Bluetooth
import Telemetry

extension SensorRegister {
    /// A device as it is shown to people. Services that every device has are left out.
    func payload(of device: Device) -> DevicePayload {
        DevicePayload(
            address: device.address, name: device.name.isEmpty ? nil : device.name, rssi: device.rssi,
            services: device.services.filter { !Self.everybodys.contains($0) }.map(GATT.serviceName),
            battery: device.battery,
            connected: device.isConnected, bonded: device.isBonded, sensor: owner(of: device)?.settings.id)
    }

    /// Generic Access and Generic Attribute.
    private static let everybodys: Set<String> = [GATT.uuid(0x1800), GATT.uuid(0x1801)]
}
