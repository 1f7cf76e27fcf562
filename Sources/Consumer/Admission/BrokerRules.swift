import Daemon
import Files
package import MQTT
import Reactor
package import Telemetry

// The broker's rules, kept in line with a roster: see Roster.swift.
//
// The roster is the truth. At each connection the default access is read, set to deny and read again; then roles,
// groups and clients are listed, and differences are corrected: clients of devices that were revoked while the broker
// was not there are removed, and roles become what this program has. Only clients that the broker has lost cannot be
// restored this way, because the plugin takes a password and no hash, and only the client has its password: then the
// log says how many, and that `vitals-consumer broker-rules` has to write the plugin's file before the broker starts.
// If the consumer's own client is lost, it cannot sign in to begin with.
//
// Between connections, and until the broker is in line, changes wait in their order, and fail when that takes too long.
// A change is done when the broker has confirmed it; nobody waits for it on the session's thread.
//
// A device is added first at the broker, then in the database; it is removed first from the database. So a crash
// between the two leaves at most a client at the broker that the next connection removes, never one that nobody knows
// about. If the broker has not confirmed that a client is out, the rules are brought in line once more, and again,
// until they are: a revoked client does not stay in for as long as the connection lasts.

/// Makes the broker let people and gateways in, and out. Belongs to the session's thread.
// Proof of @unchecked: everything is touched before the session starts or on its thread, where all completions are
// called.
package final class BrokerRules: @unchecked Sendable {
    /// Called once the broker has confirmed a change, or with the reason why it has not.
    package typealias Completion = @Sendable (RulesError?) -> Void

    enum State {
        case disconnected
        /// Being brought in line.
        case underWay
        case ready
        /// The rules could not be brought in line.
        case failed(RulesError)
    }

    private struct Waiting {
        let body: () -> Void
        let fail: (RulesError) -> Void
        let deadline: EventLoop.Timer
    }

    let plugin: DynamicSecurity
    let session: Session
    let roster: any Roster
    private(set) var settings: AdmissionSettings
    private var policy: BrokerPolicy
    var state = State.disconnected
    private var waiting: [Int: Waiting] = [:]
    private var number = 0
    var retrying: EventLoop.Timer?
    /// Whether something changed that the rules being brought in line may not have seen.
    var isBehind = false
    /// The passwords of the settings' gateways, as they were last read.
    var passwords: [String: String] = [:]
    /// Called when the broker is in line, or with the reason why it is not; for tests and readiness.
    var settled: (RulesError?) -> Void = { _ in }

    /// Set at the last connection: see `connected`.
    private var inLine: (Set<ID>) -> Void = { _ in }
    var found: Set<ID> = []

    private static let waitingLimit = 1_000
    private static let patience = Duration.seconds(15)
    private static let retryInterval = Duration.seconds(60)
    /// The pause before the rules are brought in line once more.
    private static let pause = Duration.seconds(5)

    /// - Parameter deadline: how long the broker may take for one command.
    package init(
        _ settings: AdmissionSettings, _ roster: any Roster, _ session: Session, deadline: Duration = .seconds(10)
    ) {
        self.settings = settings
        self.roster = roster
        self.session = session
        policy = BrokerPolicy(settings)
        plugin = DynamicSecurity(session, deadline: deadline)
    }

    /// To be called at each connection.
    /// - Parameter inLine: called whenever the broker is in line with all changes, with the people of whom a client was
    ///   found there and removed since the last call.
    package func connected(inLine: @escaping (Set<ID>) -> Void) {
        self.inLine = inLine
        state = .underWay
        plugin.open { [unowned self] error in
            if let error { finish(error) } else { bringInLine() }
        }
    }

    /// To be called when the connection is gone.
    package func disconnected() {
        state = .disconnected
        retrying?.cancel()
        plugin.close()
    }

    /// Whether a message was an answer to us.
    package func received(_ message: Message) -> Bool { plugin.received(message) }

    /// Takes settings that were read again.
    package func reload(_ settings: AdmissionSettings) {
        self.settings = settings
        policy = BrokerPolicy(settings)
        switch state {
        case .disconnected: break
        case .underWay: isBehind = true
        case .ready, .failed: bringInLine()
        }
    }

    /// A change may not have reached the broker, though we are connected: the database's state has to reach it
    /// nevertheless.
    private func catchUp() {
        isBehind = true
        // Otherwise the end of what is under way, the next try, or the next connection takes care of it.
        guard case .ready = state else { return }
        retrying?.cancel()
        retrying = session.loop.after(Self.pause) { [unowned self] in bringInLine() }
    }
}

