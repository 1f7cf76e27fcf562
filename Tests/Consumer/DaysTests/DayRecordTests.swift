import Fitness
import Testing

@testable import Days

@Suite("DayRecord")
struct DayRecordTests {
    /// Version 1, the greatest number of nine bytes with one more, then no running, goals, counts or temperatures.
    private func record(endingWith last: UInt8) -> [UInt8] {
        [1] + [UInt8](repeating: 0xFF, count: 9) + [last] + [0, 0, 0, 0]
    }

    @Test("does not take a number of more than 64 bits for a smaller one")
    func tooLarge() {
        #expect(DayRecord(record(endingWith: 2)) == nil)
        #expect(DayRecord(record(endingWith: 0)) != nil)
    }

    @Test(
        "keeps what steps came to, with the formulas, and a day of before stays readable",
        arguments: [(726.25, 31.5), (726.25, nil), (nil, 31.5), (nil, nil)] as [(Double?, Double?)])
    func figures(metres: Double?, kilocalories: Double?) throws {
        var record = DayRecord()
        record.steps = Steps(walking: 900, running: 100, countsLeftOut: 3)
        record.reached = [.steps: GoalDay.Reached(target: 500, time: 77)]
        let before = record.bytes
        record.figures = StepFigures(formulas: 300, metres: metres, kilocalories: kilocalories)
        #expect((record.figures == nil) == (record.bytes == before))
        let read = try #require(DayRecord(record.bytes))
        #expect(read == record && read.figures?.formulas == (metres ?? kilocalories).map { _ in 300 })
        for length in 0..<record.bytes.count { #expect(DayRecord(Array(record.bytes.prefix(length))) == nil) }
    }
}
