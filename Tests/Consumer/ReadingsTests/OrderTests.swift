import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Readings

@Suite("The order of arrival")
struct OrderTests {
    /// Blocks of four sessions of two boots and two sensors: keys, readings, loose records that overlap, corrections,
    /// gaps.
    private func blocks(_ parts: Parts, _ household: Household) throws -> [[UInt8]] {
        let crashed = try parts.session(household, boot: 1)
        let next = try parts.session(household, boot: 1)
        let rebooted = try parts.session(household, boot: 2)
        let watch = try parts.session(household, "watch", boot: 2)
        var blocks = [crashed.keyBlock, next.keyBlock, rebooted.keyBlock, watch.keyBlock]
        let records = try (0..<6).map { try crashed.record(UInt64($0), beat(50_000 + Int64($0) * 1000, 90)) }
        blocks += [
            try crashed.block(beat(0, 70), beat(1000, 71), beat(1000, 71)), try crashed.block(beat(40_000, 72)),
            try next.loose(crashed, Array(records[0...3])), try next.loose(crashed, Array(records[2...5])),
            try rebooted.loose(crashed, Array(records[1...4])),
            try next.block(beat(60_000, 74), beat(4 * 3_600_000, 75)), try rebooted.block(beat(30_500, 76)),
            try watch.block(beat(1000, 60), beat(2000, 61)),
            try watch.block(Reading(at: beat(3000, 1).moment, .steps(42))),
        ]
        for correction in [3_600_000, -20_000] as [Int64] {
            let clock = try ClockBody(boot: BootID(high: 0, low: 1), correction: correction, until: 1_055_000)
            blocks.append(try next.seal(.clock, clock.bytes))
        }
        let gap = try GapBody(count: 7, first: start, last: start + 5, reason: .unreadable)
        blocks.append(try rebooted.seal(.gap, gap.bytes))
        return blocks
    }

    /// What one can tell of a store.
    private struct Content: Equatable {
        let beats: [String]
        let steps: [String]
        let counts: [[Int64: Int64]?]
        let findings: Findings
        let ledger: [[UInt8]]
    }

    private func content(_ parts: Parts) throws -> Content {
        Content(
            beats: try parts.printed(), steps: try parts.printed(.steps),
            counts: try parts.store.streams().map { stream in try parts.store.counts(of: stream) },
            findings: try Findings(parts.store, parts.keys),
            ledger: try parts.store.database.query("SELECT digest FROM ledger ORDER BY digest", row: Row.blob))
    }

    /// As a gateway does: all again that is not acknowledged, in another order, some of it twice.
    private func deliver(_ blocks: [[UInt8]], _ parts: inout Parts, _ random: inout SeededGenerator) throws {
        var rest = Set(blocks)
        var rounds = 0
        while !rest.isEmpty {
            rounds += 1
            guard rounds < 20 else { throw TestFailure("\(rest.count) blocks are never acknowledged") }
            var waiting = Array(rest).sorted { $0.lexicographicallyPrecedes($1) }
            waiting += waiting.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            waiting.shuffle(using: &random)
            while !waiting.isEmpty {
                let batch = Array(waiting.prefix(Int.random(in: 1...6, using: &random)))
                waiting.removeFirst(batch.count)
                for case .acknowledge(_, let identities) in try parts.take(all: batch).answers {
                    let known = Set(identities)
                    rest = rest.filter { block in
                        guard let header = decoded({ () throws(MalformedValue) in try BlockHeader(startOf: block) })
                        else { return true }
                        return !known.contains(header.identity)
                    }
                }
            }
        }
    }

    @Test("changes nothing: hundreds of orders and batches, some blocks twice, end with the same")
    func anyOrder() throws {
        let household = try Household()
        let people = "demo: { sensors: [\"home/strap\", \"home/watch\"] }"
        var parts = try household.open(people: people)
        // No time is lost with waiting for a disk that this test is not about.
        try parts.store.database.execute("PRAGMA synchronous = OFF")
        let blocks = try blocks(parts, household)
        _ = try parts.take(all: blocks)
        let expected = try content(parts)
        #expect(expected.beats.count == 15 && expected.steps.count == 1)
        #expect(expected.findings.isGood && expected.findings.readings == 16 && expected.findings.lostInGaps == 7)
        for seed in 1...300 as ClosedRange<UInt64> {
            for table in ["records", "blocks", "ledger", "counts", "sessions"] {
                try parts.store.database.execute("DELETE FROM \(table)")
            }
            parts.ingest = Ingest(
                parts.store, parts.keys, gateways: parts.settings.gateways,
                totals: Uncounted(parts.store, parts.keys), sessionCapacity: 2)
            var random = SeededGenerator(seed: seed)
            try deliver(blocks, &parts, &random)
            #expect(try content(parts) == expected, "seed \(seed)")
        }
    }
}
