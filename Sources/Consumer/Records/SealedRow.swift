package import Files
package import Storage
package import Telemetry
package import Vault

// Rows are sealed here, and nowhere else: under a key (the service's own, that of a version of a person's secret, or the
// root key), and bound to a context. The context says which row it is, so that no row opens in the place of another.
//
// There are two layouts of contexts, and stored rows have both of them. Most consist of a label and texts, with a zero
// byte before each text:
//
//     "document" | 0 | name | 0 | person | 0 | version        documents, and rows of tables with a label in place of a name
//     "days" | 0 | person | 0 | day | 0 | version             days
//     "heart_rate_hours" | 0 | person | 0 | hour | 0 | version   heart rate; so are its days and months
//     "password" | 0 | person, "reset" | 0 | id, …            what is sealed under the service's key
//
// The others have a label and bytes of a fixed length:
//
//     "packed" | stream, 16 | hour, 8 | group, 8              packed readings
//     "session" | stream, 16 | session, 8 | boot, 16          sessions' keys

/// What a row's sealing is bound to.
package struct RowContext: Equatable, Sendable {
    package let bytes: [UInt8]

    /// A label, and texts without a zero byte.
    package init(_ label: String, _ texts: String...) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(label.utf8.count + texts.reduce(0) { $0 + 1 + $1.utf8.count })
        bytes += label.utf8
        for text in texts {
            bytes.append(0)
            bytes += text.utf8
        }
        self.bytes = bytes
    }

    /// A label, and bytes that have the same length in all contexts with this label.
    package init(_ label: String, fixed bytes: [UInt8]) { self.bytes = Array(label.utf8) + bytes }
}

/// A key that rows are sealed under. It belongs to one thread at a time.
package struct RowKey {
    private let cipher: BlockCipher

    /// How many bytes sealing adds.
    package static let overhead = BlockCipher.nonceLength + BlockCipher.tagLength

    package init(_ key: SymmetricKey) { cipher = BlockCipher(key: key) }

    /// The sealed bytes, under a random nonce.
    package func seal(_ plain: [UInt8], _ context: RowContext) throws(VaultError) -> [UInt8] {
        try cipher.sealWithNonce(plain, aad: context.bytes)
    }

    /// What `seal` has sealed. Throws `.notAuthentic` unless key, context and every bit are those of the sealing.
    package func open(_ sealed: [UInt8], _ context: RowContext) throws(VaultError) -> [UInt8] {
        try cipher.openWithNonce(sealed, aad: context.bytes)
    }

    /// The same; nil if the cause is the bytes, and not this machine.
    package func openIfReadable(_ sealed: [UInt8], _ context: RowContext) throws(VaultError) -> [UInt8]? {
        do { return try open(sealed, context) } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }
}

// MARK: Rows of people

/// What a row has that is sealed under a person's key.
package typealias SealedRow = (
    /// That of the person's secret.
    version: Int64, sealed: [UInt8]
)

extension Row {
    /// The columns `secret_version` and `sealed`.
    package func sealedRow() throws(VaultError) -> SealedRow {
        (version: try int("secret_version"), sealed: try blob("sealed"))
    }
}

extension Keys {
    /// What a row's sealing is bound to, under a version of its person's secret.
    package typealias ContextOfVersion = (_ version: Int64) -> RowContext

    /// Seals a row under the latest version of its person's secret; nil if there is none.
    package func seal(_ plain: [UInt8], of user: ID, _ context: ContextOfVersion) throws(VaultError) -> SealedRow? {
        guard let version = try version(of: user), let person = try person(user.text, version: version) else {
            return nil
        }
        return (version, try person.rows.seal(plain, context(version)))
    }

    /// The same; throws where there is no secret.
    /// - Parameter what: what is sealed, for the error.
    package func seal(
        _ plain: [UInt8], of user: ID, _ what: String, _ context: ContextOfVersion
    ) throws(VaultError) -> SealedRow {
        guard let row = try seal(plain, of: user, context) else {
            throw VaultError("seal \(what) of \(user)", .missing, said: "there is no secret of theirs")
        }
        return row
    }

    /// What a person's row says; nil if its secret is gone, or the bytes are damaged.
    package func open(_ row: SealedRow, of user: ID, _ context: ContextOfVersion) throws(VaultError) -> [UInt8]? {
        try person(user.text, version: row.version)?.rows.openIfReadable(row.sealed, context(row.version))
    }
}
