import DBus
import Reactor

/// The message bus and the Bluetooth adapters on it, as this user sees them. Nothing is started: a bluetoothd that does
/// not run stays so.
struct BusLook {
    private let address: Connection.Address
    /// The adapter that the settings name, by its name or address; nil for any.
    private let wanted: String?
    private let limit: Duration

    private static let (bluez, documents) = ("org.bluez", "deploy/bluetooth.md says who may talk to BlueZ")

    init(_ bus: String, _ wanted: String?, _ limit: Duration) {
        address = bus == "system" ? .system : .address(bus)
        (self.wanted, self.limit) = (wanted, limit)
    }

    private struct Adapter: Sendable {
        let name: String
        let address: String?
        let isPowered: Bool
    }

    private enum Outcome: Sendable {
        case noBus(DBusError)
        case nobody
        case refused(DBusError)
        case adapters([Adapter])
    }

    func finding() -> Finding {
        // libdbus waits without a limit of ours for a bus that says nothing. So the thread is left alone if it does.
        let loop = EventLoop(name: "bus")
        let answer = Answer<Outcome>()
        loop.start()
        loop.perform { [address, limit] in Self.look(address, limit, on: loop, answer) }
        guard let outcome = answer.wait(atMost: limit) else {
            return .problem("\(address) does not answer", "see what it is doing", run: "systemctl status dbus")
        }
        loop.stop()
        switch outcome {
        case .noBus(let error):
            return .problem(
                "\(address) cannot be reached: \(error.message)",
                "is it running? deploy/bluetooth.md says what a container needs",
                run: "systemctl status dbus")
        case .nobody:
            return .problem(
                "bluetoothd is not running: nobody owns \(Self.bluez) on \(address)", "install BlueZ, and start it",
                run: "sudo systemctl enable --now bluetooth")
        case .refused(let error): return .problem("BlueZ does not answer this user: \(error.message)", Self.documents)
        case .adapters(let adapters): return finding(adapters)
        }
    }

    private func finding(_ adapters: [Adapter]) -> Finding {
        guard !adapters.isEmpty else {
            return .problem("there is no Bluetooth adapter", "plug one in; if there is one: rfkill list, dmesg")
        }
        let names = adapters.map(\.name).joined(separator: ", ")
        let usable = adapters.filter { wanted == nil || $0.name == wanted || $0.address == wanted?.uppercased() }
        guard !usable.isEmpty else {
            return .problem(
                "there is no adapter \(wanted ?? ""), only \(names)",
                "change bluetooth.adapter in the gateway's settings")
        }
        guard let adapter = usable.first(where: \.isPowered) else {
            return .problem(
                "\(usable.map(\.name).joined(separator: ", ")) is off", "switch it on", run: "bluetoothctl power on")
        }
        return .ok("adapter \(adapter.name) is on")
    }

    private static func look(
        _ address: Connection.Address, _ limit: Duration, on loop: EventLoop, _ answer: Answer<Outcome>
    ) {
        let connection = Connection(on: loop)
        do throws(DBusError) { try connection.open(address) } catch { return answer.set(.noBus(error)) }
        connection.callBus("NameHasOwner", [.string(bluez)]) { result in
            guard case .success(let reply) = result, reply.arguments.first?.asBool == true else {
                connection.close()
                if case .failure(let error) = result { return answer.set(.refused(error)) }
                return answer.set(.nobody)
            }
            let manager = "org.freedesktop.DBus.ObjectManager"
            connection.call(bluez, "/", manager, "GetManagedObjects", limit: limit) { result in
                connection.close()
                switch result {
                case .failure(let error): answer.set(.refused(error))
                case .success(let reply): answer.set(.adapters(adapters(reply)))
                }
            }
        }
    }

    private static func adapters(_ reply: Message) -> [Adapter] {
        (reply.arguments.first?.asDictionary ?? [:]).compactMap { path, interfaces in
            guard let adapter = interfaces.asDictionary?["org.bluez.Adapter1"]?.asDictionary else { return nil }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return Adapter(
                name: name, address: adapter["Address"]?.asString?.uppercased(),
                isPowered: adapter["Powered"]?.asBool ?? false)
        }.sorted { $0.name < $1.name }
    }
}
