import DaysSupport
import Files
import Fitness
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Readings

@Suite("Minutes of heart rate, window by window")
struct HeartRateWindowsTests {
    @Test("of a long time are shown day by day as if all were in memory", arguments: 1...4 as ClosedRange<UInt64>)
    func windows(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var hearts = try Hearts()
        let sessions = try ["strap", "band"].map { try hearts.parts.session(hearts.household, $0) }
        _ = try hearts.parts.take(all: sessions.map(\.keyBlock))
        // A band all day, and a strap in an hour of each three: in the last one before midnight, too, where windows end.
        var time: Int64 = 0
        while time < 4 * 86_400_000 {
            time += Int64.random(in: 120_000...560_000, using: &generator)
            let rate = UInt16.random(in: 50...70, using: &generator)
            _ = try hearts.parts.take(sessions[1].block(beat(time, rate)))
            guard time / 3_600_000 % 3 == 2 else { continue }
            let strap = (0..<40).map { beat(time + Int64($0) * 1000, UInt16(100 + $0)) }
            _ = try hearts.parts.take(sessions[0].block(strap))
        }
        try hearts.showWindows(from: start)
        try hearts.fold(before: start / 3_600_000 + 60)
        try hearts.showWindows(from: start + 12_345)
        try hearts.fold()
        try hearts.showWindows(from: start - 3_600_000)
    }
}

extension Hearts {
    /// Window by window, there is the same as when all minutes are in memory.
    func showWindows(from begin: Int64) throws {
        let times = begin..<begin + 400_000_000
        let all = try tiers.minutes(of: demo, in: HeartRateGraph.needed(times))
        var (whole, parts) = (Shown(), Shown())
        whole.add(all, in: times)
        var end = times.lowerBound
        try tiers.forEachWindow(of: demo, in: times) { near, window in
            #expect(window.lowerBound == end && !window.isEmpty)
            end = window.upperBound
            parts.add(near, in: window)
        }
        #expect(end == times.upperBound && parts.windows > 1 && whole.minutes.count > 10)
        #expect(parts.minutes.elementsEqual(whole.minutes, by: ==))
        #expect(parts.slots == whole.slots)
        for end in [1, 7_777_777, 100_000_000] as [Int64] { try isDrawn(begin..<times.upperBound - end) }
    }

    /// A curve of minutes says what all of its minutes say.
    private func isDrawn(_ times: Range<Int64>) throws {
        var graph = HeartRateGraph(times, points: 400)
        try graph.fill(of: demo, parts.store, parts.keys)
        let (first, width) = (graph.times.lowerBound, graph.width)
        let whole = first..<first + Int64(graph.buckets.count) * width
        #expect(graph.tier == .minutes && whole.upperBound > graph.times.upperBound)
        var shown = Shown()
        shown.add(try tiers.minutes(of: demo, in: HeartRateGraph.needed(whole)), in: whole)
        func held(_ times: Range<Int64>) -> [Double] {
            HeldHeartRates.slots(in: times).compactMap { shown.slots[$0]?[0] }
        }
        func agrees(_ number: JSON?, _ values: [Double]) -> Bool {
            abs((number?.double ?? -1) - values.reduce(0, +) / Double(values.count)) < 0.051
        }
        let (json, all) = (graph.json, held(graph.times))
        guard case .array(let indices)? = json["index"], case .array(let means)? = json["mean"] else {
            throw TestFailure("no lists: \(json)")
        }
        #expect(indices.count == means.count && indices.count == graph.buckets.count { !$0.isEmpty })
        for (index, mean) in zip(indices, means) {
            let begin = first + Int64(try #require(index.double)) * width
            #expect(agrees(mean, held(begin..<begin + width)), "\(index)")
        }
        let rates = shown.minutes.filter { graph.times.contains($0.0 * 60_000) }.map(\.1)
        let span = try #require(json["span"])
        #expect(agrees(span["mean"], all) && span["recorded_s"] == .integer(Int64(all.count * 5)), "\(span)")
        #expect(span["min"] == rates.map(\.minimum).min().map { .integer(Int64($0)) })
        #expect(span["max"] == rates.map(\.maximum).max().map { .integer(Int64($0)) })
    }
}

/// What sources hold in some windows.
private struct Shown {
    var windows = 0
    var minutes: [(Int64, HeartRateSamples, Int64)] = []
    /// The mean and the source of each slot.
    var slots: [Int64: [Double]] = [:]

    mutating func add(_ sources: HeartRateSources, in window: Range<Int64>) {
        windows += 1
        sources.forEachMinute { number, samples, source in
            if window.contains(number * 60_000) { minutes.append((number, samples, source)) }
        }
        sources.forEachPiece { piece in
            for slot in piece.slots.clamped(to: HeldHeartRates.slots(in: window)) {
                slots[slot] = [piece.mean, Double(piece.source)]
            }
        }
    }
}
