import Features
package import Files
package import Records
import Storage
package import Telemetry

// What somebody reports is copied in that moment, so that the operator sees what was reported, even if its author deletes the post.
// The copy is sealed under the author's row key, like the post. The service and the operator's commands open it as they open
// everything that is kept of a person, and it goes with its author: a key of the service's own would outlive them. A report is
// sealed under the key of the person who makes it, and goes with them; a post that nobody reports any more is not kept as a copy.

/// A post or a comment that was reported and not decided about yet, as the operator sees it.
package struct ReportedPost {
    /// Its id, or that of a comment.
    package let post: ID
    /// Whether it is a comment on a post.
    package let isComment: Bool
    package let author: ID
    /// When it was reported first, in Unix milliseconds.
    package let reported: Int64
    /// Whether its author has not deleted it.
    package let isThere: Bool
    package let reasons: [(time: Int64, text: String)]
    /// When it was posted, and what everybody saw.
    package let content: [JSON.Member]
    /// Its type, its size and itself in base64; nil if it has none.
    package let picture: JSON?
}

/// What somebody can report: a post or a comment, as it is now.
struct Reportable {
    let id: ID
    let author: ID
    let content: [JSON.Member]
    var picture: JSON?

    init(_ post: Post, _ figures: [JSON.Member], picture: JSON?) {
        (id, author, self.picture) = (post.id, post.author, picture)
        content = [JSON.Member("time", .integer(post.time))] + figures
    }

    init(_ comment: PostComment) {
        (id, author) = (comment.id, comment.writer)
        content = [
            JSON.Member("time", .integer(comment.time)), JSON.Member("text", .string(comment.text)),
            JSON.Member("on", .string(comment.post.text)),
        ]
    }
}

