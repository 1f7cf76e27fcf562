import Fitness
import Foundation
import TestSupport
import Testing

@testable import Workouts

/// A recording, and who made it.
struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let activity: Activity
    let person: Person
    /// As the script takes them.
    let arguments: [String]
    let goal: Double
    var pause: ClosedRange<Double>?

    static let run = Case(
        name: "run-9km", activity: .running,
        person: Person(
            sex: .male, ageYears: 35, heightCentimetres: 178, weightKilograms: 71, restingHeartRate: 55),
        arguments: ["running", "male", "35", "178", "71", "55"], goal: 5000)
    static let ride = Case(
        name: "ride-41km", activity: .cycling,
        person: Person(
            sex: .female, ageYears: 30, heightCentimetres: 165, weightKilograms: 60, restingHeartRate: 60),
        arguments: ["cycling", "female", "30", "165", "60", "60"], goal: 20_000)
    static let all = [run, ride, run.paused(600...900), ride.paused(1000.0...1777)]

    var testDescription: String { pause == nil ? name : "\(name) with a pause" }

    func paused(_ pause: ClosedRange<Double>) -> Case {
        var paused = self
        paused.pause = pause
        return paused
    }

    func events(_ seconds: Double) -> [WorkoutEvent] {
        var events = [WorkoutEvent(.start, at: epoch)]
        if let pause {
            events.append(WorkoutEvent(.pause, at: at(pause.lowerBound)))
            events.append(WorkoutEvent(.resume, at: at(pause.upperBound)))
        }
        return events + [WorkoutEvent(.stop, at: at(seconds))]
    }

    func expected() throws -> Expected {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/workout.py"
        let ends = pause.map { ["\($0.lowerBound)", "\($0.upperBound)"] } ?? []
        let text = try RunningProgram.runPython([script, Recording.path(name)] + arguments + ["\(goal)"] + ends)
        return try JSONDecoder().decode(Expected.self, from: Data(text.utf8))
    }

    func fold(_ recording: Recording, _ samples: [WorkoutSample]) throws -> WorkoutFold {
        try WorkoutFold(
            activity, goal: WorkoutGoal(.distance, target: goal), person: person, events: events(recording.seconds),
            samples: samples)
    }
}

