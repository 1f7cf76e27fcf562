import Fitness
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Insight
@testable import vitals_consumer

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

    @Test("of the longest span with the highest rates are in one reply")
    func longest() {
        let graph = HeartRateGraph(-Moment.limit..<Moment.limit, points: HeartRateGraph.mostPoints)
        #expect(graph.tier == .hours && graph.buckets.count <= 2000)
        var longest: [JSON] = []
        for _ in 0..<2000 { longest.append(.number(65_534.9)) }
        let whole = (1...4).reduce(0) { sum, _ in sum + JSON.array(longest).bytes.count }
        #expect(whole < 65_536 - 1000)
    }
}

@Suite("Questions about hearts")
struct HeartRateRequestTests {
    /// One person's minute of intervals.
    private func hearts() throws -> Hearts {
        // Stores of before may hold more than any sensor sends.
        var hearts = try Hearts(densest: .none)
        let session = try hearts.parts.session(hearts.household)
        let stranger = try hearts.parts.session(hearts.household, "watch")
        let contact = HeartRateMeasurement(
            beatsPerMinute: 77, contact: .detected, energyKilojoules: 5, rrIntervals: [1024])
        let lost = HeartRateMeasurement(beatsPerMinute: 99, contact: .notDetected, rrIntervals: [512])
        _ = try hearts.parts.take(
            session.keyBlock, stranger.keyBlock,
            session.block(beat(0, 60, rr: [1000, 1010]), beat(1000, 61, rr: [1020]), beat(1000, 61, rr: [990])),
            session.block(
                Reading(at: beat(2000, 0).moment, .heartRate(contact)),
                Reading(at: beat(2400, 0).moment, .heartRate(lost)),
                beat(2500, 0, rr: [700])),
            stranger.block(beat(500, 180, rr: [333])))
        return hearts
    }

