// Objects on a bus.
//
// An object is a path and a list of interfaces, and an interface a table of properties and methods; from the tables
// come the four standard interfaces (ObjectManager at one path, Properties, Introspectable and Peer everywhere), their
// signals, and the errors for what is not there. The words of those errors and the order of the signals' contents are
// those of BlueZ's own gdbus, because the stand-in is compared with it.

import DBus

/// Serves objects on a connection. Belongs to the connection's loop.
final class ObjectServer {
    private let connection: Connection
    private let managerPath: String
    private var objects: [String: [Interface]] = [:]

    /// Sees each call first; if it returns true, the call is its own to answer, or to leave unanswered.
    var intercept: ((Message) -> Bool)?

    /// - Parameters:
    ///   - connection: where to serve; this sets its `onCall`.
    ///   - managerPath: the path of the object manager.
    init(on connection: Connection, managerPath: String = "/") {
        self.connection = connection
        self.managerPath = managerPath
        connection.onCall = { [weak self] in self?.answer($0) }
    }

    /// Adds an object, or interfaces to an existing one, and tells everybody.
    func add(_ interfaces: [Interface], at path: String) {
        let isNew = objects[path] == nil
        objects[path, default: []] += interfaces
        var entries = interfaces.map(Self.entry)
        if isNew {
            entries.insert(Value.Entry(.string(Standard.introspectable), .dictionary("s", "v", [])), at: 0)
            entries.append(Value.Entry(.string(Standard.properties), .dictionary("s", "v", [])))
        }
        emit(managerPath, Standard.objectManager, "InterfacesAdded", [.path(path), .dictionary("s", "a{sv}", entries)])
    }

    /// Removes an interface from an object that has others.
    func remove(_ interface: String, from path: String) {
        guard let index = objects[path]?.firstIndex(where: { $0.name == interface }) else { return }
        objects[path]?.remove(at: index)
        emit(managerPath, Standard.objectManager, "InterfacesRemoved", [.path(path), .strings([interface])])
    }

    /// Removes an object.
    func remove(_ path: String) {
        guard let interfaces = objects.removeValue(forKey: path) else { return }
        let names = [Standard.properties, Standard.introspectable] + interfaces.map(\.name)
        emit(managerPath, Standard.objectManager, "InterfacesRemoved", [.path(path), .strings(names)])
    }

    /// Removes all objects, and tells nobody.
    func forgetAll() { objects = [:] }

    func contains(_ path: String) -> Bool { objects[path] != nil }

    /// Tells everybody the current values of properties, in one signal; those without a value as invalidated.
    func changed(_ names: [String], of interfaceName: String, at path: String) {
        guard let interface = interface(interfaceName, at: path) else { return }
        var changed: [Value.Entry] = []
        var invalidated: [String] = []
        for name in names {
            if let value = interface.properties.first(where: { $0.name == name })?.get() {
                changed.append(Value.Entry(.string(name), .variant(value)))
            } else {
                invalidated.append(name)
            }
        }
        let arguments: [Value] = [.string(interfaceName), .dictionary("s", "v", changed), .strings(invalidated)]
        emit(path, Standard.properties, "PropertiesChanged", arguments)
    }

    private func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [Value]) {
        // It fails if the bus has gone, which is reported in another way.
        try? connection.emit(path, interface, member, arguments)
    }

    private func interface(_ name: String, at path: String) -> Interface? {
        objects[path]?.first { $0.name == name }
    }

    private static func entry(_ interface: Interface) -> Value.Entry {
        Value.Entry(.string(interface.name), dictionary(interface))
    }

    private static func dictionary(_ interface: Interface) -> Value {
        let entries = interface.properties.compactMap { property in
            property.get().map { Value.Entry(.string(property.name), .variant($0)) }
        }
        return .dictionary("s", "v", entries)
    }
}

// MARK: Calls

