package import Files
package import Records
package import Telemetry

/// Who is in which group, for what groups are shown. Belongs to the thread of its store and keys.
package struct GroupMembers {
    private let book: GroupBook

    package init(_ documents: Documents) { book = GroupBook(documents) }

    /// The groups that a person is in, in the order in which they joined them.
    package func groups(of user: ID) throws(VaultError) -> [ID] { try book.groups(of: user).map(\.group.id) }

    /// The people of a group; nobody if there is none.
    package func members(of group: ID) throws(VaultError) -> Set<ID> {
        guard let group = try book.group(group) else { return [] }
        return Set(try book.members(of: group).map(\.member.user))
    }

    /// What a group is called, for one of its members; nil if they are not, as if there were none.
    package func name(of group: ID, for member: ID) throws(VaultError) -> String? {
        try book.group(group, of: member)?.name
    }
}
