import Daemon
import Desk
import Features
import Files
import Records
import Telemetry

// What people ask of their groups: `groups/…`.

extension Groups {
    // MARK: Seeing

    func list(_ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        return ["groups": .array(try book.groups(of: user).map { $0.group.json($0.membership, for: user, now: now) })]
    }

    func show(_ request: PeopleRequest) throws -> StoreReaders.Read {
        let (user, id, now) = (try request.user, try request.id("group"), context.now())
        let (zone, hidden) = (context.settings.timeZone, try hidden(id, user))
        return { source in
            try GroupReading(source.store, source.keys, zone: zone, hiding: hidden).show(id, to: user, now: now)
        }
    }

    func table(_ request: PeopleRequest) throws -> StoreReaders.Read {
        let (user, id, day, now) = (
            try request.user, try request.id("group"), try request.optionalDay("from"), context.now()
        )
        let (zone, hidden) = (context.settings.timeZone, try hidden(id, user))
        return { source in
            try GroupReading(source.store, source.keys, zone: zone, hiding: hidden)
                .table(id, from: day, for: user, now: now)
        }
    }

    /// The members of whom everything is being deleted.
    private func hidden(_ id: ID, _ user: ID) throws(VaultError) -> Set<ID> {
        Set(try book.group(id, of: user)?.members.map(\.user).filter(context.doors.isBeingForgotten) ?? [])
    }

    // MARK: Making and ending

    func create(_ request: PeopleRequest) throws -> JSON {
        let name = try request.groupName()
        let now = context.now()
        return try context.answered.once(request, now: now) {
            let user = try request.user
            try requireRoom(for: user)
            try take(&creations, user, "groups")
            let group = Group(
                id: try drawnID(), name: name, founder: Group.Member(id: try drawnID(), user: user, since: now))
            try book.found(group)
            return try json(group, user, now: now)
        }
    }

    private func requireRoom(for user: ID) throws {
        guard try book.memberships(of: user).all.count < MembershipList.most else {
            throw ReplyError(.notAllowed, "you are in \(MembershipList.most) groups already: leave one")
        }
    }

    func rename(_ request: PeopleRequest) throws -> JSON {
        let name = try request.groupName()
        return try change(request, onlyAsOwner: true) { group, user, now in
            try take(&renames, user, "new names")
            group.name = name
            try book.write(group)
            return try json(group, user, now: now)
        }
    }

    func delete(_ request: PeopleRequest) throws -> JSON {
        var parting: Parting?
        let reply = try change(request, onlyAsOwner: true) { group, _, _ in
            parting = Parting(group: group.id, members: try book.members(of: group).map(\.member))
            try book.delete(group)
            return [:]
        }
        tell(parting)
        return reply
    }

    // MARK: Leaving

    func leave(_ request: PeopleRequest) throws -> JSON {
        var parting: Parting?
        let reply = try change(request, hides: true) { group, user, _ in
            parting = Parting(group: group.id, members: try book.members(of: group).map(\.member), leaving: user)
            try book.remove(user, from: &group)
            return [:]
        }
        tell(parting)
        return reply
    }

    /// The members of a group of whom some do not see each other there any longer.
    private struct Parting {
        let group: ID
        let members: [Group.Member]
        /// Who leaves; nil if there is no group any more.
        var leaving: ID?

