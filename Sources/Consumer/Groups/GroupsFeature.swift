package import Features
import Files
import Fitness
import Records
import Telemetry

extension Feature {
    /// Groups, and the challenges in which their members compare themselves.
    package static let groups = Feature(
        name: "groups", schema: GroupBook.schema,
        documents: [
            FeatureDocument(name: MembershipList.document, hangsByItself: true, exported: .shown(in: "groups.json"))
        ],
        exports: [
            .document(
                "groups.json",
                """
                Your groups, since when you have been in each, whether you compete, their challenges, and your places in those that are \
                final. What the others have done is theirs.
                """
            ) { source throws(VaultError) in try exported(source) }
        ],
        touched: { person throws(VaultError) in try GroupBook(person.documents).others(of: person.user) },
        erasing: { person, _ throws(VaultError) in try GroupBook(person.documents).forget(person.user) },
        hanging: { hanging, source throws(VaultError) in
            let groups = try GroupBook(source.documents).groups(of: source.user)
            (hanging.groups, hanging.competing) = (groups.count, groups.count { $0.membership.isCompeting })
        },
        service: { Groups($0) }, topics: [.groupTable], notifications: Notification.Kind.groups)

    private static func exported(_ source: ExportSource) throws(VaultError) -> JSON? {
        let groups = try GroupBook(source.documents).groups(of: source.user)
        guard !groups.isEmpty else { return nil }
        return [
            "groups": .array(
                groups.map { group, membership in
                    let since = group.member(source.user).map { iso8601(unixMilliseconds: $0.since) }
                    return .object(present: [
                        "group": .string(group.id.text), "name": .string(group.name),
                        "owner": .bool(group.owner == source.user), "since": since.map(JSON.string),
                        "competing": .bool(membership.isCompeting),
                        "challenges": .array(group.challenges.map(\.json)), "places": membership.json["places"],
                    ])
                })
        ]
    }
}
