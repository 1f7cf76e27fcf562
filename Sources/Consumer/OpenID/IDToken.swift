import Telemetry

// An ID token, and when it is believed.
//
// The order is: the form; the algorithm, which the settings must allow; the key, which must be the provider's and of
// the algorithm's kind; the signature; and only then the claims (OpenID Connect Core, 3.1.3.7). The nonce comes last,
// because it is used up.
//
// A person is issuer and subject, and nothing else. An e-mail address in a token is not looked at: providers let people
// change it, give a former owner's address to the next one, or never checked it. Otherwise anybody who could get
// another person's address into a token would get that person's account here.

/// The person that a token is about.
package struct TokenSubject: Hashable {
    package let issuer: String
    package let subject: String
}

/// What a token says, once its signature is verified.
package struct IDToken: Hashable {
    package let about: TokenSubject
    package let nonce: String

    /// How far apart the provider's clock and ours may be.
    static let leeway: Double = 60
    /// An older token is not accepted, whatever it says about its end.
    static let maximumAge: Double = 86_400
    /// Times from 2001 to 2286 in seconds since 1970: neither milliseconds nor nonsense are taken for one.
    package static let times: ClosedRange<Double> = 1_000_000_000...9_999_999_999

    /// Reads the claims of a token whose signature is good.
    /// - Parameter now: Unix milliseconds.
    package init(_ payload: [UInt8], from provider: ProviderSettings, now: Int64) throws(TokenRefusal) {
        let claims = try CompactJWS.object(payload, "claims")
        guard try Self.text("iss", claims).isSameBytes(as: provider.issuer) else {
            throw .claim("iss", "another issuer")
        }
        try Self.checkAudience(claims, provider)
        try Self.checkTimes(claims, now: Double(now) / 1000)
        let subject = try Self.text("sub", claims)
        guard (1...255).contains(subject.utf8.count), subject.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
            throw .claim("sub", "not 1 to 255 bytes of text")
        }
        about = TokenSubject(issuer: provider.issuer, subject: subject)
        nonce = try Self.text("nonce", claims)
    }

    private static func checkAudience(_ claims: JSON, _ provider: ProviderSettings) throws(TokenRefusal) {
        func isOurs(_ name: String) -> Bool { provider.audience.contains { $0.isSameBytes(as: name) } }
        var audience: [String] = []
        switch claims["aud"] {
        case .string(let name): audience = [name]
        case .array(let names):
            for name in names {
                guard case .string(let text) = name else { throw .claim("aud", "not a text or a list of texts") }
                audience.append(text)
            }
        case nil: throw .claim("aud", "missing")
        default: throw .claim("aud", "not a text or a list of texts")
        }
        // 3.1.3.7, 3: nor may it be valid for another service, which could show it here.
        guard !audience.isEmpty, audience.allSatisfy(isOurs) else { throw .claim("aud", "meant for somebody else") }
        guard claims["azp"] != nil else {
            // OpenID Connect Core, 3.1.3.7, 4: with several audiences it says for whom the token was made.
            guard audience.count == 1 else { throw .claim("azp", "missing, although there are several audiences") }
            return
        }
        guard isOurs(try text("azp", claims)) else { throw .claim("azp", "made for somebody else") }
    }

    private static func checkTimes(_ claims: JSON, now: Double) throws(TokenRefusal) {
        let issued = try time("iat", claims)
        let expires = try time("exp", claims)
        guard expires > now - leeway else { throw .expired }
        guard issued <= now + leeway else { throw .notYetValid }
        guard issued > now - maximumAge else { throw .expired }
        guard expires > issued else { throw .claim("exp", "not after iat") }
        if claims["nbf"] != nil, try time("nbf", claims) > now + leeway { throw .notYetValid }
    }

    private static func time(_ name: String, _ claims: JSON) throws(TokenRefusal) -> Double {
        let seconds: Double
        switch claims[name] {
        case .integer(let number): seconds = Double(number)
        case .number(let number): seconds = number
        case nil: throw .claim(name, "missing")
        default: throw .claim(name, "not a number")
        }
        guard times.contains(seconds) else { throw .claim(name, "not a time in seconds") }
        return seconds
    }

    private static func text(_ name: String, _ claims: JSON) throws(TokenRefusal) -> String {
        switch claims[name] {
        case .string(let text): return text
        case nil: throw .claim(name, "missing")
        default: throw .claim(name, "not a text")
        }
    }
}

extension CompactJWS {
    /// Throws unless the token is signed by a key of the set, by an algorithm that the settings allow.
    /// - Throws: `.unknownKey` if another set may have the key.
    package func verify(_ keys: KeySet, _ provider: ProviderSettings) throws(TokenRefusal) {
        guard provider.algorithms.contains(algorithm) else { throw .algorithm }
        guard let key = keys.key(named: keyName, for: algorithm) else { throw .unknownKey }
        do { try key.verify(signature, of: signed, by: algorithm) } catch { throw .signature }
    }
}
