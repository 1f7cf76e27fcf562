import Admission
import Custody
import Daemon
import Days
import Desk
import Exposition
import Features
import Insight
import MQTT
import Reactor
import Readings
import Records
import Sensors
import Storage
import Telemetry
import Vault

// The service: it makes durable what comes in by MQTT, and then tells the gateways.
//
// At the start the root key is checked, the databases are opened, what is in them is flushed, and the streams are
// brought in line with the settings. Then one thread does the work, the MQTT session's. On it a message on
// `gateways/+/blocks` is collected; at the end of the batch `Ingest` judges and stores all of it in one transaction.
// After the COMMIT the signed answers are published, and only then do the PUBACKs leave. If the database fails,
// nothing is answered, and the session reconnects after a pause: gateways send again what was not acknowledged, so
// correctness rests on our own acknowledgements alone.
//
// After each connection the grants and the presence are published again, retained: a broker that was restarted has
// forgotten them. Presence comes last, because gateways send as soon as they see it; it waits until the broker has
// granted the subscription to their blocks.
//
// Requests of people come on the same thread, and are answered after the batch that they came in: see the target Desk,
// and FeaturesAtDesk.swift.
//
// On SIGHUP the settings are read again: see Reload.swift.

/// The service. `start` and `stop` belong to the owner, who must stop what was started.
// Proof of @unchecked: `ends` is the owner's. Every other `var`, and the databases behind `ingest` and `grants`, are
// touched in `init`, and then by the session's thread only, until `stop` has ended that thread; the rest does not
// change.
final class Consumer: PeopleObserver, @unchecked Sendable {
    var settings: ConsumerSettings
    /// Keeps a second program from using the same folder.
    private let folder: StateFolder
    private let readiness: Readiness
    let failed: @Sendable (any Error) -> Void
    let session: Session
    let control: Control
    let changes = PeopleChanges()
    let streams: Streams
    var ingest: Ingest
    /// Stores what comes to the consumer itself, as a gateway of its own.
    let own: OwnGateway
    /// Nil where the broker's rules are the operator's own.
    let rules: BrokerRules?
    let forgetting: Forgetting
    let stale: StaleHours
    let packing: Packing
    /// Where people's requests come in.
    let desk: Desk
    /// Read for people's questions; those for what people take along are apart, and so are those for the statistics of
    /// years, which take a while.
    private let readers: FeatureReaders
    /// Reads the hours that have very much in them: see StaleHours.
    private let hours = EventLoop(name: "hours")
    private let latest: LatestMinutes
    let days: Days
    /// The features at the desk.
    let features: FeaturesAtDesk
    /// Ends what was started; in the order of the starts. The owner's.
    private var ends: [() -> Void] = []
    /// Whether the disk takes what is written.
    private(set) var disk = DiskState()
    /// What only metrics tell.
    var measured = ConsumerMetrics.Counts()
    private let metrics = ConsumerMetrics()
    /// Failed tries to connect to the broker.
    private var failedTries = LastingTrouble()
    var reported = OncePerMinute<String>(capacity: 1024)
    /// What was logged because of messages from outside: a table of its own, so that they cannot keep anything else
    /// from being logged.
    var told = OncePerMinute<String>(capacity: 4096)
    /// The topic on which blocks came last, and its gateway: the next ones mostly come from the same.
    private var lastBlocks: (topic: String, gateway: ID)?
    // What is tried again where it fails.
    lazy var republishing = Retry(on: session.loop, .steady(.seconds(5))) { [unowned self] in publishSettled() }
    lazy var enrolling = Retry(on: session.loop, .steady(.seconds(5))) { [unowned self] in gatewaysChanged() }
    private lazy var retaining = Retry(on: session.loop, .steady(.seconds(5))) { [unowned self] in
        if isSubscribed { publishRetained() }
    }
    /// Sensors whose grant must be published again when the minute is over.
    var overwritten: Set<SensorName> = []
    /// Whether a newer copy was seen: several of its grants may come.
    var isSuperseded = false
    /// Grants and presence of this connection that the broker has not acknowledged.
    private var unpublished = 0
    private var isSubscribed = false
    private var presence: Presence
    private let presenceTopic: String

