import Foundation
import TestSupport
import Testing

@testable import Vault

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

/// What a program in Interop prints.
private func python(_ script: String, _ arguments: [String] = []) throws -> Data {
    Data(try RunningProgram.runPython([folder.appending(path: "Interop/\(script)").path] + arguments).utf8)
}

private func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
}

/// One session as Interop/seal_blocks.py prints it.
private struct SealedSession: Decodable {
    struct Block: Decodable {
        let type: UInt8
        let seq: UInt64
        let plaintext: String
        let block: String
        let says: Said
    }

    /// A block's content in open_block.py's words.
    struct Said: Codable, Equatable {
        struct Reading: Codable, Equatable {
            var time: Int64
            var monotonic: Int64
            var bpm: Int?
            var contact: Bool?
            var energyKj: Int?
            var rr1024: [Int]?
            var steps: Int?
            var celsius: Double?
            var site: String?
        }

        struct Clock: Codable, Equatable { var boot: String, correctionMs: Int64, untilMonotonic: Int64 }
        struct Gap: Codable, Equatable { var lost: Int, first: Int64, last: Int64, reason: Int }

        var seq: UInt64
        var readings: [Reading]?
        var loose: [Reading]?
        var clock: Clock?
        var gap: Gap?
    }

    let recipientPrivateKey, recipientPublicKey, gatewayPrivateKey, gatewayPublicKey: String
    let ephemeralPrivateKey, ephemeralPublicKey, stream, session, boot, sessionKey: String
    let sharedSecret, wrappingKey, blockKey, journalKey, liveKey, keyBlock: String
    let journalRecord, journalSealed, liveBlock: String
    let blocks: [Block]

    var recipient: X25519KeyPair {
        get throws { try X25519KeyPair(privateKey: SymmetricKey(hex(recipientPrivateKey))) }
    }
    var ephemeral: X25519KeyPair {
        get throws { try X25519KeyPair(privateKey: SymmetricKey(hex(ephemeralPrivateKey))) }
    }
    var gateway: Ed25519.SigningKey {
        get throws { try Ed25519.SigningKey(seed: SymmetricKey(hex(gatewayPrivateKey))) }
    }

    /// Opens everything the way a consumer does, from the private key of the recipient alone.
    func expectToOpen() throws {
        let opened = try SessionKey.open(hex(keyBlock), recipient: recipient, gateway: .init(hex(gatewayPublicKey)))
        #expect(text(opened.key.secret.bytes) == sessionKey)
        #expect(text(opened.bootID) == boot)
        let cipher = BlockCipher(key: try opened.key.blockKey(stream: hex(stream), session: hex(session)))
        for block in blocks {
            let bytes = hex(block.block)
            #expect(text(try cipher.open(bytes[36...], seq: block.seq, aad: Array(bytes[..<36]))) == block.plaintext)
        }
        let journal = BlockCipher(key: try opened.key.journalKey(stream: hex(stream), session: hex(session)))
        #expect(text(try journal.open(hex(journalSealed), seq: 7, aad: hex(stream + session))) == journalRecord)
        let live = BlockCipher(key: try opened.key.liveKey(stream: hex(stream), session: hex(session)))
        #expect(text(try live.open(block: hex(liveBlock), header: 36, seq: 1)) == journalRecord)
    }
}

@Suite("Sealed by one, opened by the other", .timeLimit(.minutes(60)))
struct InteropTests {
    private static let vectors = folder.appending(path: "Vectors/blocks.json")

    @Test("seals and opens the fixed vectors, byte by byte")
    func fixedVectors() throws {
        let given = try decoder().decode(SealedSession.self, from: Data(contentsOf: Self.vectors))
        try given.expectToOpen()
        let recipient = try given.recipient
        let ephemeral = try given.ephemeral
        #expect(text(recipient.publicKey) == given.recipientPublicKey)
        #expect(text(ephemeral.publicKey) == given.ephemeralPublicKey)
        #expect(text(try given.gateway.publicKey) == given.gatewayPublicKey)
        #expect(text(try ephemeral.sharedSecret(with: recipient.publicKey).bytes) == given.sharedSecret)
        let wrapping = try HKDF.key(
            from: SymmetricKey(hex(given.sharedSecret)), salt: ephemeral.publicKey + recipient.publicKey,
            info: "vitals/1 key")
        #expect(text(wrapping.bytes) == given.wrappingKey)

        let key = SessionKey(try SymmetricKey(hex(given.sessionKey)))
        let header = Array(hex(given.keyBlock).prefix(36))
        let keyBlock = try key.sealed(
            header: header, bootID: hex(given.boot), recipient: recipient.publicKey, gateway: given.gateway,
            ephemeral: ephemeral)
        #expect(text(keyBlock) == given.keyBlock)
        let blockKey = try key.blockKey(stream: hex(given.stream), session: hex(given.session))
        let journalKey = try key.journalKey(stream: hex(given.stream), session: hex(given.session))
        #expect(text(blockKey.bytes) == given.blockKey)
        #expect(text(journalKey.bytes) == given.journalKey)
        let liveKey = try key.liveKey(stream: hex(given.stream), session: hex(given.session))
        #expect(text(liveKey.bytes) == given.liveKey)
        let liveHeader = Array(hex(given.liveBlock).prefix(36))
        #expect(liveHeader[2] == 6)
        let live = try BlockCipher(key: liveKey).seal(hex(given.journalRecord), seq: 1, aad: liveHeader)
        #expect(text(liveHeader + live) == given.liveBlock)
        #expect(given.blocks.count == 6)
        for block in given.blocks {
            let header = Array(hex(block.block).prefix(36))
            let sealed = try BlockCipher(key: blockKey).seal(hex(block.plaintext), seq: block.seq, aad: header)
            #expect(text(header + sealed) == block.block)
        }
    }

