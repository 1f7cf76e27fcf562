import Foundation
import TestSupport
import Testing

@testable import Vault

@Suite("Codes that people type")
struct CodesTests {
    private let gatewayKey = [UInt8](0..<32)
    private let consumerKey = [UInt8](32..<64)

    /// As Interop/codes.py has printed them.
    @Test("an enrolment code has the proofs and the claim key that Python computes")
    func knownAnswers() throws {
        let code = try EnrolmentCode(id: "04HMASW9", secret: hex("fedcba98765432100123"))
        #expect(code.text == "04HM-ASW9-ZVEB-N63P-AGS1-0093")
        #expect(
            text(try code.requestProof(gatewayKey: gatewayKey))
                == "2414488b5e3604508ceb445b25e487d43c1554adac277749123765bdab7f80df")
        #expect(
            text(try code.replyProof(gateway: "abcdefgh", consumerKey: consumerKey, gatewayKey: gatewayKey))
                == "5b2722d6b722bf62dfd76c55064c41a08d29f1ce9146bae2d983e1c3dda5c0bb")
        let claimKey = try code.claimKey()
        #expect(text(claimKey.bytes) == "ee000c9598bd99511979a443f8ec8f87381a98aaf9808973217f37ac49c0caa8")
        let claim = try ClaimCode(sensor: "strap", window: 2_939_568, nonce: 0xABCDE, key: claimKey)
        #expect(claim.text == "NF6YG-W8X2X-EQSRN")
    }

    @Test("codes drawn at random are those that Python computes")
    func interop() throws {
        for nonce in [UInt32(0), 0xFFFFF, 0x12345] {
            let code = try EnrolmentCode.random()
            let key = try code.claimKey()
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
        "what is no enrolment code is refused, and not repeated",
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
        let (key, others) = (try code.claimKey(), try EnrolmentCode.random().claimKey())
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
}
