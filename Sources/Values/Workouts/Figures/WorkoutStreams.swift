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
    private var climb: Climb
    /// When the latest credible position was.
    private var last: Int64?
    /// When an altitude was last known on this piece of the path.
    private var altitudeTime: Int64?
    private(set) var speeds = Extremes()
    private(set) var hasAltitude = false

    init(_ activity: Activity, worstAccuracy: Double) {
        filter = PositionFilter(activity, worstAccuracy: worstAccuracy)
        climb = Climb(activity)
    }

    var ascent: Double { climb.metres }

    /// The speed now, in metres a second; nil if it is not known, or too old.
    func speed(at now: Int64) -> Double? {
        guard let speed = window.metresPerSecond, let time = window.time else { return nil }
        return WorkoutFigures.isPresent(time, at: now) ? speed : nil
    }

    /// Takes a position; returns whether it counts.
    mutating func add(_ point: TrackPoint, _ frame: WorkoutFrame, _ minutes: inout WorkoutMinutes) -> Bool {
        let verdict = filter.add(point, piece: frame.interval)
        guard verdict.isCredible else { return false }
        measure(point, verdict, frame, &minutes)
        last = point.time
        if let altitude = point.altitude {
            hasAltitude = true
            let climbed = climb.add(altitude, at: point.time, noise: point.altitudeNoise)
            if let altitudeTime {
                minutes.add(whole(climbed * 1000), from: altitudeTime, to: point.time, \.climb, frame.timer)
            }
            altitudeTime = point.time
        }
        return true
    }

    /// Puts the way into the minutes, and into the speed.
    ///
    /// A distance that is counted once it is beyond the accuracy was covered since the last counted position, and is
    /// spread over all that time. After half a minute within the accuracy it is not known when it was covered; then the
    /// person has stood.
    private mutating func measure(
        _ point: TrackPoint, _ verdict: PositionFilter.Verdict, _ frame: WorkoutFrame, _ minutes: inout WorkoutMinutes
    ) {
        let last = last ?? point.time
        switch verdict {
        case .begins, .imprecise, .old, .tooFast:
            window.cut()
            climb.cut()
            altitudeTime = nil
        case .stands:
            minutes.add(0, from: last, to: point.time, \.still, frame.timer)
        case .waits(let since):
            minutes.add(0, from: last, to: point.time, \.still, frame.timer)
            guard isStanding(point, since) else { return }
        case .counts(let metres, let since):
            let isGap = point.time - since > SpeedWindow.longestGap
            minutes.add(
                whole(metres * 1000), from: isGap ? last : since, to: point.time, isGap ? \.gap : \.path, frame.timer)
        }
        if let speed = window.add(metres: filter.metres, at: point.time) { speeds.add(speed) }
    }

    /// Whether a person of whom no distance is counted stands: at the speed so far they would be twice as far away as
    /// the position may be off, or half a minute has passed.
    private func isStanding(_ point: TrackPoint, _ since: Int64) -> Bool {
        let seconds = Double(point.time - since) / 1000
        let expected = (window.metresPerSecond ?? 0) * seconds
        let accuracy = point.accuracy ?? PositionFilter.unknownAccuracy
        return point.time - since > SpeedWindow.longestGap || expected >= 2 * accuracy
    }
}

/// All sensors of speed, distance, cadence and power, in the order of their numbers.
struct MotionSensors: Hashable, Sendable {
    private let fastest: Double
    private var streams: [MotionStream] = []

    init(_ activity: Activity) { fastest = activity.fastestMetresPerSecond }

    /// Takes a reading.
    mutating func add(_ reading: MotionReading, _ frame: WorkoutFrame, _ minutes: inout WorkoutMinutes) {
        let index = streams.firstIndex { $0.sensor >= reading.sensor } ?? streams.count
        if index == streams.count || streams[index].sensor != reading.sensor {
            streams.insert(MotionStream(reading.sensor, fastest: fastest), at: index)
        }
        streams[index].add(reading, frame, &minutes)
    }

    /// All speeds of the first sensor that has any.
    var speeds: Extremes { all(\.speeds) }

    /// All cadences, or all powers, of the first sensor that has any.
    func all(_ rates: KeyPath<MotionStream, Extremes>) -> Extremes {
        streams.lazy.map { $0[keyPath: rates] }.first { $0.count > 0 } ?? Extremes()
    }

    /// What the first sensor that knows it now measures.
    func now(_ value: KeyPath<MotionReading, Double?>, at now: Int64) -> Double? {
        first(at: now) { $0[keyPath: value] }
    }

