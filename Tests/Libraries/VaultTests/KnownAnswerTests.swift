import Testing

@testable import Vault

/// Published vectors, letter by letter: what they pin is that we speak the standards and not a dialect.
@Suite("Known answers")
struct KnownAnswerTests {
    struct Sealing: Sendable {
        let source: String
        let key, nonce, aad, plaintext, sealed: String
    }

    static let sealings = [
        Sealing(
            source: "The Galois/Counter Mode of Operation (McGrew, Viega), test case 13",
            key: String(repeating: "00", count: 32), nonce: "000000000000000000000000", aad: "", plaintext: "",
            sealed: "530f8afbc74536b9a963b4f1c4cb738b"),
        Sealing(
            source: "test case 14",
            key: String(repeating: "00", count: 32), nonce: "000000000000000000000000", aad: "",
            plaintext: "00000000000000000000000000000000",
            sealed: "cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919"),
        Sealing(
            source: "test case 16",
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
            aad: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            plaintext: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                """,
            sealed: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
                76fc6ece0f4e1768cddf8853bb2d551b
                """),
    ]

    @Test("AES-256-GCM gives the published ciphertexts and tags", arguments: sealings)
    func gcm(_ vector: Sealing) throws {
        let cipher = BlockCipher(key: try SymmetricKey(hex(vector.key)))
        let sealed = try cipher.seal(hex(vector.plaintext), nonce: hex(vector.nonce), aad: hex(vector.aad))
        #expect(text(sealed) == text(hex(vector.sealed)), "\(vector.source)")
        #expect(
            try cipher.open(hex(vector.sealed)[...], nonce: hex(vector.nonce), aad: hex(vector.aad))
                == hex(vector.plaintext))
    }

    @Test("a block's number is a 96-bit big-endian nonce")
    func nonce() {
        #expect(text(BlockCipher.nonce(0x0102_0304_0506_0708)) == "000000000102030405060708")
        #expect(text(BlockCipher.nonce(.max)) == "00000000ffffffffffffffff")
    }

    @Test("HKDF-SHA256 gives RFC 5869, A.1 and A.3")
    func hkdf() throws {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        let first = try HKDF.sha256(from: secret, salt: Array(0...0x0C), info: Array(0xF0...0xF9), count: 42)
        #expect(text(first) == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let third = try HKDF.sha256(from: secret, salt: [], info: [], count: 42)
        #expect(text(third) == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
        #expect(throws: VaultError.self) { try HKDF.sha256(from: secret, salt: [], info: [], count: 8161) }
    }

    @Test("X25519 gives RFC 7748, 5.2 and 6.1")
    func x25519() throws {
        let scalar = try pair("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
        let shared = try scalar.sharedSecret(
            with: hex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        #expect(text(shared.bytes) == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552")

        let alice = try pair("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
        let bob = try pair("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        #expect(text(alice.publicKey) == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        #expect(text(bob.publicKey) == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        let secret = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
        #expect(text(try alice.sharedSecret(with: bob.publicKey).bytes) == secret)
        #expect(text(try bob.sharedSecret(with: alice.publicKey).bytes) == secret)
    }

    @Test("X25519 refuses public keys with which everyone shares the same secret", arguments: [0, 1] as [UInt8])
    func smallOrder(_ first: UInt8) throws {
        let pair = try X25519KeyPair.random()
        let low = [first] + [UInt8](repeating: 0, count: 31)
        #expect(throws: VaultError.self) { try pair.sharedSecret(with: low) }
        #expect(throws: VaultError.self) { try pair.sharedSecret(with: []) }
    }

    @Test("Ed25519 gives RFC 8032, 7.1")
    func ed25519() throws {
        let vectors = [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                """
                e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
                5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
                """
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
                085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
                """
            ),
        ]
        for (seed, publicKey, message, signature) in vectors {
            let key = try Ed25519.SigningKey(seed: SymmetricKey(hex(seed)))
            #expect(text(key.publicKey) == publicKey)
            #expect(text(try key.sign(hex(message))) == text(hex(signature)))
            let verifying = try Ed25519.VerifyingKey(hex(publicKey))
            try verifying.verify(hex(signature), of: hex(message))
            #expect { try verifying.verify(hex(signature), of: hex(message) + [0]) } throws: { isNotAuthentic($0) }
            #expect { try verifying.verify([], of: hex(message)) } throws: { isNotAuthentic($0) }
        }
    }

    @Test("SHA-256 gives FIPS 180-4's example, HMAC-SHA256 gives RFC 4231, 4.2")
    func digests() throws {
        #expect(
            text(try SHA256.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        // The RFC's key has 20 bytes; HMAC fills every shorter key with zeros (RFC 2104, 2), so zeros change nothing.
        let key = try SymmetricKey([UInt8](repeating: 0x0B, count: 20) + [UInt8](repeating: 0, count: 12))
        #expect(
            text(try HMACSHA256.code(for: Array("Hi There".utf8), key: key))
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    }

    @Test("scrypt gives RFC 7914, 12, has memory enough for passwords, and refuses a cost that is none")
    func scrypt() throws {
        let cost = Scrypt.Cost(cost: 1024, blockSize: 8, parallelization: 16)
        let hash = try Scrypt.hash(Array("password".utf8), salt: Array("NaCl".utf8), cost, count: 64)
        let expected = """
            fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
            2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
            """
        #expect(text(hash) == text(hex(expected)))
        #expect(try Scrypt.hash(Array("password".utf8), salt: Array("NaCl".utf8)).count == 32)
        let none = Scrypt.Cost(cost: 1000, blockSize: 8, parallelization: 1)
        #expect(throws: VaultError.self) { try Scrypt.hash([1], salt: [2], none) }
    }

    private func pair(_ privateKey: String) throws -> X25519KeyPair {
        try X25519KeyPair(privateKey: SymmetricKey(hex(privateKey)))
    }
}

func isNotAuthentic(_ error: any Error) -> Bool { (error as? VaultError)?.reason == .notAuthentic }
