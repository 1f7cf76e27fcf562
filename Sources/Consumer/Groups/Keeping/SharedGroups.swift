package import Files
package import Records
package import Telemetry

/// The groups of a person, as of one moment, and who of others is in them. Members know each other by ids that are drawn for each
/// group. Belongs to the thread of its documents.
package struct SharedGroups {
    private let book: GroupBook
    private let groups: [Group]

    package init(of user: ID, _ documents: Documents) throws(VaultError) {
        book = GroupBook(documents)
        groups = try book.groups(of: user).map(\.group)
    }

    /// The ids of the groups.
    package var ids: [ID] { groups.map(\.id) }

    /// Everybody who is in any of them.
    package var people: Set<ID> { Set(groups.flatMap(\.members).map(\.user)) }

    /// By the groups in which somebody is, too: the id that the members know them by.
    package func members(_ other: ID) throws(VaultError) -> [ID: ID] {
        let memberships = try book.memberships(of: other)
        var members: [ID: ID] = [:]
        for group in groups where memberships.membership(group.id) != nil { members[group.id] = group.member(other)?.id }
        return members
    }
}
