import Files
import Readings
import Records
import Storage

// Opening both databases takes longer than many an answer: SQLite reads the schema, each statement is prepared, and the
// migrations are compared. So a reader's connections stay open from one request to the next.
//
// They are all that stays here; `Readers` remembers a few answers. Each request derives the keys from what is in keys.db then, so nobody's key is in memory
// between requests, and the next request sees that a person was forgotten, or the root key changed. What was read of
// keys.db is given back after each request, as when a connection is closed. Pages of vitals.db, which are sealed, stay
// for the next part of the same list, and are given back each second.

/// A reader's connections to the databases. Belongs to the reader's thread.
// Proof of @unchecked: only the reader's thread touches it, and whoever closes it once that thread has ended.
final class ReadConnections: @unchecked Sendable {
    /// A connection, and the schema's version when it was made.
    private struct Opened {
        let database: Database
        let version: Int

        init(_ database: Database) throws(VaultError) { (self.database, version) = (database, try database.version) }

        /// Whether it is still a connection to the file of that name, with the schema that was looked at.
        func isValid() throws(VaultError) -> Bool {
            guard try !database.hasMoved() else { return false }
            return try database.version == version
        }
    }

    private let openKeys: () throws -> Database
    private let openStore: () throws -> Database
    private let keys: (Database) throws -> Keys
    private var opened: (keys: Opened, store: Opened)?

    init(_ settings: some HouseSettings, _ features: [Feature]) {
        openKeys = { try Keys.connection(state: settings.state) }
        openStore = { try Store.connection(folder: settings.state, readOnly: true, adding: features.schema) }
        keys = { try Keys(settings, reading: $0) }
    }

    /// Lets `body` read one state of the databases.
    func read<Value>(_ body: (ReadSource) throws -> Value) throws -> Value {
        let (keys, store) = try connections()
        defer { keys.releaseMemory() }
        do {
            return try ReadSource(store: Store(store), keys: self.keys(keys)).read(body)
        } catch {
            // Whatever it was, the next request begins with new connections.
            close()
            throw error
        }
    }

    /// Gives back the memory that is of use only to requests that follow each other at once.
    func rest() { opened?.store.database.releaseMemory() }

    /// Closes what is open.
    func close() { opened = nil }

    private func connections() throws -> (keys: Database, store: Database) {
        if let opened, try opened.keys.isValid(), try opened.store.isValid() {
            return (opened.keys.database, opened.store.database)
        }
        close()
        let new = (keys: try Opened(openKeys()), store: try Opened(openStore()))
        opened = new
        return (new.keys.database, new.store.database)
    }
}
