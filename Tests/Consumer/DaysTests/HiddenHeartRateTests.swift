import DaysSupport
import HouseholdSupport
import Testing

@testable import Days

@Suite("Heart rates that were deleted", .timeLimit(.minutes(60)))
struct HiddenHeartRateTests {
    @Test("what was deleted is in no curve and no total from then on, though rows are yet to be counted again")
    func hidden() throws {
        var hearts = try Hearts()
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock)
        _ = try hearts.parts.take(
            all: (0..<300).map { try session.block([beat(Int64($0) * 60_000, $0 < 100 ? 60 : 160)]) })
        try hearts.fold(before: firstHour + 2)
        let all = start..<start + 300 * 60_000
        for points in [Int64(1), 5, 299, 2000] {
            var graph = HeartRateGraph(all, points: points)
            try graph.fill(of: hearts.demo, hearts.parts.store, hearts.parts.keys)
            #expect(graph.buckets.map(\.maximum).max() == 160)
        }
        _ = try hearts.parts.ingest.totals.deletions.hide(start + 100 * 60_000..<start + 300 * 60_000, of: hearts.demo)
        for points in [Int64(1), 5, 299, 2000] {
            var graph = HeartRateGraph(all, points: points)
            try graph.fill(of: hearts.demo, hearts.parts.store, hearts.parts.keys)
            #expect(graph.buckets.map(\.maximum).max() == 60, "\(points)")
        }
        try hearts.catchUp()
        #expect(try hearts.agrees())
        let minutes = try hearts.tiers.minutes(of: hearts.demo, in: all).together
        #expect(minutes.count == 100)
    }
}
