import Foundation
import Testing

@testable import Fitness

/// Minutes of samples, each at a time in seconds.
func minutes(_ samples: [(time: Int64, beatsPerMinute: Int)]) -> [(number: Int64, minute: HeartRateMinute)] {
    var minutes: [Int64: HeartRateMinute] = [:]
    for sample in samples where HeartRateSamples.plausible.contains(sample.beatsPerMinute) {
        let time = sample.time * 1000
        minutes[HeartRateMinute.number(of: time), default: HeartRateMinute()].add(sample.beatsPerMinute, at: time)
    }
    return minutes.map { (number: $0.key, minute: $0.value) }.sorted { $0.number < $1.number }
}

/// Samples of runs: from, to, interval and value, in seconds and beats per minute.
func samples(_ runs: [[Double]]) -> [(time: Int64, beatsPerMinute: Int)] {
    runs.flatMap { run in
        stride(from: Int64(run[0]), to: Int64(run[1]), by: Int64.Stride(run[2])).map { ($0, Int(run[3])) }
    }
}

@Suite("Heart rates by time")
struct HeldHeartRateTests {
    /// Mean and recorded time of some spans in milliseconds.
    private func held(_ minutes: [(number: Int64, minute: HeartRateMinute)], _ spans: [Range<Int64>]) -> HeldTime {
        held(HeartRateSources(minutes[...]), spans)
    }

    private func held(_ sources: HeartRateSources, _ spans: [Range<Int64>]) -> HeldTime {
        var held = HeldTime()
        sources.forEachPiece { piece in
            for span in spans {
                held.add(Int64(piece.slots.clamped(to: HeldHeartRates.slots(in: span)).count), piece.mean)
            }
        }
        return held
    }

    private static let all: Range<Int64> = -1_000_000_000..<1_000_000_000

    @Test("weigh as much as the time for which they hold", arguments: try FigureVector.all("heart-rate", ["of_runs"]))
    func runs(_ vector: FigureVector) {
        var spans = [Self.all]
        if vector.arguments.count > 1 {
            spans = rows(vector.arguments[1]).map { Int64($0[0] * 1000)..<Int64($0[1] * 1000) }
        }
        let held = held(minutes(samples(rows(vector.arguments[0]))), spans)
        #expect(isNear(held.mean, vector["mean"]) && Double(held.seconds) == vector["recorded_s"])
    }

    @Test("of several sensors are those of the best one", arguments: try FigureVector.all("heart-rate", ["of_sources"]))
    func sources(_ vector: FigureVector) throws {
        let all = (vector.arguments[0] as? [Any] ?? []).map { minutes(samples(rows($0))) }
        #expect(all.count == 2)
        // The better one first, as the vectors have them, and the other way round if it is not the interval that decides.
        for isStrap in [false, true] {
            let sources = HeartRateSources(
                all.enumerated().map { index, minutes in
                    let number = Int64(isStrap ? 2 - index : 1 + index)
                    let kept = minutes.map { minute in
                        var minute = minute
                        minute.minute.hasIntervals = isStrap && index == 0
                        return minute
                    }
                    return HeartRateSources.One(HeartRateSource(number), kept[...])
                })
            let held = held(sources, [Self.all])
            #expect(isNear(held.mean, vector["mean"]), "\(vector.name): \(held)")
            #expect(vector["recorded_s"] == Double(held.seconds), "\(vector.name)")
            #expect(vector["min"] == Double(sources.samples.minimum) && vector["max"] == Double(sources.samples.maximum))
        }
    }

    @Test("are the same in whatever pieces the time is looked at")
    func pieces() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            var times: [Int64] = []
            var time: Int64 = -4000
            while time < 20_000 {
                time += [1, 5, 12, 60, 300, 600, 1800].randomElement(using: &random) ?? 1
                times.append(time)
            }
            let all = minutes(times.map { ($0, Int.random(in: 40...180, using: &random)) })
            let cuts = ([-5_000_000] + (0..<9).map { _ in Int64.random(in: -4_000_000...20_000_000) } + [30_000_000]).sorted()
            let parts = held(all, zip(cuts, cuts.dropFirst()).map { $0..<$1 })
            let whole = held(all, [cuts[0]..<cuts[10]])
            #expect(parts.slots == whole.slots && isNear(parts.mean, whole.mean))
            // What is further away than the reach says nothing.
            let near = all.filter { (-HeldHeartRates.reach..<3_600_000 + HeldHeartRates.reach).contains($0.number * 60_000) }
            #expect(held(near, [0..<3_600_000]) == held(all, [0..<3_600_000]))
        }
    }
}

@Suite("A night that is measured less often")
struct ThinnedNightTests {
    /// Eight hours at 1 Hz: cycles of ninety minutes, a slow fall, breaths, wakings, and noise.
    private static func night(_ seed: UInt64) -> [Int] {
        var state = seed
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 33) / Double(1 << 31)
        }
        let (base, phase) = (48 + 20 * random(), 6.28 * random())
        var (waking, drift) = (0.0, 0.0)
        return (0..<28_800).map { second in
            if random() < 1 / 2400 { waking = 15 + 15 * random() }
            waking *= 0.99
            drift = 0.999 * drift + 0.25 * (random() - 0.5)
            let hours = Double(second) / 3600
            let cycle = 4 * sin(6.28 * hours / 1.5 + phase) - hours / 2 + 2 * sin(Double(second) * 1.5)
            return Int((base + cycle + drift + waking).rounded())
        }
    }

    private func day(_ night: [Int], every seconds: Int, mean: Bool) throws -> HeartRateDay {
        let samples = stride(from: 0, to: night.count, by: seconds).map { start -> (time: Int64, beatsPerMinute: Int) in
            let part = night[start..<min(start + seconds, night.count)]
            return (Int64(start), mean ? part.reduce(0, +) / part.count : night[start])
        }
        let time = HeartRateDay.Time([0..<86_400_000]) { Int(($0 / 60_000 + 22 * 60) % 1440) }
        return try #require(HeartRateDay(HeartRateSources(minutes(samples)[...]), time, of: Person(ageYears: 30)))
    }

    @Test("keeps mean, recorded time and heart rate at rest, with a value each minute and each five minutes")
    func thinned() throws {
        for seed in 1...12 as ClosedRange<UInt64> {
            let night = Self.night(seed)
            let whole = try day(night, every: 1, mean: false)
            #expect(whole.recordedSeconds == 28_800 && whole.restingOf == .night)
            for (seconds, mean) in [(60, false), (60, true), (300, true)] {
                let thin = try day(night, every: seconds, mean: mean)
                #expect(abs(thin.mean - whole.mean) <= 1, "\(seed) \(seconds) \(mean)")
                #expect(abs(thin.recordedSeconds - 28_800) <= 1440)
                #expect(try abs(#require(thin.resting) - #require(whole.resting)) <= 2)
            }
        }
    }
}
