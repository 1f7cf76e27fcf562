import Fitness
import TestSupport
import Testing

@testable import Workouts

/// Whatever comes, nothing traps, and a recount of the same says the same.
@Suite(.timeLimit(.minutes(60))) struct HostileTests {
    private let numbers: [Double] = [
        .nan, .infinity, -.infinity, 0, -0.0, 1, -1, 1e300, -1e300, .leastNonzeroMagnitude, 90, 180, 50, 12, 30,
    ]
    private let times: [Int64] = [.min, .min + 1, -1, 0, 1, epoch, epoch + 1, .max - 1, .max, 253_402_300_799_999]

    private func number(_ generator: inout SeededGenerator) -> Double {
        Bool.random(using: &generator)
            ? numbers.randomElement(using: &generator) ?? 0 : .random(in: -200...200, using: &generator)
    }

    private func time(_ generator: inout SeededGenerator) -> Int64 {
        switch Int.random(in: 0...9, using: &generator) {
        case 0: times.randomElement(using: &generator) ?? 0
        case 1: epoch + .random(in: -400_000_000...400_000_000, using: &generator)
        default: epoch + .random(in: -10...4_000_000, using: &generator)
        }
    }

    private func sample(_ generator: inout SeededGenerator) -> WorkoutSample {
        let time = time(&generator)
        switch Int.random(in: 0...4, using: &generator) {
        case 0:
            let point = TrackPoint(
                time: time, latitude: number(&generator), longitude: number(&generator),
                altitude: number(&generator) * 100, accuracy: number(&generator))
            if let point { return .position(point) }
            fallthrough
        case 1:
            let rate = [.min, -1, 0, 24, 25, 60, 150, 240, 241, .max].randomElement(using: &generator) ?? 0
            return .heartRate(HeartRateReading(time: time, beatsPerMinute: rate))
        case 2:
            let counter = Bool.random(using: &generator) ? UInt32.random(in: 0...500, using: &generator) : .max
            return .steps(StepReading(time: time, counter: counter))
        case 3:
            let steps = UInt32.random(in: 0 ... .max, using: &generator)
            if let span = PedometerReading(from: self.time(&generator), to: time, steps: steps) {
                return .pedometer(span)
            }
            fallthrough
        default:
            return .motion(
                MotionReading(
                    sensor: .random(in: 0...2, using: &generator), time: time, metresPerSecond: number(&generator),
                    totalMetres: number(&generator),
                    cadence: number(&generator), watts: number(&generator)))
        }
    }

    private func person(_ generator: inout SeededGenerator) -> Person {
        Person(
            sex: [.male, .female, nil].randomElement(using: &generator) ?? nil, ageYears: number(&generator),
            heightCentimetres: number(&generator), weightKilograms: number(&generator),
            restingHeartRate: number(&generator))
    }

    /// What holds of any figures.
    private func check(_ figures: WorkoutFigures) {
        for value in [figures.metres, figures.kilocalories, figures.ascentMetres, figures.percent] {
            if let value { #expect(value >= 0 && value.isFinite) }
        }
        #expect(figures.activeMilliseconds >= 0 && (figures.steps ?? 0) >= 0)
        if let heart = figures.heartRate { #expect((25.0...240).contains(heart.mean)) }
    }

    @Test("any samples, events and people give figures, and the same ones in any order", arguments: 1...30)
    func figures(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let activities: [Activity] = [.running, .walking, .cycling, .custom(try #require(Activity.Name("Any")))]
        let activity = activities.randomElement(using: &generator) ?? .running
        let person = person(&generator)
        let accuracy = number(&generator)
        let goal = WorkoutGoal.Kind.allCases.randomElement(using: &generator)
            .flatMap { WorkoutGoal($0, target: 100) }
        var fold = WorkoutFold(activity, goal: goal, person: person, worstAccuracy: accuracy)
        var events: [WorkoutEvent] = []
        var samples: [WorkoutSample] = []
        for _ in 0..<2000 {
            if Int.random(in: 0...30, using: &generator) == 0 {
                let kinds: [WorkoutEvent.Kind] = [.start, .pause, .resume]
                let event = WorkoutEvent(kinds.randomElement(using: &generator) ?? .start, at: time(&generator))
                do {
                    try fold.add(event)
                    events.append(event)
                } catch {}
            }
            samples.append(sample(&generator))
            fold.add(samples[samples.count - 1])
            check(fold.figures(at: time(&generator)))
        }
        let counted = try WorkoutFold(
            activity, goal: goal, person: person, worstAccuracy: accuracy, events: events, samples: samples)
        check(counted.figures(at: .max))
        let last = counted.figures(at: .max)
        #expect((last.goalReached != nil) == (last.percent ?? 0 >= 100))
        let again = try WorkoutFold(
            activity, goal: goal, person: person, worstAccuracy: accuracy, events: events,
            samples: (samples + samples).shuffled(using: &generator))
        #expect(again == counted)
        review(samples, activity, counted.timer, &generator)
    }

    /// Samples of all streams in the order of their times, each time of a stream once, from moments before the start on.
    private func stream(_ generator: inout SeededGenerator, seconds: Int) throws -> [WorkoutSample] {
        var samples: [WorkoutSample] = []
        var (north, altitude, counter, spanned) = (0.0, 100.0, 0 as UInt32, at(-60))
        for second in -20...seconds where Int.random(in: 0...50, using: &generator) > 0 {
            let now = Double(second)
            north += .random(in: 0...6, using: &generator)
            altitude += .random(in: -2...2, using: &generator)
            counter += .random(in: 0...3, using: &generator)
            switch Int.random(in: 0...5, using: &generator) {
            case 0:
                let accuracy = [0.0, 5, 20].randomElement(using: &generator)
                samples.append(.position(try point(now, north, altitude: altitude, accuracy: accuracy)))
            case 1:
                let rate = Int.random(in: 60...180, using: &generator)
                samples.append(.heartRate(HeartRateReading(time: at(now), beatsPerMinute: rate)))
            case 2: samples.append(.steps(StepReading(time: at(now), counter: counter)))
            case 3:
                let span = try #require(PedometerReading(from: spanned, to: at(now), steps: 2))
                spanned = at(now)
                samples.append(.pedometer(span))
            default:
                let sensor = UInt8.random(in: 0...2, using: &generator)
                let speed = Double.random(in: 0...6, using: &generator)
                let reading = MotionReading(sensor: sensor, time: at(now), metresPerSecond: speed, watts: 9 * speed)
                samples.append(.motion(reading))
            }
        }
        return samples
    }

    @Test("figures while streams lag behind each other are those of a recount", arguments: 1...30)
    func live(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let activity = Activity.known.randomElement(using: &generator) ?? .running
        let goal = WorkoutGoal(.distance, target: 500)
        let samples = try stream(&generator, seconds: 3000)
        var (events, time) = ([WorkoutEvent(.start, at: epoch)], 0)
        for number in 0..<8 {
            time += .random(in: 1...300, using: &generator)
            events.append(WorkoutEvent(number % 2 == 0 ? .pause : .resume, at: at(Double(time) + 0.5)))
        }
        events.append(WorkoutEvent(.stop, at: at(2900.5)))
        let lags = (0..<7).map { _ in Int64.random(in: 0...60_000, using: &generator) }
        let person = person(&generator)
        var fold = WorkoutFold(activity, goal: goal, person: person)
        var (ahead, counted) = (events[...], 0)
        for sample in samples.sorted(by: { $0.time + lags[$0.stream] < $1.time + lags[$1.stream] }) {
            while let event = ahead.first, event.time <= sample.time {
                try fold.add(event)
                ahead = ahead.dropFirst()
            }
            if fold.add(sample) == .counted { counted += 1 }
        }
        let recount = try WorkoutFold(activity, goal: goal, person: person, events: events, samples: samples)
        #expect(!fold.needsRecount && ahead.isEmpty && counted > 1000)
        for now in [at(100), at(2900), at(3100)] {
            var (live, expected) = (fold.figures(at: now), recount.figures(at: now))
            // Only the moment at which the goal was reached may differ.
            (live.goalReached, expected.goalReached) = (nil, nil)
            #expect(live == expected)
        }
    }

    private func review(
        _ samples: [WorkoutSample], _ activity: Activity, _ timer: WorkoutTimer, _ generator: inout SeededGenerator
    ) {
        let points = samples.compactMap { sample -> TrackPoint? in
            if case .position(let point) = sample { point } else { nil }
        }
        let rates = samples.compactMap { sample -> HeartRateReading? in
            if case .heartRate(let reading) = sample { reading } else { nil }
        }
        let course = Course(points, activity, timer, worstAccuracy: 1e9)
        let way = Way(course)
        let hearts = rates.map { HeldHeartRate(time: $0.time, beatsPerMinute: Double($0.beatsPerMinute)) }.sorted {
            $0.time < $1.time
        }
        let splits = way.splits(climbs: course.climbs, hearts: hearts, timer)
        #expect(splits.allSatisfy { $0.seconds >= 0 && $0.metres >= 0 })
        for distance in numbers { _ = way.fastest(distance) }
        let motions = samples.compactMap { sample -> MotionReading? in
            if case .motion(let reading) = sample { reading } else { nil }
        }
        for way in [way, Way(motions, activity, timer)].compactMap({ $0 }) {
            #expect(
                zip(way.marks, way.marks.dropFirst()).allSatisfy { $0.seconds <= $1.seconds && $0.metres <= $1.metres })
            for seconds in numbers {
                guard let moving = way.movingSeconds(of: seconds, activity) else { continue }
                #expect(moving >= 0 && moving <= seconds + 1e-6)
            }
        }
        for count in [Int.min, -1, 0, 1, 7, .max] {
            _ = course.series(points: count)
            _ = HeartRateSeries.points(rates, timer, points: count)
            #expect(simplified(course.path, to: count).joined().count <= max(0, count))
        }
        for metres in numbers { _ = hidingEnds(of: course.path, within: metres) }
    }

    @Test("a workout keeps a bounded amount, however long it is and however often it is measured")
    func bounded() throws {
        var fold = try begun()
        for hour in 0..<100 {
            for minute in 0..<60 {
                let time = at(Double(hour * 3600 + minute * 60))
                fold.add(.heartRate(HeartRateReading(time: time, beatsPerMinute: 100)))
                fold.add(.steps(StepReading(time: time, counter: UInt32(hour * 6000 + minute * 100))))
            }
        }
        let figures = fold.figures(at: at(360_000))
        // Forty-eight hours, with both ends.
        #expect(figures.heartRate?.samples == 48 * 60 + 1 && figures.steps == 48 * 6000)
    }
}
