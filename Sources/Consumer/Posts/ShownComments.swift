import Features
import Files
import Records
import Social
import Telemetry

/// Comments as a person sees them. Nobody sees what somebody has written whom they have blocked, or who has blocked them, and nobody sees
/// what somebody has written whom the post's author has blocked, or who has blocked the author. Belongs to the thread of its store and keys.
struct ShownComments {
    /// How many a page has.
    static let most = 50

    let rows: CommentRows
    private let post: Post
    private var shown: ShownPosts
    private let lists: FriendLists
    private let ofAuthor: FriendList

    init(on post: Post, _ shown: ShownPosts) throws(VaultError) {
        (self.post, self.shown) = (post, shown)
        rows = CommentRows(shown.rows.store, shown.rows.keys)
        lists = FriendLists(Documents(store: shown.rows.store, keys: shown.rows.keys))
        ofAuthor = try lists.list(of: post.author)
    }

    /// - Parameter place: the one after which to begin; nil for the first.
    mutating func page(after place: PostRows.Place?) throws(VaultError) -> JSON {
        let found = try rows.comments(on: post.id, after: place, atMost: Self.most)
        var comments: [JSON] = []
        for comment in found { if let json = try json(comment) { comments.append(json) } }
        let last = found.count < Self.most ? nil : found.last
        let next = last.map { PostPages.cursor(PostRows.Place(time: $0.time, post: $0.id)) }
        return .object(present: ["comments": .array(comments), "next": next.map(JSON.string)])
    }

    /// As the person has it; nil if they do not see it.
    mutating func json(_ comment: PostComment) throws(VaultError) -> JSON? {
        guard try isSeen(comment) else { return nil }
        let isOwn = comment.writer == shown.sight.user
        let id = isOwn ? comment.writer : try shown.sight.id(of: comment.writer)
        // Whoever does not know the writer otherwise learns no more than the name.
        let hasPortrait = id == nil ? false : try shown.hasPortrait(comment.writer)
        return .object(present: [
            "comment": .string(comment.id.text), "author": id.map { .string($0.text) },
            "name": .string(try shown.name(of: comment.writer)), "time": .integer(comment.time),
            "text": .string(comment.text), "own": .bool(isOwn),
            "deletable": .bool(isOwn || post.author == shown.sight.user),
            "portrait": .bool(hasPortrait),
        ])
    }

    mutating func isSeen(_ comment: PostComment) throws(VaultError) -> Bool {
        let writer = comment.writer
        guard comment.post == post.id, !shown.isHidden(writer) else { return false }
        if writer == shown.sight.user { return true }
        guard try !shown.sight.isBlocked(writer) else { return false }
        guard writer != post.author else { return true }
        guard !ofAuthor.isBlocked(writer) else { return false }
        return try !lists.list(of: writer).isBlocked(post.author)
    }
}
