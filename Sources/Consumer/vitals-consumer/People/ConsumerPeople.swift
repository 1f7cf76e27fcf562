import Daemon
import Files
import Records
import Telemetry

extension Consumer {
    /// Tells those who keep what readings mean of each other. Called once, by `init`.
    func meetDays() {
        let notifications = people.context.notifications
        days.evaluate = { goals, day, today, user, now throws(VaultError) in
            try GoalReaching(notifications).evaluate(&goals, on: day, today: today, of: user, now: now)
        }
        days.moved = { [scheduledReads] in scheduledReads.moved($0) }
        packing.fold = { [minutes] before, isBusy throws(VaultError) in
            try minutes.fold(before: before, isBusy: isBusy, now: unixMilliseconds())
        }
    }

    /// Tells people's side what it needs of this one. Called once, by `init`.
    func meetPeople() throws(Failure) {
        if settings.accounts != nil { try meetNewcomers() }
        let context = people.context
        context.settle = { [unowned self] in settleInTheEnd($0) }
        context.gatewaysChanged = { [unowned self] in takeGateways() }
        context.gatewaysEnded = { [unowned self] in endedGateways.goOn() }
        context.shownDifferently = { [unowned self] in today.changedAtOnce($0) }
        days.changed = { [unowned self] in today.changed($0) }
        _ = Profiles(people)
        context.notifications.register(people)
        _ = Goals(people, days)
        _ = Friends(people, days)
        ExportRequests.register(exportReaders, context)
        for readers in [readers, statisticsReaders] {
            readers.prepare = { [stale] in _ = try stale.catchUp($0, within: StaleHours.portion) }
        }
        HeartRateRequests.register(readers)
        _ = ReadRequests(people, questions)
        Statistics.register(statisticsReaders, context)
        // As for the rest of what is retained: see `TodayTopics`.
        guard settings.accounts != nil else { return }
        minutes.latest = LatestMinutes(context)
        // The day's heart rate is another each minute; not with each heartbeat.
        minutes.latest?.told = { [unowned self] in today.changed([$0]) }
    }

    /// Those who are not in the settings: they sign up, and claim what is theirs.
    private func meetNewcomers() throws(Failure) {
        let erase: Accounts.Erase = { [unowned self] user, keepingAccount, completion in
            forgetting.forget(
                user, keepingAccount: keepingAccount,
                progress: { [people] in if !keepingAccount { people.tell(user, "account/delete", $0) } },
                completion: { completion($0.map { _ in }.mapError { $0 }) })
        }
        people.accounts = try Failure.explaining { [people] () throws(VaultError) in
            let accounts = try Accounts(people, erase: erase)
            accounts.providers = try ProviderSignIn(people, accounts)
            return accounts
        }
        _ = Enrolment(people)
        _ = Claiming(people)
    }

    /// Brings the streams of some sensors in line with settings and claims, and publishes their grants. Where that fails it is tried again
    /// until it is done: whoever has released a sensor is not to be recorded by it until the next restart.
    func settle(_ sensors: Set<SensorName>) throws(VaultError) {
        unsettled.formUnion(sensors)
        settling?.cancel()
        do throws(VaultError) {
            let all = unsettled
            let people = try Claims(store: grants.store).people(settings, only: all)
            try grants.settle(people, only: all, now: unixMilliseconds())
            // What is in memory of sessions knows nothing of the ends.
            ingest.forgetSessions()
            scheduledReads.sensorsChanged()
            try publishGrants(of: all) { [unowned self] error in
                if let error, isDue("grants") { log.error("\(error)") }
            }
            unsettled = []
        } catch {
            settling = session.loop.after(.seconds(5)) { [unowned self] in settleInTheEnd([]) }
            throw error
        }
    }

    private func settleInTheEnd(_ sensors: Set<SensorName>) {
        do throws(VaultError) { try settle(sensors) } catch {
            if isDue("settle") {
                log.error(
                    "the streams of \(counted(unsettled.count, "sensor")) are not as they should be; trying again in 5 s: \(error)"
                )
            }
        }
    }

    /// Takes blocks from the gateways that there are now, and from no others.
    private func takeGateways() {
        do throws(VaultError) {
            ingest.enrol(try EnrolledGateways(store: grants.store, keys: grants.keys).identities(settings))
        } catch {
            if isDue("gateways") { log.error("the list of gateways was not read; trying again in 5 s: \(error)") }
            session.loop.after(.seconds(5)) { [unowned self] in takeGateways() }
        }
    }
}
