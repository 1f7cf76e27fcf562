package import Daemon
import Features
package import Fetch

/// How something is handed to Apprise, and where that may lead: the keys that parts of the settings have in common whose features
/// bring something to people's addresses.
package struct AppriseSettings: Equatable, Sendable {
    /// A Python that has Apprise.
    package let python: String
    /// The schemes that addresses may have.
    package let schemes: Set<String>
    /// What is not on the Internet, and yet may be reached.
    package let privateHosts: [NetworkRange]
    /// How long one message may take.
    package let timeLimit: Duration

    /// - Parameters:
    ///   - known: the schemes that the section may name.
    ///   - usual: those that are allowed if it names none.
    package init(_ section: Section, known: Set<String>, usual: Set<String>) throws(SettingsError) {
        python = try section.string("python", default: "/usr/bin/python3")
        guard python.hasPrefix("/") else {
            throw section.refusal(
                of: "python", "\"\(python)\" is not an absolute path",
                hint: "no shell looks for the program: \"/usr/bin/python3\"")
        }
        schemes = Set(try section.strings("schemes", default: usual.sorted()))
        if let strange = schemes.subtracting(known).sorted().first {
            throw section.refusal(
                of: "schemes", "\"\(strange)\" is none that can be allowed",
                hint: "expected one of \(known.sorted().joined(separator: ", "))")
        }
        privateHosts = try section.networks("private_hosts")
        timeLimit = try section.duration("time_limit", in: .seconds(1) ... .seconds(60), default: .seconds(30))
    }
}
