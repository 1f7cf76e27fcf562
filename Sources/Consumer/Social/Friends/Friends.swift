package import Accounts
package import Daemon
package import Days
package import Desk
package import Features
package import Files
package import Fitness
package import Records
package import Telemetry

// Friendships: who sees whose steps.
//
// A friendship is kept in the document "friends" of both people, and is changed in both in one transaction. It begins
// with an invitation that is accepted, or with a one-time code that one person gives to the other. Friends see each
// other's steps of the day (`Today`), as long as they agree to that (`Consents`), and cheer each other.
//
// Nobody is told whether an address belongs to somebody. An invitation gets the same reply after the same time, whether
// or not there is such an account, and whether or not it reached them. Unless it is accepted, it stays in the inviter's
// list until they take it back, whatever becomes of it. It has an id of its own on both sides, so that people who only
// invite or are invited do not learn each other's id. The invited person sees the inviter's name. An invitation to an
// address that is nobody's yet waits until somebody has shown that it is theirs: see WaitingInvitations.swift.
//
// A person who is removed or blocked is not told. They see nothing more from the commit on; what the broker has kept is
// taken back right after it.
//
// A new friend is shown nothing automatically: each person says whether others see their steps (`consent/set`, or
// `share` in a request that makes friends), and replies to those requests say what applies.
//
// The notification about an invitation goes with it, however it ends. A person who invites the same person again and
// again is held back: see Inviters.swift.
//
// A request that is repeated is done only once: see Features/Answered.swift.

