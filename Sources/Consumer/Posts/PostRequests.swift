import Accounts
import Daemon
package import Desk
import Exercise
import Features
import Files
import Groups
import Records
import Social
import Telemetry
import Training

// What people ask: `posts/…`. A post that the asker does not see is answered like one that does not exist.

extension Posts {
    package var verbs: [Verb] {
        [
            Verb(
                "posts/add", .postsAdd, maximumLength: Picture.maximumRequestLength + Self.longestRest,
                .atOnce { [unowned self] in try add($0) }),
            readers.questions.verb("posts/list", .postsList, bulk: Allowance(perSecond: 2, burst: 50)) {
                [unowned self] request in try list(request)
            },
            readers.questions.verb("posts/show", .postsShow, namesOthers: true) {
                [unowned self] request in try shown(request)
            },
            // Replies are long, and a page asks for many of them.
            Verb(
                "posts/picture", .postsPicture, bulk: Allowance(perSecond: 10, burst: 60),
                .atOnce { [unowned self] in try picture($0) }),
            Verb("posts/thumb", .postsThumb, namesOthers: true, .later { [unowned self] in thumb($0) }),
            Verb("posts/delete", .postsDelete, own: .defence, .atOnce { [unowned self] in try delete($0) }),
            Verb("posts/report", .postsReport, .atOnce { [unowned self] in try report($0) }),
        ] + commentVerbs + workoutVerbs
    }

    /// The bytes of a request beside its picture: a text may be spelt with six bytes for two.
    private static let longestRest = 13 * 1024

    static let unknown = ReplyError(.notFound, "there is no such post", field: "post")

    // MARK: Reading

    private func list(_ request: PeopleRequest) throws -> StoreReaders.Read {
        let (user, isOwn) = (try request.user, try request.optionalBool("own") ?? false)
        let cursor = try request.optionalText("after", atMost: PostPages.longestCursor)
        let place = cursor.flatMap(PostPages.place)
        guard cursor == nil || place != nil else {
            throw ReplyError(.badRequest, "\"after\" has to be the \"next\" of a reply", field: "after")
        }
        let (hidden, zone) = (try hidden(from: user), self.zone)
        return { source in
            try PostPages(shown: ShownPosts(to: user, source.store, source.keys, zone: zone, hiding: hidden))
                .page(after: place, isOwn: isOwn)
        }
    }

    /// Those of whom everything is being deleted, among the people whose posts somebody may see.
    func hidden(from user: ID) throws(VaultError) -> Set<ID> {
        let authors = try PostSight(of: user, context.store, context.keys).authors
        return authors.filter(context.doors.isBeingForgotten)
    }

    /// Reads a post as the asker has it: the lists of all who have written about it are opened for that.
    private func shown(_ request: PeopleRequest) throws -> StoreReaders.Read {
        let (user, id, zone) = (try request.user, try request.id("post"), self.zone)
        let post = try seen(id, by: user)
        let hidden = try comments.writers(on: [post]).union([post.author]).filter(context.doors.isBeingForgotten)
        return { source in
            var shown = try ShownPosts(to: user, source.store, source.keys, zone: zone, hiding: hidden)
            guard let post = try shown.post(id), let json = try shown.json(post) else { throw Self.unknown }
            return json
        }
    }

    private func picture(_ request: PeopleRequest) throws -> JSON {
        let post = try seen(request.id("post"), by: request.user)
        guard let picture = try rows.picture(post.id, of: post.author) else {
            throw ReplyError(.notFound, "this post has no picture", field: "post")
        }
        return picture
    }

    func shownPosts(to user: ID) throws(VaultError) -> ShownPosts {
        try ShownPosts(to: user, context.store, context.keys, zone: zone)
    }

    /// A post that somebody sees.
    func seen(_ id: ID, by user: ID) throws -> Post {
        var shown = try shownPosts(to: user)
        guard let post = try shown.post(id), !context.doors.isBeingForgotten(post.author) else { throw Self.unknown }
        return post
    }

