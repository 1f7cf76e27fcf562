package import Features
import Files
import Fitness
import Records
import Telemetry

extension Feature {
    /// Friends, invitations, and thumbs.
    package static let friends = Feature(
        name: "friends",
        schema: WaitingInvitations.schema,
        tables: [
            PersonalTable(
                name: WaitingInvitations.name, erasure: .always,
                exported: .hidden(because: "ids of invitations that friends.json has, and keyed hashes of their addresses"))
        ],
        documents: [
            FeatureDocument(
                name: FriendList.document, makesToday: true, hangsByItself: true, exported: .shown(in: "friends.json")),
            FeatureDocument(name: Inviters.document, hangsByItself: true, exported: .shown(in: "friends.json")),
            FeatureDocument(name: "thumbs", exported: .shown(in: "thumbs.json")),
        ],
        exports: [
            .document(
                "friends.json",
                """
                Your friends, and the invitations that are still open. "inviters" has the people who have invited you: the id of their \
                latest invitation, and how often you were told of one ("told"). If they invite you again before "held_back_until", you \
                are not told of it, and you see it from then on.
                """
            ) { source throws(VaultError) in try friends(source) },
            .document(
                "thumbs.json", "How many thumbs you gave to each friend on the day on which you last gave one."
            ) { source throws(VaultError) in try thumbs(source) },
        ],
        touched: { person throws(VaultError) in try FriendLists(person.documents).touched(byForgetting: person.user) },
        erasing: { person, _ throws(VaultError) in try FriendLists(person.documents).forget(person.user) },
        hanging: { hanging, source throws(VaultError) in
            let ties = try FriendLists(source.documents).shown(to: source.user, now: source.now)
            hanging.friends = ties.count { $0.state == .friend }
            hanging.invitations = ties.count { $0.state == .invited || $0.state == .asked }
        },
        verbs: { Friends($0.context, $0.days, hasAccounts: $0.context.settings.hasAccounts).verbs },
        notifications: FriendLists.kinds)

    /// The export, too, does not tell whether an invited address belongs to somebody, nor shows what must not be seen
    /// yet.
    private static func friends(_ source: ExportSource) throws(VaultError) -> JSON? {
        let notifications = Notifications(source.store, source.keys)
        var entries: [JSON] = []
        let lists = FriendLists(source.documents)
        for tie in try lists.shown(to: source.user, now: source.now) {
            let other = tie.named
            let name = try other.flatMap { other throws(VaultError) in try notifications.name(of: other) }
            entries.append(
                .object(present: [
                    "friend": .string(tie.id.text), "name": name.map(JSON.string),
                    "state": .string(tie.state.rawValue), "to": tie.to.map(JSON.string),
                    "since": .string(iso8601(unixMilliseconds: tie.since)), "muted": .bool(tie.isMuted),
                ]))
        }
        // The people who have invited the person, by the invitation: whether another one would be told, and when.
        let inviters = try lists.inviters(of: source.user).all.map { inviter -> JSON in
            [
                "invitation": .string(inviter.invitation.text), "told": .integer(Int64(inviter.count)),
                "held_back_until": .string(iso8601(unixMilliseconds: inviter.next)),
            ]
        }
        guard !entries.isEmpty || !inviters.isEmpty else { return nil }
        return .object(present: [
            "friends": .array(entries), "inviters": inviters.isEmpty ? nil : .array(inviters),
        ])
    }

    private static func thumbs(_ source: ExportSource) throws(VaultError) -> JSON? {
        guard let document = try source.documents.read("thumbs", of: source.user),
            case .object(let given)? = document["given"]
        else { return nil }
        let ties = try FriendLists(source.documents).shown(to: source.user, now: source.now)
        let counts = given.map { member -> JSON in
            // Nobody is named whose friendship has ended.
            let tie = ties.first { $0.state == .friend && $0.user?.text == member.name }
            return .object(present: ["friend": tie.map { .string($0.id.text) }, "given": member.value])
        }
        return .object(present: ["day": document["day"], "thumbs": .array(counts)])
    }
}
