import Testing

@testable import Fitness

@Suite("A floored division", .timeLimit(.minutes(60)))
struct FlooredDivisionTests {
    @Test("rounds down, also below zero, and leaves what is missing from there")
    func roundsDown() {
        for divisor: Int64 in [1, 2, 7, 24, 1000, 3_600_000, .max] {
            for number: Int64 in [-86_400_001, -1001, -1000, -999, -25, -24, -7, -1, 0, 1, 6, 7, 23, 24, 1000] {
                let (quotient, rest) = (number.floorDivided(by: divisor), number.floorRemainder(by: divisor))
                #expect((0..<divisor).contains(rest) && quotient * divisor + rest == number, "\(number) \(divisor)")
            }
        }
        #expect(Int64(-1).floorDivided(by: 1000) == -1 && Int64(-1000).floorDivided(by: 1000) == -1)
        #expect(Int64(-1001).floorDivided(by: 1000) == -2 && Int64(999).floorDivided(by: 1000) == 0)
    }

    @Test("does not overflow at either end")
    func ends() {
        for divisor: Int64 in [1, 2, 1000, 86_400, .max] {
            let expected = (Int64.min / divisor) - (Int64.min % divisor == 0 ? 0 : 1)
            #expect(Int64.min.floorDivided(by: divisor) == expected)
            #expect(Int64.max.floorDivided(by: divisor) == Int64.max / divisor)
            #expect((0..<divisor).contains(Int64.min.floorRemainder(by: divisor)))
        }
    }

    @Test("gives every time a day, also the first and the last that there are")
    func days() {
        #expect(CalendarDay(localSeconds: -1).description == "1969-12-31")
        #expect(CalendarDay(localSeconds: -86_400).description == "1969-12-31")
        #expect(CalendarDay(localSeconds: -86_401).description == "1969-12-30")
        let ends = [Int64.min, Int64.max].map { CalendarDay(localSeconds: $0) }
        #expect(ends.map(\.daysSince1970) == [-106_751_991_167_301, 106_751_991_167_300])
        #expect(iso8601(unixMilliseconds: .min).hasSuffix("-05-16T16:47:04.192Z"))
        #expect(iso8601(unixMilliseconds: .max) == "292278994-08-17T07:12:55.807Z")
    }
}
