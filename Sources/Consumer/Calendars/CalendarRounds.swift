import Daemon
import Features
import Files
import Records
import Reminders
import Telemetry

// One look at a person's calendar. What the server has said is taken over on the session's thread, in one transaction with what will
// be written there; it is written on the courier's; and what became of it is taken over again. See `CalendarMerge`.

/// A look, over all its rounds.
struct CalendarLook: Sendable {
    let user: ID
    let settings: CalendarSettings
    /// When it is over, in milliseconds since boot: one slow server may not keep all other calendars waiting.
    let end: UInt64
    /// From 1.
    var round = 1

    var left: Duration { .milliseconds(Int64(end) - Int64(millisecondsSinceBoot())) }

    var next: CalendarLook {
        var next = self
        next.round += 1
        return next
    }
}

extension Calendars {
    /// How often one look writes: what others change meanwhile is read and written again.
    private static let mostRounds = 4
    /// Of how many changes a person is told one by one.
    private static let mostNews = 5

    func look(_ look: CalendarLook) {
        let user = look.user
        attempt(user) { () throws(VaultError) in
            guard let record = try CalendarRecord(context.documents, of: user) else { return stopped(user, nil) }
            guard record.stop == nil else { return stopped(user, states[user]?.problem) }
            let (account, calendar, link) = (record.account, record.calendar, record.link)
            courier.talk(in: .turns) { () throws(CalendarProblem) in
                try CalendarTalk(account, look.settings, within: look.left)
            } _: { talk throws(CalendarProblem) in
                try talk.look(calendar, link)
            } completion: { [weak self, loop = context.session.loop] result in
                loop.perform { [weak self] in
                    guard let self else { return }
                    attempt(user) { () throws(VaultError) in
                        try looked(look, record.id, result)
                    }
                }
            }
        }
    }

    private func looked(
        _ look: CalendarLook, _ id: ID, _ result: Result<CalendarSight, CalendarProblem>
    ) throws(VaultError) {
        let user = look.user
        let sight: CalendarSight
        switch result {
        case .success(let found): sight = found
        case .failure(let problem): return try failed(user, id, problem)
        }
        guard
            let (record, steps) = try change(
                user, id,
                { (merge) throws(VaultError) in
                    try merge.take(sight)
                    return merge.steps()
                })
        else { return superseded(user) }
        guard record.link.others.count <= CalendarLink.mostOthers else { return ended(user, .tooMany) }
        guard !steps.isEmpty else {
            // What found no room here before may find some now.
            guard record.link.token != nil || sight.token == nil || look.round >= Self.mostRounds else {
                return self.look(look.next)
            }
            return ended(user, nil)
        }
        write(steps, record, look)
    }

    private func write(_ steps: [CalendarStep], _ record: CalendarRecord, _ look: CalendarLook) {
        let (account, calendar) = (record.account, record.calendar)
        courier.talk(in: .turns) { () throws(CalendarProblem) in
            try CalendarTalk(account, look.settings, within: look.left)
        } _: { talk in
            var written = Written()
            for step in steps {
                do throws(CalendarProblem) {
                    written.outcomes.append((step, try talk.take(step, calendar)))
                } catch {
                    written.problem = error
                    break
                }
            }
            return written
        } completion: { [weak self, loop = context.session.loop] result in
            loop.perform { [weak self] in
                guard let self else { return }
                attempt(look.user) { () throws(VaultError) in try wrote(look, record.id, result) }
            }
        }
    }

    /// What was written, as far as that came.
    private struct Written: Sendable {
        var outcomes: [(step: CalendarStep, outcome: CalendarOutcome)] = []
        var problem: CalendarProblem?
    }

