// Hashing a password takes a good part of a second and 32 MiB, on purpose. So it is done on two threads of its own, at
// most two at once, while the session's thread continues; a few more wait in line, and an asker who finds the line full
// is told when to try again.
//
// Guests and people take turns, and neither can fill the line: a quarter of it is always left to the other side. A person
// has at most one password hashed at a time, and one more in line.
//
// The hash is not made of the password, but of its HMAC under the pepper, a key that is not in the database: nobody can
// try passwords with only a copy of vitals.db.

import Desk
import Reactor
import Synchronization
import Telemetry
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
    /// - Parameter isNext: whether it belongs to a request that has had another one hashed already, and is not refused halfway.
    /// - Returns: nil if it will be hashed; if the line is full, in how many seconds to try again.
    func hash(
        _ password: Password, salt: [UInt8], for asker: Asker, isNext: Bool = false, _ completion: @escaping Completion
    ) -> Int? {
        let (pepper, cost, bytes) = (pepper, cost, password.bytes)
        return line.enter(asker, isNext: isNext) {
            let hash = Result { () throws(VaultError) in
                try Scrypt.hash(HMACSHA256.code(for: bytes, key: pepper), salt: salt, cost)
            }
            return { completion(hash) }
        }
    }
}

/// The work that waits, and the threads that do it.
// It is apart from the pool so that work under way keeps it alive, and not the pool: a thread cannot end itself.
private final class Line: Sendable {
    /// Does the work, and returns what hands its result over.
    typealias Work = @Sendable () -> (@Sendable () -> Void)

    private struct Entry {
        let asker: Asker
        let work: Work
    }

    private struct State {
        var idle: [EventLoop]
        var waiting: [Entry] = []
        /// The people whose password is being hashed.
        var served: Set<ID> = []
        /// Whether the next turn is a guest's, if one waits.
        var isGuestsTurn = true
        /// How long the last work took.
        var seconds = 0.3

        /// How many of an asker's kind wait, and how many of the asker's own work there are; any number is a guest's.
        func count(for asker: Asker) -> (kind: Int, own: Int) {
            guard case .person(let user) = asker else { return (waiting.count { $0.asker == .guest }, 0) }
            let own = waiting.count { $0.asker == asker } + (served.contains(user) ? 1 : 0)
            return (waiting.count { $0.asker != .guest }, own)
        }

        /// Takes what is done next. A person whose password is being hashed waits for that.
        mutating func next() -> Entry? {
            func first(guests: Bool) -> Int? {
                waiting.firstIndex { entry in
                    guard case .person(let user) = entry.asker else { return guests }
                    return !guests && !served.contains(user)
                }
            }
            guard let index = first(guests: isGuestsTurn) ?? first(guests: !isGuestsTurn) else { return nil }
            let entry = waiting.remove(at: index)
            isGuestsTurn = entry.asker != .guest
            if case .person(let user) = entry.asker { served.insert(user) }
            return entry
        }
    }

    /// The most that one person has in line, with what is being hashed.
    private static let most = 2

    private let capacity: Int
    private let threads: Int
    private let state: Mutex<State>

    init(_ threads: [EventLoop], capacity: Int) {
        self.capacity = capacity
        self.threads = threads.count
        state = Mutex(State(idle: threads))
    }

    func enter(_ asker: Asker, isNext: Bool, _ work: @escaping Work) -> Int? {
        let (start, seconds) = state.withLock { state -> ((EventLoop, Entry)?, Int?) in
            let (kind, own) = state.count(for: asker)
            guard isNext || own < Self.most && kind < capacity * 3 / 4 && state.waiting.count < capacity else {
                let rounds = own < Self.most ? Double(state.waiting.count / threads + 1) : 1
                return (nil, max(1, Int((rounds * state.seconds).rounded(.up))))
            }
            state.waiting.append(Entry(asker: asker, work: work))
            guard let thread = state.idle.last, let next = state.next() else { return (nil, nil) }
            state.idle.removeLast()
            return ((thread, next), nil)
        }
        if let (thread, entry) = start { thread.perform { [self] in run(entry, on: thread) } }
        return seconds
    }

    /// Drops the work that waits.
    func empty() { state.withLock { $0.waiting = [] } }

    private func run(_ first: Entry, on thread: EventLoop) {
        var next: Entry? = first
        let clock = ContinuousClock()
        while let entry = next {
            var deliver: (@Sendable () -> Void)?
            let time = clock.measure { deliver = entry.work() }
            // Before the result is handed over: the person may have something else hashed because of it.
            state.withLock { state in
                state.seconds = time / .seconds(1)
                if case .person(let user) = entry.asker { state.served.remove(user) }
            }
            deliver?()
            next = state.withLock { state in
                let next = state.next()
                if next == nil { state.idle.append(thread) }
                return next
            }
        }
    }
}
