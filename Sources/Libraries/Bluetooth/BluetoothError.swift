internal import DBus

/// What was attempted, and why BlueZ, the bus or a limit of ours ended it.
public struct BluetoothError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was attempted, such as `connect to C0:FF:EE:00:00:01`.
    public let attempt: String
    /// The error's name as BlueZ or D-Bus gave it, such as `org.bluez.Error.NotConnected`.
    public let name: String
    /// BlueZ's own words, such as `le-connection-abort-by-local`.
    public let message: String
    /// A bonded device let us connect, and ended the link before BlueZ had answered. A device that has lost its keys
    /// does this (BlueZ goes on calling it paired, and asks no agent), but so does one that merely refuses: it is the
    /// former only if it happens again and again. The remedy is to remove the device and pair again.
    public internal(set) var isBondLost = false

    public init(attempt: String, name: String, message: String) {
        self.attempt = attempt
        self.name = name
        self.message = message
    }

    init(_ attempt: String, _ error: DBusError) {
        self.init(attempt: attempt, name: error.name, message: error.message)
    }

    /// There was no answer within the limit.
    public var isTimeout: Bool { name == DBusError.Name.noReply }

    /// The device is not connected, or the object is gone with its device.
    public var isOffline: Bool {
        switch name {
        case "org.bluez.Error.NotConnected", DBusError.Name.unknownObject, DBusError.Name.disconnected: true
        // BlueZ answers this when the link ends while a request is under way.
        case "org.bluez.Error.Failed": message == "Not connected" || isLinkFailure
        default: false
        }
    }

    /// BlueZ has forgotten the device, or does not know it.
    public var isDeviceRemoved: Bool { name == DBusError.Name.unknownObject }

    /// There is no link, or no longer one: out of reach, refused, ended by one side or the other. BlueZ has two words
    /// for all of these, whatever the kind of radio.
    var isLinkFailure: Bool { ["le-connection-abort-by-local", "br-connection-canceled"].contains(message) }

    /// The characteristic does not offer that operation.
    public var isUnsupported: Bool {
        name == "org.bluez.Error.NotSupported" || name == "org.bluez.Error.NotPermitted" && !isEncryptionProblem
    }

    /// The characteristic needs an encrypted link, and the device has no bond: BlueZ's words in src/gatt-client.c for
    /// the attribute protocol's errors 0x05, 0x0C and 0x0F.
    public var isEncryptionProblem: Bool { name == "org.bluez.Error.NotPermitted" && message == "Not paired" }

    /// The radio is kept off by rfkill.
    public var isBlocked: Bool { name == "org.bluez.Error.Blocked" }

    public var description: String {
        let words = "cannot \(attempt): \(message.isEmpty ? name : "\(message) (\(name))")"
        return hint.map { "\(words)\n\($0)" } ?? words
    }

    /// What an operator can do about it; nil if we know nothing useful.
    public var hint: String? {
        switch name {
        case "org.bluez.Error.NotReady":
            "The Bluetooth adapter is off: run `bluetoothctl power on`; if that fails, `rfkill list bluetooth`."
        case "org.bluez.Error.Blocked":
            "The Bluetooth radio is blocked: run `rfkill unblock bluetooth`, or look for a switch on the machine."
        case DBusError.Name.accessDenied:
            "This user may not talk to BlueZ: add it to the group `bluetooth`."
        case DBusError.Name.serviceUnknown:
            "bluetoothd is not running: `systemctl status bluetooth`."
        case "org.bluez.Error.Failed" where isLinkFailure:
            "The sensor did not answer: is it awake, nearby, and not connected to a telephone?"
        default: nil
        }
    }
}
