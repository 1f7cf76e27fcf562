import Features
import Files
import Records
import Storage
import Telemetry

/// The table `partner_offers`, sealed under the row key of the person whose offer it is. In the clear is until when it can be found.
/// Belongs to the thread of its store and keys.
struct OfferRows {
    let store: Store
    let keys: Keys

    init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let schema = Schema(
        "partners/1",
        making: [
            Table(
                "partner_offers",
                [
                    .text("id"), .text("person"), .integer("expires_ms"), .integer("secret_version"), .blob("sealed"),
                ], key: ["id"],
                indexes: [
                    Index("partner_offers_by_person", ["person"]), Index("partner_offers_by_end", ["expires_ms"]),
                ])
        ])

    static let table = SealedTable("partner_offers", key: "id", exported: .shown(in: "partners.json")) {
        row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
    }

    private static func context(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("partner offer", id, user.text, "\(version)")
    }

    // MARK: Writing, within a transaction that names the person

    /// Keeps an offer, in place of the row that it had.
    func write(_ offer: PartnerOffer, of user: ID) throws(VaultError) {
        let id = offer.id.text
        let (version, sealed) = try keys.seal(offer.own.bytes, of: user, "an offer") { Self.context(id, user, $0) }
        try store.database.execute(
            """
            INSERT INTO partner_offers (id, person, expires_ms, secret_version, sealed) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                expires_ms = excluded.expires_ms, secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [.text(id), .text(user.text), .integer(offer.expires), .integer(version), .blob(sealed)])
    }

    func remove(_ id: ID, of user: ID) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM partner_offers WHERE id = ? AND person = ?", [.text(id.text), .text(user.text)])
    }

    /// Whose offers are over.
    func peopleWithEnded(at time: Int64) throws(VaultError) -> [ID] {
        try store.database.query(
            "SELECT DISTINCT person FROM partner_offers WHERE expires_ms <= ?", [.integer(time)], row: Row.text
        ).compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }

    func removeEnded(of user: ID, at time: Int64) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM partner_offers WHERE person = ? AND expires_ms <= ?", [.text(user.text), .integer(time)])
    }

    // MARK: Reading

    /// An offer, and whose it is.
    typealias Entry = (user: ID, offer: PartnerOffer)

    /// An offer that can be found; nil if there is none.
    func offer(_ id: ID, now: Int64) throws(VaultError) -> Entry? {
        try rows("id = ? AND expires_ms > ?", [.text(id.text), .integer(now)], now: now).compactMap(\.entry).first
    }

    /// A person's offers that can be found, in the order in which they were made.
    func offers(of user: ID, now: Int64) throws(VaultError) -> [PartnerOffer] {
        try rows("person = ? AND expires_ms > ?", [.text(user.text), .integer(now)], now: now)
            .compactMap(\.entry?.offer)
            .sorted { ($0.since, $0.id.text) < ($1.since, $1.id.text) }
    }

    /// Offers of everybody that can be found, after an id, in the order of their ids, which says nothing.
    func offers(after id: String, limit: Int, now: Int64) throws(VaultError) -> [(id: String, entry: Entry?)] {
        try rows(
            "id > ? AND expires_ms > ? ORDER BY id LIMIT ?", [.text(id), .integer(now), .integer(Int64(limit))],
            now: now)
    }

    /// - Parameter now: offers that are over by then are left out, whatever the row says in the clear: when they end is sealed along.
    /// - Returns: the rows' ids, and what they say, as far as they open.
    private func rows(
        _ condition: String, _ values: [Value], now: Int64
    ) throws(VaultError) -> [(id: String, entry: Entry?)] {
        let rows = try store.database.query(
            "SELECT id, person, secret_version, sealed FROM partner_offers WHERE \(condition)", values
        ) { row throws(VaultError) in
            (id: try row.text("id"), person: try row.text("person"), sealed: try row.sealedRow())
        }
        var found: [(id: String, entry: Entry?)] = []
        for row in rows {
            var entry: Entry?
            if let user = decoded({ () throws(MalformedValue) in try ID(row.person) }),
                let bytes = try keys.open(row.sealed, of: user, { Self.context(row.id, user, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                let offer = PartnerOffer(kept: json), offer.expires > now
            {
                entry = (user, offer)
            }
            found.append((row.id, entry))
        }
        return found
    }
}
