import Records
import Telemetry
import Workouts

/// Shoes, a bicycle, or something else that wears out by the distance that is done with it.
struct Gear: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case shoes, bicycle, other
    }

    let id: ID
    var name: String
    var kind: Kind
    /// What it had done before it was added, in metres.
    var metresBefore: Double
    /// The activities that it is used for unless somebody says otherwise.
    var activities: [Activity]
    var isRetired: Bool
    /// Unix milliseconds.
    let added: Int64

    /// What `metresBefore` may be: up to a million kilometres.
    static let metres = 0.0...1_000_000_000
    /// For how many activities one piece may be used by default.
    static let mostActivities = 8
}

/// Why gear is not kept as somebody wants it.
enum GearProblem: Error, Equatable {
    case nameTaken, tooMany, tooManyActivities
}

/// The gear of a person. No two pieces have the same name, and an activity has one piece at most that is used by default.
struct GearList: Equatable, Sendable {
    /// How many pieces a person may have.
    static let most = 100
    /// How many activities have gear that is used by default: with as many, the list still fits into a document.
    static let mostActivities = 64

    /// In the order in which they were added.
    private(set) var pieces: [Gear]

    init(_ pieces: [Gear] = []) { self.pieces = pieces }

    /// The piece with an id or a name, in upper or lower case; nil if there is none.
    func piece(_ text: String) -> Gear? {
        pieces.first { $0.id.text == text } ?? pieces.first { WorkoutNames.areSame($0.name, text) }
    }

    /// What is used for an activity unless somebody says otherwise; nil if there is nothing, or it is retired.
    func usual(for activity: Activity) -> Gear? {
        pieces.first { $0.activities.contains(activity) && !$0.isRetired }
    }

    /// Adds a piece, or replaces the one with its id. What it is used for by default, no other piece is any longer.
    mutating func put(_ gear: Gear) throws(GearProblem) {
        guard !pieces.contains(where: { $0.id != gear.id && WorkoutNames.areSame($0.name, gear.name) }) else {
            throw .nameTaken
        }
        var changed = pieces
        for index in changed.indices { changed[index].activities.removeAll { gear.activities.contains($0) } }
        if let index = changed.firstIndex(where: { $0.id == gear.id }) {
            changed[index] = gear
        } else {
            guard changed.count < Self.most else { throw .tooMany }
            changed.append(gear)
        }
        guard changed.reduce(0, { $0 + $1.activities.count }) <= Self.mostActivities else { throw .tooManyActivities }
        pieces = changed
    }

    /// Removes a piece. Workouts that were done with it are then done with nothing that anybody knows.
    mutating func remove(_ id: ID) { pieces.removeAll { $0.id == id } }
}

// MARK: - As people get it, and as it is kept

extension Gear {
    /// `{"id":…,"name":…,"kind":"shoes","before_m":120000,"activities":["running"],"retired":false,"added":…}`
    var members: [JSON.Member] {
        present([
            ("id", .string(id.text)), ("name", .string(name)), ("kind", .string(kind.rawValue)),
            ("before_m", rounded(metresBefore, 1)), ("activities", .array(activities.map { .string($0.name) })),
            ("retired", .bool(isRetired)), ("added", .integer(added)),
        ])
    }

    init?(kept json: JSON) {
        guard case .string(let text)? = json["id"], let id = decoded({ () throws(MalformedValue) in try ID(text) }),
            case .string(let name)? = json["name"], case .string(let kind)? = json["kind"],
            let kind = Kind(rawValue: kind), case .integer(let added)? = json["added"]
        else { return nil }
        var activities: [Activity] = []
        if case .array(let names)? = json["activities"] {
            activities = names.compactMap { name in
                if case .string(let name) = name { Activity(named: name) } else { nil }
            }
        }
        self.init(
            id: id, name: name, kind: kind, metresBefore: json["before_m"]?.double ?? 0, activities: activities,
            isRetired: json["retired"] == true, added: added)
    }
}

extension GearList {
    /// What a workout's line says of its gear: id and name; nil if nobody knows what it was.
    func json(of id: ID?) -> JSON? {
        guard let gear = pieces.first(where: { $0.id == id }) else { return nil }
        return ["id": .string(gear.id.text), "name": .string(gear.name)]
    }
}
