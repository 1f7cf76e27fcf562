import Days
import Fitness
import Readings
import Telemetry
import Workouts

/// A workout that is under way, with its figures as they are now. Belongs to the session's thread.
struct RunningWorkout {
    let user: ID
    private(set) var workout: KeptWorkout
    private(set) var history: History
    /// The chosen zone of heart rate, and how long the heart has been where it is; nil if none was chosen.
    var target: TargetZone?
    private var fold: WorkoutFold
    private var selection: SampleSelection
    /// What has come lately, and may not be stored yet.
    private(set) var recent: [Recent] = []
    /// What has come since counting began.
    private var meanwhile: [Recent] = []
    /// What has come at once, until it is stored.
    private var seen: Set<Seen> = []
    /// When anything was last measured, in Unix milliseconds.
    private(set) var heard: Int64
    /// Since when it is looked after here, in Unix milliseconds: what was measured before may still be on its way.
    let since: Int64
    /// Whether the figures must be counted again from what is stored.
    private(set) var mustBeCounted = true
    private var isBeingCounted = false
    /// Whether the figures know what was stored before it was looked after here, and everything that was done.
    private(set) var isCounted = false

    /// Tells a reading from all others. A heart rate and a position may have the same time.
    private struct Seen: Hashable {
        let kind: Reading.Kind
        let sensor: String
        let wall: Int64
    }

    /// A reading and its sensor.
    typealias Recent = (reading: Reading, sensor: String)

    /// How many samples are remembered until they are stored: some minutes of several sensors.
    private static let mostRecent = 4096
    /// What comes from further ahead than this is not believed, in milliseconds: clocks differ.
    private static let ahead: Int64 = 60_000

    /// A workout whose figures are not counted yet.
    init(_ workout: KeptWorkout, of user: ID, _ history: History, now: Int64) {
        (self.user, self.workout, self.history, since) = (user, workout, history, now)
        target = workout.target
        fold = workout.fold([], history)
        selection = SampleSelection()
        heard = workout.timer.latest ?? workout.started
    }

    /// Whether its goal was reached by what came so far, if it is not one of time.
    var hasReachedGoal: Bool { fold.hasReachedGoal }

    /// The figures at a time in Unix milliseconds.
    func figures(now: Int64) -> WorkoutFigures { fold.figures(at: now) }

    /// The figures for somebody who must not take what is counted in part for the whole; nil while they must first be counted. Of a
    /// workout that is over, how long it was is known.
    func knownFigures(now: Int64) -> WorkoutFigures? {
        guard !isCounted else { return figures(now: now) }
        return workout.timer.isOver ? workout.fold([], history).figures(at: now) : nil
    }

    /// What is published of it.
    func json(now: Int64) -> JSON {
        // A workout that has ended before its last reading is not what the figures say.
        let isKnown = !workout.timer.isOver || !fold.needsRecount
        let figures = isKnown ? figures(now: now) : workout.fold([], history).figures(at: now)
        let person = history.person(at: workout.started)
        let zones = person.zones(for: workout.activity.kind)
        let heart = workout.timer.state == .running ? figures.heartRate?.zone : nil
        return .object(
            [JSON.Member("time", .integer(now))] + figures.members(workout, person)
                + present([
                    (HeartRateZones.field.name, zones?.json),
                    (WorkoutFigures.target.name, workout.target?.json(zones, heart: heart)),
                ]))
    }

    /// Takes readings of a sensor as they are measured.
    mutating func take(_ readings: [Reading], _ sensor: String, now: Int64) {
        for reading in readings {
            let time = reading.moment.wall
            guard time <= now + Self.ahead, time >= workout.started - WorkoutSamples.before else { continue }
            if seen.count >= 2 * Self.mostRecent { seen = [] }
            seen.insert(Seen(kind: reading.kind, sensor: sensor, wall: time))
            guard let sample = selection.sample(reading, sensor) else { continue }
            heard = max(heard, min(time, now))
            recent.append((reading, sensor))
            if isBeingCounted { meanwhile.append((reading, sensor)) }
            if fold.add(sample) == .late { mustBeCounted = true }
        }
        if recent.count > Self.mostRecent { recent.removeFirst(recent.count - Self.mostRecent) }
    }

