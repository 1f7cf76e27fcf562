import Daemon
package import Desk
package import Reactor
import Records
import Storage
package import Telemetry
import Vault

// A write that must not be done twice, such as a thumb for a friend, is requested again when its reply got lost: by a
// device that was not connected for a while, and after a restart of ours, which has forgotten the replies of the last
// minute. So the request's identity, a digest of its fields and the reply are kept for ten minutes, in the transaction that
// does the write. A refused request was not done, and is not kept.

/// Requests that were done, with their replies. Belongs to the session's thread.
package final class Answered: FeatureService {
    /// How long a reply is kept, milliseconds.
    package static let lifetime: Int64 = 600_000

    private let store: Store
    private let documents: Documents
    /// The wall clock, Unix milliseconds: that of the context to which it belongs.
    var now: () -> Int64 = unixMilliseconds
    /// Nil before the start.
    private var loop: EventLoop?
    private var pruning: EventLoop.Timer?

    init(_ store: Store, _ keys: Keys) {
        self.store = store
        documents = Documents(store: store, keys: keys)
    }

    /// Does what a person asks in one transaction, or repeats the reply where it was done before. A request without
    /// correlation data cannot be told from another, and is always done.
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - others: of whom it changes something, too.
    package func once(
        _ request: PeopleRequest, now: Int64, with others: @autoclosure () throws -> Set<ID> = [],
        _ body: () throws -> JSON
    ) throws -> JSON {
        let user = try request.user
        let outcome = try store.attempt(naming: try others().union([user])) { () throws -> JSON in
            guard let identity = request.identity else { return try body() }
            let asked = hexadecimal(try SHA256.digest(request.fields.bytes))
            if let reply = try reply(to: identity, asked, of: user, now: now) { return reply }
            let reply = try body()
            let kept: JSON = ["asked": .string(asked), "reply": reply]
            let (version, sealed) = try documents.sealed(kept, Self.label(identity), of: user)
            try store.database.execute(
                """
                INSERT INTO answered (digest, person, secret_version, sealed, expires_ms) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (digest) DO UPDATE SET
                    person = excluded.person, secret_version = excluded.secret_version, sealed = excluded.sealed,
                    expires_ms = excluded.expires_ms
                """,
                [
                    .blob(identity), .text(user.text), .integer(version), .blob(sealed),
                    .integer(now + Self.lifetime),
                ])
            return reply
        }
        pruneLater()
        return try outcome.get()
    }

    /// - Parameter asked: the digest of the request's fields: a program that draws its correlation data badly may use it for
    ///   something else.
    private func reply(
        to identity: [UInt8], _ asked: String, of user: ID, now: Int64
    ) throws(VaultError) -> JSON? {
        let row = try store.database.first(
            "SELECT secret_version, sealed FROM answered WHERE digest = ? AND person = ? AND expires_ms > ?",
            [.blob(identity), .text(user.text), .integer(now)]
        ) { row throws(VaultError) in try row.sealedRow() }
        guard let row else { return nil }
        let kept = try documents.opened(row.sealed, Self.label(identity), of: user, version: row.version)
        // A version before this one kept the reply alone.
        guard let kept, case .string(let known)? = kept["asked"], let reply = kept["reply"] else { return kept }
        return known == asked ? reply : nil
    }

    /// What a reply is sealed as.
    package static func label(_ identity: [UInt8]) -> String {
        "answered \(hexadecimal(identity))"
    }
}

// MARK: Pruning

extension Answered {
    /// Begins pruning, also of replies that an earlier run kept.
    package func start(_ loop: EventLoop) {
        self.loop = loop
        prune()
    }

    private func pruneLater() {
        guard pruning == nil, let loop else { return }
        pruning = loop.after(.milliseconds(Self.lifetime / 10)) { [unowned self] in
            pruning = nil
            prune()
        }
    }

    private func prune() {
        do throws(VaultError) {
            let left = try prune(now: now())
            if left { pruneLater() }
        } catch {
            log.error("replies that are too old are not removed yet: \(error)")
            pruneLater()
        }
    }

    /// Removes replies that are too old.
    /// - Returns: whether any are left.
    func prune(now: Int64) throws(VaultError) -> Bool {
        try store.database.transaction { () throws(VaultError) in
            try store.database.removeExpired(from: "answered", at: now)
            return try store.database.first("SELECT 1 FROM answered LIMIT 1", row: Row.int) != nil
        }
    }
}
