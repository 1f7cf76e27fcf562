import Files
import Records
import Telemetry

// Anybody can write whatever they like to a person whose address they know: they put it in their own name, invite the
// person, take the invitation back, and do it again. So the document "inviters" remembers those who have invited a
// person. The person is notified of a first invitation. The next one by the same inviter is held back until a day after
// that, the third until two days after the second, and so on, up to two months. An invitation that still stands when
// its time has come appears in the list, without a notification. The inviter sees nothing of all this.
//
// The document also says who made an invitation that has been withdrawn: that person can still be blocked.

/// Somebody who has invited a person.
struct Inviter: Equatable {
    let user: ID
    /// Their latest invitation.
    var invitation: ID
    /// The notification about it; nil if there was none.
    var notification: String?
    /// How many invitations the person was notified of.
    var count = 0
    /// When the person is notified of another one, Unix milliseconds.
    var next: Int64

    private static let day: Int64 = 86_400_000

    /// How long the next one waits, milliseconds.
    static func wait(after count: Int) -> Int64 { day << Int64(min(max(count, 1) - 1, 6)) }
}

/// Those who have invited a person: the document "inviters".
struct Inviters: Equatable {
    static let document = "inviters"
    /// How many are remembered. Those whose wait is over go first, then the oldest.
    static let most = 100

    /// The latest inviter is at the end.
    private(set) var all: [Inviter] = []

    func inviter(_ user: ID) -> Inviter? { all.first { $0.user == user } }

    /// The inviter whose latest invitation this is, by its own id or by that of its notification.
    func inviter(by id: ID) -> Inviter? { all.first { $0.invitation == id || $0.notification == id.text } }

    /// Remembers an invitation.
    /// - Parameter notification: the notification about it; nil if it is held back.
    mutating func remember(_ user: ID, _ invitation: ID, _ notification: String?, now: Int64) {
        var inviter = inviter(user) ?? Inviter(user: user, invitation: invitation, next: now)
        inviter.invitation = invitation
        inviter.notification = notification
        if notification != nil {
            inviter.count += 1
            inviter.next = now + Inviter.wait(after: inviter.count)
        }
        forget(user)
        if all.count >= Self.most { all.remove(at: all.firstIndex { $0.next <= now } ?? all.startIndex) }
        all.append(inviter)
    }

    mutating func forget(_ user: ID) { all.removeAll { $0.user == user } }
}

// MARK: The document

extension Inviters {
    init(kept json: JSON?) {
        guard case .array(let entries)? = json?["inviters"] else { return }
        all = entries.compactMap(Inviter.init)
    }

    var json: JSON { ["inviters": .array(all.map(\.json))] }
}

extension Inviter {
    fileprivate init?(_ json: JSON) {
        guard case .string(let user)? = json["user"], case .string(let invitation)? = json["invitation"],
            case .integer(let count)? = json["count"], case .integer(let next)? = json["next"],
            let ids = decoded({ () throws(MalformedValue) in (try ID(user), try ID(invitation)) })
        else { return nil }
        self.init(user: ids.0, invitation: ids.1, count: Int(clamping: count), next: next)
        if case .string(let id)? = json["notification"] { notification = id }
    }

    fileprivate var json: JSON {
        .object(present: [
            "user": .string(user.text), "invitation": .string(invitation.text),
            "notification": notification.map(JSON.string), "count": .integer(Int64(count)), "next": .integer(next),
        ])
    }
}

extension FriendLists {
    func inviters(of user: ID) throws(VaultError) -> Inviters {
        Inviters(kept: try documents.read(Inviters.document, of: user))
    }

    /// Changes the list of those who have invited a person, within a transaction. Nothing is written if nothing
    /// changes.
    func changeInviters(of user: ID, _ body: (inout Inviters) -> Void) throws(VaultError) {
        let old = try inviters(of: user)
        var new = old
        body(&new)
        if new != old { try documents.write(new.json, Inviters.document, of: user) }
    }
}
