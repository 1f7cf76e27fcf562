import Features
import Files
import Fitness
import Records
import Telemetry

/// What members see of their groups. Belongs to the thread of its store and keys; read-only ones will do.
struct GroupReading {
    private let book: GroupBook
    private let notifications: Notifications
    private let values: ChallengeValues
    /// Of whom everything is being deleted.
    private let hidden: Set<ID>

    init(_ store: Store, _ keys: Keys, zone: String, hiding hidden: Set<ID>) {
        book = GroupBook(Documents(store: store, keys: keys))
        notifications = Notifications(store, keys)
        values = ChallengeValues(store, keys, zone: zone)
        self.hidden = hidden
    }

    /// The members who are shown.
    func present(in group: Group) throws(VaultError) -> [GroupBook.Present] {
        try book.members(of: group).filter { !hidden.contains($0.member.user) }
    }

    /// The table of a challenge.
    /// - Parameter known: what those who compete have done, as far as it is known; the rest is read.
    func sheet(
        _ challenge: Challenge, of group: Group, _ present: [GroupBook.Present], knowing known: [ID: Int64] = [:]
    ) throws(VaultError) -> TableSheet {
        let table: ChallengeTable
        if challenge.isKept {
            table = ChallengeTable(
                kept: present.compactMap { entry in
                    entry.membership.place(from: challenge.days.lowerBound).map { (entry.member, $0) }
                })
        } else {
            var done: [(member: Group.Member, value: Int64)] = []
            for entry in present where entry.membership.isCompeting {
                let user = entry.member.user
                if let value = known[user] {
                    done.append((entry.member, value))
                } else {
                    done.append((entry.member, try values.value(of: user, in: challenge)))
                }
            }
            table = ChallengeTable(done)
        }
        var names: [ID: String] = [:]
        for row in table.rows { names[row.member.id] = try notifications.name(of: row.member.user) }
        return TableSheet(group: group.id, challenge: challenge, table: table, names: names)
    }

    /// The reply to a member who asks for a table.
    /// - Parameter day: the first day of the challenge; nil for the latest one.
    func table(_ id: ID, from day: CalendarDay?, for user: ID, now: Int64) throws -> JSON {
        guard let group = try book.group(id, of: user) else { throw GroupRefusal.unknown }
        guard let challenge = day.map({ group.challenge(from: $0) }) ?? group.challenges.last else {
            throw day == nil ? GroupRefusal.noChallengeAtAll : GroupRefusal.noChallenge
        }
        return try sheet(challenge, of: group, present(in: group)).json(for: user, now: now)
    }

    /// The reply to a member who wants to see a group.
    func show(_ id: ID, to user: ID, now: Int64) throws -> JSON {
        guard let group = try book.group(id, of: user), let own = try book.memberships(of: user).membership(id) else {
            throw GroupRefusal.unknown
        }
        var people: [JSON] = []
        for entry in try present(in: group) {
            people.append(
                .object(present: [
                    "member": .string(entry.member.id.text),
                    "name": try notifications.name(of: entry.member.user).map(JSON.string),
                    "since": .integer(entry.member.since), "competing": .bool(entry.membership.isCompeting),
                    "owner": .bool(entry.member.user == group.owner), "you": .bool(entry.member.user == user),
                ]))
        }
        guard case .object(let members) = group.json(own, for: user, now: now) else { return [:] }
        return .object(
            members + [
                JSON.Member("people", .array(people)),
                JSON.Member("challenges", .array(group.challenges.reversed().map(\.json))),
            ])
    }
}

extension Group {
    /// As a member sees it in a list.
    func json(_ own: Membership, for user: ID, now: Int64) -> JSON {
        let challenge = challenges.last { $0.state(at: now) != .isFinal }
        return .object(present: [
            "group": .string(id.text), "name": .string(name), "owner": .bool(owner == user),
            "members": .integer(Int64(members.count)), "since": member(user).map { .integer($0.since) },
            "competing": .bool(own.isCompeting), "challenge": challenge?.json,
        ])
    }
}