/// Reads and writes reports. Belongs to the thread of its store and keys.
package struct ReportRows {
    /// How many posts a person may have reported that the operator has not decided about.
    static let mostOfReporter: Int64 = 20
    /// How many reports of one post are kept: the operator needs no more of them to look at it.
    static let mostOfPost: Int64 = 10
    /// Of how many posts of one author reports are kept.
    static let mostOfAuthor: Int64 = 100
    /// No reason is longer, in characters and in bytes.
    static let longestReason = (characters: 500, bytes: 2000)

    let store: Store
    let keys: Keys

    package init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let tables = [
        SealedTable("post_reports", key: "post", exported: .shown(in: "posts.json")) {
            row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
        },
        SealedTable(
            "reported_posts", key: "post",
            exported: .hidden(
                because: "copies of posts that somebody has reported, until the operator decides: they would say that somebody did")
        ) { row, user, version throws(VaultError) in copyContext(try row.text("entry"), user, version) },
    ]

    private static func context(_ post: String, _ reporter: ID, _ version: Int64) -> RowContext {
        RowContext("post report", post, reporter.text, "\(version)")
    }

    private static func copyContext(_ post: String, _ author: ID, _ version: Int64) -> RowContext {
        RowContext("reported post", post, author.text, "\(version)")
    }

    // MARK: Reporting, within a transaction

    /// Whether there is no room for another post of the author's.
    func isFull(for post: Reportable) throws(VaultError) -> Bool {
        let copies = try store.database.first(
            "SELECT count(*) FROM reported_posts WHERE person = ? AND post <> ?",
            [.text(post.author.text), .text(post.id.text)], row: Row.int)
        return copies ?? 0 >= Self.mostOfAuthor
    }

    /// Keeps a report, unless there are enough of the post already or the same person has reported it.
    /// - Parameter now: Unix milliseconds.
    /// - Returns: whether it is the first of the post.
    func add(_ reason: String, of post: Reportable, by reporter: ID, now: Int64) throws(VaultError) -> Bool {
        guard try count("post = ?", post.id) < Self.mostOfPost else { return false }
        let (version, sealed) = try keys.seal(
            JSON.object([JSON.Member("reason", .string(reason))]).bytes, of: reporter, "a report"
        ) { Self.context(post.id.text, reporter, $0) }
        try store.database.execute(
            """
            INSERT INTO post_reports (post, person, author, time_ms, secret_version, sealed) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (post, person) DO NOTHING
            """,
            [
                .text(post.id.text), .text(reporter.text), .text(post.author.text), .integer(now), .integer(version),
                .blob(sealed),
            ])
        return try keepCopy(of: post, now: now)
    }

    private func keepCopy(of post: Reportable, now: Int64) throws(VaultError) -> Bool {
        let copy = JSON.object(
            post.content + (post.picture.map { [JSON.Member("image", $0)] } ?? []))
        let (version, sealed) = try keys.seal(copy.bytes, of: post.author, "a reported post") {
            Self.copyContext(post.id.text, post.author, $0)
        }
        let isFirst = try store.database.execute(
            """
            INSERT INTO reported_posts (post, person, time_ms, secret_version, sealed) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (post) DO NOTHING
            """,
            [
                .text(post.id.text), .text(post.author.text), .integer(now), .integer(version), .blob(sealed),
            ])
        return isFirst > 0
    }

    /// Takes back everything that somebody has reported, with the copies that nobody else has reported.
    func removeAll(of reporter: ID) throws(VaultError) {
        try store.database.execute(
            """
            DELETE FROM reported_posts WHERE post IN (SELECT post FROM post_reports WHERE person = ?1) AND NOT EXISTS (
                SELECT 1 FROM post_reports WHERE post_reports.post = reported_posts.post AND person <> ?1)
            """, [.text(reporter.text)])
        try store.database.execute("DELETE FROM post_reports WHERE person = ?", [.text(reporter.text)])
    }

    // MARK: Counting

    /// How many posts somebody has reported that the operator has not decided about.
    func count(of reporter: ID) throws(VaultError) -> Int64 { try count("person = ?", reporter) }

    private func count(_ condition: String, _ id: ID) throws(VaultError) -> Int64 {
        try store.database.first("SELECT count(*) FROM post_reports WHERE \(condition)", [.text(id.text)], row: Row.int)
            ?? 0
    }

    /// Whether somebody has reported a post already.
    func hasReported(_ post: ID, _ reporter: ID) throws(VaultError) -> Bool {
        try store.database.first(
            "SELECT 1 FROM post_reports WHERE post = ? AND person = ?", [.text(post.text), .text(reporter.text)],
            row: Row.int) != nil
    }

    /// The people whose posts somebody has reported, and those who have reported theirs.
    func others(of user: ID) throws(VaultError) -> Set<ID> {
        let rows = try store.database.query(
            "SELECT person, author FROM post_reports WHERE person = ?1 OR author = ?1", [.text(user.text)]
        ) { row throws(VaultError) in [try row.text("person"), try row.text("author")] }
        return Set(rows.joined().compactMap(ID.init(kept:)))
    }
}

// MARK: Reading

extension ReportRows {
    /// What somebody has reported, and why.
    func reports(of reporter: ID) throws(VaultError) -> [(post: ID, time: Int64, reason: String)] {
        try reports("person = ?", reporter).map { ($0.post, $0.time, $0.reason) }
    }

