import Foundation
import TestSupport
import Testing

@testable import Vault

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
private let script = folder.appending(path: "Interop/answers.py").path

/// Answers of the four algorithms, as Vectors/published.json and Interop/answers.py spell them: hexadecimal.
private struct Answers: Codable {
    struct Sealing: Codable {
        let source, key, nonce, aad: String
        /// Nil if nothing is to open.
        var plaintext: String?
        let sealed: String
    }

    struct Derivation: Codable {
        let source, secret, salt, info: String
        let count: Int
        let output: String
    }

    struct Agreement: Codable { let source, scalar, point, shared: String }

    struct Signing: Codable {
        let source, seed, publicKey, message, signature: String

        enum CodingKeys: String, CodingKey {
            case source, seed, message, signature
            case publicKey = "public_key"
        }
    }

    var sealings: [Sealing] = []
    var derivations: [Derivation] = []
    var agreements: [Agreement] = []
    var signings: [Signing] = []

    enum CodingKeys: String, CodingKey {
        case sealings = "aes_256_gcm"
        case derivations = "hkdf_sha256"
        case agreements = "x25519"
        case signings = "ed25519"
    }

    var count: Int { sealings.count + derivations.count + agreements.count + signings.count }

    init(json: Data) throws { self = try JSONDecoder().decode(Self.self, from: json) }

    /// What is answered here to random inputs.
    init(random count: Int) throws {
        for index in 0..<count {
            let key = try SymmetricKey.random()
            let nonce = try RandomBytes.draw(12)
            let aad = try Self.bytes(0...80)
            let plaintext = try Self.bytes(0...600)
            sealings.append(
                Sealing(
                    source: "random \(index)", key: text(key.bytes), nonce: text(nonce), aad: text(aad),
                    plaintext: text(plaintext),
                    sealed: text(try BlockCipher(key: key).seal(plaintext, nonce: nonce, aad: aad))))
            let (secret, salt, info) = (try Self.bytes(1...80), try Self.bytes(0...80), try Self.bytes(0...40))
            let length = Int.random(in: 1...200)
            derivations.append(
                Derivation(
                    source: "random \(index)", secret: text(secret), salt: text(salt), info: text(info), count: length,
                    output: text(try HKDF.sha256(from: secret, salt: salt, info: info, count: length))))
            let scalar = try SymmetricKey.random()
            let point = try X25519KeyPair.random().publicKey
            agreements.append(
                Agreement(
                    source: "random \(index)", scalar: text(scalar.bytes), point: text(point),
                    shared: text(try X25519KeyPair(privateKey: scalar).sharedSecret(with: point).bytes)))
            let seed = try SymmetricKey.random()
            let signing = try Ed25519.SigningKey(seed: seed)
            let message = try Self.bytes(0...300)
            signings.append(
                Signing(
                    source: "random \(index)", seed: text(seed.bytes), publicKey: text(signing.publicKey),
                    message: text(message), signature: text(try signing.sign(message))))
        }
    }

    private static func bytes(_ counts: ClosedRange<Int>) throws -> [UInt8] {
        let count = Int.random(in: counts)
        return count == 0 ? [] : try RandomBytes.draw(count)
    }

    /// Expects the same answers from what is tested here.
    func expectToHold() throws {
        for one in sealings {
            let cipher = BlockCipher(key: try SymmetricKey(hex(one.key)))
            guard let plaintext = one.plaintext else {
                #expect(throws: VaultError.self, "\(one.source)") {
                    try cipher.open(hex(one.sealed)[...], nonce: hex(one.nonce), aad: hex(one.aad))
                }
                continue
            }
            let sealed = try cipher.seal(hex(plaintext), nonce: hex(one.nonce), aad: hex(one.aad))
            #expect(text(sealed) == one.sealed, "\(one.source)")
            let opened = try cipher.open(hex(one.sealed)[...], nonce: hex(one.nonce), aad: hex(one.aad))
            #expect(text(opened) == plaintext, "\(one.source)")
        }
        for one in derivations {
            let output = try HKDF.sha256(
                from: hex(one.secret), salt: hex(one.salt), info: hex(one.info), count: one.count)
            #expect(text(output) == one.output, "\(one.source)")
        }
        for one in agreements {
            let pair = try X25519KeyPair(privateKey: SymmetricKey(hex(one.scalar)))
            #expect(text(try pair.sharedSecret(with: hex(one.point)).bytes) == one.shared, "\(one.source)")
        }
        for one in signings {
            let key = try Ed25519.SigningKey(seed: SymmetricKey(hex(one.seed)))
            #expect(text(key.publicKey) == one.publicKey, "\(one.source)")
            #expect(text(try key.sign(hex(one.message))) == one.signature, "\(one.source)")
            try Ed25519.VerifyingKey(hex(one.publicKey)).verify(hex(one.signature), of: hex(one.message))
        }
    }
}

/// How many answers agreed: Tests/Rigs/answers.py counts what it reads here.
private func tell(_ count: Int, _ what: String) { print("answers: \(count) \(what)") }

@Suite("Answers", .timeLimit(.minutes(60)))
struct AnswerTests {
    /// How many random inputs there are for each algorithm: a rig asks for more.
    private static let count = ProcessInfo.processInfo.environment["VITALS_ANSWERS"].flatMap { Int($0) } ?? 64
    private static let published = folder.appending(path: "Vectors/published.json")

    @Test("gives every published answer: NIST's for AES-256-GCM, those of RFC 5869, RFC 7748 and Ed25519's authors")
    func givesPublished() throws {
        let answers = try Answers(json: Data(contentsOf: Self.published))
        #expect(answers.count > 200)
        try answers.expectToHold()
        tell(answers.count, "published")
    }

    @Test("Python gives the published answers, too: the vectors are what they say")
    func pythonGivesPublished() throws {
        let said = try RunningProgram.runPython([script, "check", Self.published.path])
        let published = try Answers(json: Data(contentsOf: Self.published))
        #expect(said == "\(published.count)\n")
    }

    @Test("gives Python's answers to random inputs")
    func givesPythons() throws {
        let answers = try Answers(json: Data(RunningProgram.runPython([script, "make", "\(Self.count)"]).utf8))
        #expect(answers.count == 4 * Self.count)
        try answers.expectToHold()
        tell(answers.count, "of Python's to random inputs")
    }

    @Test("Python gives the answers that are given here to random inputs")
    func pythonGivesOurs() throws {
        let answers = try Answers(random: Self.count)
        let directory = try TemporaryFolder()
        let file = directory.path("answers.json")
        try JSONEncoder().encode(answers).write(to: URL(fileURLWithPath: file))
        let said = try RunningProgram.runPython([script, "check", file])
        #expect(said == "\(answers.count)\n")
        tell(answers.count, "of ours to random inputs")
        withExtendedLifetime(directory) {}
    }

    @Test("Python refuses an answer that is wrong in one bit")
    func pythonRefuses() throws {
        var answers = try Answers(random: 1)
        let right = answers.derivations[0]
        var output = hex(right.output)
        output[0] ^= 1
        answers.derivations[0] = Answers.Derivation(
            source: "wrong", secret: right.secret, salt: right.salt, info: right.info, count: right.count,
            output: text(output))
        let directory = try TemporaryFolder()
        let file = directory.path("answers.json")
        try JSONEncoder().encode(answers).write(to: URL(fileURLWithPath: file))
        #expect { try RunningProgram.runPython([script, "check", file]) } throws: { "\($0)".contains("wrong") }
        withExtendedLifetime(directory) {}
    }
}
