import Fitness
import TestSupport
import Testing

@testable import Workouts

/// Heart rates of workouts, compared with vectors that were made independently.
@Suite(.timeLimit(.minutes(60))) struct HeartVectorTests {
    /// What a workout says of heart rates. A span is from a start or a resumption to a pause.
    private func heart(_ samples: [(Double, Int)], _ spans: [[Double]]) throws -> WorkoutFigures.HeartRate? {
        let rowing = try #require(Activity(named: "Rowing"))
        var events: [WorkoutEvent] = []
        for (index, span) in (spans.isEmpty ? [[0, 100_000]] : spans).enumerated() {
            events.append(WorkoutEvent(index == 0 ? .start : .resume, at: at(span[0])))
            events.append(WorkoutEvent(.pause, at: at(span[1])))
        }
        let readings = samples.map { HeartRateReading(time: at($0.0), beatsPerMinute: $0.1) }
        let fold = try WorkoutFold(
            rowing, person: person, events: events, samples: readings.shuffled().map { .heartRate($0) })
        return fold.figures(at: at(100_000)).heartRate
    }

    @Test("the mean, the extremes and the recorded time of a workout")
    func runs() throws {
        for vector in try Vector.of("of_runs", in: "heart-rate") {
            let samples = try vector.rows(0).flatMap { run in
                stride(from: run[0], to: run[1], by: run[2]).map { ($0, Int(run[3])) }
            }
            let heart = try heart(samples, vector.rows(1))
            let comment = Comment(rawValue: vector.name)
            #expect(heart.map { near($0.mean, vector["mean"] ?? -1, 0.001) } ?? (vector["mean"] == nil), comment)
            #expect(heart?.minimum == vector["min"].map { Int($0) }, comment)
            #expect(heart?.maximum == vector["max"].map { Int($0) }, comment)
            #expect(heart?.recordedMilliseconds ?? 0 == vector["recorded_s"].map { Int64($0) * 1000 }, comment)
        }
    }

    @Test("a value that no heart has between its neighbours does not count")
    func spikes() throws {
        for vector in try Vector.of("without_spikes", in: "heart-rate") {
            let kept = try #require(vector.expected as? [[Double]]).map { $0[1] }
            let heart = try heart(vector.rows(0).map { ($0[0], Int($0[1])) }, [])
            let comment = Comment(rawValue: vector.name)
            #expect(heart?.samples == kept.count, comment)
            #expect(heart.map { [Double($0.minimum), Double($0.maximum)] } == [kept.min(), kept.max()], comment)
            #expect(near(heart?.mean, kept.reduce(0, +) / Double(kept.count), 0.001), comment)
        }
        // Neighbours that are more than ten seconds away say nothing, and 30 bpm are possible.
        for (samples, count) in [([(0.0, 80), (11, 130), (12, 80)], 3), ([(0, 80), (10, 110), (20, 80)], 3)] {
            #expect(try heart(samples, [])?.samples == count)
        }
        #expect(try heart([(0, 130), (10, 99), (20, 130)], [])?.samples == 2)
    }

    @Test("The highest heart rate of ten seconds has no spike, and no gap")
    func peak() {
        func peak(_ values: [(second: Int64, beatsPerMinute: Int)]) -> Double? {
            var peak = PeakHeartRate()
            for value in values { peak.add(HeartRateReading(time: value.second * 1000, beatsPerMinute: value.beatsPerMinute)) }
            peak.finish()
            return peak.beatsPerMinute
        }
        #expect(peak((0..<30).map { ($0, (10..<20).contains($0) ? 180 : 150) }) == 180)
        #expect(peak((0..<30).map { ($0, (10..<15).contains($0) ? 180 : 150) }) == 165)
        #expect(peak((0..<30).map { ($0, $0 == 12 ? 230 : 150) }) == 150)
        #expect(peak((0..<30).map { ($0 * 2, 150) }) == nil)
        // Four values a second say nothing of ten seconds after two.
        var quick = PeakHeartRate()
        for quarter in 0..<24 as Range<Int64> { quick.add(HeartRateReading(time: quarter * 250, beatsPerMinute: 200)) }
        quick.finish()
        #expect(quick.beatsPerMinute == nil)
        #expect(peak([]) == nil)
    }

    @Test("A goal of energy is reached by what several sensors hold together, and not by what their values alone would")
    func goal() throws {
        let rowing = try #require(Activity(named: "Rowing"))
        let samples = (0..<60 as Range<Int64>).map {
            WorkoutSample.heartRate(HeartRateReading(time: at(Double($0)), beatsPerMinute: 150))
        }
        let events = [WorkoutEvent(.start, at: at(0)), WorkoutEvent(.stop, at: at(3600))]
        /// What is held together: 150 for so many minutes.
        func fold(_ minutes: Int64, target: Double) throws -> WorkoutFold {
            let first = HeartRateMinute.number(of: at(0))
            let held = (first..<first + minutes).map { (number: $0, minute: minute(at: $0)) }
            var pieces: [HeldHeartRates.Piece] = []
            HeartRateSources(held[...]).forEachPiece { pieces.append($0) }
            return try WorkoutFold(
                rowing, goal: WorkoutGoal(.energy, target: target), person: person, events: events, samples: samples,
                hearts: BestHearts(pieces, before: .max))
        }
        func minute(at number: Int64) -> HeartRateMinute {
            var minute = HeartRateMinute()
            for second in 0..<60 as Range<Int64> { minute.add(150, at: number * 60_000 + second * 1000) }
            return minute
        }
        let alone = try fold(1, target: 20)
        #expect(!alone.hasReachedGoal && alone.figures(at: at(3600)).goalReached == nil)
        let long = try fold(30, target: 20)
        let energy = try #require(long.figures(at: at(3600)).kilocalories)
        #expect(long.hasReachedGoal && energy > 20)
        // In the minute that reaches 20 kcal.
        let reached = at(0) + Int64((20 / (energy / 30)).rounded(.up)) * 60_000
        #expect(long.figures(at: at(3600)).goalReached.map { abs($0 - reached) <= 60_000 } == true)
        // The values of the one minute reach a kilocalorie, and nothing that holds does.
        #expect(try fold(1, target: 1).hasReachedGoal && !fold(0, target: 1).hasReachedGoal)
    }
}
