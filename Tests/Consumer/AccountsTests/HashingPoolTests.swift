import Reactor
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Accounts
@testable import Desk

@Suite("Hashing passwords")
struct HashingPoolTests {
    let cheap = Scrypt.Cost(cost: 16, blockSize: 8, parallelization: 1)
    let salt = [UInt8](repeating: 7, count: HashingPool.saltLength)

    @Test("is scrypt of the password's HMAC under the pepper")
    func hash() throws {
        let pepper = try SymmetricKey([UInt8](0..<32))
        let pool = HashingPool(pepper: pepper, cost: cheap)
        let hashes = Record<[UInt8]>()
        #expect(pool.hash(Password("Zq7#é"), salt: salt, for: .guest) { hashes.append((try? $0.get()) ?? []) } == nil)
        let expected = try Scrypt.hash(
            HMACSHA256.code(for: Array("Zq7#é".utf8), key: pepper), salt: salt, cheap)
        #expect(try hashes.wait(for: 1) == [expected])
    }

    /// A pool of two threads whose hashes are held, and what enters its line.
    private final class Held {
        let pool: HashingPool
        let (open, running) = (Gate(), Record<Int>())
        private let salt = [UInt8](repeating: 7, count: HashingPool.saltLength)

        init(threads: Int = 2, capacity: Int, _ cost: Scrypt.Cost) throws {
            pool = HashingPool(pepper: try .random(), threads: threads, capacity: capacity, cost: cost)
        }

        /// The seconds to wait, if the line is full.
        func enter(_ number: Int, _ asker: Asker = .guest, isNext: Bool = false) -> Int? {
            pool.hash(Password("Zq7#Zq8$"), salt: salt, for: asker, isNext: isNext) { [running, open] _ in
                running.append(number)
                open.wait()
            }
        }
    }

    private func person(_ number: Int) throws -> Asker { .person(try ID("person-\(number)")) }

    @Test("does two at once, keeps some in line, leaves a quarter of it to people, and tells the rest when to come back")
    func line() throws {
        let held = try Held(capacity: 8, cheap)
        // Two are under way and held; then six guests and two people may wait.
        for number in 1...2 { #expect(held.enter(number) == nil) }
        try held.running.wait(for: 2)
        for number in 3...8 { #expect(held.enter(number) == nil) }
        #expect(held.enter(9) != nil)
        for number in 10...11 { #expect(try held.enter(number, person(number)) == nil) }
        let seconds = try #require(try held.enter(12, person(12)))
        #expect((1...10).contains(seconds))
        #expect(held.running.all.count == 2)
        held.open.open()
        #expect(try held.running.wait(for: 10).sorted() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11])
    }

    @Test("leaves a quarter of the line to guests, whose turn comes after each person's")
    func guests() throws {
        let held = try Held(threads: 1, capacity: 8, cheap)
        #expect(try held.enter(0, person(0)) == nil)
        try held.running.wait(for: 1)
        for number in 1...6 { #expect(try held.enter(number, person(number)) == nil) }
        #expect(try held.enter(7, person(7)) != nil)
        for number in 8...9 { #expect(held.enter(number) == nil) }
        held.open.open()
        #expect(try held.running.wait(for: 9) == [0, 8, 1, 9, 2, 3, 4, 5, 6])
    }

    @Test("hashes one password of a person at a time, and keeps one more in line")
    func person() throws {
        let held = try Held(capacity: 8, cheap)
        let (ada, ben) = (try person(1), try person(2))
        #expect(held.enter(1, ada) == nil)
        try held.running.wait(for: 1)
        // Handed over and held: the hash itself is over, so the next one may begin, and waits in line after that.
        #expect(held.enter(2, ada) == nil)
        try held.running.wait(for: 2)
        for number in 3...4 { #expect(held.enter(number, ada) == nil) }
        let seconds = held.enter(5, ada)
        #expect(seconds == 1, "a third one")
        #expect(held.enter(5, ada, isNext: true) == nil, "what follows from one that was let in")
        #expect(held.enter(6, ben) == nil, "somebody else's")
        held.open.open()
        #expect(try held.running.wait(for: 6).sorted() == [1, 2, 3, 4, 5, 6])
    }

    @Test("ends with what it is at, and not with what waits")
    func end() throws {
        let (held, opened, done) = (Record<Void>(), Gate(), Record<Int>())
        var pool: HashingPool? = HashingPool(pepper: try .random(), threads: 1, cost: cheap)
        for number in 1...5 {
            let refused = pool?.hash(Password("Zq7#Zq8$"), salt: salt, for: .guest) { _ in
                held.append(())
                opened.wait()
                done.append(number)
            }
            #expect(refused == .some(nil))
        }
        try held.wait(for: 1)
        // Whoever lets go of the pool waits for its thread: the gate is opened by another one.
        let thread = EventLoop(name: "opens")
        thread.after(.milliseconds(50)) { opened.open() }
        thread.start()
        defer { thread.stop() }
        pool = nil
        #expect((1...4).contains(done.all.count), "all five, or not even the one under way")
    }

    @Test("ends on a thread of its own, too, where what waited for a hash was the last that knew it")
    func ownThread() throws {
        let (opened, ended) = (Gate(), Record<Void>())
        var owner: Owner? = Owner(pool: HashingPool(pepper: try .random(), cost: cheap), ended: ended)
        let refused = owner?.pool.hash(Password("Zq7#Zq8$"), salt: salt, for: .guest) { [owner] _ in
            opened.wait()
            withExtendedLifetime(owner) {}
        }
        #expect(refused == .some(nil))
        owner = nil
        #expect(ended.all.isEmpty)
        opened.open()
        try ended.wait(for: 1)
    }
}

/// Has a pool to itself, and says when it is gone.
private final class Owner: @unchecked Sendable {
    // Proof of @unchecked: constants; a record is made for many threads.
    let pool: HashingPool
    private let ended: Record<Void>

    init(pool: HashingPool, ended: Record<Void>) { (self.pool, self.ended) = (pool, ended) }

    deinit { ended.append(()) }
}

/// Holds threads until it is opened.
private final class Gate: @unchecked Sendable {
    // Proof of @unchecked: a record is made for many threads.
    private let opened = Record<Void>()

    func wait() { _ = try? opened.wait(for: 1) }
    func open() { opened.append(()) }
}
