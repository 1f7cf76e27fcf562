package import Contract
package import Daemon
package import Reactor
import Synchronization
package import Telemetry

// Requests that read stored data are answered on threads of their own: readings are opened by the thousand there, and
// the session's thread has other things to do. Whose turn it is says ReadTurns.swift.
//
// Each request opens the keys again: none stay on those threads, and if a person is forgotten, or the root key is
// changed, the next request sees it. It sees one state of the database, even if something is committed in the meantime.
// A few answers that took long are remembered for some minutes, and given again until something changes that is kept
// about their person.

/// Answers requests by reading. It belongs to the session's thread; the other threads only get values.
// Proof of @unchecked: `turns`, the lanes' `isBusy` and `prepare` are touched on the session's thread only, or before it
// starts, and the lanes' timers and answers on their own threads; the rest does not change.
package final class Readers<Source>: @unchecked Sendable {
    /// Reads for a reply: on a reader's thread, with what is open for this request alone. An error that it throws is
    /// the reply.
    package typealias Read = @Sendable (Source) throws -> JSON

    /// What a reader's thread reads from.
    package struct Access {
        /// Calls `read` with a source for one request alone.
        let open: @Sendable (_ read: Read) throws -> JSON
        /// A text that changes whenever anything changes that is kept about a person; nil if nothing is kept.
        let state: @Sendable (Source, ID) throws -> String?
        /// Called a second after an answer, once a second at most: gives back what only helps the next request of
        /// several.
        let rest: () -> Void
        /// Called once the reader's thread has ended: closes what `open` has kept.
        let close: () -> Void

        package init(
            open: @escaping @Sendable (_ read: Read) throws -> JSON,
            state: @escaping @Sendable (Source, ID) throws -> String? = { _, _ in nil },
            rest: @escaping () -> Void = {}, close: @escaping () -> Void = {}
        ) {
            (self.open, self.state, self.rest, self.close) = (open, state, rest, close)
        }
    }

    /// A thread that reads.
    // Proof of @unchecked: as for the readers.
    private final class Lane: @unchecked Sendable {
        let reader: EventLoop
        let access: Access
        /// Whose answers are made here: those that take long, or all others; nil for everybody's.
        let isLong: Bool?
        var isBusy = false
        /// From how many milliseconds on an answer is remembered.
        private let long: UInt64
        /// Until `rest` is called.
        private var pause: EventLoop.Timer?
        private var remembered = RememberedAnswers()
        /// Until the oldest of what is remembered is too old.
        private var forgetting: EventLoop.Timer?

        init(_ threadName: String, _ access: Access, isLong: Bool?, long: UInt64) {
            (reader, self.access, self.isLong, self.long) = (EventLoop(name: threadName), access, isLong, long)
        }

        /// On the reader's thread.
        func opened(_ read: Read) throws -> JSON {
            defer {
                // Not later because somebody asks again and again.
                pause = pause ?? reader.after(.seconds(1)) { [unowned self] in
                    pause = nil
                    access.rest()
                }
            }
            return try access.open(read)
        }

        /// The same for a question whose answer is remembered, if it took long. On the reader's thread.
        func opened(_ asked: Remembering, _ read: @escaping Read) throws -> JSON {
            try opened { [self] source in
                guard let state = try access.state(source, asked.question.user) else { return try read(source) }
                let began = millisecondsSinceBoot()
                if let answer = remembered.answer(asked.question, state: state, now: began) { return answer }
                let answer = try read(source)
                if millisecondsSinceBoot() - began >= long, asked.isLasting(answer) {
                    remembered.remember(answer, to: asked.question, state: state, now: millisecondsSinceBoot())
                    forgetLater()
                }
                return answer
            }
        }

        /// Nothing stays longer than it is given again.
        private func forgetLater() {
            guard forgetting == nil, let end = remembered.end else { return }
            let now = millisecondsSinceBoot()
            forgetting = reader.after(.milliseconds(Int64(end > now ? end - now : 0))) { [unowned self] in
                forgetting = nil
                remembered.forget(before: millisecondsSinceBoot())
                forgetLater()
            }
        }
    }

    /// A question whose answer may be remembered, and whether it depends on nothing but what is kept of the person.
    private struct Remembering: Sendable {
        let question: RememberedAnswers.Question
        let isLasting: @Sendable (JSON) -> Bool
    }

    /// A request that waits, and what is read for it.
    private struct Question {
        let request: PeopleRequest
        let read: Read
        let remembering: Remembering?
        /// From when on nobody waits for the answer.
        let end: UInt64
    }

    /// How many requests may wait, and how many of one person may wait or be answered; more are refused.
    package static var capacity: Int { 32 }
    package static var ownCapacity: Int { 4 }
    private static var busy: ReplyError {
        ReplyError(.busy, "others are being served: try again", retryAfterSeconds: 2)
    }

    private let loop: EventLoop
    private let lanes: [Lane]
    private let prepare: (ID) throws -> Void
    private var turns = ReadTurns<Question>(capacity: capacity, ownCapacity: ownCapacity)

    /// - Parameters:
    ///   - threadName: at most 10 bytes.
    ///   - loop: the session's.
    ///   - prepare: called on the session's thread before anything is read for a person: writes what has to be written
    ///     first, if it is little.
    ///   - access: what is read from.
    ///   - long: the same for a second thread, for people whose answers take long.
    ///   - milliseconds: answers that take so long may be remembered.
    package init(
        threadName: String, _ loop: EventLoop, prepare: @escaping (ID) throws -> Void = { _ in }, _ access: Access,
        long: Access? = nil, remembering milliseconds: UInt64 = 100
    ) {
        self.loop = loop
        self.prepare = prepare
        lanes =
            [Lane(threadName, access, isLong: long == nil ? nil : false, long: milliseconds)]
            + (long.map { [Lane("\(threadName)-long", $0, isLong: true, long: milliseconds)] } ?? [])
    }

    /// A verb that is answered by reading.
    /// - Parameters:
    ///   - isLong: whether it may take long, for anybody: it is answered with what people ask whose answers take long.
    ///   - isLasting: whether an answer depends on nothing but the request's fields and what is kept of the person: then it
    ///     is made once. Nil if none does.
    ///   - answering: called on the session's thread: checks the request, and returns the work for the
    ///     reader's thread. An error that either throws is the reply.
    package func verb(
        _ name: String, _ contract: RequestContract, bulk: Allowance<ID>? = nil, namesOthers: Bool = false,
        isLong: Bool = false, isLasting: (@Sendable (JSON) -> Bool)? = nil,
        _ answering: @escaping (PeopleRequest) throws -> Read
    ) -> Verb {
        Verb(
            name, contract, bulk: bulk, namesOthers: namesOthers,
            .later { [self] request in
                request.answering { answer(request, isLong: isLong, isLasting: isLasting, try answering(request)) }
            })
    }

    /// Answers a request with what is read for it. On the session's thread.
    package func answer(
        _ request: PeopleRequest, isLong: Bool = false, isLasting: (@Sendable (JSON) -> Bool)? = nil,
        _ read: @escaping Read
    ) {
        request.answering {
            let user = try request.user
            let remembering = isLasting.flatMap { isLasting in
                RememberedAnswers.Question(user, request.name, request.fields).map {
                    Remembering(question: $0, isLasting: isLasting)
                }
            }
            let now = millisecondsSinceBoot()
            let end = now + UInt64(max(.zero, request.limit) / .milliseconds(1))
            let question = Question(request: request, read: read, remembering: remembering, end: end)
            switch turns.enter(user, isLong: isLong, question, now: now) {
            case .refused: throw Self.busy
            case .displaces(let question): question.request.refuse(Self.busy)
            case .waits: break
            }
            goOn()
        }
    }

    /// Gives each thread that has nothing to do what is next. On the session's thread.
    private func goOn() {
        // One moment for all: in between, a person could go from one thread's to another's, and be overlooked by both.
        let now = millisecondsSinceBoot()
        for lane in lanes {
            while !lane.isBusy, let (user, question) = turns.next(isLong: lane.isLong, now: now) {
                guard now < question.end else {
                    turns.finished(user, seconds: 0, now: now)
                    question.request.refuse(ReplyError(.timeout, "others were served for too long: try again"))
                    continue
                }
                lane.isBusy = true
                answer(question, of: user, on: lane)
            }
        }
    }

    private func answer(_ question: Question, of user: ID, on lane: Lane) {
        do { try prepare(user) } catch { return answered(question, of: user, on: lane, .failure(error), seconds: 0) }
        lane.reader.perform { [self] in
            let began = ContinuousClock.now
            let outcome = Result {
                guard let remembering = question.remembering else { return try lane.opened(question.read) }
                return try lane.opened(remembering, question.read)
            }
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            loop.perform { [self] in answered(question, of: user, on: lane, outcome, seconds: seconds) }
        }
    }

    private func answered(
        _ question: Question, of user: ID, on lane: Lane, _ outcome: Result<JSON, any Error>, seconds: Double
    ) {
        lane.isBusy = false
        turns.finished(user, seconds: seconds, now: millisecondsSinceBoot())
        question.request.finish(outcome)
        goOn()
    }

    /// Reads something for a part of the service, on the first reader's thread.
    /// - Parameter completion: called once, on the session's thread.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (Source) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let lane = lanes[0]
        lane.reader.perform { [self] in
            let found = Mutex<Value?>(nil)
            let outcome = Result {
                try lane.opened { source in
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

    package func start() { for lane in lanes { lane.reader.start() } }

    /// Requests that are not answered yet stay unanswered.
    package func stop() {
        for lane in lanes {
            lane.reader.stop()
            lane.access.close()
        }
    }
}
