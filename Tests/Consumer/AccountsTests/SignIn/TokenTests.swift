import Storage
import Testing
import Vault

@testable import OpenID

/// What each forged token is refused for. Their names are those of tokens.py.
private let refusals: [(TokenRefusal, [String])] = [
    (.malformed("1 parts instead of 3"), ["form: empty", "form: no token", "form: JSON serialization"]),
    (.malformed("2 parts instead of 3"), ["form: two parts"]),
    (.malformed("4 parts instead of 3"), ["form: a trailing dot", "form: a leading dot"]),
    (.malformed("5 parts instead of 3"), ["form: five parts"]),
    (
        .malformed("header: not JSON"),
        ["form: only dots", "header: not JSON", "header: a byte order mark", "header: UTF-16"]
    ),
    (
        .malformed("not base64url without padding"),
        [
            "form: padding", "form: a newline at the end", "form: a space inside", "form: the alphabet of base64",
            "form: bits behind the last byte", "form: a length that no bytes have", "form: letters beyond ASCII",
            "form: a zero byte",
        ]
    ),
    (.malformed("longer than 16384 bytes"), ["form: too long"]),
    (.malformed("an empty part"), ["form: no signature", "form: no claims"]),
    (.malformed("header: not an object"), ["header: a list"]),
    (.malformed("header: not UTF-8"), ["header: not UTF-8", "header: an overlong letter"]),
    (.malformed("header: two members with the same name"), ["header: alg twice", "header: kid twice, escaped"]),
    (.header("crit: extensions that must be understood"), ["header: crit", "header: an empty crit"]),
    (.header("b64: an unencoded payload"), ["header: b64"]),
    (.header("zip: a compressed token"), ["header: zip"]),
    (.header("enc: an encrypted token"), ["header: enc"]),
    (.header("cty: a token in the token"), ["header: a token in the token"]),
    (.header("jwk: a key in the token"), ["header: jwk"]),
    (.header("jku: a key's address in the token"), ["header: jku"]),
    (.header("x5u: a certificate's address in the token"), ["header: x5u"]),
    (.header("x5c: a certificate in the token"), ["header: x5c"]),
    (.header("typ: not JWT"), ["header: an access token", "header: typ is no text", "header: typ is empty"]),
    (
        .header("kid: not a text of at most 256 bytes"),
        [
            "header: kid is empty", "header: kid is a number", "header: kid is null", "header: kid is a list",
            "header: kid is too long",
        ]
    ),
    (
        .algorithm,
        [
            #"alg: "none""#, #"alg: "None""#, #"alg: "NONE""#, #"alg: "nOnE""#, #"alg: """#, #"alg: "rs256""#,
            #"alg: "RS256 ""#, #"alg: "\uff32\uff33256""#, #"alg: "HS256""#, #"alg: "HS384""#, #"alg: "RS1""#,
            #"alg: "ES256K""#, #"alg: "../none""#, #"alg: "RS256\u0000""#, "alg: none without a signature",
            "alg: missing",
            "alg: null", "alg: 0", "alg: true", #"alg: ["RS256"]"#, #"alg: {"RS256": 1}"#,
            "confusion: HS256 with the public key as PEM", "confusion: HS256 with the public key as DER",
            "confusion: HS256 with the modulus", "confusion: HS256 with the set's secret",
            "confusion: HS256 with an empty secret", "confusion: PS256, which is not allowed",
            "confusion: RS512, which is not allowed", "confusion: ES384, which is not allowed",
            "confusion: EdDSA, which is not allowed",
        ]
    ),
    (
        .signature,
        [
            "confusion: RS256 in name, HMAC in fact", "confusion: RS256 in name, PSS in fact",
            "confusion: RS256 in name, SHA-512 in fact", "confusion: RS256 in name, SHA-1 in fact",
            "confusion: ES256 in name, on P-384 in fact", "confusion: ES256 in name, SHA-384 in fact",
            "signature: the header altered", "signature: the claims altered", "signature: the claims spelt otherwise",
            "signature: its first bit", "signature: a bit in the middle", "signature: its last bit",
            "signature: a byte short", "signature: a byte short at the front", "signature: a zero at the end",
            "signature: a zero at the front", "signature: one byte", "signature: zeros", "signature: ones",
            "signature: one", "signature: the modulus added", "signature: another token's",
            "signature: somebody else's", "signature: the padded digest itself", "signature: r is zero",
            "signature: s is zero", "signature: both are zero", "signature: r is the order",
            "signature: s is the order", "signature: r and s exchanged", "signature: r negated", "signature: DER",
            "signature: r and s a byte longer", "signature: r and s of another curve's length",
            "signature: ES256, a byte short", "signature: ES256, a bit", "signature: ES256, somebody else's",
        ]
    ),
    (
        .unknownKey,
        [
            "confusion: ES256 with an RSA key", "confusion: RS256 with a key on a curve", "key: unknown",
            "key: unnamed, where several fit", "key: a path", "key: an address", "key: SQL", "key: a command",
            "key: a zero byte", "key: in capitals", "key: the Kelvin sign for K", "key: two of one name",
            "key: of 1024 bits", "key: with the exponent 1", "key: beside the curve",
            "key: on another curve than it says", "key: a coordinate too short", "key: a secret one",
            "key: even-exponent", "key: enc", "key: ops", "key: private", "key: mislabelled", "key: unknown-alg",
            "key: no-modulus", "key: padded",
        ]
    ),
    (.malformed("claims: not an object"), ["claims: a list", "claims: a text", "claims: null"]),
    (
        .malformed("claims: not JSON"),
        [
            "claims: not JSON", "claims: something behind", "claims: a zero byte behind", "claims: a byte order mark",
            "claims: half of a surrogate pair", "claims: a surrogate pair the wrong way round",
            "claims: an escape that is none", "claims: a short escape", "claims: a control character",
            "claims: a comment", "claims: quotation marks of JSON5", "claims: a comma too many",
            "claims: a leading zero", "claims: a plus sign", "claims: NaN", "claims: Infinity",
            "claims: a number beyond a Double", "claims: hexadecimal", "claims: unended",
        ]
    ),
    (.malformed("claims: not UTF-8"), ["claims: not UTF-8", "claims: a surrogate in UTF-8"]),
    (.malformed("claims: nested too deeply"), ["claims: nested too deeply"]),
    (
        .malformed("claims: two members with the same name"),
        [
            "claims: aud twice", "claims: aud twice, the last is ours", "claims: aud twice, escaped",
            "claims: sub twice, escaped", "claims: twice the same", "claims: twice, further in",
        ]
    ),
    (.claim("iss", "missing"), ["iss: missing"]),
    (.claim("iss", "not a text"), ["iss: null", "iss: a list"]),
    (
        .claim("iss", "another issuer"),
        [
            "iss: another", "iss: with a slash", "iss: in capitals", "iss: http", "iss: without a scheme",
            "iss: as a prefix", "iss: a letter that looks alike", "iss: a zero byte",
        ]
    ),
    (.claim("aud", "missing"), ["aud: missing"]),
    (
        .claim("aud", "not a text or a list of texts"),
        [
            "aud: null", "aud: a number", "aud: true", "aud: an object", "aud: a list with a number",
            "aud: a list in a list",
        ]
    ),
    (
        .claim("aud", "meant for somebody else"),
        [
            "aud: an empty list", "aud: another", "aud: in capitals", "aud: with a space", "aud: as a part",
            "aud: all in one text", "aud: others", "aud: ours and somebody else's",
        ]
    ),
    (
        .claim("azp", "missing, although there are several audiences"),
        ["azp: missing, with several audiences", "azp: missing, with our audience twice"]
    ),
    (.claim("azp", "made for somebody else"), ["azp: another, with several audiences", "azp: another"]),
    (.claim("azp", "not a text"), ["azp: a list", "azp: null"]),
    (.claim("exp", "missing"), ["exp: missing"]),
    (.claim("exp", "not a number"), ["exp: a text", "exp: true"]),
    (
        .claim("exp", "not a time in seconds"),
        ["exp: zero", "exp: negative", "exp: milliseconds", "exp: huge", "exp: beyond 64 bits"]
    ),
    (.claim("exp", "not after iat"), ["exp: before iat"]),
    (.expired, ["exp: over", "iat: of long ago"]),
    (.claim("iat", "missing"), ["iat: missing"]),
    (.claim("iat", "not a number"), ["iat: a text"]),
    (.claim("iat", "not a time in seconds"), ["iat: milliseconds"]),
    (.notYetValid, ["iat: of tomorrow", "nbf: of tomorrow"]),
    (.claim("nbf", "not a number"), ["nbf: a text"]),
    (.claim("sub", "missing"), ["sub: missing"]),
    (.claim("sub", "not a text"), ["sub: a number", "sub: a list"]),
    (.claim("sub", "not 1 to 255 bytes of text"), ["sub: empty", "sub: of 256 bytes", "sub: a zero byte"]),
    (.claim("nonce", "missing"), ["nonce: missing"]),
    (.claim("nonce", "not a text"), ["nonce: null", "nonce: a number"]),
    (
        .nonce(.notOurs),
        [
            "nonce: empty", "nonce: made up", "nonce: with a bit changed", "nonce: with padding", "nonce: cut short",
            "nonce: of another provider", "nonce: of another service",
        ]
    ),
    (.nonce(.expired), ["nonce: too old", "nonce: of the future"]),
    (.nonce(.used), ["nonce: used before"]),
]

