import Fitness

// What each stream of samples keeps from one sample to the next. A stream knows nothing of the others, so they may run
// ahead of each other; only within a stream the times must rise.

/// Where samples are put, and what they are judged by.
struct WorkoutFrame {
    let timer: WorkoutTimer
    /// Which interval the sample is in.
    let interval: Int
}

/// Positions: path, speed and ascent.
struct PositionStream: Hashable, Sendable {
    private var filter: PositionFilter
    private var window = SpeedWindow()
    private var climb = Climb()
    /// When an altitude was last known on this piece of the path.
    private var altitudeTime: Int64?
    private(set) var speeds = Extremes()
    private(set) var hasAltitude = false

    init(_ activity: Activity, worstAccuracy: Double) {
        filter = PositionFilter(activity, worstAccuracy: worstAccuracy)
    }

    var ascent: Double { climb.metres }
    var speed: (metresPerSecond: Double, time: Int64)? {
        guard let speed = window.metresPerSecond, let time = window.time else { return nil }
        return (speed, time)
    }

    /// Takes a position; returns whether it counts.
    mutating func add(_ point: TrackPoint, _ frame: WorkoutFrame, _ minutes: inout WorkoutMinutes) -> Bool {
        let verdict = filter.add(point, piece: frame.interval)
        guard verdict.isCredible else { return false }
        var (since, metres) = (point.time, 0.0)
        switch verdict {
        case .counts(let way, let start): (metres, since) = (way, start)
        case .stands(let start): since = start
        case .begins, .imprecise, .old, .tooFast:
            window.cut()
            climb.cut()
            altitudeTime = nil
        }
        let isGap = point.time - since > SpeedWindow.longestGap
        minutes.add(whole(metres * 1000), from: since, to: point.time, isGap ? \.gap : \.path, frame.timer)
        if let speed = window.add(metres: filter.metres, at: point.time) { speeds.add(speed) }
        if let altitude = point.altitude {
            hasAltitude = true
            let climbed = climb.add(altitude)
            if let altitudeTime {
                minutes.add(whole(climbed * 1000), from: altitudeTime, to: point.time, \.climb, frame.timer)
            }
            altitudeTime = point.time
        }
        return true
    }
}

/// Heart rates: their mean and extremes, the time in each zone, and the load.
struct HeartStream: Hashable, Sendable {
    /// A heart rate is taken to have held since the one before, unless that is longer ago, in milliseconds.
    static let longestHold: Int64 = 10_000

    private let bounds: [Double]?
    private let impulse: TrainingImpulse?
    private var interval = 0
    private(set) var latest: HeartRateReading?
    private(set) var samples = HeartRateSamples()
    /// In each of the zones 1 to 5; nil if the zones are not known.
    private(set) var zoneMilliseconds: [Int64]?
    /// Banister's training impulse so far; nil if it cannot be known.
    private(set) var impulses: Double?

    init(_ person: Person) {
        bounds = person.zoneBounds
        impulse = TrainingImpulse(person)
        zoneMilliseconds = bounds.map { [Int64](repeating: 0, count: $0.count + 1) }
        impulses = impulse.map { _ in 0 }
    }

    /// The zone of a heart rate, 1 to 5; nil if the zones are not known.
    func zone(_ beatsPerMinute: Int) -> Int? {
        bounds.map { bounds in 1 + bounds.count { Double(beatsPerMinute) >= $0 } }
    }

    /// Takes a heart rate; returns whether it counts.
    mutating func add(_ reading: HeartRateReading, _ frame: WorkoutFrame, _ minutes: inout WorkoutMinutes) -> Bool {
        guard HeartRateSamples.plausible.contains(reading.beatsPerMinute) else { return false }
        samples.add(reading.beatsPerMinute)
        let previous = interval == frame.interval ? latest : nil
        (latest, interval) = (reading, frame.interval)
        guard let previous, reading.time - previous.time <= Self.longestHold else { return true }
        let held = reading.time - previous.time
        minutes.add(Int64(reading.beatsPerMinute) * held, from: previous.time, to: reading.time, \.heart, frame.timer)
        if let zone = zone(reading.beatsPerMinute) { zoneMilliseconds?[zone - 1] += held }
        if let impulse {
            impulses? += impulse.load(heartRate: Double(reading.beatsPerMinute), minutes: Double(held) / 60_000)
        }
        return true
    }
}

