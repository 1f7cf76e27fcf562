import CDBus

/// Why a call failed, or why there is no connection: the error's name as the bus or the called program gave it, and its
/// message. Names that this library itself gives are in `Name`.
public struct DBusError: Error, Equatable, Sendable, CustomStringConvertible {
    public let name: String
    public let message: String

    public init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    public enum Name {
        /// No reply within the caller's limit.
        public static let noReply = "org.freedesktop.DBus.Error.NoReply"
        /// The connection ended before the reply came.
        public static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
        /// The message holds what its signature does not allow, or there is no memory for it.
        public static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
        public static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
        public static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
        public static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
        public static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
        public static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
    }

    public var description: String { message.isEmpty ? name : "\(message) (\(name))" }

    static func disconnected(_ message: String) -> DBusError { DBusError(name: Name.disconnected, message: message) }
}

/// Runs a libdbus call that reports through a `DBusError` of its own, and throws what it reported.
func check<Result>(_ body: (UnsafeMutablePointer<CDBus.DBusError>) -> Result) throws(DBusError) -> Result {
    var error = CDBus.DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    let result = body(&error)
    guard dbus_error_is_set(&error) == 0 else {
        throw DBusError(name: String(cString: error.name), message: String(cString: error.message))
    }
    return result
}
