public import Fitness

/// The figures of a workout, one event or sample at a time, in constant time, and some 150 bytes for each minute. Asking for
/// the figures takes longer, the more minutes there are.
///
/// Every stream of samples (positions, heart rates, counts of steps, spans of a pedometer, each sensor) must come in the
/// order of its times; the streams may run ahead of each other, and in the end the figures are those of a recount to
/// the bit, but for heart rates of several sensors, which a recount alone puts together. (Only the time of a reached goal may differ then: it is when the figures first said so.) What
/// comes late is not counted: `needsRecount` says so, and a fold of everything that was kept, in any order, has it.
///
/// The caller keeps samples from the future away: what comes after such a sample is late.
public struct WorkoutFold: Hashable, Sendable {
    /// What becomes of a sample.
    public enum Outcome: Hashable, Sendable {
        /// It counts.
        case counted
        /// It does not: the workout was not active, the sample is not plausible, or it is the same one again.
        case ignored
        /// It is earlier than the one before, or another one of the same time: the figures need a recount.
        case late
    }

    /// How long a workout is measured, pauses and all, in milliseconds: 48 hours. What comes later does not count.
    public static let longest: Int64 = 48 * 3_600_000

    /// What is done.
    public let activity: Activity
    /// What is to be reached; nil if nothing is.
    public let goal: WorkoutGoal?
    /// When the workout was active.
    public private(set) var timer = WorkoutTimer()
    /// Whether something came late, so that only a recount has the right figures.
    public private(set) var needsRecount = false

    private var minutes: WorkoutMinutes
    private var positions: PositionStream
    private var heart: HeartStream
    private var sensors: MotionSensors
    private var counter = StepStream()
    private var pedometer = StepStream()
    private var last: [Int: WorkoutSample] = [:]
    /// The time of the latest sample.
    private var latest = Int64.min
    private var reached: Int64?
    /// Slower than this somebody stands, in metres a second.
    private let standing: Double

    /// A workout that has not begun.
    /// - Parameters:
    ///   - person: as they are that day.
    ///   - worstAccuracy: how far off a position may be to count, in metres.
    public init(
        _ activity: Activity, goal: WorkoutGoal? = nil, person: Person,
        worstAccuracy: Double = PositionFilter.worstAccuracy
    ) {
        (self.activity, self.goal, standing) = (activity, goal, activity.standingMetresPerSecond)
        minutes = WorkoutMinutes(MinuteRules(activity, person))
        positions = PositionStream(activity, worstAccuracy: worstAccuracy)
        heart = HeartStream(person, activity)
        sensors = MotionSensors(activity)
    }

    /// A workout from everything that was kept of it.
    /// - Parameters:
    ///   - events: in the order in which they were accepted.
    ///   - samples: in any order, some of them more than once; of heart rates those of the best source at each time.
    ///   - hearts: what several sources of heart rates hold together; nil if there is one source.
    public init(
        _ activity: Activity, goal: WorkoutGoal? = nil, person: Person,
        worstAccuracy: Double = PositionFilter.worstAccuracy, events: some Sequence<WorkoutEvent>,
        samples: some Sequence<WorkoutSample>, hearts: BestHearts? = nil
    ) throws(WorkoutEventProblem) {
        self.init(activity, goal: goal, person: person, worstAccuracy: worstAccuracy)
        for event in events { try add(event) }
        for sample in WorkoutSample.inOrder(samples) { add(sample) }
        if let hearts {
            heart.holdBest(hearts, timer, &minutes)
            reachAgain()
        }
    }

    /// Best heart rates may have added or taken away what reaches a goal.
    private mutating func reachAgain() {
        guard let goal, goal.kind == .energy else { return }
        guard goal.isReached(by: minutes.value(.energy)) else { return reached = nil }
        reached = reached ?? minutes.moment(ofCalories: whole(goal.target * 1000))
    }

    /// Takes an event; throws and changes nothing if it cannot be.
    public mutating func add(_ event: WorkoutEvent) throws(WorkoutEventProblem) {
        try timer.add(event)
        guard let time = timer.latest else { return }
        // Samples that came sooner were judged without it. One of the same moment was so only if the workout begins.
        if latest > time || latest == time && timer.state == .running { needsRecount = true }
    }

