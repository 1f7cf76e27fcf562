import Daemon
import Days
package import Desk
package import Fitness
package import Records
package import Storage
package import Telemetry

// Notifications to people: a goal is reached, somebody would like to be a friend, or cheers them on.
//
// A notification is inserted in the transaction that makes the change it is about: either both are there, or neither.
// After the commit it is published at QoS 1, in the order of insertion, until the broker has acknowledged it, and then
// it is marked (`published`), so that a consumer that is killed in between publishes it again, under the same id. A
// person who was not connected finds it in the list, until there are five hundred newer ones. Alerts are counted apart, so
// that nothing ordinary pushes them out. A person's programs recognise the ones that they know by the id, and the person
// confirms.

/// Hears of notifications, to bring them elsewhere.
package protocol NotificationObserver: AnyObject {
    /// A notification is kept for a person. Called within the transaction that keeps it; what throws rolls it back.
    func added(_ notification: Notification, _ id: String, to user: ID) throws(VaultError)
}

/// The notifications of all people. Belongs to the thread of its store and keys.
package final class Notifications {
    /// How many of a person's alerts are kept, and how many of their other notifications; confirmed ones go first.
    package static let mostOfEach = 500
    /// How many a person may have of both.
    package static let mostKept = 2 * mostOfEach

    package let store: Store
    package let documents: Documents
    /// Called within the transaction that adds one.
    var added: () -> Void = {}
    private var observers: [Observer] = []

    private struct Observer {
        weak var value: (any NotificationObserver)?
    }

    package init(_ store: Store, _ keys: Keys) {
        self.store = store
        documents = Documents(store: store, keys: keys)
    }

    /// - Parameter observer: is not kept alive.
    package func tell(_ observer: any NotificationObserver) { observers.append(Observer(value: observer)) }

    /// What a notification is sealed as.
    package static func label(_ id: String) -> String { "notification \(id)" }

    /// Keeps a notification for a person, who must have a secret, within the transaction that makes the change it is
    /// about.
    /// - Parameter other: the person whom it names; nil if it names nobody.
    /// - Returns: its id.
    @discardableResult
    package func add(
        _ notification: Notification, to user: ID, about other: ID? = nil
    ) throws(VaultError) -> String {
        let id = try drawnID().text
        let (version, sealed) = try documents.sealed(notification.json, Self.label(id), of: user)
        let alert = Value.integer(notification.isAlert ? 1 : 0)
        try store.database.execute(
            "INSERT INTO notifications (id, person, secret_version, sealed, alert, about) VALUES (?, ?, ?, ?, ?, ?)",
            [
                .text(id), .text(user.text), .integer(version), .blob(sealed), alert,
                try other.map { other throws(VaultError) in try key(about: other) } ?? .null,
            ])
        try store.database.execute(
            """
            DELETE FROM notifications WHERE number IN (
                SELECT number FROM notifications WHERE person = ?1 AND alert = ?2 ORDER BY confirmed, number DESC
                LIMIT 9223372036854775807 OFFSET ?3)
            """, [.text(user.text), alert, .integer(Self.mostOfEach)])
        for observer in observers { try observer.value?.added(notification, id, to: user) }
        added()
        return id
    }

    /// A notification of a person; nil if it is no longer kept, or cannot be opened.
    package func notification(_ id: String, of user: ID) throws(VaultError) -> StoredNotification? {
        let row = try store.database.first(
            "SELECT \(Row.columns) FROM notifications WHERE person = ? AND id = ?", [.text(user.text), .text(id)],
            row: Row.init)
        return try row.flatMap { row throws(VaultError) in try opened(row) }
    }

    /// Removes what a person is told of somebody, such as an invitation, within the transaction that ends it. The broker
    /// does not keep notifications that were published already.
    package func remove(_ kind: Notification.Kind, from: ID, of user: ID) throws(VaultError) {
        let rows = try store.database.query(
            "SELECT \(Row.columns) FROM notifications WHERE person = ?", [.text(user.text)], row: Row.init)
        for row in rows {
            guard let stored = try opened(row), stored.notification.kind == kind,
                stored.notification.from == from
            else { continue }
            try store.database.execute("DELETE FROM notifications WHERE number = ?", [.integer(row.number)])
        }
    }

    /// Removes what a person is told of one of their posts, within the transaction that removes the post.
    package func remove(about post: ID, of user: ID) throws(VaultError) {
        let rows = try store.database.query(
            "SELECT \(Row.columns) FROM notifications WHERE person = ?", [.text(user.text)], row: Row.init)
        for row in rows where try opened(row)?.notification.post == post {
            try store.database.execute("DELETE FROM notifications WHERE number = ?", [.integer(row.number)])
        }
    }

    /// What says in the clear about whom a notification is: somebody with the file alone learns from it only that two are
    /// about the same person.
    private func key(about other: ID) throws(VaultError) -> Value {
        .blob(try documents.keys.lookup("told of", other.text))
    }

    /// The people who were told something of a person, however long ago, and whatever has ended since.
    package func people(toldOf other: ID) throws(VaultError) -> Set<ID> {
        let people = try store.database.query(
            "SELECT DISTINCT person FROM notifications WHERE about = ?", [try key(about: other)]
        ) { row throws(VaultError) in try row.text("person") }
        return Set(people.compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } })
            .subtracting([other])
    }

    /// Takes somebody's name from what a person was told of them, within the transaction that forgets them. What kind of thing
    /// happened stays.
    /// - Parameters:
    ///   - other: whose name it is.
    ///   - names: the ids under which the person knows them, for notifications from before it was kept about whom they are.
    ///   - kinds: those that name somebody.
    package func forgetName(
        of other: ID, knownAs names: Set<ID>, in kinds: [Notification.Kind], toldTo user: ID
    ) throws(VaultError) {
        guard try documents.keys.version(of: user) != nil else { return }
        let about = Set(
            try store.database.query(
                "SELECT number FROM notifications WHERE person = ? AND about = ?",
                [.text(user.text), try key(about: other)]
            ) { row throws(VaultError) in try row.int("number") })
        try forgetName(inRows: about, knownAs: names, in: kinds, toldTo: user)
    }

    /// The same of what a person was told of somebody under these ids alone: what they were told elsewhere stays.
    package func forgetName(
        knownAs names: Set<ID>, in kinds: [Notification.Kind], toldTo user: ID
    ) throws(VaultError) {
        guard try documents.keys.version(of: user) != nil else { return }
        try forgetName(inRows: [], knownAs: names, in: kinds, toldTo: user)
    }

    private func forgetName(
        inRows about: Set<Int64>, knownAs names: Set<ID>, in kinds: [Notification.Kind], toldTo user: ID
    ) throws(VaultError) {
        guard !about.isEmpty || !names.isEmpty else { return }
        let rows = try store.database.query(
            "SELECT \(Row.columns) FROM notifications WHERE person = ?", [.text(user.text)], row: Row.init)
        let language = try language(of: user)
        for row in rows {
            guard var told = try opened(row)?.notification, let kind = kinds.first(where: { $0 == told.kind }),
                about.contains(row.number) || told.from.map(names.contains) ?? false
            else { continue }
            told.fromName = nil
            // A name cannot be found in a sentence: it may be a word of it.
            told.text = language(kind.neutral)
            let (version, sealed) = try documents.sealed(told.json, Self.label(row.id), of: user)
            try store.database.execute(
                "UPDATE notifications SET secret_version = ?, sealed = ?, about = NULL WHERE number = ?",
                [.integer(version), .blob(sealed), .integer(row.number)])
        }
    }

    /// The id, as requests use it, of the person that a notification is about; nil if there is no such notification,
    /// or it is about nobody.
    package func sender(of id: ID, to user: ID) throws(VaultError) -> ID? {
        try notification(id.text, of: user)?.notification.from
    }

    /// The phrases of a person's language.
    package func language(of user: ID) throws(VaultError) -> Language {
        guard case .string(let locale)? = try documents.read("profile", of: user)?["locale"] else { return .english }
        return Language.of(locale: locale)
    }

    /// The units in which a person reads numbers.
    package func units(of user: ID) throws(VaultError) -> Units { try documents.units(of: user) }

    /// The name of a person for people who know them; nil if they have not given one.
    package func name(of user: ID) throws(VaultError) -> String? {
        guard case .string(let name)? = try documents.read("profile", of: user)?["name"] else { return nil }
        return name
    }
}

