import Fitness
import Schedules
import Testing

@Suite("A week that is over")
struct WeekTellingTests {
    private func week(_ day: String) throws -> CalendarWeek { try #require(CalendarDay(day)).week }

    @Test(
        "is told on the Monday after it at eight on the wall",
        arguments: [
            ("UTC", "2026-11-18", "2026-11-23T08:00:00Z"), ("Pacific/Auckland", "2026-11-18", "2026-11-22T19:00:00Z"),
            ("America/New_York", "2026-11-22", "2026-11-23T13:00:00Z"),
            // Clocks were changed on the Sunday.
            ("Europe/Berlin", "2026-03-23", "2026-03-30T06:00:00Z"),
            ("Europe/Berlin", "2026-03-16", "2026-03-23T07:00:00Z"),
        ])
    func time(zone: String, day: String, time: String) throws {
        #expect(try WeekTelling.time(of: week(day), in: ScheduleTests.zone(zone)) == ScheduleTests.time(time))
    }

    @Test("and is the latest one from then until the next is told")
    func latest() throws {
        let zone = try ScheduleTests.zone("America/New_York")
        let eight = try ScheduleTests.time("2026-11-23T13:00:00Z")
        #expect(try WeekTelling.latest(at: eight, in: zone) == week("2026-11-16"))
        #expect(try WeekTelling.latest(at: eight - 1, in: zone) == week("2026-11-09"))
        #expect(try WeekTelling.latest(at: eight + 7 * 86_400_000 - 1, in: zone) == week("2026-11-16"))
        // It is Sunday there, and Monday in London.
        #expect(try WeekTelling.latest(at: eight - 9 * 3_600_000, in: zone) == week("2026-11-09"))
    }
}
