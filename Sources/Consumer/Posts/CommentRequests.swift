import Accounts
import Daemon
import Desk
import Features
import Files
import Groups
import Records
import Social
import Telemetry

// What people write about posts: `posts/comment`, `posts/comments`, `posts/delete-comment`, and the pictures of those who post and write,
// `posts/portrait`. A comment that the asker does not see is answered like one that does not exist.

extension Posts {
    var commentVerbs: [Verb] {
        [
            Verb("posts/comment", .postsComment, namesOthers: true, .atOnce { [unowned self] in try comment($0) }),
            readers.questions.verb("posts/comments", .postsComments, bulk: Allowance(perSecond: 5, burst: 60)) {
                [unowned self] request in try listComments(request)
            },
            Verb(
                "posts/delete-comment", .postsDeleteComment, own: .defence,
                .atOnce { [unowned self] in try deleteComment($0) }),
            Verb(
                "posts/portrait", .postsPortrait, bulk: Allowance(perSecond: 10, burst: 60),
                .atOnce { [unowned self] in try portrait($0) }),
        ]
    }

    static let unknownComment = ReplyError(.notFound, "there is no such comment", field: "comment")

    // MARK: Reading

    private func listComments(_ request: PeopleRequest) throws -> StoreReaders.Read {
        let (user, id) = (try request.user, try request.id("post"))
        let cursor = try request.optionalText("after", atMost: PostPages.longestCursor)
        let place = cursor.flatMap(PostPages.place)
        guard cursor == nil || place != nil else {
            throw ReplyError(.badRequest, "\"after\" has to be the \"next\" of a reply", field: "after")
        }
        let post = try seen(id, by: user)
        let hidden = try comments.writers(on: [post]).filter(context.doors.isBeingForgotten)
        let zone = self.zone
        return { source in
            var shown = try ShownPosts(to: user, source.store, source.keys, zone: zone, hiding: hidden)
            guard let post = try shown.post(id) else { throw Self.unknown }
            var list = ShownComments(on: post, shown)
            return try list.page(after: place)
        }
    }

    /// A comment that somebody sees, and its post.
    func seenComment(_ id: ID, by user: ID) throws -> (comment: PostComment, post: Post) {
        guard let comment = try comments.comment(id), let post = try? seen(comment.post, by: user) else {
            throw Self.unknownComment
        }
        var shown = ShownComments(on: post, try shownPosts(to: user))
        guard try shown.isSeen(comment), !context.doors.isBeingForgotten(comment.writer) else {
            throw Self.unknownComment
        }
        return (comment, post)
    }

    /// The picture of the author of a post or comment, for somebody who knows them.
    private func portrait(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        var whose: ID
        if present("comment", request.fields) != nil {
            let (comment, post) = try seenComment(request.id("comment"), by: user)
            whose = comment.writer
            var sight = try PostSight(of: user, context.store, context.keys)
            guard try whose == user || sight.id(of: whose, on: post) != nil else { throw Self.noPortrait }
        } else {
            whose = try seen(request.id("post"), by: user).author
        }
        guard let picture = try context.documents.read(ShownPosts.portrait, of: whose) else { throw Self.noPortrait }
        return picture
    }

    private static let noPortrait = ReplyError(.notFound, "there is no picture of this person")

    // MARK: Writing

    private func comment(_ request: PeopleRequest) throws -> JSON {
        let (user, id, now) = (try request.user, try request.id("post"), context.now())
        let text = try request.commentText()
        var written: (comment: PostComment, post: Post)?
        let reply = try context.answered.once(request, now: now, with: try author(of: id)) {
            let post = try seen(id, by: user)
            guard try comments.count(on: id) < CommentRows.most else {
                throw ReplyError(.notAllowed, "this post has \(CommentRows.most) comments already", field: "post")
            }
            guard try comments.count(on: id, by: user) < CommentRows.mostOfWriter else {
                let words = "you have written \(CommentRows.mostOfWriter) comments on this post: delete one first"
                throw ReplyError(.notAllowed, words, field: "post")
            }
            try PostTimes(context.documents).take(.comments, now, of: user)
            var comment = PostComment(
                id: try drawnID(), post: id, author: post.author, writer: user, time: now, text: text)
            if post.author != user { comment.told = try tellAuthor(of: post, by: user, now: now) }
            try comments.write(comment)
            written = (comment, post)
            var shown = ShownComments(on: post, try shownPosts(to: user))
            guard let json = try shown.json(comment) else { throw Self.unknown }
            return json
        }
        if let (comment, post) = written { try tellOfComment(of: comment.writer, on: post, but: user) }
        return reply
    }

    private func deleteComment(_ request: PeopleRequest) throws -> JSON {
        let (user, id) = (try request.user, try request.id("comment"))
        /// A comment that the person wrote, even on a post they no longer see, or any comment on their own post.
        func own() throws -> PostComment? {
            guard let comment = try comments.comment(id), comment.writer == user || comment.author == user else {
                return nil
            }
            return comment
        }
        var removed: PostComment?
        let reply = try context.answered.once(
            request, now: context.now(), with: try own().map { [$0.writer] } ?? []
        ) {
            guard let comment = try own() else { throw Self.unknownComment }
            try comments.remove(id)
            removed = comment
            return [:]
        }
        if let removed, let post = try rows.post(removed.post) {
            try tellOfComment(of: removed.writer, on: post, but: user)
        }
        return reply
    }

    /// Tells the author of the first comment that somebody writes on a post within a day.
    /// - Returns: the writer's id in that notification, now or before; nil if the author is not notified.
    private func tellAuthor(of post: Post, by writer: ID, now: Int64) throws(VaultError) -> ID? {
        guard let id = try told(post, of: writer) else { return nil }
        if try PostTimes(context.documents).takeTelling(of: post.id, now, of: writer) {
            try notify(post, .postComment, .postComment, by: writer, id, now: now)
        }
        return id
    }

    /// Tells the author, and those who have written about a post and still see it, that its comments have changed. People who do not see
    /// the comments of the writer are not told.
    /// - Parameter user: who has just written or deleted it.
    private func tellOfComment(of writer: ID, on post: Post, but user: ID) throws(VaultError) {
        let lists = FriendLists(context.documents)
        let (ofAuthor, own) = (try lists.list(of: post.author), try lists.list(of: writer))
        let groups = Set(post.groups).intersection(try SharedGroups(of: post.author, context.documents).ids)
        var members: Set<ID> = []
        for group in groups { members.formUnion(try GroupMembers(context.documents).members(of: group)) }
        var told: Set<ID> = []
        for other in try comments.writers(on: [post]).union([post.author]) where other != user {
            let theirs = try lists.list(of: other)
            guard !own.isBlocked(other), !theirs.isBlocked(writer) else { continue }
            let isFriend = post.isForFriends && ofAuthor.isFriend(other) && theirs.isFriend(post.author)
            let isBlocked = ofAuthor.isBlocked(other) || theirs.isBlocked(post.author)
            if other == post.author || (isFriend || members.contains(other)) && !isBlocked { told.insert(other) }
        }
        tell(told, ["post": .string(post.id.text), "commented": true])
    }
}

extension PeopleRequest {
    fileprivate func commentText() throws(ReplyError) -> String {
        let text = try writing("text", CommentRows.longestText)?.trimmed ?? ""
        guard !text.isEmpty else {
            throw ReplyError(.badRequest, "\"text\" says what you think of the post", field: "text")
        }
        return text
    }
}
