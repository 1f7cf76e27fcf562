import Daemon
import MQTT
import Telemetry
import Vault

// What the outbox hears from outside, and what it reports about itself: which consumers are online, which person's
// stream a sensor's readings go to, which blocks are stored. All of it moves over to the outbox's own thread.

extension Outbox {
    // MARK: Which consumers are online

    func brokerChanged(isConnected: Bool) {
        loop.perform { [self] in
            // After the next connection, the broker says again which consumers are there.
            if !isConnected { grants.forgetConsumers() }
            uplink.consumerChanged(isThere: grants.hasConsumer)
            uplink.brokerChanged(isConnected: isConnected)
            pump()
            if isConnected { onChange() }
        }
    }

    func consumerChanged(_ store: StoreID, _ instance: ID, isOnline: Bool) {
        loop.perform { [self] in
            let (wasThere, before) = (grants.hasConsumer, grants.presence)
            grants.consumerChanged(store, instance, isOnline: isOnline)
            tellOfOlderStore()
            if grants.presence != before { onChange() }
            uplink.consumerChanged(isThere: grants.hasConsumer)
            if wasThere, isOnline, store == grants.store { consumerSaysSo() }
            pump()
        }
    }

    /// The consumer says that it is there. Each time costs a window of blocks, so whoever may publish there has them sent
    /// at most once in a while; the last time counts, at the end of the pause.
    private func consumerSaysSo() {
        let now = millisecondsSinceBoot()
        if let heard = lastPresence, now < heard + Self.presencePause {
            guard !isPresencePending else { return }
            isPresencePending = true
            loop.after(.milliseconds(Int64(heard + Self.presencePause - now))) { [self] in
                isPresencePending = false
                consumerSaysSo()
                pump()
            }
            return
        }
        lastPresence = now
        uplink.consumerChanged(isThere: grants.hasConsumer, saysSo: true)
    }

    /// Milliseconds.
    private static let presencePause: UInt64 = 5000

    /// A consumer is there that was restored from a backup, or is a forgotten copy, and its grants are older than ours:
    /// nothing is sent to it. The log says so, and the consumer gets our grant, which its own identity has signed.
    func tellOfOlderStore() {
        guard let (other, its, ours, newest) = grants.olderStore else { return }
        limitedLog.error("older store", event: .storeOlder) {
            """
            the consumer at the broker has an older store than this gateway follows: its store \(other) is at grant \(its), ours, \
            \(ours), at \(newest.serial). Nothing is sent to it. Start the newer one; if that is lost, restore it: \
            vitals-consumer restore DIR --above \(newest.serial)\($0)
            """
        }
        let now = millisecondsSinceBoot()
        guard lastHandedBack.map({ now >= $0 + Self.presencePause }) ?? true else { return }
        do throws(VaultError) {
            guard let message = try store.grant(of: newest.stream) else { return }
            lastHandedBack = now
            session.publish(message, to: grantsTopic, qos: .atLeastOnce)
        } catch {
            log.debug("outbox: \(error)")
        }
    }

    // MARK: What the consumer says

    func receive(grant message: [UInt8], for sensor: ID) {
        loop.perform { [self] in
            // Earlier readings belong to the earlier grant, and none is sealed for it from now on.
            withdrawWriter(of: sensor)
            defer {
                withdrawn = nil
                lendWriters()
            }
            takeIn()
            var changed = grants
            guard let (grant, isNewStore) = changed.take(message, for: sensor.text) else {
                let before = grants.presence
                grants = changed  // It has counted, at least.
                tellOfOlderStore()
                if grants.presence != before { onChange() }
                return
            }
            do throws(VaultError) {
                try store.commit { () throws(VaultError) in
                    try store.keep(grant, message)
                    if isNewStore { try store.forgetAcknowledgements(at: unixMilliseconds()) }
                }
            } catch {
                // A grant is in force only if a restart finds it again: otherwise nobody could say to whom the readings
                // belong.
                diskRefused(error)
                loop.after(.seconds(1)) { [unowned self] in receive(grant: message, for: sensor) }
                return
            }
            grants = changed
            isDirty = true
            if isNewStore { uplink.rewind() }
            flush()
            let state = grant.until == nil ? "recorded" : "no longer recorded"
            limitedLog.notice("\(sensor) is \(state)") { "sensor \(sensor): \(state) (grant \(grant.serial))\($0)" }
            uplink.consumerChanged(isThere: grants.hasConsumer)
            pump()
            onChange()
        }
    }