        /// Who no longer sees a member, and by which id they have known them.
        func viewers(of member: Group.Member) -> [ID: ID] {
            let viewers = members.filter { viewer in
                viewer.user != member.user && (leaving == nil || leaving == member.user || leaving == viewer.user)
            }
            return Dictionary(viewers.map { ($0.user, member.id) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// After the commit.
    private func tell(_ parting: Parting?) {
        guard let parting else { return }
        for member in parting.members {
            let viewers = parting.viewers(of: member)
            if !viewers.isEmpty { context.changes.parted(member.user, from: viewers, in: parting.group) }
        }
    }

    func remove(_ request: PeopleRequest) throws -> JSON {
        let member = try request.id("member")
        var parting: Parting?
        let reply = try change(request, onlyAsOwner: true, hides: true) { group, user, _ in
            guard let found = group.members.first(where: { $0.id == member }) else {
                throw ReplyError(.notFound, "nobody in this group has this id", field: "member")
            }
            guard found.user != user else {
                throw ReplyError(.invalid, "this is you: leave the group, or delete it", field: "member")
            }
            // Whoever is removed has had the code.
            try book.codes.end(group.id.text)
            let members = try book.members(of: group).map(\.member)
            parting = Parting(group: group.id, members: members, leaving: found.user)
            try book.remove(found.user, from: &group)
            return [:]
        }
        tell(parting)
        return reply
    }

    // MARK: Competing

    func compete(_ request: PeopleRequest) throws -> JSON {
        guard let isCompeting = try request.optionalBool("compete") else {
            throw ReplyError(.badRequest, "\"compete\" is missing", field: "compete")
        }
        var isDifferent = false
        return try change(request, hides: !isCompeting, if: isDifferent) { group, user, now in
            isDifferent = try compete(isCompeting, in: group, user)
            return try json(group, user, now: now)
        }
    }

    /// - Returns: whether that was not so before.
    private func compete(_ isCompeting: Bool, in group: Group, _ user: ID) throws -> Bool {
        guard let own = try book.memberships(of: user).membership(group.id) else { throw GroupRefusal.unknown }
        guard own.isCompeting != isCompeting else { return false }
        // Only beginning is limited: nobody is kept from vanishing.
        if isCompeting { try take(&entries, user, "changes of mind") }
        // Without it, places in tables that are final go, too.
        let new = Membership(group: group.id, isCompeting: isCompeting)
        try book.change(user) { list in list.set(new) }
        return true
    }

    // MARK: Joining

    func code(_ request: PeopleRequest) throws -> JSON {
        try change(request, onlyAsOwner: true, if: false) { group, _, now in
            let (code, expires) = try book.codes.draw(for: group.id.text, most: 1, now: now)
            return ["code": .string(code), "expires": .integer(expires)]
        }
    }

    func join(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let isCompeting = try request.optionalBool("compete") ?? false
        let text = try request.text("code", atMost: 64)
        let (clock, now) = (millisecondsSinceBoot(), context.now())
        if let seconds = wrongTries.wait(user, now: clock) {
            throw ReplyError(
                .rateLimited, "too many wrong codes: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        guard let code = GivenCodes.typed(text) else {
            throw ReplyError(
                .invalid, "a group's code looks like 7QKM-2DZX-0H4W-9C1T-V6RA-XP3E", field: "code")
        }
        let wrong = ReplyError(.wrongCredentials, "this code is wrong or is too old", field: "code")
        func behind() throws(VaultError) -> Group? {
            let id = try book.codes.subject(of: code, now: now).flatMap { ID(kept: .string($0)) }
            return try id.flatMap { id throws(VaultError) in try book.group(id) }
        }
        do {
            var joined: ID?
            let reply = try context.answered.once(request, now: now, with: try behind().map(known) ?? []) {
                guard var group = try behind() else { throw wrong }
                // Somebody who is in the group already changes nothing, unless they begin to compete.
                if try book.group(group.id, of: user) == nil {
                    try add(user, to: &group, competing: isCompeting, now: now)
                    joined = group.id
                } else if isCompeting, try compete(true, in: group, user) {
                    joined = group.id
                }
                return try json(group, user, now: now)
            }
            if let joined { changed(joined) }
            return reply
        } catch let error as ReplyError {
            if error == wrong { wrongTries.failed(user, now: clock) }
            throw error
        }
    }

    private func add(_ user: ID, to group: inout Group, competing: Bool, now: Int64) throws {
        try requireRoom(for: user)
        // Of somebody who was restored from a backup there may be half a membership.
        group.members.removeAll { $0.user == user }
        guard group.members.count < Group.mostMembers else {
            throw ReplyError(.notAllowed, "this group has \(Group.mostMembers) members already", field: "code")
        }
        try take(&joins, user, "joins")
        try book.add(user, to: &group, competing: competing, now: now)
        try tell(group, .groupJoined, now: now, except: user) { language, _ in
            language(.groupJoined, ["group": group.name])
        }
    }

    /// Tells members of something, within the transaction that does it.
    /// - Parameter text: what a member is told, in their language.
    func tell(
        _ group: Group, _ kind: Notification.Kind, now: Int64, except user: ID? = nil,
        _ text: (Language, GroupBook.Present) throws(VaultError) -> String?
    ) throws(VaultError) {
        for present in try book.members(of: group)
        where present.member.user != user && !context.doors.isBeingForgotten(present.member.user) {
            let other = present.member.user
            guard let text = try text(try context.notifications.language(of: other), present) else { continue }
            try context.notifications.add(Notification(kind: kind, time: now, text: text), to: other)
        }
    }
}
