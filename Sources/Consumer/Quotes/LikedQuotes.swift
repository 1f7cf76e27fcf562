import Features
import Files
package import Records
import Storage
import Telemetry

/// A quote that somebody likes.
struct LikedQuote {
    /// As it was when they liked it: it may have gone from the catalogue since.
    let quote: Quote
    /// When that was, in Unix milliseconds.
    let time: Int64
}

/// The table `liked_quotes`: a row for each quote that a person likes, sealed under the person's row key. The row's id tells
/// nothing without the root key. Belongs to the thread of its store and keys.
package struct LikedQuotes {
    /// How many a person may like.
    package static let most = 500

    private let store: Store
    private let keys: Keys

    package init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let schema = Schema(
        "quotes/1",
        making: [
            Table(
                "liked_quotes", [.text("id"), .text("person"), .integer("secret_version"), .blob("sealed")],
                key: ["id"],
                indexes: [Index("liked_quotes_by_person", ["person"])])
        ])

    static let table = SealedTable("liked_quotes", key: "id", exported: .shown(in: "quotes.json")) {
        row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
    }

    private static func context(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("liked quote", id, user.text, "\(version)")
    }

    private func id(_ quote: ID, _ user: ID) throws(VaultError) -> String {
        hexadecimal(try keys.lookup("liked quote", "\(user) \(quote)").prefix(16))
    }

    // MARK: Writing, within a transaction

    /// Keeps that a person likes a quote, unless they do already.
    func add(_ quote: Quote, of user: ID, now: Int64) throws(VaultError) {
        let id = try id(quote.id, user)
        let kept: JSON = [
            "quote": .string(quote.id.text), "en": .string(quote.english), "de": .string(quote.german),
            "time": .integer(now),
        ]
        let (version, sealed) = try keys.seal(kept.bytes, of: user, "a quote") { Self.context(id, user, $0) }
        try store.database.execute(
            """
            INSERT INTO liked_quotes (id, person, secret_version, sealed) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
            """, [.text(id), .text(user.text), .integer(version), .blob(sealed)])
    }

    func remove(_ quote: ID, of user: ID) throws(VaultError) {
        try store.database.execute("DELETE FROM liked_quotes WHERE id = ?", [.text(try id(quote, user))])
    }

    // MARK: Reading

    func contains(_ quote: ID, of user: ID) throws(VaultError) -> Bool {
        try store.database.first(
            "SELECT 1 FROM liked_quotes WHERE id = ?", [.text(try id(quote, user))], row: Row.int) != nil
    }

    func count(of user: ID) throws(VaultError) -> Int64 {
        try store.database.first(
            "SELECT count(*) FROM liked_quotes WHERE person = ?", [.text(user.text)], row: Row.int) ?? 0
    }

    /// Those of a person, the latest first.
    func all(of user: ID) throws(VaultError) -> [LikedQuote] {
        let rows = try store.database.query(
            "SELECT id, secret_version, sealed FROM liked_quotes WHERE person = ?", [.text(user.text)]
        ) { row throws(VaultError) in (id: try row.text("id"), row: try row.sealedRow()) }
        var liked: [LikedQuote] = []
        for row in rows {
            guard let bytes = try keys.open(row.row, of: user, { Self.context(row.id, user, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                let quote = LikedQuote(kept: json)
            else { continue }
            liked.append(quote)
        }
        return liked.sorted { ($0.time, $0.quote.id.text) > ($1.time, $1.quote.id.text) }
    }
}

extension LikedQuote {
    fileprivate init?(kept json: JSON) {
        guard let id = json["quote"].flatMap({ ID(kept: $0) }), case .string(let english)? = json["en"],
            case .string(let german)? = json["de"], case .integer(let time)? = json["time"]
        else { return nil }
        self.init(quote: Quote(id: id, english: english, german: german), time: time)
    }
}
