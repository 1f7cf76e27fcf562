import Daemon
import Days
import Features
import Records
import Storage
import Telemetry

// `check` says whether what was received is complete; `recount` says whether the totals that are kept follow from it.
// They are two commands, because a difference here loses nothing: all of it can be computed again.

/// `vitals-consumer recount`: computes again from the stored readings what is kept of them, and compares.
struct RecountCommand: Subcommand {
    static let declaration = Command(
        name: "recount",
        summary: "Computes days and heart rates again from the stored readings and compares; prints one JSON object.",
        discussion: """
            It works while the service is running, changes nothing, and ends with an error if something differs. A person who has hours that \
            the service is about to compute again is counted as waiting, and not compared.
            """,
        options: [.value("user", "ID", "only this person")],
        examples: [Example("vitals-consumer recount --user demo")])

    /// What was found.
    struct Findings: Equatable {
        var people: Int64 = 0
        /// People with hours that are about to be computed again.
        var waiting: Int64 = 0
        /// Days, and minutes of heart rate, that are kept.
        var kept: Int64 = 0
        /// Those that differ from what the readings say, or are missing.
        var differing: Int64 = 0

        var json: JSON {
            [
                "people": .integer(people), "waiting": .integer(waiting), "kept": .integer(kept),
                "differing": .integer(differing),
            ]
        }
    }

    private let user: ID?

    init(_ arguments: Arguments) throws {
        user = try arguments.optionalString("user") == nil ? nil : ID(arguments.id("user"))
    }

    init(user: ID? = nil) { self.user = user }

    /// Writes one JSON object to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        let keys = try Keys(settings, .read)
        let store = try Store(settings, readOnly: true)
        let derivations = Feature.all.derivations(DerivationParts(store, keys, zone: settings.timeZone))
        let findings = try Failure.explaining { () throws(VaultError) -> Findings in
            try store.database.snapshot { () throws(VaultError) in try self.findings(store, keys, derivations) }
        }
        if let user, findings.people == 0 { throw Failure(.notFound, "there is no person \(user)") }
        var lines = Lines(output)
        lines.write(findings.json.bytes)
        lines.flush()
        guard findings.differing == 0 else {
            throw Failure(
                .data, "what is kept of \(findings.differing) days or minutes does not follow from the readings",
                hint: "nothing that was received is lost: run check, and report this to the makers of this program")
        }
        return .ok
    }

    /// The findings in one state of the database.
    func findings(
        _ store: Store, _ keys: Keys, _ derivations: [any Derivation]
    ) throws(VaultError) -> Findings {
        var findings = Findings()
        let people: [ID]
        if let user { people = [user] } else { people = try store.peopleWithStreams() }
        for user in people {
            guard try keys.version(of: user) != nil else { continue }
            findings.people += 1
            guard try !store.isStale(user) else {
                findings.waiting += 1
                continue
            }
            for derivation in derivations {
                let (kept, differing) = try derivation.recount(of: user)
                findings.kept += Int64(kept)
                findings.differing += Int64(differing)
            }
        }
        return findings
    }
}

extension Store {
    /// People of whom anything may be stored.
    fileprivate func peopleWithStreams() throws(VaultError) -> [ID] {
        try database.query("SELECT DISTINCT person FROM streams WHERE person <> '' ORDER BY person", row: Row.text)
            .compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }
}
