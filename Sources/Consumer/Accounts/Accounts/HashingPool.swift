// Hashing a password takes a good part of a second and 32 MiB, on purpose. So it is done on two threads of its own, at
// most two at once, while the session's thread continues; a few more wait in line, and an asker who finds the line full
// is told when to try again.
//
// The hash is not made of the password, but of its HMAC under the pepper, a key that is not in the database: nobody can
// try passwords with only a copy of vitals.db.

import Reactor
import Synchronization
import Vault

/// The threads that hash passwords. They end with the value, after the hash that each works on; requests that wait in
/// line get no answer.
final class HashingPool: Sendable {
    /// Gets the hash, on the pool's thread.
    typealias Completion = @Sendable (Result<[UInt8], VaultError>) -> Void

    /// Bytes of a salt.
    static let saltLength = 16

    private let line: Line
    private let threads: [EventLoop]
    private let pepper: SymmetricKey
    private let cost: Scrypt.Cost

    /// - Parameters:
    ///   - capacity: how many may wait.
    ///   - cost: of each hash; a different cost makes a different hash: `StoredPassword` says which it was.
    init(pepper: SymmetricKey, threads count: Int = 2, capacity: Int = 32, cost: Scrypt.Cost = .password) {
        self.pepper = pepper
        self.cost = cost
        threads = (1...count).map { EventLoop(name: "hash \($0)") }
        line = Line(threads, capacity: capacity)
        for thread in threads { thread.start() }
    }

    deinit {
        line.empty()
        // The last reference to the pool may have been in the completion of the last hash: then this runs on one of its
        // threads.
        for thread in threads { thread.end() }
    }

    /// Hashes a password, when its turn comes.
    /// - Parameter isGuest: askers who are not signed in leave a quarter of the line to those who are.
    /// - Returns: nil; or, if the line is full and nothing will be done, in how many seconds there may be room.
    func hash(
        _ password: Password, salt: [UInt8], isGuest: Bool, _ completion: @escaping Completion
    ) -> Int? {
        let (pepper, cost, bytes) = (pepper, cost, password.bytes)
        return line.enter(isGuest: isGuest) {
            completion(
                Result { () throws(VaultError) in
                    try Scrypt.hash(HMACSHA256.code(for: bytes, key: pepper), salt: salt, cost)
                })
        }
    }
}

/// The work that waits, and the threads that do it.
// It is apart from the pool so that work under way keeps it alive, and not the pool: a thread cannot end itself.
private final class Line: Sendable {
    private struct State {
        var idle: [EventLoop]
        var waiting: [@Sendable () -> Void] = []
        /// How long the last work took.
        var seconds = 0.3
    }

    private let capacity: Int
    private let threads: Int
    private let state: Mutex<State>

    init(_ threads: [EventLoop], capacity: Int) {
        self.capacity = capacity
        self.threads = threads.count
        state = Mutex(State(idle: threads))
    }

    func enter(isGuest: Bool, _ work: @escaping @Sendable () -> Void) -> Int? {
        let (thread, seconds) = state.withLock { state -> (EventLoop?, Int?) in
            if let thread = state.idle.popLast() { return (thread, nil) }
            guard state.waiting.count < (isGuest ? capacity * 3 / 4 : capacity) else {
                let rounds = Double(state.waiting.count / threads + 1)
                return (nil, max(1, Int((rounds * state.seconds).rounded(.up))))
            }
            state.waiting.append(work)
            return (nil, nil)
        }
        if let thread { thread.perform { [self] in run(work, on: thread) } }
        return seconds
    }

    /// Drops the work that waits.
    func empty() { state.withLock { $0.waiting = [] } }

    private func run(_ first: @escaping @Sendable () -> Void, on thread: EventLoop) {
        var next: (@Sendable () -> Void)? = first
        let clock = ContinuousClock()
        while let work = next {
            let time = clock.measure(work)
            next = state.withLock { state in
                state.seconds = time / .seconds(1)
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                state.idle.append(thread)
                return nil
            }
        }
    }
}
