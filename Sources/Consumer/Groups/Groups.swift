import Daemon
import Days
package import Desk
package import Features
package import Files
import Fitness
import MQTT
import Reactor
import Records
package import Telemetry

// Groups of people who compare what they do.
//
// Somebody joins by a code, and leaves whenever they like. Members see each other's names, and, of those who compete, how much they have
// done. Nobody competes unless they say so, and somebody who no longer does vanishes from all tables at once. Somebody who is no member
// gets the same reply as for a group that does not exist.
//
// What a challenge comes to follows from the days and workouts of those who compete (`ChallengeValues`), so it is not kept before the
// challenge is final. What was read is remembered until something about that person changes, and read again on a reader's thread.

/// All groups. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
package final class Groups: FeatureService, @unchecked Sendable {
    let context: PeopleContext
    let histories: Histories
    let readers: FeatureReaders
    var loop: EventLoop?
    var isConnected = false

    /// Groups with a challenge for which there is something to be done, now or later.
    var live: [ID: LiveGroup] = [:]
    /// In which of these somebody is.
    var liveGroups: [ID: Set<ID>] = [:]
    /// What people have done in challenges.
    var values = KnownValues()
    /// The last of the groups that were found at the start; nil once all of them are.
    var found: String? = ""
    /// What the broker has, for each group and each person: a hash of the table, or 0 if we only know that it has something.
    var shown: [ID: [ID: Int]] = [:]
    /// What the broker may have and should not.
    var unwanted: Set<Shown> = []
    /// How often a table is shown, in milliseconds.
    var interval: UInt64 = 10_000
    /// More messages than this are not left waiting.
    var mostUnfinished = 2000
    /// How many groups are being read on the readers' thread.
    var reading = 0
    /// How many turns groups have had.
    var turns = 0

    var wrongTries = WrongTries<ID>()
    /// What each person may do in a day that reaches others: ten at once, and then one every 144 minutes. They may join, and begin to
    /// compete, twenty times at once, and then once every 72 minutes.
    var creations = Allowance<ID>(perSecond: 10.0 / 86_400, burst: 10)
    var joins = Allowance<ID>(perSecond: 20.0 / 86_400, burst: 20)
    var entries = Allowance<ID>(perSecond: 20.0 / 86_400, burst: 20)
    var challenges = Allowance<ID>(perSecond: 10.0 / 86_400, burst: 10)
    var renames = Allowance<ID>(perSecond: 10.0 / 86_400, burst: 10)

    var book: GroupBook { GroupBook(context.documents) }

    package init(_ parts: FeatureParts) {
        (context, histories, readers) = (parts.context, parts.days.histories, parts.readers)
        context.changes.add(self)
    }

    package var verbs: [Verb] {
        [
            Verb("groups/create", .groupsCreate, .atOnce { [unowned self] in try create($0) }),
            Verb("groups/list", .groupsList, .atOnce { [unowned self] in try list($0) }),
            readers.questions.verb("groups/show", .groupsShow, namesOthers: true) { [unowned self] in try show($0) },
            Verb("groups/code", .groupsCode, .atOnce { [unowned self] in try code($0) }),
            Verb("groups/join", .groupsJoin, .atOnce { [unowned self] in try join($0) }),
            // What people defend themselves with.
            Verb("groups/leave", .groupsLeave, own: .defence, .atOnce { [unowned self] in try leave($0) }),
            Verb("groups/delete", .groupsDelete, .atOnce { [unowned self] in try delete($0) }),
            Verb("groups/rename", .groupsRename, .atOnce { [unowned self] in try rename($0) }),
            Verb("groups/remove", .groupsRemove, own: .defence, .atOnce { [unowned self] in try remove($0) }),
            Verb("groups/compete", .groupsCompete, own: .defence, .atOnce { [unowned self] in try compete($0) }),
            Verb("groups/challenge", .groupsChallenge, .atOnce { [unowned self] in try challenge($0) }),
            Verb("groups/end-challenge", .groupsEndChallenge, .atOnce { [unowned self] in try endChallenge($0) }),
            readers.questions.verb("groups/table", .groupsTable, namesOthers: true) { [unowned self] in try table($0) },
        ]
    }

    // MARK: For all requests

    /// Changes a group that the asker is a member of, only once, and shows what has changed.
    /// - Parameters:
    ///   - hides: whether a row must not be seen any longer.
    ///   - isDifferent: whether something was changed, once that is known: to look at a group costs as much as it has members.
    func change(
        _ request: PeopleRequest, onlyAsOwner: Bool = false, hides: Bool = false, if isDifferent: @autoclosure () -> Bool = true,
        _ body: (inout Group, ID, Int64) throws -> JSON
    ) throws -> JSON {
        let id = try request.id("group")
        let now = context.now()
        let reply = try context.answered.once(request, now: now, with: try people(of: id, request.user)) {
            let user = try request.user
            guard var group = try book.group(id, of: user) else { throw GroupRefusal.unknown }
            guard !onlyAsOwner || group.owner == user else { throw GroupRefusal.notOwner }
            return try body(&group, user, now)
        }
        if isDifferent() { changed(id, hides: hides) }
        return reply
    }

    /// The members of a group that somebody is in, for the lock. Nothing is changed of people who were forgotten.
    private func people(of id: ID, _ user: ID) throws(VaultError) -> Set<ID> {
        guard let group = try book.group(id, of: user) else { return [] }
        return try known(group)
    }

    func known(_ group: Group) throws(VaultError) -> Set<ID> {
        var people: Set<ID> = []
        for member in group.members where try context.keys.version(of: member.user) != nil {
            people.insert(member.user)
        }
        return people
    }

    /// The reply that shows a group to a member.
    func json(_ group: Group, _ user: ID, now: Int64) throws(VaultError) -> JSON {
        let own = try book.memberships(of: user).membership(group.id)
        return group.json(own ?? Membership(group: group.id, isCompeting: false), for: user, now: now)
    }

    func take(_ allowance: inout Allowance<ID>, _ user: ID, _ what: String) throws(ReplyError) {
        guard let seconds = allowance.take(user, now: millisecondsSinceBoot()) else { return }
        throw ReplyError(.rateLimited, "too many \(what) for a day", retryAfterSeconds: seconds)
    }
}

/// What the broker may have for a member.
struct Shown: Hashable {
    let user: ID
    let group: ID
}

extension PeopleRequest {
    /// A group's name.
    func groupName() throws(ReplyError) -> String {
        let text = try text("name", atMost: Group.longestName.bytes)
        guard PlainText.isLine(text, atMost: Group.longestName) else {
            let words = "a group's name has 1 to \(Group.longestName.characters) characters on one line"
            throw ReplyError(.invalid, words, field: "name")
        }
        return text
    }
}

extension Groups: PasswordObserver, DeviceObserver {
    /// Others may have known the password, and drawn codes: these let nobody in any longer.
    package func resettingPassword(of user: ID) throws(VaultError) -> String? {
        try endingCodes(of: user)
        return nil
    }

    package func endingCodes(of user: ID) throws(VaultError) {
        for (group, _) in try book.groups(of: user) where group.owner == user { try book.codes.end(group.id.text) }
    }

    package func signingOut(_ user: ID) {}
    package func signedOut(_ user: ID) {}
}
