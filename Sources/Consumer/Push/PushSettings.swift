package import Daemon
import Features
import Fetch
import Readings

/// `push`: people may have their notifications brought to addresses of their own.
///
/// ```
/// push: { python: "/usr/bin/python3", schemes: ["ntfys", "tgram"], private_hosts: ["192.168.1.5"], time_limit: "30 s" },
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
    /// A Python that has Apprise.
    let python: String
    /// The schemes that addresses may have.
    let schemes: Set<String>
    /// What is not on the Internet, and yet may be reached.
    let privateHosts: [NetworkRange]
    /// How long Apprise may take for one message.
    let timeLimit: Duration

    init(_ section: Section) throws(SettingsError) {
        python = try section.string("python", default: "/usr/bin/python3")
        guard python.hasPrefix("/") else {
            throw section.refusal(
                of: "python", "\"\(python)\" is not an absolute path",
                hint: "no shell looks for the program: \"/usr/bin/python3\"")
        }
        let known = PushSchemes.toServers.union(PushSchemes.toServices)
        schemes = Set(try section.strings("schemes", default: PushSchemes.usual.sorted()))
        if let strange = schemes.subtracting(known).sorted().first {
            throw section.refusal(
                of: "schemes", "\"\(strange)\" is none that can be allowed",
                hint: "expected one of \(known.sorted().joined(separator: ", "))")
        }
        privateHosts = try section.networks("private_hosts")
        timeLimit = try section.duration("time_limit", in: .seconds(1) ... .seconds(60), default: .seconds(30))
    }
}
