import Features
import Files
import Records
import Storage
import Telemetry

// A thumb is sealed under the key of the person who has given it, so it goes with them; how many thumbs a post has stands in the
// post, under its author's key, and is changed in the same transaction. Nobody but its giver can look up a thumb, not even the
// author. A thumb that was taken back leaves its row until the post goes, because its author was told of it and is not told again. The row
// also says by which id the author was told of its giver, so that the name can be taken from there.

/// A thumb for a post, or one that was taken back.
enum Thumb: String, CaseIterable {
    case up, down
}

/// What somebody has done with a post.
struct GivenThumb {
    let post: ID
    let author: ID
    /// Nil for a thumb that was taken back.
    var thumb: Thumb?
    /// By which id the author was told of its giver; nil if they were not told.
    var told: ID?
}

/// Reads and writes thumbs. Belongs to the thread of its store and keys.
struct ThumbRows {
    /// How many people may give one post a thumb.
    static let most: Int64 = 1000

    let store: Store
    let keys: Keys

    init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let table = SealedTable("post_thumbs", key: "post", exported: .shown(in: "posts.json")) {
        row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
    }

    private static func context(_ post: String, _ giver: ID, _ version: Int64) -> RowContext {
        RowContext("post thumb", post, giver.text, "\(version)")
    }

    /// What somebody has done with a post; nil if nothing.
    func given(to post: ID, by giver: ID) throws(VaultError) -> GivenThumb? {
        try read("post = ? AND person = ?", [.text(post.text), .text(giver.text)], giver).first
    }

    /// What somebody has done with all posts.
    func given(by giver: ID) throws(VaultError) -> [GivenThumb] { try read("person = ?", [.text(giver.text)], giver) }

    private func read(_ condition: String, _ values: [Value], _ giver: ID) throws(VaultError) -> [GivenThumb] {
        let rows = try store.database.query(
            "SELECT post, author, secret_version, sealed FROM post_thumbs WHERE \(condition) ORDER BY post", values
        ) { row throws(VaultError) in
            (post: try row.text("post"), author: try row.text("author"), row: try row.sealedRow())
        }
        var thumbs: [GivenThumb] = []
        for row in rows {
            guard let post = ID(kept: row.post), let author = ID(kept: row.author),
                let bytes = try keys.open(row.row, of: giver, { Self.context(row.post, giver, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) })
            else { continue }
            var given = GivenThumb(post: post, author: author, told: json["told"].flatMap(ID.init(kept:)))
            if case .string(let word)? = json["thumb"] { given.thumb = Thumb(rawValue: word) }
            thumbs.append(given)
        }
        return thumbs
    }

    /// How many people have given a post a thumb at any time.
    func count(for post: ID) throws(VaultError) -> Int64 {
        try store.database.first(
            "SELECT count(*) FROM post_thumbs WHERE post = ?", [.text(post.text)], row: Row.int) ?? 0
    }

    /// The people who have given thumbs to some of an author's posts.
    func givers(to posts: [Post]) throws(VaultError) -> Set<ID> {
        var givers: Set<ID> = []
        for post in posts {
            givers.formUnion(
                try store.database.query(
                    "SELECT person FROM post_thumbs WHERE post = ?", [.text(post.id.text)], row: Row.text
                ).compactMap(ID.init(kept:)))
        }
        return givers
    }

    /// The people to whose posts somebody has given thumbs, and those who have given thumbs to theirs.
    func others(of user: ID) throws(VaultError) -> Set<ID> {
        let rows = try store.database.query(
            "SELECT person, author FROM post_thumbs WHERE person = ?1 OR author = ?1", [.text(user.text)]
        ) { row throws(VaultError) in [try row.text("person"), try row.text("author")] }
        return Set(rows.joined().compactMap(ID.init(kept:)))
    }

    // MARK: Writing, within a transaction

    /// Keeps what somebody has done with a post, in place of what they had done before, and counts it in the post.
    func write(_ given: GivenThumb, by giver: ID, to post: Post) throws(VaultError) {
        let before = try self.given(to: post.id, by: giver)
        let json = JSON.object(present: [
            "thumb": given.thumb.map { .string($0.rawValue) }, "told": given.told.map { .string($0.text) },
        ])
        let (version, sealed) = try keys.seal(json.bytes, of: giver, "a thumb") {
            Self.context(post.id.text, giver, $0)
        }
        try store.database.execute(
            """
            INSERT INTO post_thumbs (post, person, author, secret_version, sealed) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (post, person) DO UPDATE SET secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [
                .text(post.id.text), .text(giver.text), .text(post.author.text), .integer(version), .blob(sealed),
            ])
        try PostRows(store, keys).write(post.with(before?.thumb, by: -1).with(given.thumb, by: 1))
    }

    /// Takes back everything that somebody has given, as if they had never been there, and their name from what authors were told.
    func removeAll(of giver: ID) throws(VaultError) {
        let (posts, notifications) = (PostRows(store, keys), Notifications(store, keys))
        var told: [ID: Set<ID>] = [:]
        for given in try given(by: giver) {
            if let id = given.told { told[given.author, default: []].insert(id) }
            // What is the giver's own goes anyway, and must not be sealed again under a later secret.
            guard given.author != giver, let post = try posts.post(given.post) else { continue }
            try posts.write(post.with(given.thumb, by: -1))
        }
        for (author, ids) in told { try notifications.forgetName(knownAs: ids, in: [.postThumb], toldTo: author) }
        try store.database.execute("DELETE FROM post_thumbs WHERE person = ?", [.text(giver.text)])
    }
}

extension Post {
    /// The same with another number of thumbs of one kind.
    fileprivate func with(_ thumb: Thumb?, by change: Int64) -> Post {
        var post = self
        switch thumb {
        case .up?: post.ups = max(0, ups + change)
        case .down?: post.downs = max(0, downs + change)
        case nil: break
        }
        return post
    }
}
