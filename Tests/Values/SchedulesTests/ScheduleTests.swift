import Fitness
import Foundation
import Schedules
import Testing

@Suite("A schedule")
struct ScheduleTests {
    static func zone(_ name: String) throws -> ZoneRules {
        try #require(ZoneRules(Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)")))))
    }

    /// Unix milliseconds.
    static func time(_ text: String) throws -> Int64 { try #require(unixMilliseconds(iso8601: text)) }

    static func schedule(
        _ day: String, _ time: String, _ weekdays: Set<Int>, alarm: Int? = 0
    ) throws -> WeeklySchedule {
        WeeklySchedule(
            firstDay: try #require(CalendarDay(day)), minute: try #require(WeeklySchedule.minute(time)),
            weekdays: weekdays, alarmMinutes: alarm)
    }

    /// The alarms from a moment on.
    private static func alarms(
        _ schedule: WeeklySchedule, _ zone: String, from moment: String, count: Int
    ) throws -> [String] {
        let rules = try Self.zone(zone)
        var (alarms, last): ([String], CalendarDay?) = ([], nil)
        while alarms.count < count, let next = schedule.next(after: last, from: try time(moment), in: rules) {
            alarms.append(iso8601(unixSeconds: next.alarm / 1000))
            last = next.day
        }
        return alarms
    }

    @Test("comes on its weekdays from the first day on, at the same time of the wall, also when clocks are changed")
    func daylightSaving() throws {
        // Saturday and Sunday, around the last Sunday of March.
        let weekend = try Self.schedule("2026-03-22", "02:30", [6, 7])
        #expect(
            try Self.alarms(weekend, "Europe/Berlin", from: "2026-03-01T00:00:00Z", count: 5) == [
                "2026-03-22T01:30:00Z", "2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-04-04T00:30:00Z",
                "2026-04-05T00:30:00Z",
            ])
        let daily = try Self.schedule("2026-10-24", "02:30", Set(1...7), alarm: 15)
        #expect(
            try Self.alarms(daily, "Europe/Berlin", from: "2026-10-24T00:15:00.001Z", count: 3) == [
                "2026-10-25T00:15:00Z", "2026-10-26T01:15:00Z", "2026-10-27T01:15:00Z",
            ])
    }

    @Test("has alarms that come days before, on whichever weekday and from whichever moment it is looked at")
    func lead() throws {
        let week = try Self.schedule("2026-01-01", "00:10", [3], alarm: 10_080)
        #expect(
            try Self.alarms(week, "Asia/Kolkata", from: "2026-01-01T00:00:00Z", count: 2) == [
                "2026-01-06T18:40:00Z", "2026-01-13T18:40:00Z",
            ])
        for weekday in 1...7 {
            let schedule = try Self.schedule("2026-01-01", "12:00", [weekday], alarm: 1440)
            let rules = try Self.zone("America/New_York")
            for hour in 0..<(24 * 21) {
                let moment = try Self.time("2026-03-01T00:00:00Z") + Int64(hour) * 3_600_000
                let next = try #require(schedule.next(from: moment, in: rules))
                #expect(next.alarm >= moment && next.alarm < moment + 7 * 86_400_000 + 7_200_000)
                #expect(next.day.weekday == weekday)
            }
        }
    }

    @Test("has no alarm if none is wanted, and times as people write them")
    func texts() throws {
        let silent = try Self.schedule("2026-03-22", "02:30", [6, 7], alarm: nil)
        #expect(silent.next(from: 0, in: try Self.zone("UTC")) == nil)
        #expect(silent.time == "02:30" && WeeklySchedule.minute("23:59") == 1439)
        for wrong in ["24:00", "1:30", "01:60", "01.30", "", "01:30:00", "+1:30", "0\u{661}:30"] {
            #expect(WeeklySchedule.minute(wrong) == nil, "\(wrong)")
        }
    }
}

@Suite("Which alarms were told")
struct AlarmProgressTests {
    private static let berlin = Result { try ScheduleTests.zone("Europe/Berlin") }
    private static let newYork = Result { try ScheduleTests.zone("America/New_York") }

    /// Every day at half past seven, since before Monday, November 23, in 2026.
    private static func daily() throws -> (schedule: WeeklySchedule, progress: AlarmProgress) {
        let begin = try ScheduleTests.time("2026-11-22T12:00:00Z")
        return (try ScheduleTests.schedule("2026-11-01", "07:30", Set(1...7)), AlarmProgress(begin: begin))
    }

