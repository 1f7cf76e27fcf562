import Testing

@testable import Fitness

@Suite("A time on the wall")
struct WallTimeTests {
    @Test(
        "is the first of two moments, and one that is never shown is the moment that it would be with the offset before",
        arguments: [
            // RFC 5545, 3.3.5, has these two.
            ("America/New_York", "2007-11-04T01:30:00Z", "2007-11-04T05:30:00Z"),
            ("America/New_York", "2007-03-11T02:30:00Z", "2007-03-11T07:30:00Z"),
            ("Europe/Berlin", "2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z"),
            ("Europe/Berlin", "2026-10-25T02:30:00Z", "2026-10-25T00:30:00Z"),
            ("Europe/Berlin", "2026-10-25T03:00:00Z", "2026-10-25T02:00:00Z"),
            ("Australia/Lord_Howe", "2026-10-04T02:15:00Z", "2026-10-03T15:45:00Z"),
            ("Australia/Lord_Howe", "2026-04-05T01:45:00Z", "2026-04-04T14:45:00Z"),
            // Where midnight is skipped, and where a whole day was.
            ("America/Havana", "2025-03-09T00:30:00Z", "2025-03-09T05:30:00Z"),
            ("Pacific/Apia", "2011-12-30T07:30:00Z", "2011-12-30T17:30:00Z"),
            // By the footer.
            ("Europe/Berlin", "2055-03-28T02:30:00Z", "2055-03-28T01:30:00Z"),
            ("UTC", "2026-11-21T07:30:00Z", "2026-11-21T07:30:00Z"),
        ])
    func examples(zone: String, wall: String, moment: String) throws {
        let rules = try LocalDaysTests.zone(zone)
        let local = try #require(unixMilliseconds(iso8601: wall)) / 1000
        #expect(iso8601(unixSeconds: rules.time(ofLocalSeconds: local)) == moment)
    }

    @Test(
        "agrees with a clock that is looked at every quarter of an hour of four years",
        arguments: ["Europe/London", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Tehran"])
    func everyQuarter(zone: String) throws {
        let rules = try LocalDaysTests.zone(zone)
        let begin = try LocalDaysTests.time("2022-01-01T00:00:00Z") / 1000
        let quarter: Int64 = 900
        // When each time was shown first.
        var shown: [Int64: Int64] = [:]
        for step in 0..<Int64(4 * 365 * 96) {
            let moment = begin + step * quarter
            let local = moment + rules.offset(at: moment)
            if shown[local] == nil { shown[local] = moment }
        }
        let first = begin + 2 * 86_400
        var (wrong, skipped) = (0, 0)
        for step in 0..<Int64(4 * 365 * 96 - 4 * 96) {
            let local = first + step * quarter
            let found = rules.time(ofLocalSeconds: local)
            if let moment = shown[local] {
                if found != moment { wrong += 1 }
            } else {
                skipped += 1
                // The offset of an hour before has not changed yet, however long the gap is.
                let before = rules.offset(at: found - 3600)
                if found != local - before || found + rules.offset(at: found) == local { wrong += 1 }
            }
        }
        #expect(wrong == 0)
        // Tehran has ended daylight saving in 2022; each of the others has put its clocks forward several times.
        #expect(skipped >= 2)
    }
}
