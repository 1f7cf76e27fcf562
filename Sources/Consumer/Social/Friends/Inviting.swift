import Accounts
import Daemon
package import Desk
package import Features
import Records
package import Storage
package import Telemetry
import Vault

extension Friends {
    /// How long after it came an invitation is answered. Writing for a person who exists takes a part of that.
    private static let replyTime: Duration = .milliseconds(100)

    package func invite(_ request: PeopleRequest) {
        guard present("code", request.fields) == nil else {
            return request.answering { request.done(try take(request)) }
        }
        evenly(request) { [self] in
            guard hasAccounts else {
                throw ReplyError(
                    .notSupported,
                    "this home has no accounts: nobody is known by an address; give each other a code",
                    field: "accounts")
            }
            return try invite(request, AccountName(request.fields))
        }
    }

    /// Does something, and answers after a time that does not tell how much there was to do. Refusals are sent at once.
    func evenly(_ request: PeopleRequest, _ body: () throws -> JSON) {
        let begun = millisecondsSinceBoot()
        request.answering {
            let reply = try body()
            let spent = Duration.milliseconds(Int64(millisecondsSinceBoot() - begun))
            context.session.loop.after(max(.zero, Self.replyTime - spent)) { request.done(reply) }
        }
    }

    private func invite(_ request: PeopleRequest, _ name: AccountName) throws -> JSON {
        let share = try Consents.Share(request)
        var changesSharing = false
        defer { tellOfSharing(changesSharing, request) }
        let rows = AccountRows(store: context.store, keys: context.keys)
        let lookup = try name.lookup(context.keys)
        return try once(request, with: try holder(of: lookup, rows)) { user, now in
            guard try rows.account(of: user)?.lookup != lookup else {
                throw ReplyError(.invalid, "this is your own", field: name.field)
            }
            let list = try lists.list(of: user)
            func reply() throws -> JSON {
                changesSharing = share.saysSomething
                return ["state": "invited", "share": try consents.keep(share, of: user, now: context.now())]
            }
            let earlier = list.ties.first { tie in tie.state == .invited && tie.to.map(name.isSame(as:)) ?? false }
            if let earlier {
                // It has reached nobody: there may be an account now, or it begins to wait once more.
                if earlier.user == nil { try bring(earlier.id, to: lookup, rows, by: user, now: now) }
                return try reply()
            }
            guard list.count(.invited) < FriendList.mostInvited else {
                let words = "\(FriendList.mostInvited) of your invitations are open: take one back first"
                throw ReplyError(.notAllowed, words)
            }
            try checkRoom(list)
            if let seconds = invitations.take(user, now: millisecondsSinceBoot()) {
                throw ReplyError(.rateLimited, "too many invitations for a day", retryAfterSeconds: seconds)
            }
            let id = try drawnID()
            try lists.change(user) { list in
                list.add(Tie(id: id, user: nil, state: .invited, to: name.text, since: now))
            }
            try bring(id, to: lookup, rows, by: user, now: now)
            return try reply()
        }
    }

    /// Puts an invitation before the holder of an address. As long as there is none, it waits.
    private func bring(
        _ id: ID, to lookup: [UInt8], _ rows: AccountRows, by user: ID, now: Int64
    ) throws(VaultError) {
        guard let other = try holder(of: lookup, rows) else {
            return try waiting.add(id, by: user, to: lookup, now: now)
        }
        try waiting.remove(id)
        try lists.change(user) { list in list.connectInvitation(id, to: other) }
        try ask(other, id, by: user, now: now)
    }

    /// Whom an invitation to an address reaches: nobody, if the holder could have shown that it is theirs, and has not.
    private func holder(of lookup: [UInt8], _ rows: AccountRows) throws(VaultError) -> ID? {
        guard let account = try rows.account(lookup) else { return nil }
        let sendsMail = context.settings[AccountsSetting.self].accounts?.sendsMail == true
        return sendsMail && account.hasEmail && account.verified == nil ? nil : account.user
    }

    /// After the commit: what others see of a person's day may have changed, if the request said something about
    /// sharing.
    private func tellOfSharing(_ changesSharing: Bool, _ request: PeopleRequest) {
        guard changesSharing, case .person(let user) = request.asker else { return }
        context.changes.changedAtOnce([user])
    }

    /// Puts an invitation before somebody, unless they do not want to hear of it.
    func ask(_ other: ID, _ id: ID, by user: ID, now: Int64) throws(VaultError) {
        let list = try lists.list(of: other)
        let isKnown = list.ties.contains { $0.user == user && $0.state != .invited }
        guard !context.doors.isBeingForgotten(other), !isKnown, list.count(.asked) < FriendList.mostAsked else {
            return
        }
        var (tie, notification): (Tie, String?) = (Tie(id: id, user: user, state: .asked, since: now), nil)
        if let next = try lists.inviters(of: other).inviter(user)?.next, now < next {
            tie.shownFrom = next
        } else {
            notification = try tell(other, .friendRequest, .friendRequest, from: user, called: id, now: now)
        }
        try lists.change(other) { list in list.add(tie) }
        try lists.changeInviters(of: other) { inviters in inviters.remember(user, id, notification, now: now) }
    }

