package import Days
import Files
import Fitness
import Readings
import Records
import Telemetry
package import Workouts

// What is measured during a workout comes from several sensors: two straps, a watch and a foot pod that both count
// steps, a phone and a receiver. One heart beats, and one person is at one place; so of positions and counters, those of
// one sensor count: the one whose reading of the workout's time is the earliest. Of heart rates, those of the best sensor
// at each time count, as they do for days (`HeartRateSources`); while a workout is under way, those of a chest strap go
// before others, and another sensor counts when the one that counted is silent. Means are of what each sensor holds
// alone (`hearts`); extremes, curves and what is now are of the values themselves. Foot pods and sensors on a bicycle measure
// different things, and all of them count.

/// Which sensors count in a workout.
struct SampleSelection {
    private var chosen: [Reading.Kind: String] = [:]
    /// Whose heart rates count; nil before the first one.
    private var heart: Heart?
    /// Whether the workout is on foot; nil if that does not matter.
    var isOnFoot: Bool?
    /// Of those that measure motion, in the order in which they were first heard.
    private var numbers: [String: UInt8] = [:]

    /// Whether a sensor stands for what recorded imported files.
    static func isOfFile(_ sensor: String) -> Bool { sensor.hasPrefix(files) }

    private static let files = "\(OwnGateway.name)/\(OwnGateway.importPrefix)"

    /// A sensor whose heart rates count.
    private struct Heart {
        let sensor: String
        /// Whether RR intervals come with them: mostly chest straps know them.
        var hasIntervals: Bool
        /// When the latest one was, in Unix milliseconds.
        var time: Int64
        /// How long it may be silent, in milliseconds.
        static let longestSilence: Int64 = 15_000
    }

    /// Heart rates of this sensor count from now on.
    mutating func choose(_ sensor: String, _ reading: Reading) {
        choose(sensor, at: reading.moment.wall, hasIntervals: reading.hasIntervals)
    }

    /// The same of a heart rate at a time in Unix milliseconds.
    mutating func choose(_ sensor: String, at time: Int64, hasIntervals: Bool) {
        let known = heart?.sensor == sensor ? heart : nil
        heart = Heart(
            sensor: sensor, hasIntervals: known?.hasIntervals == true || hasIntervals, time: max(known?.time ?? time, time))
    }

    private func isBetter(_ sensor: String, _ reading: Reading) -> Bool {
        guard let heart, heart.sensor != sensor else { return true }
        return reading.hasIntervals && !heart.hasIntervals || reading.moment.wall > heart.time + Heart.longestSilence
    }

    /// Others count in the next part of a workout.
    mutating func beginPart() { (chosen, heart) = ([:], nil) }

    /// The sample of a sensor's reading; nil if it means nothing, or another sensor counts.
    mutating func sample(_ reading: Reading, _ sensor: String) -> WorkoutSample? {
        guard let sample = made(reading, sensor) else { return nil }
        guard reading.kind != .motion else { return sample }
        if reading.kind == .heartRate {
            guard isBetter(sensor, reading) else { return nil }
            choose(sensor, reading)
            return sample
        }
        if let known = chosen[reading.kind] { return known == sensor ? sample : nil }
        chosen[reading.kind] = sensor
        return sample
    }

    /// By how much a file's cadence differs from one that had come with this activity: strides are counted twice on foot.
    private func strides(_ source: Motion.Source, _ sensor: String) -> Double {
        guard let isOnFoot, isOnFoot != (source == .foot), Self.isOfFile(sensor) else { return 1 }
        return isOnFoot ? 2 : 0.5
    }

    private mutating func made(_ reading: Reading, _ sensor: String) -> WorkoutSample? {
        let time = reading.moment.wall
        switch reading.value {
        case .heartRate:
            return reading.heartRate.map { .heartRate(HeartRateReading(time: time, beatsPerMinute: $0)) }
        case .steps(let steps): return .steps(StepReading(time: time, counter: steps.counter))
        case .temperature: return nil
        case .position(let position):
            return TrackPoint(
                time: time, latitude: position.latitudeDegrees, longitude: position.longitudeDegrees,
                altitude: position.altitudeMetres, accuracy: position.accuracyMetres,
                isOfSatellites: position.source != .file
            ).map { .position($0) }
        case .motion(let motion):
            let number = numbers[sensor] ?? UInt8(clamping: numbers.count)
            numbers[sensor] = number
            return .motion(
                MotionReading(
                    sensor: number, time: time, metresPerSecond: motion.metresPerSecond,
                    totalMetres: motion.totalMetres,
                    cadence: motion.cadencePerMinute.map { $0 * strides(motion.source, sensor) }, watts: motion.watts))
        case .pedometer(let span):
            return PedometerReading(from: time - Int64(span.milliseconds), to: time, steps: span.steps)
                .map { .pedometer($0) }
        }
    }
}

/// The samples of a workout, as they are stored.
struct WorkoutSamples {
    /// In the order of their times, each time of a stream once.
    private(set) var all: [WorkoutSample] = []
    /// Which sensors they are from.
    private(set) var selection = SampleSelection()