    func receive(control message: [UInt8]) {
        loop.perform { [self] in
            guard let body = grants.verified(message) else { return }
            do throws(VaultError) {
                switch body {
                case .acknowledgement(let identities): try acknowledge(identities)
                case .refusal(let identity, let digest, let reason): try bury(identity, digest, reason)
                case .keyRequest(let stream, let session): try tellKey(of: session, stream)
                case .grant: break  // Grants come on a sensor's own topic.
                }
            } catch {
                diskRefused(error)
            }
            pump()
            if uplink.isEmpty { report() }
        }
    }

    /// A consumer that was restored from a backup may not know the stream either: the grant that it made then says so.
    private func tellKey(of session: SessionID, _ stream: StreamID) throws(VaultError) {
        if let grant = try store.grant(of: stream) {
            self.session.publish(grant, to: grantsTopic, qos: .atLeastOnce)
        }
        if let block = try store.block(BlockIdentity(stream: stream, session: session, sequence: 0)) {
            self.session.publish(block.bytes, to: blocksTopic, qos: .atLeastOnce)
            uplink.keyWasTold(of: stream)
        }
    }

    /// Only blocks that we sent ourselves: a stranger can get other bytes refused under one of our identities.
    private func bury(
        _ identity: BlockIdentity, _ digest: [UInt8], _ reason: ControlMessage.RefusalReason
    ) throws(VaultError) {
        guard let block = try store.block(identity),
            try SHA256.digest(block.bytes).starts(with: digest)
        else { return }
        limitedLog.error("block \(reason)") { "the consumer refused block \(identity): \(reason)\($0)" }
        try store.commit { () throws(VaultError) in try store.bury(identity, at: unixMilliseconds()) }
        uplink.remove(identity)
    }

    private func acknowledge(_ identities: [BlockIdentity]) throws(VaultError) {
        let now = unixMilliseconds()
        try store.commit { () throws(VaultError) in
            for identity in identities { try store.acknowledge(identity, at: now) }
        }
        for identity in identities { uplink.remove(identity) }
    }

    // MARK: Health

    /// Fills in what the outbox knows. On `loop`.
    func describe(_ health: inout HealthPayload) {
        takeIn()
        health.recorded = recorded
        health.notRecorded = notRecorded
        health.dropped = dropped
        // For people who read this, a locked database is a disk that accepts nothing.
        health.disk = HealthPayload.Disk(rawValue: disk.condition.rawValue) ?? .failing
        health.diskSince = disk.since
        health.consumer = grants.presence
        health.recordedSensors = grants.allInForce.filter { $0.until == nil }.map(\.sensor.text)
        do throws(VaultError) {
            // Alone, each question would lock the database and unlock it.
            let (backlog, journal, percent, dead) = try store.database.snapshot { () throws(VaultError) in
                (try store.backlog(), try store.journalCount(), try fullPercent(), try store.deadCount())
            }
            let age = backlog.oldest.map { max(0, unixMilliseconds() - $0) / 1000 } ?? 0
            health.outbox = HealthPayload.Outbox(
                journal: journal + unwritten.count, blocks: backlog.blocks, bytes: backlog.bytes, limitBytes: settings.limit,
                fullPercent: percent, oldestSeconds: Int(age))
            health.dead = dead
        } catch {
            // Only writes change what is reported of the disk.
            log.debug("outbox: \(error)")
        }
    }
}
