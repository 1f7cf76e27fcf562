/// Something that a person does to a workout.
public struct WorkoutEvent: Hashable, Sendable {
    /// What can be done.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The workout begins.
        case start
        /// It is interrupted: what is measured meanwhile does not count.
        case pause
        /// It goes on.
        case resume
        /// It ends, and is kept.
        case stop
        /// It ends, and is not kept.
        case cancel
    }

    /// What is done.
    public let kind: Kind
    /// Unix milliseconds.
    public let time: Int64

    /// An event at a time in Unix milliseconds.
    public init(_ kind: Kind, at time: Int64) {
        (self.kind, self.time) = (kind, time)
    }
}

/// The state of a workout, and when it was active: what follows from its events, in the order in which they were
/// accepted.
///
/// An event that names a time before the event before it takes place at the time of that one: a workout can
/// be stopped though a clock was set back.
public struct WorkoutTimer: Hashable, Sendable {
    /// What a workout can be.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// It has not begun.
        case ready
        /// It is active.
        case running
        /// It is interrupted.
        case paused
        /// It has ended.
        case stopped
        /// It has ended, and is not kept.
        case cancelled
    }

    /// A time without a pause. Both ends belong to it.
    public struct Interval: Hashable, Sendable {
        /// Unix milliseconds.
        public let start: Int64
        /// Unix milliseconds; nil while it lasts.
        public internal(set) var end: Int64?
        /// How long the workout had been active before, in milliseconds.
        public let before: Int64
    }

    /// What times can be: from 1970 to the year 9999, in Unix milliseconds.
    public static let times: ClosedRange<Int64> = 0...253_402_300_799_999
    /// How many times a workout can be active, with a pause between each two.
    public static let mostIntervals = 1000

    /// What it is.
    public private(set) var state = State.ready
    /// When it was active, in order.
    public private(set) var intervals: [Interval] = []
    /// The time of the latest event, in Unix milliseconds; nil if there was none.
    public private(set) var latest: Int64?

    /// A workout that has not begun.
    public init() {}

    /// The state after some events.
    public init(_ events: some Sequence<WorkoutEvent>) throws(WorkoutEventProblem) {
        for event in events { try add(event) }
    }

    /// When it began, in Unix milliseconds; nil before.
    public var started: Int64? { intervals.first?.start }

    /// When it ended, in Unix milliseconds; nil before.
    public var ended: Int64? { isOver ? latest : nil }

    /// Whether it was stopped or cancelled.
    public var isOver: Bool { state == .stopped || state == .cancelled }

    /// Whether it has begun and not ended: its goal cannot be changed.
    public var isUnderWay: Bool { state == .running || state == .paused }

    /// Takes an event; throws and changes nothing if it cannot be.
    public mutating func add(_ event: WorkoutEvent) throws(WorkoutEventProblem) {
        guard Self.times.contains(event.time) else { throw .impossibleTime }
        let time = max(event.time, latest ?? event.time)
        switch (event.kind, state) {
        case (.start, .ready), (.resume, .paused):
            guard intervals.count < Self.mostIntervals else { throw .tooManyPauses }
            intervals.append(Interval(start: time, end: nil, before: activeMilliseconds(at: time)))
            state = .running
        case (.pause, .running):
            end(at: time)
            state = .paused
        case (.stop, .running), (.stop, .paused):
            end(at: time)
            state = .stopped
        case (.cancel, .running), (.cancel, .paused):
            end(at: time)
            state = .cancelled
        default:
            throw .notNow(event.kind, state)
        }
        latest = time
    }

    private mutating func end(at time: Int64) {
        guard let last = intervals.indices.last, intervals[last].end == nil else { return }
        intervals[last].end = time
    }

    /// How long it had been active by a time in Unix milliseconds, without pauses, in milliseconds.
    public func activeMilliseconds(at time: Int64) -> Int64 {
        guard let index = index(startedBy: time) else { return 0 }
        let interval = intervals[index]
        let end = min(interval.end ?? Self.times.upperBound, Self.times.upperBound)
        return interval.before + min(time, end) - interval.start
    }

    /// Whether it was active from a time in Unix milliseconds on: the end of an interval is not in it.
    func isActive(at time: Int64) -> Bool { !activeSpans(from: time, to: time + 1).isEmpty }

    /// Which interval a time in Unix milliseconds is in, counted from 0; nil if it is in none.
    public func interval(at time: Int64) -> Int? {
        guard let index = index(startedBy: time), time <= intervals[index].end ?? .max else { return nil }
        return index
    }

    /// When it had been active for so long, in Unix milliseconds; nil if it has ended, or paused, before.
    public func moment(ofActiveMilliseconds milliseconds: Int64) -> Int64? {
        guard milliseconds >= 0, milliseconds <= Self.times.upperBound else { return nil }
        return intervals.lazy.compactMap { interval -> Int64? in
            let time = interval.start + milliseconds - interval.before
            return time >= interval.start && time <= interval.end ?? .max ? time : nil
        }.first
    }

    /// The latest interval that had started by a time.
    fileprivate func index(startedBy time: Int64) -> Int? {
        // Nearly always it is the last.
        if let last = intervals.last, last.start <= time { return intervals.count - 1 }
        var (low, high) = (0, intervals.count)
        while low < high {
            let middle = (low + high) / 2
            if intervals[middle].start <= time { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}

/// Why an event cannot be.
public enum WorkoutEventProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The workout is not in a state in which this can be done.
    case notNow(WorkoutEvent.Kind, WorkoutTimer.State)
    /// The time is before 1970 or after the year 9999.
    case impossibleTime
    /// There were as many pauses as can be.
    case tooManyPauses

    /// What has happened, and what to do.
    public var description: String {
        switch self {
        case .impossibleTime: "no workout can be at this time: send Unix milliseconds"
        case .tooManyPauses:
            "the workout was interrupted \(WorkoutTimer.mostIntervals) times: stop it, and start another one"
        case .notNow(.start, .running), .notNow(.start, .paused):
            "a workout is under way: stop or cancel it before you start another one"
        case .notNow(_, .ready): "no workout has begun: start one"
        case .notNow(_, .stopped), .notNow(_, .cancelled): "the workout has ended: start another one"
        case .notNow(.pause, _): "the workout is paused already: resume, stop or cancel it"
        case .notNow(.resume, _): "the workout is not paused: pause, stop or cancel it"
        case .notNow(let kind, let state): "\(kind.rawValue) means nothing while the workout is \(state.rawValue)"
        }
    }
}

extension WorkoutTimer {
    /// The parts of a span of time in which it was active, in order.
    func activeSpans(from: Int64, to: Int64) -> [Range<Int64>] {
        guard from < to else { return [] }
        var spans: [Range<Int64>] = []
        var index = index(startedBy: from) ?? 0
        while index < intervals.count, intervals[index].start < to {
            let start = max(from, intervals[index].start)
            let end = min(to, intervals[index].end ?? to)
            if start < end { spans.append(start..<end) }
            index += 1
        }
        return spans
    }
}
