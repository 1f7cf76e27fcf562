package import Telemetry
package import Vault

/// A token in the compact serialization (RFC 7515, 7.1), taken apart and not believed yet.
///
/// Only `alg`, `kid` and `typ` of the header count. A header that brings a key along, or the address of one (`jwk`,
/// `jku`, `x5c`, `x5u`), is refused rather than ignored: OpenID Connect Core, 2, says that ID tokens should not have
/// them, and a key that comes with a token vouches for nothing.
package struct CompactJWS {
    /// No token is longer, in bytes.
    package static let maximumLength = 16 * 1024
    /// Nothing in a token, or in a set of keys, is nested more deeply.
    static let maximumDepth = 8
    /// No key's name is longer, in bytes.
    static let maximumKeyName = 256

    package let algorithm: JWSAlgorithm
    package let keyName: String?
    /// What the signature covers: header and payload, as they came.
    package let signed: [UInt8]
    package let signature: [UInt8]
    /// The claims' bytes: nobody may read them before the signature is verified.
    package let payload: [UInt8]

    package init(_ token: String) throws(TokenRefusal) {
        let bytes = Array(token.utf8)
        guard bytes.count <= Self.maximumLength else {
            throw .malformed("longer than \(Self.maximumLength) bytes")
        }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("\(parts.count) parts instead of 3") }
        guard let header = Base64URL.bytes(parts[0]), let payload = Base64URL.bytes(parts[1]),
            let signature = Base64URL.bytes(parts[2])
        else { throw .malformed("not base64url without padding") }
        (algorithm, keyName) = try Self.header(header)
        guard !payload.isEmpty, !signature.isEmpty else { throw .malformed("an empty part") }
        signed = Array(bytes[..<parts[1].endIndex])
        self.payload = payload
        self.signature = signature
    }

    private static let refused: KeyValuePairs = [
        "crit": "extensions that must be understood", "jwk": "a key in the token",
        "jku": "a key's address in the token",
        "x5c": "a certificate in the token", "x5u": "a certificate's address in the token",
        "cty": "a token in the token",
        "enc": "an encrypted token", "zip": "a compressed token", "b64": "an unencoded payload",
    ]

    private static func header(_ bytes: [UInt8]) throws(TokenRefusal) -> (JWSAlgorithm, String?) {
        let header = try object(bytes, "header")
        for (name, what) in refused where header[name] != nil { throw .header("\(name): \(what)") }
        if let type = header["typ"] {
            // RFC 7519, 5.1: JWT, though letters of either case are the same there.
            guard case .string(let text) = type, text.utf8.count == 3, text.lowercased() == "jwt" else {
                throw .header("typ: not JWT")
            }
        }
        guard case .string(let name) = header["alg"], let algorithm = JWSAlgorithm(rawValue: name) else {
            throw .algorithm
        }
        switch header["kid"] {
        case nil: return (algorithm, nil)
        case .string(let name) where (1...maximumKeyName).contains(name.utf8.count): return (algorithm, name)
        default: throw .header("kid: not a text of at most \(maximumKeyName) bytes")
        }
    }

    /// The object that a part spells.
    package static func object(_ bytes: [UInt8], _ part: String) throws(TokenRefusal) -> JSON {
        let value: JSON
        do {
            value = try StrictJSON.value(bytes, maximumDepth: maximumDepth)
        } catch {
            switch error {
            case .notUTF8: throw .malformed("\(part): not UTF-8")
            case .notJSON: throw .malformed("\(part): not JSON")
            case .duplicateName: throw .malformed("\(part): two members with the same name")
            case .tooDeep: throw .malformed("\(part): nested too deeply")
            }
        }
        guard case .object = value else { throw .malformed("\(part): not an object") }
        return value
    }
}

extension String {
    /// Whether both are the same bytes. `==` treats canonically equivalent texts as the same: for example the Kelvin
    /// sign and K.
    func isSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
