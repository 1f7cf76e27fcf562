import TestSupport
import Testing
import Vault

@Suite("base64url")
struct Base64URLTests {
    @Test("has one spelling for each byte string")
    func base64URL() throws {
        // RFC 4648, 10, without the padding.
        let vectors = [
            "": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE", "foobar": "Zm9vYmFy",
        ]
        for (plain, text) in vectors {
            #expect(Base64URL.text(Array(plain.utf8)) == text)
            #expect(Base64URL.bytes(Array(text.utf8)) == Array(plain.utf8))
        }
        #expect(Base64URL.bytes(Array("-_-_".utf8)) == [0xFB, 0xFF, 0xBF])
        for text in ["A", "AAAAA", "Zh", "Zm9", "Zg==", "Zg=", "Zm 9v", "Zm9v\n", "+/+/", "Zm9v.", "Zm9é", "=", "\0\0"]
        {
            #expect(Base64URL.bytes(Array(text.utf8)) == nil, "\(text)")
        }
        var random = SeededGenerator(seed: 1)
        for count in 0...100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64URL.bytes(Array(Base64URL.text(bytes).utf8)) == bytes)
        }
    }
}
