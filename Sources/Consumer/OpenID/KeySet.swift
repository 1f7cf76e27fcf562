import Telemetry
package import Vault

/// A provider's keys (RFC 7517, 5) that we can use. Other keys in the set, of other kinds, for other uses or with
/// invalid parameters, are passed over: a provider may add what we do not know.
package struct KeySet {
    /// No set is longer, in bytes.
    package static let maximumLength = 256 * 1024
    /// No set has more keys.
    static let maximumKeys = 64

    /// One of them.
    package struct Key {
        package let name: String?
        /// The only algorithm that it is for; nil if it does not say.
        package let algorithm: JWSAlgorithm?
        package let key: JWSKey
    }

    package let keys: [Key]

    /// The set that `bytes` spell.
    /// - Throws: if they spell none, or one without a usable key.
    package init(_ bytes: [UInt8]) throws(TokenRefusal) {
        guard bytes.count <= Self.maximumLength else {
            throw .malformed("the set of keys is longer than \(Self.maximumLength) bytes")
        }
        let set = try CompactJWS.object(bytes, "set of keys")
        guard case .array(let entries) = set["keys"] else { throw .malformed("the set of keys has no \"keys\"") }
        guard entries.count <= Self.maximumKeys else {
            throw .malformed("the set has more than \(Self.maximumKeys) keys")
        }
        keys = entries.compactMap(Key.init)
        guard !keys.isEmpty else { throw .malformed("no key in the set can be used") }
    }

    /// The one key that a token with this key name and algorithm can be signed by; nil if there is none, or if
    /// there are several.
    package func key(named name: String?, for algorithm: JWSAlgorithm) -> JWSKey? {
        let fitting = keys.filter { key in
            guard key.key.fits(algorithm), key.algorithm ?? algorithm == algorithm else { return false }
            guard let name else { return true }
            return key.name?.isSameBytes(as: name) ?? false
        }
        return fitting.count == 1 ? fitting[0].key : nil
    }
}

extension KeySet.Key {
    /// The key that a JSON Web Key spells; nil if we cannot verify with it.
    fileprivate init?(_ json: JSON) {
        // A key that is published with its private part is no longer secret.
        guard json["d"] == nil, json["use"] ?? "sig" == "sig" else { return nil }
        if let operations = json["key_ops"] {
            guard case .array(let names) = operations, names.contains("verify") else { return nil }
        }
        var algorithm: JWSAlgorithm?
        if let name = json["alg"] {
            guard case .string(let text) = name, let known = JWSAlgorithm(rawValue: text) else { return nil }
            algorithm = known
        }
        var name: String?
        if let given = json["kid"] {
            guard case .string(let text) = given, text.utf8.count <= CompactJWS.maximumKeyName else { return nil }
            name = text
        }
        guard let parameters = Self.parameters(json) else { return nil }
        do { key = try JWSKey(parameters) } catch { return nil }
        if let algorithm, !key.fits(algorithm) { return nil }
        self.name = name
        self.algorithm = algorithm
    }

    private static func parameters(_ json: JSON) -> JWSKey.Parameters? {
        func bytes(_ name: String) -> [UInt8]? {
            guard case .string(let text) = json[name] else { return nil }
            return Base64URL.bytes(Array(text.utf8))
        }
        switch json["kty"] {
        case "RSA":
            guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
            return .rsa(modulus: modulus, exponent: exponent)
        case "EC":
            guard case .string(let name) = json["crv"], let curve = JWSKey.Curve(rawValue: name), let x = bytes("x"),
                let y = bytes("y")
            else { return nil }
            return .ellipticCurve(curve, x: x, y: y)
        case "OKP":
            guard json["crv"] == "Ed25519", let x = bytes("x") else { return nil }
            return .ed25519(x)
        default: return nil
        }
    }
}
