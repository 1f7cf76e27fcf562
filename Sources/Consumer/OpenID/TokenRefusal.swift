import Desk
package import Telemetry

/// Why an ID token, or a set of keys, is not believed. The asker gets the reason, and it is logged: it says nothing
/// that the maker of the token does not know, and without it nobody could find the mistake in a real application.
package enum TokenRefusal: RequestRefusal, Hashable, CustomStringConvertible {
    /// Not the form of a compact JWS, or not within our limits.
    case malformed(String)
    /// A header that asks for something that we do not support.
    case header(String)
    /// An algorithm that the settings do not allow for this provider, or that does not exist.
    case algorithm
    /// No key of the provider's fits.
    case unknownKey
    /// The signature is not the key's.
    case signature
    /// A claim is missing, of another type, or not ours.
    case claim(String, String)
    /// The token's time is over, or has not come.
    case expired
    case notYetValid
    /// The nonce is not ours, is too old, or was used before.
    case nonce(NonceFault)

    package enum NonceFault: Hashable { case notOurs, expired, used }

    package var description: String {
        switch self {
        case .malformed(let what): "malformed: \(what)"
        case .header(let what): "header: \(what)"
        case .algorithm: "its algorithm is not allowed"
        case .unknownKey: "no key of the provider fits"
        case .signature: "the signature does not match"
        case .claim(let name, let what): "\(name): \(what)"
        case .expired: "it has expired"
        case .notYetValid: "its time has not come"
        case .nonce(.notOurs): "nonce: not from here, or for another provider"
        case .nonce(.expired): "nonce: too old, ask for a new one"
        case .nonce(.used): "nonce: used before, ask for a new one"
        }
    }

    /// Which of these it is, without what was found in the token.
    package var kind: String {
        switch self {
        case .malformed: "malformed"
        case .header: "header"
        case .claim: "claim"
        default: description
        }
    }

    /// What the asker hears.
    package var reply: ReplyError {
        let code: ReplyError.Code =
            switch self {
            case .expired, .nonce(.expired): .expired
            default: .wrongCredentials
            }
        return ReplyError(code, "The ID token was not accepted: \(self).", field: "id_token")
    }
}