extension ObjectServer {
    private func answer(_ message: Message) {
        if intercept?(message) == true { return }
        let call = Call(message, on: connection)
        let path = message.path
        switch (message.interface, message.member) {
        case (Standard.peer, "Ping"): return call.reply()
        case (Standard.introspectable, "Introspect") where exists(path): return call.reply([.string(introspect(path))])
        case (Standard.objectManager, "GetManagedObjects") where path == managerPath:
            return call.reply([managedObjects()])
        case (Standard.properties, let member) where objects[path] != nil:
            return answerProperties(call, member, message.signature, at: path)
        default: break
        }
        // The interface may be left out of a call.
        let interfaces = objects[path]?.filter { message.interface.isEmpty || $0.name == message.interface } ?? []
        for method in interfaces.flatMap(\.methods) where method.name == message.member {
            if method.signature == message.signature { return method.body(call) }
        }
        let words = """
            Method "\(message.member)" with signature "\(message.signature)" on interface \
            "\(message.interface.isEmpty ? "(null)" : message.interface)" doesn't exist

            """
        // libdbus has the same words for both.
        let name = exists(path) ? DBusError.Name.unknownMethod : "org.freedesktop.DBus.Error.UnknownObject"
        call.refuse(DBusError(name: name, message: words))
    }

    private func answerProperties(_ call: Call, _ member: String, _ signature: String, at path: String) {
        do throws(DBusError) {
            switch (member, signature) {
            case ("Get", "ss"):
                guard let value = try property(call.arguments, at: path).get() else {
                    throw Self.invalid("No such property '\(call.arguments[1].asString ?? "")'")
                }
                call.reply([.variant(value)])
            case ("GetAll", "s"):
                call.reply([Self.dictionary(try interface(call.arguments, at: path))])
            case ("Set", "ssv"):
                let property = try property(call.arguments, at: path)
                guard let set = property.set else {
                    let words = "Property '\(property.name)' is not writable"
                    throw DBusError(name: "org.freedesktop.DBus.Error.PropertyReadOnly", message: words)
                }
                guard case .variant(let value) = call.arguments[2], value.typeSignature == property.signature else {
                    throw Self.invalid("Invalid signature for '\(property.name)'")
                }
                try set(value)
                call.reply()
            default:
                let words = "Method \"\(member)\" with signature \"\(signature)\" doesn't exist"
                throw DBusError(name: DBusError.Name.unknownMethod, message: words)
            }
        } catch {
            call.refuse(error)
        }
    }

    private func interface(_ arguments: [Value], at path: String) throws(DBusError) -> Interface {
        let name = arguments[0].asString ?? ""
        guard let interface = interface(name, at: path) else { throw Self.invalid("No such interface '\(name)'") }
        return interface
    }

    private func property(_ arguments: [Value], at path: String) throws(DBusError) -> Property {
        let name = arguments[1].asString ?? ""
        guard let property = try interface(arguments, at: path).properties.first(where: { $0.name == name }) else {
            throw Self.invalid("No such property '\(name)'")
        }
        return property
    }

    private static func invalid(_ words: String) -> DBusError {
        DBusError(name: DBusError.Name.invalidArguments, message: words)
    }

    private func managedObjects() -> Value {
        let empty = Value.dictionary("s", "v", [])
        let entries = objects.sorted { $0.key < $1.key }.map { path, interfaces in
            let standard = [Standard.introspectable, Standard.properties].map { Value.Entry(.string($0), empty) }
            let interfaces = [standard[0]] + interfaces.map(Self.entry) + [standard[1]]
            return Value.Entry(.path(path), .dictionary("s", "a{sv}", interfaces))
        }
        return .dictionary("o", "a{sa{sv}}", entries)
    }

    /// Whether there is an object here, or below here.
    private func exists(_ path: String) -> Bool {
        path == managerPath || objects[path] != nil || !children(of: path).isEmpty
    }

    private func children(of path: String) -> [String] {
        let prefix = path == "/" ? "/" : path + "/"
        let paths = Array(objects.keys) + [managerPath]
        let names = paths.filter { $0.hasPrefix(prefix) && $0 != prefix }
            .compactMap { $0.dropFirst(prefix.count).split(separator: "/").first.map(String.init) }
        return Set(names).sorted()
    }

    private func introspect(_ path: String) -> String {
        var document = Introspection()
        document.add(Introspection.introspectable)
        if path == managerPath { document.add(Introspection.objectManager) }
        if let interfaces = objects[path] {
            for interface in interfaces { document.add(interface) }
            document.add(Introspection.properties)
        }
        for child in children(of: path) { document.add(child: child) }
        return document.text
    }
}

/// The interfaces that the D-Bus Specification itself defines ("Standard Interfaces").
enum Standard {
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let peer = "org.freedesktop.DBus.Peer"
    static let properties = "org.freedesktop.DBus.Properties"
}
