import Daemon
import MQTT
import Readings
import Records
import Telemetry
import Vault

// What changes while the service runs.
//
// At SIGHUP, `people`, `gateways`, `limits` and `log` of the settings are applied, as is what features take at once, and so are changes
// that other processes have written into the databases: new versions of secrets, gateways that an operator has removed, people who
// must be forgotten. Streams end and open in one transaction; if that fails, everything stays as it was. From then
// on all of it is in force, and the grants are published, again and again if necessary. Readings on their way in the
// old streams are still accepted, unless they were measured when the sensor was somebody else's.
//
// A grant of ours from another store means that there is a copy of this consumer: see `sawGrant`.

extension Consumer {
    /// Applies settings that were read again. From any thread.
    func reload(_ new: ConsumerSettings) {
        session.loop.perform { [self] in apply(new) }
    }

    private func apply(_ new: ConsumerSettings) {
        let identities: [ID: Ed25519.VerifyingKey]
        do throws(VaultError) {
            try forgetting.catchUp()
            let gateways = EnrolledGateways(store: streams.grants.store, keys: streams.grants.keys)
            identities = try own.joining(gateways.identities(new))
            try streams.grants.settle(Claims(store: streams.grants.store).people(new), now: unixMilliseconds())
        } catch {
            return log.error("the settings were not applied: \(error)", event: .settingsRefused)
        }
        let inert = settings.changesForARestart(in: new)
        settings = settings.taking(new)
        streams.settings = settings
        features.context.settings = settings
        rules?.reload(settings.admission)
        log.level = new.logLevel
        ingest.enrol(identities)
        ingest.allowances.limits = new.limits
        changes.sensorsChanged(nil)
        features.settingsChanged()
        log.notice("read the settings again", event: .settingsRead)
        if !inert.isEmpty { log.warning("these settings need a restart: \(inert.joined(separator: ", "))") }
        publishSettled()
        // An operator may have removed some gateways.
        changes.gatewaysEnded()
    }

    /// Publishes the grants that follow from settings that are in force already, until that has succeeded once.
    func publishSettled() {
        republishing.cancel()
        do throws(VaultError) {
            let count = try streams.publishGrants { error in if let error { log.error("\(error)") } }
            log.notice("published \(count) grants")
        } catch {
            if isDue("settled") {
                log.error(
                    "the settings were applied, but their grants could not be published; again in 5 s: \(error)")
            }
            republishing.later()
        }
    }

    /// Looks at a grant on a sensor's topic. A grant of another store that this identity has signed comes from a copy:
    /// from the store whose backup this one was restored from, or from one that was restored from a backup of this. The
    /// newer store has the greater serial, which gateways follow.
    func sawGrant(_ payload: [UInt8], _ gateway: ID) {
        do throws(VaultError) {
            guard let (other, grant) = try grantOfCopy(payload, gateway) else { return }
            let sensor = SensorName(gateway: gateway, sensor: grant.sensor)
            let known = try streams.grants.store.latestSerial(of: sensor)
            // A gateway with several sensors believes the store with the latest grant of any of them.
            var newest = known
            if newest == nil { newest = try streams.grants.store.latestSerial() }
            guard let ours = newest else { return }
            guard Int64(clamping: grant.serial) <= ours else { return superseded(by: other, grant) }
            guard known != nil else { return }
            guard !isDue("grant \(sensor)") else {
                try streams.publishGrants(of: [sensor]) { error in if let error { log.error("\(error)") } }
                return
            }
            // An older store that is still running ends when it sees our grant. If two were the same age, neither
            // would: they must not answer each other for ever. Anybody else may repeat an old grant again and again:
            // the topic is corrected when the minute is over.
            guard Int64(clamping: grant.serial) < ours, overwritten.insert(sensor).inserted else { return }
            session.loop.after(.seconds(60)) { [unowned self] in putRight(sensor) }
        } catch {
            if isDue("copies") { log.error("\(error)") }
        }
    }

    /// A gateway hands back a grant. If another store has made it, after all of ours, gateways send this one nothing: it
    /// ends, as it does when the broker still has such a grant. It does not raise its own grants above that: while the newer
    /// store is only restarting, a forgotten copy would take its place.
    func gotBack(_ payload: [UInt8], _ gateway: ID) {
        do throws(VaultError) {
            guard let (other, grant) = try grantOfCopy(payload, gateway),
                let ours = try streams.grants.store.latestSerial(of: gateway),
                Int64(clamping: grant.serial) > ours
            else { return }
            superseded(by: other, grant)
        } catch {
            if isDue("copies") { log.error("\(error)") }
        }
    }

    /// The grant that another store with our identity has signed; nil if it is our own, or not to be believed.
    private func grantOfCopy(_ payload: [UInt8], _ gateway: ID) throws(VaultError) -> (StoreID, Grant)? {
        guard let message = decoded({ () throws(MalformedValue) in try SignedControlMessage(bytes: payload) }),
            message.message.store != store
        else { return nil }
        return try Adoption(store: streams.grants.store, keys: streams.grants.keys).verified(payload, from: gateway)
    }

    private func superseded(by other: StoreID, _ grant: Grant) {
        guard !isSuperseded else { return }
        isSuperseded = true
        log.error("store \(store) is older than store \(other), which gateways follow", event: .storeOlder)
        failed(
            Failure(
                .configuration,
                "store \(store) was superseded by a newer copy, store \(other), which made grant \(grant.serial)",
                hint: """
                    run the newer one only. If this one is to run instead, because that one is lost, or because a clock was wrong when \
                    one of the two was restored: move the databases away, and restore again with \
                    vitals-consumer restore DIR --above \(grant.serial)
                    """))
    }

    private func putRight(_ sensor: SensorName) {
        overwritten.remove(sensor)
        do throws(VaultError) {
            try streams.publishGrants(of: [sensor]) { error in if let error { log.error("\(error)") } }
        } catch {
            if isDue("copies") { log.error("\(error)") }
        }
    }
}

// MARK: What changes about people

extension Consumer {
    /// The sessions in memory do not know that their streams have ended.
    func sensorsChanged(_ sensors: Set<SensorName>?) {
        guard let sensors else {
            ingest.forgetSessions()
            return own.forgetSessions()
        }
        ingest.forgetSessions(of: sensors)
        own.forgetSessions(of: sensors)
    }

    /// Takes blocks from the gateways that are enrolled now, and from no others.
    func gatewaysChanged() {
        enrolling.cancel()
        do throws(VaultError) {
            let gateways = EnrolledGateways(store: streams.grants.store, keys: streams.grants.keys)
            ingest.enrol(try own.joining(gateways.identities(settings)))
        } catch {
            if isDue("gateways") { log.error("the list of gateways was not read; trying again in 5 s: \(error)") }
            enrolling.later()
        }
    }
}
