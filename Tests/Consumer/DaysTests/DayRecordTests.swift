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
        record.figures = DayFigures(
            formulas: 300, metres: metres.map { [.foot: $0] } ?? [:], kilocalories: kilocalories)
        #expect((record.figures == nil) == (record.bytes == before))
        try check(record)
        #expect(record.figures?.formulas == (metres ?? kilocalories).map { _ in 300 })
        #expect(record.bytes[0] == (record.figures == nil ? 2 : 4))
    }

    @Test("keeps workouts, and distances that were not done on foot")
    func workouts() throws {
        var record = DayRecord()
        record.enter(DayWorkout(id: "b", "cycling", -5000..<10_000, metres: 41_384.7, kilocalories: 1120, rank: 103))
        try check(record)
        record.figures = DayFigures(metres: [.bicycle: 41_384.7, .other: 3, .foot: 0], kilocalories: nil)
        record.enter(DayWorkout(id: "a", "ünter Wasser", 7..<7, metres: nil, kilocalories: 0, rank: 0))
        try check(record)
        #expect(!record.isEmpty && record.bytes[0] == 5)
        // Earlier versions know no steps of workouts, no sessions, and no efforts.
        record.enter(DayWorkout(id: "c", "running", 7..<99, metres: nil, kilocalories: 3, steps: 7800, rank: 1))
        try check(record)
        #expect(record.bytes[0] == 6)
        record.remove(workout: "c")
        let effort = Effort(active: 3600, recorded: 3000, moderate: 1200, vigorous: 600)
        record.enter(
            DayWorkout(id: "c", "running", 0..<3_600_000, metres: 9000, kilocalories: nil, rank: 3, effort: effort))
        try check(record)
        #expect(record.bytes[0] == 6)
        for (id, file) in [("c", Int64.min), ("d", 0)] {
            record.enter(DayWorkout(id: id, "running", 0..<7, metres: nil, kilocalories: nil, rank: 3, file: file))
        }
        try check(record)
        #expect(record.bytes[0] == 6 && DayRecord(record.bytes)?.workouts["c"]?.file == .min)
        for id in ["c", "d"] { record.remove(workout: id) }
        #expect(record.bytes[0] == 5)
        for id in ["a", "b"] { record.remove(workout: id) }
        #expect(record.isEmpty)
    }

    @Test("keeps the first of too many workouts")
    func manyWorkouts() {
        var record = DayRecord()
        let most = DayRecord.mostWorkouts
        for number in (0..<most + 20).shuffled() {
            let start = Int64(number) * 1000
            record.enter(DayWorkout(id: "\(number)", "running", start..<start + 1, metres: 1, kilocalories: 1, rank: 0))
        }
        #expect(record.workouts.count == most && record.workouts["\(most)"] == nil && record.workouts["0"] != nil)
    }

    /// A record can be read again, and no part of it.
    private func check(_ record: DayRecord) throws {
        let bytes = record.bytes
        #expect(try #require(DayRecord(bytes)) == record)
        for length in 0..<bytes.count { #expect(DayRecord(Array(bytes.prefix(length))) == nil) }
    }
}
