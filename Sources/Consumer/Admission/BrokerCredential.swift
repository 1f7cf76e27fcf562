package import Files
import FoundationEssentials
import Vault

/// The form in which the broker keeps a client's password: a hash as Mosquitto's dynamic-security plugin makes it.
///
/// This few iterations are enough only because the passwords are 32 random bytes, and never chosen by a person.
package struct BrokerCredential: Hashable {
    let salt: [UInt8]
    let hash: [UInt8]
    let iterations: Int32

    static let saltLength = 12
    static let hashLength = 64
    static let iterations: Int32 = 101

    /// Hashes a password, with a random salt.
    package init(password: String) throws(VaultError) {
        let salt = try RandomBytes.draw(Self.saltLength)
        self.salt = salt
        iterations = Self.iterations
        hash = try Self.hash(password, salt, Self.iterations)
    }

    /// Reads what the database has: salt, then hash.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.saltLength + Self.hashLength else { return nil }
        salt = Array(bytes.prefix(Self.saltLength))
        hash = Array(bytes.suffix(Self.hashLength))
        iterations = Self.iterations
    }

    /// Reads what a plugin's file has.
    init?(base64 hash: String?, salt: String?, iterations: Int?) {
        guard let hash, let salt, let iterations, let hash = Data(base64Encoded: hash),
            let salt = Data(base64Encoded: salt), let iterations = Int32(exactly: iterations), iterations > 0
        else { return nil }
        self.salt = Array(salt)
        self.hash = Array(hash)
        self.iterations = iterations
    }

    /// For the database: salt, then hash.
    package var bytes: [UInt8] { salt + hash }

    /// Whether the hash was made of this password.
    func matches(_ password: String) throws(VaultError) -> Bool {
        isEqualInConstantTime(try Self.hash(password, salt, iterations), hash)
    }

    private static func hash(_ password: String, _ salt: [UInt8], _ iterations: Int32) throws(VaultError) -> [UInt8] {
        try PBKDF2.sha512(Array(password.utf8), salt: salt, iterations: iterations, count: hashLength)
    }
}
