import Daemon
import Days
package import Features
package import Files
import Reactor
import Records
import Social
package import Telemetry

// What people show each other: `posts/…`. What the databases say decides who sees a post in the moment in which they look. What is
// published on their topics `posts` only says that it is worth looking again, and a message that is lost with a killed consumer costs
// nothing but that.

/// Progress posts of all people. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
package final class Posts: FeatureService, PeopleObserver, @unchecked Sendable {
    let context: PeopleContext
    let days: Days
    let readers: FeatureReaders
    /// The time zone of people who have named none.
    var zone: String { context.settings.timeZone }
    /// Posts that went with a workout whose removal is not committed yet, and those who have seen them, by author.
    var removed: [ID: [(post: ID, viewers: Set<ID>)]] = [:]
    /// What is to be published, in this order.
    private var news: [(user: ID, message: JSON)] = []
    private var isConnected = false
    private var timer: EventLoop.Timer?
    /// Those who have seen posts of people who are about to be forgotten, and by which id they know them: afterwards nobody can say.
    private var leaving: [ID: [ID: ID]] = [:]

    /// More messages than this do not wait: whoever misses one sees what is true as soon as they look.
    private static let mostNews = 20_000
    /// So many messages may be on their way before others wait.
    private static let mostUnfinished = 1000

    var rows: PostRows { PostRows(context.store, context.keys) }
    var thumbs: ThumbRows { ThumbRows(context.store, context.keys) }
    var comments: CommentRows { CommentRows(context.store, context.keys) }
    var reports: ReportRows { ReportRows(context.store, context.keys) }
    var viewers: PostViewers { PostViewers(context.documents) }

    package init(_ parts: FeatureParts) {
        (context, days, readers) = (parts.context, parts.days, parts.readers)
        context.changes.add(self)
    }

    // MARK: News

    package func connected() {
        isConnected = true
        publish()
    }

    package func disconnected() { isConnected = false }

    /// Tells people something, soon.
    func tell(_ users: Set<ID>, _ message: JSON) {
        guard news.count + users.count <= Self.mostNews else {
            return context.limitedLog.warning("posts") { "too many changes of posts: some are not published\($0)" }
        }
        news += users.sorted { $0.text < $1.text }.map { ($0, message) }
        publish()
    }

    private func publish() {
        guard isConnected, timer == nil else { return }
        var taken = 0
        for one in news {
            guard context.session.unfinishedCount < Self.mostUnfinished,
                context.session.publish(
                    one.message.bytes, to: context.topics[user: one.user, .posts], qos: .atLeastOnce)
            else { break }
            taken += 1
        }
        news.removeFirst(taken)
        guard !news.isEmpty else { return }
        timer = context.session.loop.after(.milliseconds(100)) { [unowned self] in
            timer = nil
            publish()
        }
    }

    /// All posts of an author that somebody knows are to be looked at again.
    static func removed(_ author: ID) -> JSON { ["author": .string(author.text), "removed": true] }

    // MARK: What changes about people

    package func parted(_ user: ID, from viewers: [ID: ID], in group: ID?) {
        attempt(user) { () throws(VaultError) in
            let hasAny = if let group { try rows.hasAny(of: user, for: group) } else { try rows.hasAny(of: user) }
            guard hasAny else { return }
            for (viewer, author) in try known(user, by: viewers, in: group) { tell([viewer], Self.removed(author)) }
        }
    }

    /// Who has seen posts of an author, and by which id they knew the author: friends know each other as such in a group, too, and
    /// somebody whom the author has blocked, or who has blocked the author, has seen nothing.
    private func known(_ author: ID, by viewers: [ID: ID], in group: ID?) throws(VaultError) -> [ID: ID] {
        guard group != nil else { return viewers }
        let lists = FriendLists(context.documents)
        let own = try lists.list(of: author)
        var known: [ID: ID] = [:]
        for (viewer, id) in viewers where !own.isBlocked(viewer) {
            let theirs = try lists.list(of: viewer)
            guard !theirs.isBlocked(author) else { continue }
            known[viewer] = own.isFriend(viewer) && theirs.isFriend(author) ? author : id
        }
        return known
    }

    package func forgotten(_ user: ID) {
        for (other, author) in leaving.removeValue(forKey: user) ?? [:] { tell([other], Self.removed(author)) }
    }

    private func attempt(_ user: ID, _ body: () throws(VaultError) -> Void) {
        do throws(VaultError) { try body() } catch {
            context.limitedLog.error("posts of \(user)") {
                "those who see the posts of \(user) are not told that something has changed\($0): \(error)"
            }
        }
    }
}

extension Posts: LeaveTaker {
    package func announceLeave(of user: ID) throws(VaultError) -> String? { nil }

    package func takeLeave(of user: ID, completion: @escaping @Sendable (String?) -> Void) {
        attempt(user) { () throws(VaultError) in
            let seen = try viewers.viewers(of: rows.posts(of: user), by: user)
            if !seen.isEmpty { leaving[user] = seen }
        }
        completion(nil)
    }
}

extension UserTopic {
    /// That there is something new to see, or that something is not to be seen any more.
    package static let posts = UserTopic.published("posts")
}
