import Reactor
import Synchronization

/// Speaks with calendar servers, on threads that have nothing else to do. When the value ends, so does what is under way.
final class CalendarCourier: Sendable {
    /// Each has a thread of its own, so that a slow server keeps nobody waiting in another one.
    enum Lane: String, CaseIterable, Sendable {
        /// All people's calendars in turn.
        case turns = "calendars"
        /// What somebody asks for.
        case asked = "calendars-asked"
        /// Calendars of people who are about to be forgotten, which is done within ten seconds.
        case leaving = "calendars-leave"
    }

    private let threads: [Lane: EventLoop]
    private let current: Mutex<Current> = Mutex(Current())

    private struct Current {
        var isEnding = false
        var talks: [Lane: CalendarTalk] = [:]
    }

    init() {
        threads = Dictionary(uniqueKeysWithValues: Lane.allCases.map { ($0, EventLoop(name: $0.rawValue)) })
        for thread in threads.values { thread.start() }
    }

    deinit {
        let talks = current.withLock { current in
            current.isEnding = true
            return Array(current.talks.values)
        }
        for talk in talks { talk.cancel() }
        for thread in threads.values { thread.end() }
    }

    /// Has a conversation, after those that wait in the same lane.
    /// - Parameters:
    ///   - open: begins it, so that its time begins when its turn comes. On the lane's thread, as everything here.
    ///   - completion: called once, unless this value ends before.
    func talk<Value: Sendable>(
        in lane: Lane, _ open: @escaping @Sendable () throws(CalendarProblem) -> CalendarTalk,
        _ body: @escaping @Sendable (CalendarTalk) throws(CalendarProblem) -> Value,
        completion: @escaping @Sendable (Result<Value, CalendarProblem>) -> Void
    ) {
        threads[lane]?.perform { [weak self] in
            let result = Result { () throws(CalendarProblem) -> Value in
                let talk = try open()
                guard let self, self.begin(talk, lane) else { throw .cancelled }
                defer { self.end(lane) }
                return try body(talk)
            }
            completion(result)
        }
    }

    private func begin(_ talk: CalendarTalk, _ lane: Lane) -> Bool {
        current.withLock { current in
            guard !current.isEnding else { return false }
            current.talks[lane] = talk
            return true
        }
    }

    private func end(_ lane: Lane) { current.withLock { $0.talks[lane] = nil } }
}
