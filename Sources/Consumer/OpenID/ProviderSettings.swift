package import Daemon
package import Fetch
package import Vault

/// One of `accounts.providers`: a provider that may vouch for people, and the applications for which it does so.
///
/// ```
/// providers: {
///   google: { audience: ["….apps.googleusercontent.com"] },
///   mine: {
///     issuer: "https://login.example.com", audience: ["vitals"], keys: "https://login.example.com/jwks",
///     algorithms: ["RS256"],
///   },
/// }
/// ```
///
/// `google` and `facebook` are known: what their own documentation says about issuer, keys and algorithm applies unless
/// the section says something else.
package struct ProviderSettings: Hashable {
    /// Where a set of keys (RFC 7517, 5) is.
    package enum Keys: Hashable, CustomStringConvertible {
        case address(WebAddress)
        case file(String)

        package var description: String {
            switch self {
            case .address(let address): "\(address)"
            case .file(let path): path
            }
        }
    }

    /// The key of the section: the name that requests use for the provider.
    package let name: String
    /// What `iss` has to be, to the byte.
    package let issuer: String
    /// The names under which our applications are known to the provider: client ids.
    package let audience: [String]
    package let keys: Keys
    package let algorithms: Set<JWSAlgorithm>
    /// Certificates (PEM) to believe instead of the machine's, if the keys come from a server of one's own.
    let authorities: String?

    private static let known: [String: (issuer: String, keys: String, algorithms: [String])] = [
        // developers.google.com/identity/openid-connect: its discovery document.
        "google": ("https://accounts.google.com", "https://www.googleapis.com/oauth2/v3/certs", ["RS256"]),
        // developers.facebook.com, Limited Login, OIDC Token: the key set; its tokens name the issuer with www since
        // 2021.
        "facebook": (
            "https://www.facebook.com", "https://limited.facebook.com/.well-known/oauth/openid/jwks/", ["RS256"]
        ),
    ]

    package init(_ name: String, _ section: Section) throws(SettingsError) {
        self.name = name
        let known = Self.known[name]
        if let known {
            issuer = try section.string("issuer", default: known.issuer)
        } else {
            issuer = try section.string("issuer")
        }
        guard issuer.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), issuer.hasPrefix("https://") else {
            throw section.refusal(
                of: "issuer", "\"\(issuer)\" is not an https address",
                hint: "it is what the provider's tokens say under \"iss\", to the letter")
        }
        audience = try section.strings("audience")
        guard (1...16).contains(audience.count), audience.allSatisfy({ $0.utf8.count <= 255 }) else {
            throw section.refusal(
                of: "audience", "expected 1 to 16 names of at most 255 bytes",
                hint: "the client ids that the provider has given to your applications")
        }
        algorithms = try Self.algorithms(section, default: known?.algorithms ?? ["RS256"])
        keys = try Self.keys(section, default: known?.keys)
        authorities = try section.path("ca_file", default: nil)
    }

    private static func algorithms(
        _ section: Section, default absent: [String]
    ) throws(SettingsError) -> Set<JWSAlgorithm> {
        var algorithms: Set<JWSAlgorithm> = []
        for name in try section.strings("algorithms", default: absent) {
            guard let algorithm = JWSAlgorithm(rawValue: name) else {
                let all = JWSAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                throw section.refusal(
                    of: "algorithms", "\"\(name)\" is not one of \(all)",
                    hint: "only signatures of public keys are verified, never \"none\" and never HS256")
            }
            algorithms.insert(algorithm)
        }
        guard !algorithms.isEmpty else {
            throw section.refusal(of: "algorithms", "empty", hint: "leave it out for [\"RS256\"]")
        }
        return algorithms
    }

    private static func keys(_ section: Section, default absent: String?) throws(SettingsError) -> Keys {
        let file = try section.path("keys_file", default: nil)
        let address = try section.string("keys", default: nil)
        if let file {
            guard address == nil else {
                throw section.refusal(of: "keys_file", "there is \"keys\" as well", hint: "give one of the two")
            }
            return .file(file)
        }
        guard let address = address ?? absent else {
            throw section.missing(
                "keys", "missing; expected the address of the provider's keys, or keys_file",
                hint: "it is \"jwks_uri\" in the provider's /.well-known/openid-configuration")
        }
        do throws(FetchError) { return .address(try WebAddress(address)) } catch {
            throw section.refusal(of: "keys", "\"\(address)\": \(error.said)", hint: error.hint)
        }
    }
}

extension ProviderSettings {
    /// All of `accounts.providers`, by name.
    /// - Parameter section: `accounts`.
    package static func all(_ section: Section) throws(SettingsError) -> [String: ProviderSettings] {
        var providers: [String: ProviderSettings] = [:]
        var issuers: [String: String] = [:]
        for provider in try section.sectionsByID("providers", ProviderSettings.init) {
            // A person is an issuer's subject: two sections of one issuer would be two ways to be the same person.
            if let other = issuers.updateValue(provider.name, forKey: provider.issuer) {
                throw section.refusal(
                    of: "providers.\(provider.name).issuer", "the same as that of \(other)",
                    hint: "make one of the two, with the audience of both")
            }
            providers[provider.name] = provider
        }
        return providers
    }
}