    /// Takes a sample.
    @discardableResult
    public mutating func add(_ sample: WorkoutSample) -> Outcome {
        guard WorkoutTimer.times.contains(sample.time) else { return .ignored }
        if let previous = last[sample.stream], sample.time <= previous.time {
            guard sample != previous else { return .ignored }
            needsRecount = true
            return .late
        }
        last[sample.stream] = sample
        latest = max(latest, sample.time)
        if let started = timer.started, sample.time - started > Self.longest { return .ignored }
        guard take(sample) else { return .ignored }
        if let goal, goal.kind != .duration {
            // Better samples may take away again what others have added.
            reached = goal.isReached(by: minutes.value(goal.kind)) ? reached ?? sample.time : nil
        }
        return .counted
    }

    /// Whether a sample counts. Heart rates and counts of steps from before the start are where the first ones after it
    /// begin.
    private mutating func take(_ sample: WorkoutSample) -> Bool {
        switch sample {
        case .steps(let reading): return counter.add(reading, timer, &minutes)
        case .pedometer(let span): return pedometer.add(span, timer, &minutes)
        case .heartRate(let reading): return heart.add(reading, timer, &minutes)
        case .position, .motion: break
        }
        guard let interval = timer.interval(at: sample.time) else { return false }
        let frame = WorkoutFrame(timer: timer, interval: interval)
        switch sample {
        case .position(let point): return positions.add(point, frame, &minutes)
        case .motion(let reading): sensors.add(reading, frame, &minutes)
        case .heartRate, .steps, .pedometer: return false
        }
        return true
    }

    /// The figures at a time in Unix milliseconds: it decides how long the workout has lasted, and what is still "now".
    public func figures(at now: Int64) -> WorkoutFigures {
        let active = timer.activeMilliseconds(at: now)
        var (minutes, heart) = (minutes, heart)
        heart.finish(at: now, timer, &minutes)
        let metres = minutes.value(.distance)
        var figures = WorkoutFigures(
            state: timer.state, started: timer.started, ended: timer.ended, activeMilliseconds: active)
        figures.metres = metres
        figures.steps = minutes.steps.map { Int(clamping: $0) }
        figures.kilocalories = minutes.value(.energy)
        figures.energySource = minutes.energySource
        figures.ascentMetres = positions.hasAltitude ? positions.ascent : nil
        figures.heartRate = WorkoutFigures.HeartRate(heart, minutes, at: now)
        figures.speed = WorkoutFigures.Speed(
            now: speed(at: now), speeds, metres: metres, seconds: Double(active) / 1000)
        figures.cadence = WorkoutFigures.Rate(sensors.all(\.cadences), now: sensors.now(\.cadence, at: now))
        figures.power = WorkoutFigures.Rate(sensors.all(\.powers), now: sensors.now(\.watts, at: now))
        if let goal {
            let value = goal.kind == .duration ? Double(active) / 1000 : minutes.value(goal.kind)
            figures.percent = goal.percent(value)
            figures.goalReached = goal.isReached(by: value) ? moment(of: goal, by: now) : nil
        }
        return figures
    }

    /// The heart rates that hold in active time until a time in Unix milliseconds, in order.
    public func heldHeartRates(at now: Int64) -> [HeldHeartRate] {
        var (minutes, heart) = (minutes, heart)
        heart.finish(at: now, timer, &minutes)
        return minutes.heldHeartRates
    }

    /// Whether the goal was reached by what came so far, if it is not one of time.
    public var hasReachedGoal: Bool { reached != nil }

    /// The speed now: by positions, unless these are too old, or stand while a sensor moves.
    private func speed(at now: Int64) -> Double? {
        let (positions, sensors) = (positions.speed(at: now), sensors.speed(at: now))
        guard let positions, let sensors else { return positions ?? sensors }
        return positions < standing ? max(positions, sensors) : positions
    }

    /// The speeds by positions, unless these never moved while a sensor knows speeds.
    private var speeds: Extremes {
        let sensed = sensors.speeds
        return positions.speeds.maximum < standing && sensed.count > 0 ? sensed : positions.speeds
    }

    /// When a goal that is reached by now was reached: not after the end, though the sample with which it was may be of
    /// a span that reaches beyond it. If only what waits for the next heart rate has reached it, that is now.
    private func moment(of goal: WorkoutGoal, by now: Int64) -> Int64? {
        if goal.kind == .duration { return timer.moment(ofActiveMilliseconds: goal.milliseconds) }
        guard let started = timer.started else { return nil }
        return max(started, min(reached ?? now, now, timer.ended ?? now))
    }
}
