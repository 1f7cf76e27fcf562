package import Contract
package import Daemon
package import Reactor
import Synchronization
package import Telemetry

// Requests that read stored data are answered on a thread of its own: readings are opened by the thousand there, and
// the session's thread has other things to do.
//
// Each request has keys of its own: nobody's stay on that thread, and if a person is forgotten, or the root key is
// changed, the next request sees it. It sees one state of the database, whatever is committed in the meantime.

/// Answers requests by reading. It belongs to the session's thread; the other thread only gets values.
// Proof of @unchecked: `waiting` and `prepare` are touched on the session's thread only, or before it starts, and `pause`
// on the reader's; the rest does not change.
package final class Readers<Source>: @unchecked Sendable {
    /// Reads for a reply: on the reader's thread, with what is open for this request alone. An error that it throws is
    /// the reply.
    package typealias Read = @Sendable (Source) throws -> JSON

    /// How many requests may wait, and how many of one person's; more are refused.
    package static var capacity: Int { 32 }
    package static var ownCapacity: Int { 4 }

    private let loop: EventLoop
    private let reader: EventLoop
    private let open: Opening
    private let rest: () -> Void
    private let close: () -> Void
    private let prepare: (ID) throws -> Void
    private var waiting: [ID: Int] = [:]
    /// Until `rest` is called.
    private var pause: EventLoop.Timer?

    /// Calls `read` with a source for one request alone. On the reader's thread.
    package typealias Opening = @Sendable (_ read: Read) throws -> JSON

    /// - Parameters:
    ///   - threadName: at most 15 bytes.
    ///   - loop: the session's.
    ///   - prepare: called on the session's thread before anything is read for a person: writes what has to be written
    ///     first, if it is little.
    ///   - open: makes the source of each request.
    ///   - rest: called on the reader's thread once nobody has asked for a second: gives back what is of use only to the
    ///     next request of several.
    ///   - close: called once the reader's thread has ended: closes what `open` has kept.
    package init(
        threadName: String, _ loop: EventLoop, prepare: @escaping (ID) throws -> Void = { _ in },
        open: @escaping Opening, rest: @escaping () -> Void = {}, close: @escaping () -> Void = {}
    ) {
        reader = EventLoop(name: threadName)
        self.loop = loop
        self.prepare = prepare
        self.open = open
        self.rest = rest
        self.close = close
    }

    /// A verb that is answered by reading.
    /// - Parameter answering: called on the session's thread: looks at the request and returns the work for the
    ///   reader's thread. An error that either throws is the reply.
    package func verb(
        _ name: String, _ contract: RequestContract, bulk: Allowance<ID>? = nil, namesOthers: Bool = false,
        _ answering: @escaping (PeopleRequest) throws -> Read
    ) -> Verb {
        Verb(
            name, contract, bulk: bulk, namesOthers: namesOthers,
            .later { [self] request in request.answering { answer(request, try answering(request)) } })
    }

    /// Answers a request with what is read for it. On the session's thread.
    package func answer(_ request: PeopleRequest, _ read: @escaping Read) {
        request.answering {
            let user = try request.user
            guard waiting[user, default: 0] < Self.ownCapacity, waiting.values.reduce(0, +) < Self.capacity else {
                throw ReplyError(.busy, "others are being served: try again", retryAfterSeconds: 2)
            }
            try prepare(user)
            waiting[user, default: 0] += 1
            reader.perform { [self] in
                let outcome = Result { try opened(read) }
                loop.perform { [self] in
                    waiting[user] = waiting[user].flatMap { $0 > 1 ? $0 - 1 : nil }
                    request.finish(outcome)
                }
            }
        }
    }

    /// Reads something for a part of the service, on the reader's thread.
    /// - Parameter completion: called once, on the session's thread.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Source) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        reader.perform { [self] in
            let found = Mutex<Value?>(nil)
            let outcome = Result {
                try opened { source in
                    let value = try body(source)
                    found.withLock { $0 = value }
                    return .null
                }
            }
            let value = found.withLock { $0 }
            loop.perform {
                completion(outcome.flatMap { _ in value.map { .success($0) } ?? .failure(CancellationError()) })
            }
        }
    }

    /// On the reader's thread.
    private func opened(_ read: Read) throws -> JSON {
        defer {
            pause?.cancel()
            pause = reader.after(.seconds(1)) { [unowned self] in rest() }
        }
        return try open(read)
    }

    package func start() { reader.start() }

    /// Requests that are not answered yet stay unanswered.
    package func stop() {
        reader.stop()
        close()
    }
}