// MARK: Reading

extension Notifications {
    /// A row of the table.
    package struct Row {
        package let number: Int64
        package let id: String
        package let user: String
        package let version: Int64
        package let sealed: [UInt8]
        package let isConfirmed: Bool

        package static let columns = "number, id, person, secret_version, sealed, confirmed"

        package init(_ row: Storage.Row) throws(VaultError) {
            number = try row.int("number")
            id = try row.text("id")
            user = try row.text("person")
            version = try row.int("secret_version")
            sealed = try row.blob("sealed")
            isConfirmed = try row.int("confirmed") != 0
        }
    }

    /// What a row says; nil if it cannot be opened.
    package func opened(_ row: Row) throws(VaultError) -> StoredNotification? {
        guard let user = decoded({ () throws(MalformedValue) in try ID(row.user) }),
            let json = try documents.opened(row.sealed, Self.label(row.id), of: user, version: row.version),
            let notification = Notification(kept: json)
        else { return nil }
        return StoredNotification(id: row.id, notification: notification, isConfirmed: row.isConfirmed)
    }

    /// A person's notifications, the latest first.
    /// - Parameters:
    ///   - withConfirmed: whether to include notifications that the person has confirmed.
    ///   - id: the notification before which to begin; nil to begin with the latest.
    package func list(
        of user: ID, withConfirmed: Bool, before id: String? = nil, limit: Int
    ) throws(VaultError) -> (notifications: [StoredNotification], hasMore: Bool) {
        var end = Int64.max
        if let id {
            end =
                try store.database.first(
                    "SELECT number FROM notifications WHERE person = ? AND id = ?", [.text(user.text), .text(id)],
                    row: Storage.Row.int) ?? 0
        }
        let rows = try store.database.query(
            """
            SELECT \(Row.columns) FROM notifications WHERE person = ? AND number < ? AND confirmed <= ?
            ORDER BY number DESC LIMIT ?
            """, [.text(user.text), .integer(end), .integer(withConfirmed ? 1 : 0), .integer(limit + 1)],
            row: Row.init)
        var notifications: [StoredNotification] = []
        for row in rows.prefix(limit) {
            if let notification = try opened(row) { notifications.append(notification) }
        }
        return (notifications, rows.count > limit)
    }
}

