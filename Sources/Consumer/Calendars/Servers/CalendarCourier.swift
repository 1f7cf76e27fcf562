import Reactor
import Synchronization

/// Speaks with calendar servers, on threads that have nothing else to do. When the value ends, so does what is under way.
final class CalendarCourier: Sendable {
    /// Each has threads of its own, so that a slow server keeps nobody waiting in another lane.
    enum Lane: String, CaseIterable, Sendable {
        /// All people's calendars in turn.
        case turns = "calendars"
        /// Those among them whose servers need long.
        case slow = "calendars-slow"
        /// What somebody asks for.
        case asked = "calendars-asked"
        /// Calendars of people who are about to be forgotten, which is done within ten seconds.
        case leaving = "calendars-leave"

        /// How many conversations it has at a time.
        fileprivate var width: Int {
            switch self {
            case .turns, .slow: 1
            case .asked, .leaving: 3
            }
        }
    }

    private let current: Mutex<Current> = Mutex(Current())

    private struct Current {
        var isEnding = false
        /// A lane has none before something is asked in it: most homes speak to no calendar.
        var threads: [Lane: [EventLoop]] = [:]
        /// By the names of threads.
        var talks: [String: CalendarTalk] = [:]
        /// How many conversations wait for a thread or are had on it, by its name.
        var loads: [String: Int] = [:]
    }

    deinit {
        let (talks, threads) = current.withLock { current in
            current.isEnding = true
            return (Array(current.talks.values), current.threads.values.flatMap(\.self))
        }
        for talk in talks { talk.cancel() }
        for thread in threads { thread.end() }
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
        let thread = freest(of: lane)
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
    private func freest(of lane: Lane) -> EventLoop {
        current.withLock { current in
            let threads = current.threads[lane] ?? []
            let freest = threads.min { current.loads[$0.name, default: 0] < current.loads[$1.name, default: 0] }
            if let freest, threads.count == lane.width || current.loads[freest.name, default: 0] == 0 {
                current.loads[freest.name, default: 0] += 1
                return freest
            }
            let thread = EventLoop(name: threads.isEmpty ? lane.rawValue : "\(lane.rawValue)-\(threads.count + 1)")
            thread.start()
            current.threads[lane] = threads + [thread]
            current.loads[thread.name] = 1
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
