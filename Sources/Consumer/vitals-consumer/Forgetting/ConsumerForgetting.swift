import Daemon
import Desk
import Records
import Storage
import Telemetry
import Vault

// What people ask about their secrets, and what the service does about them by itself.
//
// A new secret is made when the old one has reached its age (rotate_after). The service looks whose turn it is at the
// start and then each day; each person's day lies somewhere in the last twelfth of the time, by their id: so people who
// were there together when this was installed do not change together for ever, and gateways, which begin a new session
// for each new stream, do not do so all at once.

extension Consumer {
    /// Gives the forgetting what it needs of this service. Called once, by `init`.
    func meetForgetting() {
        forgetting.settle = { [unowned self] (sensors) throws(VaultError) in try settle(sensors) }
        forgetting.given = { [unowned self] in Set(settings.people.flatMap(\.sensors)) }
        forgetting.gatewaysChanged = { [unowned self] in
            gatewaysChanged()
            gatewaysEnded()
        }
        forgetting.forgetSessions = { [unowned self] in ingest.forgetSessions() }
        forgetting.accountGone = { [unowned self] user, devices in
            // Where this fails, it is done when the rules are next brought in line with the database.
            rules?.remove(person: user, devices: devices) { error in if let error { log.warning("\(error)") } }
        }
        forgetting.forgotten = { [unowned self] user in
            stale.spoil(user)
            minutes.latest?.forget(user)
            features.today.forgotten(user)
        }
        stale.isBeingForgotten = { [unowned self] in forgetting.isBusy(with: $0) }
    }

    /// What people may ask about their secrets.
    var secretVerbs: [Verb] {
        [
            Verb(
                "secret/rotate",
                .atOnce { [unowned self] request in
                    ["version": .integer(try rotateSecret(of: request.user, now: features.context.now()))]
                })
        ]
    }

    /// A day, in milliseconds.
    private static let day: Int64 = 86_400_000

    /// Makes new secrets for those whose turn it is, now and each day. On the session's thread.
    func rotateDaily() {
        var next = Self.day
        defer { session.loop.after(.milliseconds(next)) { [unowned self] in rotateDaily() } }
        do throws(VaultError) {
            let due = try grants.keys.dueForRotation(
                after: settings.rotateAfter / .milliseconds(1), now: unixMilliseconds())
            for user in due where try grants.keys.rotate(user) != nil { rotated.insert(user) }
            guard !rotated.isEmpty else { return }
            let all = try Claims(store: grants.store).people(settings)
            try settle(Set(all.filter { rotated.contains($0.user) }.flatMap(\.sensors)))
            log.notice("made new secrets for \(rotated.count) \(rotated.count == 1 ? "person" : "persons")")
            rotated.removeAll()
        } catch {
            next = 3_600_000
            log.error("no new secrets were made for the people whose turn it is; trying again in an hour: \(error)")
        }
    }

    /// A person wants a new secret. Each version is kept for ever: one an hour is enough.
    private func rotateSecret(of user: ID, now: Int64) throws -> Int64 {
        let keys = grants.keys
        if let seconds = try keys.secondsUntilRotation(of: user, now: now) {
            throw ReplyError(.rateLimited, "there is a new secret already", retryAfterSeconds: seconds)
        }
        guard let version = try keys.rotate(user) else { throw ReplyError(.notFound, "there is no secret to change") }
        let sensors = try Claims(store: grants.store).people(settings).filter { $0.user == user }.flatMap(\.sensors)
        try settle(Set(sensors))
        return version
    }
}

extension Keys {
    /// When a person's latest secret was made, Unix milliseconds; nil where there is none.
    func newestMade(of user: ID) throws(VaultError) -> Int64? {
        try database.first(
            "SELECT made_ms FROM secrets WHERE person = ? ORDER BY version DESC LIMIT 1", [.text(user.text)],
            row: Row.int
        )
    }

    /// How long a person has to wait for another secret; nil where they need not. A secret that seems to come from the
    /// future was made when the clock was ahead, and nobody knows how old it is.
    func secondsUntilRotation(of user: ID, now: Int64) throws(VaultError) -> Int? {
        guard let made = try newestMade(of: user), made <= now, now - made < 3_600_000 else { return nil }
        return Int((made + 3_600_000 - now + 999) / 1000)
    }

    /// People whose latest secret is too old. A secret that seems to come from the future is not: at a start without a
    /// network it is the clock that is behind.
    /// - Parameters:
    ///   - age: milliseconds.
    ///   - now: Unix milliseconds.
    func dueForRotation(after age: Double, now: Int64) throws(VaultError) -> [ID] {
        let newest = try database.query(
            """
            SELECT person, made_ms FROM secrets AS one WHERE made_ms <= ?
                AND version = (SELECT max(version) FROM secrets WHERE person = one.person) ORDER BY person
            """, [.integer(now - Int64(age * 11 / 12))]
        ) { row throws(VaultError) in (user: try row.text("person"), made: try row.int("made_ms")) }
        var due: [ID] = []
        for (text, made) in newest {
            guard let user = decoded({ () throws(MalformedValue) in try ID(text) }) else { continue }
            let hash = try SHA256.digest(Array(text.utf8)).prefix(4).reduce(0) { $0 << 8 | UInt64($1) }
            let early = age / 12 * Double(hash) / Double(UInt32.max)
            if Double(now - made) >= age - early { due.append(user) }
        }
        return due
    }
}
