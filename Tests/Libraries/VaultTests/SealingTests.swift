import Testing

@testable import Vault

@Suite("Sealing")
struct SealingTests {
    private let aad = [UInt8](repeating: 7, count: 36)

    @Test("opens what was sealed, whatever its length", arguments: [0, 1, 15, 16, 17, 300, 5000])
    func roundTrip(_ count: Int) throws {
        let cipher = BlockCipher(key: try .random())
        let plaintext = try RandomBytes.draw(count)
        let sealed = try cipher.seal(plaintext, seq: 5, aad: aad)
        #expect(sealed.count == count + BlockCipher.tagLength)
        #expect(try cipher.open(sealed, seq: 5, aad: aad) == plaintext)
        #expect(try cipher.open((aad + sealed).dropFirst(36), seq: 5, aad: aad) == plaintext)
        #expect(try cipher.open(cipher.seal(plaintext, seq: 5, aad: []), seq: 5, aad: []) == plaintext)
    }

    @Test("opens a block whose header is its additional data, and refuses every flipped bit of it")
    func blocks() throws {
        let cipher = BlockCipher(key: try .random())
        for (count, number) in [(0, UInt64(1)), (1, 255), (200, 1 << 32), (5000, .max)] {
            let plaintext = try RandomBytes.draw(count)
            let block = aad + (try cipher.seal(plaintext, seq: number, aad: aad))
            #expect(try cipher.open(block: block, header: aad.count, seq: number) == plaintext)
            #expect { try cipher.open(block: block, header: aad.count, seq: number ^ 1) } throws: { isNotAuthentic($0) }
            #expect { try cipher.open(block: block, header: aad.count - 1, seq: number) } throws: { isNotAuthentic($0) }
            for bit in 0..<min(block.count, 60) * 8 {
                var altered = block
                altered[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect { try cipher.open(block: altered, header: aad.count, seq: number) } throws: {
                    isNotAuthentic($0)
                }
            }
            for length in [0, 35, 36, 51] {
                #expect { try cipher.open(block: Array(block.prefix(length)), header: 36, seq: number) } throws: {
                    ($0 as? VaultError)?.reason == .malformed
                }
            }
        }
    }

    @Test("refuses every flipped bit, and still opens after each refusal")
    func bitFlips() throws {
        let cipher = BlockCipher(key: try .random())
        let plaintext = Array("72 beats a minute".utf8)
        let sealed = try cipher.seal(plaintext, seq: 1, aad: aad)
        for bit in 0..<sealed.count * 8 {
            var altered = sealed
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect { try cipher.open(altered, seq: 1, aad: aad) } throws: { isNotAuthentic($0) }
        }
        for bit in 0..<aad.count * 8 {
            var altered = aad
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect { try cipher.open(sealed, seq: 1, aad: altered) } throws: { isNotAuthentic($0) }
        }
        #expect(try cipher.open(sealed, seq: 1, aad: aad) == plaintext)
    }

    @Test("refuses another number, another key, and bytes too short for a tag")
    func strangers() throws {
        let cipher = BlockCipher(key: try .random())
        let sealed = try cipher.seal([1, 2, 3], seq: 1, aad: aad)
        #expect { try cipher.open(sealed, seq: 2, aad: aad) } throws: { isNotAuthentic($0) }
        #expect { try BlockCipher(key: .random()).open(sealed, seq: 1, aad: aad) } throws: { isNotAuthentic($0) }
        for count in 0..<16 {
            #expect { try cipher.open(Array(sealed.prefix(count)), seq: 1, aad: aad) } throws: {
                ($0 as? VaultError)?.reason == .malformed
            }
        }
    }

    @Test("a random nonce makes the same row look different each time")
    func randomNonce() throws {
        let cipher = BlockCipher(key: try .random())
        let first = try cipher.sealWithNonce([1, 2, 3], aad: aad)
        let second = try cipher.sealWithNonce([1, 2, 3], aad: aad)
        #expect(first != second)
        #expect(try cipher.openWithNonce(first, aad: aad) == [1, 2, 3])
        #expect(try cipher.openWithNonce(second, aad: aad) == [1, 2, 3])
        for count in 0..<28 {
            #expect(throws: VaultError.self) { try cipher.openWithNonce(Array(first.prefix(count)), aad: aad) }
        }
    }

    @Test("prints nothing of a key")
    func silence() throws {
        let key = try SymmetricKey(Array(1...32))
        var dumped = ""
        dump(key, to: &dumped)
        dump(SessionKey(key), to: &dumped)
        #expect("\(key)" == "32 bytes")
        #expect(String(reflecting: key) == "32 bytes")
        #expect(!dumped.contains("0102") && !dumped.contains("1, 2") && !dumped.contains("- 1\n"))
        #expect(throws: VaultError.self) { try SymmetricKey([1, 2, 3]) }
    }

    @Test("compares codes byte by byte")
    func comparison() {
        #expect(isEqualInConstantTime([1, 2], [1, 2]))
        #expect(!isEqualInConstantTime([1, 2], [1, 3]))
        #expect(!isEqualInConstantTime([1, 2], [1, 2, 3]))
        #expect(isEqualInConstantTime([], []))
    }
}

