import Fitness
import Records
import Telemetry

/// People who compare themselves: what they share. What each of them has done is in their own document (`Membership`), under their
/// own key.
struct Group: Equatable, Sendable {
    /// Somebody who was let in. They are a member as long as their own document says so, too.
    struct Member: Equatable, Sendable {
        /// The id that the others know them by, drawn for this group: it says nothing in another one.
        let id: ID
        let user: ID
        /// Unix milliseconds.
        let since: Int64

        init(id: ID, user: ID, since: Int64) { (self.id, self.user, self.since) = (id, user, since) }
    }

    static let mostMembers = 50
    /// No name is longer, in characters and in bytes.
    static let longestName = (characters: 64, bytes: 256)
    /// How many challenges are remembered, with their tables.
    static let mostChallenges = 12

    let id: ID
    var name: String
    /// Who may change it: one of the members.
    var owner: ID
    /// In the order in which they joined.
    var members: [Member]
    /// In the order of their days. They do not overlap.
    var challenges: [Challenge] = []

    init(id: ID, name: String, founder: Member) {
        (self.id, self.name, owner, members) = (id, name, founder.user, [founder])
    }

    func member(_ user: ID) -> Member? { members.first { $0.user == user } }

    func challenge(from day: CalendarDay) -> Challenge? {
        challenges.first { $0.days.lowerBound == day }
    }

    /// Somebody is a member no longer. The group passes to whoever has been in it for longest.
    mutating func remove(_ user: ID) {
        members.removeAll { $0.user == user }
        if owner == user, let next = members.first { owner = next.user }
    }

    /// Adds a challenge; the oldest ones are forgotten.
    mutating func add(_ challenge: Challenge) {
        challenges.append(challenge)
        if challenges.count > Self.mostChallenges { challenges.removeFirst(challenges.count - Self.mostChallenges) }
    }

    mutating func change(_ challenge: Challenge) {
        for index in challenges.indices where challenges[index].days == challenge.days {
            challenges[index] = challenge
        }
    }

    /// When there is something to be done for one of its challenges, in Unix milliseconds; nil if there is nothing.
    var due: Int64? { challenges.compactMap(\.due).min() }
}

// MARK: As it is kept

extension Group {
    init?(id: ID, kept json: JSON) {
        guard case .string(let name)? = json["name"], let owner = json["owner"].flatMap(ID.init(kept:)),
            case .array(let members)? = json["members"]
        else { return nil }
        (self.id, self.name, self.owner) = (id, name, owner)
        self.members = members.compactMap(Member.init)
        if case .array(let challenges)? = json["challenges"] {
            self.challenges = challenges.compactMap(Challenge.init(kept:))
        }
    }

    var kept: JSON {
        [
            "name": .string(name), "owner": .string(owner.text), "members": .array(members.map(\.kept)),
            "challenges": .array(challenges.map(\.kept)),
        ]
    }
}

extension Group.Member {
    fileprivate init?(_ json: JSON) {
        guard let id = json["member"].flatMap(ID.init(kept:)), let user = json["person"].flatMap(ID.init(kept:)),
            case .integer(let since)? = json["since"]
        else { return nil }
        self.init(id: id, user: user, since: since)
    }

    fileprivate var kept: JSON {
        ["member": .string(id.text), "person": .string(user.text), "since": .integer(since)]
    }
}
