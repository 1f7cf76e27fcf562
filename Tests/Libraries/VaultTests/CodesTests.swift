import Foundation
import TestSupport
import Testing

@testable import Vault

@Suite("Codes that people type")
struct CodesTests {
    private let gatewayKey = [UInt8](0..<32)
    private let consumerKey = [UInt8](32..<64)

    /// As Interop/codes.py has printed them.
    @Test("an enrolment code has the proofs and the key that Python computes")
    func knownAnswers() throws {
        let code = try EnrolmentCode(id: "04HMASW9", secret: hex("fedcba98765432100123"))
        #expect(code.text == "04HM-ASW9-ZVEB-N63P-AGS1-0093")
        #expect(
            text(try code.requestProof(gatewayKey: gatewayKey))
                == "2414488b5e3604508ceb445b25e487d43c1554adac277749123765bdab7f80df")
        #expect(
            text(try code.replyProof(gateway: "abcdefgh", consumerKey: consumerKey, gatewayKey: gatewayKey))
                == "5b2722d6b722bf62dfd76c55064c41a08d29f1ce9146bae2d983e1c3dda5c0bb")
        let codeKey = try code.codeKey()
        #expect(text(codeKey.bytes) == "ee000c9598bd99511979a443f8ec8f87381a98aaf9808973217f37ac49c0caa8")
        let claim = try ClaimCode(sensor: "strap", window: 2_939_568, nonce: 0xABCDE, key: codeKey)
        #expect(claim.text == "NF6YG-W8X2X-EQSRN")
    }

    @Test("codes drawn at random are those that Python computes")
    func interop() throws {
        for nonce in [UInt32(0), 0xFFFFF, 0x12345] {
            let code = try EnrolmentCode.random()
            let key = try code.codeKey()
            let id = CrockfordBase32.number(CrockfordBase32.values(in: code.id) ?? [])
            let idBytes = (0..<5).reversed().map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Interop/codes.py")
            let lines = try RunningProgram.runPython(
                [
                    script.path, text(idBytes), text(code.secret), text(gatewayKey), text(consumerKey), "home",
                    "strap-2",
                    "2939568", "\(nonce)",
                ]
            ).split(separator: "\n").map(String.init)
            let ours = [
                code.text, text(try code.requestProof(gatewayKey: gatewayKey)),
                text(try code.replyProof(gateway: "home", consumerKey: consumerKey, gatewayKey: gatewayKey)),
                text(key.bytes),
                try ClaimCode(sensor: "strap-2", window: 2_939_568, nonce: nonce, key: key).text,
            ]
            #expect(lines == ours)
        }
    }

    @Test("an enrolment code is read back as it was shown, and as people type it")
    func enrolmentText() throws {
        let code = try EnrolmentCode(id: "01OIl009", secret: hex("fedcba98765432100123"))
        #expect(code.id == "01011009")
        for typed in [
            code.text, code.text.lowercased(), " " + code.text.replacingOccurrences(of: "-", with: " ") + "\n",
        ] {
            let read = try EnrolmentCode(typed)
            #expect(read.id == code.id && read.secret == code.secret)
        }
        let read = try EnrolmentCode(
            code.text.replacingOccurrences(of: "0", with: "O").replacingOccurrences(of: "1", with: "i"))
        #expect(read.id == code.id && read.secret == code.secret)
        let drawn = try EnrolmentCode.random()
        #expect(try EnrolmentCode(drawn.text).secret == drawn.secret)
        #expect(try EnrolmentCode.random().id != drawn.id)
    }

    @Test(
        "what is not an enrolment code is refused, and not repeated",
        arguments: [
            "", "04HM-ASW9-ZVEB-N63P-AGS1-009", "04HM-ASW9-ZVEB-N63P-AGS1-00933", "04HM-ASW9-ZVEB-N63P-AGS1-009U",
            "04HM_ASW9_ZVEB_N63P_AGS1_0093", "04HM-ASW9-ZVEB-N63P-AGS1-009é",
        ])
    func noEnrolmentCode(text: String) throws {
        let error = try #require(thrown(VaultError.self) { try EnrolmentCode(text) })
        #expect(error.reason == .malformed)
        #expect(!"\(error)".contains("ASW9"))
    }

    @Test("a claim code is good for its sensor, its gateway, and its window and those around it")
    func claims() throws {
        let code = try EnrolmentCode.random()
        let (key, others) = (try code.codeKey(), try EnrolmentCode.random().codeKey())
        let made: Int64 = 1_763_740_800_000 + 599_999
        let window = ClaimCode.window(at: made)
        let claim = try ClaimCode(sensor: "strap", at: made, key: key)
        for typed in [claim.text, claim.text.lowercased().replacingOccurrences(of: "-", with: "")] {
            let read = try #require(ClaimCode(typed))
            #expect(read == claim)
            for now in [made - 600_000, made, made + 1, made + 600_000] {
                #expect(try read.window(for: "strap", around: now, key: key) == window)
            }
            for now in [made - 1_200_000, made + 1_200_001] {
                #expect(try read.window(for: "strap", around: now, key: key) == nil)
            }
            #expect(try read.window(for: "watch", around: made, key: key) == nil)
            #expect(try read.window(for: "strap", around: made, key: others) == nil)
        }
        // Each digit counts.
        let digits = Array(claim.text)
        for place in digits.indices where digits[place] != "-" {
            var altered = digits
            altered[place] = digits[place] == "7" ? "8" : "7"
            #expect(try #require(ClaimCode(String(altered))).window(for: "strap", around: made, key: key) == nil)
        }
        #expect(ClaimCode("12345-67890") == nil && ClaimCode("12345-67890-1234U") == nil)
    }

    /// What Interop/claim_key.py prints.
    private func claimKey(_ gateway: [UInt8], _ consumer: [UInt8], _ code: [UInt8]) throws -> [String] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "Interop/claim_key.py")
        return try RunningProgram.runPython([script.path, text(gateway), text(consumer), text(code)])
            .split(separator: "\n").map(String.init)
    }

    @Test("a claim key is the same at the gateway, at the consumer, and in Python, and needs one of the private keys")
    func claimKeys() throws {
        let seeds = ([UInt8](0x20...0x3F), [UInt8](0x60...0x7F))
        let gateway = try Ed25519.SigningKey(seed: SymmetricKey(seeds.0))
        let consumer = try Ed25519.SigningKey(seed: SymmetricKey(seeds.1))
        let code = hex("ee000c9598bd99511979a443f8ec8f87381a98aaf9808973217f37ac49c0caa8")
        let codeKey = try SymmetricKey(code)
        let known = "78b2a393a1c4beac1549389a66e0f48ca0774db6b1d12dd1b6b405aed5899f73"
        let ours = [
            try ClaimKey.atGateway(gateway, consumer: consumer.publicKey, codeKey: codeKey),
            try ClaimKey.atConsumer(consumer, gateway: gateway.publicKey, codeKey: codeKey),
        ]
        #expect(ours.map { text($0.bytes) } == [known, known])
        #expect(
            try claimKey(seeds.0, seeds.1, code)
                == [text(gateway.publicKey), text(consumer.publicKey), known, known])
        // Another code, and another pair of identities, give another key.
        let others = [
            try ClaimKey.atGateway(gateway, consumer: consumer.publicKey, codeKey: .random()),
            try ClaimKey.atGateway(gateway, consumer: gateway.publicKey, codeKey: codeKey),
            try ClaimKey.atGateway(Ed25519.SigningKey(seed: .random()), consumer: consumer.publicKey, codeKey: codeKey),
        ]
        for other in others { #expect(text(other.bytes) != known) }
        for _ in 1...8 {
            let (one, two) = (try SymmetricKey.random(), try SymmetricKey.random())
            let key = try ClaimKey.atGateway(
                Ed25519.SigningKey(seed: one), consumer: Ed25519.SigningKey(seed: two).publicKey, codeKey: codeKey)
            #expect(try claimKey(one.bytes, two.bytes, code).suffix(2) == [text(key.bytes), text(key.bytes)])
        }
    }

    /// The pair is of libsodium's tests (test/default/ed25519_convert).
    @Test("a public key of Ed25519 is converted to X25519's as libsodium does, and one that is none is refused")
    func conversion() throws {
        let seed = try SymmetricKey(hex("421151a459faeade3d247115f94aedae42318124095afabe4d1451a559faedee"))
        let key = try Ed25519.SigningKey(seed: seed)
        #expect(
            text(try Ed25519.montgomery(key.publicKey))
                == "f1814f0e8ff1043d8a44d25babff3cedcae6c22c3edaa48f857ae70de2baae50")
        // y = 1 has no u; 0 and -1 have one of small order; 2^255 - 1 is no y.
        let one = [1] + [UInt8](repeating: 0, count: 31)
        let minusOne = [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        for none in [one, [UInt8](repeating: 0xFF, count: 32), [UInt8](repeating: 1, count: 31)] {
            #expect(thrown(VaultError.self) { try key.sharedSecret(with: none) }?.reason == .malformed)
        }
        for weak in [[UInt8](repeating: 0, count: 32), minusOne] {
            #expect(thrown(VaultError.self) { try key.sharedSecret(with: weak) }?.reason == .crypto)
        }
    }
}