@Suite("Key blocks")
struct KeyBlockTests {
    private let header = hex("01010100") + [UInt8](repeating: 0xAB, count: 24) + [UInt8](repeating: 0, count: 8)
    private let boot = [UInt8](repeating: 0xCD, count: 16)
    private let recipient: X25519KeyPair
    private let gateway: Ed25519.SigningKey
    private let key: SessionKey
    private let block: [UInt8]

    init() throws {
        recipient = try .random()
        gateway = try Ed25519.SigningKey(seed: .random())
        key = try .random()
        block = try key.sealed(header: header, bootID: boot, recipient: recipient.publicKey, gateway: gateway)
    }

    @Test("the recipient reads key and boot id")
    func roundTrip() throws {
        #expect(block.count == SessionKey.blockLength)
        let opened = try SessionKey.open(block, recipient: recipient, gateway: .init(gateway.publicKey))
        #expect(opened.key.secret.bytes == key.secret.bytes)
        #expect(opened.bootID == boot)
    }

    @Test("every flipped bit is refused")
    func bitFlips() throws {
        let verifying = try Ed25519.VerifyingKey(gateway.publicKey)
        for bit in 0..<block.count * 8 {
            var altered = block
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect { try SessionKey.open(altered, recipient: recipient, gateway: verifying) } throws: {
                isNotAuthentic($0)
            }
        }
    }

    @Test("refuses another gateway's signature, another recipient, and other lengths")
    func strangers() throws {
        let verifying = try Ed25519.VerifyingKey(gateway.publicKey)
        let stranger = try Ed25519.SigningKey(seed: .random())
        let forged = try key.sealed(header: header, bootID: boot, recipient: recipient.publicKey, gateway: stranger)
        #expect { try SessionKey.open(forged, recipient: recipient, gateway: verifying) } throws: { isNotAuthentic($0) }
        #expect { try SessionKey.open(block, recipient: .random(), gateway: verifying) } throws: { isNotAuthentic($0) }
        for altered in [Array(block.dropLast()), block + [0], []] {
            #expect { try SessionKey.open(altered, recipient: recipient, gateway: verifying) } throws: {
                ($0 as? VaultError)?.reason == .malformed
            }
        }
        #expect(throws: VaultError.self) {
            try key.sealed(header: [], bootID: boot, recipient: recipient.publicKey, gateway: gateway)
        }
    }

    @Test("two key blocks of one session share no ephemeral key")
    func ephemeral() throws {
        let again = try key.sealed(header: header, bootID: boot, recipient: recipient.publicKey, gateway: gateway)
        #expect(again[36..<68] != block[36..<68])
    }

    @Test("block key, journal key and live key differ, and differ by stream and session")
    func derivation() throws {
        let stream = [UInt8](repeating: 1, count: 16)
        let session = [UInt8](repeating: 2, count: 8)
        let other = [UInt8](repeating: 3, count: 16)
        let keys = [
            try key.blockKey(stream: stream, session: session), try key.journalKey(stream: stream, session: session),
            try key.liveKey(stream: stream, session: session), try key.blockKey(stream: other, session: session),
            try key.blockKey(stream: stream, session: Array(other.prefix(8))),
        ]
        #expect(Set(keys.map(\.bytes)).count == keys.count)
        #expect(throws: VaultError.self) { try key.blockKey(stream: session, session: stream) }
    }
}
