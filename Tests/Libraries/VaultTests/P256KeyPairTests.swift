import TestSupport
import Testing

@testable import Vault

@Suite("Key pairs on P-256")
struct P256KeyPairTests {
    private static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    /// RFC 5903, 8.1.
    @Test("agree on the secret that RFC 5903 has")
    func agrees() throws {
        let mine = try P256KeyPair(
            privateKey: SymmetricKey(hex("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433")))
        let theirs = try P256KeyPair(
            privateKey: SymmetricKey(hex("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53")))
        #expect(
            mine.publicKey
                == hex(
                    "04dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c37725811805271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3"
                ))
        let shared = hex("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de")
        #expect(try mine.sharedSecret(with: theirs.publicKey).bytes == shared)
        #expect(try theirs.sharedSecret(with: mine.publicKey).bytes == shared)
    }

    @Test("sign by ES256, which their public key verifies, and nothing else")
    func signs() throws {
        for _ in 1...50 {
            let pair = try P256KeyPair.random()
            let message = try RandomBytes.draw(100)
            let signature = try pair.signature(of: message)
            let (x, y) = (Array(pair.publicKey[1..<33]), Array(pair.publicKey[33...]))
            let key = try JWSKey(.ellipticCurve(.p256, x: x, y: y))
            #expect(signature.count == P256KeyPair.signatureLength)
            try key.verify(signature, of: message, by: .es256)
            let error = thrown(VaultError.self) { try key.verify(signature, of: message + [0], by: .es256) }
            #expect(error?.reason == .notAuthentic)
        }
    }

    @Test("are made of numbers of the curve, and agree only with points on it")
    func refused() throws {
        var above = Self.order
        above[31] += 1
        for number in [[UInt8](repeating: 0, count: 32), Self.order, above, [UInt8](repeating: 0xFF, count: 32)] {
            let error = thrown(VaultError.self) { try P256KeyPair(privateKey: SymmetricKey(number)) }
            #expect(error?.reason == .malformed)
        }
        var last = Self.order
        last[31] -= 1
        let pair = try P256KeyPair(privateKey: SymmetricKey(last))
        var moved = pair.publicKey
        moved[64] ^= 1
        let points: [[UInt8]] = [
            [], [0], moved, Array(pair.publicKey.dropLast()), pair.publicKey + [0], [2] + moved[1...],
        ]
        for point in points {
            #expect(thrown(VaultError.self) { try pair.sharedSecret(with: point) }?.reason == .malformed)
        }
    }

    @Test("derive from a secret: the same for the same purpose")
    func derived() throws {
        let secret = try SymmetricKey.random()
        let first = try P256KeyPair.derived(from: secret, for: "one")
        #expect(try P256KeyPair.derived(from: secret, for: "one").publicKey == first.publicKey)
        #expect(try P256KeyPair.derived(from: secret, for: "two").publicKey != first.publicKey)
        #expect(try P256KeyPair.derived(from: .random(), for: "one").publicKey != first.publicKey)
    }

    /// NIST's test cases 1 and 2 of GCM with 128 bits have an empty message, which nobody seals here, and one of zeros.
    @Test("come with AES-128-GCM as NIST has it")
    func sealed() throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        let sealed = try AES128GCM.sealed(zeros, key: zeros, nonce: Array(zeros.prefix(12)))
        #expect(sealed == hex("0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"))
        for (key, nonce, message) in [(15, 12, 1), (16, 11, 1), (16, 12, 0)] {
            let error = thrown(VaultError.self) {
                try AES128GCM.sealed(
                    Array(zeros.prefix(message)), key: Array(zeros.prefix(key)), nonce: Array(zeros.prefix(nonce)))
            }
            #expect(error?.reason == .malformed)
        }
    }
}