    /// The same, as they have it.
    func json(_ post: Post, for user: ID) throws -> JSON {
        var shown = try shownPosts(to: user)
        guard !context.doors.isBeingForgotten(post.author), let json = try shown.json(post) else { throw Self.unknown }
        return json
    }

    // MARK: Posting

    private func add(_ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        let draft = try PostDraft(request)
        var posted: (post: Post, displaced: [Post])?
        let reply = try context.answered.once(
            request, now: now, with: try others(on: rows.displaced(of: user))
        ) {
            try expect(user, in: draft.groups)
            try expect(user, toHave: draft.workout)
            try PostTimes(context.documents).take(.posts, now, of: user)
            let displaced = try rows.displaced(of: user)
            for post in displaced { try rows.remove(post) }
            let week = draft.workout == nil ? try week(of: user, now: now) : Post.Week()
            let post = draft.post(try drawnID(), of: user, now: now, week)
            try rows.add(post, draft.picture)
            posted = (post, displaced)
            return try json(post, for: user)
        }
        if let posted {
            for post in posted.displaced { try tellRemoved(post) }
            let message: JSON = ["post": .string(posted.post.id.text), "time": .integer(now)]
            tell(Set(try viewers.viewers(of: [posted.post], by: user).keys), message)
        }
        return reply
    }

    /// Nobody posts to a group of others: one that is not theirs is as good as none.
    private func expect(_ user: ID, in groups: [ID]) throws {
        let own = groups.isEmpty ? [] : try GroupMembers(context.documents).groups(of: user)
        guard Set(groups).isSubset(of: own) else {
            throw ReplyError(.notFound, "you are in no such group", field: "groups")
        }
    }

    private func expect(_ user: ID, toHave workout: WorkoutForOthers?) throws {
        guard let workout else { return }
        let workouts = SharedWorkouts(context.store, context.keys, of: user, zone: zone)
        guard try workouts.isThere(workout.id) else {
            throw ReplyError(.notFound, "you have no such workout, or it is not over yet", field: "workout")
        }
    }

    /// Those who have given thumbs to posts, or have written about them: what is theirs goes with the posts.
    func others(on posts: [Post]) throws(VaultError) -> Set<ID> {
        try thumbs.givers(to: posts).union(comments.writers(on: posts))
    }

    /// The figures of a person's week so far.
    private func week(of user: ID, now: Int64) throws(VaultError) -> Post.Week {
        let today = try days.histories.history(of: user).localDays.day(of: now)
        let week = try TrainingWeek(context.documents, zone: context.settings.timeZone).read(user, week: today)
        return Post.Week(
            workouts: Int64(week.workouts), seconds: Int64(week.seconds), selection: week.titles, muscles: week.muscles
        ).limited
    }

    private func delete(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("post")
        var removed: Post?
        func own() throws -> Post? {
            guard let post = try rows.post(id), try post.author == request.user else { return nil }
            return post
        }
        // Others are looked up only for the person's own post: a stranger must not make a thousand people wait by naming an id.
        let reply = try context.answered.once(
            request, now: context.now(), with: try own().map { try others(on: [$0]) } ?? []
        ) {
            guard let post = try own() else { throw Self.unknown }
            try rows.remove(post)
            removed = post
            return [:]
        }
        if let removed { try tellRemoved(removed) }
        return reply
    }

    private func tellRemoved(_ post: Post) throws(VaultError) {
        tell(
            Set(try viewers.viewers(of: [post], by: post.author).keys),
            ["post": .string(post.id.text), "removed": true])
    }

    // MARK: What others do with it

    /// Somebody else's post, for an asker who sees it.
    private func other(_ id: ID, for user: ID, _ words: String) throws -> Post {
        let post = try seen(id, by: user)
        guard post.author != user else { throw ReplyError(.notAllowed, words, field: "post") }
        return post
    }

    /// The author of a post of which anything is kept.
    func author(of id: ID) throws(VaultError) -> Set<ID> { Set([try rows.post(id)?.author].compactMap { $0 }) }

