import Fitness
import Telemetry
import TestSupport
import Testing

@testable import Days

@Suite("Cells of heart rate")
struct HeartRateCellsTests {
    private func cells(
        _ generator: inout SeededGenerator, capacity: Int, areMeansOutside: Bool = false
    ) -> HeartRateCells {
        var cells = HeartRateCells(capacity: capacity)
        let share = Int.random(in: 0...100, using: &generator)
        for number in 0..<Int64.random(in: 1...3, using: &generator) {
            let source = HeartRateSource(number * 7000 + 3, isRecord: Bool.random(using: &generator))
            for place in 0..<capacity where Int.random(in: 0..<100, using: &generator) < share {
                for _ in 0..<Int.random(in: 1...5, using: &generator) {
                    let rate = Bool.random(using: &generator) ? Int.random(in: 1...65_535, using: &generator) : 72
                    cells[place, source].add(rate, at: Int64.random(in: 0..<60_000, using: &generator))
                }
                // As the mean over an hour may be, outside of its extremes.
                if areMeansOutside {
                    cells[place, source].samples.minimum = Int.random(in: 0...65_535, using: &generator)
                    cells[place, source].samples.maximum = Int.random(in: 0...65_535, using: &generator)
                }
                cells[place, source].hasIntervals = Int.random(in: 0..<4, using: &generator) > 0
            }
        }
        return cells
    }

    @Test("of version 1 are those of one source")
    func versionOne() throws {
        // Two minutes: 70 in a slot, and 80 and 83 in two.
        let bytes: [UInt8] = [1, 2, 3, 1] + [0xFE, 0x1F, 0xFC, 0x1F] + [1, 2] + [140, 1, 22] + [0, 1] + [0, 1] + [0, 2]
        var cells = HeartRateCells(capacity: 60)
        cells[3].add(70, millisecond: 0)
        cells[5].add(80, millisecond: 0)
        cells[5].add(83, millisecond: 5000)
        #expect(HeartRateCells(bytes, capacity: 60) == cells)
        #expect(HeartRateCells(cells.bytes, capacity: 60) == cells)
        #expect(HeartRateCells([1, 0], capacity: 60) == HeartRateCells(capacity: 60))
    }

    @Test("of one source take as much room as in version 1, but for its name")
    func size() {
        for hasIntervals in [false, true] {
            var cells = HeartRateCells(capacity: 60)
            let source = HeartRateSource(5000)
            for place in 0..<60 {
                for second in 0..<60 { cells[place, source].add(60 + second % 7, millisecond: second * 1000) }
                cells[place, source].hasIntervals = hasIntervals
            }
            // Seven columns with a byte for each minute. Version 1 began with two bytes.
            #expect(cells.bytes.count == 6 + 60 * 7)
        }
    }

    @Test("are the same after writing and reading, whichever there are", arguments: HeartRateTable.allCases)
    func roundTrip(table: HeartRateTable) throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<60 {
            for areMeansOutside in [false, true] {
                let cells = cells(&generator, capacity: table.capacity, areMeansOutside: areMeansOutside)
                #expect(HeartRateCells(cells.bytes, capacity: table.capacity) == cells)
            }
        }
        let empty = HeartRateCells(capacity: table.capacity)
        #expect(HeartRateCells(empty.bytes, capacity: table.capacity) == empty)
    }

    @Test("are refused where bytes are missing or too many, and do no harm where they are others")
    func damaged() {
        var generator = SeededGenerator(seed: 8)
        let bytes = cells(&generator, capacity: 60).bytes
        for length in bytes.indices { #expect(HeartRateCells(Array(bytes[..<length]), capacity: 60) == nil) }
        #expect(HeartRateCells(bytes + [0], capacity: 60) == nil)
        for _ in 0..<20_000 {
            var altered = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                altered[Int.random(in: altered.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if let cells = HeartRateCells(altered, capacity: 60) {
                #expect(HeartRateCells(cells.bytes, capacity: 60) == cells)
            }
        }
    }

    @Test("are in the month that the calendar says, before 1970 and after")
    func months() {
        for day in stride(from: Int64(-800_000), through: 3_000_000, by: 11) {
            let date = CalendarDay(daysSince1970: day)
            let hour = HeartRateHour(day * 24 + 5)
            #expect(hour.month == Int64(date.year - 1970) * 12 + Int64(date.month) - 1)
            #expect(HeartRateHour.first(ofMonth: hour.month) == (day - Int64(date.day) + 1) * 24)
            #expect(hour.placeInMonth == (date.day - 1) * 24 + 5 && hour.placeInDay == 300 && hour.day == day)
        }
    }
}
