import Daemon
import MQTT
import Telemetry
import Vault

// The service: what comes in by MQTT becomes durable, and then the gateways hear of it.
//
// At the start the root key is checked, the databases are opened, and the streams are brought in line with the settings.
// Then there is one thread, the MQTT session's. On it a message on `gateways/+/blocks` is collected; at the end of the
// batch `Ingest` judges and stores all of it in one transaction. After the COMMIT the signed answers are published, and
// only then do the PUBACKs leave. Where the database says no, nothing is answered and the session reconnects after a
// pause: gateways send again what was not acknowledged, so correctness rests on our own acknowledgements alone.
//
// After each connection the grants and the presence are published again, retained: a broker that was restarted has
// forgotten them. Presence comes last, because gateways send as soon as they see it; by then the broker has the
// subscription, which the session renews before anything is published.

/// The service. `start` and `stop` belong to the owner, who must stop what was started.
// Proof of @unchecked: what is `var`, and the databases behind `ingest` and `grants`, are touched in `init`, and then by the
// session's thread only, until `stop` has ended that; the rest does not change.
final class Consumer: @unchecked Sendable {
    private let settings: ConsumerSettings
    /// Two programs on one folder would be one too many.
    private let lock: StateLock
    private let readiness: Readiness
    private let failed: @Sendable (any Error) -> Void
    private let session: Session
    private let control: Control
    private let grants: Grants
    private var ingest: Ingest
    private var reported = OncePerMinute<String>(capacity: 1024)
    /// Grants and presence of this connection that the broker has not acknowledged.
    private var unpublished = 0
    private var isSubscribed = false
    private var presence: Presence
    private let presenceTopic: String

    /// A consumer that does not run yet.
    /// - Parameter failed: told, on the session's thread, when the service cannot go on.
    /// - Throws: where the settings, the root key or a database do not allow it to.
    init(_ settings: ConsumerSettings, readiness: Readiness, failed: @escaping @Sendable (any Error) -> Void) throws {
        self.settings = settings
        self.readiness = readiness
        self.failed = failed
        try createFolder(settings.state)
        lock = try StateLock(folder: settings.state)
        let keys = try Keys(settings, .write)
        let store = try Store(folder: settings.state)
        let grants = Grants(store: store, keys: keys)
        try Failure.explaining { () throws(VaultError) in
            try grants.settle(settings.people, now: unixMilliseconds())
        }
        self.grants = grants
        ingest = Ingest(store, keys, gateways: settings.gateways)
        control = Control(store: store.id, topics: settings.topics, identity: keys.identity)

        var options = settings.broker
        if options.clientID.isEmpty { options.clientID = "vitals-consumer-\(store.id)" }
        options.batchLimit = settings.batch.count
        options.batchDuration = settings.batch.duration
        presence = Presence(instance: try StreamID(bytes: RandomBytes.draw(16)).description)
        presenceTopic = settings.topics[.consumer(store: store.id, instance: try ID("main"))]
        options.will = Message(
            topic: presenceTopic, payload: presence.payload(.offline, time: nil), qos: .atLeastOnce, retain: true)
        session = Session(options, threadName: "mqtt")
    }

    /// The store's id.
    var store: StoreID { control.store }

    /// How many messages had which end. After `stop`.
    var counts: Ingest.Counts { ingest.counts }

    /// Starts the thread and connects.
    func start() {
        log.notice("store \(store), broker \(settings.broker.address)")
        let blocks = Subscription(settings.topics.everyGateway(.blocks), retainHandling: .doNotSend)
        session.subscribe([Subscription(presenceTopic), blocks]) { [unowned self] subscription, error in
            guard subscription == blocks else { return }
            isSubscribed = error == nil
            tellReadiness()
        }
        giveSignsOfLife()
        session.start(
            Handlers(
                stateChanged: { [unowned self] in stateChanged($0) },
                received: { [unowned self] in received($0) },
                commit: { [unowned self] in commit() },
                problem: { log.error("\($0)") }))
    }

    /// Says goodbye and ends the thread. A batch that was received is committed before.
    func stop() {
        session.loop.perform { [self] in
            if !presence.isSuperseded { publishPresence(.offline) { _ in } }
        }
        session.stop()
        let counts = ingest.counts
        log.notice(
            "stopped: \(counts.stored) blocks stored, \(counts.duplicates) came again, \(counts.refused) refused")
    }

