import Contract
package import Daemon
package import Desk
package import Features
package import Files
import Fitness
package import Reactor
import Readings
package import Records
import Storage
package import Telemetry
import Vault

// What people ask about their secrets, and what the service does about them by itself.
//
// A new secret is made when the old one has reached its age (rotate_after). The service looks whose turn it is at the
// start and then each day; each person's day lies somewhere in the last twelfth of the time, by their id: so people who
// were there together when this was installed do not change together for ever, and gateways, which begin a new session
// for each new stream, do not do so all at once.

extension Feature {
    /// People's secrets.
    package static let secrets = Feature(
        name: "secrets", service: { parts in Secrets(parts.context) }, settings: SecretSettings.self)
}

/// `keys` of the settings.
package struct SecretSettings: FeatureSettings {
    package static let key = "keys"
    package static let isTakenAtOnce = false
    /// How old a person's secret may become.
    package let rotateAfter: Duration

    package init(_ settings: Section) throws(SettingsError) {
        rotateAfter = try settings.section(Self.key).duration(
            "rotate_after", in: .seconds(86_400) ... .seconds(10 * 366 * 86_400), default: .seconds(365 * 86_400))
    }
}

/// Answers `secret/rotate`, and makes new secrets for those whose turn it is. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Secrets: FeatureService, @unchecked Sendable {
    private let context: PeopleContext
    /// How old a secret may become.
    private let age: Duration
    /// People who have a new secret that their sensors' streams are not sealed to yet.
    private var rotated: Set<ID> = []

    package init(_ context: PeopleContext) {
        self.context = context
        age = context.settings[SecretSettings.self].rotateAfter
    }

    /// What people may ask about their secrets.
    package var verbs: [Verb] {
        [
            Verb(
                "secret/rotate", .secretRotate,
                .atOnce { [self] request in
                    ["version": .integer(try rotate(request.user, now: context.now()))]
                })
        ]
    }

    /// A day, in milliseconds.
    private static let day: Int64 = 86_400_000

    /// Makes new secrets for those whose turn it is, now and each day, on the thread of this loop.
    package func start(_ loop: EventLoop) {
        var next = Self.day
        defer { loop.after(.milliseconds(next)) { [weak self] in self?.start(loop) } }
        do throws(VaultError) {
            let due = try context.keys.dueForRotation(after: age / .milliseconds(1), now: unixMilliseconds())
            for user in due where !context.doors.isBeingForgotten(user) {
                if try context.keys.rotate(user) != nil { rotated.insert(user) }
            }
            guard !rotated.isEmpty else { return }
            try context.doors.settle(sensors { rotated.contains($0) })
            log.notice("made new secrets for \(rotated.count) \(rotated.count == 1 ? "person" : "persons")")
            rotated.removeAll()
        } catch {
            next = 3_600_000
            log.error("no new secrets were made for the people whose turn it is; trying again in an hour: \(error)")
        }
    }

    /// The sensors of some people.
    private func sensors(of isMeant: (ID) -> Bool) throws(VaultError) -> Set<SensorName> {
        let all = try Claims(store: context.store).people(context.settings)
        return Set(all.filter { isMeant($0.user) }.flatMap(\.sensors))
    }

    /// A person wants a new secret. Each version is kept for ever: one an hour is enough.
    private func rotate(_ user: ID, now: Int64) throws -> Int64 {
        let keys = context.keys
        if let seconds = try keys.secondsUntilRotation(of: user, now: now) {
            throw ReplyError(.rateLimited, "there is a new secret already", retryAfterSeconds: seconds)
        }
        guard let version = try keys.rotate(user) else { throw ReplyError(.notFound, "there is no secret to change") }
        try context.doors.settle(sensors { $0 == user })
        return version
    }
}

extension RequestContract {
    fileprivate static let secretRotate = RequestContract(
        "Makes a new secret for the person, once an hour.",
        answers: .record([.always("version", .count.about("the secret's number"))]))
}

extension Keys {
    /// When a person's latest secret was made, Unix milliseconds; nil if there is none.
    package func latestMade(of user: ID) throws(VaultError) -> Int64? {
        try database.first(
            "SELECT made_ms FROM secrets WHERE person = ? ORDER BY version DESC LIMIT 1", [.text(user.text)],
            row: Row.int
        )
    }

    /// How long a person has to wait for another secret; nil if they need not. A secret that seems to come from the
    /// future was made when the clock was ahead, and nobody knows how old it is.
    package func secondsUntilRotation(of user: ID, now: Int64) throws(VaultError) -> Int? {
        guard let made = try latestMade(of: user), made <= now, now - made < 3_600_000 else { return nil }
        return Int((made + 3_600_000 - now + 999) / 1000)
    }

    /// People whose latest secret is too old. A secret that seems to come from the future is not: at a start without a
    /// network it is the clock that is behind.
    /// - Parameters:
    ///   - age: milliseconds.
    ///   - now: Unix milliseconds.
    package func dueForRotation(after age: Double, now: Int64) throws(VaultError) -> [ID] {
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
