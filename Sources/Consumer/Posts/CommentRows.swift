import Features
import Files
import Records
import Storage
import Telemetry

// A comment is sealed under the key of the person who has written it, so it goes with them; with the post it goes as thumbs do. Its
// writer, its post and its time are in the clear.

/// What somebody has written about a post.
struct PostComment: Equatable {
    let id: ID
    let post: ID
    /// Of the post.
    let author: ID
    let writer: ID
    /// Unix milliseconds.
    let time: Int64
    let text: String
    /// The writer's id in the author's notification of this comment or an earlier one; nil if the author was not notified.
    var told: ID?
    /// Whether the operator has checked it and lets it stay.
    var isJudged = false
}

/// Reads and writes comments. Belongs to the thread of its store and keys.
struct CommentRows {
    /// How many a post has, and how many of them one person may have written.
    static let (most, mostOfWriter): (Int64, Int64) = (200, 20)
    /// No text is longer, in characters and in bytes.
    static let longestText = (characters: 500, bytes: 2000)

    let store: Store
    let keys: Keys

    init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let schema = Schema(
        "posts/2",
        making: [
            Table(
                "post_comments",
                [
                    .text("id"), .text("post"), .text("person"), .text("author"), .integer("time_ms"),
                    .integer("secret_version"), .blob("sealed"),
                ], key: ["id"],
                indexes: [
                    Index("post_comments_by_time", ["post", "time_ms", "id"]),
                    Index("post_comments_by_person", ["person"]), Index("post_comments_by_author", ["author"]),
                ])
        ])

    static let table = SealedTable("post_comments", key: "id", exported: .shown(in: "posts.json")) {
        row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
    }

    private static func context(_ id: String, _ writer: ID, _ version: Int64) -> RowContext {
        RowContext("post comment", id, writer.text, "\(version)")
    }

    // MARK: Writing, within a transaction

    /// Keeps a comment, in place of what it was before.
    func write(_ comment: PostComment) throws(VaultError) {
        let json = JSON.object(present: [
            "text": .string(comment.text), "time": .integer(comment.time), "post": .string(comment.post.text),
            "told": comment.told.map { .string($0.text) }, "judged": comment.isJudged ? true : nil,
        ])
        let (version, sealed) = try keys.seal(json.bytes, of: comment.writer, "a comment") {
            Self.context(comment.id.text, comment.writer, $0)
        }
        try store.database.execute(
            """
            INSERT INTO post_comments (id, post, person, author, time_ms, secret_version, sealed) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [
                .text(comment.id.text), .text(comment.post.text), .text(comment.writer.text),
                .text(comment.author.text), .integer(comment.time), .integer(version), .blob(sealed),
            ])
    }

    func remove(_ id: ID) throws(VaultError) {
        try store.database.execute("DELETE FROM post_comments WHERE id = ?", [.text(id.text)])
    }

    /// Removes everything that somebody has written, and their name from the authors' notifications.
    func removeAll(of writer: ID) throws(VaultError) {
        var told: [ID: Set<ID>] = [:]
        for comment in try comments(of: writer) {
            if let id = comment.told { told[comment.author, default: []].insert(id) }
        }
        let notifications = Notifications(store, keys)
        // Some authors were notified of comments that have been deleted since.
        for author in try notifications.people(toldOf: writer).union(told.keys) {
            try notifications.forgetName(
                of: writer, knownAs: told[author] ?? [], in: [.postComment], toldTo: author)
        }
        try store.database.execute("DELETE FROM post_comments WHERE person = ?", [.text(writer.text)])
    }

    // MARK: Reading

    /// A comment; nil if it does not exist or cannot be opened.
    func comment(_ id: ID) throws(VaultError) -> PostComment? { try read("id = ?", [.text(id.text)]).first }

    /// All comments of a person, the first first.
    func comments(of writer: ID) throws(VaultError) -> [PostComment] {
        try read("person = ? ORDER BY time_ms, id", [.text(writer.text)])
    }

    /// The comments on a post after a place, the first first.
    func comments(
        on post: ID, after place: PostRows.Place?, atMost limit: Int
    ) throws(VaultError) -> [PostComment] {
        let later = place == nil ? "" : " AND time_ms >= ? AND (time_ms > ? OR id > ?)"
        let bounds = place.map { [Value.integer($0.time), .integer($0.time), .text($0.post.text)] } ?? []
        let values = [Value.text(post.text)] + bounds + [.integer(limit)]
        return try read("post = ?\(later) ORDER BY time_ms, id LIMIT ?", values)
    }

    private func read(_ rest: String, _ values: [Value]) throws(VaultError) -> [PostComment] {
        let rows = try store.database.query(
            "SELECT id, post, person, author, time_ms, secret_version, sealed FROM post_comments WHERE \(rest)", values
        ) { row throws(VaultError) in
            (
                ids: [try row.text("id"), try row.text("post"), try row.text("person"), try row.text("author")],
                time: try row.int("time_ms"), row: try row.sealedRow()
            )
        }
        var comments: [PostComment] = []
        for row in rows {
            let ids = row.ids.compactMap(ID.init(kept:))
            guard ids.count == 4,
                let bytes = try keys.open(row.row, of: ids[2], { Self.context(row.ids[0], ids[2], $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                case .string(let text)? = json["text"],
                // Nobody moves a comment to another post or another time.
                json["time"] == .integer(row.time), json["post"] == .string(row.ids[1])
            else { continue }
            comments.append(
                PostComment(
                    id: ids[0], post: ids[1], author: ids[3], writer: ids[2], time: row.time, text: text,
                    told: json["told"].flatMap(ID.init(kept:)), isJudged: json["judged"] == true))
        }
        return comments
    }

    /// How many comments a post has, or those of one person.
    func count(on post: ID, by writer: ID? = nil) throws(VaultError) -> Int64 {
        let own = writer.map { [Value.text($0.text)] } ?? []
        return try store.database.first(
            "SELECT count(*) FROM post_comments WHERE post = ?\(own.isEmpty ? "" : " AND person = ?")",
            [.text(post.text)] + own, row: Row.int) ?? 0
    }

    /// How many comments on a post each person has written.
    func counts(on post: ID) throws(VaultError) -> [(writer: ID, number: Int64)] {
        let rows = try store.database.query(
            "SELECT person, count(*) AS count FROM post_comments WHERE post = ? GROUP BY person", [.text(post.text)]
        ) { row throws(VaultError) in (person: try row.text("person"), number: try row.int("count")) }
        var counts: [(writer: ID, number: Int64)] = []
        for row in rows { if let writer = ID(kept: row.person) { counts.append((writer, row.number)) } }
        return counts
    }

    /// Those who have written about some posts.
    func writers(on posts: [Post]) throws(VaultError) -> Set<ID> {
        var writers: Set<ID> = []
        for post in posts {
            writers.formUnion(
                try store.database.query(
                    "SELECT DISTINCT person FROM post_comments WHERE post = ?", [.text(post.id.text)], row: Row.text
                ).compactMap(ID.init(kept:)))
        }
        return writers
    }

    /// The people about whose posts somebody has written, and those who have written about theirs.
    func others(of user: ID) throws(VaultError) -> Set<ID> {
        let rows = try store.database.query(
            "SELECT person, author FROM post_comments WHERE person = ?1 OR author = ?1", [.text(user.text)]
        ) { row throws(VaultError) in [try row.text("person"), try row.text("author")] }
        return Set(rows.joined().compactMap(ID.init(kept:)))
    }
}
