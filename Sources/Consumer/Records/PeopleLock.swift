package import Storage
package import Telemetry

// The person is the lock.
//
// A transaction that changes what is kept of people names them first, in the order of their names, and so waits until
// nobody else is changing anything of theirs. Their rows of `people` are what it holds. In SQLite a transaction waits for
// all others anyway; in a database with many writers it waits only for those that change the same people.
//
// Each row has an epoch, which every such transaction moves. So a process sees that another one, such as a command of the
// operator, has changed something of a person since its own last change: the epoch is not the one that it left. What it
// remembers of that person is then read again. `view(of:)` is the number that goes with what is remembered; it stays the
// same as long as only this process changes anything, because a process knows what it does itself.
//
// A transaction that has changed nothing is rolled back: it costs no write, moves no epoch, and makes no row for somebody
// of whom nothing is kept. What is over for everybody, such as an expired code, anybody may remove without the lock.

/// What a process knows of people's epochs. Belongs to the thread of its store.
struct Epochs {
    /// As the last transaction of this process left them.
    private var seen: [ID: Int64] = [:]
    /// Of the people whom the transaction under way holds, as it has moved them.
    private(set) var held: [ID: Int64] = [:]
    /// Rises with each change that was not this process's; a person without one has the first.
    private var views: [ID: UInt64] = [:]
    private var latestView: UInt64 = 0

    func view(of person: ID) -> UInt64 { views[person] ?? 0 }

    /// Takes what the database says.
    mutating func hold(_ person: ID, _ epoch: Int64) {
        held[person] = epoch
        if seen[person] ?? 0 != epoch - 1 {
            latestView += 1
            views[person] = latestView
        }
        // Even if this transaction is rolled back, what others did before it is now known.
        seen[person] = epoch - 1
    }

    /// What was held is committed.
    mutating func committed() { seen.merge(held) { $1 } }

    /// The transaction is over.
    mutating func ended() { held = [:] }
}

extension Store {
    /// One transaction that changes what is kept of some people, and holds their lock. What `body` throws rolls
    /// everything back.
    @discardableResult
    package func change<T>(
        _ people: some Collection<ID>, _ body: () throws(VaultError) -> T
    ) throws(VaultError) -> T {
        try locked(people) { () throws(VaultError) in (try body(), true) }
    }

    /// The same for one person.
    @discardableResult
    package func change<T>(_ person: ID, _ body: () throws(VaultError) -> T) throws(VaultError) -> T {
        try change(CollectionOfOne(person), body)
    }

    /// The same for people whom the database itself names. It is asked before the lock is taken, and again with the
    /// lock, because others may have changed the answer in between: then all of it begins again.
    @discardableResult
    package func change<T>(
        naming people: @autoclosure () throws(VaultError) -> Set<ID>, _ body: () throws(VaultError) -> T
    ) throws(VaultError) -> T {
        for _ in 1...Self.mostTries {
            let named = try people()
            let result = try locked(named) { () throws(VaultError) -> (T?, Bool) in
                try people().isSubset(of: named) ? (try body(), true) : (nil, false)
            }
            if let result { return result }
        }
        throw Self.isBusy
    }

    /// The same for a body with errors of its own: what it throws rolls back and comes out as the result.
    package func attempt<T>(
        naming people: @autoclosure () throws -> Set<ID>, _ body: () throws -> T
    ) throws(VaultError) -> Result<T, any Error> {
        for _ in 1...Self.mostTries {
            let named: Set<ID>
            do { named = try people() } catch { return .failure(error) }
            let result = try locked(named) { () throws(VaultError) -> (Result<T?, any Error>, Bool) in
                do {
                    guard try people().isSubset(of: named) else { return (.success(nil), false) }
                    return (.success(try body()), true)
                } catch {
                    return (.failure(error), false)
                }
            }
            switch result {
            case .success(let value?): return .success(value)
            case .success(nil): continue
            case .failure(let error): return .failure(error)
            }
        }
        throw Self.isBusy
    }

    /// Whether the transaction under way may change what is kept of a person.
    package func isHeld(_ person: ID) -> Bool { epochs.held[person] != nil }

    /// Whether it may change a stream.
    package func isHeld(_ stream: StoredStream) -> Bool { stream.owner.map(isHeld) ?? false }

    /// What goes with everything that is remembered of a person: if it is another one later, that is to be read again.
    package func view(of person: ID) -> UInt64 { epochs.view(of: person) }

    /// A number that every change of what is kept of a person moves; nil if nothing ever was.
    package func epoch(of person: ID) throws(VaultError) -> Int64? {
        try database.first("SELECT epoch FROM people WHERE person = ?", [.text(person.text)], row: Row.int)
    }

    /// Forgets that there ever was a person, of whom nothing else is left. If something is, the next change makes the
    /// row again, and everything that is remembered of them is read again.
    package func removeLock(of person: ID) throws(VaultError) {
        try database.execute("DELETE FROM people WHERE person = ?", [.text(person.text)])
    }

    /// A transaction that holds some people. It is rolled back if `body` says that it may not be kept, or has changed
    /// nothing.
    private func locked<T>(
        _ people: some Collection<ID>, _ body: () throws(VaultError) -> (result: T, mayBeKept: Bool)
    ) throws(VaultError) -> T {
        guard epochs.held.isEmpty else {
            throw VaultError("hold people", .misuse, said: "a transaction names its people once, at its beginning")
        }
        defer { epochs.ended() }
        let (result, isKept) = try database.transactionIfKept { () throws(VaultError) in
            try hold(people)
            let before = database.changes
            let (result, mayBeKept) = try body()
            let isKept = mayBeKept && database.changes != before
            return ((result, isKept), isKept)
        }
        if isKept { epochs.committed() }
        return result
    }

    private func hold(_ people: some Collection<ID>) throws(VaultError) {
        // A person who comes back under the same name after everything of theirs was removed has another epoch.
        let first = Value.integer(.random(in: 1...1 << 62))
        let values = Set(people.map(\.text)).sorted().flatMap { [Value.text($0), first] }
        try database.forEach(Self.moveEpochs, values) { row throws(VaultError) in
            let (name, epoch) = (try row.text("person"), try row.int("epoch"))
            if let person = decoded({ () throws(MalformedValue) in try ID(name) }) { epochs.hold(person, epoch) }
        }
    }

    private static let moveEpochs = RowsStatement(
        "INSERT INTO people (person, epoch) VALUES ", columns: 2,
        " ON CONFLICT (person) DO UPDATE SET epoch = people.epoch + 1 RETURNING person, epoch")

    private static let mostTries = 8
    private static let isBusy = VaultError(
        "hold people", .locked, said: "others change the same people again and again")
}
