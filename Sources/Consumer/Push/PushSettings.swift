package import Daemon
import Features
import Readings
import Telemetry

/// `push`: people may have their notifications brought to addresses of their own.
///
/// ```
/// push: {
///   python: "/usr/bin/python3", schemes: ["ntfys", "webpush"], private_hosts: ["192.168.1.5"], time_limit: "30 s",
///   contact: "mailto:ada@example.org",
/// },
/// ```
package struct PushSetting: FeatureSettings {
    package static let key = "push"
    package static let isTakenAtOnce = true
    /// Nil: nothing is brought anywhere.
    let push: PushSettings?

    package init(_ settings: Section) throws(SettingsError) {
        push = try settings.section(Self.key, default: nil).map(PushSettings.init)
    }
}

/// Where notifications may be brought, and how.
struct PushSettings: Equatable {
    /// What is for Apprise, and where messages to browsers may lead, too.
    let apprise: AppriseSettings
    /// To whom the operators of browsers' push services can write; nil for nobody.
    let contact: String?

    init(_ section: Section) throws(SettingsError) {
        let known = PushSchemes.toServers.union(PushSchemes.toServices).union([PushSchemes.browser])
        apprise = try AppriseSettings(section, known: known, usual: PushSchemes.usual)
        contact = try section.string("contact", default: nil)
        guard contact.map(Self.isContact) ?? true else {
            throw section.refusal(
                of: "contact", "\"\(contact ?? "")\" is neither an address of mail nor one of the web",
                hint: "expected \"mailto:ada@example.org\" or \"https://example.org/contact\"")
        }
    }

    private static func isContact(_ text: String) -> Bool {
        let isMail = text.hasPrefix("mailto:") && text.contains("@")
        return text.utf8.count <= 256 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            && (isMail || text.hasPrefix("https://"))
    }

    /// - Throws: if the operator wants nothing brought to browsers.
    func requireBrowsers() throws(ReplyError) {
        guard apprise.schemes.contains(PushSchemes.browser) else {
            let words = "this home brings notifications to no browser: its operator has to add webpush to push.schemes"
            throw ReplyError(.notSupported, words, field: PushSetting.key)
        }
    }
}
