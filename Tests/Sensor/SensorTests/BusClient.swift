import DBus
import Foundation
import Reactor
import Synchronization
import TestSupport
import Testing

/// A client of `org.bluez` on a private bus, with a note of each signal in one line:
///
///     dev Connected=true                     properties that changed, in the order of the signal
///     dev -RSSI                              invalidated
///     added dev/service000e GattService1     interfaces, in order; the standard ones are left out
///     removed dev Battery1
///     name gone                              and `name taken`: bluetoothd itself
///
/// `dev` stands for the device's path, `hci0` for the adapter's.
final class BusClient: Sendable {
    let connection: Connection
    private let notes = Mutex<[String]>([])
    private let waiters = Mutex<[@Sendable () -> Void]>([])

    static let adapter = "/org/bluez/hci0"
    static let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"

    init(_ address: Connection.Address, on loop: EventLoop) throws {
        connection = Connection(on: loop)
        let opened = Answer<DBusError?>()
        loop.perform { [self] in
            connection.onSignal = { [unowned self] in note($0) }
            do throws(DBusError) { try connection.open(address) } catch { return opened.set(error) }
            connection.match(
                "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'")
            connection.match("type='signal',sender='org.bluez'") { result in
                if case .failure(let error) = result { opened.set(error) } else { opened.set(nil) }
            }
        }
        if let failure = try #require(opened.wait(atMost: limit)) { throw failure }
    }

    /// Leaves the bus.
    func close() { connection.loop.sync { [connection] in connection.close() } }

    var events: [String] { notes.withLock { $0 } }

    /// Forgets what was noted before.
    func clear(to kept: [String] = []) { notes.withLock { $0 = kept } }

    /// Waits until the notes are as wanted; answers them, and fails the test if they never are.
    @discardableResult
    func wait(
        _ what: String, within limit: Duration = limit, source: SourceLocation = #_sourceLocation,
        until isDone: @escaping @Sendable ([String]) -> Bool
    ) -> [String] {
        let done = Answer<Bool>()
        waiters.withLock { waiters in
            waiters.append { [unowned self] in if isDone(events) { done.set(true) } }
        }
        if isDone(events) { done.set(true) }
        let isSeen = done.wait(atMost: limit) == true
        #expect(isSeen, "never seen: \(what); seen: \(events)", sourceLocation: source)
        return events
    }

    /// Waits for one note.
    @discardableResult
    func wait(for note: String, source: SourceLocation = #_sourceLocation) -> [String] {
        wait(note, source: source) { $0.contains(note) }
    }

    /// Calls a method and waits for its answer.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [Value] = []
    ) -> Result<[Value], DBusError> {
        let answer = Answer<Result<[Value], DBusError>>()
        connection.loop.perform { [connection] in
            connection.call("org.bluez", path, interface, member, arguments, limit: limit) { result in
                answer.set(result.map(\.arguments))
            }
        }
        return answer.wait(atMost: limit + .seconds(1))
            ?? .failure(DBusError(name: "no answer", message: member))
    }

    func adapter(_ member: String, _ arguments: [Value] = []) -> Result<[Value], DBusError> {
        call(Self.adapter, "org.bluez.Adapter1", member, arguments)
    }

    func device(_ member: String, _ arguments: [Value] = []) -> Result<[Value], DBusError> {
        call(Self.device, "org.bluez.Device1", member, arguments)
    }

    func characteristic(_ path: String, _ member: String, _ arguments: [Value] = []) -> Result<[Value], DBusError> {
        call(Self.device + "/" + path, "org.bluez.GattCharacteristic1", member, arguments)
    }

    func read(_ path: String, _ options: [String: Value] = [:]) -> Result<[Value], DBusError> {
        characteristic(path, "ReadValue", [.properties(options)])
    }

    func property(_ path: String, _ interface: String, _ name: String) -> Value? {
        let result = call(path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)])
        return (try? result.get())?.first?.unwrapped
    }

    func setPowered(_ isOn: Bool) -> Result<[Value], DBusError> {
        let arguments: [Value] = [.string("org.bluez.Adapter1"), .string("Powered"), .variant(.bool(isOn))]
        return call(Self.adapter, "org.freedesktop.DBus.Properties", "Set", arguments)
    }

    /// Path, then interface, then property.
    func managedObjects() throws -> [String: [String: [String: Value]]] {
        let reply = try call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects").get()
        return (reply.first?.asDictionary ?? [:]).mapValues { object in
            (object.asDictionary ?? [:]).mapValues { $0.asDictionary ?? [:] }
        }
    }

    // MARK: Notes

    private func note(_ signal: Message) {
        guard let line = Self.describe(signal) else { return }
        notes.withLock { $0.append(line) }
        for waiter in waiters.withLock({ $0 }) { waiter() }
    }

    static func describe(_ signal: Message) -> String? {
        let arguments = signal.arguments
        switch signal.member {
        case "PropertiesChanged":
            guard arguments.count == 3, case .dictionary(_, _, let entries) = arguments[1] else { return nil }
            let changed = entries.map { "\($0.key.asString ?? "?")=\(text($0.value.unwrapped))" }
            let invalidated = (arguments[2].asStrings ?? []).map { "-" + $0 }
            return ([short(signal.path)] + changed + invalidated).joined(separator: " ")
        case "InterfacesAdded":
            guard arguments.count == 2, case .dictionary(_, _, let entries) = arguments[1] else { return nil }
            return "added " + names(arguments[0], entries.compactMap(\.key.asString))
        case "InterfacesRemoved":
            guard arguments.count == 2 else { return nil }
            return "removed " + names(arguments[0], arguments[1].asStrings ?? [])
        case "NameOwnerChanged": return arguments.last == .string("") ? "name gone" : "name taken"
        default: return nil
        }
    }

    private static func names(_ path: Value, _ interfaces: [String]) -> String {
        let own = interfaces.filter { $0.hasPrefix("org.bluez.") }.map { String($0.dropFirst("org.bluez.".count)) }
        return ([short(path.asString ?? "")] + own).joined(separator: " ")
    }

    private static func short(_ path: String) -> String {
        path.replacingOccurrences(of: device, with: "dev").replacingOccurrences(of: adapter, with: "hci0")
    }

    private static func text(_ value: Value) -> String {
        if let bytes = value.asBytes { return bytes.map { String(format: "%02x", $0) }.joined() }
        if let flag = value.asBool { return "\(flag)" }
        if let number = value.asInteger { return "\(number)" }
        if let strings = value.asStrings { return "[\(strings.count)]" }
        return value.asString ?? "?"
    }
}

extension PrivateBus {
    /// Where it listens, for a connection.
    var address: Connection.Address { .address(addressText) }
}

extension RunningProgram {
    /// Waits until its output has a text, after what was waited for before, and fails the test if it never has.
    func wait(for text: String, source: SourceLocation = #_sourceLocation) {
        #expect(prints(text), "never printed: \(text); printed: \(self.text)", sourceLocation: source)
    }
}

extension Result where Failure == DBusError {
    /// The error's name and words, or `ok`.
    var outcome: String {
        switch self {
        case .success: "ok"
        case .failure(let error):
            "\(error.name.replacingOccurrences(of: "org.bluez.Error.", with: "")): \(error.message)"
        }
    }
}
