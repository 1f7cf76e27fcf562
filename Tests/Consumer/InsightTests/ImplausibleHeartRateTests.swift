import DaysSupport
import Fitness
import HouseholdSupport
import Telemetry
import Testing

@testable import Days
@testable import Insight

@Suite("Heart rates that no heart makes", .timeLimit(.minutes(60)))
struct ImplausibleHeartRateTests {
    @Test("are made of heart rates that a heart makes; others are stored, and in no minute, curve or answer")
    func implausible() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        let rates: [UInt16] = [70, 0, 240, 241, 300, .max, 71, 24, 1, 250, 254, 255, 25]
        let readings = rates.enumerated().map { beat(Int64($0.offset) * 1000, $0.element, rr: [800]) }
        _ = try hearts.parts.take(session.keyBlock, session.block(readings))
        for step in ["open", "packed", "counted again"] {
            if step == "packed" {
                try hearts.parts.pack()
                try hearts.fold()
            }
            if step == "counted again" {
                try hearts.parts.store.markStale(hearts.demo, firstHour...firstHour)
                try hearts.catchUp()
            }
            #expect(try hearts.parts.printed().count == rates.count, "\(step)")
            #expect(try hearts.agrees(), "\(step)")
            let samples = try #require(try hearts.tiers.hours(of: hearts.demo, in: start..<start + 3_600_000).first)
            #expect((samples.samples.minimum, samples.samples.maximum) == (25, 240), "\(step)")
            let minutes = try hearts.tiers.minutes(of: hearts.demo, in: start..<start + 3_600_000)
            #expect(minutes.samples == HeartRateSamples(count: 4, sum: 406, minimum: 25, maximum: 240), "\(step)")
            for points in [Int64(1), 100] {
                var graph = HeartRateGraph(start..<start + 100_000, points: points)
                try graph.fill(of: hearts.demo, hearts.parts.store, hearts.parts.keys)
                #expect(graph.buckets.reduce(0) { $0 + $1.count } == 4 && graph.buckets.map(\.maximum).max() == 240)
            }
            func answer(_ time: Int64) throws -> JSON {
                try HeartRateRequests.at(start + time, of: hearts.demo, hearts.parts.store, hearts.parts.keys)
            }
            #expect(try answer(4000)["bpm"] == 240 && answer(5000)["bpm"] == 71 && answer(10_500)["bpm"] == 25)
            let variability = try HeartRateRequests.variability(
                of: hearts.demo, start..<start + 100_000, hearts.parts.store, hearts.parts.keys)
            #expect(variability["beats"] == 4)
        }
    }
}
