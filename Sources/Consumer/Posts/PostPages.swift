import Contract
import Exercise
import Features
import Files
import Groups
import Records
import Storage
import Telemetry

// A page is merged from the posts of everybody whose posts a person may see: of up to 200 friends and 20 groups. Each of these is a list
// in the order of time in an index of `post_audiences`, of which a few places are read at a time, and only the posts of the page are
// opened. So a page takes as long as there are friends and groups, however much they have posted. The cursor is the place of the last
// post that was looked at: posts that come and go do not shift what follows.

/// Pages of posts, the latest first. Belongs to the thread of its store and keys.
struct PostPages {
    /// How many posts a page has at most.
    static let most = 50
    /// How many bytes its posts have, unless it is one alone.
    static let mostBytes = 40 * 1024
    /// How many posts are opened for a page: some of people who are no friends any more may be among them.
    static let mostOpened = 500
    /// How many places of a list are read at a time.
    private static let chunk = 4

    let shown: ShownPosts

    private var rows: PostRows { shown.rows }

    /// A list of places that a page is merged from.
    private struct Line {
        /// Nil for the person's own.
        let audience: Audience?
        /// The next ones, in their order.
        var places: ArraySlice<(place: PostRows.Place, author: ID)> = []
        var isRead = false
    }

    /// - Parameters:
    ///   - place: the one after which to begin; nil for the latest.
    ///   - isOwn: whether only the person's own are listed.
    func page(after place: PostRows.Place?, isOwn: Bool) throws(VaultError) -> JSON {
        var shown = shown
        var lines = [Line(audience: nil)] + (isOwn ? [] : shown.sight.audiences.map { Line(audience: $0) })
        for index in lines.indices { try fill(&lines[index], after: place) }
        var (posts, bytes, opened, last): ([JSON], Int, Int, PostRows.Place?) = ([], 0, 0, place)
        while let next = lines.compactMap({ $0.places.first?.place }).max() {
            guard posts.count < Self.most, opened < Self.mostOpened else { break }
            opened += 1
            // What the post itself says of its time is sealed; the places by which it is found are not.
            if let post = try rows.post(next.post), post.time == next.time, let json = try shown.json(post) {
                let length = json.bytes.count
                guard posts.isEmpty || bytes + length <= Self.mostBytes else { break }
                posts.append(json)
                bytes += length
            }
            last = next
            // A post for friends and for groups is in several lists.
            for index in lines.indices where lines[index].places.first?.place == next {
                lines[index].places.removeFirst()
                if lines[index].places.isEmpty { try fill(&lines[index], after: next) }
            }
        }
        let isOver = lines.allSatisfy(\.places.isEmpty)
        return .object(present: [
            "posts": .array(posts), "next": isOver ? nil : last.map { .string(Self.cursor($0)) },
        ])
    }

    private func fill(_ line: inout Line, after place: PostRows.Place?) throws(VaultError) {
        guard !line.isRead else { return }
        let found =
            if let audience = line.audience {
                try rows.places(for: audience, after: place, atMost: Self.chunk)
            } else {
                try rows.places(of: shown.sight.user, after: place, atMost: Self.chunk)
            }
        line.places = found[...]
        line.isRead = found.count < Self.chunk
    }

    // MARK: Cursors

    /// In bytes.
    static let longestCursor = 64

    static func cursor(_ place: PostRows.Place) -> String { "\(place.time)-\(place.post)" }

    /// The place that a cursor names; nil if it is none.
    static func place(_ cursor: String) -> PostRows.Place? {
        let parts = cursor.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let time = Int64(parts[0]), time >= 0, let post = ID(kept: parts[1]) else { return nil }
        return PostRows.Place(time: time, post: post)
    }
}

/// Posts as a person sees them. Belongs to the thread of its store and keys.
struct ShownPosts {
    let rows: PostRows
    var sight: PostSight
    /// Of whom everything is being deleted: nothing of theirs is shown.
    private let hidden: Set<ID>
    private let notifications: Notifications
    private let thumbs: ThumbRows
    private let comments: CommentRows
    private let zone: String
    private var names: [ID: String] = [:]
    private var portraits: [ID: Bool] = [:]

    /// The document that has somebody's picture.
    static let portrait = "picture"

