import Files
import Groups
import Records
import Social
import Telemetry

// Friends know each other by their ids. Members of a group who are no friends know each other by ids that are drawn for the group, and
// do not learn any other here.

/// Which posts a person may see, as of one moment: their own, those for friends of people who are their friends, and those for groups in
/// which both are. What the two people's own documents and the groups say now decides, so whoever is no friend and no member any more sees
/// nothing any more. Nobody sees posts of people whom they have blocked, or who have blocked them. Belongs to the thread of its store and
/// keys.
struct PostSight {
    let user: ID
    private let lists: FriendLists
    private let own: FriendList
    private let groups: SharedGroups
    private var known: [ID: Relation] = [:]
    private var opened: [ID: FriendList] = [:]

    /// What somebody else is to the person.
    private struct Relation {
        let isFriend: Bool
        let isBlocked: Bool
        /// By the groups in which both are: what the person knows them by there.
        let members: [ID: ID]
    }

    init(of user: ID, _ store: Store, _ keys: Keys) throws(VaultError) {
        let documents = Documents(store: store, keys: keys)
        self.user = user
        lists = FriendLists(documents)
        own = try lists.list(of: user)
        groups = try SharedGroups(of: user, documents)
    }

    /// For whom posts may be that the person sees; whether they do is `sees`'s to say.
    var audiences: [Audience] { own.friends.map { .friends(of: $0) } + groups.ids.map(Audience.group) }

    /// Everybody whose posts those may be.
    var authors: Set<ID> { groups.people.union(own.friends).union([user]) }

    mutating func sees(_ post: Post) throws(VaultError) -> Bool { try author(of: post) != nil }

    /// By which id the person knows the author of a post that they see; nil if they do not see it.
    mutating func author(of post: Post) throws(VaultError) -> ID? {
        guard post.author != user else { return user }
        let relation = try relation(to: post.author)
        guard !relation.isBlocked else { return nil }
        let isSeen = post.isForFriends && relation.isFriend
        let members = post.groups.compactMap { relation.members[$0] }
        guard isSeen || !members.isEmpty else { return nil }
        return relation.isFriend ? post.author : members.first
    }

    /// The id of somebody beside a post, as the person knows them: a friend's own, or one that is drawn for a group that the post is for;
    /// nil if they are neither. An id of another group would tell who of its members somebody is.
    mutating func id(of other: ID, on post: Post) throws(VaultError) -> ID? {
        let relation = try relation(to: other)
        return relation.isFriend ? other : post.groups.compactMap { relation.members[$0] }.first
    }

    /// Whether one of two people has blocked the other.
    mutating func isBlocked(_ one: ID, _ other: ID) throws(VaultError) -> Bool {
        if try list(of: one).isBlocked(other) { return true }
        return try list(of: other).isBlocked(one)
    }

    private mutating func list(of other: ID) throws(VaultError) -> FriendList {
        if other == user { return own }
        if let list = opened[other] { return list }
        let list = try lists.list(of: other)
        opened[other] = list
        return list
    }

    private mutating func relation(to other: ID) throws(VaultError) -> Relation {
        if let relation = known[other] { return relation }
        let theirs = try list(of: other)
        let relation = Relation(
            isFriend: own.isFriend(other) && theirs.isFriend(user),
            isBlocked: own.isBlocked(other) || theirs.isBlocked(user), members: try groups.members(other))
        known[other] = relation
        return relation
    }
}

/// Who sees an author's posts, as of now. Belongs to the thread of its store and keys.
struct PostViewers {
    let documents: Documents

    init(_ documents: Documents) { self.documents = documents }

    /// Everybody else who may see any of an author's posts, and by which id they know the author.
    func viewers(of posts: [Post], by author: ID) throws(VaultError) -> [ID: ID] {
        let (lists, members) = (FriendLists(documents), GroupMembers(documents))
        let known = try SharedGroups(of: author, documents).members(author)
        var viewers: [ID: ID] = [:]
        for group in Set(posts.flatMap(\.groups)) {
            guard let own = known[group] else { continue }
            for member in try members.members(of: group) { viewers[member] = own }
        }
        let friends = try lists.friends(of: author)
        let isForFriends = posts.contains(where: \.isForFriends)
        for friend in friends where isForFriends || viewers[friend] != nil { viewers[friend] = author }
        let list = try lists.list(of: author)
        var seeing: [ID: ID] = [:]
        for (viewer, known) in viewers where viewer != author && !list.isBlocked(viewer) {
            if try !lists.list(of: viewer).isBlocked(author) { seeing[viewer] = known }
        }
        return seeing
    }
}
