import Daemon
import Files
import Glibc
import Readings
import Records

/// A backup that is restored into a private folder, opened with the root key, checked and removed again.
struct Rehearsal {
    /// Where vitals.db is.
    let data: String
    /// Where keys.db is.
    let keys: String

    /// Its name in the state folder, or in the one that the settings name for it.
    static let name = "rehearsal"

    /// Restores and checks it.
    /// - Returns: what `check` finds in the restored copy.
    func run(_ settings: ConsumerSettings, now: Int64) throws(Failure) -> Findings {
        // In the state folder both parts are together anyway; on the backup's medium they would meet for the first time.
        let folder = "\(settings.backups?.rehearsals ?? settings.state)/\(Self.name)"
        let rights = try FileRights.take(ofOwnerOf: folder)
        defer { rights.giveBack() }
        try Failure.explaining { () throws(VaultError) in try Erasing.remove(folder) }
        let result: Result<Findings, Failure>
        do throws(Failure) { result = .success(try restoreAndCheck(settings.rehearsing(in: folder), now)) } catch {
            result = .failure(error)
        }
        try Failure.explaining { () throws(VaultError) in try Erasing.remove(folder) }
        return try result.get()
    }

    private func restoreAndCheck(_ settings: ConsumerSettings, _ now: Int64) throws(Failure) -> Findings {
        _ = try RestoreCommand(data: data, keys: keys, isRehearsal: true).restore(settings, now: now)
        let keys = try Keys(settings, .read)
        let store = try Store(settings, readOnly: true)
        return try Failure.explaining { () throws(VaultError) in try CheckCommand.findings(store, keys) }
    }
}
