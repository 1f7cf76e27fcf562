import Foundation
import Testing

@testable import Fitness

@Suite("Days of a person")
struct LocalDaysTests {
    static func zone(_ name: String) throws -> ZoneRules {
        try #require(ZoneRules(Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)")))))
    }

    /// Unix milliseconds of `2026-11-21T12:00:00Z`.
    static func time(_ text: String) throws -> Int64 {
        Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1000
    }

    static func intervals(_ days: LocalDays, _ day: String) throws -> [Range<Int64>] {
        days.intervals(of: try #require(CalendarDay(day)))
    }

    @Test(
        "have as many hours as their clocks showed",
        arguments: [
            ("Europe/Berlin", "2026-11-21", "2026-11-20T23:00:00Z", 24.0),
            ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23),
            ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25),
            // By the file's transitions, and by its footer.
            ("America/New_York", "2026-03-08", "2026-03-08T05:00:00Z", 23),
            ("America/New_York", "2050-11-06", "2050-11-06T04:00:00Z", 25),
            ("Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", 24.5),
            ("Asia/Kolkata", "2026-06-01", "2026-05-31T18:30:00Z", 24),
            ("Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00Z", 24),
            // Where midnight is skipped, and where it comes twice: of a year whose rules cannot change any more.
            ("America/Havana", "2025-03-09", "2025-03-09T05:00:00Z", 23),
            ("America/Havana", "2025-11-02", "2025-11-02T04:00:00Z", 25),
            ("UTC", "1969-12-31", "1969-12-31T00:00:00Z", 24),
        ])
    func hours(name: String, day: String, begins: String, hours: Double) throws {
        let days = LocalDays(try Self.zone(name))
        let start = try Self.time(begins)
        #expect(try Self.intervals(days, day) == [start..<start + Int64(hours * 3_600_000)])
        #expect(days.day(of: start).description == day && days.day(of: start - 1).description < day)
        #expect(days.day(of: start + Int64(hours * 3_600_000) - 1).description == day)
    }

    @Test("are skipped where the date line moved, and had two parts where a clock went back over midnight")
    func dateLine() throws {
        let samoa = LocalDays(try Self.zone("Pacific/Apia"))
        let skipped = try #require(CalendarDay("2011-12-30"))
        #expect(samoa.intervals(of: skipped) == [] && samoa.end(of: skipped) == nil)
        #expect(try samoa.end(of: #require(CalendarDay("2011-12-29"))) == Self.time("2011-12-30T10:00:00Z"))
        let toronto = LocalDays(try Self.zone("America/Toronto"))
        // In Newfoundland's and others' rules of 1987 to 2011 clocks went back at one minute past midnight.
        let saintJohns = LocalDays(try Self.zone("America/St_Johns"))
        let parts = try Self.intervals(saintJohns, "2010-11-06")
        let (midnight, minute) = (try Self.time("2010-11-07T02:30:00Z"), Int64(60_000))
        #expect(parts.map(\.upperBound) == [midnight, midnight + 60 * minute])
        #expect(parts.last?.lowerBound == midnight + minute)
        #expect(try Self.intervals(toronto, "2010-11-06").count == 1)
    }

    @Test("continue in the zone that a person moves to: shorter going east, longer going west")
    func moves() throws {
        let (berlin, tokyo, honolulu) = (
            try Self.zone("Europe/Berlin"), try Self.zone("Asia/Tokyo"), try Self.zone("Pacific/Honolulu")
        )
        let (east, west) = (try Self.time("2026-06-10T10:00:00Z"), try Self.time("2026-06-20T15:30:00Z"))
        let days = LocalDays(berlin, moves: [(west, honolulu), (east, tokyo)])
        let hours = try ["2026-06-09", "2026-06-10", "2026-06-11"].map { day in
            try Self.intervals(days, day).map { Double($0.count) / 3_600_000 }
        }
        #expect(hours == [[24], [17], [24]])
        // In Tokyo it was the 21st since half an hour; in Honolulu it was the 20th again, and then the 21st once more.
        let midnight = try Self.time("2026-06-20T15:00:00Z")
        #expect(
            try Self.intervals(days, "2026-06-20") == [
                midnight - 24 * 3_600_000..<midnight, west..<Self.time("2026-06-21T10:00:00Z"),
            ])
        #expect(
            try Self.intervals(days, "2026-06-21") == [
                midnight..<west, Self.time("2026-06-21T10:00:00Z")..<Self.time("2026-06-22T10:00:00Z"),
            ])
        #expect(days.days(in: midnight - 1..<west + 1).map(\.description) == ["2026-06-20", "2026-06-21"])
    }

    @Test("divide all time: each moment is in one day, and in its intervals")
    func division() throws {
        var generator = SystemRandomNumberGenerator()
        let zones = try [
            "Europe/Berlin", "Asia/Tokyo", "America/St_Johns", "Pacific/Apia", "UTC", "Australia/Lord_Howe",
            "Africa/Casablanca",
        ]
        .map { try Self.zone($0) }
        let (start, end) = (try Self.time("2009-01-01T00:00:00Z"), try Self.time("2045-01-01T00:00:00Z"))
        for _ in 0..<40 {
            let moves = (0..<4).map { _ in
                (
                    from: Int64.random(in: start..<end, using: &generator),
                    zone: zones.randomElement(using: &generator) ?? zones[0]
                )
            }
            let days = LocalDays(zones[0], moves: moves)
            let around = moves.map(\.from) + (0..<10).map { _ in Int64.random(in: start..<end, using: &generator) }
            for moment in around {
                for time in [moment - 1, moment, moment + 1, moment + 43_200_000] {
                    let day = days.day(of: time)
                    #expect(days.intervals(of: day).filter { $0.contains(time) }.count == 1)
                    for other in [-2, -1, 1, 2] {
                        #expect(days.intervals(of: day.advanced(by: other)).allSatisfy { !$0.contains(time) })
                    }
                    #expect(days.days(in: time..<time + 1) == [day])
                }
            }
            let whole = moves[0].from - 200_000_000..<moves[0].from + 200_000_000
            let covered = days.days(in: whole).flatMap { days.intervals(of: $0) }.map { $0.clamped(to: whole) }
            #expect(covered.reduce(0) { $0 + $1.count } == whole.count)
        }
    }

    @Test("are those of the years 1 to 9999, whatever is asked")
    func ends() throws {
        let days = LocalDays(try Self.zone("Europe/Berlin"))
        // Not by Foundation, whose early days are of the Julian calendar.
        let (first, last) = (try #require(CalendarDay("0001-02-01")), try #require(CalendarDay("9999-12-01")))
        let (early, late) = (first.daysSince1970 * 86_400_000, last.daysSince1970 * 86_400_000)
        #expect(days.days(in: .min..<early).count == 32 && days.days(in: late..<Int64.max).count == 32)
        #expect(days.days(in: early..<early) == [])
    }
}
