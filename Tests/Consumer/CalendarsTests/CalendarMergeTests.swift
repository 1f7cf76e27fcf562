import Fitness
import Schedules
import Telemetry
import TestSupport
import Testing

@testable import Calendars
@testable import Reminders

@Suite("Reminders and a calendar")
struct CalendarMergeTests {
    /// A reminder that is the same on both sides.
    private func inStep() throws -> (side: MadeUpSide, calendar: MadeUpCalendar, name: String) {
        var (side, calendar) = (MadeUpSide(), MadeUpCalendar())
        try side.add(.madeUp())
        #expect(try side.settle(&calendar) == 2)
        let name = try #require(calendar.names.first)
        side.now += 60_000
        return (side, calendar, name)
    }

    private func labels(_ side: MadeUpSide) -> [String] { side.reminders.map(\.label).sorted() }

    @Test("are the same afterwards: what was made, changed or deleted on one side is on both")
    func oneSide() throws {
        var (side, calendar, name) = try inStep()
        #expect(name == "\(side.reminders[0].id.text).ics")
        #expect(try calendar[name] == .madeUp())
        calendar.put("theirs.ics", try .madeUp("Swim"), at: side.now)
        try side.settle(&calendar)
        #expect(labels(side) == ["Run", "Swim"])
        // Changed here, and there.
        side.change("Run") { $0.schedule.minute = 420 }
        calendar.put("theirs.ics", try .madeUp("Swim far", alarm: nil), at: side.now)
        try side.settle(&calendar)
        #expect(calendar[name]?.schedule.minute == 420)
        let swim = try #require(side.reminders.first { $0.label == "Swim far" })
        #expect(!swim.isEnabled && swim.schedule.alarmMinutes == 15 && swim.revision == 2)
        // Deleted here, and there.
        side.change("Run", nil)
        calendar.delete("theirs.ics")
        try side.settle(&calendar)
        #expect(side.reminders.isEmpty && calendar.names.isEmpty && side.link.entries.isEmpty && side.news.isEmpty)
    }

    @Test("differ in nothing that nobody can see: an event that only its server has rewritten or renamed is no change")
    func rewritten() throws {
        var (side, calendar, name) = try inStep()
        let before = side.reminders
        calendar.rewrite(name)
        #expect(try side.settle(&calendar) == 1)
        calendar.rename(name, to: "moved.ics")
        #expect(try side.settle(&calendar) == 1)
        #expect(side.reminders == before && calendar.names == ["moved.ics"])
        side.change("Run") { $0.label = "Run far" }
        try side.settle(&calendar)
        #expect(calendar["moved.ics"]?.label == "Run far" && calendar.names == ["moved.ics"] && side.news.isEmpty)
    }

    @Test(
        "that were both changed are what the later change says, and the person is told",
        arguments: [(-2000, false), (0, true), (2000, true), (999_999_999, true)])
    func conflict(later: Int64, theirsWins: Bool) throws {
        var (side, calendar, name) = try inStep()
        side.now += 500
        side.change("Run") { $0.label = "Ours" }
        calendar.put(name, try .madeUp("Theirs"), at: side.now + later)
        try side.settle(&calendar)
        let winner = theirsWins ? "Theirs" : "Ours"
        #expect(labels(side) == [winner] && calendar[name]?.label == winner)
        #expect(side.news == [theirsWins ? .tookTheirs(label: "Theirs") : .keptOurs(label: "Ours")])
        // The same change on both sides is none.
        side.change(winner) { $0.label = "Both" }
        calendar.put(name, try .madeUp("Both"), at: side.now)
        #expect(try side.settle(&calendar) == 1)
        #expect(side.news.count == 1)
    }

    @Test("that were deleted on one side and changed on the other are there again, and the person is told")
    func changedAndDeleted() throws {
        var (side, calendar, name) = try inStep()
        side.change("Run") { $0.label = "Run far" }
        calendar.delete(name)
        try side.settle(&calendar)
        #expect(calendar.weekly.values.map(\.label) == ["Run far"] && side.news == [.putBack(label: "Run far")])
        let id = side.reminders[0].id
        side.change("Run far", nil)
        calendar.put(calendar.names[0], try .madeUp("Run slowly"), at: side.now)
        try side.settle(&calendar)
        #expect(labels(side) == ["Run slowly"] && calendar.names.count == 1)
        #expect(side.news.last == .broughtBack(label: "Run slowly") && side.reminders[0].id != id)
        side.change("Run slowly") { $0.label = "Run" }
        try side.settle(&calendar)
        #expect(calendar.weekly.values.map(\.label) == ["Run"])
    }

