package import Files
package import Records
import Storage
import Telemetry

/// What is found when everything that is stored is opened, and counted again.
package struct Findings: Equatable {
    package var streams: Int64 = 0
    package var sessions: Int64 = 0
    package var blocks: Int64 = 0
    package var readings: Int64 = 0
    /// Readings that gateways say they had to drop.
    package var lostInGaps: UInt64 = 0
    /// Blocks of people whose secret no longer exists.
    package var forgotten: Int64 = 0
    /// Blocks that do not open, or say nothing, and rows about a person (documents, names of devices, days and
    /// so on) that do not open.
    package var unreadable: Int64 = 0
    /// Counts that were kept as blocks were stored, and that differ from what is there now.
    package var miscounted: Int64 = 0
    /// Blocks, and sessions' keys, that the ledger does not have, or has with other bytes.
    package var unledgered: Int64 = 0
    /// Secrets that do not open.
    package var damaged: Int64 = 0

    package var isGood: Bool { unreadable == 0 && miscounted == 0 && unledgered == 0 && damaged == 0 }

    package var json: String {
        let members = [
            ("streams", "\(streams)"), ("sessions", "\(sessions)"), ("blocks", "\(blocks)"),
            ("readings", "\(readings)"), ("lost_in_gaps", "\(lostInGaps)"), ("forgotten", "\(forgotten)"),
            ("unreadable", "\(unreadable)"), ("miscounted", "\(miscounted)"), ("unledgered", "\(unledgered)"),
            ("damaged", "\(damaged)"),
        ]
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}

extension Findings {
    /// The findings in one state of the database.
    /// - Parameter closedRows: how many rows of features do not open; called within that state.
    package init(
        _ store: Store, _ keys: Keys, closedRows: () throws(VaultError) -> Int64 = { () throws(VaultError) in 0 }
    ) throws(VaultError) {
        var findings = Findings()
        try store.database.snapshot { () throws(VaultError) in
            try store.database.checkIntegrity()
            for stream in try store.streams() { try findings.add(stream, store, keys) }
            findings.sessions = try store.database.first("SELECT count(*) FROM sessions", row: Row.int) ?? 0
            findings.unreadable += try Self.closedDocuments(store, keys)
            findings.unreadable += try closedRows()
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
        self = findings
    }

    /// How many documents do not open, though their secret is there.
    private static func closedDocuments(_ store: Store, _ keys: Keys) throws(VaultError) -> Int64 {
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
        return closed
    }

    private mutating func add(_ stream: StoredStream, _ store: Store, _ keys: Keys) throws(VaultError) {
        let person = try keys.person(stream.user, version: stream.secretVersion)
        let recount = try Recount(stream, person, store)
        streams += 1
        blocks += recount.blocks
        readings += recount.readings
        let (lost, isOver) = lostInGaps.addingReportingOverflow(recount.lostInGaps)
        lostInGaps = isOver ? .max : lost
        unreadable += recount.unreadable
        unledgered += recount.unledgered
        if person == nil { forgotten += recount.blocks }
        guard let counts = try store.counts(of: stream) else { return }
        // Readings that cannot be opened cannot be counted; the blocks can.
        let kinds = person == nil ? [0] : Set(counts.keys).union(recount.numbers.keys)
        for kind in kinds where counts[kind] ?? 0 != recount.numbers[kind] ?? 0 { miscounted += 1 }
    }
}