extension BrokerRules {
    /// Ends bringing the rules in line, with an error if it failed; then the waiting changes get their turn.
    func finish(_ error: RulesError?) {
        // The session reports a lost connection, and the next one brings us back here.
        guard case .underWay = state, error?.reason != .notConnected else { return }
        if let error {
            log.error("the broker's rules are not in line, and nobody new is let in: \(error)", event: .rulesNotInLine)
            state = .failed(error)
            retrying = session.loop.after(Self.retryInterval) { [unowned self] in bringInLine() }
        } else {
            state = .ready
            if isBehind {
                catchUp()
            } else {
                let people = found
                found = []
                inLine(people)
            }
        }
        let queue = waiting.sorted { $0.key < $1.key }.map(\.value)
        waiting = [:]
        for change in queue {
            change.deadline.cancel()
            if let error { change.fail(error) } else { change.body() }
        }
        settled(error)
    }
}

// MARK: Changes

extension BrokerRules {
    /// Lets a device of a person in.
    /// - Parameter password: what the device will say; the broker keeps a hash of it.
    package func add(device: ID, of user: ID, password: String, _ completion: @escaping Completion) {
        change("let a device in", completion) { [unowned self] () throws(VaultError) in
            let households = try roster.households(of: user)
            let roles = policy.rolesAlone(of: device, of: user, households: households).map { Command.createRole($0) }
            let names = policy.roles(ofDevice: device, of: user, households: households)
            make(roles)
            add(device.text, password, names, completion)
        }
    }

    /// Lets a gateway in, and its owner's devices see it if it is for their household. If it was let in before under
    /// another password, that password is no longer valid.
    package func add(gateway: ID, owner: ID?, isHousehold: Bool, password: String, _ completion: @escaping Completion) {
        change("let a gateway in", completion) { [unowned self] () throws(VaultError) in
            make([.createRole(policy.role(ofGateway: gateway))])
            // The gateway itself comes last, and at once: it is in the database only after the broker has confirmed it,
            // and if the rules are brought in line in the meantime, clients that the database does not know are ended.
            if let owner, isHousehold, ownersDecide {
                // Its role may be there without rules: see `setHousehold`.
                let role = BrokerRole.household(of: gateway, policy.topics)
                make([.createRole(role), .modifyRole(role)])
                try sendRoles(ofDevicesOf: owner, with: gateway, catchingUpOnFailure { _ in })
            }
            add(gateway.text, password, policy.roles(ofGateway: gateway), completion)
        }
    }

    /// Whether owners decide what they see of their gateways, and not the settings for everybody.
    package var ownersDecide: Bool { policy.household == .owners }

    /// Gives a person's devices what a household may do at a gateway of theirs, or takes it from them, as the database
    /// says.
    package func setHousehold(of gateway: ID, owner: ID, _ completion: @escaping Completion) {
        guard ownersDecide else { return completion(nil) }
        let completion = catchingUpOnFailure(completion)
        change("change what the owner of a gateway sees", completion) { [unowned self] () throws(VaultError) in
            // The role may be there without rules, from the last time that this was taken away. And it stays, because
            // an operator may have given it to a client, which must not be deleted after its role (see below).
            let isHousehold = try roster.households(of: owner).contains(gateway)
            let role = isHousehold ? BrokerRole.household(of: gateway, policy.topics) : .household(ofRemoved: gateway)
            make([.createRole(role), .modifyRole(role)])
            try sendRoles(ofDevicesOf: owner, completion)
        }
    }

    /// Ends a client, a device's or a gateway's: its connections are closed and it cannot come again. Its will is not
    /// published, and its retained messages stay at the broker until somebody clears them.
    package func remove(_ username: ID, _ completion: @escaping Completion) {
        let completion = catchingUpOnFailure(completion)
        change("end a client", completion) { [unowned self] () throws(VaultError) in
            withdraw(Self.ending(username), completion)
        }
    }

