// A bus on which `org.bluez` is this program.
//
// Clients see what BlueZ 5.66 would show them: an adapter, hci0, and the emulated sensors as devices that turn up while
// somebody discovers, can be connected to and have attributes. The order of signals, the errors and their words follow
// recordings of a real bluetoothd; if they were silent, its sources.
//
//     StandIn ── Adapter ─┬─ Device ── RemoteCharacteristic …      each owns its objects on the ObjectServer
//                         └─ Device …
//
// Everything here lives on one event loop, that of the connection.

import DBus
import Reactor

/// How the stand-in's world behaves.
struct StandInSettings: Sendable {
    /// Where the stand-in is.
    var bus = Connection.Address.system
    /// The adapter's own address.
    var adapterAddress = "00:AA:01:00:00:00"
    /// Whether the devices are there from the start, as if they had been paired before.
    var isKnown = false
    /// How long a Connect waits for a device out of reach; BlueZ gives up after about 41 s.
    var connectTimeout = Duration.seconds(41)
    /// When a device without bond or trust is forgotten, after it was last heard or its link has ended.
    var forgetAfter = Duration.seconds(30)
    /// Until a device is heard once discovery began, and between two connection steps.
    var radioDelay = Duration.milliseconds(50)
    /// How long a pairing waits for the agent; the kernel ends the link after 30 s.
    var pairingTimeout = Duration.seconds(30)
    /// How long the kernel keeps a link that nobody uses any more.
    var lingering = Duration.seconds(2)
    /// Between Disconnect or RemoveDevice and the end of the link.
    var disconnectDelay = Duration.seconds(2)
    /// Whether signals come in the order of a busy BlueZ, as with eight sensors at once: Connect is answered before
    /// `Connected` is signalled, services are known before their objects are there, and a refusal has a different word.
    var isBusy = false
}

/// BlueZ, as far as other programs on the bus can see. Belongs to the connection's loop.
final class StandIn {
    static let managerPath = "/org/bluez"

    let connection: Connection
    let objects: ObjectServer
    let loop: EventLoop
    let settings: StandInSettings
    private(set) lazy var adapter = Adapter(of: self)
    let faults = Faults()
    let agents: Agents
    /// Whether BlueZ is there: false while it is being started again.
    var isServing = true
    /// Whether the program is ending.
    private(set) var isOver = false

    init(on connection: Connection, _ peripherals: [Peripheral], _ settings: StandInSettings) {
        self.connection = connection
        self.settings = settings
        loop = connection.loop
        objects = ObjectServer(on: connection)
        agents = Agents(on: connection)
        objects.intercept = { [faults] in faults.take($0, on: connection) }
        agents.onChange = { [unowned self] in adapter.setPairable($0) }
        for peripheral in peripherals { adapter.add(Device(peripheral, on: adapter)) }
        addManagers()
        adapter.appear(isPowered: true)
    }

    func addManagers() { objects.add([agents.interface, profileManager], at: Self.managerPath) }

    /// Takes the name; from then on clients come.
    func serve(completion: @escaping (Result<Void, DBusError>) -> Void) {
        connection.onSignal = { [unowned self] signal in
            guard signal.isSignal("org.freedesktop.DBus", "NameOwnerChanged") else { return }
            let names = signal.arguments.compactMap(\.asString)
            if names.count == 3, names[2].isEmpty { forget(client: names[0]) }
        }
        let rule = "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''"
        connection.match(rule) { [connection] matched in
            if case .failure(let error) = matched { return completion(.failure(error)) }
            connection.requestName("org.bluez") { [weak self] result in
                if case .success = result { self?.isServing = true }
                completion(result)
            }
        }
    }

    /// Ends the links and takes the objects away, as bluetoothd does when it is told to end.
    func leave() {
        isOver = true
        if isServing { withdraw() }
    }

    /// A client has left the bus, and with it goes everything that it had asked for.
    private func forget(client: String) {
        agents.forget(client: client)
        adapter.forget(client: client)
    }

    /// Profiles are accepted, but never used.
    private var profileManager: Interface {
        Interface(
            name: "org.bluez.ProfileManager1",
            methods: [
                Method("RegisterProfile", takes: ["profile": "o", "UUID": "s", "options": "a{sv}"]) { $0.reply() },
                Method("UnregisterProfile", takes: ["profile": "o"]) { $0.reply() },
            ])
    }
}
