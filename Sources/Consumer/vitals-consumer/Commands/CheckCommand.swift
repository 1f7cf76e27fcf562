import Daemon
import Features
import Readings
import Records
import Storage
import Telemetry

/// `vitals-consumer check`: opens everything that is stored, counts it again, and compares.
///
/// It reads one state of the database, even while the service is running.
struct CheckCommand {
    static let declaration = Command(
        name: "check",
        summary: "Opens everything that is stored, counts it again and compares; prints one JSON object.",
        discussion: """
            It works while the service is running, and ends with an error if something does not agree. `vitals-consumer recount` \
            finds out whether what is kept of days and heart rates follows from what is stored.
            """)

    /// Writes one JSON object to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        let keys = try Keys(settings, .read)
        let store = try Store(settings, readOnly: true)
        let findings = try Failure.explaining { () throws(VaultError) in
            try Self.findings(store, keys)
        }
        var lines = Lines(output)
        lines.write(Array(findings.json.utf8))
        lines.flush()
        guard findings.isGood else {
            throw Failure(
                .data, "what is stored does not agree with itself",
                hint: "the database was altered or damaged: check the disk, then restore a backup")
        }
        return .ok
    }

    /// The findings in one state of the database.
    static func findings(
        _ store: Store, _ keys: Keys, _ features: [Feature] = Feature.all
    ) throws(VaultError) -> Findings {
        try Findings(store, keys) { () throws(VaultError) in try closed(store, keys, features.sealedTables) }
    }

    /// How many rows of features do not open, though their secret is there.
    private static func closed(_ store: Store, _ keys: Keys, _ tables: [SealedTable]) throws(VaultError) -> Int64 {
        var closed: Int64 = 0
        for table in tables {
            try table.forEach(store) { row throws(VaultError) in
                guard let person = try keys.person(row.user, version: row.version) else { return }
                if try person.rows.openIfReadable(row.sealed, row.context) == nil { closed += 1 }
            }
        }
        return closed
    }
}

extension CheckCommand: Subcommand {
    init(_ arguments: Arguments) throws { self.init() }
}