    @Test("leave alone what no reminder can be, also where it was one, until somebody changes it here")
    func estranged() throws {
        var (side, calendar, name) = try inStep()
        calendar.put("monthly.ics", nil, at: side.now)
        calendar.put(name, nil, at: side.now)
        try side.settle(&calendar)
        #expect(side.link.others.count == 1 && labels(side) == ["Run"] && side.news == [.estranged(label: "Run")])
        #expect(calendar.weekly.isEmpty)
        // It is said once.
        calendar.rewrite(name)
        try side.settle(&calendar)
        #expect(side.news.count == 1)
        // It is a reminder again.
        calendar.put(name, try .madeUp("Run again"), at: side.now)
        try side.settle(&calendar)
        #expect(labels(side) == ["Run again"])
        calendar.put(name, nil, at: side.now)
        try side.settle(&calendar)
        side.change("Run again") { $0.label = "Run weekly" }
        try side.settle(&calendar)
        #expect(calendar[name]?.label == "Run weekly")
        // What was deleted here stays there if it is something else now.
        calendar.put(name, nil, at: side.now)
        try side.settle(&calendar)
        side.change("Run weekly", nil)
        try side.settle(&calendar)
        #expect(calendar.names == [name, "monthly.ics"].sorted() && side.link.entries.isEmpty)
        #expect(side.link.others.count == 2)
    }

    @Test("have room for fifty: the others stay in the calendar, which is told once, and come when there is room")
    func full() throws {
        var (side, calendar) = (MadeUpSide(), MadeUpCalendar())
        for number in 10..<63 { calendar.put("\(number).ics", try .madeUp("Run \(number)"), at: side.now) }
        try side.settle(&calendar)
        try side.settle(&calendar)
        #expect(side.reminders.count == 50 && side.link.others.count == 3 && side.news == [.full])
        for label in ["Run 10", "Run 11"] { side.change(label, nil) }
        for _ in 0..<2 { try side.settle(&calendar) }
        #expect(side.reminders.count == 50 && side.link.others.count == 1 && calendar.names.count == 51)
        #expect(labels(side).contains("Run 61") && !labels(side).contains("Run 62"))
    }

    @Test("know each other again when a calendar is connected another time, and are not doubled")
    func again() throws {
        var (side, calendar, name) = try inStep()
        calendar.put("theirs.ics", try .madeUp("Swim"), at: side.now)
        try side.settle(&calendar)
        side.link = CalendarLink()
        side.change("Run") { $0.label = "Run far" }
        try side.settle(&calendar)
        #expect(labels(side) == ["Run far", "Swim"] && calendar.names == [name, "theirs.ics"].sorted())
        #expect(calendar[name]?.label == "Run far")
    }

    /// What becomes of a change that is sent while somebody changes the event there.
    enum Fate: CaseIterable {
        case found, refused, interrupted
    }

    @Test(
        "that somebody changes there while a change is sent are what the later change says, and the person is told",
        arguments: Fate.allCases, [-5000, 5000])
    func between(fate: Fate, later: Int64) throws {
        var (side, calendar, name) = try inStep()
        side.change("Run") { $0.label = "Ours" }
        let steps = try side.look(calendar.sight(side.link))
        calendar.put(name, try .madeUp("Theirs"), at: side.now + later)
        side.now += 10_000
        for step in steps where fate == .found || fate == .refused {
            let outcome = fate == .refused ? .refused : calendar.take(step)
            _ = try side.change { merge in
                try merge.take(outcome, of: step)
                return []
            }
        }
        try side.settle(&calendar)
        let winner = later > 0 ? "Theirs" : "Ours"
        #expect(labels(side) == [winner] && calendar[name]?.label == winner)
        #expect(side.news == [later > 0 ? .tookTheirs(label: "Theirs") : .keptOurs(label: "Ours")])
    }

    @Test("are sent no longer, once it is seen that nothing has arrived: what is there then is a change")
    func unarrived() throws {
        var (side, calendar, name) = try inStep()
        side.change("Run") { $0.label = "Sent" }
        _ = try side.look(calendar.sight(side.link))
        #expect(side.link.entries[0].sending != nil)
        // It is changed here once more, and there to just what was sent.
        side.now += 5000
        side.change("Sent") { $0.label = "Ours" }
        _ = try side.change { merge in
            try merge.take(calendar.sight(merge.link))
            return []
        }
        #expect(side.link.entries[0].sending == nil)
        calendar.put(name, try .madeUp("Sent"), at: side.now)
        try side.settle(&calendar)
        #expect(side.news == [.tookTheirs(label: "Sent")] && labels(side) == ["Sent"])
    }

