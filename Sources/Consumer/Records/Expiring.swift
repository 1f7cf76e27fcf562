package import Files
package import Storage

// What is good for a while only: codes, used nonces, replies to requests that must not be done twice. Each of these
// tables has a column `expires_ms`, Unix milliseconds. A row is over at that time, whether or not it is removed then.

extension Database {
    /// Removes the rows of a table that are over at some time.
    /// - Parameter time: Unix milliseconds.
    package func removeExpired(from table: String, at time: Int64) throws(VaultError) {
        try execute("DELETE FROM \(table) WHERE expires_ms <= ?", [.integer(time)])
    }
}

/// The rows of `codes` of one purpose. Belongs to the thread of its database.
package struct CodeRows {
    private let database: Database
    private let purpose: Value

    package init(_ database: Database, purpose: String) {
        self.database = database
        self.purpose = .text(purpose)
    }

    /// Removes the codes that are over at some time, Unix milliseconds.
    package func removeExpired(at time: Int64) throws(VaultError) {
        try database.execute("DELETE FROM codes WHERE purpose = ? AND expires_ms <= ?", [purpose, .integer(time)])
    }

    /// Removes the codes that would be good for longer than any may be: they were made when the clock was ahead.
    /// - Parameter time: until when a code that is made now is good, Unix milliseconds.
    package func removeAhead(of time: Int64) throws(VaultError) {
        try database.execute("DELETE FROM codes WHERE purpose = ? AND expires_ms > ?", [purpose, .integer(time)])
    }

    /// Removes all codes of a subject, or of all subjects, but those that are good for longest.
    package func keep(_ count: Int, of subject: String? = nil) throws(VaultError) {
        let condition = subject == nil ? "" : " AND subject = ?3"
        try database.execute(
            """
            DELETE FROM codes WHERE purpose = ?1 AND id IN (
                SELECT id FROM codes WHERE purpose = ?1\(condition) ORDER BY expires_ms DESC
                LIMIT 9223372036854775807 OFFSET ?2)
            """, [purpose, .integer(Int64(count))] + (subject.map { [.text($0)] } ?? []))
    }

    /// Keeps a code.
    /// - Parameters:
    ///   - id: by which it is found.
    ///   - secret: what is sealed of it.
    ///   - expires: until when it is good, Unix milliseconds.
    package func insert(_ id: String, of subject: String, secret: [UInt8], expires: Int64) throws(VaultError) {
        try database.execute(
            "INSERT INTO codes (id, purpose, subject, secret, expires_ms) VALUES (?, ?, ?, ?, ?)",
            [.text(id), purpose, .text(subject), .blob(secret), .integer(expires)])
    }
}
