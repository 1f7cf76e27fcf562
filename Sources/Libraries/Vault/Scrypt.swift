import COpenSSL
public import Files

/// scrypt (RFC 7914), for people's passwords.
public enum Scrypt {
    /// What hashing costs. Its memory is 128 × `blockSize` × `cost` bytes, for each hash at a time.
    public struct Cost: Hashable, Sendable {
        /// N, a power of two.
        public let cost: UInt64
        /// r.
        public let blockSize: UInt64
        /// p.
        public let parallelization: UInt64

        /// A cost from the RFC's N, r and p.
        public init(cost: UInt64, blockSize: UInt64, parallelization: UInt64) {
            self.cost = cost
            self.blockSize = blockSize
            self.parallelization = parallelization
        }

        /// N = 2^15, r = 8, p = 3: 32 MiB.
        public static let password = Cost(cost: 1 << 15, blockSize: 8, parallelization: 3)
    }

    /// `count` bytes of `password` and `salt`. Slow on purpose: never call it on a thread that others wait for.
    public static func hash(
        _ password: [UInt8], salt: [UInt8], _ cost: Cost = .password, count: Int = 32
    ) throws(VaultError) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: count)
        // OpenSSL's own limit is 32 MiB in all, just too little for N = 2^15; here it is 256 MiB, and OpenSSL refuses
        // costs that need more.
        let characters = password.map(CChar.init(bitPattern:))
        try OpenSSL.check(
            EVP_PBE_scrypt(
                characters, characters.count, salt, salt.count, cost.cost, cost.blockSize, cost.parallelization,
                256 << 20,
                &hash, count), "hash a password")
        return hash
    }
}
