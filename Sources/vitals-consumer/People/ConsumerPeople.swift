import Daemon
import Telemetry
import Vault

extension Consumer {
    /// Tells people's side what it needs of this one. Called once, by `init`.
    func meetPeople() throws(Failure) {
        guard let people else { return }
        let accounts = try Failure.explaining { () throws(VaultError) in
            let accounts = try Accounts(people)
            try ProviderSignIn(people, accounts)
            return accounts
        }
        people.accounts = accounts
        accounts.erase = { [unowned self] user, completion in
            forgetting.forget(
                user, keepingAccount: false, progress: { people.tell(user, "account/delete", $0) },
                completion: { completion($0.map { _ in }.mapError { $0 }) })
        }
        _ = Profiles(people)
        let context = people.context
        context.settle = { [unowned self] (sensors) throws(VaultError) in try settle(sensors) }
        context.gatewaysChanged = { [unowned self] () throws(VaultError) in
            ingest.enrol(try EnrolledGateways(store: grants.store, keys: grants.keys).identities(settings))
        }
        _ = Enrolment(people)
        _ = Claiming(people)
    }

    /// Brings the streams of some sensors in line with settings and claims, and publishes their grants.
    func settle(_ sensors: Set<SensorName>) throws(VaultError) {
        let people = try Claims(store: grants.store).people(settings, only: sensors)
        try grants.settle(people, only: sensors, now: unixMilliseconds())
        // What is in memory of sessions knows nothing of the ends.
        ingest.forgetSessions()
        try publishGrants(of: sensors) { [unowned self] error in
            if let error, isDue("grants") { log.error("\(error)") }
        }
    }
}
