import Reactor
import Synchronization

/// Speaks with calendar servers, on threads that have nothing else to do. When the value ends, so does what is under way.
final class CalendarCourier: Sendable {
    /// Each has threads of its own, so that a slow server keeps nobody waiting in another one.
    enum Lane: String, CaseIterable, Sendable {
        /// All people's calendars in turn.
        case turns = "calendars"
        /// What somebody asks for.
        case asked = "calendars-asked"
        /// Calendars of people who are about to be forgotten, which is done within ten seconds.
        case leaving = "calendars-leave"

        /// How many conversations it has at a time.
        fileprivate var width: Int { self == .turns ? 1 : 3 }
    }

    private let threads: [Lane: [EventLoop]]
    private let current: Mutex<Current> = Mutex(Current())

    private struct Current {
        var isEnding = false
        /// By the names of threads.
        var talks: [String: CalendarTalk] = [:]
        /// How many conversations wait for a thread or are had on it, by its name.
        var loads: [String: Int] = [:]
    }

    init() {
        threads = Dictionary(
            uniqueKeysWithValues: Lane.allCases.map { lane in
                (lane, (0..<lane.width).map { EventLoop(name: $0 == 0 ? lane.rawValue : "\(lane.rawValue)-\($0 + 1)") })
            })
        for thread in threads.values.joined() { thread.start() }
    }

    deinit {
        let talks = current.withLock { current in
            current.isEnding = true
            return Array(current.talks.values)
        }
        for talk in talks { talk.cancel() }
        for thread in threads.values.joined() { thread.end() }
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
        guard let thread = freest(of: lane) else { return }
        let name = thread.name
        thread.perform { [weak self] in
            let result = Result { () throws(CalendarProblem) -> Value in
                defer { self?.end(name) }
                let talk = try open()
                guard let self, self.begin(talk, name) else { throw .cancelled }
                return try body(talk)
            }
            completion(result)
        }
    }

    /// The thread of a lane that has least to do, which has one thing more now.
    private func freest(of lane: Lane) -> EventLoop? {
        current.withLock { current in
            let thread = threads[lane]?.min { current.loads[$0.name, default: 0] < current.loads[$1.name, default: 0] }
            if let thread { current.loads[thread.name, default: 0] += 1 }
            return thread
        }
    }

    private func begin(_ talk: CalendarTalk, _ thread: String) -> Bool {
        current.withLock { current in
            guard !current.isEnding else { return false }
            current.talks[thread] = talk
            return true
        }
    }

    private func end(_ thread: String) {
        current.withLock { current in
            current.talks[thread] = nil
            current.loads[thread, default: 1] -= 1
        }
    }
}