    private func thumb(_ request: PeopleRequest) {
        request.answering {
            try give(request)
            readers.questions.answer(request, try shown(request))
        }
    }

    private func give(_ request: PeopleRequest) throws {
        let (user, id, now) = (try request.user, try request.id("post"), context.now())
        let thumb = try request.thumb()
        func others() throws -> Post { try other(id, for: user, "this post is your own") }
        // The reply is not kept: it says who the author is, and would outlive one who is forgotten.
        _ = try context.answered.once(request, now: now, with: try author(of: id)) {
            let post = try others()
            let before = try thumbs.given(to: id, by: user)
            guard before?.thumb != thumb else { return [:] }
            if before == nil, try thumbs.count(for: id) >= ThumbRows.most {
                throw ReplyError(.notAllowed, "this post has \(ThumbRows.most) thumbs already", field: "post")
            }
            var given = before ?? GivenThumb(post: id, author: post.author)
            given.thumb = thumb
            if before == nil, let thumb {
                let phrase = thumb == .up ? Phrase.postThumbUp : .postThumbDown
                given.told = try told(post, of: user)
                if let id = given.told { try notify(post, .postThumb, phrase, by: user, id, now: now) }
            }
            try thumbs.write(given, by: user, to: post)
            return [:]
        }
    }

    /// Somebody's id in notifications to a post's author; nil if the author has muted them.
    func told(_ post: Post, of giver: ID) throws(VaultError) -> ID? {
        guard try !FriendLists(context.documents).list(of: post.author).isMuted(giver) else { return nil }
        var sight = try PostSight(of: post.author, context.store, context.keys)
        return try sight.id(of: giver, on: post)
    }

    /// Tells the author of a thumb or a comment.
    /// - Parameter id: the giver, as the author knows them.
    func notify(
        _ post: Post, _ kind: Notification.Kind, _ phrase: Phrase, by giver: ID, _ id: ID, now: Int64
    ) throws(VaultError) {
        let notifications = context.notifications
        let language = try notifications.language(of: post.author)
        let name = try notifications.name(of: giver)
        try notifications.add(
            Notification(
                kind: kind, time: now, from: id, fromName: name, post: post.id,
                text: language(phrase, ["name": name ?? language(.somebody)])), to: post.author, about: giver)
    }

    private func report(_ request: PeopleRequest) throws -> JSON {
        let (user, now) = (try request.user, context.now())
        let isComment = present("comment", request.fields) != nil
        let id = try request.id(isComment ? "comment" : "post")
        let reason = try request.reason()
        var isFirst = false
        let whose = isComment ? try comments.comment(id).map { [$0.writer] } ?? [] : try author(of: id)
        let reply = try context.answered.once(request, now: now, with: whose) {
            let post = isComment ? try reportable(comment: id, for: user) : try reportable(post: id, for: user)
            guard try !reports.hasReported(id, user) else { return ["reported": true] }
            guard try reports.count(of: user) < ReportRows.mostOfReporter else {
                let words = "you have reported \(ReportRows.mostOfReporter) posts that the operator has still to look at"
                throw ReplyError(.notAllowed, words)
            }
            // They would believe that somebody looks at it.
            guard try !reports.isFull(for: post) else {
                let words = "the operator has \(ReportRows.mostOfAuthor) posts of this author to look at: report it again later"
                throw ReplyError(.notAllowed, words, field: isComment ? "comment" : "post")
            }
            isFirst = try reports.add(reason, of: post, by: user, now: now)
            return ["reported": true]
        }
        if isFirst {
            context.limitedLog.notice("a post was reported") {
                "a post was reported\($0): vitals-consumer posts shows what, and why"
            }
        }
        return reply
    }

