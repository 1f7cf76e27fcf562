import Testing

@testable import Fitness

@Suite("Heart rates of several sensors")
struct HeartRateSourcesTests {
    /// Samples of a source at times in seconds.
    private struct Made {
        let source: HeartRateSource
        let samples: [(time: Int64, beatsPerMinute: Int)]
        /// The minutes with RR intervals.
        let intervals: Set<Int64>

        var minutes: [(number: Int64, minute: HeartRateMinute)] {
            FitnessTests.minutes(samples).map { minute in
                var minute = minute
                minute.minute.hasIntervals = intervals.contains(minute.number)
                return minute
            }
        }
    }

    private func madeUp(_ number: Int64, _ random: inout SystemRandomNumberGenerator) -> Made {
        var (time, samples) = (Int64.random(in: -4000...4000, using: &random), [(time: Int64, beatsPerMinute: Int)]())
        var step: Int64 = 1
        while time < 12_000 {
            samples.append((time, Int.random(in: 20...190, using: &random)))
            if Int.random(in: 0..<40, using: &random) == 0 {
                step = [1, 5, 7, 60, 300].randomElement(using: &random) ?? 1
                time += [0, 20, 1000, 4000].randomElement(using: &random) ?? 0
            }
            time += step
        }
        // Again about a day later, and three days later: what is known is looked at a day at a time.
        let later = [0, 86_395, 260_000].filter { _ in Bool.random(using: &random) } as [Int64]
        samples = later.flatMap { later in samples.map { ($0.time + later, $0.beatsPerMinute) } }
        let intervals = (-80...4600).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        return Made(
            source: HeartRateSource(number, isRecord: Bool.random(using: &random)), samples: samples,
            intervals: Set(intervals.map { Int64($0) }))
    }

    /// What a source holds alone in each slot, with how good that is: slot by slot.
    private func held(_ made: Made) -> [Int64: (rank: [Int64], mean: Double)] {
        let minutes = Dictionary(uniqueKeysWithValues: made.minutes.map { ($0.number, $0.minute) })
        let counted = made.samples.filter { HeartRateSamples.plausible.contains($0.beatsPerMinute) }
        let slots = Set(counted.map { Int64((Double($0.time) / 5).rounded(.down)) }).sorted()
        var held: [Int64: (rank: [Int64], mean: Double)] = [:]
        for (index, slot) in slots.enumerated() {
            let before = index > 0 ? slot - slots[index - 1] : nil
            let after = index + 1 < slots.count ? slots[index + 1] - slot : nil
            let near = [before, after].compactMap { $0 }.filter { $0 <= 180 }.min()
            let number = Int64((Double(slot) / 12).rounded(.down))
            let tier: Int64 = made.intervals.contains(number) ? 0 : made.source.isRecord ? 2 : 1
            for one in slot..<slot + HeldHeartRates.held(before: before, after: after) {
                held[one] = ([tier, near ?? .max, made.source.number], minutes[number]?.samples.mean ?? 0)
            }
        }
        return held
    }

    @Test("have the value of the best source in each slot, in any part of the time")
    func slots() {
        var random = SystemRandomNumberGenerator()
        for count in [1, 2, 3, 3, 5, 3] as [Int64] {
            let made = (1...count).map { madeUp($0, &random) }
            var right: [Int64: (rank: [Int64], mean: Double)] = [:]
            for one in made {
                right.merge(held(one)) { $1.rank.lexicographicallyPrecedes($0.rank) ? $1 : $0 }
            }
            let all = HeartRateSources(made.shuffled(using: &random).map { .init($0.source, $0.minutes[...]) })
            let from = Int64.random(in: -4000...4000, using: &random) * 1000
            for times in [-10_000_000..<300_000_000, from..<from + 3_600_000, from + 86_400_000..<from + 90_000_000] as [Range<Int64>] {
                let asked = HeldHeartRates.slots(in: times)
                let near = all[times.lowerBound - HeldHeartRates.reach..<times.upperBound + HeldHeartRates.reach]
                var (found, last): ([Int64: Double], Int64) = ([:], .min)
                near.forEachPiece { piece in
                    #expect(piece.slots.lowerBound >= last)
                    last = piece.slots.upperBound
                    for slot in piece.slots.clamped(to: asked) { found[slot] = piece.mean }
                }
                let isRight = found == right.filter { asked.contains($0.key) }.mapValues(\.mean)
                #expect(isRight, "\(times)")
            }
        }
    }

    @Test("have the extremes of each minute's best source")
    func extremes() {
        var random = SystemRandomNumberGenerator()
        for count in [1, 2, 4] as [Int64] {
            let made = (1...count).map { madeUp($0, &random) }
            var right: [Int64: (rank: [Int64], samples: HeartRateSamples)] = [:]
            for one in made {
                // The best of a minute's slots with samples.
                let held = held(one)
                for (number, minute) in one.minutes {
                    let ranks = (0..<12).filter { minute.slots & 1 << UInt16($0) != 0 }
                        .compactMap { held[number * 12 + Int64($0)]?.rank }
                    guard let rank = ranks.min(by: { $0.lexicographicallyPrecedes($1) }) else { continue }
                    if right[number].map({ rank.lexicographicallyPrecedes($0.rank) }) ?? true {
                        right[number] = (rank, minute.samples)
                    }
                }
            }
            var (found, last): ([Int64: HeartRateSamples], Int64) = ([:], .min)
            let all = HeartRateSources(made.map { .init($0.source, $0.minutes[...]) })
            all.forEachMinute { number, samples, _ in
                #expect(number > last)
                last = number
                found[number] = samples
            }
            let isRight = found == right.mapValues(\.samples)
            #expect(isRight)
            #expect(all.minuteCount == right.count)
        }
    }

    @Test("rank chest straps first, then sensors, then records, then the shorter interval, then which was heard first")
    func ranks() {
        func day(_ sources: [(source: HeartRateSource, step: Int64, bpm: Int, isStrap: Bool)]) -> HeartRateDay? {
            let all = sources.map { source, step, bpm, isStrap in
                Made(
                    source: source, samples: stride(from: Int64(0), to: 600, by: Int(step)).map { (time: $0, beatsPerMinute: bpm) },
                    intervals: isStrap ? Set(0..<10) : [])
            }
            return HeartRateDay(
                HeartRateSources(all.map { .init($0.source, $0.minutes[...]) }),
                HeartRateDay.Time([0..<86_400_000]) { Int($0 / 60_000) }, of: Person())
        }
        let strap = (source: HeartRateSource(9), step: Int64(60), bpm: 140, isStrap: true)
        let wrist = (source: HeartRateSource(7), step: Int64(60), bpm: 221, isStrap: false)
        let other = (source: HeartRateSource(8), step: Int64(60), bpm: 100, isStrap: false)
        let often = (source: HeartRateSource(10), step: Int64(20), bpm: 120, isStrap: false)
        let file = (source: HeartRateSource(1, isRecord: true), step: Int64(1), bpm: 60, isStrap: false)
        for (sources, bpm) in [
            ([wrist, strap, other, often, file], 140), ([other, file, wrist, often], 120), ([other, file, wrist], 221),
            ([other, file], 100), ([file], 60),
        ] {
            let day = day(sources)
            #expect(day?.mean == Double(bpm) && day?.minimum == bpm && day?.maximum == bpm && day?.recordedSeconds == 600)
        }
    }
}
