import Daemon
import Readings
import Records
import Storage
import Telemetry

/// `vitals-consumer readings`: prints what is stored, opened.
struct ReadingsCommand: Subcommand {
    static let declaration = Command(
        name: "readings",
        summary: "Prints stored readings, opened, as one JSON object a line, in order of time.",
        discussion: """
            A time is Unix milliseconds or UTC such as 2026-11-21T10:00:00Z. It works while the service runs.
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
        let store = try Store(folder: settings.state, readOnly: true)
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

/// The time that `2026-11-21T10:00:00Z` spells, with up to three digits of a fraction; nil where the text is anything
/// else.
func unixMilliseconds(iso8601 text: String) -> Int64? {
    let characters = Array(text.utf8)
    guard characters.count >= 20, characters.last == UInt8(ascii: "Z") else { return nil }
    let fraction = characters[19..<(characters.count - 1)]
    for (index, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] {
        guard characters[index] == separator.utf8.first else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for character in characters[range] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { return nil }
            value = value * 10 + Int64(character - UInt8(ascii: "0"))
        }
        return value
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
        let minute = number(14..<16), let second = number(17..<19), (1...12).contains(month),
        (1...daysInMonth(month, year)).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    var milliseconds: Int64 = 0
    if !fraction.isEmpty {
        guard fraction.first == UInt8(ascii: "."), (2...4).contains(fraction.count),
            let value = number((fraction.startIndex + 1)..<fraction.endIndex)
        else { return nil }
        milliseconds = [2: value * 100, 3: value * 10, 4: value][fraction.count] ?? 0
    }
    return (((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milliseconds
}

private func daysInMonth(_ month: Int64, _ year: Int64) -> Int64 {
    let isLeapYear = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    switch month {
    case 2: return isLeapYear ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, from the year 0 on: years are counted from March, so that
/// a leap day comes last.
private func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = marchYear >= 0 ? marchYear / 4 - marchYear / 100 + marchYear / 400 : -1
    return marchYear * 365 + leapDays + dayOfYear - 719_468
}