    /// Somebody else's post that the operator has not decided about, with its figures as they are now.
    private func reportable(post id: ID, for user: ID) throws -> Reportable {
        let post = try other(id, for: user, "this post is your own: delete it")
        guard !post.isJudged else {
            throw ReplyError(.notAllowed, "the operator has looked at this post, and it stays", field: "post")
        }
        guard let figures = try shownPosts(to: user).figures(of: post) else { throw Self.unknown }
        return Reportable(post, figures, picture: try rows.picture(id, of: post.author))
    }

    private func reportable(comment id: ID, for user: ID) throws -> Reportable {
        let comment = try seenComment(id, by: user).comment
        guard comment.writer != user else {
            throw ReplyError(.notAllowed, "this comment is your own: delete it", field: "comment")
        }
        guard !comment.isJudged else {
            throw ReplyError(.notAllowed, "the operator has looked at this comment, and it stays", field: "comment")
        }
        return Reportable(comment)
    }
}

// MARK: What requests say

/// What somebody wants to post.
struct PostDraft {
    let text: String
    let picture: Picture?
    let isForFriends: Bool
    let groups: [ID]
    let workout: WorkoutForOthers?

    init(_ request: PeopleRequest) throws {
        text = try request.writing("text", Post.longestText)?.trimmed ?? ""
        let hasPicture = ![nil, .null].contains(request.fields["picture"])
        picture = hasPicture ? try Picture(request.fields) : nil
        isForFriends = try request.optionalBool("friends") ?? false
        groups = try request.groups()
        let (showsWay, showsHeartRate) = (
            try request.optionalBool("way") ?? false, try request.optionalBool("heart_rate") ?? false
        )
        if present("workout", request.fields) != nil {
            workout = WorkoutForOthers(try request.id("workout"), showsWay: showsWay, showsHeartRate: showsHeartRate)
        } else {
            workout = nil
            guard !showsWay, !showsHeartRate else {
                throw ReplyError(.badRequest, "only a \"workout\" has a way and heart rates to show", field: "workout")
            }
        }
        guard isForFriends || !groups.isEmpty else {
            let words = "a post has to be for somebody: \"friends\", or some of your \"groups\""
            throw ReplyError(.badRequest, words, field: "friends")
        }
    }

    func post(_ id: ID, of author: ID, now: Int64, _ week: Post.Week) -> Post {
        Post(
            id: id, author: author, time: now, text: text, week: week, workout: workout, hasPicture: picture != nil,
            isForFriends: isForFriends, groups: groups)
    }
}

extension PeopleRequest {
    /// What somebody has written, on several lines; nil if the field is absent.
    func writing(_ field: String, _ longest: (characters: Int, bytes: Int)) throws(ReplyError) -> String? {
        guard let text = try optionalText(field, atMost: longest.bytes) else { return nil }
        guard PlainText.isText(text, atMost: longest) else {
            let words = """
                "\(field)" has at most \(longest.characters) characters, without controls and marks that change the direction of text
                """
            throw ReplyError(.invalid, words, field: field)
        }
        return text
    }

    fileprivate func groups() throws(ReplyError) -> [ID] {
        let wrong = ReplyError(.badRequest, "\"groups\" has to be a list of groups' ids", field: "groups")
        var groups: [ID] = []
        for text in try optionalTexts("groups", atMost: Post.mostGroups) ?? [] {
            guard let group = ID(kept: text) else { throw wrong }
            if !groups.contains(group) { groups.append(group) }
        }
        return groups
    }

    /// A thumb; nil for one that is taken back.
    fileprivate func thumb() throws(ReplyError) -> Thumb? {
        switch fields["thumb"] {
        case .null?: return nil
        case .string(let word)?: if let thumb = Thumb(rawValue: word) { return thumb }
        default: break
        }
        throw ReplyError(.badRequest, "\"thumb\" has to be up, down or null", field: "thumb")
    }

    fileprivate func reason() throws(ReplyError) -> String {
        let text = try writing("reason", ReportRows.longestReason)?.trimmed ?? ""
        guard !text.isEmpty else {
            throw ReplyError(.badRequest, "say in \"reason\" what is wrong with the post", field: "reason")
        }
        return text
    }
}