    /// Readings were stored of which only the times are known. Those of phones come whole in a moment.
    mutating func stored(_ readings: PersonsReadings) {
        let from = workout.started - WorkoutSamples.before
        let isUnknown = readings.portions.contains { portion in
            !portion.sensor.hasPrefix(Self.phones)
                && portion.readings.contains {
                    $0.kind != .temperature && $0.wall >= from
                        && !seen.contains(Seen(kind: $0.kind, sensor: portion.sensor, wall: $0.wall))
                }
        }
        if isUnknown { mustBeCounted = true }
    }

    private static let phones = "\(OwnGateway.name)/"

    /// The person has shown that they are still at it.
    mutating func hear(at time: Int64) { heard = max(heard, time) }

    /// The person has said something else of themselves.
    mutating func take(_ history: History) {
        guard history.person(at: workout.started) != self.history.person(at: workout.started) else { return }
        self.history = history
        mustBeCounted = true
    }

    /// Something was done, and the row has it already.
    mutating func add(_ event: WorkoutEvent, _ workout: KeptWorkout) {
        self.workout = workout
        heard = max(heard, event.time)
        add(event)
    }

    private mutating func add(_ event: WorkoutEvent) {
        do throws(WorkoutEventProblem) { try fold.add(event) } catch { (mustBeCounted, isCounted) = (true, false) }
        if fold.needsRecount { (mustBeCounted, isCounted) = (true, false) }
    }

    /// Something was said of it that changes no figures, and the row has it already.
    mutating func replace(_ workout: KeptWorkout) { self.workout = workout }

    /// Begins to count again; what comes from now on counts as well.
    mutating func beginCounting() {
        (mustBeCounted, isBeingCounted) = (false, true)
        meanwhile = []
    }

    /// What is stored has changed: what came at once may be wrong, and all of it is counted again.
    mutating func forgetRecent() {
        (recent, meanwhile, seen) = ([], [], [])
        mustBeCounted = true
    }

    /// Counting has failed.
    mutating func countAgain() { (mustBeCounted, isBeingCounted) = (true, false) }

    /// The figures by everything that was stored when counting began, and by what has come since.
    mutating func counted(_ count: Count) {
        (selection, fold, isBeingCounted, isCounted) = (count.selection, count.fold, false, true)
        heard = max(heard, count.heard)
        // Something may have been done in the meantime.
        for event in workout.events.dropFirst(count.events) { add(event) }
        for (reading, sensor) in meanwhile {
            guard let sample = selection.sample(reading, sensor) else { continue }
            if fold.add(sample) == .late { mustBeCounted = true }
        }
        meanwhile = []
    }

    /// What is counted on another thread.
    struct Count: Sendable {
        let fold: WorkoutFold
        let selection: SampleSelection
        /// How many things had been done when counting began.
        let events: Int
        /// When anything was last measured, in Unix milliseconds.
        let heard: Int64

        /// Counts what is stored, and what has come lately and may not be stored.
        init(_ workout: KeptWorkout, _ history: History, _ samples: WorkoutSamples, _ recent: [Recent]) {
            var selection = samples.selection
            // What counts may be another sensor's than it was thought at first.
            let latest = recent.compactMap { recent in
                // It is known already which of those before was the best.
                let isKnown = recent.reading.kind == .heartRate && recent.reading.moment.wall <= samples.latestHearts[recent.sensor] ?? .min
                return isKnown ? nil : selection.sample(recent.reading, recent.sensor)
            }
            fold = workout.fold(samples, and: latest, history)
            (self.selection, events) = (selection, workout.events.count)
            heard = samples.all.reduce(workout.started) { max($0, $1.time) }
        }
    }
}