    private func reports(
        _ condition: String, _ id: ID
    ) throws(VaultError) -> [(post: ID, time: Int64, reason: String, reporter: ID)] {
        let rows = try store.database.query(
            """
            SELECT post, person, time_ms, secret_version, sealed FROM post_reports WHERE \(condition)
            ORDER BY time_ms, post, person
            """, [.text(id.text)]
        ) { row throws(VaultError) in
            (
                post: try row.text("post"), person: try row.text("person"), time: try row.int("time_ms"),
                row: try row.sealedRow()
            )
        }
        var reports: [(post: ID, time: Int64, reason: String, reporter: ID)] = []
        for row in rows {
            guard let post = ID(kept: row.post), let reporter = ID(kept: row.person),
                let bytes = try keys.open(row.row, of: reporter, { Self.context(row.post, reporter, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                case .string(let reason)? = json["reason"]
            else { continue }
            reports.append((post, row.time, reason, reporter))
        }
        return reports
    }

    /// What was reported and not decided about, the earliest report first.
    package func open() throws(VaultError) -> [ReportedPost] { try open("post >= ?", "") }

    /// One of these; nil if it was not reported, or is decided.
    package func open(_ post: ID) throws(VaultError) -> ReportedPost? { try open("post = ?", post.text).first }

    /// Whether nobody has deleted it.
    private func isThere(_ id: ID) throws(VaultError) -> Bool {
        if try PostRows(store, keys).post(id) != nil { return true }
        return try CommentRows(store, keys).comment(id) != nil
    }

    private func open(_ condition: String, _ text: String) throws(VaultError) -> [ReportedPost] {
        let rows = try store.database.query(
            """
            SELECT post, person, time_ms, secret_version, sealed FROM reported_posts WHERE \(condition)
            ORDER BY time_ms, post
            """, [.text(text)]
        ) { row throws(VaultError) in
            (
                post: try row.text("post"), person: try row.text("person"), time: try row.int("time_ms"),
                row: try row.sealedRow()
            )
        }
        var found: [ReportedPost] = []
        for row in rows {
            guard let post = ID(kept: row.post), let author = ID(kept: row.person),
                let bytes = try keys.open(row.row, of: author, { Self.copyContext(row.post, author, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                case .object(let members) = json
            else { continue }
            found.append(
                ReportedPost(
                    post: post, isComment: json["on"] != nil, author: author, reported: row.time,
                    isThere: try isThere(post),
                    reasons: try reports("post = ?", post).map { ($0.time, $0.reason) },
                    content: members.filter { $0.name != "image" }, picture: json["image"]))
        }
        return found
    }
}

// MARK: Deciding

extension ReportRows {
    /// Removes a reported post or comment, its copy and the reports.
    /// - Returns: whether it was reported.
    package func remove(_ post: ID) throws(VaultError) -> Bool {
        try decide(post) { post throws(VaultError) in
            try PostRows(store, keys).remove(post)
        } comment: { comment throws(VaultError) in
            try CommentRows(store, keys).remove(comment.id)
        }
    }

    /// Lets a reported post or comment stay, for good: its copy and the reports are removed, and nobody can report it again.
    /// - Returns: whether it was reported.
    package func keep(_ post: ID) throws(VaultError) -> Bool {
        try decide(post) { post throws(VaultError) in
            var kept = post
            kept.isJudged = true
            try PostRows(store, keys).write(kept)
        } comment: { comment throws(VaultError) in
            var kept = comment
            kept.isJudged = true
            try CommentRows(store, keys).write(kept)
        }
    }

    /// - Parameters:
    ///   - body: what to do with the post, if its author has not deleted it.
    ///   - comment: the same for a comment.
    private func decide(
        _ post: ID, _ body: (Post) throws(VaultError) -> Void, comment: (PostComment) throws(VaultError) -> Void
    ) throws(VaultError) -> Bool {
        let (posts, comments) = (PostRows(store, keys), CommentRows(store, keys))
        func people() throws(VaultError) -> Set<ID> {
            let reporters = Set(try reports("post = ?", post).map(\.reporter))
            let found = try posts.post(post)
            let givers = try ThumbRows(store, keys).givers(to: found.map { [$0] } ?? [])
            let writers = try comments.writers(on: found.map { [$0] } ?? [])
            return reporters.union(givers).union(writers)
                .union([try open(post)?.author, found?.author].compactMap { $0 })
        }
        return try store.change(naming: try people()) { () throws(VaultError) in
            let copies = try store.database.execute(
                "DELETE FROM reported_posts WHERE post = ?", [.text(post.text)])
            guard copies > 0 else { return false }
            try store.database.execute("DELETE FROM post_reports WHERE post = ?", [.text(post.text)])
            if let found = try posts.post(post) { try body(found) }
            if let found = try comments.comment(post) { try comment(found) }
            return true
        }
    }
}
