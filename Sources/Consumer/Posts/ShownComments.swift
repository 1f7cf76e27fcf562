import Features
import Files
import Records
import Telemetry

/// Comments as a person sees them. Nobody sees what somebody has written whom they have blocked, or who has blocked them, and nobody sees
/// what somebody has written whom the post's author has blocked, or who has blocked the author. Belongs to the thread of its store and keys.
struct ShownComments {
    /// How many a page has.
    static let most = 50

    let rows: CommentRows
    private let post: Post
    private var shown: ShownPosts

    init(on post: Post, _ shown: ShownPosts) {
        (self.post, self.shown) = (post, shown)
        rows = CommentRows(shown.rows.store, shown.rows.keys)
    }

    /// - Parameter place: the page begins after this one; nil for the first page.
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
        let id = isOwn ? comment.writer : try shown.sight.id(of: comment.writer, on: post)
        // People who do not know the writer otherwise learn only the name.
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
        guard comment.post == post.id else { return false }
        return try shown.sees(commentsOf: comment.writer, on: post)
    }
}