    /// The speed that the first sensor that knows a possible one measures now.
    func speed(at now: Int64) -> Double? {
        first(at: now) { reading in reading.metresPerSecond.flatMap { $0 <= fastest ? $0 : nil } }
    }

    private func first(at now: Int64, _ value: (MotionReading) -> Double?) -> Double? {
        for stream in streams {
            guard let latest = stream.latest, WorkoutFigures.isPresent(latest.time, at: now) else { continue }
            if let value = value(latest) { return value }
        }
        return nil
    }
}

/// One sensor of speed, distance, cadence and power, or of some of these.
struct MotionStream: Hashable, Sendable {
    /// A speed or a power is taken to have held since the one before, unless that is longer ago, in milliseconds.
    static let longestHold: Int64 = 5000

    let sensor: UInt8
    private let fastest: Double
    private var interval = 0
    private(set) var latest: MotionReading?
    private(set) var speeds = Extremes()
    private(set) var cadences = Extremes()
    private(set) var powers = Extremes()

    init(_ sensor: UInt8, fastest: Double) { (self.sensor, self.fastest) = (sensor, fastest) }

    /// Takes a reading.
    mutating func add(_ reading: MotionReading, _ frame: WorkoutFrame, _ minutes: inout WorkoutMinutes) {
        let previous = interval == frame.interval ? latest : nil
        (latest, interval) = (reading, frame.interval)
        if let speed = reading.metresPerSecond, speed <= fastest { speeds.add(speed) }
        // A bicycle that rolls has no cadence.
        if let cadence = reading.cadence, cadence > 0 { cadences.add(cadence) }
        if let watts = reading.watts { powers.add(watts) }
        guard let previous else { return }
        let length = reading.time - previous.time
        if let watts = reading.watts, length <= Self.longestHold {
            let work = whole(watts * Double(length))
            minutes.add(work, from: previous.time, to: reading.time, \.[work: sensor], frame.timer)
        }
        guard let metres = Self.metres(previous, reading, fastest: fastest) else { return }
        minutes.add(whole(metres * 1000), from: previous.time, to: reading.time, \.[sensor: sensor], frame.timer)
    }

    /// The way between two readings: by the total distance if both have one, else by the speed.
    static func metres(_ one: MotionReading, _ other: MotionReading, fastest: Double) -> Double? {
        let seconds = Double(other.time - one.time) / 1000
        if let before = one.totalMetres, let after = other.totalMetres, after >= before,
            after - before <= fastest * seconds
        {
            return after - before
        }
        guard other.time - one.time <= longestHold, let speed = other.metresPerSecond, speed <= fastest else {
            return nil
        }
        return speed * seconds
    }
}

/// Steps by a counter, or by spans.
///
/// The steps between two counts are spread evenly over the time between them, and those count for which the workout was
/// active. If it was active for less than half of that time, then it is not known how many belong to it, and none does.
struct StepStream: Hashable, Sendable {
    /// More than this in a second is no walking, but for a few that came together: what a counter reports late during a
    /// workout is that of ten seconds.
    private static let (perSecond, together) = (Int64(6), Int64(50))

    private var chain = StepCounter.Chain(atOnce: Self.together)
    private var until = Int64.min

    /// Takes a count; returns whether it says something about this workout. Which counts are left out is decided as it
    /// is for days.
    mutating func add(_ reading: StepReading, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) -> Bool {
        let count = StepCounter.Count(time: reading.time, steps: reading.counter)
        guard case .follows(let interval, let made) = chain.add(count) else { return false }
        return Self.add(Int64(made), from: reading.time - interval, to: reading.time, \.counter, timer, &minutes)
    }

    /// Takes the steps of a span; returns whether it says something about this workout.
    mutating func add(_ span: PedometerReading, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) -> Bool {
        // Steps of a time of which something is known already would count twice.
        guard span.from >= max(0, until) else { return false }
        until = span.time
        guard Int64(span.steps) <= Self.perSecond * (span.time - span.from) / 1000 + Self.together else { return false }
        return Self.add(Int64(span.steps), from: span.from, to: span.time, \.pedometer, timer, &minutes)
    }

    private static func add(
        _ steps: Int64, from: Int64, to: Int64, _ source: WritableKeyPath<WorkoutMinute, Share>, _ timer: WorkoutTimer,
        _ minutes: inout WorkoutMinutes
    ) -> Bool {
        let (length, active) = (to - from, timer.activeMilliseconds(at: to) - timer.activeMilliseconds(at: from))
        guard active > 0, active >= length - active else { return false }
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
