import Accounts
import Features
import Files
import FoundationEssentials
import Records
import Storage
import Telemetry

// Five tables:
//
//     posts            a post, sealed under its author's row key; in the clear are author and time
//     post_pictures    its picture, sealed in the same way: lists do not open pictures
//     post_audiences   for whom it is: friends of an author, or a group. It is an index, by which the latest post for somebody is
//                      found without opening any other; what counts is what the post itself says
//     post_thumbs      a thumb, sealed under the key of the person who has given it: see ThumbRows.swift
//     post_comments    a comment, sealed in the same way: see CommentRows.swift
//
// What is reported has tables of its own: see ReportRows.swift.

/// For whom a post is.
enum Audience: Hashable {
    case friends(of: ID)
    case group(ID)

    var text: String {
        switch self {
        case .friends(let author): "friends/\(author)"
        case .group(let group): "group/\(group)"
        }
    }
}

extension Post {
    var audiences: [Audience] { (isForFriends ? [.friends(of: author)] : []) + groups.map(Audience.group) }
}

/// Reads and writes posts. Belongs to the thread of its store and keys.
struct PostRows {
    let store: Store
    let keys: Keys

    init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let schema = first + CommentRows.schema

    private static let first = Schema(
        "posts/1",
        making: [
            Table(
                "posts",
                [.text("id"), .text("person"), .integer("time_ms"), .integer("secret_version"), .blob("sealed")],
                key: ["id"], indexes: [Index("posts_by_time", ["person", "time_ms", "id"])]),
            Table(
                "post_pictures", [.text("post"), .text("person"), .integer("secret_version"), .blob("sealed")],
                key: ["post"], indexes: [Index("post_pictures_by_person", ["person"])]),
            Table(
                "post_audiences", [.text("post"), .text("audience"), .text("person"), .integer("time_ms")],
                key: ["post", "audience"],
                indexes: [
                    Index("post_audiences_by_time", ["audience", "time_ms", "post"]),
                    Index("post_audiences_by_person", ["person"]),
                ]),
            Table(
                "post_thumbs",
                [.text("post"), .text("person"), .text("author"), .integer("secret_version"), .blob("sealed")],
                key: ["post", "person"],
                indexes: [
                    Index("post_thumbs_by_person", ["person"]), Index("post_thumbs_by_author", ["author"]),
                ]),
            Table(
                "post_reports",
                [
                    .text("post"), .text("person"), .text("author"), .integer("time_ms"), .integer("secret_version"),
                    .blob("sealed"),
                ], key: ["post", "person"],
                indexes: [
                    Index("post_reports_by_person", ["person"]), Index("post_reports_by_author", ["author"]),
                ]),
            Table(
                "reported_posts",
                [.text("post"), .text("person"), .integer("time_ms"), .integer("secret_version"), .blob("sealed")],
                key: ["post"], indexes: [Index("reported_posts_by_person", ["person", "time_ms"])]),
        ])

    static let tables = [
        SealedTable("posts", key: "id", exported: .shown(in: "posts.json")) { row, user, version throws(VaultError) in
            context(try row.text("entry"), user, version)
        },
        SealedTable("post_pictures", key: "post", exported: .shown(in: "post-picture")) {
            row, user, version throws(VaultError) in pictureContext(try row.text("entry"), user, version)
        },
    ]

    private static func context(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("post", id, user.text, "\(version)")
    }

    private static func pictureContext(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("post picture", id, user.text, "\(version)")
    }
}

// MARK: Writing, within a transaction

extension PostRows {
    /// Keeps a new post.
    func add(_ post: Post, _ picture: Picture?) throws(VaultError) {
        try write(post)
        for audience in post.audiences {
            try store.database.execute(
                "INSERT INTO post_audiences (post, audience, person, time_ms) VALUES (?, ?, ?, ?)",
                [.text(post.id.text), .text(audience.text), .text(post.author.text), .integer(post.time)])
        }
        guard let picture else { return }
        let (version, sealed) = try keys.seal(picture.json.bytes, of: post.author, "a picture") {
            Self.pictureContext(post.id.text, post.author, $0)
        }
        try store.database.execute(
            "INSERT INTO post_pictures (post, person, secret_version, sealed) VALUES (?, ?, ?, ?)",
            [.text(post.id.text), .text(post.author.text), .integer(version), .blob(sealed)])
    }

