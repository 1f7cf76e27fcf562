/// What BlueZ calls the interfaces of its objects.
enum BlueZInterface {
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let battery = "org.bluez.Battery1"
    static let characteristic = "org.bluez.GattCharacteristic1"
}