    private func giveSignsOfLife() {
        guard let interval = readiness.watchdogInterval else { return }
        readiness.alive()
        session.loop.after(interval) { [unowned self] in giveSignsOfLife() }
    }
}

// MARK: The connection

extension Consumer {
    private func stateChanged(_ state: State) {
        switch state {
        case .connecting, .stopped: log.debug("\(state)")
        case .connected:
            presence.connected()
            publishRetained()
        case .waiting(let reason, _) where reason.isTakenOver: giveUp()
        case .waiting:
            log.warning("\(state)")
            readiness.status("\(state)")
        }
    }

    private func giveUp() {
        failed(
            Failure(
                .failure, "another consumer has taken over store \(store)",
                hint: "one consumer runs on a store at a time: look for the other one"))
    }

    private func publishRetained() {
        let grants: [(gateway: ID, grant: Grant)]
        do throws(VaultError) { grants = try self.grants.current() } catch {
            log.error("\(error)")
            return
        }
        unpublished = grants.count + 1
        for (gateway, grant) in grants {
            do throws(VaultError) {
                let (topic, payload) = try control.message(grant, gateway)
                session.publish(payload, to: topic, qos: .atLeastOnce, retain: true) { [unowned self] in published($0) }
            } catch {
                log.error("\(error)")
            }
        }
        publishPresence(.online) { [unowned self] in published($0) }
        log.notice("connected to the broker; \(grants.count) grants")
    }

    private func publishPresence(_ state: Availability, _ acknowledged: @escaping @Sendable (MQTTError?) -> Void) {
        let payload = presence.payload(state, time: unixMilliseconds())
        session.publish(payload, to: presenceTopic, qos: .atLeastOnce, retain: true, acknowledged: acknowledged)
    }

    private func published(_ error: MQTTError?) {
        if let error { return log.error("\(error)") }
        unpublished -= 1
        tellReadiness()
    }

    private func tellReadiness() {
        guard isSubscribed, unpublished == 0 else { return }
        readiness.ready(status: "connected to the broker at \(settings.broker.address)")
    }
}

// MARK: Batches

extension Consumer {
    private func received(_ message: Message) {
        guard message.topic != presenceTopic else {
            switch presence.received(message.payload) {
            case .none: break
            case .sayOnlineAgain: publishPresence(.online) { _ in }
            case .superseded: giveUp()
            }
            return
        }
        guard case .gateway(let gateway, .blocks)? = settings.topics.parse(message.topic) else { return }
        ingest.collect(message.payload, from: gateway)
    }

    private func commit() -> Bool {
        do throws(VaultError) {
            let (answers, reports) = try ingest.commit(now: millisecondsSinceBoot())
            for answer in answers {
                let (topic, payload) = try control.message(answer)
                session.publish(payload, to: topic, qos: .atLeastOnce)
            }
            for report in reports { tell(report) }
            return true
        } catch {
            log.error("nothing of this batch was kept or acknowledged: \(error)")
            return false
        }
    }

    /// Logs what an operator should hear of: of each kind from each gateway once a minute.
    private func tell(_ report: Report) {
        let block = report.identity.map { " block \($0)" } ?? ""
        let start = "gateway \(report.gateway):\(block)"
        switch report.verdict {
        case .stored, .duplicate, .discarded: return
        case .conflict:
            guard isDue("conflict", report) else { return }
            log.error(
                "\(start) came again with other bytes: refused. A cloned gateway, or someone who pretends to be it")
        case .unreadable:
            guard isDue("unreadable", report) else { return }
            log.error("\(start) does not open, or says nothing: refused")
        case .notNow:
            guard isDue("not now", report) else { return }
            log.warning("\(start) cannot be opened yet: asked for its session's key")
        case .ignored(let reason):
            guard isDue(reason.rawValue, report) else { return }
            log.warning("\(start) ignored: \(reason.rawValue)")
        }
    }

    private func isDue(_ kind: String, _ report: Report) -> Bool {
        // Whoever makes up gateways must not fill the table, and so silence the alarms of those that there are.
        let isStranger = report.verdict == .ignored(.unknownGateway)
        return reported.allows(isStranger ? kind : "\(kind) \(report.gateway)", now: millisecondsSinceBoot())
    }
}