    /// Keeps what a post says now.
    func write(_ post: Post) throws(VaultError) {
        let (version, sealed) = try keys.seal(post.kept.bytes, of: post.author, "a post") {
            Self.context(post.id.text, post.author, $0)
        }
        try store.database.execute(
            """
            INSERT INTO posts (id, person, time_ms, secret_version, sealed) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [
                .text(post.id.text), .text(post.author.text), .integer(post.time), .integer(version), .blob(sealed),
            ])
    }

    /// Removes a post with its picture, thumbs and comments, and its author's notifications about it. What was reported stays until the
    /// operator has decided.
    func remove(_ post: Post) throws(VaultError) {
        for (table, column) in [
            ("posts", "id"), ("post_pictures", "post"), ("post_audiences", "post"), ("post_thumbs", "post"),
            ("post_comments", "post"),
        ] { try store.database.execute("DELETE FROM \(table) WHERE \(column) = ?", [.text(post.id.text)]) }
        try Notifications(store, keys).remove(about: post.id, of: post.author)
    }
}

// MARK: Reading

extension PostRows {
    /// Where a post is in the order of all: by time, and by id where two have the same time.
    struct Place: Hashable, Comparable {
        let time: Int64
        let post: ID

        static func < (one: Place, other: Place) -> Bool {
            (one.time, one.post.text) < (other.time, other.post.text)
        }
    }

    /// A post; nil if there is none, or it cannot be opened.
    func post(_ id: ID) throws(VaultError) -> Post? { try posts("id = ?", [.text(id.text)]).first }

    /// All posts of an author, the latest first.
    func posts(of author: ID) throws(VaultError) -> [Post] {
        try posts("person = ?", [.text(author.text)]).sorted { ($0.time, $0.id.text) > ($1.time, $1.id.text) }
    }

    /// Whether somebody has posted anything that is still there.
    func hasAny(of author: ID) throws(VaultError) -> Bool {
        try store.database.first("SELECT 1 FROM posts WHERE person = ? LIMIT 1", [.text(author.text)], row: Row.int)
            != nil
    }

    /// Whether somebody has posted anything to a group that is still there.
    func hasAny(of author: ID, for group: ID) throws(VaultError) -> Bool {
        try store.database.first(
            "SELECT 1 FROM post_audiences WHERE audience = ? AND person = ? LIMIT 1",
            [.text(Audience.group(group).text), .text(author.text)], row: Row.int) != nil
    }

    /// The posts of an author that a new one pushes out.
    func displaced(of author: ID) throws(VaultError) -> [Post] {
        try posts(
            """
            id IN (SELECT id FROM posts WHERE person = ? ORDER BY time_ms DESC, id DESC
                LIMIT 9223372036854775807 OFFSET ?)
            """, [.text(author.text), .integer(Post.most - 1)])
    }

    private func posts(_ condition: String, _ values: [Value]) throws(VaultError) -> [Post] {
        let rows = try store.database.query(
            "SELECT id, person, time_ms, secret_version, sealed FROM posts WHERE \(condition)", values
        ) { row throws(VaultError) in
            (
                id: try row.text("id"), person: try row.text("person"), time: try row.int("time_ms"),
                row: try row.sealedRow()
            )
        }
        var posts: [Post] = []
        for row in rows {
            guard let id = ID(kept: row.id), let author = ID(kept: row.person),
                let bytes = try keys.open(row.row, of: author, { Self.context(row.id, author, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                let post = Post(id: id, of: author, at: row.time, kept: json)
            else { continue }
            posts.append(post)
        }
        return posts
    }

    /// The places of the latest posts for somebody after a place, that is, before it in time.
    func places(
        for audience: Audience, after place: Place?, atMost limit: Int
    ) throws(VaultError) -> [(place: Place, author: ID)] {
        try places(
            "SELECT post, person, time_ms FROM post_audiences WHERE audience = ?", .text(audience.text), "post", place,
            limit)
    }

    /// The same of an author's own, whoever they are for.
    func places(of author: ID, after place: Place?, atMost limit: Int) throws(VaultError) -> [(place: Place, author: ID)]
    {
        try places(
            "SELECT id AS post, person, time_ms FROM posts WHERE person = ?", .text(author.text), "id", place, limit)
    }

    private func places(
        _ sql: String, _ value: Value, _ id: String, _ place: Place?, _ limit: Int
    ) throws(VaultError) -> [(place: Place, author: ID)] {
        // The first condition alone bounds what is read of the index.
        let later = place == nil ? "" : " AND time_ms <= ? AND (time_ms < ? OR \(id) < ?)"
        let bounds = place.map { [Value.integer($0.time), .integer($0.time), .text($0.post.text)] } ?? []
        return try store.database.query(
            "\(sql)\(later) ORDER BY time_ms DESC, \(id) DESC LIMIT ?", [value] + bounds + [.integer(limit)]
        ) { row throws(VaultError) in
            (post: try row.text("post"), person: try row.text("person"), time: try row.int("time_ms"))
        }.compactMap { row in
            guard let post = ID(kept: row.post), let author = ID(kept: row.person) else { return nil }
            return (Place(time: row.time, post: post), author)
        }
    }

    /// A post's picture: its type, its size and itself in base64; nil if there is none.
    func picture(_ id: ID, of author: ID) throws(VaultError) -> JSON? {
        let row = try store.database.first(
            "SELECT secret_version, sealed FROM post_pictures WHERE post = ? AND person = ?",
            [.text(id.text), .text(author.text)]
        ) { row throws(VaultError) in try row.sealedRow() }
        guard let row,
            let bytes = try keys.open(row, of: author, { Self.pictureContext(id.text, author, $0) })
        else { return nil }
        return decoded { () throws(MalformedValue) in try JSON(payload: bytes) }
    }
}
