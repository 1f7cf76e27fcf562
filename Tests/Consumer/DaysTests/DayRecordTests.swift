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
}
