import Daemon
import Telemetry

/// What a running gateway says of itself at the broker: `status`, `info` and `health`.
struct GatewayChecks {
    private let view: BrokerView
    /// The only gateway that counts; nil for all that the broker shows.
    private let id: ID?

    init(_ view: BrokerView, _ id: ID?) { (self.view, self.id) = (view, id) }

    var all: [Check] {
        [
            Check(.gateway, "status", status), Check(.gateway, "health", health),
            Check(.gateway, "bluetooth") { worst(Self.bluetooth) }, Check(.gateway, "sensors") { worst(Self.sensors) },
            Check(.gateway, "outbox") { worst(Self.outbox) }, Check(.gateway, "outbox disk") { worst(Self.disk) },
            Check(.gateway, "acknowledgements") { worst(acknowledgements) },
            Check(.gateway, "consumer", consumer), Check(.gateway, "losses") { worst(Self.losses) },
        ]
    }

    /// The gateways that count; nil if the broker was not reached.
    private var gateways: [Household.Gateway]? {
        view.household?.gateways.filter { id == nil || $0.id == id }
    }

    private func status() -> Finding? {
        guard let gateways else { return nil }
        let start = "sudo systemctl start vitals-gateway"
        guard !gateways.isEmpty else {
            return .problem("no gateway has said anything at this broker", "start it, and see its log", run: start)
        }
        if let gone = gateways.first(where: { !$0.isOnline }) {
            return .problem("gateway \(gone.id) is offline", "start it, and see its log", run: start)
        }
        for case .success(let info)? in gateways.map(\.info) where info.version != Daemon.version {
            return .warning(
                "the running gateway is of version \(info.version), and vitals of \(Daemon.version)",
                "restart it after an upgrade", run: "sudo systemctl restart vitals-gateway")
        }
        return .ok(gateways.map { "\($0.id)" }.joined(separator: ", ") + " online")
    }

    /// Whether each gateway that is online also says how it is.
    private func health() -> Finding? {
        guard let gateways = gateways?.filter(\.isOnline), !gateways.isEmpty else { return nil }
        for gateway in gateways {
            switch gateway.health {
            case .success: continue
            case .failure(let error):
                return .unknown("its health cannot be read: \(error)", "install one version of all programs")
            case nil:
                return .unknown(
                    "gateway \(gateway.id) has said nothing for 90 s", "see its log",
                    run: "journalctl -u vitals-gateway")
            }
        }
        return .ok("says how it is")
    }

    /// The worst of what `judge` finds in the health of the gateways; nil if none says how it is.
    private func worst(_ judge: (HealthPayload) -> Finding) -> Finding? {
        (gateways ?? []).compactMap { try? $0.health?.get() }.map(judge).max { $0.severity < $1.severity }
    }

    private static func bluetooth(_ health: HealthPayload) -> Finding {
        guard health.bluetooth != "ready" else { return .ok("ready") }
        return .problem("the gateway is \(health.bluetooth)", "what each state means: deploy/bluetooth.md")
    }

    private static func sensors(_ health: HealthPayload) -> Finding {
        let text = "\(health.sensors.connected) of \(health.sensors.configured) connected"
        guard health.sensors.configured > 0 else {
            return .warning("the gateway has no sensor", "find one, and connect it", run: "vitals scan")
        }
        guard health.sensors.connected > 0 else {
            return .warning(text, "wear it, and see whether it is near", run: "vitals scan")
        }
        return .ok(text)
    }

    private static func outbox(_ health: HealthPayload) -> Finding {
        let outbox = health.outbox
        guard let percent = outbox.fullPercent, percent >= 50 else {
            return .ok("\(counted(outbox.blocks, "block")) waiting")
        }
        let text = "\(percent) % full"
        guard percent < 80 else {
            return .problem(
                "\(text): at 100 % the oldest readings are dropped", "is the consumer running and reachable?")
        }
        return .warning(text, "is the consumer running and reachable?")
    }

    private static func disk(_ health: HealthPayload) -> Finding {
        guard let disk = health.disk, disk != .ok else { return .ok("takes what is written") }
        return .problem(
            "the gateway's disk is \(disk.rawValue): readings wait in memory", "make room, or replace the card",
            run: "journalctl -u vitals-gateway")
    }

    /// Blocks that wait for longer than this have not merely been overtaken by the next ones.
    private static let patience = 300

    private func acknowledgements(_ health: HealthPayload) -> Finding {
        let outbox = health.outbox
        guard outbox.blocks > 0, outbox.oldestSeconds > Self.patience else {
            return .ok(outbox.blocks == 0 ? "nothing waits for one" : "none is late")
        }
        guard health.consumer != .older else { return Self.olderStore }
        let text = "\(counted(outbox.blocks, "block")) without one, the oldest for \(outbox.oldestSeconds / 60) min"
        guard view.onlineConsumers.map({ $0 > 0 }) ?? (health.consumer == .online) else {
            return .problem(text + "; no consumer is online", "start it", run: "sudo systemctl start vitals-consumer")
        }
        return .problem(
            text + "; a consumer is online", "does each know the other's key? Enrol the gateway again",
            run: "vitals enrol --again")
    }

    /// Whether the gateway has somebody to send to.
    private func consumer() -> Finding? {
        let away = Finding.problem(
            "no consumer is online at \(view.call.broker.address): readings wait at the gateway",
            "start it where it runs, and see its log", run: "sudo systemctl start vitals-consumer")
        let seen = view.onlineConsumers
        if seen == 0 { return away }
        return worst { health in
            switch health.consumer {
            case .older: Self.olderStore
            case .offline where seen == nil: away
            case .offline:
                .warning(
                    "a consumer is online at \(view.call.broker.address), but the gateway does not see its own",
                    "is it the consumer that the gateway was enrolled at? See the gateway's log",
                    run: "journalctl -u vitals-gateway")
            case .online: .ok("online")
            case nil: .ok(seen.map { "\(counted($0, "consumer")) online" } ?? "it does not say whether one is there")
            }
        }
    }

    private static let olderStore = Finding.problem(
        "the consumer's store is older than the gateway's grants: nothing is sent to it",
        "start the newer one, or restore it with --above: the gateway's log has the whole command",
        run: "journalctl -u vitals-gateway VITALS_EVENT=store-older")

    private static func losses(_ health: HealthPayload) -> Finding {
        guard health.dead == 0 else {
            return .problem(
                "the consumer has refused \(counted(health.dead, "block"))", "its log says why",
                run: "journalctl -u vitals-consumer")
        }
        guard health.dropped == 0 else {
            return .warning(
                "dropped because the outbox was full: \(counted(health.dropped, "reading"))",
                "raise outbox.limit in the gateway's settings, or keep the consumer reachable")
        }
        guard health.notRecorded == 0 || health.recordsEverySensor else {
            return .warning(
                "not recorded, of sensors that belong to nobody: \(counted(health.notRecorded, "reading"))",
                "claim the sensor", run: "vitals-gateway claim-code")
        }
        return .ok("none")
    }
}
