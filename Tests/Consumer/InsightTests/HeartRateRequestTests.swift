import DaysSupport
import HouseholdSupport
import Telemetry
import Testing

@testable import Insight

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

    @Test("find the sample of the best sensor at its time, though another one has one that is nearer")
    func best() throws {
        var hearts = try Hearts()
        // What sends intervals of 0 knows no beats, so it is not a chest strap, though it was heard first.
        let values = [
            ("strap", [beat(0, 100, rr: [0]), beat(4000, 100, rr: [0]), beat(8000, 100, rr: [0])]),
            ("belt", [beat(0, 150, rr: [400]), beat(4000, 151, rr: [400]), beat(8000, 151, rr: [400])]),
            ("band", [beat(1000, 221), beat(20_000, 90)]),
        ]
        for (sensor, values) in values {
            let session = try hearts.parts.session(hearts.household, sensor)
            _ = try hearts.parts.take(session.keyBlock, session.block(values))
        }
        try hearts.fold()
        let found = try ([0, 1000, 3000, 19_000] as [Int64]).map { time in
            try HeartRateRequests.at(start + time, of: hearts.demo, hearts.parts.store, hearts.parts.keys)["bpm"]
        }
        #expect(found == [150, 150, 151, 90])
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
}
