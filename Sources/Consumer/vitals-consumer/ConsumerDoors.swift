import Daemon
import Files
import Records
import Telemetry

extension Consumer {
    /// Connects the parts that keep what readings mean. Called once, by `init`.
    func meetDays() {
        days.evaluate = { [notifications] goals, day, today, user, now throws(VaultError) in
            try GoalReaching(notifications).evaluate(&goals, on: day, today: today, of: user, now: now)
        }
        days.moved = { [scheduledReads] in scheduledReads.moved($0) }
        days.changed = { [unowned self] in features.today.changed($0) }
        packing.fold = { [minutes] before, isBusy throws(VaultError) in
            try minutes.fold(before: before, isBusy: isBusy, now: unixMilliseconds())
        }
        // Without accounts nothing about people is retained: see `TodayTopics`.
        guard settings.accounts != nil else { return }
        minutes.latest = LatestMinutes(features.context)
        // The day's heart rate changes each minute, not with each heartbeat.
        minutes.latest?.told = { [unowned self] in features.today.changed([$0]) }
    }

    /// Brings the streams of some sensors in line with settings and claims, and publishes their grants. Where that
    /// fails it is tried again until it succeeds: a person who has released a sensor must not be recorded by it until
    /// the next restart.
    func settle(_ sensors: Set<SensorName>) throws(VaultError) {
        unsettled.formUnion(sensors)
        settling?.cancel()
        do throws(VaultError) {
            let all = unsettled
            let people = try Claims(store: grants.store).people(settings, only: all)
            try grants.settle(people, only: all, now: unixMilliseconds())
            // The sessions in memory do not know that their streams have ended.
            ingest.forgetSessions()
            scheduledReads.sensorsChanged()
            try publishGrants(of: all) { [unowned self] error in
                if let error, isDue("grants") { log.error("\(error)") }
            }
            unsettled = []
        } catch {
            settling = session.loop.after(.seconds(5)) { [unowned self] in bringStreamsInLine(of: []) }
            throw error
        }
    }
}

// MARK: What features ask

extension Consumer: Doors {
    func bringStreamsInLine(of sensors: Set<SensorName>) {
        do throws(VaultError) { try settle(sensors) } catch {
            if isDue("settle") {
                log.error(
                    "the streams of \(counted(unsettled.count, "sensor")) are not as they should be; trying again in 5 s: \(error)"
                )
            }
        }
    }

    func isBeingForgotten(_ user: ID) -> Bool { forgetting.isBusy(with: user) }

    func daysChanged(of users: Set<ID>) { features.today.changedAtOnce(users) }

    func gatewaysEnded() { features.endedGateways.goOn() }

    /// Takes blocks from the gateways that are enrolled now, and from no others.
    func gatewaysChanged() {
        do throws(VaultError) {
            ingest.enrol(try EnrolledGateways(store: grants.store, keys: grants.keys).identities(settings))
        } catch {
            if isDue("gateways") { log.error("the list of gateways was not read; trying again in 5 s: \(error)") }
            session.loop.after(.seconds(5)) { [unowned self] in gatewaysChanged() }
        }
    }
}
