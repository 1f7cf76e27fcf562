import Days
import Readings
import Telemetry
import Workouts

/// A workout that is under way, with its figures as they are now. Belongs to the session's thread.
struct RunningWorkout {
    let user: ID
    private(set) var workout: KeptWorkout
    private let history: History
    private var fold: WorkoutFold
    private var selection: SampleSelection
    /// What has come lately, and may not be stored yet.
    private var recent: [WorkoutSample] = []
    /// When anything was last measured, in Unix milliseconds.
    private(set) var heard: Int64
    /// Since when it is looked after here, in Unix milliseconds: what was measured before may still be on its way.
    let since: Int64
    /// Whether the figures must be counted again from what is stored.
    private(set) var mustBeCounted = true

    /// How many samples are remembered until they are stored: some minutes of several sensors.
    private static let mostRecent = 4096
    /// What comes from further ahead than this is not believed, in milliseconds: clocks differ.
    private static let ahead: Int64 = 60_000

    /// A workout whose figures are not counted yet.
    init(_ workout: KeptWorkout, of user: ID, _ history: History, now: Int64) {
        (self.user, self.workout, self.history, since) = (user, workout, history, now)
        fold = workout.fold([], history)
        selection = SampleSelection()
        heard = workout.timer.latest ?? workout.started
    }

    /// The figures at a time in Unix milliseconds.
    func figures(now: Int64) -> WorkoutFigures { fold.figures(at: now) }

    /// What is published of it.
    func json(now: Int64) -> JSON {
        // A workout that has ended before its last reading is not what the figures say.
        let isKnown = !workout.timer.isOver || !fold.needsRecount
        let figures = isKnown ? figures(now: now) : workout.fold([], history).figures(at: now)
        return .object([JSON.Member("time", .integer(now))] + figures.members(workout))
    }

    /// Takes readings of a sensor as they are measured.
    mutating func take(_ readings: [Reading], _ sensor: String, now: Int64) {
        for reading in readings {
            let time = reading.moment.wall
            guard time <= now + Self.ahead, time >= workout.started - WorkoutSamples.before,
                let sample = selection.sample(reading, sensor)
            else { continue }
            heard = max(heard, min(time, now))
            recent.append(sample)
            if fold.add(sample) == .late { mustBeCounted = true }
        }
        if recent.count > Self.mostRecent { recent.removeFirst(recent.count - Self.mostRecent) }
    }

    /// Readings were stored of which only the times are known.
    mutating func stored(_ times: [Int64]) {
        let known = Set(recent.map(\.time))
        let from = workout.started - WorkoutSamples.before
        if times.contains(where: { $0 >= from && !known.contains($0) }) { mustBeCounted = true }
    }

    /// Something was done, and the row has it already.
    mutating func add(_ event: WorkoutEvent, _ workout: KeptWorkout) {
        self.workout = workout
        do throws(WorkoutEventProblem) { try fold.add(event) } catch { mustBeCounted = true }
        if fold.needsRecount { mustBeCounted = true }
    }

    /// Begins to count again; what comes from now on counts as well.
    mutating func beginCounting() { mustBeCounted = false }

    /// Counting has failed.
    mutating func countAgain() { mustBeCounted = true }

    /// The figures by everything that is stored, and what has come since.
    mutating func counted(_ samples: WorkoutSamples) {
        selection = samples.selection
        fold = workout.fold(samples.all + recent, history)
        heard = samples.all.reduce(heard) { max($0, $1.time) }
    }
}