    /// Ends a gateway's client, and the rights of its household. The role of the household has no rules any more at once, and goes
    /// when the rules are next brought in line, which takes it from its clients first: Mosquitto 2.0.11 crashes when a client is
    /// deleted of which a role was deleted before.
    package func remove(gateway: ID, _ completion: @escaping Completion) {
        let completion: Completion = { [unowned self] error in
            catchUp()
            completion(error)
        }
        change("end a gateway", completion) { [unowned self] () throws(VaultError) in
            withdraw(
                [
                    .deleteClient(gateway.text), .deleteRole(BrokerRole.name(ofGateway: gateway)),
                    .modifyRole(.household(ofRemoved: gateway)),
                ], completion)
        }
    }

    /// Ends all devices of a person, and what the person may do.
    package func remove(person user: ID, devices: [ID], _ completion: @escaping Completion) {
        let completion = catchingUpOnFailure(completion)
        change("end a person's devices", completion) { [unowned self] () throws(VaultError) in
            let role = Command.deleteRole(BrokerRole.name(ofPerson: user))
            withdraw(devices.flatMap(Self.ending) + [role], completion)
        }
    }

    /// What ends a client: a phone's role is nobody else's, and goes with it.
    private static func ending(_ username: ID) -> [Command] {
        let client = Command.deleteClient(username.text)
        return BrokerRole.isPhone(username) ? [client, .deleteRole(BrokerRole.name(ofPhone: username))] : [client]
    }

    /// Gives a person's devices the roles that the database says. They are disconnected, and come again.
    /// - Parameter gateway: a gateway of their household that may not be in the database yet.
    private func sendRoles(
        ofDevicesOf user: ID, with gateway: ID? = nil, _ completion: @escaping Completion
    ) throws(VaultError) {
        let households = Set(try roster.households(of: user)).union([gateway].compactMap { $0 })
        let ordered = households.sorted { $0.text < $1.text }
        // A phone's roles have nothing to do with gateways.
        let devices = try roster.devices(of: user).filter { !BrokerRole.isPhone($0) }
        let commands = devices.map { device in
            Command.setRoles(policy.roles(ofDevice: device, of: user, households: ordered), of: device.text)
        }
        for device in devices.prefix(1) {
            make(policy.rolesAlone(of: device, of: user, households: ordered).map { Command.createRole($0) })
        }
        withdraw(commands, completion)
    }

    typealias Command = DynamicSecurity.Command

    /// Does `body` in its turn.
    private func change(
        _ attempted: String, _ completion: @escaping Completion, _ body: @escaping () throws(VaultError) -> Void
    ) {
        let work = {
            do throws(VaultError) { try body() } catch {
                completion(RulesError(reason: .refused, attempted: attempted, said: "\(error)"))
            }
        }
        switch state {
        case .ready: return work()
        case .failed(let error): return completion(error)
        case .disconnected, .underWay: break
        }
        guard waiting.count < Self.waitingLimit else {
            return completion(
                RulesError(reason: .busy, attempted: attempted, said: "too many changes wait for the broker"))
        }
        number += 1
        let key = number
        let deadline = session.loop.after(Self.patience) { [unowned self] in
            let error = RulesError(
                reason: .noAnswer, attempted: attempted, said: "the broker was not ready within \(Self.patience)")
            waiting.removeValue(forKey: key)?.fail(error)
        }
        waiting[key] = Waiting(body: work, fail: { completion($0) }, deadline: deadline)
    }

    /// Sends commands that make roles. It is no failure if they are there already, and any other failure shows in the
    /// commands that follow.
    private func make(_ roles: [Command]) { plugin.perform(roles) { _ in } }

    private func add(
        _ username: String, _ password: String, _ roles: Set<String>, _ completion: @escaping Completion
    ) {
        plugin.perform(.createClient(username, password: password, roles)) { [unowned self] result in
            switch result {
            case .success: completion(nil)
            case .failure(let error) where error.said == "Client already exists":
                let commands: [Command] = [
                    .setPassword(password, of: username), .setRoles(roles, of: username),
                ]
                plugin.perform(commands) { completion($0.first) }
            case .failure(let error): completion(error)
            }
        }
    }

    /// Wraps the completion of a change that must not be forgotten if it fails.
    private func catchingUpOnFailure(_ completion: @escaping Completion) -> Completion {
        { [unowned self] error in
            if error != nil { catchUp() }
            completion(error)
        }
    }

    /// Sends commands whose object may be gone already.
    private func withdraw(_ commands: [Command], _ completion: @escaping Completion) {
        plugin.perform(commands) { errors in
            let isGone = { (said: String) in said.hasSuffix("not found") || said == "Role does not exist" }
            completion(errors.first { !($0.reason == .refused && isGone($0.said)) })
        }
    }
}
