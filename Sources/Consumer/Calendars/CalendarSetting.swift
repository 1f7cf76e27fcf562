package import Daemon
import Readings

/// `calendar`: people may keep their reminders in step with a calendar of their own.
///
/// ```
/// calendar: { private_hosts: ["192.168.1.5"], authorities: "/etc/vitals/home-ca.pem" },
/// ```
package struct CalendarSetting: FeatureSettings {
    package static let key = "calendar"
    package static let isTakenAtOnce = true
    /// Nil: no server is spoken to.
    let calendar: CalendarSettings?

    package init(_ settings: Section) throws(SettingsError) {
        calendar = try settings.section(Self.key, default: nil).map(CalendarSettings.init)
    }
}
