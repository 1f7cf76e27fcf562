import Files
import Records
import Storage
import Telemetry

// A group is in two places, and both are changed in one transaction, which names all its members: a row that they share, and each
// member's own document. Only those are members of whom both places say so: one of them may have been restored from a backup, or a
// person may have been forgotten.
//
// Members' names are told nowhere else than in the group, so there is nothing else to take back.
//
// The row is sealed under the service's key, because it is nobody's in particular. It has the group's name, the members' ids and the
// challenges, and nothing that anybody has done. In the clear are its id, and when there is something to be done for it.

/// All groups. Belongs to the thread of its store and keys.
struct GroupBook {
    let documents: Documents
    private var database: Database { documents.store.database }

    init(_ documents: Documents) { self.documents = documents }

    static let schema = Schema(
        "groups/1",
        making: [
            Table(
                "people_groups", [.text("id"), .integer("due_ms").optional, .blob("sealed")], key: ["id"],
                indexes: [Index("groups_due", ["due_ms"], where: "due_ms IS NOT NULL")])
        ])

    /// What a code lets somebody into.
    static let codePurpose = "group"

    private static func context(_ id: String) -> RowContext { RowContext("group", id) }

    // MARK: Reading

    /// A group; nil if there is none.
    func group(_ id: ID) throws(VaultError) -> Group? {
        let sealed = try database.first("SELECT sealed FROM people_groups WHERE id = ?", [.text(id.text)]) {
            row throws(VaultError) in try row.blob("sealed")
        }
        guard let sealed, let bytes = try documents.keys.service.openIfReadable(sealed, Self.context(id.text)),
            let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) })
        else { return nil }
        return Group(id: id, kept: json)
    }

    func memberships(of user: ID) throws(VaultError) -> MembershipList {
        MembershipList(kept: try documents.read(MembershipList.document, of: user))
    }

    /// A group that a person is a member of; nil if they are not, as if there were none.
    func group(_ id: ID, of user: ID) throws(VaultError) -> Group? {
        guard try memberships(of: user).membership(id) != nil, let group = try group(id), group.member(user) != nil
        else { return nil }
        return group
    }

    /// The groups that a person is a member of, in the order in which they joined them.
    func groups(of user: ID) throws(VaultError) -> [(group: Group, membership: Membership)] {
        var groups: [(Group, Membership)] = []
        for membership in try memberships(of: user).all {
            if let group = try group(membership.group), group.member(user) != nil { groups.append((group, membership)) }
        }
        return groups
    }

    /// A member, and what they keep themselves.
    typealias Present = (member: Group.Member, membership: Membership)

    /// The members of a group, in the order in which they joined.
    func members(of group: Group) throws(VaultError) -> [Present] {
        var members: [Present] = []
        for member in group.members {
            if let membership = try memberships(of: member.user).membership(group.id) {
                members.append((member, membership))
            }
        }
        return members
    }

    /// The groups for which there is something to be done, now or later: their ids after one, in their order.
    func dueIDs(after id: String, limit: Int) throws(VaultError) -> [ID] {
        try database.query(
            "SELECT id FROM people_groups WHERE due_ms IS NOT NULL AND id > ? ORDER BY id LIMIT ?",
            [.text(id), .integer(limit)], row: Row.text
        ).compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }

    // MARK: Changing, within a transaction that names all members

    func write(_ group: Group) throws(VaultError) {
        let id = group.id.text
        let sealed = try documents.keys.service.seal(group.kept.bytes, Self.context(id))
        try database.execute(
            """
            INSERT INTO people_groups (id, due_ms, sealed) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET due_ms = excluded.due_ms, sealed = excluded.sealed
            """, [.text(id), group.due.map(Value.integer) ?? .null, .blob(sealed)])
    }

    /// The codes that let people in: at most one for each group.
    var codes: GivenCodes { GivenCodes(documents.store, documents.keys, purpose: Self.codePurpose) }

    /// Changes what a person keeps. Nothing is written if nothing changes; so nothing is written for a person who was
    /// forgotten in the meantime and has no list.
    func change(_ user: ID, _ body: (inout MembershipList) -> Void) throws(VaultError) {
        let old = try memberships(of: user)
        var new = old
        body(&new)
        guard new != old else { return }
        guard !new.all.isEmpty else { return try documents.remove(MembershipList.document, of: user) }
        try documents.write(new.json, MembershipList.document, of: user)
    }

    /// Keeps a new group, of which its founder is the only member.
    func found(_ group: Group) throws(VaultError) {
        try write(group)
        try change(group.owner) { list in list.set(Membership(group: group.id, isCompeting: false)) }
    }

    /// Makes somebody a member.
    func add(_ user: ID, to group: inout Group, competing: Bool, now: Int64) throws(VaultError) {
        group.members.append(Group.Member(id: try drawnID(), user: user, since: now))
        try write(group)
        try change(user) { list in list.set(Membership(group: group.id, isCompeting: competing)) }
    }

    /// Somebody is a member no longer: their places in all its tables go. A group without members goes, too. Codes end with the owner who
    /// has drawn them: the next owner does not know to whom they were given.
    func remove(_ user: ID, from group: inout Group) throws(VaultError) {
        if group.owner == user { try codes.end(group.id.text) }
        group.remove(user)
        try change(user) { list in list.remove(group.id) }
        if group.members.isEmpty { try delete(group) } else { try write(group) }
    }

    /// Removes a group.
    func delete(_ group: Group) throws(VaultError) {
        for member in group.members { try change(member.user) { list in list.remove(group.id) } }
        try database.execute("DELETE FROM people_groups WHERE id = ?", [.text(group.id.text)])
        try codes.end(group.id.text)
    }

    // MARK: Forgetting

    /// Everybody who is in a group with a person.
    func others(of user: ID) throws(VaultError) -> Set<ID> {
        var others: Set<ID> = []
        for membership in try memberships(of: user).all {
            others.formUnion(try group(membership.group)?.members.map(\.user) ?? [])
        }
        return others.subtracting([user])
    }

    /// Forgets a person, before their own document goes: they are in no group any longer.
    func forget(_ user: ID) throws(VaultError) {
        for membership in try memberships(of: user).all {
            if var group = try group(membership.group) { try remove(user, from: &group) }
        }
        try documents.remove(MembershipList.document, of: user)
    }
}