    func accept(_ request: PeopleRequest) throws -> JSON {
        let (id, share) = (try request.id("friend"), try Consents.Share(request))
        var other: ID?
        let reply = try once(request, with: try person(of: request.user, by: id, .asked)) { user, now in
            guard let tie = try lists.list(of: user).tie(id, .asked), tie.isShown(now: now),
                let inviter = tie.user, try lists.isMutual(tie, of: user), !context.doors.isBeingForgotten(inviter),
                try !lists.list(of: inviter).isBlocked(user)
            else { throw Self.unknown }
            try befriend(inviter, user, by: id, now: now)
            try tell(inviter, .friendAccepted, .friendAccepted, from: user, called: user, now: now)
            other = inviter
            return [
                "state": "friend", "friend": .string(inviter.text),
                "share": try consents.keep(share, of: user, now: context.now()),
            ]
        }
        if let other { context.changes.changedAtOnce([try request.user, other]) }
        return reply
    }

    /// Makes two people friends, within a transaction. Of their invitations to each other only the accepted one goes:
    /// if the others went, too, that would tell whose addresses those are.
    private func befriend(_ one: ID, _ other: ID, by invitation: ID? = nil, now: Int64) throws {
        for (user, friend) in [(one, other), (other, one)] {
            try checkRoom(lists.list(of: user))
            let asked = try lists.list(of: user).ties.filter { $0.user == friend && $0.state == .asked }
            try lists.change(user) { list in
                list.removeKnown(friend) { $0.state != .invited || $0.id == invitation }
                list.disconnectInvitations(of: friend)
                list.add(Tie(id: friend, user: friend, state: .friend, since: now))
            }
            try lists.changeInviters(of: user) { inviters in inviters.forget(friend) }
            for tie in asked { try context.notifications.remove(.friendRequest, from: tie.id, of: user) }
        }
    }

    private func checkRoom(_ list: FriendList) throws(ReplyError) {
        guard list.count(.friend) < FriendList.mostFriends else {
            throw ReplyError(.notAllowed, "nobody has more than \(FriendList.mostFriends) friends here")
        }
    }

    /// - Returns: the notification's id.
    @discardableResult
    package func tell(
        _ user: ID, _ kind: Notification.Kind, _ phrase: Phrase, from: ID, called id: ID, now: Int64
    ) throws(VaultError) -> String {
        let language = try context.notifications.language(of: user)
        let name = try context.notifications.name(of: from)
        return try context.notifications.add(
            Notification(
                kind: kind, time: now, from: id, fromName: name,
                text: language(phrase, ["name": name ?? language(.somebody)])),
            to: user, about: from)
    }
}

// MARK: Codes

extension Friends {
    static let codePurpose = "friend"
    /// How many of a person's codes may be out at a time; another ends the oldest.
    private static let mostCodes = 5

    private var codes: GivenCodes { GivenCodes(context.store, context.keys, purpose: Self.codePurpose) }

    package func code(_ request: PeopleRequest) throws -> JSON {
        let share = try Consents.Share(request)
        var changesSharing = false
        defer { tellOfSharing(changesSharing, request) }
        return try once(request) { user, now in
            try checkRoom(lists.list(of: user))
            let (code, expires) = try codes.draw(for: user.text, most: Self.mostCodes, now: now)
            changesSharing = share.saysSomething
            return [
                "code": .string(code), "expires": .integer(expires),
                "share": try consents.keep(share, of: user, now: context.now()),
            ]
        }
    }

    /// Redeems a code that a person was given.
    fileprivate func take(_ request: PeopleRequest) throws -> JSON {
        let (user, share) = (try request.user, try Consents.Share(request))
        let text = try request.text("code", atMost: 64)
        let clock = millisecondsSinceBoot()
        if let seconds = wrongTries.wait(user, now: clock) {
            throw ReplyError(
                .rateLimited, "too many wrong codes: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        guard let code = GivenCodes.typed(text) else {
            let words = "a friend's code looks like 7QKM-2DZX-0H4W-9C1T-V6RA-XP3E"
            throw ReplyError(.invalid, words, field: "code")
        }
        var giver: ID?
        let wrong = ReplyError(.wrongCredentials, "this code is wrong, was used or is too old", field: "code")
        do {
            let reply = try once(request, with: try person(behind: code)) { user, now in
                guard let other = try use(code, now: now), !context.doors.isBeingForgotten(other),
                    try !lists.list(of: other).isBlocked(user)
                else { throw wrong }
                guard other != user else { throw ReplyError(.invalid, "this code is your own", field: "code") }
                guard try !lists.list(of: user).isBlocked(other) else {
                    throw ReplyError(
                        .notAllowed, "you have blocked the person who gave it to you: unblock them first", field: "code"
                    )
                }
                if try !lists.list(of: user).isFriend(other) {
                    try befriend(user, other, now: now)
                    try tell(other, .friendAccepted, .friendAccepted, from: user, called: user, now: now)
                }
                giver = other
                return [
                    "state": "friend", "friend": .string(other.text),
                    "share": try consents.keep(share, of: user, now: context.now()),
                ]
            }
            if let giver { context.changes.changedAtOnce([user, giver]) }
            return reply
        } catch let error as ReplyError {
            if error == wrong { wrongTries.failed(user, now: clock) }
            throw error
        }
    }

    /// The person whose code it is; nil if nobody's.
    private func person(behind code: EnrolmentCode) throws(VaultError) -> ID? {
        try codes.subject(of: code, now: context.now()).flatMap { ID(kept: .string($0)) }
    }

    /// The person whose code it is; the code is used up. Within a transaction.
    private func use(_ code: EnrolmentCode, now: Int64) throws(VaultError) -> ID? {
        try codes.use(code, now: now).flatMap { ID(kept: .string($0)) }
    }
}