/// Answers `friends/…`. Belongs to the session's thread, and lives as long as the desk that has its verbs.
// Proof of @unchecked: as for `PeopleContext`.
package final class Friends: @unchecked Sendable {
    package let context: PeopleContext
    package let days: Days
    package let hasAccounts: Bool
    package var wrongTries = WrongTries<ID>()
    /// A person's invitations: twenty, and then one every hour or so.
    package var invitations = Allowance<ID>(perSecond: 20.0 / 86_400, burst: 20)

    package var lists: FriendLists { FriendLists(context.documents) }
    package var consents: Consents { Consents(context.documents) }

    /// - Parameter hasAccounts: whether people may be named by an address, or else by their id alone.
    package init(_ context: PeopleContext, _ days: Days, hasAccounts: Bool) {
        self.context = context
        self.days = days
        self.hasAccounts = hasAccounts
        context.changes.add(self)
    }

    /// What people may ask.
    package var verbs: [Verb] {
        [
            // Each of the friends is looked at.
            Verb(
                "friends/list", .friendsList, bulk: Allowance(perSecond: 2, burst: 50),
                .atOnce { [self] in try list($0.user) }),
            Verb("friends/code", .friendsCode, .atOnce { [self] in try code($0) }),
            Verb("friends/invite", .friendsInvite, .later { [self] in invite($0) }),
            Verb("friends/accept", .friendsAccept, .atOnce { [self] in try accept($0) }),
            Verb("friends/refuse", .friendsRefuse, .atOnce { [self] in try refuse($0) }),
            Verb("friends/remove", .friendsRemove, .later { [self] in remove($0) }),
            Verb("friends/block", .friendsBlock, .atOnce { [self] in try block($0) }),
            Verb("friends/unblock", .friendsUnblock, .atOnce { [self] in try unblock($0) }),
            Verb("friends/mute", .friendsMute, .atOnce { [self] in try mute($0) }),
            Verb("friends/cheer", .friendsCheer, .atOnce { [self] in try cheer($0) }),
        ]
    }

    /// Does what a person asks, only once, in one transaction.
    /// - Parameter other: the other person of whom it changes something; nil if there is none.
    package func once(
        _ request: PeopleRequest, with other: @autoclosure () throws -> ID? = nil,
        _ body: (ID, Int64) throws -> JSON
    ) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        return try context.answered.once(request, now: now, with: try known(other())) { try body(user, now) }
    }

    /// A person of whom anything is kept: nothing is changed of somebody who was forgotten, and nothing made.
    private func known(_ person: ID?) throws(VaultError) -> Set<ID> {
        guard let person, try context.keys.version(of: person) != nil else { return [] }
        return [person]
    }

    /// The person of a tie that somebody's list has; nil if there is none.
    func person(of user: ID, by id: ID, _ states: Tie.State...) throws(VaultError) -> ID? {
        let tie = try lists.list(of: user).ties.first { $0.id == id && states.contains($0.state) }
        return tie?.user
    }

    package static let unknown = ReplyError(.notFound, "nobody in your list has this id", field: "friend")

    // MARK: Listing

    private func list(_ user: ID) throws -> JSON {
        var entries: [JSON] = []
        for tie in try lists.shown(to: user, now: context.now()) {
            let other = tie.named
            let name = try other.flatMap { other throws(VaultError) in try context.notifications.name(of: other) }
            let shown = try tie.state == .friend ? other.flatMap(shownDay(of:)) : nil
            entries.append(
                .object(present: [
                    "friend": .string(tie.id.text), "name": name.map(JSON.string),
                    "state": .string(tie.state.rawValue), "to": tie.to.map(JSON.string),
                    "since": .integer(tie.since), "muted": .bool(tie.isMuted),
                    "day": shown.map { .string("\($0.day)") },
                    "steps": shown?.steps.map { .integer(Int64($0.total)) },
                ]))
        }
        return ["friends": .array(entries)]
    }

    /// What friends see of a person's day; nil if they see nothing.
    func shownDay(of user: ID) throws(VaultError) -> DayTotals? {
        guard try consents.showsSteps(user) else { return nil }
        return try today(of: user)
    }

    /// A person's day so far.
    package func today(of user: ID) throws(VaultError) -> DayTotals {
        let day = try days.histories.history(of: user).localDays.day(of: context.now())
        return try days.totalsWithoutHeartRate(of: user, on: day)
    }

    // MARK: Ending

    private func refuse(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("friend")
        return try once(request) { user, now in
            let tie = try lists.list(of: user).tie(id, .asked)
            guard let tie, tie.isShown(now: now) else { throw Self.unknown }
            // The inviter's list still shows the invitation: otherwise it would tell them that somebody is there.
            try lists.change(user) { list in list.remove { $0.id == id } }
            try context.notifications.remove(.friendRequest, from: id, of: user)
            return [:]
        }
    }

    /// An invitation is taken back after the same time whether or not it has reached anybody.
    private func remove(_ request: PeopleRequest) {
        evenly(request) { [self] in
            let id = try request.id("friend")
            var other: ID?
            let reply = try once(request, with: try person(of: request.user, by: id, .friend, .invited, .asked)) {
                user, now in
                let tie = try lists.list(of: user).tie(id, .friend, .invited, .asked)
                guard let tie, tie.isShown(now: now) else { throw Self.unknown }
                try lists.change(user) { list in list.remove { $0.id == id } }
                if tie.state == .asked { try context.notifications.remove(.friendRequest, from: id, of: user) }
                if tie.state == .invited { try waiting.remove(id) }
                guard let friend = tie.user, tie.state != .asked else { return [:] }
                try lists.change(friend) { list in
                    list.remove { tie.state == .friend ? $0.state == .friend && $0.user == user : $0.isAsked(id) }
                }
                if tie.state == .friend {
                    other = friend
                } else {
                    try context.notifications.remove(.friendRequest, from: id, of: friend)
                }
                return [:]
            }
            if let other { context.changes.friendsParted(try request.user, other) }
            return reply
        }
    }

    /// The person that somebody may block by an id: a friend; somebody who asks to be one, or has asked and taken it
    /// back; or the person that a notification is about.
    private func blockable(_ id: ID, of user: ID) throws(VaultError) -> (id: ID, user: ID)? {
        let (list, inviters) = (try lists.list(of: user), try lists.inviters(of: user))
        let named = [id, try context.notifications.sender(of: id, to: user)].compactMap { $0 }
        for id in named {
            if let tie = list.tie(id, .friend, .asked), let other = tie.user { return (id, other) }
            if let inviter = inviters.inviter(by: id) { return (inviter.invitation, inviter.user) }
        }
        return nil
    }

    private func block(_ request: PeopleRequest) throws -> JSON {
        let given = try request.id("friend")
        var other: ID?
        let reply = try once(request, with: try blockable(given, of: request.user)?.user) { user, now in
            let list = try lists.list(of: user)
            guard let (id, blocked) = try blockable(given, of: user), !list.isBlocked(blocked) else {
                throw Self.unknown
            }
            try lists.block(blocked, by: user, as: id, now: now)
            try context.changes.blocking(blocked, by: user)
            // Somebody who has only asked must not learn that the address is somebody's, who has blocked them.
            if list.isFriend(blocked) { other = blocked }
            return ["state": "blocked", "friend": .string(id.text)]
        }
        if let other { context.changes.friendsParted(try request.user, other) }
        return reply
    }

    private func unblock(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("friend")
        return try once(request) { user, _ in
            guard try lists.list(of: user).tie(id, .blocked) != nil else { throw Self.unknown }
            try lists.change(user) { list in list.remove { $0.id == id && $0.state == .blocked } }
            return [:]
        }
    }

    private func mute(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("friend")
        guard let isMuted = try request.optionalBool("muted") else {
            throw ReplyError(.badRequest, "\"muted\" is missing", field: "muted")
        }
        return try once(request) { user, _ in
            guard try lists.list(of: user).tie(id, .friend) != nil else { throw Self.unknown }
            try lists.change(user) { list in list.setMuted(isMuted, id) }
            return ["muted": .bool(isMuted)]
        }
    }
}

