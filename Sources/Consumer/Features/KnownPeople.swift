package import Files
import Records
import Storage
package import Telemetry

/// Who is there, and of whom there is anything to be shown. Belongs to the session's thread.
package struct KnownPeople {
    private let context: PeopleContext
    /// Says whether a person has anything of which a day is made.
    private let hasSomething: String

    package init(_ context: PeopleContext) {
        self.context = context
        let features = context.features
        let documents = features.documents.filter(\.makesToday).map { "'\($0.name)'" }.joined(separator: ", ")
        let rows =
            ["SELECT 1 FROM documents WHERE person = ?1 AND name IN (\(documents))"]
            + features.sealedTables.filter(\.makesToday).map { "SELECT 1 FROM \($0.name) WHERE person = ?1" }
        hasSomething = "SELECT 1 WHERE " + rows.map { "EXISTS (\($0))" }.joined(separator: " OR ")
    }

    /// Everybody who has an account, or is in the settings.
    package func everybody() throws(VaultError) -> Set<ID> {
        let users = try context.store.database.query("SELECT person FROM accounts", row: Row.text)
        return Set(users.compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } })
            .union(fromSettings)
    }

    /// People of the settings. Without accounts nobody signs in as one of them, and nothing is retained for them at the
    /// broker, which may write what it keeps to its disk: they ask instead.
    private var fromSettings: [ID] { !context.settings.hasAccounts ? [] : context.settings.people.map(\.user) }

    /// Whether somebody has an account, or is in the settings. A person who is taken out of the settings still has a
    /// list of friends.
    package func isThere(_ user: ID) throws(VaultError) -> Bool {
        if fromSettings.contains(user) { return true }
        return try context.store.database.first(
            "SELECT 1 FROM accounts WHERE person = ?", [.text(user.text)], row: Row.int) != nil
    }

    /// Whether there is anything to be shown of a person's day, so that something may be retained for them at the broker: nothing
    /// is once all of theirs is deleted, or is being deleted.
    package func hasDay(_ user: ID) throws(VaultError) -> Bool {
        guard !context.doors.isBeingForgotten(user), try isThere(user),
            try context.store.database.first(hasSomething, [.text(user.text)], row: Row.int) != nil
        else { return false }
        return try context.keys.version(of: user) != nil
    }
}
