import TestSupport
import Testing
import Vault

@Suite("PBKDF2")
struct PBKDF2Tests {
    // From Python's hashlib.pbkdf2_hmac, which is OpenSSL's as well.
    @Test(
        "gives what another implementation's caller gets",
        arguments: [
            (
                "salt", 1,
                """
                867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252\
                c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce
                """
            ),
            (
                "saltsaltsalt", 101,
                """
                1421bb101a3ccc98a4d185f2d861f349064c22044c3b0efcf323b806ef3c91ca\
                5f14aa4bdba7789106706169d4ae19b940ff00cb8b5171e80f66280273529506
                """
            ),
        ])
    func vectors(_ salt: String, _ iterations: Int32, _ expected: String) throws {
        let hash = try PBKDF2.sha512(Array("password".utf8), salt: Array(salt.utf8), iterations: iterations, count: 64)
        let text = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == expected)
    }
}
