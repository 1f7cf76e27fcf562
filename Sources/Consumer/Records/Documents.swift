package import Files
package import Telemetry

/// What is kept of a person in addition to readings: profile, contact and so on, each a JSON value under a name, sealed
/// under the person's row key. Belongs to the thread of its store and keys.
package struct Documents {
    package let store: Store
    package let keys: Keys

    package init(store: Store, keys: Keys) {
        self.store = store
        self.keys = keys
    }

    /// A document; nil if there is none, or if it can no longer be opened.
    package func read(_ name: String, of user: ID) throws(VaultError) -> JSON? {
        let found = try store.database.first(
            "SELECT secret_version, sealed FROM documents WHERE person = ? AND name = ?",
            [.text(user.text), .text(name)]
        ) { row throws(VaultError) in try row.sealedRow() }
        guard let found else { return nil }
        return try opened(found.sealed, name, of: user, version: found.version)
    }

    /// Keeps a document, in place of the old one. The person must have a secret.
    package func write(_ document: JSON, _ name: String, of user: ID) throws(VaultError) {
        let (version, sealed) = try self.sealed(document, name, of: user)
        try store.database.execute(
            """
            INSERT INTO documents (person, name, secret_version, sealed) VALUES (?, ?, ?, ?)
            ON CONFLICT (person, name) DO UPDATE SET
                secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [.text(user.text), .text(name), .integer(version), .blob(sealed)])
    }

    /// Removes a document, if there is one.
    package func remove(_ name: String, of user: ID) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM documents WHERE person = ? AND name = ?", [.text(user.text), .text(name)])
    }

    /// A value under the latest version of the person's row key, for a row of another table; `name` says which.
    package func sealed(_ value: JSON, _ name: String, of user: ID) throws(VaultError) -> SealedRow {
        try keys.seal(value.bytes, of: user, name) { Self.context(name, user, $0) }
    }

    /// What `sealed` has sealed; nil if its secret is gone, or the bytes are damaged.
    package func opened(_ sealed: [UInt8], _ name: String, of user: ID, version: Int64) throws(VaultError) -> JSON? {
        let bytes = try keys.open((version, sealed), of: user) { Self.context(name, user, $0) }
        return bytes.flatMap { bytes in decoded { () throws(MalformedValue) in try JSON(payload: bytes) } }
    }

    /// The name under which a device's name is sealed.
    package static func label(ofDevice device: String) -> String { "device \(device)" }

    /// What a document's sealing is bound to.
    package static func context(_ name: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("document", name, user.text, "\(version)")
    }
}
