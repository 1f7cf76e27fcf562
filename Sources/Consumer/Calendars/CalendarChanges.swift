import Daemon
import Features
import Files
import Records
import Reminders
import Telemetry

// What a look changes here: the reminders, what is remembered of the calendar, and what the person is told, in one transaction.

extension Calendars {
    enum Change {
        case changed(CalendarRecord, [CalendarStep])
        /// Nothing was changed.
        case failed(CalendarProblem)
        /// The calendar is not the one that was looked at.
        case superseded
    }

    /// Changes a person's reminders and what is remembered of their calendar.
    /// - Parameters:
    ///   - refused: how many reminders the server did not take, if that is known.
    ///   - body: returns what has to be written there; nil if what was found is not believed yet.
    func change(
        _ user: ID, _ id: ID, refused: Int? = nil, _ body: (inout CalendarMerge) throws(VaultError) -> [CalendarStep]?
    ) throws(VaultError) -> Change {
        let now = context.now()
        // What is due in this second is told before it is changed.
        reminders.lookNow(at: user, now: now)
        var isChanged = false
        let change = try context.store.change(user) { () throws(VaultError) -> Change in
            guard var record = try current(user, id) else { return .superseded }
            let (kept, before) = (record.link, try reminderList.read(user))
            var merge = CalendarMerge(before, kept, now: now) { () throws(VaultError) in try drawnID() }
            guard let steps = try body(&merge) else { return .failed(.emptied) }
            guard merge.link.others.count <= CalendarLink.mostOthers, merge.link.hasRoom else {
                return .failed(.tooMany)
            }
            if merge.reminders != before {
                let count = Self.differences(before, merge.reminders)
                guard tallies[user, default: CalendarTally()].takes(changes: count, now: now) else {
                    return .failed(.tooOften)
                }
                isChanged = true
                try reminderList.write(merge.reminders, of: user)
            }
            record.link = merge.link
            let isToldNow = try tell(user, ofRefused: refused ?? (steps.isEmpty ? 0 : nil), &record)
            if merge.link != kept || isToldNow { try record.keep(context.documents, of: user) }
            try tell(user, merge.news)
            return .changed(record, steps)
        }
        if isChanged {
            isTakingOver = true
            reminders.lookAgain(at: user)
            isTakingOver = false
        }
        return change
    }

    /// How many reminders are not on both lists, or not the same.
    private static func differences(_ before: [Reminder], _ after: [Reminder]) -> Int {
        let (before, after) = (Set(before), Set(after))
        return Set(before.symmetricDifference(after).map(\.id)).count
    }

    /// What is kept of a person's calendar, if it is still the one with that id.
    func current(_ user: ID, _ id: ID) throws(VaultError) -> CalendarRecord? {
        guard !context.doors.isBeingForgotten(user), let record = try CalendarRecord(context.documents, of: user),
            record.id == id, record.stop == nil
        else { return nil }
        return record
    }

    // MARK: What is told

    private func tell(_ user: ID, _ news: [CalendarNews]) throws(VaultError) {
        guard !news.isEmpty else { return }
        let language = try context.notifications.language(of: user)
        let (shown, saysMore) = tallies[user, default: CalendarTally()].take(news: news.count, now: context.now())
        for one in news.prefix(shown) { try tell(user, one.text(language, most: ReminderList.most)) }
        if saysMore { try tell(user, language(.calendarMore, ["count": "\(news.count - shown)"])) }
    }

    /// A person is told once that something is refused, until nothing is.
    /// - Returns: whether the record has changed.
    private func tell(_ user: ID, ofRefused count: Int?, _ record: inout CalendarRecord) throws(VaultError) -> Bool {
        guard let count, (count > 0) != record.isRefusalTold else { return false }
        record.isRefusalTold = count > 0
        if count > 0 {
            try tell(user, context.notifications.language(of: user)(.calendarRefused, ["count": "\(count)"]))
        }
        return true
    }

    func tell(_ user: ID, _ text: String) throws(VaultError) {
        try context.notifications.add(Notification(kind: .calendar, time: context.now(), text: text), to: user)
    }
}
