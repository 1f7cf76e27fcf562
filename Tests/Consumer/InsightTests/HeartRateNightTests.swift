import DaysSupport
import Desk
import Files
import Fitness
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Insight

@Suite("Nights")
struct HeartRateNightTests {
    /// Unix milliseconds of an hour of a day of November 2026, in UTC.
    private static func time(_ day: Int, _ hour: Double) throws -> Int64 {
        let day = try #require(CalendarDay("2026-11-\(day)"))
        return day.daysSince1970 * 86_400_000 + Int64(hour * 3_600_000)
    }

    /// A value each ten seconds with its beats, as a strap's memory may send them.
    private static func beats(_ times: Range<Int64>, _ rate: UInt16, _ short: UInt16, _ long: UInt16) -> [Reading] {
        stride(from: times.lowerBound, to: times.upperBound, by: 10_000).map { time in
            Reading(
                at: Moment(wall: time, monotonic: UInt64(time - 1_700_000_000_000)),
                .heartRate(HeartRateMeasurement(beatsPerMinute: rate, rrIntervals: (0..<10).map { $0 % 2 == 0 ? short : long })))
        }
    }

    private static func request(_ fields: JSON, of user: ID) -> PeopleRequest {
        PeopleRequest(asker: .person(user), name: "heart-rate/night", fields: fields, identity: nil) { _ in }
    }

    private static func answer(_ hearts: Hearts, _ fields: JSON, now: Int64) throws -> JSON {
        let request = Self.request(fields, of: hearts.demo)
        let question = try HeartRateNights.Question(request)
        return try HeartRateNights(of: hearts.demo, question.clock, hearts.parts.store, hearts.parts.keys, zone: "UTC")
            .answer(question, now: now)
    }

    @Test("have their mean, their lowest half-hour, and how the time between beats varied, with its trend")
    func night() throws {
        var hearts = try Hearts(densest: .none)
        let session = try hearts.parts.session(hearts.household)
        _ = try hearts.parts.take(session.keyBlock)
        // Three nights, of which the last one is the slowest, and a day before it.
        for (day, rate, step) in [(19, 60, 32), (20, 60, 64), (21, 50, 128)] as [(Int, UInt16, UInt16)] {
            let night = try Self.time(day - 1, 22)..<Self.time(day, 8)
            var readings = Self.beats(night, rate, 1000, 1000 + step)
            if day == 21 {
                let low = try Self.time(day, 4)..<Self.time(day, 4.5)
                readings = readings.filter { !low.contains($0.moment.wall) } + Self.beats(low, 44, 1000, 1128)
                readings.sort { $0.moment.wall < $1.moment.wall }
                readings.insert(contentsOf: Self.beats(try Self.time(20, 8)..<Self.time(20, 22), 75, 800, 810), at: 0)
            }
            for block in try session.blocks(readings) { _ = try hearts.parts.take(block) }
        }
        let now = try Self.time(21, 12)
        let found = try Self.answer(hearts, .object([]), now: now)
        let (from, to, low) = (try Self.time(20, 22), try Self.time(21, 8), try Self.time(21, 4))
        #expect(found["day"] == "2026-11-21" && found["from"] == .integer(from))
        #expect(found["to"] == .integer(to) && found["recorded_s"] == 36_000)
        // 19 half-hours at 50 and one at 44.
        #expect(found["mean"] == .number(49.7))
        #expect(found["lowest"] == ["bpm": .number(44), "time": .integer(low)])
        #expect(found["dip_percent"] == .number((1000 * (75 - 49.7) / 75).rounded() / 10))
        // Intervals are in units of 1/1024 s: 128 of them are 125 ms.
        guard case .array(let windows)? = found["windows"] else { throw TestFailure("\(found)") }
        #expect(windows.count == 120 && windows.last?["from"] == .integer(to - 300_000) && found["rmssd_ms"] == .number(125))
        #expect(windows.allSatisfy { $0["rmssd_ms"] == .number(125) })
        // 31.25, 62.5 and 125 ms.
        #expect(found["rmssd_trend_ms"] == .number(62.5))
        let earlier = try Self.answer(hearts, ["day": "2026-11-20"], now: now)
        #expect(earlier["rmssd_ms"] == .number(62.5) && earlier["rmssd_trend_ms"] == nil)
        #expect(earlier["dip_percent"] == nil)
        // Somebody who works at night.
        let other = try Self.answer(hearts, ["begin": "01:00", "end": "05:00"], now: now)
        #expect(other["recorded_s"] == 14_400 && other["from"] == .integer(low - 3 * 3_600_000))
        let short = try Self.answer(hearts, ["begin": "01:00", "end": "03:59"], now: now)
        #expect(short["mean"] == nil && short["rmssd_ms"] == nil && short["from"] != nil)
        let nothing = try Self.answer(hearts, ["day": "2026-11-10"], now: now)
        #expect(nothing["mean"] == nil && nothing["windows"] == nil)
    }

    @Test(
        "have times of day",
        arguments: [
            ["begin": "22"], ["begin": "24:00"], ["end": "8:00"], ["end": "08:60"], ["end": "+8:00"], ["begin": "08:00"], ["begin": "15:59"],
            ["day": "2026-13-01"],
        ] as [JSON])
    func refusals(_ fields: JSON) throws {
        let request = Self.request(fields, of: try ID("demo"))
        #expect(throws: ReplyError.self) { _ = try HeartRateNights.Question(request) }
    }
}
