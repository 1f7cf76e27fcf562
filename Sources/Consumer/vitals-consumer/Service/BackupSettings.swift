import Daemon

/// `backups` in the settings: where `keep-backups` keeps backups, and for how long.
///
/// ```
/// backups: {
///   data: "/media/backup/data", keys: "/media/stick/keys",   // on two media; both folders must exist
///   keep: 7, keep_for: "30 d",        // how many, and for how long; the latest good one stays in any case
///   mounted: true,                    // both must be on other file systems than the state folder
///   rehearse_in: "/srv/rehearsal",    // where backups are restored to be checked; the state folder
/// }
/// ```
struct BackupSettings: Equatable {
    /// The folder of the copies of vitals.db.
    let data: String
    /// The folder of the copies of keys.db.
    let keys: String
    /// How many backups stay.
    let count: Int
    /// How old a backup may become; nil: as old as it likes.
    let age: Duration?
    /// Whether a folder on the state folder's own file system is refused: it is a mount point without its medium.
    let isMounted: Bool
    /// Where a backup is restored to be checked; nil: in the state folder.
    let rehearsals: String?

    init(_ section: Section) throws(SettingsError) {
        data = try section.path("data")
        keys = try section.path("keys")
        count = try section.integer("keep", in: 1...1000, default: 7)
        let day = Duration.seconds(86_400)
        age = try section.duration("keep_for", in: day...day * 3660, default: nil)
        isMounted = try section.bool("mounted", default: true)
        rehearsals = try section.path("rehearse_in", default: nil)
        guard data != keys else {
            throw section.refusal(
                of: "keys", "is the folder of the data, too",
                hint: "keep the two apart, best on two media: whoever has both needs only the root key")
        }
    }
}
