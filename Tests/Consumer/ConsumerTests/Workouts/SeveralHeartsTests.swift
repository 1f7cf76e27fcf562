import DaysSupport
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing
import Workouts

@testable import Days
@testable import Exercise

@Suite("Heart rates of several sensors in a workout", .timeLimit(.minutes(60)))
struct SeveralHeartsTests {
    /// Runs of values: from and to in seconds, the interval, and beats per minute.
    typealias Runs = [(from: Int64, to: Int64, interval: Int64, bpm: UInt16)]

    /// What two sensors measured, and what that comes to: as the golden vectors of days say.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let strap: Runs
        let band: Runs
        let mean: Double
        let seconds: Int64
    }

    static let cases = [
        Case(
            testDescription: "27 minutes of strap in 12 hours of band", strap: [(36_000, 37_620, 1, 150)],
            band: [(0, 43_200, 300, 60)], mean: 63.375, seconds: 43_200),
        Case(
            testDescription: "a wrist's noise beside a strap", strap: [(0, 120, 1, 140)], band: [(0, 120, 1, 221)], mean: 140,
            seconds: 120),
        Case(
            testDescription: "a gap that another one fills", strap: [(0, 60, 1, 140), (300, 360, 1, 140)],
            band: [(0, 360, 60, 130)], mean: 133.333333, seconds: 360),
        // Nothing of the strap follows its last value, which holds for an interval of 5 s: no longer than it was heard.
        Case(
            testDescription: "a change within a minute", strap: [(0, 30, 1, 160)], band: [(0, 600, 5, 100)],
            mean: (30 * 160 + 570 * 100) / 600.0, seconds: 600),
        Case(
            testDescription: "spikes of a strap", strap: [(0, 30, 1, 150), (30, 31, 1, 240), (31, 120, 1, 150)],
            band: [(0, 120, 5, 90)], mean: 150, seconds: 120),
    ]

    private func readings(_ runs: Runs, from base: Int64, isStrap: Bool) -> [Reading] {
        runs.flatMap { run in
            stride(from: run.from, to: run.to, by: Int64.Stride(run.interval)).map { second in
                let moment = Moment(wall: base + second * 1000, monotonic: UInt64(1_000_000 + second * 1000))
                let intervals: [UInt16] = isStrap ? [61_440 / run.bpm] : []
                return Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: run.bpm, rrIntervals: intervals)))
            }
        }
    }

    /// A household with what two sensors measured from a minute on.
    private func stored(_ strap: Runs, _ band: Runs, from base: Int64) throws -> MarksBench {
        let bench = try MarksBench(people: #"demo: { sensors: ["home/strap", "home/band"] }"#)
        for (sensor, runs) in [("strap", strap), ("band", band)] {
            let session = try bench.parts.session(bench.household, sensor)
            _ = try bench.parts.take(session.keyBlock)
            let all = readings(runs, from: base, isStrap: sensor == "strap")
            for first in stride(from: 0, to: all.count, by: 64) {
                _ = try bench.parts.take(session.block(Array(all[first..<min(first + 64, all.count)])))
            }
        }
        return bench
    }

    private let base = start / 60_000 * 60_000

    /// What a workout from `base` on says at a time.
    private func heart(
        _ bench: MarksBench, _ events: [WorkoutEvent], parts: [WorkoutPart] = [], and latest: [WorkoutSample] = [], at end: Int64
    ) throws -> (WorkoutFigures.HeartRate, [HeldHeartRate]) {
        var workout = try KeptWorkout(id: ID("run"), .running, goal: nil, endsAtGoal: false, start: base)
        for event in events { try workout.add(event) }
        workout.parts = parts
        let samples = try WorkoutSamples(of: bench.user, workout, now: end, bench.parts.store, bench.parts.keys)
        let fold = workout.fold(samples, and: latest, try bench.days.histories.history(of: bench.user))
        return (try #require(fold.figures(at: end).heartRate), fold.heldHeartRates(at: end))
    }

    @Test("hold as each does alone, and the best one counts", arguments: cases)
    func alone(_ given: Case) throws {
        let bench = try stored(given.strap, given.band, from: base)
        let end = base + given.seconds * 1000
        for events in [[], [WorkoutEvent(.stop, at: end)]] {
            let (heart, held) = try heart(bench, events, at: end)
            #expect(abs(heart.mean - given.mean) < 0.001 && heart.recordedMilliseconds == given.seconds * 1000, "\(events): \(heart)")
            #expect(held.map(\.time) == stride(from: base, to: end, by: 5000).map { $0 }, "each slot once, in order")
        }
    }

    @Test("count up to a number of each sensor, those of one millisecond, too")
    func most() throws {
        // Ten at once, and then one a second.
        let bench = try stored(Array(repeating: (0, 1, 1, 150), count: 10) + [(1, 60, 1, 150)], [(0, 60, 5, 90)], from: base)
        let workout = try KeptWorkout(id: ID("run"), .running, goal: nil, endsAtGoal: false, start: base)
        for (most, expected) in [(10, 1), (30, 21), (200_000, 60)] {
            let samples = try WorkoutSamples(
                of: bench.user, workout, now: base + 60_000, bench.parts.store, bench.parts.keys, mostOfSensor: most)
            let times = Set(samples.all.compactMap { if case .heartRate(let one) = $0, one.beatsPerMinute == 150 { one.time } else { nil } })
            #expect(times.count == expected, "\(most)")
        }
    }

    @Test("hold in a workout that is under way with what has come and is not stored yet")
    func underWay() throws {
        let bench = try stored([(0, 300, 1, 150)], [(0, 300, 1, 90)], from: base)
        let latest = (300..<360).map { second in
            WorkoutSample.heartRate(HeartRateReading(time: base + second * 1000, beatsPerMinute: 160))
        }
        let (heart, held) = try heart(bench, [], and: latest, at: base + 360_000)
        #expect(held.map(\.time) == stride(from: base, to: base + 360_000, by: 5000).map { $0 })
        #expect(abs(heart.mean - (300 * 150 + 60 * 160) / 360.0) < 0.001, "\(heart)")
    }

    @Test("hold in active time alone, and over the joins of a workout that was joined")
    func pauses() throws {
        let bench = try stored([(0, 60, 1, 150)], [(0, 1200, 300, 60)], from: base)
        let (end, join, begin) = (base + 1200_000, base + 620_000, base + 680_000)
        let events = [WorkoutEvent(.pause, at: join), WorkoutEvent(.resume, at: begin), WorkoutEvent(.stop, at: end)]
        let parts = [
            WorkoutPart(start: base, end: join, isImported: false), WorkoutPart(start: begin, end: end, isImported: false),
        ]
        for parts in [[], parts] {
            let (heart, held) = try heart(bench, events, parts: parts, at: end)
            #expect(heart.recordedMilliseconds == 1140_000, "\(parts.count): \(heart)")
            #expect(abs(heart.mean - (60 * 150 + 1080 * 60) / 1140.0) < 0.001, "\(parts.count): \(heart)")
            #expect(!held.contains { (join..<begin).contains($0.time) })
        }
    }
}