/// Sensors of speed, distance, cadence and power.
struct MotionStream: Hashable, Sendable {
    /// A speed is taken to have held since the one before, unless that is longer ago, in milliseconds.
    static let longestHold: Int64 = 5000

    private let fastest: Double
    private var interval = 0
    private(set) var latest: MotionReading?
    private(set) var speeds = Extremes()
    private(set) var cadences = Extremes()
    private(set) var powers = Extremes()

    init(_ activity: Activity) { fastest = activity.fastestMetresPerSecond }

    /// The latest speed that can be.
    var speed: (metresPerSecond: Double, time: Int64)? {
        guard let latest, let speed = latest.metresPerSecond, speed <= fastest else { return nil }
        return (speed, latest.time)
    }

    /// Takes a reading.
    mutating func add(_ reading: MotionReading, _ frame: WorkoutFrame, _ minutes: inout WorkoutMinutes) {
        let previous = interval == frame.interval ? latest : nil
        (latest, interval) = (reading, frame.interval)
        if let speed { speeds.add(speed.metresPerSecond) }
        // Whoever lets the bicycle roll has no cadence.
        if let cadence = reading.cadence, cadence > 0 { cadences.add(cadence) }
        if let watts = reading.watts { powers.add(watts) }
        guard let previous, let metres = metres(previous, reading) else { return }
        minutes.add(whole(metres * 1000), from: previous.time, to: reading.time, \.sensor, frame.timer)
    }

    /// The way between two readings: by the total distance if both have one, else by the speed.
    private func metres(_ one: MotionReading, _ other: MotionReading) -> Double? {
        let seconds = Double(other.time - one.time) / 1000
        if let before = one.totalMetres, let after = other.totalMetres, after >= before,
            after - before <= fastest * seconds
        {
            return after - before
        }
        guard other.time - one.time <= Self.longestHold, let speed else { return nil }
        return speed.metresPerSecond * seconds
    }
}

/// Steps by a counter, or by spans.
///
/// The steps between two counts are spread evenly over the time between them, and those count for which the workout was
/// active. If it was active for less than half of that time, then nobody knows how many belong to it, and none does.
struct StepStream: Hashable, Sendable {
    /// More than this in a second is no walking, but for a few that came together.
    private static let (perSecond, together) = (Int64(6), Int64(10))

    private var latest: StepReading?
    private var until = Int64.min

    /// Takes a count; returns whether it tells of this workout.
    mutating func add(_ reading: StepReading, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) -> Bool {
        defer { latest = reading }
        guard let latest else { return false }
        let steps = Int64(StepCounter.steps(from: latest.counter, to: reading.counter))
        return Self.add(steps, from: latest.time, to: reading.time, \.counter, timer, &minutes)
    }

    /// Takes the steps of a span; returns whether it tells of this workout.
    mutating func add(_ span: PedometerReading, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) -> Bool {
        // Steps of a time that was told of before would count twice.
        guard span.from >= max(0, until) else { return false }
        until = span.time
        return Self.add(Int64(span.steps), from: span.from, to: span.time, \.pedometer, timer, &minutes)
    }

    private static func add(
        _ steps: Int64, from: Int64, to: Int64, _ source: WritableKeyPath<WorkoutMinute, Share>, _ timer: WorkoutTimer,
        _ minutes: inout WorkoutMinutes
    ) -> Bool {
        let (length, active) = (to - from, timer.activeMilliseconds(at: to) - timer.activeMilliseconds(at: from))
        guard active > 0, active >= length - active, steps <= perSecond * length / 1000 + together else { return false }
        minutes.add(steps, from: from, to: to, source, timer)
        return true
    }
}

/// The mean and the extremes of some numbers.
struct Extremes: Hashable, Sendable {
    private(set) var count = 0
    private(set) var sum = 0.0
    private(set) var minimum = 0.0
    private(set) var maximum = 0.0

    mutating func add(_ number: Double) {
        minimum = count == 0 ? number : min(minimum, number)
        maximum = count == 0 ? number : max(maximum, number)
        count += 1
        sum += number
    }

    var mean: Double? { count == 0 ? nil : sum / Double(count) }
}
