import DBus

/// What an object can do on the bus: the interfaces of `ObjectServer`'s objects are tables of these.
struct Interface {
    let name: String
    var properties: [Property] = []
    var methods: [Method] = []
}

/// A property. Without a value now (`get` answers nil) it is not there, as with BlueZ's own RSSI.
struct Property {
    let name: String
    let signature: String
    let get: () -> Value?
    /// Nil if clients may only read it.
    let set: ((Value) throws(DBusError) -> Void)?

    init(
        _ name: String, _ signature: String, get: @escaping () -> Value?,
        set: ((Value) throws(DBusError) -> Void)? = nil
    ) {
        self.name = name
        self.signature = signature
        self.get = get
        self.set = set
    }

    /// A property that never changes.
    init(_ name: String, _ value: Value) {
        self.init(name, value.typeSignature, get: { value })
    }
}

/// A method, with the names and signatures of its arguments and results.
struct Method {
    let name: String
    let takes: KeyValuePairs<String, String>
    let gives: KeyValuePairs<String, String>
    let body: (Call) -> Void

    init(
        _ name: String, takes: KeyValuePairs<String, String> = [:], gives: KeyValuePairs<String, String> = [:],
        body: @escaping (Call) -> Void
    ) {
        self.name = name
        self.takes = takes
        self.gives = gives
        self.body = body
    }

    var signature: String { takes.map(\.value).joined() }
}

/// A method that a client has called, and that must be answered once: now or later.
struct Call {
    private let message: Message
    private let connection: Connection
    /// The arguments that the method's signature promises, and nothing else.
    let arguments: [Value]

    init(_ message: Message, on connection: Connection) {
        self.message = message
        self.connection = connection
        arguments = message.arguments
    }

    /// The client's unique name.
    var sender: String { message.sender }

    func reply(_ values: [Value] = []) { connection.reply(to: message, values) }

    func refuse(_ error: DBusError) { connection.refuse(message, error) }
}
