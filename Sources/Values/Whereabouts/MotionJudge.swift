import Fitness
import Telemetry

// Three witnesses say how somebody moves. They are heard in this order:
//
// 1. the phone's own motion sensors, which say it in words (`motionactivities` of OwnTracks, on iOS);
// 2. its pedometer: so many steps from one time to another;
// 3. the speed between fixes.
//
// What one of them says holds where none before it says anything. Only where the phone believes to lie still is it not
// believed against a speed at which nobody walks: on a smooth road, a car feels like a table.

/// How somebody moves on a day, by all that is known.
public struct MotionJudge: Hashable, Sendable {
    /// How somebody can move.
    public typealias State = MotionSpan.State

    /// How somebody moves now.
    public struct Current: Hashable, Sendable {
        /// How.
        public let state: State
        /// Since when, in Unix milliseconds; not before the latest `beginDay`.
        public let since: Int64
        /// When it was last known, in Unix milliseconds.
        public let time: Int64
    }

    /// Nobody makes steps with a purpose at fewer a minute (Tudor-Locke et al., Medicine & Science in Sports & Exercise
    /// 43(7), 2011).
    private static let walkingCadence: Int64 = 40
    /// Fewer steps may be a phone that was put elsewhere.
    private static let fewSteps = 10
    /// What a pedometer says of a longer time says nothing of how somebody moved, in milliseconds.
    private static let longestSteps: Int64 = 60 * 60_000

    private var words = MotionSpans()
    private var steps = MotionSpans()
    private var speeds = SpeedWitness()
    private var (hasMovedByWords, hasMovedBySteps) = (false, false)

    /// Nothing is known.
    public init() {}

    // MARK: Witnesses

    /// Takes a fix. Fixes come in the order of their times; others are passed over.
    public mutating func take(_ fix: Fix) { speeds.take(fix) }

    /// Takes what a phone's motion sensors say: any of `stationary`, `walking`, `running`, `cycling`, `automotive`, of
    /// which several may hold at once. Others are passed over.
    /// - Parameter time: in Unix milliseconds. What is not later than the one before is passed over.
    public mutating func take(activities: Set<String>, at time: Int64) {
        guard KeptState.times.contains(time), time > words.last?.to ?? -1, let state = State(activities: activities)
        else {
            return
        }
        // What was said before holds until now.
        if let last = words.last, time - last.to <= last.state.lasting {
            words.add(MotionSpan(last.state, from: last.to, to: time))
        }
        words.add(MotionSpan(state, from: time, to: time))
        if state.isExercise { hasMovedByWords = true }
    }

    /// Takes what a pedometer says. Spans come in the order of their ends; what overlaps with those before does not
    /// count.
    /// - Parameters:
    ///   - count: how many steps there were.
    ///   - from: in Unix milliseconds.
    ///   - to: in Unix milliseconds.
    public mutating func take(steps count: Int, from: Int64, to: Int64) {
        guard KeptState.times.contains(from), KeptState.times.contains(to), (1...Self.longestSteps).contains(to - from)
        else {
            return
        }
        guard (0...StepCounter.mostIn(to - from)).contains(Int64(clamping: count)) else { return }
        if count >= Self.fewSteps { hasMovedBySteps = true }
        let isWalk = Int64(count) * 60_000 >= Self.walkingCadence * (to - from)
        guard isWalk else { return }
        let isRun = StepCounter.isRun(count, in: to - from)
        steps.add(MotionSpan(isRun ? .running : .walking, from: from, to: to))
    }

    /// The same without what fixes and pedometers have said: they are going to be taken again.
    public func withoutReadings() -> MotionJudge {
        var judge = self
        (judge.speeds, judge.steps, judge.hasMovedBySteps) = (SpeedWitness(), MotionSpans(), false)
        return judge
    }

    /// Another day begins: how somebody moves now goes on, and everything else is forgotten.
    public mutating func beginDay() {
        (words, steps) = (words.latest, steps.latest)
        speeds.beginDay()
        (hasMovedByWords, hasMovedBySteps) = (false, false)
    }

    // MARK: What follows

    /// How somebody moved, in the order of the times; neighbours differ, or are apart.
    public var spans: [MotionSpan] {
        let fast = speeds.spans.spans.filter { $0.state == .driving || $0.state == .cycling }
        let believed =
            words.spans.filter { $0.state != .still }
            + MotionSpans(words.spans.filter { $0.state == .still }).outside(fast)
        let walked = believed + steps.outside(believed)
        let all = (walked + speeds.spans.outside(walked)).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
        return all.reduce(into: []) { spans, span in
            if let last = spans.last, last.state == span.state, span.from <= last.to {
                spans[spans.count - 1].to = max(last.to, span.to)
            } else {
                spans.append(span)
            }
        }
    }

    /// How somebody moves now; nil if nothing has been known of it for ten minutes, or for six hours if they lay still.
    /// - Parameter now: the service's clock, in Unix milliseconds.
    public func current(now: Int64) -> Current? {
        guard let last = spans.max(by: { ($0.to, $0.from) < ($1.to, $1.from) }),
            SourceClock.limited(now) - last.to <= last.state.lasting
        else { return nil }
        return Current(state: last.state, since: last.from, time: last.to)
    }

    /// Whether the person has moved today: a few steps, a walk, or a way.
    public var hasMoved: Bool { hasMovedByWords || hasMovedBySteps || speeds.hasMoved }

    /// How many whole minutes of exercise there were: walking, running and cycling.
    public var exerciseMinutes: Int {
        Int(spans.reduce(0) { $0 + ($1.state.isExercise ? $1.length : 0) } / 60_000)
    }
}

extension MotionSpan.State {
    /// What a phone's motion sensors say; nil if that is nothing. In a car at a red light they say two things.
    init?(activities: Set<String>) {
        let words: [(String, MotionSpan.State)] = [
            ("automotive", .driving), ("cycling", .cycling), ("running", .running), ("walking", .walking),
            ("stationary", .still),
        ]
        guard let word = words.first(where: { activities.contains($0.0) }) else { return nil }
        self = word.1
    }
}
