import Fitness
import Foundation
import OwnTracks
import TestSupport
import Testing

@Suite("Sealed messages of OwnTracks", .timeLimit(.minutes(60)))
struct PhoneSecretTests {
    private static let script = "\(projectFolder)/Tests/Libraries/OwnTracksTests/secretbox.py"
    private static let plain = PhoneLocation(place: Place(latitude: 52.5, longitude: 13.4), time: 1_795_261_361_000)

    private func sealed(_ payload: [UInt8]) throws -> SealedReport {
        guard case .sealed(let sealed) = try PhoneReport(payload: payload) else { throw TestFailure("not sealed") }
        return sealed
    }

    @Test("What is sealed is opened with the same secret, and does not show what it is")
    func roundTrip() throws {
        let secret = try PhoneSecret("correct horse")
        let payload = try secret.seal(Self.plain.bytes)
        #expect(!String(decoding: payload, as: UTF8.self).contains("location"))
        let opened = try sealed(payload).open(with: PhoneSecret("correct horse"))
        #expect(opened == .location(Self.plain))
        let again = try secret.seal(Self.plain.bytes)
        #expect(again != payload, "each time with a nonce of its own")
    }

    @Test(
        "libsodium of Python opens what is sealed here, and is opened here", arguments: ["s", "mysecreTpass01", "ü-32"])
    func interoperates(text: String) throws {
        let secret = text == "ü-32" ? "ü" + String(repeating: "x", count: 30) : text
        let messages = [Self.plain.bytes, Array("{\"_type\":\"lwt\"}".utf8), Array(#"{"_type":"steps","x":"ö"}"#.utf8)]
        for message in messages {
            let payload = try PhoneSecret(secret).seal(message)
            let opened = try RunningProgram.runPython([
                Self.script, "open", secret, String(decoding: payload, as: UTF8.self),
            ])
            #expect(Array(opened.utf8) == message)
        }
        let theirs = try RunningProgram.runPython([
            Self.script, "seal", secret, String(decoding: Self.plain.bytes, as: UTF8.self),
        ])
        let report = try sealed(Array(theirs.utf8)).open(with: PhoneSecret(secret))
        #expect(report == .location(Self.plain))
    }

    @Test("A message that libsodium sealed once and for all is opened")
    func vector() throws {
        // By PyNaCl, with the key "mysecreTpass01" and a nonce of 24 times 0B.
        let text = """
            {"_type":"encrypted","data":"CwsLCwsLCwsLCwsLCwsLCwsLCwsLCwsLvcu1h5HZp0rW9ACi39RYH0o/PMbxq0826LLVE7btTBpRcJ48pWTn"}
            """
        let report = try sealed(Array(text.utf8)).open(with: PhoneSecret("mysecreTpass01"))
        #expect(report == .other(.will))
    }

    @Test("Another secret, a changed bit and an end that is missing open nothing")
    func refused() throws {
        let secret = try PhoneSecret("mysecreTpass01")
        let payload = try secret.seal(Self.plain.bytes)
        let message = try sealed(payload)
        for text in ["mysecreTpass0", "mysecreTpass01 ", "Mysecretpass01"] {
            #expect(refusal { _ = try message.open(with: PhoneSecret(text)) } == Refusal(.notOpened))
        }
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(payload)) as? [String: String])
        let bytes = try #require(Data(base64Encoded: fields["data"] ?? ""))
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[index] ^= 1
            let other = try sealed(Self.encrypted(changed))
            #expect(refusal { _ = try other.open(with: secret) } == Refusal(.notOpened))
        }
        for count in [40, 41, bytes.count - 1] {
            let other = try sealed(Self.encrypted(bytes.prefix(count)))
            #expect(refusal { _ = try other.open(with: secret) } == Refusal(.notOpened))
        }
        #expect(refusal(Self.encrypted(bytes.prefix(39))) == Refusal(.malformed, "data"))
    }

    @Test(
        "A sealed message whose data are not Base64 is refused",
        arguments: [
            (#""data":"""#, OwnTracksError.Reason.malformed), (#""data":"!!!!""#, .malformed),
            (#""data":7"#, .wrongType),
            (#""data":null"#, .missing), (#""datum":"""#, .missing),
            // No padding, white space, the alphabet of URLs, and bits that nobody needs.
            (#""data":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#, .malformed),
            (#""data":"AAAAAAAA AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#, .malformed),
            (#""data":"AAAAAAAA-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=""#, .malformed),
            (#""data":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB==""#, .malformed),
        ])
    func notBase64(field: String, reason: OwnTracksError.Reason) {
        #expect(refusal("{\"_type\":\"encrypted\",\(field)}") == Refusal(reason, "data"))
    }

    @Test("What is sealed may be damaged itself, and is not sealed twice")
    func inside() throws {
        let secret = try PhoneSecret("mysecreTpass01")
        func opened(_ text: String) throws -> PhoneReport {
            try sealed(try secret.seal(Array(text.utf8))).open(with: secret)
        }
        #expect(try opened("") == .nothing)
        #expect(refusal { _ = try opened("{") } == Refusal(.malformed))
        #expect(refusal { _ = try opened(#"{"_type":"location"}"#) } == Refusal(.missing, "lat"))
        let twice = String(decoding: try secret.seal(Self.plain.bytes), as: UTF8.self)
        #expect(refusal { _ = try opened(twice) } == Refusal(.malformed))
    }

    @Test("A secret has 1 to 32 bytes, and nothing prints it")
    func secrets() throws {
        for text in ["", String(repeating: "x", count: 33), "a\0b", String(repeating: "ü", count: 17)] {
            #expect(refusal { _ = try PhoneSecret(text) } == Refusal(.outOfRange, "encryptionKey"))
        }
        for text in ["x", String(repeating: "x", count: 32), String(repeating: "ü", count: 16)] {
            #expect(try PhoneSecret(text).text == text)
        }
        let secret = try PhoneSecret("mysecreTpass01")
        #expect("\(secret) \(String(reflecting: secret))" == "a secret a secret")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("mysecre"))
    }

    @Test("A secret drawn at random has 32 letters and digits, and is never the same")
    func random() throws {
        var seen: Set<String> = []
        var letters: Set<Character> = []
        for _ in 0..<200 {
            let text = try PhoneSecret.random().text
            #expect(text.utf8.count == 32)
            #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
            seen.insert(text)
            letters.formUnion(text)
        }
        #expect(seen.count == 200)
        #expect(letters.count == 62)
    }

    private static func encrypted(_ data: Data) -> [UInt8] {
        Array(#"{"_type":"encrypted","data":"\#(data.base64EncodedString())"}"#.utf8)
    }
}
