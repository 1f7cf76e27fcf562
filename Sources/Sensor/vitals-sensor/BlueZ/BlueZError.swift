import DBus

/// BlueZ's errors, by the names and in the words of its src/error.c and src/gatt-client.c.
enum BlueZError {
    static let alreadyExists = error("AlreadyExists", "Already Exists")
    static let authenticationCanceled = error("AuthenticationCanceled", "Authentication Canceled")
    static let authenticationFailed = error("AuthenticationFailed", "Authentication Failed")
    static let busy = error("InProgress", "Operation already in progress")
    /// A link that was refused, aborted, or not made in time.
    static let connectionAborted = failed("le-connection-abort-by-local")
    /// The same, if a Connect was given up, or by chance. (The word is BlueZ's, from another transport.)
    static let connectionCanceled = failed("br-connection-canceled")
    static let doesNotExist = error("DoesNotExist", "Does Not Exist")
    static let inProgress = error("InProgress", "In Progress")
    static let invalidArguments = error("InvalidArguments", "Invalid arguments in method call")
    static let notAvailable = error("NotAvailable", "Operation currently not available")
    static let notConnected = error("NotConnected", "Not Connected")
    static let notReady = error("NotReady", "Resource Not Ready")
    static let notSupported = error("NotSupported", "Operation is not supported")

    static func failed(_ words: String) -> DBusError { error("Failed", words) }

    static func notPermitted(_ words: String) -> DBusError { error("NotPermitted", words) }

    /// What a client is told when the sensor itself answers with an error.
    static func att(_ error: ATTError) -> DBusError {
        switch error {
        case .readNotPermitted: notPermitted("Read not permitted")
        case .writeNotPermitted: notPermitted("Write not permitted")
        case .invalidOffset: BlueZError.error("InvalidOffset", "Invalid offset")
        case .invalidLength: BlueZError.error("InvalidValueLength", "Invalid Length")
        case .invalidHandle: failed("Operation failed with ATT error: 0x01")
        case .unlikely: failed("Operation failed with ATT error: 0x0e")
        case .application(let code): failed("Operation failed with ATT error: 0x" + String(code, radix: 16))
        }
    }

    /// An error by its name after `org.bluez.Error.`; a name with a dot in it is taken as it is.
    static func error(_ name: String, _ words: String) -> DBusError {
        DBusError(name: name.contains(".") ? name : "org.bluez.Error." + name, message: words)
    }
}
