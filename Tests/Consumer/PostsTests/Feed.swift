import Files
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport

@testable import Features
@testable import Groups
@testable import Posts
@testable import Social

/// The store of a consumer without a service, with people and what they have posted.
final class Feed {
    let store: Store
    let keys: Keys
    private let household: Household

    init() throws {
        household = try Household()
        let settings = try household.houseSettings()
        keys = try Keys(state: settings.state, rootKeyFile: settings.rootKeyFile, .create)
        store = try Store(folder: settings.state, adding: Feature.posts.schema + Feature.groups.schema)
        try store.insistOnLock()
    }

    var rows: PostRows { PostRows(store, keys) }
    var lists: FriendLists { FriendLists(Documents(store: store, keys: keys)) }

    func person() throws -> ID {
        let user = try drawnID()
        _ = try keys.currentVersion(of: user)
        return user
    }

    /// Makes somebody a friend of others; on both sides, or on theirs alone.
    func befriend(_ user: ID, _ others: [ID], both: Bool = true) throws {
        try store.change([user] + others) { () throws(VaultError) in
            try lists.change(user) { list in
                for other in others { list.add(Tie(id: other, user: other, state: .friend, since: 0)) }
            }
            for other in others where both {
                try lists.change(other) { $0.add(Tie(id: user, user: user, state: .friend, since: 0)) }
            }
        }
    }

    @discardableResult
    func post(
        _ author: ID, _ text: String, at time: Int64, friends: Bool = true, groups: [ID] = []
    ) throws -> ID {
        let post = Post(
            id: try drawnID(), author: author, time: time, text: text, isForFriends: friends, groups: groups)
        try store.change(author) { () throws(VaultError) in try rows.add(post, nil) }
        return post.id
    }

    /// A page as somebody sees it.
    func page(_ user: ID, after cursor: JSON? = nil, own: Bool = false, hiding hidden: Set<ID> = []) throws -> JSON {
        var place: PostRows.Place?
        if case .string(let text)? = cursor { place = PostPages.place(text) }
        return try PostPages(shown: ShownPosts(to: user, store, keys, hiding: hidden)).page(after: place, isOwn: own)
    }

    /// The ids of all posts that somebody sees, page by page.
    /// - Parameter between: done before each further page, with the id of the last post so far.
    func all(_ user: ID, own: Bool = false, between: (String) throws -> Void = { _ in }) throws -> [[String]] {
        var pages: [[String]] = []
        var cursor: JSON?
        repeat {
            if cursor != nil, let last = pages.last?.last { try between(last) }
            let page = try page(user, after: cursor, own: own)
            pages.append(try Self.ids(page))
            cursor = page["next"]
        } while cursor != nil
        return pages
    }

    static func ids(_ page: JSON) throws -> [String] {
        guard case .array(let posts)? = page["posts"] else { throw TestFailure("\(page)") }
        return try posts.map { try $0.text("post") }
    }
}
