import Daemon
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Push

/// The settings that a section of a file makes.
func pushSettings(_ text: String = "{}") throws -> PushSettings {
    let folder = try TemporaryFolder()
    // Python with Apprise takes many seconds to begin beside all other tests.
    let text = text.contains("time_limit") ? text : text.replacing("{", with: #"{ time_limit: "60 s", "#, maxReplacements: 1)
    let file = try folder.write("{ push: \(text) }", to: "settings.json5")
    let setting = try Settings.read(file) { section throws(SettingsError) in try PushSetting(section) }
    return try #require(setting.push)
}

@Suite("An address that notifications go to")
struct PushAddressTests {
    /// Why an address is refused; nil if it is not.
    private func refusal(_ text: String, _ settings: String = "{}") throws -> String? {
        let settings = try pushSettings(settings)
        do throws(ReplyError) { _ = try PushAddress(text, settings.apprise) } catch {
            #expect(error.code == .invalid && error.field == "address")
            return error.message
        }
        return nil
    }

    private let open = #"{ schemes: ["ntfy", "ntfys", "json", "mailtos", "matrixs", "tgram"], private_hosts: [] }"#
    private let home = #"{ schemes: ["ntfy"], private_hosts: ["192.168.1.0/24", "::1"] }"#

    @Test(
        "shows its scheme and its server, and nothing that may be secret",
        arguments: [
            ("ntfys://ntfy.sh/my-topic", "ntfys://ntfy.sh/…"),
            ("NTFYS://user:pass@Ntfy.Example.ORG:8443/topic?priority=high", "ntfys://ntfy.example.org/…"),
            ("ntfys://tk_secret@ntfy.sh/topic", "ntfys://ntfy.sh/…"),
            ("ntfys://a@b@ntfy.sh/topic", "ntfys://ntfy.sh/…"),
            ("tgram://123456789:AAsecret/42", "tgram://…"),
            ("mailtos://ada:pass@example.org?to=a@example.org&smtp=mail.example.org", "mailtos://example.org/…"),
            ("matrixs://ada:pass@example.org/#room:example.org", "matrixs://example.org/…"),
            ("json://[2001:4860:4860::8888]:80/x?+X-Key=secret&:field=1", "json://[2001:4860:4860::8888]/…"),
        ])
    func masked(text: String, shown: String) throws {
        let address = try PushAddress(text, pushSettings(open).apprise)
        #expect(address.masked == shown && address.text == text)
    }

    @Test(
        "has a scheme that the operator allows",
        arguments: [
            "file:///etc/passwd", "http://ntfy.sh/topic", "json://example.org/", "ntfy://ntfy.sh/topic",
            "apprise://example.org/x", "://x", String(repeating: "a", count: 900) + "://x",
        ])
    func scheme(text: String) throws {
        let words = try #require(try refusal(text))
        #expect(words.hasPrefix("the scheme") && words.contains("ntfys, ") && words.utf8.count < 300)
        #expect(
            try refusal("ntfy.sh/topic")
                == "the address has no scheme: expected an address such as ntfys://ntfy.sh/topic")
    }

    @Test(
        "names no other parameters than harmless ones",
        arguments: [
            "keyfile=/etc/vitals/root.key", "attach=file:///etc/passwd", "template=/etc/passwd", "Attach=x",
            "verify=no",
            "priority=high;attach=x", "%61ttach=x", "+X-Header=1", "pgp=yes",
        ])
    func parameters(query: String) throws {
        #expect(try refusal("ntfys://ntfy.sh/topic?\(query)")?.hasPrefix("the parameter") == true)
        #expect(try refusal("ntfys://ntfy.sh/topic?priority=high&tags=a,b") == nil)
    }

    @Test(
        "leads nowhere where only this machine can go, however that is spelt",
        arguments: [
            "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "0", "0.0.0.0", "[::1]", "[::]",
            "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.5",
            "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "[fe80::1]", "[fd00::1]", "[ff02::1]",
            "localhost", "a.localhost", "LOCALHOST", "printer.local", "broker.internal", "user:x@127.0.0.1",
            "example.org@127.0.0.1", "127.0.0.1:80",
        ])
    func privately(host: String) throws {
        let words = try #require(try refusal("ntfy://\(host)/topic", open))
        #expect(
            words == "the address leads into a private network, which this home does not allow" || !host.contains("."))
    }

    @Test("leads into a private network where the operator lets it, and nowhere else there")
    func allowed() throws {
        for host in ["192.168.1.5", "192.168.1.255", "[::1]", "nas.local", "nas", "93.184.215.14", "172.32.0.1"] {
            #expect(try refusal("ntfy://\(host)/topic", home) == nil, "\(host)")
        }
        for host in ["192.168.2.5", "127.0.0.1", "10.0.0.1", "[::2]", "[::ffff:192.168.2.5]"] {
            #expect(try refusal("ntfy://\(host)/topic", home) != nil, "\(host)")
        }
    }

    // Swift 6.0.3 cannot fill in values within the arguments of a macro.
    private static let malformedAddresses = [
        "ntfys://ntfy.sh/\(String(repeating: "a", count: 1009))", "ntfys://ntfy.sh/a b", "ntfys://ntfy.sh/a\nb",
        "ntfys://ntfy.sh/ä", "ntfys://ntfy.sh/\u{0}", "ntfys://", "ntfys:///topic", "ntfys://[/topic",
        "ntfys://a..b/t",
        "ntfys://topic", "ntfys://-\u{7F}.b/t", "ntfys://a%2eb.org/t",
        "ntfys://\(String(repeating: "a", count: 64)).org/t",
        "ntfys://[example.org]/t", "",
    ]

    @Test(
        "is short, and of characters that end nothing",
        arguments: malformedAddresses)
    func malformed(text: String) throws {
        #expect(try refusal(text) != nil)
        #expect(try refusal("ntfys://ntfy.sh/\(String(repeating: "a", count: 1008))") == nil)
    }

    @Test(
        "is refused before it is known by settings that cannot be meant",
        arguments: [
            (#"{ python: "python3" }"#, "not an absolute path"),
            (#"{ schemes: ["file"] }"#, "none that can be allowed"),
            (#"{ schemes: ["syslog"] }"#, "none that can be allowed"),
            (#"{ private_hosts: ["nas"] }"#, "neither an address"),
            (#"{ private_hosts: ["192.168.1.5/24"] }"#, "neither an address"),
            (#"{ private_hosts: ["10.1/16"] }"#, "neither an address"), (#"{ private_hosts: ["::/129"] }"#, "neither"),
            (#"{ private_hosts: ["10.0.0.0/08"] }"#, "neither"), (#"{ time_limit: "1 h" }"#, "time_limit"),
            (#"{ command: "apprise" }"#, "command"),
            (#"{ contact: "ada@example.org" }"#, "neither an address of mail"), (#"{ contact: "mailto:" }"#, "contact"),
            (#"{ contact: "https://example.org/ x" }"#, "contact"),
        ])
    func settings(text: String, words: String) throws {
        do {
            _ = try pushSettings(text)
            Issue.record("taken: \(text)")
        } catch let error as SettingsError { #expect("\(error)".contains(words), "\(error)") }
    }
}
