import DaysSupport
import Fitness
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Days

@Suite("Curves of heart rate")
struct HeartRateGraphTests {
    @Test(
        "say what the samples in their buckets say, whatever they are made of", arguments: 1...3 as ClosedRange<UInt64>)
    func tiers(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock)
        var (time, blocks): (Int64, [[UInt8]]) = (0, [])
        for _ in 0..<60 {
            blocks.append(
                try session.block(
                    (0..<64).map { _ in
                        time += Int64.random(in: 0...3000, using: &generator)
                        return beat(time, UInt16.random(in: 40...200, using: &generator))
                    }))
            time += Int64.random(in: 0...40_000_000, using: &generator)
        }
        _ = try hearts.parts.take(all: blocks)
        try hearts.fold(before: start / 3_600_000 + time / 7_200_000)
        let readings = try hearts.stored(hearts.demo)
        let hours = Counted.hours(of: [1: Counted(readings)])
        var seen: Set<String> = []
        for _ in 0..<120 {
            let scales: [Int64] = [1, 100, 10_000, time]
            let scale = scales.randomElement(using: &generator) ?? 1
            let from = start + Int64.random(in: -scale...time, using: &generator)
            let to = from + 1 + Int64.random(in: 0...(time / scale), using: &generator)
            let points = Int64.random(in: 1...2000, using: &generator)
            var graph = HeartRateGraph(from..<to, points: points)
            try graph.fill(of: hearts.demo, hearts.parts.store, hearts.parts.keys)
            var expected = Array(repeating: HeartRateSamples(), count: graph.buckets.count)
            for reading in readings where reading.moment.wall >= graph.times.lowerBound {
                let index = (reading.moment.wall - graph.times.lowerBound) / graph.width
                if index < expected.count { expected[Int(index)].add(reading.heartRate ?? 0) }
            }
            if graph.tier == .hours {
                expected = Array(repeating: HeartRateSamples(), count: graph.buckets.count)
                var roundings = Array(repeating: 0, count: graph.buckets.count)
                for hour in hours where hour.number * 3_600_000 >= graph.times.lowerBound {
                    let index = Int((hour.number * 3_600_000 - graph.times.lowerBound) / graph.width)
                    guard index < expected.count else { continue }
                    expected[index].merge(hour.samples)
                    roundings[index] += 1
                }
                for (index, bucket) in graph.buckets.enumerated() where abs(bucket.sum - expected[index].sum) <= roundings[index] {
                    expected[index].sum = bucket.sum
                }
            }
            #expect(graph.buckets == expected, "\(from) \(to) \(points)")
            seen.insert(graph.tier.rawValue)
            // As the contract has it.
            #expect(graph.buckets.count <= points && graph.times.contains(from) && graph.times.upperBound >= to)
            #expect(graph.times.lowerBound + Int64(graph.buckets.count) * graph.width >= to)
            #expect(graph.json.bytes.count < 65_536)
        }
        #expect(seen.count == 3)
    }

    @Test(
        "are rounded to the resolution of what they are made of",
        arguments: [
            (0, 1, 1, "samples", 1), (0, 1000, 1000, "samples", 1), (0, 999_000, 1000, "samples", 999),
            (0, 1_000_000, 1000, "samples", 1000), (500, 1_000_500, 1000, "samples", 2000),
            (0, 59_000, 1, "samples", 59_000),
            (0, 59_001, 1, "minutes", 60_000), (0, 60_000, 1, "minutes", 60_000),
            (30_000, 90_000, 1, "minutes", 120_000),
            (0, 59 * 60_000, 1, "minutes", 59 * 60_000), (0, 59 * 60_000 + 1, 1, "hours", 3_600_000),
            (-1, 59 * 60_000 + 1, 1, "hours", 7_200_000), (-1, 1, 2, "samples", 1),
            (0, 30 * 86_400_000, 1000, "minutes", 44 * 60_000), (0, 1826 * 86_400_000, 1000, "hours", 44 * 3_600_000),
        ] as [(Int64, Int64, Int64, String, Int64)])
    func shapes(from: Int64, to: Int64, points: Int64, tier: String, width: Int64) {
        let graph = HeartRateGraph(from..<to, points: points)
        #expect(graph.tier.rawValue == tier && graph.width == width)
    }

    @Test("of hours have means over the time, however often is measured, before and after hours are folded")
    func sparse() throws {
        var hearts = try Hearts()
        let first = (start / 3_600_000 + 1) * 3_600_000 - start
        // A band measures each five minutes of two hours, and a strap ten minutes of the first.
        let sensors = [
            ("belt", (0..<600).map { beat(first + 600_000 + $0 * 1000, 150, rr: [400]) }),
            ("band", (0..<24).map { beat(first + $0 * 300_000, 60) }),
        ]
        for (sensor, values) in sensors {
            let session = try hearts.parts.session(hearts.household, sensor)
            _ = try hearts.parts.take(session.keyBlock)
            for from in stride(from: 0, to: values.count, by: 64) {
                _ = try hearts.parts.take(session.block(Array(values[from..<min(from + 64, values.count)])))
            }
        }
        for isFolded in [false, true] {
            if isFolded { try hearts.fold() }
            var graph = HeartRateGraph(start + first..<start + first + 7_200_000, points: 2)
            try graph.fill(of: hearts.demo, hearts.parts.store, hearts.parts.keys)
            #expect(graph.tier == .hours && graph.json["mean"] == [.number(75), .number(60)], "\(isFolded): \(graph.json)")
            #expect(graph.json["min"] == [60, 60] && graph.json["max"] == [150, 60])
            #expect(try hearts.agrees())
        }
    }

    @Test("of the longest span with the highest rates are in one reply")
    func longest() throws {
        var graph = HeartRateGraph(-Moment.limit..<Moment.limit, points: HeartRateGraph.mostPoints)
        #expect(graph.tier == .hours && (1900...2000).contains(graph.buckets.count))
        // Three samples whose mean has a decimal, in each.
        for index in graph.buckets.indices { for rate in [250, 250, 249] { graph.buckets[index].add(rate) } }
        let reply = graph.json
        guard case .array(let means)? = reply["mean"] else { throw TestFailure("no means") }
        #expect(means.count == graph.buckets.count && means.allSatisfy { $0 == .number(249.7) })
        #expect(reply.bytes.count < 65_536 - 1000)
    }
}
