import Foundation
import TestSupport
import Testing

@testable import Vault

/// What base64url without padding spells.
private func decoded(_ text: String) -> [UInt8] {
    let padded = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    let missing = String(repeating: "=", count: (4 - padded.count % 4) % 4)
    return Data(base64Encoded: padded + missing).map(Array.init) ?? []
}

@Suite("Keys of JSON Web Signatures")
struct JWSKeyTests {
    /// RFC 7515, A.2: the modulus.
    private static let modulus = decoded(
        """
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ\
        S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2\
        R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcD\
        TW9gb54h4FRWyuXpoQ
        """)
    private static let exponent: [UInt8] = [1, 0, 1]
    private static let x = decoded("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
    private static let y = decoded("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// The examples of the standards: key, algorithm, what is signed, and its signature.
    private static let examples: [(JWSKey.Parameters, JWSAlgorithm, String, String)] = [
        // RFC 7515, A.2
        (
            .rsa(modulus: modulus, exponent: exponent), .rs256, "eyJhbGciOiJSUzI1NiJ9." + claims,
            """
            cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb\
            F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN938\
            3LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkW\
            ywlVmtVrBp0igcN_IoypGlUPQGe77Rw
            """
        ),
        // RFC 7515, A.3
        (
            .ellipticCurve(.p256, x: x, y: y), .es256, "eyJhbGciOiJFUzI1NiJ9." + claims,
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
        // RFC 8037, A.4
        (
            .ed25519(decoded("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")), .edDSA,
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        ),
    ]

    @Test("verify the standards' own signatures, and none with a bit changed", arguments: 0..<3)
    func standards(_ index: Int) throws {
        let (parameters, algorithm, message, text) = Self.examples[index]
        let key = try JWSKey(parameters)
        let signature = decoded(text)
        try key.verify(signature, of: Array(message.utf8), by: algorithm)
        for bit in stride(from: 0, to: signature.count * 8, by: 7) {
            var altered = signature
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(reason { try key.verify(altered, of: Array(message.utf8), by: algorithm) } == .notAuthentic)
        }
        #expect(reason { try key.verify(signature, of: Array((message + ".").utf8), by: algorithm) } == .notAuthentic)
        #expect(reason { try key.verify([], of: Array(message.utf8), by: algorithm) } == .notAuthentic)
    }

    @Test("verify by the algorithms of their kind only", arguments: 0..<3)
    func kinds(_ index: Int) throws {
        let (parameters, own, message, text) = Self.examples[index]
        let key = try JWSKey(parameters)
        for algorithm in JWSAlgorithm.allCases where algorithm != own {
            let found = reason { try key.verify(decoded(text), of: Array(message.utf8), by: algorithm) }
            #expect(found == (key.fits(algorithm) ? .notAuthentic : .misuse), "\(algorithm)")
        }
        #expect(JWSAlgorithm.allCases.filter(key.fits).count == [6, 1, 1][index])
    }

    @Test("are none with bad parameters")
    func badParameters() throws {
        let (n, e, x, y) = (Self.modulus, Self.exponent, Self.x, Self.y)
        var even = n
        even[255] ^= 1
        var beside = y
        beside[31] ^= 1
        // Below 2048 bits by one bit, and beyond 8192.
        let short = [UInt8(0x7F)] + Array(repeating: 0xFF, count: 255)
        let long = [UInt8(1)] + Array(repeating: 0xFF, count: 1024)
        let bad: [JWSKey.Parameters] = [
            .rsa(modulus: [], exponent: e), .rsa(modulus: even, exponent: e), .rsa(modulus: short, exponent: e),
            .rsa(modulus: long, exponent: e), .rsa(modulus: Array(repeating: 0xFF, count: 100_000), exponent: e),
            .rsa(modulus: n, exponent: []), .rsa(modulus: n, exponent: [0]), .rsa(modulus: n, exponent: [1]),
            .rsa(modulus: n, exponent: [0, 0, 1]), .rsa(modulus: n, exponent: [2]),
            .rsa(modulus: n, exponent: [1, 0, 0]), .rsa(modulus: n, exponent: [1] + Array(repeating: 1, count: 8)),
            .ellipticCurve(.p256, x: x, y: beside), .ellipticCurve(.p256, x: y, y: x),
            .ellipticCurve(.p256, x: [], y: y), .ellipticCurve(.p256, x: [0] + x, y: y),
            .ellipticCurve(.p256, x: Array(x.dropLast()), y: y), .ellipticCurve(.p384, x: x, y: y),
            .ellipticCurve(.p256, x: Array(repeating: 0, count: 32), y: Array(repeating: 0, count: 32)),
            .ellipticCurve(.p256, x: Array(repeating: 0xFF, count: 32), y: y),
            .ed25519([]), .ed25519(Array(x.dropLast())), .ed25519(x + [0]),
        ]
        for parameters in bad {
            let found = reason { try JWSKey(parameters) }
            #expect(found == .malformed, "\(parameters)")
        }
        // A zero in front says nothing.
        _ = try JWSKey(.rsa(modulus: [0] + n, exponent: [0] + e))
    }

    private func reason(_ body: () throws -> some Any) -> VaultError.Reason? { thrown(VaultError.self, body)?.reason }
}
