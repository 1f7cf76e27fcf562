import CSQLite
public import Files

extension Database {
    /// One transaction that takes the write lock at its beginning. What `body` throws rolls everything back; a commit
    /// that fails, too. There is no transaction inside another.
    @discardableResult
    public func transaction<T>(_ body: () throws(VaultError) -> T) throws(VaultError) -> T {
        try transactionIfKept { () throws(VaultError) in (try body(), true) }
    }

    /// The same for a body with errors of its own: what it throws rolls back and comes out as the result.
    public func attempt<T, Failure: Error>(
        _ body: () throws(Failure) -> T
    ) throws(VaultError) -> Result<T, Failure> {
        try transactionIfKept { () throws(VaultError) -> (Result<T, Failure>, Bool) in
            do throws(Failure) { return (.success(try body()), true) } catch { return (.failure(error), false) }
        }
    }

    /// The same for a body that says whether anything is to be kept: otherwise nothing is written.
    public func transactionIfKept<T>(
        _ body: () throws(VaultError) -> (result: T, isKept: Bool)
    ) throws(VaultError) -> T {
        try execute("BEGIN IMMEDIATE")
        do {
            let (result, isKept) = try body()
            if isKept { try execute("COMMIT") } else { rollBack() }
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// One transaction without checks of foreign keys, so rows may go without a search for others that refer to them:
    /// for callers that know that there are none.
    @discardableResult
    public func withoutForeignKeys<T>(_ body: () throws(VaultError) -> T) throws(VaultError) -> T {
        // Inside of a transaction SQLite ignores the pragma.
        try run("PRAGMA foreign_keys = OFF")
        defer { _ = sqlite3_exec(handle, "PRAGMA foreign_keys = ON", nil, nil, nil) }
        return try transaction(body)
    }

    /// One read transaction: `body` sees one state of the file, whatever others commit in the meantime. Until it ends,
    /// the log cannot be emptied, and grows with what they write.
    public func snapshot<T>(_ body: () throws(VaultError) -> T) throws(VaultError) -> T {
        try execute("BEGIN")
        defer { rollBack() }
        return try body()
    }

    /// Whether a transaction is under way: otherwise a statement is a transaction by itself.
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// After some errors (a full disk) SQLite has rolled back by itself already. If rolling back fails, the
    /// transaction is left open and the next BEGIN says so; nothing of it was committed.
    private func rollBack() {
        guard isInTransaction else { return }
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }
}