// MARK: Requests

extension Notifications {
    /// What people may ask.
    package var verbs: [Verb] {
        [
            Verb("notifications/list", .notificationsList, .atOnce { [self] in try list($0) }),
            // As many by their ids as are kept of one sort.
            Verb(
                "notifications/confirm", .notificationsConfirm, maximumLength: 16 * 1024,
                .atOnce { [self] in try confirm($0) }),
        ]
    }

    /// How many a reply lists, and how many if the request does not say.
    static let limits: ClosedRange<Int64> = 1...100
    static let usualLimit: Int64 = 50

    private func list(_ request: PeopleRequest) throws -> JSON {
        let limit = try request.optionalInteger("limit", in: Self.limits) ?? Self.usualLimit
        let (found, hasMore) = try list(
            of: request.user, withConfirmed: try request.optionalBool("all") ?? false,
            before: try request.optionalText("before", atMost: 64), limit: Int(limit))
        return ["notifications": .array(found.map(\.json)), "more": .bool(hasMore)]
    }

    private func confirm(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let isForAll = try request.optionalBool("all") ?? false
        let ids = try request.optionalTexts("ids", atMost: Self.mostOfEach)
        guard isForAll || ids != nil else { throw ReplyError(.badRequest, "\"ids\" is missing", field: "ids") }
        let count = try store.change(user) { () throws(VaultError) in
            guard !isForAll else {
                return try store.database.execute(
                    "UPDATE notifications SET confirmed = 1 WHERE person = ? AND confirmed = 0", [.text(user.text)])
            }
            var count = 0
            for id in ids ?? [] {
                count += try store.database.execute(
                    "UPDATE notifications SET confirmed = 1 WHERE person = ? AND id = ? AND confirmed = 0",
                    [.text(user.text), .text(id)])
            }
            return count
        }
        return ["confirmed": .integer(Int64(count))]
    }
}
