import DBus

/// Calls that go wrong on command: refused once with a given error, or never answered.
final class Faults {
    /// While true, no call of a characteristic is answered.
    var isHanging = false
    private var failures: [String: DBusError] = [:]

    /// The next call of the method gets this error.
    func fail(_ method: String, with error: DBusError) { failures[method] = error }

    /// Whether the call went wrong here, and must not be answered elsewhere.
    func take(_ message: Message, on connection: Connection) -> Bool {
        if message.interface.hasPrefix("org.bluez."), let error = failures.removeValue(forKey: message.member) {
            connection.refuse(message, error)
            return true
        }
        return isHanging && message.interface == BlueZInterface.characteristic
    }
}