    @Test("recognise what had arrived although nobody heard of it, and do not call it a conflict")
    func unheard() throws {
        var (side, calendar, name) = try inStep()
        side.change("Run") { $0.label = "Run far" }
        for step in try side.look(calendar.sight(side.link)) { _ = calendar.take(step) }
        #expect(calendar[name]?.label == "Run far")
        // It is changed here once more before anybody looks.
        side.now += 5000
        side.change("Run far") { $0.label = "Run slowly" }
        try side.settle(&calendar)
        #expect(calendar[name]?.label == "Run slowly" && side.news.isEmpty)
        // A new one, which is deleted here before anybody looks, or there.
        for isHere in [true, false] {
            try side.add(.madeUp("New"))
            for step in try side.look(calendar.sight(side.link)) { _ = calendar.take(step) }
            #expect(calendar.names.count == 2)
            if isHere {
                side.change("New", nil)
            } else {
                calendar.delete(try #require(calendar.weekly.first { $0.value.label == "New" }).key)
            }
            try side.settle(&calendar)
            #expect(labels(side) == ["Run slowly"] && calendar.names == [name] && side.news.isEmpty, "\(isHere)")
        }
    }

    @Test("keep the first day of a reminder and its alarm, as far as they make no difference in a calendar")
    func details() throws {
        var (side, calendar) = (MadeUpSide(), MadeUpCalendar())
        // A Tuesday.
        let schedule = WeeklySchedule(
            firstDay: CalendarDay(daysSince1970: 20_003), minute: 60, weekdays: [7], alarmMinutes: 5)
        side.reminders.append(
            Reminder(id: try side.draw(), label: " Yoga ", schedule: schedule, isEnabled: false, changed: side.now))
        try side.settle(&calendar)
        let event = try #require(calendar.weekly.first)
        #expect(event.value.schedule.firstDay.weekday == 7 && event.value.schedule.alarmMinutes == nil)
        #expect(event.value.label == "Yoga")
        calendar.put(event.key, try .init(title: "Yoga", event.value.schedule.at(minute: 90)), at: side.now)
        try side.settle(&calendar)
        let moved = side.reminders[0]
        #expect(moved.schedule.minute == 90 && moved.schedule.firstDay == schedule.firstDay && moved.label == " Yoga ")
        #expect(moved.schedule.alarmMinutes == 5 && !moved.isEnabled)
        var told = event.value.schedule.at(minute: 90)
        told.alarmMinutes = 30
        calendar.put(event.key, try .init(title: "Yoga", told), at: side.now)
        try side.settle(&calendar)
        #expect(side.reminders[0].isEnabled && side.reminders[0].schedule.alarmMinutes == 30)
    }

    @Test(
        "take from a calendar what a reminder may be, and nothing else",
        arguments: [
            ("", 15, "it has no title"), (" \u{2003}", 15, "it has no title"), ("two\nlines", 15, "its title"),
            (String(repeating: "a", count: 65), 15, "its title"), ("Run", 10_081, "its alarm"),
            ("Run", -1, "its alarm"),
        ])
    func refused(title: String, alarm: Int, words: String) throws {
        let schedule = WeeklySchedule(
            firstDay: CalendarDay(daysSince1970: 20_000), minute: 60, weekdays: [7], alarmMinutes: alarm)
        let error = thrown(NoReminder.self) { try Appointment(title: title, schedule) }
        #expect(error?.words.hasPrefix(words) == true)
        for days in [[], [8]] as [Set<Int>] {
            var wrong = schedule
            (wrong.weekdays, wrong.alarmMinutes) = (days, nil)
            #expect(throws: NoReminder.otherDays) { _ = try Appointment(title: "Run", wrong) }
        }
    }

    @Test("have room in one document each, whatever a server makes up")
    func size() throws {
        // Nothing takes more room as JSON than quotation marks.
        let label = String(repeating: "\"", count: 63) + "e" + String(repeating: "\u{301}", count: 96)
        let appointment = try Appointment.madeUp(label, weekdays: [1, 2, 3, 4, 5, 6, 7], alarm: 10_080)
        #expect(appointment.label.utf8.count == 256)
        let name = String(repeating: "n", count: CalendarLink.longest.name - 3)
        let etag = "\"\(String(repeating: "e", count: CalendarLink.longest.etag - 2))\""
        #expect(CalendarLink.isPlain("100\(name)", atMost: CalendarLink.longest.name) && CalendarLink.isETag(etag))
        for wrong in [
            "\"\(etag)\"", "", "\"", "\"\"", "e", "\"e", "\"e\"e\"", "\"\\\"", "\"\n\"", "W/e",
            "\"\(etag.dropFirst(2))e\"",
        ] {
            #expect(!CalendarLink.isETag(wrong), "\(wrong)")
        }
        var link = CalendarLink()
        for number in 100..<150 {
            let id = try ID("\(String(repeating: "i", count: 33))\(number)")
            link.entries.append(
                CalendarLink.Entry(
                    reminder: id, uid: String(repeating: "u", count: CalendarLink.longest.uid),
                    name: "\(number)\(name)",
                    etag: etag, base: appointment, sending: appointment))
        }
        for number in 100..<100 + CalendarLink.mostOthers {
            let reason = NoReminder(String(repeating: "w", count: 99))
            link.others["\(number)\(name)"] = CalendarLink.Other(etag: etag, reason: reason)
        }
        let kept = link.json
        #expect(CalendarLink(entries: kept.entries, others: kept.others, token: nil) == link)
        // The account, which is kept with the others, has some kilobytes of its own.
        for (json, rest) in [(kept.entries, 64), (kept.others, 12 * 1024)] {
            #expect(json.bytes.count < JSON.maximumLength - rest, "\(json.bytes.count)")
        }
    }
}

extension WeeklySchedule {
    fileprivate func at(minute: Int) -> WeeklySchedule {
        var other = self
        other.minute = minute
        return other
    }
}