    private func wrote(
        _ look: CalendarLook, _ id: ID, _ result: Result<Written, CalendarProblem>
    ) throws(VaultError) {
        let user = look.user
        let written: Written
        switch result {
        case .success(let found): written = found
        case .failure(let problem): return try failed(user, id, problem)
        }
        let changed = try change(user, id) { (merge) throws(VaultError) in
            for (step, outcome) in written.outcomes { try merge.take(outcome, of: step) }
            // What is still to be written is found again by the next look.
            var next = merge
            return next.steps()
        }
        guard let (_, left) = changed else { return superseded(user) }
        if let problem = written.problem { return try failed(user, id, problem) }
        let refused = written.outcomes.filter { $0.outcome == .refused }.map(\.step.name)
        let isSettled = left.allSatisfy { refused.contains($0.name) }
        guard !isSettled, look.round < Self.mostRounds else {
            return ended(user, isSettled ? nil : .conflict, refused: refused.count)
        }
        self.look(look.next)
    }

    // MARK: What is kept

    /// Changes a person's reminders and what is remembered of their calendar, in one transaction, and tells them.
    /// - Returns: nil if the calendar is not the one that was looked at.
    private func change(
        _ user: ID, _ id: ID, _ body: (inout CalendarMerge) throws(VaultError) -> [CalendarStep]
    ) throws(VaultError) -> (record: CalendarRecord, steps: [CalendarStep])? {
        var isChanged = false
        let changed = try context.store.change(user) {
            () throws(VaultError) -> (record: CalendarRecord, steps: [CalendarStep])? in
            guard var record = try current(user, id) else { return nil }
            let before = try reminderList.read(user)
            var merge = CalendarMerge(before, record.link, now: context.now()) { () throws(VaultError) in try drawnID()
            }
            let steps = try body(&merge)
            // More than is remembered: nothing is taken over.
            guard merge.link.others.count <= CalendarLink.mostOthers else {
                record.link.others = merge.link.others
                return (record, [])
            }
            if merge.reminders != before {
                isChanged = true
                try reminderList.write(merge.reminders, of: user)
            }
            if merge.link != record.link {
                record.link = merge.link
                try record.keep(context.documents, of: user)
            }
            try tell(user, merge.news)
            return (record, steps)
        }
        if isChanged { reminders.lookAgain(at: user) }
        return changed
    }

    /// What is kept of a person's calendar, if it is still the one with that id.
    private func current(_ user: ID, _ id: ID) throws(VaultError) -> CalendarRecord? {
        guard !context.doors.isBeingForgotten(user), let record = try CalendarRecord(context.documents, of: user),
            record.id == id, record.stop == nil
        else { return nil }
        return record
    }

    private func tell(_ user: ID, _ news: [CalendarNews]) throws(VaultError) {
        let language = try context.notifications.language(of: user)
        let left = news.count - Self.mostNews
        for one in news.prefix(Self.mostNews) { try tell(user, one.text(language, most: ReminderList.most)) }
        if left > 0 { try tell(user, language(.calendarMore, ["count": "\(left)"])) }
    }

    private func tell(_ user: ID, _ text: String) throws(VaultError) {
        try context.notifications.add(Notification(kind: .calendar, time: context.now(), text: text), to: user)
    }

    // MARK: What fails

    /// A look has failed.
    private func failed(_ user: ID, _ id: ID, _ problem: CalendarProblem) throws(VaultError) {
        guard problem.isFinal, states[user]?.problem == problem else { return ended(user, problem) }
        let isStopped = try context.store.change(user) { () throws(VaultError) -> Bool in
            guard var record = try current(user, id) else { return false }
            let language = try context.notifications.language(of: user)
            if problem == .gone {
                try CalendarRecord.remove(context.documents, of: user)
                try tell(user, language(.calendarGone))
            } else {
                record.stop = .password
                try record.keep(context.documents, of: user)
                try tell(user, language(.calendarPassword))
            }
            return true
        }
        guard isStopped else { return superseded(user) }
        stopped(user, problem == .gone ? nil : problem)
    }

    /// Does a part of a look; if the databases fail, the look ends.
    private func attempt(_ user: ID, _ body: () throws(VaultError) -> Void) {
        do throws(VaultError) { try body() } catch {
            context.limitedLog.error("calendar of \(user)") {
                "the calendar of \(user) is looked at later\($0): \(error)"
            }
            ended(user, .conflict)
        }
    }
}
