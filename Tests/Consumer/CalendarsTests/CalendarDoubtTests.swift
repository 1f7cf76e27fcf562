import Telemetry
import Testing

@testable import Calendars
@testable import Reminders

@Suite("A calendar that cannot be believed, or does not take what it is given")
struct CalendarDoubtTests {
    /// Reminders that are the same on both sides, by the names of their events.
    private func inStep(_ count: Int) throws -> (side: MadeUpSide, calendar: MadeUpCalendar) {
        var (side, calendar) = (MadeUpSide(), MadeUpCalendar())
        for number in 0..<count { try side.add(.madeUp("Run \(number)")) }
        try side.settle(&calendar)
        side.now += 60_000
        return (side, calendar)
    }

    private func isSuspicious(_ side: MadeUpSide, _ sight: CalendarSight) throws -> Bool {
        let id = try ID("new")
        let merge = CalendarMerge(side.reminders, side.link, now: side.now) { id }
        return merge.isSuspicious(sight)
    }

    @Test(
        "is suspected where more is missing than people delete at a time",
        arguments: [
            (6, 3, false, false), (6, 4, false, true), (9, 4, false, false), (1, 1, false, false), (1, 1, true, true),
            (2, 1, true, false), (2, 2, true, true), (0, 0, true, false),
        ])
    func missing(count: Int, deleted: Int, isWhole: Bool, isSuspected: Bool) throws {
        var (side, calendar) = try inStep(count)
        for name in calendar.names.prefix(deleted) { calendar.delete(name) }
        #expect(try isSuspicious(side, calendar.sight(side.link, forgetful: isWhole)) == isSuspected)
        // What has moved is not missing.
        guard count > 1 else { return }
        (side, calendar) = try inStep(count)
        for name in calendar.names { calendar.rename(name, to: "moved-\(name)") }
        #expect(try !isSuspicious(side, calendar.sight(side.link, forgetful: isWhole)))
    }

    @Test("is believed when it says so again, and the person is told how many reminders that were")
    func believed() throws {
        var (side, calendar) = try inStep(4)
        for name in calendar.names { calendar.delete(name) }
        try side.settle(&calendar)
        #expect(side.reminders.isEmpty && side.news == [.emptied(count: 4)])
    }

    @Test("keeps what it does not let be deleted, which is none of ours any more, and takes no room for ever")
    func undeletable() throws {
        var (side, calendar) = try inStep(1)
        let name = try #require(calendar.names.first)
        side.change("Run 0", nil)
        let steps = try side.look(calendar.sight(side.link))
        #expect(steps.map(\.isDeletion) == [true])
        _ = try side.change { merge in
            for step in steps { try merge.take(.refused, of: step) }
            return []
        }
        #expect(side.link.entries.isEmpty && side.link.others.keys.sorted() == [name])
        #expect(try side.look(calendar.sight(side.link)).isEmpty && side.reminders.isEmpty)
        // Of the same name, there may be something new.
        try side.add(.madeUp("Swim"))
        #expect(side.link.hasRoom)
    }

    @Test("says once that an event is no reminder any more, whatever else it becomes")
    func estrangedOnce() throws {
        var (side, calendar) = try inStep(1)
        let name = try #require(calendar.names.first)
        for number in 0..<3 {
            let finding = Finding(
                etag: "\"x\(number)\"", content: .other(NoReminder("it repeats every \(number) weeks")))
            let sight = CalendarSight(token: "\(number)", listed: [name: finding.etag], read: [name: finding])
            _ = try side.look(sight)
        }
        #expect(side.news == [.estranged(label: "Run 0")])
    }

    @Test("has a name for each event: that of another reminder's is not taken again")
    func names() throws {
        var (side, calendar) = try inStep(0)
        try side.add(.madeUp("Ours"))
        let name = "\(side.reminders[0].id.text).ics"
        let ours = side.reminders
        side.reminders = []
        calendar.put(name, try .madeUp("Theirs"), at: side.now)
        try side.settle(&calendar)
        side.reminders += ours
        try side.settle(&calendar)
        #expect(calendar.weekly.values.map(\.label).sorted() == ["Ours", "Theirs"])
        #expect(Set(side.link.entries.map(\.name)).count == 2)
    }

    @Test("changes so many reminders in a day, and tells of so many")
    func tally() {
        let day: Int64 = 86_400_000
        var tally = CalendarTally()
        #expect(tally.takes(changes: 150, now: day) && tally.takes(changes: 50, now: day + 1))
        #expect(!tally.takes(changes: 1, now: 2 * day - 1) && tally.takes(changes: 200, now: 2 * day))
        #expect(!CalendarTally().taking(201))
        let told = [3, 9, 4, 1].map { tally.take(news: $0, now: 2 * day) }
        #expect(told.map(\.shown) == [3, 5, 2, 0] && told.map(\.saysMore) == [false, true, true, false])
        #expect(tally.take(news: 1, now: 3 * day) == (1, false))
    }
}

extension CalendarTally {
    fileprivate func taking(_ count: Int) -> Bool {
        var tally = self
        return tally.takes(changes: count, now: 0)
    }
}
