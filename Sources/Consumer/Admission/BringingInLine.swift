import Daemon
import Telemetry

// What happens at each connection, and after settings were read again: the broker's rules are read, compared with the
// roster, and corrected.

extension BrokerRules {
    /// A page of a list stays well below what `JSON` reads: a role of a household has a dozen rules.
    private static let pageSize = 32

    /// Makes the broker's rules agree with the database; then calls `finish`.
    func bringInLine() {
        retrying?.cancel()
        isBehind = false
        state = .underWay
        denyByDefault { [unowned self] in
            list { [unowned self] actual in
                let wanted: BrokerAccess
                do throws(Failure) { wanted = try BrokerAccess(settings, roster) } catch {
                    return finish(
                        RulesError(reason: .refused, attempted: "bring the broker's rules in line", said: "\(error)"))
                }
                putRight(actual, wanted)
            }
        }
    }

    /// Reads the access that applies if no rule matches, sets it, and reads it again: the broker has been known to
    /// answer yes and change nothing.
    private func denyByDefault(isSecondTime: Bool = false, then body: @escaping @Sendable () -> Void) {
        perform(Command("getDefaultACLAccess")) { [unowned self] data in
            if Self.defaultAccess(data) == BrokerAccess.byDefault { return body() }
            guard !isSecondTime else {
                return finish(
                    RulesError(
                        reason: .refused, attempted: "have the broker deny what no rule allows",
                        said: "it says that it does, and does not",
                        hint: "stop it, have `vitals-consumer broker-rules` write the plugin's file, and start it"))
            }
            log.warning("the broker allowed what no rule allows: it is told to deny it")
            perform(.setDefaultAccess(BrokerAccess.byDefault)) { [unowned self] _ in
                denyByDefault(isSecondTime: true, then: body)
            }
        }
    }

    private static func defaultAccess(_ data: JSON) -> [String: Bool] {
        guard case .array(let list)? = data["acls"] else { return [:] }
        var access: [String: Bool] = [:]
        for rule in list {
            if case .string(let type)? = rule["acltype"], case .bool(let isAllowed)? = rule["allow"] {
                access[type] = isAllowed
            }
        }
        return access
    }

    private func list(then body: @escaping @Sendable (BrokerState) -> Void) {
        pages(of: .roles, into: BrokerState()) { [unowned self] state in
            pages(of: .groups, into: state) { [unowned self] state in
                perform(Command("getAnonymousGroup")) { [unowned self] data in
                    var state = state
                    if case .string(let name)? = data["group"]?["groupname"] { state.anonymousGroup = name }
                    pages(of: .clients, into: state, then: body)
                }
            }
        }
    }

    /// Reads a list: its first page says how long it is, and the others are asked for together.
    private func pages(
        of list: BrokerState.List, into state: BrokerState, then body: @escaping @Sendable (BrokerState) -> Void
    ) {
        perform(.list(list, from: 0, atMost: Self.pageSize)) { [unowned self] data in
            let pages = BrokerPages(list, into: state, then: body)
            var total = 0
            if case .integer(let count)? = data["totalCount"] { total = Int(clamping: count) }
            let offsets = Array(stride(from: Self.pageSize, to: total, by: Self.pageSize))
            pages.missing = 1 + offsets.count
            pages.take(data)
            for offset in offsets {
                perform(.list(list, from: offset, atMost: Self.pageSize)) { pages.take($0) }
            }
        }
    }

    private func putRight(_ actual: BrokerState, _ wanted: BrokerAccess) {
        let differences = BrokerDifferences(from: actual, to: wanted)
        let commands = differences.commands + newPasswords(wanted, actual)
        plugin.perform(commands) { [unowned self] errors in
            for error in errors.prefix(10) { log.error("\(error)") }
            if let error = errors.first { return finish(error) }
            log.info("the broker's rules are as the database says, after \(counted(commands.count, "change"))")
            for username in differences.removed {
                found.formUnion((actual.clients[username] ?? []).compactMap(BrokerRole.person))
            }
            if !differences.removed.isEmpty {
                log.warning(
                    "removed \(counted(differences.removed.count, "client")) from the broker that belonged to nobody")
            }
            if !differences.missing.isEmpty {
                log.error(
                    """
                    the broker has lost \(differences.missing.count) clients, which cannot sign in: stop it, have \
                    `vitals-consumer broker-rules` write the plugin's file, and start it
                    """)
            }
            finish(nil)
        }
    }

    /// Sets the gateways' passwords that were changed in the settings while we ran. At the start there is nothing to
    /// compare them with, and setting one again would disconnect the gateway: `broker-rules` compares it with the
    /// plugin's file.
    private func newPasswords(_ wanted: BrokerAccess, _ actual: BrokerState) -> [Command] {
        var commands: [Command] = []
        for (username, client) in wanted.clients {
            guard case .password(let password) = client.secret else { continue }
            let before = passwords.updateValue(password, forKey: username)
            guard let before, before != password, actual.clients[username] != nil,
                username != settings.username
            else { continue }
            commands.append(.setPassword(password, of: username))
        }
        return commands
    }

    private func perform(_ command: Command, _ body: @escaping @Sendable (JSON) -> Void) {
        plugin.perform(command) { [unowned self] result in
            switch result {
            case .success(let data): body(data)
            case .failure(let error): finish(error)
            }
        }
    }
}

/// Collects the pages of a list until all are there.
// Proof of @unchecked: touched on the session's thread only, where every answer arrives.
private final class BrokerPages: @unchecked Sendable {
    var missing = 0
    private let list: BrokerState.List
    private var state: BrokerState
    private let completion: (BrokerState) -> Void

    init(_ list: BrokerState.List, into state: BrokerState, then completion: @escaping (BrokerState) -> Void) {
        self.list = list
        self.state = state
        self.completion = completion
    }

    func take(_ data: JSON) {
        if case .array(let items)? = data[list.rawValue] {
            for item in items { state.add(item, from: list) }
        }
        missing -= 1
        if missing == 0 { completion(state) }
    }
}