/// The lists of all people. Belongs to the thread of its store and keys.
package struct FriendLists {
    package let documents: Documents
    /// What people are told of each other.
    static let kinds: [Notification.Kind] = [.thumbsUp, .thumbsDown, .friendRequest, .friendAccepted]

    package init(_ documents: Documents) { self.documents = documents }

    package func list(of user: ID) throws(VaultError) -> FriendList {
        FriendList(kept: try documents.read(FriendList.document, of: user))
    }

    /// Changes a list, within a transaction. Nothing is written if nothing changes; so nothing is written for a
    /// person who was forgotten in the meantime and has no list.
    package func change(_ user: ID, _ body: (inout FriendList) -> Void) throws(VaultError) {
        let old = try list(of: user)
        var new = old
        body(&new)
        if new != old { try documents.write(new.json, FriendList.document, of: user) }
    }

    /// Blocks somebody whose name the person does not know, and does not learn by this: whatever else the person has to do with them
    /// stays as it is. Within a transaction.
    /// - Parameter id: what `friends/unblock` takes.
    package func blockUnnamed(_ blocked: ID, by user: ID, as id: ID, now: Int64) throws {
        try checkRoomForBlocked(list(of: user))
        var tie = Tie(id: id, user: blocked, state: .blocked, since: now)
        tie.isUnnamed = true
        try change(user) { list in list.add(tie) }
    }

    private func checkRoomForBlocked(_ list: FriendList) throws(ReplyError) {
        guard list.count(.blocked) < FriendList.mostBlocked else {
            throw ReplyError(.notAllowed, "you have blocked \(FriendList.mostBlocked) already: unblock somebody")
        }
    }

    /// Blocks somebody, within a transaction that names both.
    /// - Parameter id: what `friends/unblock` takes.
    package func block(_ blocked: ID, by user: ID, as id: ID, now: Int64) throws {
        let list = try list(of: user)
        try checkRoomForBlocked(list)
        // The blocker's list still shows all their invitations: if one of them went, that would tell whose address it is.
        let own = Set(list.ties.filter { $0.user == blocked && $0.state == .invited }.map(\.id))
        try change(user) { list in
            list.removeKnown(blocked) { $0.state != .invited }
            list.disconnectInvitations(of: blocked)
            list.add(Tie(id: id, user: blocked, state: .blocked, since: now))
        }
        try change(blocked) { list in
            list.remove { $0.state == .friend && $0.user == user || $0.state == .asked && own.contains($0.id) }
        }
        // Notifications about each other's invitations go with these.
        let notifications = Notifications(documents.store, documents.keys)
        for asked in list.ties where asked.user == blocked && asked.state == .asked {
            try notifications.remove(.friendRequest, from: asked.id, of: user)
        }
        for invitation in own { try notifications.remove(.friendRequest, from: invitation, of: blocked) }
    }

    /// Whether the other person's list says the same about a friendship, or about an invitation that came: one of them
    /// may have been forgotten, or restored from a backup.
    func isMutual(_ tie: Tie, of user: ID) throws(VaultError) -> Bool {
        guard let other = tie.user else { return true }
        switch tie.state {
        case .invited, .blocked: return true
        case .friend: return try list(of: other).isFriend(user)
        case .asked: return try list(of: other).tie(tie.id, .invited)?.user == user
        }
    }

    /// What a person should see of their list by now, wherever it is shown.
    package func shown(to user: ID, now: Int64) throws(VaultError) -> [Tie] {
        var shown: [Tie] = []
        for tie in try list(of: user).ties where tie.isShown(now: now) {
            if try isMutual(tie, of: user) { shown.append(tie) }
        }
        return shown
    }

    /// People whose friendship with a person is in both lists.
    package func friends(of user: ID) throws(VaultError) -> [ID] {
        var friends: [ID] = []
        for friend in try list(of: user).friends where try list(of: friend).isFriend(user) { friends.append(friend) }
        return friends
    }

    /// Everybody whom a person's list names.
    func others(of user: ID) throws(VaultError) -> Set<ID> {
        Set(try list(of: user).ties.compactMap(\.user)).subtracting([user])
    }

    /// The others of whom something changes when a person is forgotten: those whom their list names, and those who were told
    /// something of them and no longer know them.
    func touched(byForgetting user: ID) throws(VaultError) -> Set<ID> {
        try others(of: user).union(Notifications(documents.store, documents.keys).people(toldOf: user))
    }

    /// Forgets a person: nobody has them as a friend any more, or is asked by them. Within a transaction, before the
    /// person's own list goes. People who have invited them still have that invitation in their lists: if it went, that
    /// would tell that somebody was there. And people who have blocked them still have them blocked, because they may
    /// come back under the same account.
    package func forget(_ user: ID) throws(VaultError) {
        let own = try list(of: user)
        // Notifications about their invitations go with these.
        let notifications = Notifications(documents.store, documents.keys)
        for tie in own.ties where tie.state == .invited {
            if let other = tie.user { try notifications.remove(.friendRequest, from: tie.id, of: other) }
        }
        for other in try touched(byForgetting: user) {
            let ids = Set(try list(of: other).ties.filter { $0.user == user }.map(\.id))
            try notifications.forgetName(of: user, knownAs: ids, in: FriendLists.kinds, toldTo: other)
            try change(other) { list in
                list.remove { $0.user == user && ($0.state == .friend || $0.state == .asked) }
                list.disconnectInvitations(of: user)
            }
        }
    }
}
