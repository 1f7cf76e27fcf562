package import Daemon
import Desk
import Push
import Readings
import Telemetry

/// `sharing`: people may post what they share to services of their own.
///
/// ```
/// sharing: {
///   schemes: ["mastodons", "mailtos"], private_hosts: ["192.168.1.5"], python: "/usr/bin/python3", time_limit: "30 s",
/// },
/// ```
package struct SharingSetting: FeatureSettings {
    package static let key = "sharing"
    package static let isTakenAtOnce = true
    /// Nil: nothing is posted anywhere.
    let apprise: AppriseSettings?

    /// The schemes that are allowed unless the settings say otherwise. What they carry is encrypted on its way.
    static let usual: Set<String> = [
        "discord", "mailtos", "mastodons", "matrixs", "mmosts", "nctalks", "rockets", "signals", "slack", "tgram",
    ]

    package init(_ settings: Section) throws(SettingsError) {
        apprise = try settings.section(Self.key, default: nil).map { section throws(SettingsError) in
            try AppriseSettings(
                section, known: PushSchemes.toServers.union(PushSchemes.toServices), usual: Self.usual)
        }
    }

    /// - Throws: if the operator wants none of it.
    func required() throws(ReplyError) -> AppriseSettings {
        guard let apprise else {
            let words = "this home posts nothing anywhere: its operator has to add sharing: {} to consumer.json5"
            throw ReplyError(.notSupported, words, field: Self.key)
        }
        return apprise
    }
}
