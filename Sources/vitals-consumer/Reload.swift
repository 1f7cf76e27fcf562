import Daemon
import MQTT
import Telemetry
import Vault

// What changes while the service runs.
//
// SIGHUP: `people`, `gateways` and `log` of the settings are applied, and new versions of persons' secrets are taken up: streams end and
// open, and their grants are published at once. What is on its way in the old streams is still accepted. Where anything
// fails, everything stays as it was.
//
// A grant of ours from another store means that there is a copy of this consumer: see `sawGrant`.

extension Consumer {
    /// Applies settings that were read again. From any thread.
    func reload(_ new: ConsumerSettings) {
        session.loop.perform { [self] in apply(new) }
    }

    private func apply(_ new: ConsumerSettings) {
        do throws(VaultError) {
            try grants.settle(new.people, now: unixMilliseconds())
            let inert = settings.changesForARestart(in: new)
            settings = settings.taking(new)
            log.level = new.logLevel
            ingest.enrol(new.gateways)
            let count = try publishGrants { error in if let error { log.error("\(error)") } }
            log.notice("read the settings again: \(count) grants")
            if !inert.isEmpty { log.warning("these settings need a restart: \(inert.joined(separator: ", "))") }
        } catch {
            log.error("the settings were not applied: \(error)")
        }
    }

    /// A grant on a sensor's topic. One of another store that this identity has signed comes from a copy: from the backup that
    /// this store was restored from, or from one that was restored from a backup of this. The greater serial, which
    /// gateways follow, is the newer store's.
    func sawGrant(_ payload: [UInt8], _ gateway: ID) {
        guard let message = decoded({ () throws(MalformedValue) in try SignedControlMessage(bytes: payload) }),
            message.message.store != store
        else { return }
        do throws(VaultError) {
            let adoption = Adoption(store: grants.store, keys: grants.keys)
            guard let (other, grant) = try adoption.verified(payload, from: gateway),
                let ours = try grants.store.newestSerial(of: SensorName(gateway: gateway, sensor: grant.sensor))
            else { return }
            guard Int64(clamping: grant.serial) <= ours else {
                return failed(
                    Failure(
                        .failure, "store \(store) was superseded by a restored copy of it, store \(other)",
                        hint: """
                            run one of the two only. If this is the restored one, the clock was behind when it was restored: \
                            set it, and restore again
                            """))
            }
            let sensor = SensorName(gateway: gateway, sensor: grant.sensor)
            guard !isDue("grant \(sensor)") else {
                try publishGrants(of: sensor) { error in if let error { log.error("\(error)") } }
                return
            }
            // Whoever is alive and older ends at the sight of ours. Were two the same age, neither would: they are not to
            // answer each other for ever. Anyone else may say an old grant again and again: what lies on the topic is put
            // right when the minute is over.
            guard Int64(clamping: grant.serial) < ours, overwritten.insert(sensor).inserted else { return }
            session.loop.after(.seconds(60)) { [unowned self] in putRight(sensor) }
        } catch {
            if isDue("copies") { log.error("\(error)") }
        }
    }

    private func putRight(_ sensor: SensorName) {
        overwritten.remove(sensor)
        do throws(VaultError) {
            try publishGrants(of: sensor) { error in if let error { log.error("\(error)") } }
        } catch {
            if isDue("copies") { log.error("\(error)") }
        }
    }
}