    /// How much earlier than the workout what comes before its first sample may be, in milliseconds: a heart rate holds
    /// since the one before, and steps are counted from the count before.
    static let before: Int64 = 60_000
    /// How much earlier and later than the workout heart rates may be that say how long others hold, in milliseconds.
    static let beside = HeldHeartRates.reach
    /// How much later than the workout what is counted between two readings may come, in milliseconds: a counter of steps
    /// is read when the workout has ended, and the count of then says what was made until the end.
    static let after: Int64 = 60_000
    /// What is counted between two readings.
    static let counts: Set<Reading.Kind> = [.steps, .pedometer]
    /// No workout has more samples: 48 hours of two a second.
    private static let most = 400_000
    private static let kinds: [Reading.Kind] = [.steps, .position, .motion, .pedometer]
    /// Of a sensor that sends more heart rates, those after so many do not count: 48 hours of one a second.
    private let mostOfSensor: Int
    /// When the latest heart rate of each sensor was, in Unix milliseconds.
    private(set) var latestHearts: [String: Int64] = [:]
    /// What several sensors of heart rates hold together; nil if there is never more than one.
    private(set) var hearts: BestHearts?

    /// Reads those of a workout's time; of one that was joined, those of each part, as if it were a workout.
    ///
    /// Somebody's own sensors count before what files bring of the same time, such as the few heart rates of all day by a
    /// watch; in a workout that came with a file, it is the other way round. Of heart rates, those of the others fill what
    /// is left, and those of a chest strap go before all. One that was added by hand has none.
    init(
        of user: ID, _ workout: KeptWorkout, now: Int64, _ store: Store, _ keys: Keys, mostOfSensor: Int = 200_000
    ) throws(VaultError) {
        self.mostOfSensor = mostOfSensor
        guard workout.origin?.isByHand != true else { return }
        let stored = StoredReadings(store: store, keys: keys)
        var names: [Int64: String] = [:]
        for stream in try store.streams(of: user) { names[stream.number] = "\(stream.gateway)/\(stream.sensor)" }
        let span = workout.span(now: now)
        let whole = WorkoutPart(start: span.lowerBound, end: span.upperBound, isImported: workout.origin != nil)
        let parts = workout.parts.isEmpty ? [whole] : workout.parts
        selection.isOnFoot = workout.activity.gait != nil
        var sources: [(HeartRateSources, Range<Int64>)] = []
        for (index, part) in parts.enumerated() {
            let earliest = index == 0 ? Int64.min : min(parts[index - 1].end, part.start)
            let latest = index + 1 < parts.count ? parts[index + 1].start : Int64.max
            selection.beginPart()
            let limits = earliest..<latest
            sources.append(try readHearts(part, within: limits, of: user, names, stored))
            try read(part, within: limits, of: user, names, stored)
        }
        if sources.contains(where: { $0.0.all.count > 1 }) {
            // All of `latestHearts` are stored.
            let end = (latestHearts.values.max() ?? 0) / HeldHeartRates.slotMilliseconds + 1
            hearts = BestHearts(sources.flatMap { sources, times in sources.pieces(within: times) }, before: end)
        }
        all = WorkoutSample.inOrder(all)
    }

    /// Reads those of a part, but for heart rates.
    /// - Parameter limits: what is before or after these is another part's.
    private mutating func read(
        _ part: WorkoutPart, within limits: Range<Int64>, of user: ID, _ names: [Int64: String], _ stored: StoredReadings
    ) throws(VaultError) {
        var ofFiles = SampleSelection()
        ofFiles.isOnFoot = selection.isOnFoot
        for kind in Self.kinds {
            let from = max(limits.lowerBound, part.start - Self.before)
            let first = all.count
            // They count if nothing better comes.
            var others: [WorkoutSample] = []
            let to = min(limits.upperBound, part.end + (Self.counts.contains(kind) ? Self.after : 0))
            _ = try stored.eachOfStreams(of: user, kind, from: from, to: to) { reading, stream in
                let name = names[stream] ?? ""
                let isOfFile = SampleSelection.isOfFile(name)
                if let sample = isOfFile ? ofFiles.sample(reading, name) : selection.sample(reading, name) {
                    if isOfFile == part.isImported { all.append(sample) } else { others.append(sample) }
                }
                return all.count + others.count < Self.most
            }
            let counts = all.count > first || others.isEmpty
            if !counts { all += others }
        }
    }

