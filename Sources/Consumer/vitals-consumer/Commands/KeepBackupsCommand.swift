import Daemon
import Files
import Glibc
import Readings
import Records
import Telemetry

/// `vitals-consumer keep-backups`: a backup with a date, restored and checked for practice, and the old ones removed.
/// For a timer.
struct KeepBackupsCommand: Subcommand {
    static let declaration = Command(
        name: "keep-backups",
        summary: "Makes a backup with a date, restores and checks it for practice, and removes old ones; for a timer.",
        discussion: """
            "backups" in the settings says where, how many and for how long. It works while the service is running. A backup \
            gets its date when it was restored and checked, so what has a date is whole. No old one is removed before that. \
            If the check finds differences, the copy is kept as "failed", and the command ends with an error.

            backup.json in the state folder says when the latest good backup was made.
            """,
        examples: [
            Example("vitals-consumer keep-backups"),
            Example(
                "vitals-consumer restore --data DATA/2026-11-23T02-10-00Z --keys KEYS/2026-11-23T02-10-00Z",
                "Restores one of them."),
        ])

    init() {}
    init(_ arguments: Arguments) throws {}

    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        try run(settings, now: unixMilliseconds(), output: output)
    }

    func run(_ settings: ConsumerSettings, now: Int64, output: CInt) throws(Failure) -> ExitCode {
        guard let backups = settings.backups else {
            throw Failure(
                .configuration, "the settings do not say where backups are kept",
                hint: #"add backups: { data: "/media/backup/data", keys: "/media/stick/keys" }"#)
        }
        try BackupParts.checkForDatabases(settings)
        let began = millisecondsSinceBoot()
        let kept = try KeptBackups(backups, state: settings.state)
        try checkRoom(settings, backups)
        let name = KeptBackups.name(now)
        guard try !kept.names().parts.contains(name) else {
            throw Failure(.temporary, "there is a backup \(name) already", hint: "try again in a second")
        }
        let findings: Findings
        do throws(Failure) { findings = try make(kept, settings, now: now) } catch {
            // What is left of it, the next run removes, too.
            try? kept.removeLeftovers()
            throw error
        }
        guard findings.isGood else {
            try kept.remove(KeptBackups.failed)
            try kept.put(KeptBackups.failed)
            throw Failure(
                .data, "the backup was restored, and does not agree with itself: \(findings.json)",
                hint: """
                    the database was altered or damaged: check the disk, and run `vitals-consumer check`. Earlier backups \
                    stay, and this one is kept as "\(KeptBackups.failed)"
                    """)
        }
        try kept.put(name)
        let removed = try kept.removeOld(except: name, now: now)
        let count = try kept.names().whole.count
        try BackupRecord.write(
            name, at: now, count: count, took: millisecondsSinceBoot() - began, in: settings.state)
        var lines = Lines(output)
        lines.write(Array("\(name) was restored and checked: \(findings.json)".utf8))
        for name in removed { lines.write(Array("removed \(name)".utf8)) }
        lines.flush()
        return .ok
    }

    private func make(
        _ kept: KeptBackups, _ settings: ConsumerSettings, now: Int64
    ) throws(Failure) -> Findings {
        let data = "\(kept.settings.data)/\(KeptBackups.making)"
        let keys = "\(kept.settings.keys)/\(KeptBackups.making)"
        _ = try BackupParts(data: data, keys: keys).write(settings)
        return try Rehearsal(data: data, keys: keys).run(settings, now: now)
    }

    /// Refuses before anything is written if there is not enough room for the copies and the rehearsal.
    private func checkRoom(_ settings: ConsumerSettings, _ backups: BackupSettings) throws(Failure) {
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        let (data, keys) = (Self.size("\(settings.state)/vitals.db"), Self.size("\(settings.state)/keys.db"))
        var needs: [UInt: (folder: String, bytes: UInt64)] = [:]
        for (folder, bytes) in [
            (backups.data, data), (backups.keys, keys), (backups.rehearsals ?? settings.state, data + keys),
        ] {
            var status = stat()
            guard stat(folder, &status) == 0 else {
                throw Failure(
                    .noInput, "there is no folder \(folder)", hint: "make it, or check \"backups\" in the settings")
            }
            needs[UInt(status.st_dev), default: (folder, 0)].bytes += bytes
        }
        for (folder, bytes) in needs.values {
            var system = statvfs()
            guard statvfs(folder, &system) == 0 else { continue }
            let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
            guard free < bytes else { continue }
            throw Failure(
                .inputOutput,
                "the disk of \(folder) has \(free / 1_000_000) MB free, and this takes up to \(bytes / 1_000_000) MB there",
                hint: "make room, or keep fewer backups (\"keep\" in \"backups\"); nothing was written")
        }
    }

    private static func size(_ database: String) -> UInt64 {
        [database, database + "-wal"].reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + UInt64(status.st_size) : sum
        }
    }
}
