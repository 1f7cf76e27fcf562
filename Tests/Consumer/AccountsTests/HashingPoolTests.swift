import Reactor
import TestSupport
import Testing
import Vault

@testable import Accounts

@Suite("Hashing passwords")
struct HashingPoolTests {
    let cheap = Scrypt.Cost(cost: 16, blockSize: 8, parallelization: 1)
    let salt = [UInt8](repeating: 7, count: HashingPool.saltLength)

    @Test("is scrypt of the password's HMAC under the pepper")
    func hash() throws {
        let pepper = try SymmetricKey([UInt8](0..<32))
        let pool = HashingPool(pepper: pepper, cost: cheap)
        let hashes = Record<[UInt8]>()
        #expect(pool.hash(Password("Zq7#é"), salt: salt, isGuest: true) { hashes.append((try? $0.get()) ?? []) } == nil)
        let expected = try Scrypt.hash(
            HMACSHA256.code(for: Array("Zq7#é".utf8), key: pepper), salt: salt, cheap)
        #expect(try hashes.wait(for: 1) == [expected])
    }

    @Test("does two at once, keeps some in line, people before guests, and tells the rest when to come back")
    func line() throws {
        let pool = HashingPool(pepper: try .random(), capacity: 8, cost: cheap)
        let (open, running) = (Gate(), Record<Int>())
        let password = Password("Zq7#Zq8$")
        func enter(_ number: Int, isGuest: Bool) -> Int? {
            pool.hash(password, salt: salt, isGuest: isGuest) { _ in
                running.append(number)
                open.wait()
            }
        }
        // Two are under way and held; then six guests and two people may wait.
        for number in 1...2 { #expect(enter(number, isGuest: true) == nil) }
        try running.wait(for: 2)
        for number in 3...8 { #expect(enter(number, isGuest: true) == nil) }
        #expect(enter(9, isGuest: true) != nil)
        for number in 10...11 { #expect(enter(number, isGuest: false) == nil) }
        let seconds = try #require(enter(12, isGuest: false))
        #expect((1...10).contains(seconds))
        #expect(running.all.count == 2)
        open.open()
        #expect(try running.wait(for: 10).sorted() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11])
    }

    @Test("ends with what it is at, and not with what waits")
    func end() throws {
        let (held, opened, done) = (Record<Void>(), Gate(), Record<Int>())
        var pool: HashingPool? = HashingPool(pepper: try .random(), threads: 1, cost: cheap)
        for number in 1...5 {
            let refused = pool?.hash(Password("Zq7#Zq8$"), salt: salt, isGuest: true) { _ in
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
        let refused = owner?.pool.hash(Password("Zq7#Zq8$"), salt: salt, isGuest: true) { [owner] _ in
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