    /// A consumer that does not run yet.
    /// - Parameters:
    ///   - features: only tests have others.
    ///   - failed: called, on the session's thread, when the service cannot go on.
    /// - Throws: if the settings, the root key or a database do not allow it to run.
    init(
        _ settings: ConsumerSettings, features: [Feature] = Feature.all, readiness: Readiness,
        failed: @escaping @Sendable (any Error) -> Void
    ) throws {
        self.settings = settings
        self.readiness = readiness
        self.failed = failed
        folder = try StateFolder(settings.state)
        // The root key first: with another one nothing is changed.
        _ = try Keys(settings, .read, mayBeOlder: true)
        try folder.migrate(adding: features.schema)
        let keys = try Keys(settings, .write)
        let store = try Store(settings, features)

        var options = Self.brokerOptions(settings, store.id)
        presence = Presence(instance: try StreamID(bytes: RandomBytes.draw(16)).description)
        presenceTopic = settings.topics[try .presence(of: store.id)]
        options.will = Message(
            topic: presenceTopic, payload: presence.payload(.offline, time: nil), qos: .atLeastOnce, retain: true)
        let session = Session(options, threadName: "mqtt")
        self.session = session
        control = Control(store: store.id, topics: settings.topics, identity: keys.identity)
        rules = settings.brokerRules.map { _ in BrokerRules(settings.admission, store, session) }

        let notifications = Notifications(store, keys)
        // Without accounts nothing about people is retained: see `TodayTopics`.
        latest = LatestMinutes(changes, session, settings.topics, isRetained: settings.hasAccounts)
        let derivations = features.derivations(
            DerivationParts(
                store, keys, zone: settings.timeZone, minutes: latest, goals: GoalReaching(notifications),
                changes: changes))
        let minutes = try derivations.only(HeartRateMinutes.self)
        days = try derivations.only(Days.self)
        let beingForgotten = BeingForgotten()
        let beside = StaleHours.Beside(
            perform: { [hours] in hours.perform($0) }, back: { [loop = session.loop] in loop.perform($0) },
            read: { read in try ReadSource.opened(settings, features) { try read($0.store, $0.keys) } })
        let stale = StaleHours(
            store, keys, derivations, beside: beside, isBeingForgotten: { beingForgotten.contains($0) })
        self.stale = stale
        changes.add(stale)

        streams = Streams(settings, Grants(store: store, keys: keys), control, session, rules, changes)
        forgetting = Forgetting(
            ForgottenPlaces(settings, store: store, keys: keys), features, streams, beingForgotten, changes,
            endReading: { stale.endReading() })
        try Failure.explaining { [forgetting, streams] () throws(VaultError) in
            // A run that was killed between writing a commit and flushing it has left blocks that are in the ledger,
            // and perhaps not on the disk. They come again as duplicates; a transaction that writes nothing flushes
            // nothing.
            try store.database.durably { () throws(VaultError) in }
            // Before anything is opened, or opened for anybody.
            try forgetting.catchUp()
            try store.countTheUncounted(keys)
            try streams.settleAll()
        }
        let own = try Failure.explaining { () throws(VaultError) in try OwnGateway(store, keys) }
        self.own = own
        let identities = try Failure.explaining { () throws(VaultError) in
            try own.joining(EnrolledGateways(store: store, keys: keys).identities(settings))
        }
        ingest = Ingest(
            store, keys, gateways: identities, totals: Totals(store, keys, derivations, stale: stale),
            limits: settings.limits)
        packing = Packing(
            store, keys, ingest.totals.deletions, closedHours: minutes,
            isBeingForgotten: { beingForgotten.contains($0) }, endReading: { stale.endReading() })

        desk = Self.desk(settings, session, beingForgotten)
        readers = FeatureReaders(settings, features, session.loop, stale)
        let context = PeopleContext(
            settings, features, store: store, keys: keys, session: session, rules: rules, changes: changes,
            notifications: notifications,
            doors: ServiceDoors(streams, forgetting, beingForgotten, own, session, settings.topics))
        let parts = FeatureParts(context, days, readers, ingest.totals.deletions, packing)
        self.features = try Failure.explaining { [desk] () throws(VaultError) in try FeaturesAtDesk(parts, desk) }
        changes.add(self)
    }

    private static func desk(_ settings: ConsumerSettings, _ session: Session, _ beingForgotten: BeingForgotten) -> Desk
    {
        let hasAccounts = settings.hasAccounts
        return Desk(
            session, settings.topics,
            closed: { user in
                guard beingForgotten.contains(user) else { return nil }
                let words = "all that is yours is being deleted: wait until it is done"
                return ReplyError(.busy, words, retryAfterSeconds: 5)
            },
            unknown: { name in
                // Most verbs that are missing then have to do with accounts.
                let place = hasAccounts ? "" : "this home has no accounts: without them "
                return ReplyError(
                    .notSupported, "\(place)there is no request \"\(name)\"", field: hasAccounts ? nil : "accounts")
            })
    }

