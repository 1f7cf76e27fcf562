import Testing

@testable import Fitness

@Suite("The calendar")
struct CalendarTests {
    static func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

    @Test("spells days, and refuses what is none")
    func spelling() {
        for text in ["0001-01-01", "1992-02-29", "2000-02-29", "2026-11-21", "9999-12-31"] {
            #expect(CalendarDay(text)?.description == text)
        }
        for text in [
            "", "2026-11-1", "2026-13-01", "2026-00-01", "2026-11-31", "2026-11-00", "1900-02-29", "2026-02-29",
            "0000-01-01", "2026/11/21", "2026-11-21 ", "+026-11-21", "２026-11-21",
        ] {
            #expect(CalendarDay(text) == nil, "\(text)")
        }
        #expect(CalendarDay(year: 2024, month: 2, day: 29)?.description == "2024-02-29")
        #expect(CalendarDay(year: 2023, month: 2, day: 29) == nil && CalendarDay(year: 0, month: 1, day: 1) == nil)
        #expect(CalendarMonth("2026-11")?.description == "2026-11" && CalendarMonth("2026-13") == nil)
        #expect(CalendarMonth("2026-1") == nil && CalendarMonth(year: 10_000, month: 1) == nil)
    }

    @Test("counts on over the ends of months, years and leap years")
    func counting() throws {
        for (from, days, to) in [
            ("2026-11-30", 1, "2026-12-01"), ("2026-12-31", 1, "2027-01-01"), ("2024-02-28", 1, "2024-02-29"),
            ("2023-02-28", 1, "2023-03-01"), ("1900-02-28", 1, "1900-03-01"), ("2000-02-28", 1, "2000-02-29"),
            ("2026-03-01", -1, "2026-02-28"), ("1970-01-01", -1, "1969-12-31"), ("2026-11-21", 365, "2027-11-21"),
            ("2026-11-21", -100_000, "1753-02-05"),
        ] {
            #expect(try Self.day(from).advanced(by: days) == Self.day(to))
            #expect(try Self.day(from).distance(to: Self.day(to)) == days)
        }
        #expect(CalendarDay.days(ofYear: 2024).count == 366 && CalendarDay.days(ofYear: 2026).count == 365)
        let first = try Self.day("1999-12-25")
        for day in first...first.advanced(by: 800) {
            #expect(CalendarDay(daysSince1970: day.daysSince1970) == day)
            #expect(CalendarDay(day.description) == day)
        }
    }

    /// From the examples of ISO 8601, and of years of 53 weeks.
    @Test(
        "numbers weeks by their Thursdays",
        arguments: [
            ("2026-11-21", 6, "2026-W47", "2026-11-16"), ("2005-01-01", 6, "2004-W53", "2004-12-27"),
            ("2005-01-02", 7, "2004-W53", "2004-12-27"), ("2005-12-31", 6, "2005-W52", "2005-12-26"),
            ("2006-01-02", 1, "2006-W01", "2006-01-02"), ("2007-12-31", 1, "2008-W01", "2007-12-31"),
            ("2008-12-28", 7, "2008-W52", "2008-12-22"), ("2008-12-29", 1, "2009-W01", "2008-12-29"),
            ("2009-12-31", 4, "2009-W53", "2009-12-28"), ("2010-01-03", 7, "2009-W53", "2009-12-28"),
            ("2020-12-31", 4, "2020-W53", "2020-12-28"), ("2026-12-31", 4, "2026-W53", "2026-12-28"),
            ("2027-01-03", 7, "2026-W53", "2026-12-28"), ("1969-12-31", 3, "1970-W01", "1969-12-29"),
        ])
    func weeks(text: String, weekday: Int, week: String, monday: String) throws {
        let day = try Self.day(text)
        #expect(day.weekday == weekday && day.week.description == week)
        #expect(try day.week.monday == Self.day(monday))
        #expect(day.week.days.contains(day) && day.week.days.count == 7)
        #expect(day.week < CalendarWeek(of: day.advanced(by: 7)))
    }

    @Test("has months of the right lengths, in their order")
    func months() throws {
        let lengths = CalendarMonth.months(ofYear: 2024).map { $0.days.count }
        #expect(lengths == [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
        let month = try Self.day("2026-11-21").calendarMonth
        #expect(month.description == "2026-11" && month.advanced(by: 2).description == "2027-01")
        #expect(month.advanced(by: -11).description == "2025-12")
        #expect(try month.distance(to: #require(CalendarMonth("2028-01"))) == 14)
        #expect(try month.days == Self.day("2026-11-01")...Self.day("2026-11-30"))
    }

    @Test("keeps what was in force: the first entry holds before it, too")
    func history() throws {
        var history = try DayHistory(70, from: Self.day("2026-06-01"))
        try history.set(72, from: Self.day("2026-08-01"))
        try history.set(71, from: Self.day("2026-07-01"))
        try history.set(69, from: Self.day("2026-07-01"))
        let values = try [
            "2020-01-01", "2026-06-01", "2026-06-30", "2026-07-01", "2026-07-31", "2026-08-01", "2030-01-01",
        ]
        .map { try history.value(on: Self.day($0)) }
        #expect(values == [70, 70, 70, 69, 69, 72, 72])
        #expect(DayHistory(history.entries.reversed()) == history && DayHistory<Int>([]) == nil)
    }

    @Test("takes a value from now on, whatever was to hold later")
    func fromNowOn() throws {
        var history = try DayHistory(70, from: Self.day("2026-06-01"))
        // On the days up to today alone: what held before holds from tomorrow on.
        try history.set(72, on: Self.day("2026-06-10")...Self.day("2026-07-01"))
        try history.set(71, fromNowOn: Self.day("2026-07-01"))
        let values = try ["2026-06-09", "2026-06-30", "2026-07-01", "2026-07-02", "2030-01-01"].map { try history.value(on: Self.day($0)) }
        #expect(values == [70, 72, 71, 71, 71])
        let before = history
        try history.set(71, fromNowOn: Self.day("2026-07-05"))
        #expect(history == before)
        // Before everything that was known.
        try history.set(69, fromNowOn: Self.day("2026-01-01"))
        #expect(try history.value(on: Self.day("2026-07-01")) == 69)
    }

    @Test(
        "takes a value for some days, and leaves all others as they were",
        arguments: [
            ("2026-06-15", "2026-06-20"), ("2026-05-01", "2026-05-10"), ("2026-06-01", "2026-07-31"),
            ("2026-06-30", "2026-07-01"), ("2026-08-01", "2026-08-01"), ("2026-01-01", "2027-01-01"),
        ])
    func some(first: String, last: String) throws {
        var history = try DayHistory(70, from: Self.day("2026-06-01"))
        try history.set(69, from: Self.day("2026-07-01"))
        try history.set(72, from: Self.day("2026-08-01"))
        let before = history
        let days = try Self.day(first)...Self.day(last)
        history.set(80, on: days)
        for number in try Self.day("2025-12-01").daysSince1970...Self.day("2027-02-01").daysSince1970 {
            let day = CalendarDay(daysSince1970: number)
            #expect(history.value(on: day) == (days.contains(day) ? 80 : before.value(on: day)), "\(day)")
        }
    }
}
