import Files
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@Suite("The lock of a person", .timeLimit(.minutes(60)))
struct PeopleLockTests {
    private let folder: TemporaryFolder
    private let ada: ID
    private let bob: ID

    init() throws {
        folder = try TemporaryFolder()
        (ada, bob) = (try ID("ada"), try ID("bob"))
    }

    /// As another program opens it.
    private func opened() throws -> Store {
        _ = try Keys(state: folder.path("state"), rootKeyFile: folder.path("root.key"), .create)
        return try Store(folder: folder.path("state"))
    }

    /// A change of any kind.
    private func write(_ store: Store) throws(VaultError) {
        try store.database.execute("INSERT INTO nonces (nonce, expires_ms) VALUES (randomblob(8), 0)")
    }

    private func epochs(_ store: Store) throws -> [String: Int64] {
        let rows = try store.database.query("SELECT person, epoch FROM people") { row throws(VaultError) in
            (try row.text("person"), try row.int("epoch"))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    @Test("is held as long as the transaction lasts, and each of these moves the epoch of each of its people once")
    func held() throws {
        let store = try opened()
        try store.change([ada, bob, ada]) { () throws(VaultError) in
            #expect(store.isHeld(ada) && store.isHeld(bob))
            try write(store)
        }
        #expect(!store.isHeld(ada))
        let before = try epochs(store)
        #expect(Set(before.keys) == ["ada", "bob"])
        try store.change(ada) { () throws(VaultError) in
            #expect(store.isHeld(ada) && !store.isHeld(bob))
            try write(store)
        }
        #expect(try epochs(store) == before.merging(["ada": 1]) { $0 + $1 })
        // More people than one statement takes.
        let many = try (0..<200).map { try ID("p\($0)") }
        try store.change(many) { () throws(VaultError) in
            #expect(many.allSatisfy { store.isHeld($0) })
            try write(store)
        }
        #expect(try epochs(store).count == 202)
    }

    @Test("is given back when the transaction fails or has changed nothing, and nothing has moved")
    func rolledBack() throws {
        let store = try opened()
        try store.change(ada) { () throws(VaultError) in try write(store) }
        let before = try epochs(store)
        let failure = VaultError("try it", .missing, said: "nothing")
        #expect(throws: failure) {
            try store.change(ada) { () throws(VaultError) in
                try write(store)
                throw failure
            }
        }
        #expect(!store.isHeld(ada))
        let result = try store.attempt(naming: [ada]) {
            try write(store)
            throw failure
        }
        #expect(throws: failure) { try result.get() }
        #expect(!store.isHeld(ada))
        try store.change([ada, bob]) { #expect(store.isHeld(bob)) }
        #expect(try epochs(store) == before)
        #expect(try store.database.first("SELECT count(*) FROM nonces", row: Row.int) == 1)
        let (view, epoch) = (store.view(of: ada), try store.epoch(of: ada))
        try store.change(ada) { () throws(VaultError) in try write(store) }
        #expect(store.view(of: ada) == view)
        #expect(try store.epoch(of: ada) == epoch.map { $0 + 1 } && epoch != nil)
        #expect(try store.epoch(of: ID("nobody")) == nil)
    }

    @Test("is taken once, at the beginning: no transaction asks for more people later")
    func once() throws {
        let store = try opened()
        #expect(throws: VaultError.self) {
            try store.change(ada) { () throws(VaultError) in
                try write(store)
                let error = thrown(VaultError.self) { try store.change(bob) {} }
                #expect(error?.reason == .misuse && store.isHeld(ada))
                try store.change(bob) {}
            }
        }
        #expect(try epochs(store).isEmpty)
    }

    @Test("shows that another program has changed something of a person, and of nobody else, since the last time")
    func views() throws {
        let (one, other) = (try opened(), try opened())
        func change(_ store: Store, _ people: [ID]) throws {
            try store.change(people) { () throws(VaultError) in try write(store) }
        }
        try change(one, [ada, bob])
        let (ofAda, ofBob) = (one.view(of: ada), one.view(of: bob))
        // What it does itself, it knows.
        for _ in 0..<3 { try change(one, [ada]) }
        #expect(one.view(of: ada) == ofAda)
        try change(other, [ada])
        try one.change([ada, bob]) { #expect(one.view(of: ada) != ofAda) }
        #expect(one.view(of: ada) != ofAda && one.view(of: bob) == ofBob)
        // It is told once.
        let later = one.view(of: ada)
        try change(one, [ada])
        #expect(one.view(of: ada) == later)
        // What was remembered before the first time is old if anything was there.
        let third = try opened()
        let first = third.view(of: ada)
        try third.change(ada) { #expect(third.view(of: ada) != first) }
    }

    @Test("shows a change of others even to a transaction that fails, and to the one after it no second time")
    func viewsOfFailures() throws {
        let (one, other) = (try opened(), try opened())
        try one.change(ada) { () throws(VaultError) in try write(one) }
        let before = one.view(of: ada)
        try other.change(ada) { () throws(VaultError) in try write(other) }
        let failure = VaultError("try it", .missing, said: "nothing")
        #expect(throws: failure) { try one.change(ada) { () throws(VaultError) in throw failure } }
        let after = one.view(of: ada)
        #expect(after != before)
        try one.change(ada) { () throws(VaultError) in try write(one) }
        #expect(one.view(of: ada) == after)
    }

    @Test("of people whom the database names is of those whom it names with the lock, too")
    func named() throws {
        let store = try opened()
        var answers: [Set<ID>] = [[ada], [ada, bob], [bob], [bob]]
        var runs = 0
        try store.change(naming: answers.removeFirst()) {
            runs += 1
            #expect(store.isHeld(bob) && !store.isHeld(ada))
        }
        #expect(runs == 1 && answers.isEmpty)
        // Somebody who is always one more.
        var isAda = false
        #expect(throws: VaultError.self) {
            func other() -> Set<ID> {
                isAda.toggle()
                return [isAda ? ada : bob]
            }
            try store.change(naming: other()) { Issue.record("nobody holds the right people") }
        }
        answers = [[ada], [ada]]
        let result = try store.attempt(naming: answers.removeFirst()) { store.isHeld(ada) }
        #expect(try result.get())
    }

    @Test("goes with its person, and one who comes back under the same name is somebody new")
    func removed() throws {
        let (one, other) = (try opened(), try opened())
        try one.change(ada) { () throws(VaultError) in try write(one) }
        let view = one.view(of: ada)
        try other.removeLock(of: ada)
        #expect(try epochs(one).isEmpty)
        try other.change(ada) { () throws(VaultError) in try write(other) }
        try one.change(ada) { #expect(one.view(of: ada) != view) }
    }
}
