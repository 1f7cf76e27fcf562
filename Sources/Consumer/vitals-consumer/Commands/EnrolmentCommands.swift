import Daemon
import Glibc
import Readings
import Records
import Sensors
import Storage
import Telemetry

/// `vitals-consumer enrol-code`: draws a code for one of the operator's gateways, while the service is running.
struct EnrolCodeCommand {
    static let declaration = Command(
        name: "enrol-code",
        summary: "Prints a code that enrols one gateway, once, within an hour.",
        discussion: """
            The code is for a gateway that no person owns; people get their own codes with `vitals enrol`. Type it when \
            `vitals-gateway enrol` asks for it. This works while the service is running; the service must have accounts.
            """,
        options: [.value("gateway", "ID", "the gateway's id in topics (default: drawn at random)")],
        examples: [Example("vitals-consumer enrol-code --gateway attic")])

    /// The gateway's id; nil lets the service draw one.
    let gateway: ID?

    /// Prints the code on `output`, a file descriptor, and what to do with it on standard error.
    func run(_ settings: ConsumerSettings, now: Int64, output: CInt) throws(Failure) -> ExitCode {
        guard settings.hasAccounts else {
            throw Failure(
                .configuration, "the settings have no accounts, so nobody answers a gateway that wants to be enrolled",
                hint:
                    "add accounts: { sign_up: false } and broker_rules: {}, or enrol it by settings: vitals-gateway identity"
            )
        }
        if let gateway, settings.gateways[gateway] != nil {
            throw Failure(
                .configuration, "the settings have a gateway \(gateway)",
                hint: "remove it from the settings to enrol it with a code")
        }
        if let gateway, gateway.text == settings.broker.username {
            throw Failure(
                .configuration,
                "\(gateway) is the consumer's own name at the broker, which the gateway would take from it",
                hint: "give the gateway another")
        }
        if let gateway, gateway.text == OwnGateway.name {
            throw Failure(
                .configuration, "\(gateway) is the name under which the consumer stores what phones send",
                hint: "give the gateway another")
        }
        guard access(settings.state + "/vitals.db", F_OK) == 0 else {
            throw Failure(.configuration, "there is no database yet", hint: "start the service first")
        }
        let keys = try Keys(settings, .read)
        let store = try Store(settings)
        let code = try Failure.explaining { () throws(VaultError) in
            try store.database.transaction { () throws(VaultError) in
                try EnrolmentCodes(store: store, keys: keys).make(Invitation(gateway: gateway), now: now).code
            }
        }
        var lines = Lines(output)
        lines.write(Array(code.text.utf8))
        lines.flush()
        log.notice("it works once, for an hour: enter it when `vitals-gateway enrol` asks for it")
        return .ok
    }
}

extension EnrolCodeCommand: Subcommand {
    init(_ arguments: Arguments) throws {
        self.init(gateway: try arguments.optionalID("gateway").map { try ID($0) })
    }

    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        try run(settings, now: unixMilliseconds(), output: output)
    }
}

/// `vitals-consumer gateways`: lists the gateways that were enrolled by a code, and those of the settings; or removes
/// one, which a running service takes at SIGHUP.
struct GatewaysCommand {
    static let declaration = Command(
        name: "gateways",
        summary: "Lists the enrolled gateways, one JSON object on each line, or removes one.",
        discussion: """
            It also shows who owns them, and which of their sensors people have claimed. Nothing from a removed gateway is \
            accepted any more, and the claims of its sensors end; tell a running service with SIGHUP (systemctl reload).
            """,
        options: [.value("remove", "ID", "removes a gateway that was enrolled with a code")])

    /// The gateway to remove; nil lists them.
    var removed: ID?

    /// Writes one JSON object a line to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        if let removed { return try remove(removed, settings, output) }
        let keys = try Keys(settings, .read)
        let store = try Store(settings, readOnly: true)
        var lines = Lines(output)
        try Failure.explaining { () throws(VaultError) in
            for id in settings.gateways.keys.sorted(by: { $0.text < $1.text }) {
                lines.write((["gateway": .string(id.text), "enrolled": "by settings"] as JSON).bytes)
            }
            for gateway in try EnrolledGateways(store: store, keys: keys).all() {
                let sensors = try Claims(store: store).sensors(at: gateway.id).map(\.sensor.text).sorted()
                lines.write(
                    JSON.object(present: [
                        "gateway": .string(gateway.id.text), "enrolled": .integer(gateway.enrolled),
                        "owner": gateway.owner.map { .string($0.text) }, "household": .bool(gateway.isHousehold),
                        "claimed": .array(sensors.map(JSON.string)),
                    ]).bytes)
            }
        }
        lines.flush()
        return .ok
    }

    private func remove(_ id: ID, _ settings: ConsumerSettings, _ output: CInt) throws(Failure) -> ExitCode {
        let gateways = EnrolledGateways(store: try Store(settings), keys: try Keys(settings, .read))
        let isThere = try Failure.explaining { () throws(VaultError) in
            try gateways.store.change(naming: try gateways.people(at: id)) { () throws(VaultError) in
                guard let gateway = try gateways.gateway(id) else { return false }
                _ = try gateways.remove(gateway)
                return true
            }
        }
        guard isThere else {
            throw Failure(
                .notFound, "no gateway \(id) was enrolled by a code",
                hint: settings.gateways[id] == nil
                    ? "vitals-consumer gateways lists them" : "take it out of the settings")
        }
        Lines.write("\(id) is removed; a running service takes it at SIGHUP", to: output)
        return .ok
    }
}

extension GatewaysCommand: Subcommand {
    init(_ arguments: Arguments) throws {
        self.init(removed: try arguments.optionalID("remove").map { try ID($0) })
    }
}
