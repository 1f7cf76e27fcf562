import Daemon
import Telemetry
import Vault

/// The grants, as the pinned consumer signed them: they say to which person's stream each sensor's readings go. Also
/// knows whether an instance of the consumer's store is online. Belongs to the outbox's thread.
struct Grants {
    private let gateway: ID
    private let consumer: Ed25519.VerifyingKey?
    private var latest: [ID: Grant] = [:]  // by sensor
    private var byStream: [StreamID: Grant] = [:]
    private(set) var store: StoreID?
    /// The serial of the grant that named the store.
    private var storeSerial: UInt64 = 0
    private var online: [StoreID: Set<ID>] = [:]
    /// Another store, whose last grant is older than what we have: this consumer's, from a backup or a forgotten copy.
    private var otherStore: (id: StoreID, serial: UInt64)?
    /// Whether a consumer of that store was there while none of ours was.
    private var hasSeenOlder = false
    private var notTakenCount = CountToTell()

    private static let mostStores = 64
    private static let mostInstances = 64

    init(gateway: ID, consumer: Ed25519.VerifyingKey?) {
        self.gateway = gateway
        self.consumer = consumer
    }

    /// The grant in force for a sensor; nil if it has none.
    func inForce(for sensor: ID) -> Grant? { latest[sensor] }

    var allInForce: [Grant] { latest.values.sorted { $0.sensor.text < $1.sensor.text } }

    /// The grant of a stream, in force or not.
    func grant(of stream: StreamID) -> Grant? { byStream[stream] }

    /// Whether a consumer of the grants' store is online.
    var hasConsumer: Bool { store.map { online[$0]?.isEmpty == false } ?? false }

    /// Whether a consumer is there, as the health says it; nil without an enrolment.
    var presence: HealthPayload.Consumer? {
        guard consumer != nil else { return nil }
        if hasConsumer || (store == nil && online.values.contains { !$0.isEmpty }) { return .online }
        return hasSeenOlder ? .older : .offline
    }

    /// A consumer is there, but its store makes older grants than ours: it is said which.
    var olderStore: (other: StoreID, its: UInt64, ours: StoreID, newest: Grant)? {
        guard let store, !hasConsumer, let otherStore, online[otherStore.id]?.isEmpty == false,
            let newest = latest.values.max(by: { $0.serial < $1.serial })
        else { return nil }
        return (otherStore.id, otherStore.serial, store, newest)
    }

    mutating func consumerChanged(_ store: StoreID, _ instance: ID, isOnline: Bool) {
        defer { noteOlder() }
        if isOnline {
            // Somebody who makes up stores and instances can neither fill the memory nor take the place of the genuine
            // one.
            if online[store] == nil, online.count >= Self.mostStores,
                let other = online.keys.first(where: { $0 != self.store })
            {
                online[other] = nil
            }
            if online[store, default: []].count >= Self.mostInstances { online[store]?.removeFirst() }
            online[store, default: []].insert(instance)
        } else {
            online[store]?.remove(instance)
        }
    }

    /// That somebody has started the wrong copy is not forgotten when it ends, but when the right one is there.
    private mutating func noteOlder() {
        if hasConsumer { hasSeenOlder = false } else if olderStore != nil { hasSeenOlder = true }
    }

    /// There is no longer a broker that could say which consumers have gone.
    mutating func forgetConsumers() { online = [:] }

    /// Accepts a grant that came on a sensor's topic, if the consumer signed it, for this gateway and sensor, and it is
    /// newer than what we have.
    /// - Returns: the grant, and whether it is from a different store than the last one; nil if it was not accepted.
    mutating func take(_ message: [UInt8], for sensor: String) -> (grant: Grant, isNewStore: Bool)? {
        guard let signed = verifiedMessage(message), case .grant(let grant) = signed.body else { return nil }
        guard grant.sensor.text == sensor else {
            notTaken("it is a grant for sensor \(grant.sensor), on the topic of \(sensor)")
            return nil
        }
        guard (try? X25519KeyPair.random().sharedSecret(with: grant.personPublicKey)) != nil else {
            notTaken("nothing can be sealed to the key in a grant for sensor \(grant.sensor)")
            return nil
        }
        if let known = latest[grant.sensor], known.serial >= grant.serial {
            byStream[grant.stream] = byStream[grant.stream] ?? grant
            if signed.store != store {
                otherStore = (signed.store, grant.serial)
                noteOlder()
            }
            return nil
        }
        // A grant from an older store for another sensor may come after a grant from the newer store.
        let isNewer = store == nil || grant.serial > storeSerial
        let isNewStore = isNewer && store != nil && store != signed.store
        if isNewer {
            (store, storeSerial) = (signed.store, grant.serial)
            (otherStore, hasSeenOlder) = (nil, false)
        } else if signed.store != store {
            otherStore = (signed.store, grant.serial)
        }
        latest[grant.sensor] = grant
        byStream[grant.stream] = grant
        noteOlder()
        return (grant, isNewStore)
    }

    /// The body of a control message, if the consumer signed it and it is for this gateway.
    mutating func verified(_ message: [UInt8]) -> ControlMessage.Body? {
        guard let signed = verifiedMessage(message), signed.store == store || store == nil else { return nil }
        return signed.body
    }

    private mutating func verifiedMessage(_ bytes: [UInt8]) -> ControlMessage? {
        guard let consumer else { return nil }
        do {
            let signed = try SignedControlMessage(bytes: bytes)
            try consumer.verify(signed.signature, of: signed.signedBytes)
            guard signed.message.gateway == gateway else { return nil }
            return signed.message
        } catch {
            notTaken("\(error)")
            return nil
        }
    }

    /// Any client that may publish can cause this all day.
    private mutating func notTaken(_ reason: String) {
        guard let count = notTakenCount.toTell(of: 1, now: millisecondsSinceBoot()) else { return }
        log.warning(
            "a message in the consumer's name was refused: \(reason)\(timesSinceLogged(count))", event: .consumerRefused
        )
    }
}
