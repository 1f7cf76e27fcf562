import Daemon
import Fitness
import Readings
import Records
import Storage
import Telemetry

/// `vitals-consumer readings`: prints what is stored, opened.
struct ReadingsCommand: Subcommand {
    static let declaration = Command(
        name: "readings",
        summary: "Prints stored readings, opened, one JSON object on each line, in order of time.",
        discussion: """
            A time is Unix milliseconds or UTC such as 2026-11-21T10:00:00Z. It works while the service is running.
            """,
        options: [
            .value("user", "ID", "the person"),
            .value("kind", "KIND", "heart-rate, steps or temperature"),
            .value("from", "TIME", "not before this time"),
            .value("to", "TIME", "only before this time"),
        ],
        examples: [
            Example("vitals-consumer readings --user demo --kind steps --from 2026-11-21T00:00:00Z")
        ])

    private let user: ID
    private let kind: ReadingKind
    private let from: Int64
    private let to: Int64

    init(_ arguments: Arguments) throws {
        user = try ID(arguments.id("user"))
        kind = try arguments.choice("kind", of: ReadingKind.self)
        from = try Self.time("from", arguments) ?? -Moment.limit
        to = try Self.time("to", arguments) ?? Moment.limit
        guard from < to else {
            throw arguments.refusal(of: "from", "the range is empty or reversed: --to has to be later than --from")
        }
    }

    init(user: ID, kind: ReadingKind, from: Int64 = -Moment.limit, to: Int64 = Moment.limit) {
        self.user = user
        self.kind = kind
        self.from = from
        self.to = to
    }

    /// Writes one JSON object a line to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        let keys = try Keys(settings, .read)
        let store = try Store(settings, readOnly: true)
        guard try Failure.explaining({ () throws(VaultError) in try keys.version(of: user) }) != nil else {
            throw Failure(
                .notFound, "there is no person \(user)",
                hint: "the settings name them under \"people\"; a new one is known after the service has started")
        }
        var lines = Lines(output)
        let unreadable = try Failure.explaining { () throws(VaultError) in
            // One state: the service may be packing what is read.
            try store.database.snapshot { () throws(VaultError) in
                try StoredReadings(store: store, keys: keys).forEach(of: user, kind.kind, from: from, to: to) {
                    lines.write($0.published)
                }
            }
        }
        lines.flush()
        guard unreadable == 0 else {
            throw Failure(
                .data, "\(counted(unreadable, "stored block")) \(unreadable == 1 ? "does" : "do") not open",
                hint: "the database was altered or damaged: restore a backup")
        }
        return .ok
    }

    private static func time(_ name: String, _ arguments: Arguments) throws(UsageError) -> Int64? {
        guard let text = try arguments.optionalString(name) else { return nil }
        if let time = Int64(text) ?? unixMilliseconds(iso8601: text), time.magnitude <= Moment.limit.magnitude {
            return time
        }
        throw arguments.refusal(
            of: name, "expected Unix milliseconds or a UTC time like 2026-11-21T10:00:00Z, found \"\(text)\"")
    }
}