    private static func brokerOptions(_ settings: ConsumerSettings, _ store: StoreID) -> MQTT.Options {
        var options = settings.broker
        // Anybody who knows a client's id can throw it out, even a guest of the broker: nobody should know ours.
        if options.clientID.isEmpty {
            options.clientID = "vitals-consumer-\(store)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        }
        options.batchLimit = settings.batch.count
        options.batchEnough = 256
        options.batchDuration = settings.batch.duration
        return options
    }

    /// The store's id.
    var store: StoreID { control.store }

    /// How many messages had which outcome. After `stop`.
    var counts: Verdicts.Counts { ingest.counts }

    /// Starts the thread and connects.
    func start() {
        log.notice("store \(store), broker \(settings.broker.address)")
        session.subscribe([
            Subscription(presenceTopic), Subscription(settings.topics.everySensor(.grant)),
            Subscription(settings.topics.everyGateway(.grants), retainHandling: .doNotSend),
            Subscription(settings.topics.everyGateway(.live), qos: .atMostOnce, retainHandling: .doNotSend),
        ])
        session.subscribe(desk.subscriptions)
        session.subscribe(features.subscriptions)
        giveSignsOfLife()
        for reader in readers.all {
            reader.start()
            ends.append { reader.stop() }
        }
        hours.start()
        ends.append { [stale, hours] in
            stale.stop()
            hours.stop()
        }
        session.loop.perform { [self] in
            streams.start()
            forgetting.start(session.loop)
            stale.start(session.loop)
            packing.start(session.loop)
            countStored()
            features.start(session.loop)
        }
        // It waits for a broker that is away: what starts this service does not have to.
        readiness.ready(status: "connecting to the broker at \(settings.broker.address)")
        session.start(
            Handlers(
                stateChanged: { [unowned self] in stateChanged($0) },
                received: { [unowned self] in received($0) },
                commit: { [unowned self] in commit() },
                problem: { [unowned self] in tell($0) }))
        ends.append { [session] in session.stop() }
        // Ends first: nobody makes a page once the session's thread has ended.
        if let settings = settings.metrics {
            let exposition = Exposition(settings) { [unowned self] done in
                session.loop.perform { [self] in done(metrics.page(self)) }
            }
            exposition.start()
            ends.append { exposition.stop() }
        }
    }

    /// Says goodbye and ends the thread. A batch that was received is committed first.
    func stop() {
        session.loop.perform { [self] in
            guard !presence.isSuperseded else { return }
            presence.leave()
            publishPresence(.offline) { _ in }
        }
        while let end = ends.popLast() { end() }
        let counts = ingest.counts
        log.notice(
            """
            stopped: \(counts.stored) blocks stored, \(counts.duplicates) came again, \
            \(counts.discarded + counts.tooDense) not kept, \(counts.refused) refused
            """)
    }

    private func giveSignsOfLife() {
        guard let interval = readiness.watchdogInterval else { return }
        // The supervisor's socket may be full of what others say.
        let pause = readiness.alive() ? interval : .seconds(1)
        session.loop.after(pause) { [unowned self] in giveSignsOfLife() }
    }
}

// MARK: The connection

extension Consumer {
    private func stateChanged(_ state: State) {
        measured.changed(to: state)
        switch state {
        case .connecting, .stopped: log.debug("\(state)")
        case .connected:
            failedTries = LastingTrouble()
            rules?.connected { [unowned self] in features.brokerIsInLine($0) }
            features.connected()
            subscribeToBlocks()
            publishRetained()
            latest.tellAgain()
        case .waiting(let reason, _) where reason.isTakenOver: giveUp()
        case .waiting(let reason, _):
            rules?.disconnected()
            features.disconnected()
            isSubscribed = false
            session.unsubscribe([blocksFilter])
            // The consumer has said already that its disk refused the batch.
            if reason.kind == .batchRefused { log.debug("\(state)") } else { warn(of: state, reason) }
            readiness.status(diskStatus ?? "\(state)")
        }
    }

    /// A broker may be away for a day: the warnings become rare.
    private func warn(of state: State, _ reason: MQTTError) {
        guard let count = failedTries.toTell("\(reason)", now: millisecondsSinceBoot()) else {
            return log.debug("\(state)")
        }
        let times = count > 1 ? " (\(count) tries since this was last logged)" : ""
        log.warning("\(state)\(times)", event: .brokerAway)
    }

    private var blocksFilter: String { settings.topics.everyGateway(.blocks) }

    /// Subscribes again at each connection, to hear each answer: the session tells only the first.
    private func subscribeToBlocks() {
        session.subscribe([Subscription(blocksFilter, retainHandling: .doNotSend)]) { [unowned self] _, error in
            // A refusal is logged by `problem`. Without the subscription nobody would take what gateways send.
            guard error == nil else { return }
            isSubscribed = true
            publishPresence(.online) { [unowned self] error in
                if error == nil { presence.saidOnline() }
                published(error)
            }
        }
    }

    private func giveUp() {
        failed(
            Failure(
                .temporary, "another consumer has taken over store \(store)",
                hint: "one consumer runs on a store at a time: look for the other one"))
    }

