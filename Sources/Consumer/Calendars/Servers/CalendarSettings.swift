import Daemon
import Features
import Fetch

/// Which calendar servers may be spoken to.
struct CalendarSettings: Equatable, Sendable {
    /// What is not on the Internet, and where servers may be all the same.
    let privateHosts: [NetworkRange]
    /// A file with the certificates of the authorities that vouch for servers; nil for the machine's.
    let authorities: String?

    init(_ section: Section) throws(SettingsError) {
        privateHosts = try section.networks("private_hosts")
        authorities = try section.path("authorities", default: nil)
    }
}
