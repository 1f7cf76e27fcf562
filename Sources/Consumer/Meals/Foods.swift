import Features
package import Files
package import Records
import Storage
package import Telemetry

/// The table `foods`: what a person eats again and again, sealed under the person's row key. Belongs to the thread of its store
/// and keys.
package struct Foods {
    /// How many a person may have.
    package static let most = 500

    private let store: Store
    private let keys: Keys

    package init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let table = SealedTable("foods", key: "id", exported: .shown(in: "foods.json")) {
        row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
    }

    private static func context(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("food", id, user.text, "\(version)")
    }

    // MARK: Writing, within a transaction

    package func add(_ food: Food, of user: ID) throws(VaultError) {
        let id = food.id.text
        let (version, sealed) = try keys.seal(food.kept.bytes, of: user, "a food") { Self.context(id, user, $0) }
        try store.database.execute(
            "INSERT INTO foods (id, person, secret_version, sealed) VALUES (?, ?, ?, ?)",
            [.text(id), .text(user.text), .integer(version), .blob(sealed)])
    }

    /// - Returns: whether the person had it.
    func remove(_ id: ID, of user: ID) throws(VaultError) -> Bool {
        try store.database.execute(
            "DELETE FROM foods WHERE id = ? AND person = ?", [.text(id.text), .text(user.text)]) > 0
    }

    // MARK: Reading

    /// Those of a person, in the order of their ids.
    package func all(of user: ID) throws(VaultError) -> [Food] { try read("person = ?", [.text(user.text)], of: user) }

    /// At most so many of those with ids after one.
    func page(of user: ID, after id: ID?, limit: Int) throws(VaultError) -> [Food] {
        try read(
            "person = ? AND id > ? ORDER BY id LIMIT ?", [.text(user.text), .text(id?.text ?? ""), .integer(limit)],
            of: user)
    }

    func food(_ id: ID, of user: ID) throws(VaultError) -> Food? {
        try read("person = ? AND id = ?", [.text(user.text), .text(id.text)], of: user).first
    }

    private func read(_ condition: String, _ values: [Value], of user: ID) throws(VaultError) -> [Food] {
        let rows = try store.database.query("SELECT id, secret_version, sealed FROM foods WHERE \(condition)", values) {
            row throws(VaultError) in (id: try row.text("id"), row: try row.sealedRow())
        }
        var foods: [Food] = []
        for row in rows {
            guard let bytes = try keys.open(row.row, of: user, { Self.context(row.id, user, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                let food = Food(kept: json)
            else { continue }
            foods.append(food)
        }
        return foods.sorted { $0.id.text < $1.id.text }
    }
}