    /// - Parameter zone: that of people who have named none.
    init(
        to user: ID, _ store: Store, _ keys: Keys, zone: String = "UTC", hiding hidden: Set<ID> = []
    ) throws(VaultError) {
        (self.hidden, self.zone) = (hidden, zone)
        comments = CommentRows(store, keys)
        rows = PostRows(store, keys)
        thumbs = ThumbRows(store, keys)
        notifications = Notifications(store, keys)
        sight = try PostSight(of: user, store, keys)
    }

    /// A post that the person sees; nil if there is none, or they do not see it.
    mutating func post(_ id: ID) throws(VaultError) -> Post? {
        guard let post = try rows.post(id), try sight.sees(post) else { return nil }
        return post
    }

    /// As the person has it; nil if they do not see it.
    mutating func json(_ post: Post) throws(VaultError) -> JSON? {
        guard !hidden.contains(post.author), let author = try sight.author(of: post),
            let figures = try figures(of: post)
        else { return nil }
        let isOwn = post.author == sight.user
        let mine = isOwn ? nil : try thumbs.given(to: post.id, by: sight.user)?.thumb
        let members =
            [
                JSON.Member("post", .string(post.id.text)), JSON.Member("author", .string(author.text)),
                JSON.Member("name", .string(try name(of: post.author))), JSON.Member("time", .integer(post.time)),
            ] + figures + (mine.map { [JSON.Member("mine", .string($0.rawValue))] } ?? [])
            + [
                JSON.Member("comments", .integer(try seenComments(on: post))),
                JSON.Member("portrait", .bool(try hasPortrait(post.author))), JSON.Member("own", .bool(isOwn)),
            ]
        guard isOwn else { return .object(members) }
        return .object(members + [JSON.Member("to", try audience(of: post))])
    }

    /// How many comments the person sees on a post that they see: the number of all would tell who has blocked whom.
    private mutating func seenComments(on post: Post) throws(VaultError) -> Int64 {
        var count: Int64 = 0
        for (writer, number) in try comments.counts(on: post.id) where try sees(commentsOf: writer, on: post) {
            count += number
        }
        return count
    }

    /// Whether the person sees what somebody has written about a post that they see.
    mutating func sees(commentsOf writer: ID, on post: Post) throws(VaultError) -> Bool {
        guard !hidden.contains(writer) else { return false }
        let user = sight.user
        if writer == user { return true }
        guard try !sight.isBlocked(writer, user) else { return false }
        if writer == post.author { return true }
        return try !sight.isBlocked(writer, post.author)
    }

    /// What everybody sees of a post, and the operator if it is reported; nil if the workout that it shows is gone.
    func figures(of post: Post) throws(VaultError) -> [JSON.Member]? {
        guard let shown = post.workout else { return post.figures }
        let workouts = SharedWorkouts(rows.store, rows.keys, of: post.author, zone: zone)
        guard let figures = try workouts.figures(shown) else { return nil }
        let id = post.author == sight.user ? [JSON.Member("id", .string(shown.id.text))] : []
        return post.figures + [JSON.Member("workout", .object(id + figures))]
    }

    /// Whether somebody has a picture.
    mutating func hasPortrait(_ person: ID) throws(VaultError) -> Bool {
        if let known = portraits[person] { return known }
        let isThere =
            try rows.store.database.first(
                "SELECT 1 FROM documents WHERE person = ? AND name = ?", [.text(person.text), .text(Self.portrait)],
                row: Row.int) != nil
        portraits[person] = isThere
        return isThere
    }

    /// As friends see it.
    mutating func name(of author: ID) throws(VaultError) -> String {
        if let name = names[author] { return name }
        let somebody = try notifications.language(of: sight.user)(.somebody)
        let name = try notifications.name(of: author) ?? somebody
        names[author] = name
        return name
    }

    private func audience(of post: Post) throws(VaultError) -> JSON {
        let members = GroupMembers(Documents(store: rows.store, keys: rows.keys))
        var groups: [JSON] = []
        for group in post.groups {
            // A group that its author has left is not named to them any more.
            let name = try members.name(of: group, for: post.author)
            groups.append(.object(present: ["group": .string(group.text), "name": name.map(JSON.string)]))
        }
        return ["friends": .bool(post.isForFriends), "groups": .array(groups)]
    }
}