private let expected = refusals.flatMap { refusal, names in names.map { ($0, refusal) } }

@Suite("ID tokens", .serialized, .timeLimit(.minutes(60)))
struct TokenTests {
    /// One service for all tokens that are refused: they leave nothing behind.
    private struct Shared: Sendable {
        let reception: Reception
        let tokens: Tokens

        init() throws {
            reception = try Reception()
            tokens = try Tokens(reception.nonces)
            reception.serve(tokens)
        }
    }

    private static let shared = Result { try Shared() }
    private let reception: Reception
    private let tokens: Tokens

    init() throws {
        let shared = try Self.shared.get()
        (reception, tokens) = (shared.reception, shared.tokens)
    }

    @Test("are refused for the right reason when they are forged", arguments: expected)
    func forged(_ name: String, _ refusal: TokenRefusal) throws {
        let token = try #require(tokens.forged[name])
        if refusal == .nonce(.used) {
            // Somebody has used it just before.
            let nonce = try IDToken(CompactJWS(token).payload, from: provider, now: Tokens.now).nonce
            let (id, expires) = try reception.nonces.check(nonce, for: "mine", now: Tokens.now)
            let database = reception.context.store.database
            try Nonces.use(id, expires: expires, now: Tokens.now, database)
        }
        let before = reception.vouched.count
        let error = reception.show(token)?.error
        #expect(reception.vouched.count == before)
        #expect(error == refusal.reply)
        #expect(error?.code == .wrongCredentials || error?.code == .expired)
    }

