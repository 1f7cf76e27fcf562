import Admission
import Custody
import Daemon
import Days
import Files
import MQTT
import Reactor
import Readings
import Records
import Telemetry

// Whose stream each sensor is follows from the settings and from what people have claimed. When either changes, streams
// end and open, and their grants are published, retained, for the gateways.

/// Keeps the streams in line, and their grants published. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class Streams: ForgettingDoors, @unchecked Sendable {
    /// The parts that a running service takes from settings that were read again change here, too.
    var settings: ConsumerSettings
    let grants: Grants
    private let control: Control
    private let session: Session
    /// Nil where the broker's rules are the operator's own.
    private let rules: BrokerRules?
    private let changes: PeopleChanges
    /// Sensors whose streams could not be brought in line yet; and the next try.
    private var unsettled: Set<SensorName> = []
    private lazy var settling = Retry(on: session.loop, .steady(.seconds(5))) { [unowned self] in bringInLine([]) }
    /// Before the start nothing is published; at the first connection all grants are.
    private var isStarted = false
    private var reported = OncePerMinute<String>(capacity: 16)

    init(
        _ settings: ConsumerSettings, _ grants: Grants, _ control: Control, _ session: Session, _ rules: BrokerRules?,
        _ changes: PeopleChanges
    ) {
        self.settings = settings
        self.grants = grants
        self.control = control
        self.session = session
        self.rules = rules
        self.changes = changes
    }

    private func isDue(_ what: String) -> Bool { reported.allows(what, now: millisecondsSinceBoot()) }

    /// From now on grants that change are published.
    func start() { isStarted = true }

    /// Brings all streams in line, without publishing anything.
    func settleAll() throws(VaultError) {
        try grants.settle(Claims(store: grants.store).people(settings), now: unixMilliseconds())
    }

    /// Brings the streams of some sensors in line with settings and claims, and publishes their grants. Where that
    /// fails it is tried again until it succeeds: a person who has released a sensor must not be recorded by it until
    /// the next restart.
    func settle(_ sensors: Set<SensorName>) throws(VaultError) {
        unsettled.formUnion(sensors)
        settling.cancel()
        do throws(VaultError) {
            let all = unsettled
            let people = try Claims(store: grants.store).people(settings, only: all)
            let changed = try grants.settle(people, only: all, now: unixMilliseconds())
            // Most of the time nothing has changed, and it must not cost everybody something then.
            if !changed.isEmpty { changes.sensorsChanged(changed) }
            if isStarted {
                try publishGrants(of: all) { [unowned self] error in
                    if let error, isDue("grants") { log.error("\(error)") }
                }
            }
            unsettled = []
        } catch {
            settling.later()
            throw error
        }
    }

    /// The same; a failure is logged, and tried again.
    func bringInLine(_ sensors: Set<SensorName>) {
        do throws(VaultError) { try settle(sensors) } catch {
            if isDue("settle") {
                log.error(
                    "the streams of \(counted(unsettled.count, "sensor")) are not as they should be; trying again in 5 s: \(error)"
                )
            }
        }
    }

    // MARK: What forgetting asks

    var givenSensors: Set<SensorName> { settings.givenSensors }

    func accountGone(_ user: ID, _ devices: [ID]) {
        // Where this fails, it is done when the rules are next brought in line with the database.
        rules?.remove(person: user, devices: devices) { error in if let error { log.warning("\(error)") } }
    }
}

// MARK: Grants

extension Streams {
    /// Publishes each sensor's latest grant, or those of some sensors, retained.
    /// - Parameter isAtConnection: nothing is then said to gateways that were removed: it would stay at the broker for
    ///   ever.
    /// - Returns: how many.
    @discardableResult
    func publishGrants(
        of some: Set<SensorName>? = nil, isAtConnection: Bool = false,
        _ acknowledged: @escaping @Sendable (MQTTError?) -> Void
    ) throws(VaultError) -> Int {
        // What the consumer's own gateway may record, nobody else has to know.
        var grants = try self.grants.current(of: some).filter { $0.gateway.text != OwnGateway.name }
        if isAtConnection {
            let known = Set(try EnrolledGateways(store: self.grants.store, keys: self.grants.keys).all().map(\.id))
                .union(settings.gateways.keys)
            grants.removeAll { $0.grant.until != nil && !known.contains($0.gateway) }
        }
        try publish(grants[...], acknowledged)
        return grants.count
    }

    /// How many at a time: the session holds back a limited number of messages, and throws away the rest.
    private static let portion = 1000

    private func publish(
        _ grants: ArraySlice<(gateway: ID, grant: Grant)>, _ acknowledged: @escaping @Sendable (MQTTError?) -> Void
    ) throws(VaultError) {
        let later = grants.dropFirst(Self.portion)
        for (index, (gateway, grant)) in grants.prefix(Self.portion).enumerated() {
            let (topic, payload) = try control.message(grant, gateway)
            let isLast = index == Self.portion - 1
            session.publish(payload, to: topic, qos: .atLeastOnce, retain: true) { [unowned self] error in
                acknowledged(error)
                // At the next connection all of them are published again.
                if isLast, error == nil { publishLater(later, acknowledged) }
            }
        }
    }

    private func publishLater(
        _ grants: ArraySlice<(gateway: ID, grant: Grant)>, _ acknowledged: @escaping @Sendable (MQTTError?) -> Void
    ) {
        do throws(VaultError) {
            var newest: [(gateway: ID, grant: Grant)] = []
            for (gateway, grant) in grants.prefix(Self.portion) {
                // An old grant must not take the place of one that a claim has changed in the meantime.
                let sensor = SensorName(gateway: gateway, sensor: grant.sensor)
                let isNewest = try self.grants.store.latestSerial(of: sensor) == Int64(bitPattern: grant.serial)
                let now = isNewest ? nil : try self.grants.current(of: [sensor]).first
                newest.append(now ?? (gateway, grant))
            }
            try publish(newest + grants.dropFirst(Self.portion), acknowledged)
        } catch {
            if isDue("grants") { log.error("not all grants were published; trying again in 5 s: \(error)") }
            session.loop.after(.seconds(5)) { [unowned self] in publishLater(grants, acknowledged) }
        }
    }
}
