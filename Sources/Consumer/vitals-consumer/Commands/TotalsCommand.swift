import Daemon
import Days
import Fitness
import Records
import Storage
import Telemetry

/// `vitals-consumer totals`: prints the totals of a person's day.
struct TotalsCommand: Subcommand {
    static let declaration = Command(
        name: "totals",
        summary: "Prints a person's totals for a day, as one JSON object.",
        discussion: """
            A day is a day of the person's calendar, in the time zone where they were. What is not known is left out. It works \
            while the service is running.
            """,
        options: [
            .value("user", "ID", "the person"),
            .value("day", "YYYY-MM-DD", "the day"),
        ],
        examples: [Example("vitals-consumer totals --user demo --day 2026-11-21")])

    private let user: ID
    private let day: CalendarDay

    init(_ arguments: Arguments) throws {
        user = try ID(arguments.id("user"))
        let text = try arguments.string("day")
        guard let day = CalendarDay(text) else {
            throw arguments.refusal(of: "day", "expected a day like 2026-11-21, found \"\(text)\"")
        }
        self.day = day
    }

    init(user: ID, day: CalendarDay) {
        self.user = user
        self.day = day
    }

    /// Writes one JSON object to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        let keys = try Keys(settings, .read)
        let store = try Store(settings, readOnly: true)
        let days = Days(store, keys, Histories(store, keys, zone: settings.timeZone))
        let totals = try Failure.explaining { () throws(VaultError) -> DayTotals? in
            try store.database.snapshot { () throws(VaultError) in
                guard try keys.version(of: user) != nil else { return nil }
                // As statistics have it, with what the heart rate at rest is compared with.
                if let found = try days.totals(of: user, in: day...day).first { return found }
                return try days.totals(of: user, on: day)
            }
        }
        guard let totals else {
            throw Failure(
                .notFound, "there is no person \(user)",
                hint: "the settings name them under \"people\"; a new one is known after the service has started")
        }
        var lines = Lines(output)
        lines.write(totals.json.bytes)
        lines.flush()
        return .ok
    }
}
