import Daemon
import Reactor
import Records
import Storage
import Telemetry

// What people ask of what is stored is read on a thread of its own: readings are opened by the thousand there, and the session's
// thread has other things to do.
//
// Each request opens the databases anew, only to read: nothing of anybody's keys stays there, and a person who is forgotten, or a
// root key that is changed, is so for the next request. It sees one state of the database, whatever is committed meanwhile.

/// Answers requests by reading. It belongs to the session's thread; what the other thread gets are values.
// Proof of @unchecked: `waiting` and `prepare` are touched on the session's thread only, or before it starts; the rest does not change.
final class Readers: @unchecked Sendable {
    /// What is read for a reply: on the reader's thread, with what is open for this request alone. What it throws is the reply.
    typealias Read = @Sendable (Store, Keys) throws -> JSON

    /// How many requests may wait, and how many of one person's; more are refused.
    static let (capacity, ownCapacity) = (32, 4)

    /// Called on the session's thread before anything is read for a person: what has to be written for that first, where it is little.
    var prepare: (ID) throws -> Void = { _ in }
    private let people: People
    private let reader: EventLoop
    private var waiting: [ID: Int] = [:]

    /// - Parameter threadName: at most 15 bytes.
    init(_ people: People, threadName: String) {
        self.people = people
        reader = EventLoop(name: threadName)
    }

    /// Makes a request known that is answered by reading.
    /// - Parameter answering: called on the session's thread: looks at the request and returns what is to be done on the reader's.
    ///   What either throws is the reply.
    func register(
        _ name: String, bulk: Allowance<ID>? = nil, _ answering: @escaping (PeopleRequest) throws -> Read
    ) {
        people.register(
            name, bulk: bulk,
            .later { [self] request in
                do { answer(request, try answering(request)) } catch { refuse(request, error) }
            })
    }

    /// Answers a request by what is read for it. On the session's thread.
    func answer(_ request: PeopleRequest, _ read: @escaping Read) {
        do {
            let user = try request.user
            guard waiting[user, default: 0] < Self.ownCapacity, waiting.values.reduce(0, +) < Self.capacity else {
                throw ReplyError(.busy, "others are being served: try again", retryAfterSeconds: 2)
            }
            try prepare(user)
            waiting[user, default: 0] += 1
            let settings = people.context.settings
            let loop = people.context.session.loop
            reader.perform { [self] in
                let outcome = Result { try Self.opened(settings, read) }
                loop.perform { [self] in
                    waiting[user] = waiting[user].flatMap { $0 > 1 ? $0 - 1 : nil }
                    switch outcome {
                    case .success(let data): request.done(data)
                    case .failure(let error): refuse(request, error)
                    }
                }
            }
        } catch {
            refuse(request, error)
        }
    }

    func start() { reader.start() }

    /// What is asked for and not yet answered stays so.
    func stop() { reader.stop() }

    /// Reads in one state of the databases, which are opened for that alone. On the reader's thread.
    static func opened<Found>(_ settings: ConsumerSettings, _ read: (Store, Keys) throws -> Found) throws -> Found {
        let keys = try Keys(settings, .read)
        let store = try Store(folder: settings.state, readOnly: true)
        return try store.database.snapshot { () throws(VaultError) in Result { try read(store, keys) } }.get()
    }

    private func refuse(_ request: PeopleRequest, _ error: any Error) {
        request.refuse(people.refusal(error, request.name))
    }
}
