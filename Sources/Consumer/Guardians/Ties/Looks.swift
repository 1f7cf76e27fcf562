import Files
import Fitness
import Records
import Telemetry

/// On which days guardians have looked at where a dependent was, or were shown it, and how often: the dependent's document
/// "looks".
struct Looks: Equatable {
    static let document = "looks"
    /// How many days are remembered.
    static let days = 14

    /// What a guardian did on a day.
    private struct Look: Equatable {
        let guardian: String
        let day: CalendarDay
        var times: Int64
    }

    private var all: [Look] = []

    /// A guardian was shown where the dependent is, or asked for it, on a day of the dependent's.
    mutating func add(_ guardian: ID, on day: CalendarDay) {
        all.removeAll { day.daysSince1970 - $0.day.daysSince1970 >= Self.days }
        if let index = all.firstIndex(where: { $0.guardian == guardian.text && $0.day == day }) {
            all[index].times += 1
        } else {
            all.append(Look(guardian: guardian.text, day: day, times: 1))
        }
    }

    /// Somebody is no guardian any more.
    mutating func remove(_ guardian: ID) { all.removeAll { $0.guardian == guardian.text } }

    /// The days on which a guardian has looked, the latest first.
    func json(of guardian: ID) -> JSON {
        let looks = all.filter { $0.guardian == guardian.text }.sorted { $0.day > $1.day }
        return .array(looks.map { ["day": .string("\($0.day)"), "times": .integer($0.times)] })
    }

    static func read(_ documents: Documents, of user: ID) throws(VaultError) -> Looks {
        Looks(kept: try documents.read(Self.document, of: user))
    }

    func write(_ documents: Documents, of user: ID) throws(VaultError) {
        try documents.write(json, Self.document, of: user)
    }

    // MARK: The document

    private init(kept json: JSON?) {
        guard case .array(let entries)? = json?["looks"] else { return }
        all = entries.compactMap { entry in
            guard case .string(let guardian)? = entry["guardian"], case .string(let text)? = entry["day"],
                let day = CalendarDay(text), case .integer(let times)? = entry["times"]
            else { return nil }
            return Look(guardian: guardian, day: day, times: times)
        }
    }

    private var json: JSON {
        [
            "looks": .array(
                all.map { look in
                    ["guardian": .string(look.guardian), "day": .string("\(look.day)"), "times": .integer(look.times)]
                })
        ]
    }
}