    @Test("the fixed vectors are what Python seals today")
    func vectorsAreCurrent() throws {
        #expect(try python("seal_blocks.py") == Data(contentsOf: Self.vectors))
    }

    @Test("opens what Python seals under random keys")
    func opensPython() throws {
        let given = try decoder().decode(SealedSession.self, from: python("seal_blocks.py", ["--fresh"]))
        try given.expectToOpen()
    }

    @Test("Python opens what is sealed here under random keys, and reads it to the last column")
    func pythonOpens() throws {
        let given = try decoder().decode(SealedSession.self, from: Data(contentsOf: Self.vectors))
        let session = try Session()
        // The loose block has records sealed under the vectors' own journal key; the others are plaintexts that any
        // session can carry.
        let blocks = given.blocks.filter { $0.type != 3 }
        var sealed = try blocks.map { try session.seal($0.type, $0.seq, hex($0.plaintext)) }
        let journal = BlockCipher(key: try session.key.journalKey(stream: session.stream, session: session.session))
        let record = try journal.seal(hex(given.journalRecord), seq: 7, aad: session.stream + session.session)
        sealed.append(
            try session.seal(3, 6, session.session + hex("01 0000000000000007") + [UInt8(record.count)] + record))

        let opened = try session.openedByPython(sealed)
        #expect(opened.boot == text(session.boot))
        #expect(opened.blocks == given.blocks.map(\.says))
        let first = try #require(opened.blocks.first?.readings)
        #expect(first.map(\.bpm) == [72, 74, 73, 75])
        #expect(first.map(\.contact) == [true, true, false, true])
        #expect(first.map(\.energyKj) == [nil, 100, nil, 101])
        #expect(first.map(\.rr1024) == [[853], [830, 835], [], [819]])
    }

    @Test("Python refuses an altered key block and an altered block")
    func pythonRefuses() throws {
        let session = try Session()
        let block = try session.seal(2, 1, hex("02 01 00 00 00 02"))
        _ = try session.openedByPython([block])
        var altered = block
        altered[50] ^= 1
        #expect { try session.openedByPython([altered]) } throws: { "\($0)".contains("InvalidTag") }
        var keyBlock = session.keyBlock
        keyBlock[100] ^= 1
        #expect { try session.openedByPython([block], keyBlock: keyBlock) } throws: {
            "\($0)".contains("InvalidSignature")
        }
    }

    /// A session of our own, as a gateway would have it, whose recipient is Python.
    private struct Session {
        struct Opened: Decodable {
            let boot: String
            let blocks: [SealedSession.Said]
        }

        let privateKey: SymmetricKey
        let gateway: Ed25519.SigningKey
        let key: SessionKey
        let stream, session, boot, keyBlock: [UInt8]

        init() throws {
            privateKey = try .random()
            gateway = try Ed25519.SigningKey(seed: .random())
            key = try .random()
            stream = try RandomBytes.draw(16)
            session = try RandomBytes.draw(8)
            boot = try RandomBytes.draw(16)
            keyBlock = try key.sealed(
                header: Self.header(1, 0, stream, session), bootID: boot,
                recipient: X25519KeyPair(privateKey: privateKey).publicKey, gateway: gateway)
        }

        static func header(_ type: UInt8, _ seq: UInt64, _ stream: [UInt8], _ session: [UInt8]) -> [UInt8] {
            [1, 1, type, 0] + stream + session + BlockCipher.nonce(seq).suffix(8)
        }

        func seal(_ type: UInt8, _ seq: UInt64, _ plaintext: [UInt8]) throws -> [UInt8] {
            let header = Self.header(type, seq, stream, session)
            let cipher = BlockCipher(key: try key.blockKey(stream: stream, session: session))
            return header + (try cipher.seal(plaintext, seq: seq, aad: header))
        }

        func openedByPython(_ blocks: [[UInt8]], keyBlock: [UInt8]? = nil) throws -> Opened {
            let directory = try TemporaryFolder()
            let given: [String: Any] = [
                "recipient_private_key": text(privateKey.bytes), "gateway_public_key": text(gateway.publicKey),
                "key_block": text(keyBlock ?? self.keyBlock), "blocks": blocks.map(text),
            ]
            let file = directory.path("session.json")
            try JSONSerialization.data(withJSONObject: given).write(to: URL(fileURLWithPath: file))
            return try withExtendedLifetime(directory) {
                try decoder().decode(Opened.self, from: python("open_block.py", [file]))
            }
        }
    }
}
