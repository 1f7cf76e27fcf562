package import Daemon

extension StorageLimits {
    /// The settings `limits`.
    package init(_ section: Section) throws(SettingsError) {
        gateway = try Self.limit(section.section("gateway"), gateway)
        person = try Self.limit(section.section("person"), person)
    }

    private static func limit(_ section: Section, _ usual: Limit) throws(SettingsError) -> Limit {
        // Every disk that holds a database has room for more than a day's blocks; a limit below one block's length
        // would take none.
        let range = 1_000_000...1_000_000_000_000_000
        return Limit(
            day: try section.bytes("day", in: range, default: usual.day),
            total: try section.bytes("total", in: range, default: usual.total))
    }
}