    private func publishRetained() {
        retaining.cancel()
        do throws(VaultError) {
            unpublished = try streams.publishGrants(isAtConnection: true) { [unowned self] in published($0) } + 1
            let words = "connected to the broker; \(unpublished - 1) grants"
            // The session connects again after each batch that the disk refused.
            if disk.condition == .ok { log.notice(words, event: .brokerConnected) } else { log.debug(words) }
        } catch {
            if isDue("grants") { log.error("the grants cannot be published: \(error)") }
            unpublished = 1
            retaining.later()
        }
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
        readiness.ready(status: diskStatus ?? "connected to the broker at \(settings.broker.address)")
    }
}

// MARK: Batches

extension Consumer {
    private func received(_ message: Message) {
        guard message.topic != presenceTopic else {
            switch presence.received(message.payload) {
            case .none: break
            case .sayOnlineAgain where isSubscribed: publishPresence(.online) { _ in }
            case .sayOnlineAgain: break
            case .superseded: giveUp()
            }
            return
        }
        guard rules?.received(message) != true, !features.take(message) else { return }
        if let last = lastBlocks, last.topic == message.topic {
            return ingest.collect(message.payload, from: last.gateway)
        }
        switch settings.topics.parse(message.topic) {
        // Nobody else speaks for the consumer's own gateway.
        case .gateway(own.id, _)?: break
        case .gateway(let gateway, .blocks)?:
            lastBlocks = (message.topic, gateway)
            ingest.collect(message.payload, from: gateway)
        case .gateway(let gateway, .live)?: receivedLive(message.payload, gateway)
        case .gateway(let gateway, .grants)?:
            gotBack(message.payload, gateway)
            ingest.collect(grant: message.payload, from: gateway)
        case .gateway(let gateway, .sensor(_, .grant))?: sawGrant(message.payload, gateway)
        case nil where message.retain && settings.topics.request(at: message.topic) == nil:
            features.heardElsewhere(message)
        case nil, .account(.request)?, .user(_, .request)?, .gateway(_, .request)?,
            .gateway(_, .musicRequest)?, .gateway(_, .sensor(_, .stepsGet))?,
            .gateway(_, .sensor(_, .temperatureGet))?:
            desk.collect(message)
        case let topic?: features.heard(topic, message)
        }
    }

    private func commit() -> Bool {
        let began = ContinuousClock.now
        defer { desk.answerCollected() }
        do throws(VaultError) {
            let batch = try own.commit(with: &ingest, now: millisecondsSinceBoot(), wall: unixMilliseconds())
            for stored in batch.stored {
                features.measured(stored.readings, of: stored.user, by: stored.sensor)
            }
            for answer in batch.answers where answer.gateway != own.id {
                let (topic, payload) = try control.message(answer)
                session.publish(payload, to: topic, qos: .atLeastOnce)
            }
            for report in batch.reports { tell(report) }
            if batch.isWritten {
                measured.batches.observe(ContinuousClock.now - began)
                diskTook()
            }
            return true
        } catch {
            diskRefused(error)
            return false
        }
    }

    /// A batch was not written. The session tries again and again; the log says so when it begins, and once an hour.
    private func diskRefused(_ error: VaultError) {
        guard disk.refused(error.reason, now: millisecondsSinceBoot(), wall: unixMilliseconds()) else {
            return log.debug("nothing of this batch was kept: \(error)")
        }
        let start = disk.condition == .full ? "the disk is full: " : ""
        log.error(
            """
            \(start)nothing of this batch was kept or acknowledged, and nothing will be, until this is repaired; gateways keep what \
            they have, and send it again: \(error)
            """, event: .diskRefuses)
    }

    /// A batch was written.
    private func diskTook() {
        guard disk.condition != .ok else { return }
        guard let seconds = disk.took(now: millisecondsSinceBoot(), wall: unixMilliseconds()) else {
            // Perhaps no other batch comes to be written.
            session.loop.after(.seconds(10)) { [unowned self] in if disk.hasTaken { diskTook() } }
            return
        }
        log.notice("the disk takes what is written again, after \(seconds) s", event: .diskTakes)
        tellReadiness()
    }

    /// What `systemctl status` shows while the disk refuses; nil while it does not.
    private var diskStatus: String? {
        guard disk.condition != .ok else { return nil }
        let since = disk.since.map { " since \(utcTime($0))" } ?? ""
        let what =
            disk.condition == .locked ? "database: locked by another program" : "disk: \(disk.condition.rawValue)"
        return "\(what)\(since): nothing is stored; the log says more"
    }

    /// Whether this was not logged within the last minute.
    func isDue(_ what: String) -> Bool { reported.allows(what, now: millisecondsSinceBoot()) }
}
