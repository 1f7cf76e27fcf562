import Files
import Records
import Storage
import Telemetry

// What is on its way is a row for each notification and each address of its person, with ids only. It is inserted in the
// transaction that keeps the notification, and removed when Apprise has said that the receiver has it. So each notification
// goes to each address once, whatever is killed, with one exception: if the consumer is killed after the receiver has taken
// a notification, and before the row is removed, the next run brings it again, under the same id.

/// The rows of `push_queue`. Belongs to the thread of its store.
struct PushQueue {
    static let schema = Schema(
        "push/1",
        making: [
            Table(
                "push_queue",
                [
                    .number("number"), .text("person"), .text("address"), .text("notification"), .integer("urgent"),
                    .integer("created_ms"), .integer("tries", usually: 0),
                ], unique: [["address", "notification"]], indexes: [Index("push_queue_by_person", ["person"])])
        ])

    /// How many rows there may be of one person; the oldest ones go first, and alerts last.
    static let mostOfPerson = 100
    /// How many places there are for rows of all people, and how many of these are for alerts, which have no others.
    static let (most, reserve) = (10_000, 2_000)
    /// How long it is tried, in milliseconds.
    static let lifetime: Int64 = 86_400_000

    let store: Store

    /// A notification that is on its way to an address.
    struct Row: Hashable {
        let number: Int64
        let person: ID
        let address: ID
        let notification: String
        let isUrgent: Bool
        /// How often it was tried.
        let tries: Int
    }

    /// An address to which something is on its way.
    struct Waiting: Hashable {
        let person: ID
        let address: ID
        let hasUrgent: Bool
    }

    /// Adds a notification for some addresses of a person, within the transaction that keeps it. Alerts have places of their own.
    /// Where all places of all people are taken, the person who has most of them makes room.
    /// - Returns: whether there was room.
    func add(
        _ notification: String, for addresses: [ID], of person: ID, isUrgent: Bool, now: Int64
    ) throws(VaultError) -> Bool {
        guard try makeRoom(for: addresses.count, of: person, isUrgent: isUrgent) else { return false }
        for address in addresses {
            try store.database.execute(
                """
                INSERT INTO push_queue (person, address, notification, urgent, created_ms) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (address, notification) DO NOTHING
                """,
                [
                    .text(person.text), .text(address.text), .text(notification), .integer(isUrgent ? 1 : 0),
                    .integer(now),
                ])
        }
        try store.database.execute(
            """
            DELETE FROM push_queue WHERE number IN (
                SELECT number FROM push_queue WHERE person = ?1 ORDER BY urgent DESC, number DESC
                LIMIT 9223372036854775807 OFFSET ?2)
            """, [.text(person.text), .integer(Self.mostOfPerson)])
        return true
    }

    /// Removes the oldest rows of the person who has most of this urgency, if all places are taken and that person has more
    /// than `person` will have.
    /// - Returns: whether there is room for `count` rows.
    private func makeRoom(for count: Int, of person: ID, isUrgent: Bool) throws(VaultError) -> Bool {
        let (urgent, places) = (Value.integer(isUrgent ? 1 : 0), isUrgent ? Self.reserve : Self.most - Self.reserve)
        let taken = try store.database.first(
            "SELECT count(*) FROM push_queue WHERE urgent = ?", [urgent], row: Storage.Row.int)
        guard Int(taken ?? 0) + count > places else { return true }
        let own = try store.database.first(
            "SELECT count(*) FROM push_queue WHERE urgent = ? AND person = ?", [urgent, .text(person.text)],
            row: Storage.Row.int)
        let most = try store.database.first(
            """
            SELECT person, count(*) AS waiting FROM push_queue WHERE urgent = ?
            GROUP BY person ORDER BY waiting DESC, person LIMIT 1
            """, [urgent]
        ) { row throws(VaultError) in (person: try row.text("person"), waiting: Int(try row.int("waiting"))) }
        guard let most, most.waiting - count >= Int(own ?? 0) + count else { return false }
        // A queue of before may have more rows than places: it becomes shorter by itself, since rows go after a day.
        try store.database.execute(
            """
            DELETE FROM push_queue WHERE number IN (
                SELECT number FROM push_queue WHERE urgent = ?1 AND person = ?2 ORDER BY number LIMIT ?3)
            """, [urgent, .text(most.person), .integer(count)])
        return true
    }

    /// The addresses to which something is on its way: those with alerts first, and then in the order in which it came.
    func waiting() throws(VaultError) -> [Waiting] {
        try store.database.query(
            """
            SELECT person, address, max(urgent) AS urgent, min(number) AS first FROM push_queue
            GROUP BY person, address ORDER BY urgent DESC, first
            """
        ) { row throws(VaultError) in
            (try row.text("person"), try row.text("address"), try row.int("urgent") != 0)
        }.compactMap { person, address, hasUrgent in
            guard let person = Self.id(person), let address = Self.id(address) else { return nil }
            return Waiting(person: person, address: address, hasUrgent: hasUrgent)
        }
    }

    /// What is to go to an address next.
    func next(to address: Waiting) throws(VaultError) -> Row? {
        try store.database.first(
            """
            SELECT number, notification, urgent, tries FROM push_queue WHERE person = ? AND address = ?
            ORDER BY urgent DESC, number LIMIT 1
            """, [.text(address.person.text), .text(address.address.text)]
        ) { row throws(VaultError) in
            Row(
                number: try row.int("number"), person: address.person, address: address.address,
                notification: try row.text("notification"), isUrgent: try row.int("urgent") != 0,
                tries: Int(try row.int("tries")))
        }
    }

    /// How much is on its way to each address of a person.
    func counts(of person: ID) throws(VaultError) -> [String: Int64] {
        var counts: [String: Int64] = [:]
        try store.database.forEach(
            "SELECT address, count(*) AS waiting FROM push_queue WHERE person = ? GROUP BY address",
            [.text(person.text)]
        ) { row throws(VaultError) in counts[try row.text("address")] = try row.int("waiting") }
        return counts
    }

    /// Removes a row, within a transaction. Its number may be another's by now, if it has gone already.
    func remove(_ row: Row) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM push_queue WHERE number = ? AND address = ? AND notification = ?", Self.values(row))
    }

    /// Removes all that is on its way to an address of a person, within a transaction.
    func remove(to address: ID, of person: ID) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM push_queue WHERE person = ? AND address = ?", [.text(person.text), .text(address.text)])
    }

    /// Counts a try that has failed, within a transaction.
    func countTry(_ row: Row) throws(VaultError) {
        try store.database.execute(
            "UPDATE push_queue SET tries = tries + 1 WHERE number = ? AND address = ? AND notification = ?",
            Self.values(row))
    }

    private static func values(_ row: Row) -> [Value] {
        [.integer(row.number), .text(row.address.text), .text(row.notification)]
    }

    /// Removes what was tried for too long.
    /// - Returns: how many rows.
    func removeExpired(now: Int64) throws(VaultError) -> Int {
        try store.database.transaction { () throws(VaultError) in
            try store.database.execute(
                "DELETE FROM push_queue WHERE created_ms <= ?", [.integer(now - Self.lifetime)])
        }
    }

    private static func id(_ text: String) -> ID? { decoded { () throws(MalformedValue) in try ID(text) } }
}
