import Daemon

/// Which calendar servers may be spoken to.
struct CalendarSettings: Equatable, Sendable {
    /// Whether a server may be in a network that is not on the Internet.
    let allowsPrivateAddresses: Bool
    /// A file with the certificates of the authorities that vouch for servers; nil for the machine's.
    let authorities: String?

    init(_ section: Section) throws(SettingsError) {
        allowsPrivateAddresses = try section.bool("private_addresses", default: false)
        authorities = try section.path("authorities", default: nil)
    }
}
