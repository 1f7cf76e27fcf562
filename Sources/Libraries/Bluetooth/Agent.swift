// The agent, which BlueZ asks before it lets a device pair.
//
// A sensor whose characteristics need encryption makes BlueZ pair by itself, in the middle of a read or a subscription.
// Without an agent BlueZ then refuses, drops the link, forgets the device and never answers the read. So the central
// has one, says that it can neither show nor type anything (pairing is then "just works": the link is encrypted, but
// anybody who listened to the pairing can read it), and makes it the default: BlueZ asks only the default agent if
// no program called Pair. Other programs that pair, such as bluetoothctl, bring an agent of their own, which BlueZ asks
// instead.
//
// Source: BlueZ's doc/org.bluez.Agent.rst and org.bluez.AgentManager.rst.

internal import DBus
internal import Reactor

/// `org.bluez.Agent1`, for a central. Belongs to its loop.
final class Agent {
    private static let path = "/org/vitals/agent"
    private static let interface = "org.bluez.Agent1"

    private unowned let central: Central
    private var backoff = Backoff(first: .seconds(2), limit: .seconds(300))
    /// Rises with each run of BlueZ: an answer from an earlier run does not count for this one.
    private var run = 0
    private var isTold = false

    init(of central: Central) { self.central = central }

    /// BlueZ has appeared, and has no agent of ours yet.
    func begin() {
        run += 1
        isTold = false
        backoff.reset()
        register()
    }

    /// BlueZ is gone, and our agent's registration with it.
    func forget() { run += 1 }

    // MARK: Being registered

    private func register() {
        ask("RegisterAgent", [.path(Self.path), .string("NoInputNoOutput")]) { [weak self] in
            self?.ask("RequestDefaultAgent", [.path(Self.path)]) {}
        }
    }

    private func ask(_ member: String, _ arguments: [Value], then next: @escaping () -> Void) {
        let manager = "org.bluez.AgentManager1"
        central.call("register an agent for pairing", "/org/bluez", manager, member, arguments) {
            [weak self, run] result in
            guard let self, run == self.run else { return }
            switch result {
            case .success: next()
            // One agent for each connection: it is ours.
            case .failure(let error) where error.name == "org.bluez.Error.AlreadyExists": next()
            case .failure(let error): tryLater(because: error)
            }
        }
    }

    /// Only pairing needs it, so everything else continues.
    private func tryLater(because error: BluetoothError) {
        if !isTold { central.events(.agentRefused(error)) }
        isTold = true
        central.loop.after(backoff.next()) { [weak self, run] in
            if let self, run == self.run { register() }
        }
    }

    // MARK: Being asked

    func receive(_ call: Message) {
        guard call.sender == central.owner else {
            return refuse(call, DBusError.Name.accessDenied, "only BlueZ may ask this agent")
        }
        guard call.path == Self.path, call.interface == Self.interface else {
            return refuse(call, DBusError.Name.unknownMethod, "there is only \(Self.interface) at \(Self.path)")
        }
        switch call.member {
        case "Release", "Cancel":
            central.connection.reply(to: call)  // We ask nobody, so there is nothing to take back.
        case "RequestAuthorization":
            guard let device = device(of: call) else { return reject(call, nil, "it is not known here") }
            guard central.mayPair(device) else { return reject(call, device, "nobody here has asked for it") }
            central.connection.reply(to: call)
        case "AuthorizeService":
            reject(call, device(of: call), "nothing here is for sensors to use")
        case "RequestConfirmation":
            reject(call, device(of: call), "it wants numbers to be compared, and there is nobody here to do it")
        case "RequestPinCode", "DisplayPinCode":
            reject(call, device(of: call), "it wants a PIN code, and there is nobody here to read or type one")
        case "RequestPasskey", "DisplayPasskey":
            reject(call, device(of: call), "it wants a passkey, and there is nobody here to read or type one")
        default:
            refuse(call, DBusError.Name.unknownMethod, "\(Self.interface) has no \(call.member)")
        }
    }

    private func device(of call: Message) -> Device? {
        call.arguments.first?.asString.flatMap { central.device(at: $0) }
    }

    private func reject(_ call: Message, _ device: Device?, _ why: String) {
        refuse(call, "org.bluez.Error.Rejected", why)
        if let device { central.events(.pairingRefused(device, why: why)) }
    }

    private func refuse(_ call: Message, _ name: String, _ words: String) {
        central.connection.refuse(call, DBusError(name: name, message: words))
    }
}