    /// Tells what is due.
    private static func tell(
        _ progress: inout AlarmProgress, _ schedule: WeeklySchedule, at now: String, in zone: ZoneRules
    ) throws -> String? {
        let now = try ScheduleTests.time(now)
        guard let due = progress.next(schedule, now: now, in: zone), due.alarm <= now else { return nil }
        progress.told = due
        return iso8601(unixSeconds: due.alarm / 1000)
    }

    @Test("each is told once, up to an hour late, and nothing of before the beginning")
    func late() throws {
        let zone = try Self.berlin.get()
        var (schedule, progress) = try Self.daily()
        #expect(try Self.tell(&progress, schedule, at: "2026-11-22T12:10:00Z", in: zone) == nil)
        #expect(try Self.tell(&progress, schedule, at: "2026-11-23T06:29:59.999Z", in: zone) == nil)
        #expect(try Self.tell(&progress, schedule, at: "2026-11-23T07:30:00Z", in: zone) == "2026-11-23T06:30:00Z")
        #expect(try Self.tell(&progress, schedule, at: "2026-11-23T07:30:00Z", in: zone) == nil)
        #expect(try Self.tell(&progress, schedule, at: "2026-11-24T07:30:00.001Z", in: zone) == nil)
        schedule.minute += 30
        progress = AlarmProgress(begin: try ScheduleTests.time("2026-11-25T07:00:00.001Z"))
        #expect(try Self.tell(&progress, schedule, at: "2026-11-25T07:00:01Z", in: zone) == nil)
        #expect(try Self.tell(&progress, schedule, at: "2026-11-26T07:00:00Z", in: zone) == "2026-11-26T07:00:00Z")
    }

    @Test("a person who travels is told once a day: not again in the west, and late where the east was skipped")
    func travelling() throws {
        let (berlin, newYork) = (try Self.berlin.get(), try Self.newYork.get())
        var (schedule, progress) = try Self.daily()
        #expect(try Self.tell(&progress, schedule, at: "2026-11-23T06:30:00Z", in: berlin) == "2026-11-23T06:30:00Z")
        // Half past seven of the same day comes again in New York.
        #expect(try Self.tell(&progress, schedule, at: "2026-11-23T12:30:00Z", in: newYork) == nil)
        #expect(try Self.tell(&progress, schedule, at: "2026-11-24T12:30:00Z", in: newYork) == "2026-11-24T12:30:00Z")
        // At home it was half past seven half an hour ago.
        #expect(try Self.tell(&progress, schedule, at: "2026-11-25T07:00:00Z", in: berlin) == "2026-11-25T06:30:00Z")
        #expect(try Self.tell(&progress, schedule, at: "2026-11-26T07:30:00.001Z", in: berlin) == nil)
    }

    @Test("a clock that was ahead does not silence what comes after it was put back")
    func clockAhead() throws {
        let zone = try Self.berlin.get()
        var (schedule, progress) = try Self.daily()
        #expect(try Self.tell(&progress, schedule, at: "2031-01-01T06:30:00Z", in: zone) != nil)
        #expect(try Self.tell(&progress, schedule, at: "2026-11-24T06:30:00Z", in: zone) == "2026-11-24T06:30:00Z")
        progress = AlarmProgress(begin: try ScheduleTests.time("2031-01-01T00:00:00Z"))
        #expect(try Self.tell(&progress, schedule, at: "2026-11-25T06:30:00Z", in: zone) == "2026-11-25T06:30:00Z")
        // Two days ahead, two hours ahead, and so little that it is the same moment.
        for (wrong, isAgain) in [
            ("2026-11-28T06:30:00Z", true), ("2026-11-26T08:29:00Z", true), ("2026-11-26T06:30:30Z", false),
        ] {
            let local = try ScheduleTests.time(wrong)
            progress.told = WeeklySchedule.Occurrence(day: zone.day(at: local), alarm: local)
            let again = try Self.tell(&progress, schedule, at: "2026-11-26T06:30:00Z", in: zone)
            #expect((again == "2026-11-26T06:30:00Z") == isAgain, "\(wrong) \(again ?? "-")")
        }
        schedule.alarmMinutes = 10_080
        progress.told = WeeklySchedule.Occurrence(
            day: try #require(CalendarDay("2026-12-03")), alarm: try ScheduleTests.time("2026-11-26T06:30:00Z"))
        #expect(try Self.tell(&progress, schedule, at: "2026-11-26T06:30:00Z", in: zone) == nil)
    }
}
