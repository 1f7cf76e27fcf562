import ActivityFiles
import Fitness
import Telemetry
import Workouts

// A recording becomes a workout and readings. What a file says of one time becomes as many readings as it has kinds; the
// temperature of the air is none, because ours are temperatures of a body.

/// A workout that a file has, and what was measured in it.
struct ImportedWorkout: Sendable {
    /// Over, without figures.
    var workout: KeptWorkout
    /// In the order of their times.
    let readings: [Reading]
    /// What was recorded by it.
    let source: String
    /// Which file of an archive it is from.
    var file = 0

    /// Why a recording is no workout here.
    enum Problem: Error, CustomStringConvertible {
        case past, future, endless

        var description: String {
            switch self {
            case .past: "it says a time before the year 2000"
            case .future: "it ends in the future"
            case .endless: "it lasts for more than \(ImportedWorkout.longest / 86_400_000) days"
            }
        }
    }

    /// The beginning of the year 2000, in Unix milliseconds: a device whose clock was never set says an earlier time.
    static let earliest: Int64 = 946_684_800_000
    /// How far another clock may be ahead of ours, in milliseconds.
    static let tolerance: Int64 = 300_000
    /// No workout lasts longer, in milliseconds.
    static let longest: Int64 = 2 * 86_400_000
    /// Nobody is faster, in metres a second, or climbs faster; what says so is wrong.
    static let (fastest, steepest) = (100.0, 20.0)
    /// How many pauses are taken over, the longest of them.
    private static let mostPauses = WorkoutTimer.mostIntervals - 1

    /// - Parameters:
    ///   - locates: whether positions are kept.
    ///   - now: Unix milliseconds.
    init(_ recording: Recording, id: ID, format: String, locates: Bool, now: Int64) throws {
        guard recording.start >= Self.earliest else { throw Problem.past }
        guard recording.end <= now + Self.tolerance else { throw Problem.future }
        guard recording.end - recording.start <= Self.longest else { throw Problem.endless }
        let activity = Activity(recording.sport)
        workout = try KeptWorkout(id: id, activity, goal: nil, endsAtGoal: false, start: recording.start)
        for pause in Self.pauses(of: recording) {
            try workout.add(WorkoutEvent(.pause, at: pause.start))
            try workout.add(WorkoutEvent(.resume, at: pause.end))
        }
        try workout.add(WorkoutEvent(.stop, at: recording.end))
        source = ImportSources.name(recording.device, format)
        var origin = WorkoutOrigin(source: source)
        origin.name = recording.name
        let seconds = Double(max(60_000, recording.end - recording.start)) / 1000
        let fastest = activity.kind == .foot ? activity.fastestMetresPerSecond : Self.fastest
        origin.metres = recording.totals.distanceMetres.flatMap { $0 <= seconds * fastest ? $0 : nil }
        origin.kilocalories = recording.totals.energyKilocalories
        origin.isBeyondRest = recording.totals.isEnergyBeyondRest
        origin.ascentMetres = recording.totals.ascentMetres.flatMap { $0 <= seconds * Self.steepest ? $0 : nil }
        origin.steps = recording.totals.steps
        origin.session = recording.session.map { WorkoutSession(number: $0.number, of: $0.count, begun: $0.begun) }
        origin.pool = recording.pool.map { SwumPool($0, recording.laps) }
        func plausible(_ rate: UInt16?) -> Int? {
            rate.flatMap { HeartRateSamples.plausible.contains(Int($0)) ? Int($0) : nil }
        }
        (origin.meanHeartRate, origin.highestHeartRate) = (
            plausible(recording.totals.meanHeartRate), plausible(recording.totals.highestHeartRate)
        )
        let active = workout.timer.activeMilliseconds(at: recording.end)
        let elapsed = recording.end - recording.start
        if let told = recording.totals.durationMilliseconds, told > elapsed / 100, told <= elapsed,
            abs(told - active) > max(2000, told / 100)
        {
            origin.activeMilliseconds = told
        }
        let samples = recording.samples.filter { Self.times(recording).contains($0.time) }
        origin.lacksWay = !locates && samples.contains { $0.place != nil }
        workout.origin = origin
        readings = samples.flatMap { $0.readings(in: activity, locates: locates) }
    }

    /// When its samples may be: a device may have begun a little earlier, and say something at its end.
    private static func times(_ recording: Recording) -> ClosedRange<Int64> {
        max(earliest, recording.start - WorkoutSamples.before)...recording.end + WorkoutSamples.before
    }

    private static func pauses(of recording: Recording) -> [Pause] {
        let whole = recording.start...recording.end
        let pauses = recording.pauses.filter { $0.start < $0.end && whole.contains($0.start) && whole.contains($0.end) }
        guard pauses.count > mostPauses else { return pauses }
        let longest = pauses.sorted { $0.end - $0.start > $1.end - $1.start }.prefix(mostPauses)
        return longest.sorted { $0.start < $1.start }
    }
}

extension Activity {
    /// What a file calls it.
    init(_ sport: Sport) {
        switch sport {
        case .running: self = .running
        case .walking: self = .walking
        case .cycling: self = .cycling
        case .other(let name):
            let cut = String(name.prefix(Name.longestBytes / 4))
            self = [name, cut].filter { WorkoutNames.isName($0) && PlainText.isHarmless($0) }.compactMap(Activity.init).first ?? .other
        }
    }

    /// That of which nobody knows what it was.
    private static var other: Activity { Name("workout").map { .custom($0) } ?? .walking }
}

extension SwumPool {
    /// A pool of a file; laps of 0 m beside others are rests.
    init(_ pool: Pool, _ laps: [Lap]) {
        self.init(metres: pool.metres)
        lengths = pool.lengths
        let ways = laps.map { $0.totals.distanceMetres ?? 0 }
        guard ways.contains(where: { $0 > 0 }) else { return }
        for (lap, metres) in zip(laps, ways) where metres == 0 {
            rests += 1
            restSeconds += Double(lap.totals.durationMilliseconds ?? lap.end - lap.start) / 1000
        }
    }
}

extension Sample {
    /// What it says, as readings.
    fileprivate func readings(in activity: Activity, locates: Bool) -> [Reading] {
        var values: [Reading.Value] = []
        if let heartRate, heartRate > 0 {
            values.append(.heartRate(HeartRateMeasurement(beatsPerMinute: heartRate)))
        }
        if locates, let place,
            let position = Position(
                latitude: place.latitude, longitude: place.longitude, altitudeMetres: altitude, source: .file)
        {
            values.append(.position(position))
        }
        let isOnFoot = activity.gait != nil
        let motion = Motion(
            metresPerSecond: speed, totalMetres: distance, cadence: cadence.map { isOnFoot ? $0 * 2 : $0 },
            watts: power.map(Double.init), source: isOnFoot ? .foot : .bicycle)
        if !motion.isEmpty { values.append(.motion(motion)) }
        if let steps { values.append(.steps(StepCount(steps))) }
        return values.map { Reading(at: ImportedRecords.moment(time), $0) }
    }
}