    /// Reads the heart rates of a part, and those beside it that say what holds at its start and its end: at each time those of the
    /// best sensor. Returns those of all sensors, without spikes.
    private mutating func readHearts(
        _ part: WorkoutPart, within limits: Range<Int64>, of user: ID, _ names: [Int64: String], _ stored: StoredReadings
    ) throws(VaultError) -> (HeartRateSources, within: Range<Int64>) {
        // What another part has may say how long something holds in this one.
        let (from, to) = (part.start - Self.before - Self.beside, part.end + Self.beside)
        var found: [(time: Int64, rate: Int, stream: Int64, hasIntervals: Bool)] = []
        var streams: [Int64: HeartRates] = [:]
        _ = try stored.eachOfStreams(of: user, .heartRate, from: from, to: to) { reading, stream in
            guard let rate = reading.heartRate, streams[stream]?.count ?? 0 < mostOfSensor else { return true }
            if limits.contains(reading.moment.wall) { found.append((reading.moment.wall, rate, stream, reading.hasIntervals)) }
            streams[stream, default: HeartRates()].add(rate, at: reading.moment.wall, hasIntervals: reading.hasIntervals)
            return all.count + found.count < 2 * Self.most
        }
        let sources = HeartRateSources(
            streams.map { stream, rates in
                let isOfFile = SampleSelection.isOfFile(names[stream] ?? "")
                return HeartRateSources.One(HeartRateSource(stream, isRecord: isOfFile != part.isImported), rates.finished()[...])
            })
        var best = BestHeartRates(sources)
        for one in found {
            let name = names[one.stream] ?? ""
            // What a clock that is ahead has brought says nothing of now.
            if one.time < part.end { latestHearts[name] = one.time }
            guard best.isBest(one.stream, at: one.time).ofSlot else { continue }
            all.append(.heartRate(HeartRateReading(time: one.time, beatsPerMinute: one.rate)))
            if one.time < part.end { selection.choose(name, at: one.time, hasIntervals: one.hasIntervals) }
        }
        return (sources, max(from, limits.lowerBound)..<max(from, limits.lowerBound, min(to, limits.upperBound)))
    }
}

/// The heart rates of one sensor.
private struct HeartRates {
    /// How many were given, and not only those that count: each has a cost.
    private(set) var count = 0
    private var minutes: [(number: Int64, minute: HeartRateMinute)] = []
    private var spikes = SpikeFilter()
    private var latest: Int64 = 0
    /// Whether RR intervals came with the latest one.
    private var hadIntervals = false

    /// Takes one that is not before the others; of the same millisecond the first one counts.
    mutating func add(_ rate: Int, at time: Int64, hasIntervals: Bool) {
        count += 1
        guard count == 1 || time > latest else { return }
        latest = time
        if let known = spikes.add(HeartRateReading(time: time, beatsPerMinute: rate)) { keep(known) }
        hadIntervals = hasIntervals
    }

    /// Its minutes, without spikes.
    func finished() -> [(number: Int64, minute: HeartRateMinute)] {
        var all = self
        if let known = all.spikes.finish() { all.keep(known) }
        return all.minutes
    }

    private mutating func keep(_ reading: HeartRateReading) {
        let number = HeartRateMinute.number(of: reading.time)
        if minutes.last?.number != number { minutes.append((number, HeartRateMinute())) }
        minutes[minutes.count - 1].minute.add(reading.beatsPerMinute, at: reading.time)
        if hadIntervals { minutes[minutes.count - 1].minute.hasIntervals = true }
    }
}

extension HeartRateSources {
    /// What they hold within a range of Unix milliseconds.
    fileprivate func pieces(within times: Range<Int64>) -> [HeldHeartRates.Piece] {
        let slots = HeldHeartRates.slots(in: times)
        var pieces: [HeldHeartRates.Piece] = []
        forEachPiece { piece in
            let part = piece.slots.clamped(to: slots)
            if !part.isEmpty { pieces.append(piece.part(part)) }
        }
        return pieces
    }
}

extension Reading {
    /// Whether RR intervals came with it.
    fileprivate var hasIntervals: Bool { if case .heartRate(let measurement) = value { measurement.hasBeats } else { false } }
}

extension KeptWorkout {
    /// The way that was taken.
    func course(_ samples: WorkoutSamples) -> Course {
        let points = samples.all.lazy.compactMap { sample -> TrackPoint? in
            if case .position(let point) = sample { point } else { nil }
        }
        return Course(points, activity, timer)
    }

    /// How it went.
    /// - Parameters:
    ///   - history: says how tall and heavy the person was on the day it began.
    ///   - latest: samples that may not be among the others yet.
    func fold(_ samples: WorkoutSamples, and latest: [WorkoutSample] = [], _ history: History) -> WorkoutFold {
        fold(samples.all + latest, hearts: samples.hearts, history)
    }

    /// How it went, by samples in any order.
    /// - Parameters:
    ///   - hearts: what several sensors of heart rates hold together.
    ///   - history: says how tall and heavy the person was on the day it began.
    package func fold(
        _ samples: some Sequence<WorkoutSample>, hearts: BestHearts? = nil, _ history: History
    ) -> WorkoutFold {
        let person = history.person(at: started)
        do throws(WorkoutEventProblem) {
            return try WorkoutFold(activity, goal: goal, person: person, events: events, samples: samples, hearts: hearts)
        } catch {
            // The events were accepted by a timer before.
            return WorkoutFold(activity, goal: goal, person: person)
        }
    }
}
