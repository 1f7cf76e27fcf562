import Records
package import Telemetry

/// What another person is to a person.
package struct Tie: Hashable {
    package enum State: String, CaseIterable {
        /// They see each other's steps.
        case friend
        /// The person has invited them.
        case invited
        /// They have invited the person.
        case asked
        /// The person does not want to hear of them.
        case blocked
    }

    /// The id that requests use: a friend's own id; for an invitation, an id drawn for it, the same on both sides.
    package let id: ID
    /// Nil if the invited address belongs to nobody. The inviter is never told.
    package fileprivate(set) var user: ID?
    package var state: State
    /// The address that was invited.
    package var to: String?
    /// Unix milliseconds.
    package let since: Int64
    /// Whether their thumbs are kept from the person.
    var isMuted = false
    /// Of somebody who was blocked before the person had learned their name.
    package var isUnnamed = false
    /// For an invitation that is held back: when the person will see it, Unix milliseconds.
    var shownFrom: Int64?

    /// Whether the person should see it by now.
    func isShown(now: Int64) -> Bool { (shownFrom ?? now) <= now }

    /// The person, where their name may be shown: those of people who were invited are not.
    var named: ID? { state == .invited || isUnnamed ? nil : user }

    /// Whether it is this invitation, which the person has received and not answered.
    package func isAsked(_ id: ID) -> Bool { state == .asked && self.id == id }
}

/// What all other people are to a person: the document "friends". However full, it stays below the 64 KiB of a
/// document.
package struct FriendList: Equatable {
    static let mostFriends = 200
    /// Invitations by the person that were not accepted yet.
    static let mostInvited = 50
    /// And invitations by others.
    static let mostAsked = 50
    static let mostBlocked = 100

    private(set) var ties: [Tie] = []

    package func count(_ state: Tie.State) -> Int { ties.count { $0.state == state } }

    /// The friends' ids.
    package var friends: [ID] { ties.compactMap { $0.state == .friend ? $0.user : nil } }

    package func isFriend(_ user: ID) -> Bool { ties.contains { $0.state == .friend && $0.user == user } }

    /// Whether the person has blocked somebody whom they knew.
    package func isBlocked(_ user: ID) -> Bool {
        ties.contains { $0.state == .blocked && $0.user == user && !$0.isUnnamed }
    }

    /// The same, or without knowing who it is. Nothing by which the person knows the other may change with that, or it would tell.
    package func isBlockedInAnyWay(_ user: ID) -> Bool { ties.contains { $0.state == .blocked && $0.user == user } }

    /// Whether the person wants to hear nothing of a friend's thumbs.
    package func isMuted(_ friend: ID) -> Bool {
        ties.contains { $0.state == .friend && $0.user == friend && $0.isMuted }
    }

    /// The tie that requests call by this id, if it is in one of these states.
    func tie(_ id: ID, _ states: Tie.State...) -> Tie? { ties.first { $0.id == id && states.contains($0.state) } }

    package mutating func add(_ tie: Tie) { ties.append(tie) }

    package mutating func remove(_ isMeant: (Tie) -> Bool) { ties.removeAll(where: isMeant) }

    /// Removes what the person has to do with somebody, as far as they know whom that is.
    mutating func removeKnown(_ user: ID, _ isMeant: (Tie) -> Bool) {
        remove { $0.user == user && !$0.isUnnamed && isMeant($0) }
    }

    /// The person's invitations to somebody no longer lead to anybody, as if the addresses did not exist; the list
    /// shows them as before.
    mutating func disconnectInvitations(of user: ID) {
        for index in ties.indices where ties[index].state == .invited && ties[index].user == user {
            ties[index].user = nil
        }
    }

    /// An invitation that led to nobody leads to somebody now; the list shows it as before.
    mutating func connectInvitation(_ id: ID, to user: ID) {
        for index in ties.indices where ties[index].state == .invited && ties[index].id == id { ties[index].user = user }
    }

    mutating func setMuted(_ isMuted: Bool, _ id: ID) {
        for index in ties.indices where ties[index].id == id && ties[index].state == .friend {
            ties[index].isMuted = isMuted
        }
    }
}

// MARK: The document

extension FriendList {
    package static let document = "friends"

    init(kept json: JSON?) {
        guard case .array(let entries)? = json?["ties"] else { return }
        ties = entries.compactMap(Tie.init)
    }

    package var json: JSON { ["ties": .array(ties.map(\.json))] }
}

extension Tie {
    fileprivate init?(_ json: JSON) {
        func text(_ field: String) -> String? {
            if case .string(let text)? = json[field] { text } else { nil }
        }
        func member(_ field: String) -> ID? {
            guard let text = text(field) else { return nil }
            return decoded { () throws(MalformedValue) in try ID(text) }
        }
        guard let id = member("id"), let state = text("state").flatMap(State.init),
            case .integer(let since)? = json["since"]
        else { return nil }
        self.init(
            id: id, user: member("user") ?? (json["nobody"] == true ? nil : id), state: state, to: text("to"),
            since: since,
            isMuted: json["muted"] == true)
        isUnnamed = json["unnamed"] == true
        if case .integer(let time)? = json["from"] { shownFrom = time }
    }

    fileprivate var json: JSON {
        .object(present: [
            "id": .string(id.text), "user": user == id ? nil : user.map { .string($0.text) },
            "nobody": user == nil ? true : nil, "state": .string(state.rawValue), "to": to.map(JSON.string),
            "since": .integer(since),
            "muted": isMuted ? true : nil, "unnamed": isUnnamed ? true : nil, "from": shownFrom.map(JSON.integer),
        ])
    }
}