    @Test("that Python forges are all tried, each once, and there are more than 200")
    func complete() {
        #expect(Set(expected.map(\.0)) == Set(tokens.forged.keys))
        #expect(expected.count == tokens.forged.count && expected.count > 200)
    }

    @Test("that are good let in, by each algorithm and in each spelling that is allowed")
    func good() throws {
        for (name, token) in tokens.good {
            let reception = try Reception(nonces: self.reception.nonces)
            reception.serve(tokens)
            #expect(reception.show(token)?.data != nil, "\(name): \(reception.last.all)")
            #expect(reception.vouched.first?.about.issuer == "https://login.example.com")
            #expect(reception.vouched.first?.about.subject.hasPrefix("s") == true)
        }
        for (name, token) in tokens.algorithms {
            let reception = try Reception(nonces: self.reception.nonces)
            reception.serve(tokens)
            #expect(reception.show(token, provider: "all")?.data != nil, "\(name): \(reception.last.all)")
        }
    }

    @Test("are good for the provider that they come from, and no other")
    func otherProvider() throws {
        let mine = try #require(tokens.good["RS256"])
        // Its name is none of that set's.
        #expect(reception.show(mine, provider: "all")?.error == TokenRefusal.unknownKey.reply)
        let all = try #require(tokens.algorithms["ES256 by e256"])
        #expect(reception.show(all)?.error == TokenRefusal.unknownKey.reply)
        for name in ["", "Mine", "google", "../mine", "nobody"] {
            #expect(reception.show(mine, provider: name)?.error?.field == "provider")
        }
    }

    @Test("are looked at in order: nothing of a token counts before its signature does")
    func order() throws {
        // All is wrong with the claims as well.
        let parts = try #require(tokens.forged["iss: another"]).split(separator: ".").map(String.init)
        let claims = Base64URL.text(Array(#"{"iss":1,"iss":2}"#.utf8))
        #expect(reception.show("\(parts[0]).\(claims).\(parts[2])")?.error == TokenRefusal.signature.reply)
        #expect(reception.show("\(parts[0]).%%%.\(parts[2])")?.error?.message.contains("base64url") == true)
    }

    private var provider: ProviderSettings {
        get throws { try #require(reception.providers["mine"]) }
    }
}
