import Daemon
import Foundation
import TestSupport
import Testing

@testable import Accounts
@testable import OpenID

@Suite("Settings of providers")
struct ProviderSettingsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func providers(_ text: String) throws -> [String: ProviderSettings] {
        try AccountSettings("{ providers: { \(text) } }", in: folder).providers
    }

    @Test("know Google and Facebook by what they publish")
    func presets() throws {
        let both = try providers(
            #"google: { audience: ["a.apps.googleusercontent.com", "b"] }, facebook: { audience: ["1"] }"#)
        let google = try #require(both["google"])
        #expect(google.issuer == "https://accounts.google.com")
        #expect("\(google.keys)" == "https://www.googleapis.com/oauth2/v3/certs")
        #expect(google.algorithms == [.rs256] && google.audience == ["a.apps.googleusercontent.com", "b"])
        let facebook = try #require(both["facebook"])
        #expect(facebook.issuer == "https://www.facebook.com")
        #expect("\(facebook.keys)" == "https://limited.facebook.com/.well-known/oauth/openid/jwks/")
        #expect(facebook.algorithms == [.rs256])
        // What moves can be set.
        let moved = try providers(#"google: { audience: ["a"], keys_file: "keys.json", algorithms: ["ES256"] }"#)[
            "google"]
        #expect(moved?.keys == .file(folder.path("keys.json")) && moved?.algorithms == [.es256])
        #expect(try providers("").isEmpty)
    }

    @Test("take any other provider")
    func others() throws {
        let mine = try providers(
            #"mine: { issuer: "https://x.example/", audience: ["a"], keys: "http://127.0.0.1:80/k", ca_file: "ca.pem" }"#
        )
        #expect(mine["mine"]?.algorithms == [.rs256] && mine["mine"]?.issuer == "https://x.example/")
        #expect(mine["mine"]?.authorities == folder.path("ca.pem"))
    }

    @Test(
        "are refused with what to do",
        arguments: [
            (#"google: {}"#, "providers.google.audience: missing"),
            (#"google: { audience: [] }"#, "1 to 16 names"),
            (#"google: { audience: "a" }"#, "expected an array"),
            (#"mine: { audience: ["a"], keys: "https://x.example/k" }"#, "issuer: missing"),
            (#"mine: { issuer: "https://x.example", audience: ["a"] }"#, "jwks_uri"),
            (
                #"mine: { issuer: "http://x.example", audience: ["a"], keys: "https://x.example/k" }"#,
                "not an https address"
            ),
            (
                #"mine: { issuer: "https://x example", audience: ["a"], keys: "https://x.example/k" }"#,
                "not an https address"
            ),
            (
                #"mine: { issuer: "https://x.example", audience: ["a"], keys: "http://x.example/k" }"#,
                "this machine only"
            ),
            (#"mine: { issuer: "https://x.example", audience: ["a"], keys: "x.example/k" }"#, "not an address"),
            (
                #"mine: { issuer: "https://x.example", audience: ["a"], keys: "https://x.example/k", keys_file: "k" }"#,
                "as well"
            ),
            (#"google: { audience: ["a"], algorithms: ["HS256"] }"#, "never HS256"),
            (#"google: { audience: ["a"], algorithms: ["none"] }"#, "\"none\" is not one of RS256"),
            (#"google: { audience: ["a"], algorithms: [] }"#, "leave it out"),
            (#"google: { audience: ["a"], audiance: ["b"] }"#, "unknown key"),
            (#"google: { audience: ["a"], secret: "b" }"#, "unknown key"),
            (
                #"google: { audience: ["a"] }, other: { issuer: "https://accounts.google.com", audience: ["b"], keys: "https://x.example/k" }"#,
                "the same as that of google"
            ),
            (#""Google": { audience: ["a"] }"#, "is not an id"),
        ])
    func refused(_ text: String, _ words: String) throws {
        let error = try #require(thrown(SettingsError.self) { try providers(text) })
        #expect("\(error)".contains(words), "\(error)")
    }
}
