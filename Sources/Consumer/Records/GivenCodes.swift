package import Files
import Storage
import Telemetry
package import Vault

// Codes that one person gives to another, who types them. A code is kept as its keyed hash: nobody reads one out of the database. What it
// leads to is sealed together with until when it is good, so that nobody who can write to the file has a code of their own lead elsewhere.

/// The codes of one purpose that are out. Belongs to the thread of its store and keys.
package struct GivenCodes {
    /// How long a code is good, milliseconds.
    package static let lifetime: Int64 = 7 * 86_400_000

    private let store: Store
    private let keys: Keys
    private let purpose: String
    private var rows: CodeRows { CodeRows(store.database, purpose: purpose) }

    /// - Parameter purpose: what the codes are for; no two features have the same.
    package init(_ store: Store, _ keys: Keys, purpose: String) {
        (self.store, self.keys, self.purpose) = (store, keys, purpose)
    }

    /// What somebody typed; nil if no code looks like that.
    package static func typed(_ text: String) -> EnrolmentCode? {
        do throws(VaultError) { return try EnrolmentCode(text) } catch { return nil }
    }

    /// Draws a code, within a transaction.
    /// - Parameters:
    ///   - subject: what the code leads to.
    ///   - most: how many of its codes may be out at a time; another one ends the oldest.
    /// - Returns: the code for people, and until when it is good, in Unix milliseconds.
    package func draw(
        for subject: String, most: Int, now: Int64
    ) throws(VaultError) -> (text: String, expires: Int64) {
        try rows.removeExpired(at: now)
        try rows.keep(most - 1, of: subject)
        let (code, expires) = (try EnrolmentCode.random(), now + Self.lifetime)
        let id = try key(code)
        let secret = try keys.service.seal(Self.sealed(subject, expires), Self.context(id))
        try rows.insert(id, of: subject, secret: secret, expires: expires)
        return (code.text, expires)
    }

    /// What a code leads to; nil if there is none, or it is too old.
    package func subject(of code: EnrolmentCode, now: Int64) throws(VaultError) -> String? {
        try subject(of: code, "SELECT subject, expires_ms, secret FROM codes WHERE id = ? AND purpose = ? AND expires_ms > ?", now: now)
    }

    /// The same; the code is used up. Within a transaction.
    package func use(_ code: EnrolmentCode, now: Int64) throws(VaultError) -> String? {
        try subject(
            of: code, "DELETE FROM codes WHERE id = ? AND purpose = ? AND expires_ms > ? RETURNING subject, expires_ms, secret", now: now)
    }

    /// What the row that a statement finds leads to, unless somebody else has written it.
    private func subject(of code: EnrolmentCode, _ statement: String, now: Int64) throws(VaultError) -> String? {
        let id = try key(code)
        let found = try store.database.first(statement, [.text(id), .text(purpose), .integer(now)]) { row throws(VaultError) in
            (subject: try row.text("subject"), expires: try row.int("expires_ms"), secret: try row.blob("secret"))
        }
        guard let found, let opened = try keys.service.openIfReadable(found.secret, Self.context(id)),
            opened == Self.sealed(found.subject, found.expires)
        else { return nil }
        return found.subject
    }

    private static func sealed(_ subject: String, _ expires: Int64) -> [UInt8] { Array("\(expires) \(subject)".utf8) }

    private static func context(_ id: String) -> RowContext { RowContext("given code", id) }

    /// Ends all codes that lead there.
    package func end(_ subject: String) throws(VaultError) { try rows.keep(0, of: subject) }

    private func key(_ code: EnrolmentCode) throws(VaultError) -> String {
        let hash = try keys.lookup(purpose, code.text)
        return "\(purpose)-\(StreamID(stored: Array(hash.prefix(16))))"
    }
}