    @Test(
        "find the nearest sample within half a minute, and no other",
        arguments: [
            (0, 0), (499, 0), (500, 0), (501, 1000), (1600, 2000), (2450, 2000), (-30_000, 0), (32_000, 2000),
            (-30_001, nil),
            (32_001, nil),
        ] as [(Int64, Int64?)])
    func at(time: Int64, found: Int64?) throws {
        let hearts = try hearts()
        func ask() throws -> JSON {
            try HeartRateRequests.at(start + time, of: hearts.demo, hearts.parts.store, hearts.parts.keys)
        }
        guard let found else {
            #expect(throws: ReplyError.self) { _ = try ask() }
            return
        }
        let reply = try ask()
        #expect(reply["time"] == .integer(start + found))
        if found == 2000 {
            #expect(
                reply == ["time": .integer(start + 2000), "bpm": 77, "contact": true, "rr_ms": [1000]])
        }
    }

    @Test("list the times between beats, whole instants a reply, until there are no more")
    func intervals() throws {
        var hearts = try hearts()
        func ask(_ times: Range<Int64>) throws -> JSON {
            try HeartRateRequests.intervals(of: hearts.demo, times, hearts.parts.store, hearts.parts.keys)
        }
        #expect(
            try ask(start..<start + 2001) == [
                "time": .array([0, 0, 1000, 1000, 2000].map { .integer(start + $0) }),
                "rr_ms": [977, 986, 996, 967, 1000],
            ])
        #expect(try ask(start + 1..<start + 1000) == ["time": [], "rr_ms": []])
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock)
        let many = [UInt16](repeating: 800, count: 250)
        for number in 0..<20 {
            _ = try hearts.parts.take(session.block(beat(10_000 + Int64(number / 3), 70, rr: many)))
        }
        var (next, all, replies): (Int64?, [JSON], Int) = (start, [], 0)
        while let from = next {
            let reply = try ask(from..<start + 3_600_000)
            guard case .array(let intervals)? = reply["rr_ms"], case .array(let times)? = reply["time"] else { break }
            #expect(intervals.count == times.count && intervals.count <= 2000 && reply.bytes.count < 65_536)
            (all, replies) = (all + intervals, replies + 1)
            next = if case .integer(let time)? = reply["next"] { time } else { nil }
        }
        #expect(all.count == 5 + 20 * 250 && replies == 3)
        // More in one instant than a reply has room for ends the instant, and not the list.
        for _ in 0..<9 { _ = try hearts.parts.take(session.block(beat(50_000, 70, rr: many))) }
        let crowded = try ask(start + 50_000..<start + 60_000)
        #expect(crowded["next"] == .integer(start + 50_001))
    }

    @Test("tell how much the times between beats vary, and nothing where there are none")
    func variability() throws {
        let hearts = try hearts()
        func ask(_ times: Range<Int64>) throws -> JSON {
            try HeartRateRequests.variability(of: hearts.demo, times, hearts.parts.store, hearts.parts.keys)
        }
        #expect(try ask(start - 1000..<start) == ["beats": 0])
        let series = [1000.0, 1010, 1020, 990, 1024].map { $0 * 1000 / 1024 }
        let differences = zip(series, series.dropFirst()).map { ($1 - $0) * ($1 - $0) }
        let mean = series.reduce(0, +) / 5
        let sdnn = (series.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 4).squareRoot()
        let rmssd = (differences.reduce(0, +) / 4).squareRoot()
        let found = try ask(start..<start + 2001)
        // The first has none before it that would make it valid or not.
        #expect(found["beats"] == 5)
        #expect(found["mean_rr_ms"] == .number((mean * 10).rounded() / 10))
        #expect(found["rmssd_ms"] == .number((rmssd * 10).rounded() / 10))
        #expect(found["sdnn_ms"] == .number((sdnn * 10).rounded() / 10))
    }

    @Test("through a broker: each asks of their own, and is told what is wrong with what they ask")
    func service() throws {
        try AccountService.with { service in
            let phone = try service.device(try service.signUp("ada@example.org"))
            defer { phone.stop() }
            let whole: JSON = ["from": .integer(start), "to": .integer(start + 1000)]
            let graph = try phone.done("heart-rate/graph", whole)
            #expect(graph["tier"] == "samples" && graph["index"] == .array([]) && graph["width_ms"] == 2)
            #expect(try phone.done("heart-rate/variability", whole) == ["beats": 0])
            #expect(try phone.done("heart-rate/intervals", whole) == sorted(["rr_ms": [], "time": []]))
            #expect(try phone.refused("heart-rate/at", ["time": .integer(start)]).code == .notFound)
            let limit = Moment.limit
            let wrong: [(JSON, ReplyError.Code, String)] = [
                ([:], .badRequest, "from"), (["from": 1], .badRequest, "to"),
                (["from": 1, "to": "2"], .badRequest, "to"),
                (["from": .number(1.5), "to": 2], .badRequest, "from"),
                (["from": .number(1e300), "to": 2], .badRequest, "from"),
                (["from": .integer(.min), "to": 2], .invalid, "from"),
                (["from": 0, "to": .integer(limit + 1)], .invalid, "to"),
                (["from": 2, "to": 2], .invalid, "to"), (["from": 2, "to": 1], .invalid, "to"),
                (["from": 1, "to": 2, "points": 0], .invalid, "points"),
                (["from": 1, "to": 2, "points": 2001], .invalid, "points"),
                (["from": 1, "to": 2, "points": .integer(.max)], .invalid, "points"),
                (["from": 1, "to": 2, "points": "9"], .badRequest, "points"),
            ]
            for (fields, code, field) in wrong {
                let error = try phone.refused("heart-rate/graph", fields)
                #expect(error.code == code && error.field == field, "\(fields): \(error)")
            }
            let far: JSON = ["from": .integer(-limit), "to": .integer(limit), "points": 2000]
            #expect(try phone.done("heart-rate/graph", far)["tier"] == "hours")
            for name in ["intervals", "variability"] {
                let error = try phone.refused("heart-rate/\(name)", ["from": 0, "to": 86_400_001])
                #expect(error.code == .invalid && error.field == "to")
            }
            #expect(try phone.refused("heart-rate/at", ["time": .integer(limit + 1)]).code == .invalid)
            #expect(try phone.refused("heart-rate/at", ["time": .integer(limit)]).code == .notFound)
        }
    }

    /// As what was read comes.
    private func sorted(_ json: JSON) -> JSON {
        guard case .object(let members) = json else { return json }
        return .object(members.sorted { $0.name < $1.name })
    }
}
