import Accounts
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

    /// What was found.
    struct Findings: Equatable {
        var streams: Int64 = 0
        var sessions: Int64 = 0
        var blocks: Int64 = 0
        var readings: Int64 = 0
        /// Readings that gateways say they had to drop.
        var lostInGaps: UInt64 = 0
        /// Blocks of people whose secret no longer exists.
        var forgotten: Int64 = 0
        /// Blocks that do not open, or say nothing, and rows about a person (documents, names of devices, days and
        /// so on) that do not open.
        var unreadable: Int64 = 0
        /// Counts that were kept as blocks were stored, and that differ from what is there now.
        var miscounted: Int64 = 0
        /// Blocks, and sessions' keys, that the ledger does not have, or has with other bytes.
        var unledgered: Int64 = 0
        /// Secrets that do not open.
        var damaged: Int64 = 0

        var isGood: Bool { unreadable == 0 && miscounted == 0 && unledgered == 0 && damaged == 0 }

        var json: String {
            let members = [
                ("streams", "\(streams)"), ("sessions", "\(sessions)"), ("blocks", "\(blocks)"),
                ("readings", "\(readings)"), ("lost_in_gaps", "\(lostInGaps)"), ("forgotten", "\(forgotten)"),
                ("unreadable", "\(unreadable)"), ("miscounted", "\(miscounted)"), ("unledgered", "\(unledgered)"),
                ("damaged", "\(damaged)"),
            ]
            return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        }
    }

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
        var findings = Findings()
        try store.database.snapshot { () throws(VaultError) in
            try store.database.checkIntegrity()
            for stream in try store.streams() { try findings.add(stream, store, keys) }
            findings.sessions = try store.database.first("SELECT count(*) FROM sessions", row: Row.int) ?? 0
            findings.unreadable += try closed(store, keys, features)
            findings.unledgered +=
                try store.database.first(
                    """
                    SELECT count(*) FROM sessions JOIN streams ON streams.number = sessions.stream
                    WHERE person <> '' AND NOT EXISTS
                        (SELECT 1 FROM ledger WHERE ledger.session = sessions.number AND seq = 0)
                    """, row: Row.int) ?? 0
        }
        // Secrets are made before the streams that need them, so the secrets read here include all that the snapshot
        // needs.
        try keys.checkIntegrity()
        for name in try keys.all() where try keys.person(name.user, version: name.version) == nil {
            findings.damaged += 1
        }
        return findings
    }

    /// How many rows about a person do not open, though their secret is there.
    private static func closed(_ store: Store, _ keys: Keys, _ features: [Feature]) throws(VaultError) -> Int64 {
        let documents = Documents(store: store, keys: keys)
        var closed: Int64 = 0
        try store.database.forEach("SELECT person, secret_version, name, sealed FROM documents") {
            row throws(VaultError) in
            let (text, version) = (try row.text("person"), try row.int("secret_version"))
            guard let user = decoded({ () throws(MalformedValue) in try ID(text) }),
                try keys.person(text, version: version) != nil,
                try documents.opened(row.blob("sealed"), row.text("name"), of: user, version: version) == nil
            else { return }
            closed += 1
        }
        for table in features.sealedTables {
            try table.forEach(store) { row throws(VaultError) in
                guard let person = try keys.person(row.user, version: row.version) else { return }
                do throws(VaultError) { _ = try person.rows.openWithNonce(row.sealed, aad: row.context) } catch {
                    guard error.isUnreadable else { throw error }
                    closed += 1
                }
            }
        }
        return closed
    }
}

extension CheckCommand: Subcommand {
    init(_ arguments: Arguments) throws { self.init() }
}

extension CheckCommand.Findings {
    fileprivate mutating func add(_ stream: StoredStream, _ store: Store, _ keys: Keys) throws(VaultError) {
        let person = try keys.person(stream.user, version: stream.secretVersion)
        let recount = try Recount(stream, person, store)
        streams += 1
        blocks += recount.blocks
        readings += recount.readings
        lostInGaps =
            lostInGaps.addingReportingOverflow(recount.lostInGaps).overflow ? .max : lostInGaps + recount.lostInGaps
        unreadable += recount.unreadable
        unledgered += recount.unledgered
        if person == nil { forgotten += recount.blocks }
        guard let counts = try store.counts(of: stream) else { return }
        // Readings that cannot be opened cannot be counted; the blocks can.
        let kinds = person == nil ? [0] : Set(counts.keys).union(recount.numbers.keys)
        for kind in kinds where counts[kind] ?? 0 != recount.numbers[kind] ?? 0 { miscounted += 1 }
    }
}
