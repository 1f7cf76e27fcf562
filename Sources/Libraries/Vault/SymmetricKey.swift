import COpenSSL
public import Files

/// 32 secret bytes in memory of their own, overwritten when the last reference goes.
///
/// Nothing prints them: the description is `32 bytes`, and reflection sees an address.
// @unchecked Sendable: the bytes are written in `init` only, before anybody else has the reference, and in `deinit`,
// after everybody has released it; in between they are only read.
public final class SymmetricKey: @unchecked Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Bytes in a key.
    public static let length = 32

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: SymmetricKey.length, alignment: 16)

    /// A key of exactly 32 bytes. The caller has to overwrite its own array.
    public init(_ bytes: [UInt8]) throws(VaultError) {
        guard bytes.count == Self.length else {
            throw VaultError("make a key", .malformed, said: "\(bytes.count) bytes instead of \(Self.length)")
        }
        memory.copyBytes(from: bytes)
    }

    /// A key whose bytes `fill` writes; what `fill` returns is OpenSSL's code.
    init(_ attempted: String, filledBy fill: (UnsafeMutablePointer<UInt8>) -> Int32) throws(VaultError) {
        // `allocate` with a count above zero always has a base.
        let code = memory.withMemoryRebound(to: UInt8.self) { bytes in bytes.baseAddress.map(fill) ?? 0 }
        try OpenSSL.check(code, attempted)
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    /// A key drawn at random.
    public static func random() throws(VaultError) -> SymmetricKey {
        try SymmetricKey("draw a key") { RAND_priv_bytes_ex(nil, $0, length, 256) }
    }

    /// A copy of the secret, to seal it under another key or to keep it in a file. The copy is not overwritten by
    /// itself.
    public var bytes: [UInt8] { Array(memory) }

    /// `32 bytes`, and nothing else.
    public var description: String { "\(Self.length) bytes" }
    /// `32 bytes`, and nothing else.
    public var debugDescription: String { description }

    /// Lends the secret to C; the pointer must not outlive the call.
    func lend<T>(_ body: (UnsafePointer<UInt8>?) -> T) -> T {
        memory.withMemoryRebound(to: UInt8.self) { body(UnsafePointer($0.baseAddress)) }
    }
}

extension [UInt8] {
    /// Overwrites a secret that passed through an array. Copies that the array's history left elsewhere are beyond
    /// reach.
    mutating func overwrite() {
        withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
