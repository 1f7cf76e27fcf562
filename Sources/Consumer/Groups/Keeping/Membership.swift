import Days
import Fitness
import Records
import Telemetry

// What a member has done lies here, under the member's own key, and nowhere else: when a person is forgotten, their places in all tables
// go with them, also in a backup.

/// What a person is in a group, as they themselves keep it.
struct Membership: Equatable, Sendable {
    /// The person's place in a table that is final.
    struct Place: Equatable, Sendable {
        /// The first day of the challenge.
        let from: CalendarDay
        let rank: Int
        let value: Int64

        init(from: CalendarDay, rank: Int, value: Int64) {
            (self.from, self.rank, self.value) = (from, rank, value)
        }
    }

    let group: ID
    /// Whether the others see what the person does. Nobody competes unless they say so.
    var isCompeting = false
    var places: [Place] = []

    init(group: ID, isCompeting: Bool) { (self.group, self.isCompeting) = (group, isCompeting) }

    func place(from day: CalendarDay) -> Place? { places.first { $0.from == day } }

    /// Keeps a place; those of challenges that nobody remembers any longer go.
    mutating func add(_ place: Place) {
        places.removeAll { $0.from == place.from }
        places.append(place)
        if places.count > Group.mostChallenges { places.removeFirst(places.count - Group.mostChallenges) }
    }
}

/// The groups of a person: the document "groups". However full, it stays below the 64 KiB of a document.
struct MembershipList: Equatable {
    static let document = "groups"
    static let most = 20

    /// In the order in which the person joined them.
    var all: [Membership] = []

    init() {}

    func membership(_ group: ID) -> Membership? { all.first { $0.group == group } }

    /// Keeps one in place of the one before.
    mutating func set(_ membership: Membership) {
        guard let index = all.firstIndex(where: { $0.group == membership.group }) else { return all.append(membership) }
        all[index] = membership
    }

    mutating func remove(_ group: ID) { all.removeAll { $0.group == group } }
}

// MARK: The document

extension MembershipList {
    init(kept json: JSON?) {
        guard case .array(let entries)? = json?["groups"] else { return }
        all = entries.compactMap(Membership.init)
    }

    var json: JSON { ["groups": .array(all.map(\.json))] }
}

extension Membership {
    fileprivate init?(_ json: JSON) {
        guard let group = json["group"].flatMap(ID.init(kept:)) else { return nil }
        self.init(group: group, isCompeting: json["competing"] == true)
        if case .array(let places)? = json["places"] { self.places = places.compactMap(Place.init) }
    }

    var json: JSON {
        [
            "group": .string(group.text), "competing": .bool(isCompeting), "places": .array(places.map(\.json)),
        ]
    }
}

extension Membership.Place {
    fileprivate init?(_ json: JSON) {
        guard case .string(let text)? = json["from"], let from = CalendarDay(text),
            case .integer(let rank)? = json["rank"], case .integer(let value)? = json["value"]
        else { return nil }
        self.init(from: from, rank: Int(clamping: rank), value: value)
    }

    fileprivate var json: JSON {
        ["from": .string("\(from)"), "rank": .integer(Int64(rank)), "value": .integer(value)]
    }
}