/// Both recordings of the project, compared with what Python computes from their files alone.
@Suite(.timeLimit(.minutes(60))) struct RecordingTests {
    @Test("figures of a recording are what Python computes from its file alone", arguments: Case.all)
    func figures(_ recorded: Case) throws {
        let recording = try Recording(recorded.name)
        let expected = try recorded.expected()
        let figures = try recorded.fold(recording, recording.samples).figures(at: at(recording.seconds))
        #expect(figures.state == .stopped && figures.activeMilliseconds == Int64(expected.duration * 1000))
        // The rules are the same, so the tolerance is that of millimetres.
        #expect(near(figures.metres, expected.metres, 0.1))
        #expect(near(figures.ascentMetres, expected.ascent, 1e-6))
        let heart = try #require(figures.heartRate)
        #expect(near(heart.mean, expected.mean, 1e-9) && heart.samples == expected.samples)
        #expect(heart.minimum == expected.minimum && heart.maximum == expected.maximum)
        #expect(heart.recordedMilliseconds == 1000 * expected.recorded)
        #expect(heart.zoneMilliseconds == expected.zones.map { $0 * 1000 })
        #expect(near(heart.edwards, expected.edwards, 1e-6) && near(heart.banister, expected.banister, 1e-6))
        #expect(near(figures.kilocalories, expected.kilocalories, 0.05))
        #expect(near(figures.speed?.mean, expected.metres / expected.duration, 1e-3))
        #expect(figures.goalReached == expected.goal.map { at($0) })
        #expect(near(figures.percent, 100 * expected.metres / recorded.goal, 0.01))
        if recorded.pause == nil {
            #expect(figures.steps == expected.steps)
            #expect(abs(expected.metres - expected.device) <= 0.02 * expected.device)
        }
    }

    @Test("splits and best times of a recording are what Python computes from its file alone", arguments: Case.all)
    func splits(_ recorded: Case) throws {
        let recording = try Recording(recorded.name)
        let expected = try recorded.expected()
        let timer = try WorkoutTimer(recorded.events(recording.seconds))
        let course = Course((recording.points + recording.points).shuffled(), recorded.activity, timer)
        #expect(near(course.metres, expected.metres, 1e-6) && near(course.ascentMetres, expected.ascent, 1e-6))
        if recorded.pause == nil { #expect(course.stations.count == recording.points.count - expected.dropped) }
        let hearts = try recorded.fold(recording, recording.samples).heldHeartRates(at: at(recording.seconds))
        let splits = Way(course).splits(climbs: course.climbs, hearts: hearts, timer)
        #expect(splits.count == expected.splits.count)
        for (split, part) in zip(splits, expected.splits) {
            #expect(near(split.seconds, part.seconds, 1e-6) && near(split.ascentMetres, part.ascent, 1e-6))
            #expect(near(split.heartRate, part.heart, 1e-9), "\(split)")
        }
        #expect(near(splits.reduce(0) { $0 + $1.metres }, course.metres, 1e-6))
        let best = BestTime.distances.map { Way(course).fastest($0)?.seconds }
        #expect(expected.best.count == best.count)
        for (seconds, expected) in zip(best, expected.best) {
            #expect(expected.map { near(seconds, $0, 1e-6) } ?? (seconds == nil))
        }
    }

    @Test("figures do not depend on the order of the samples, nor on how often they come", arguments: Case.all)
    func anyOrder(_ recorded: Case) throws {
        let recording = try Recording(recorded.name)
        let expected = try recorded.fold(recording, recording.samples)
        #expect(!expected.needsRecount)
        for seed in 1...3 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var samples = recording.samples
            samples += samples.filter { _ in Bool.random(using: &generator) }
            samples.shuffle(using: &generator)
            #expect(try recorded.fold(recording, samples) == expected)
        }
    }

    /// Positions run half a minute behind heart rates, and are told between the events of a person.
    @Test("figures while a workout runs are those of a recount, though its streams run ahead of each other")
    func streams() throws {
        for recorded in Case.all {
            let recording = try Recording(recorded.name)
            let expected = try recorded.fold(recording, recording.samples)
            var fold = WorkoutFold(
                recorded.activity, goal: WorkoutGoal(.distance, target: recorded.goal), person: recorded.person)
            var events = recorded.events(recording.seconds)[...]
            var behind = recording.points[...]
            let others = WorkoutSample.inOrder(recording.samples.filter { $0.stream != 0 })
            func tell(until time: Int64) {
                while let first = behind.first, first.time <= time {
                    fold.add(.position(first))
                    behind = behind.dropFirst()
                }
            }
            for sample in others {
                while let event = events.first,
                    event.time < sample.time || event.time == sample.time && event.kind != .pause
                {
                    try fold.add(event)
                    events = events.dropFirst()
                }
                fold.add(sample)
                tell(until: sample.time - 30_000)
            }
            for event in events { try fold.add(event) }
            tell(until: .max)
            let end = at(recording.seconds)
            #expect(!fold.needsRecount)
            var figures = fold.figures(at: end)
            // Until a position comes, steps stand in for it; so the moment may be another one.
            #expect(figures.goalReached != nil)
            figures.goalReached = expected.figures(at: end).goalReached
            #expect(figures == expected.figures(at: end))
        }
    }

    @Test("a recording costs little memory, and its series are bounded")
    func bounded() throws {
        let recording = try Recording("ride-41km")
        let timer = try WorkoutTimer(Case.ride.events(recording.seconds))
        let course = Course(recording.points, .cycling, timer)
        let series = course.series(points: 100)
        #expect(series.count == 100 && series.allSatisfy { $0.pace != nil && $0.altitude != nil })
        let time = series.reduce(0) { $0 + ($1.pace?.secondsPerKilometre ?? 0) * course.metres / 100_000 }
        #expect(near(time, recording.seconds, 1e-6))
        let rates = HeartRateSeries.points(recording.heartRates, timer, points: 50)
        #expect(rates.count == 50 && rates.map(\.maximum).max() == 176 && rates.map(\.minimum).min() == 72)
        #expect(course.series(points: .max).count <= course.stations.count && course.series(points: -1).isEmpty)
        #expect(MemoryLayout<WorkoutMinute>.stride <= 150)
        let path = simplified(course.path, to: 200)
        #expect(path.joined().count == 200)
        #expect(hidingEnds(of: course.path).joined().allSatisfy { $0.metres(to: course.path[0][0]) > 200 })
    }
}
