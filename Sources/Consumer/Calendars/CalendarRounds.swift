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
    /// The lane in which it has its turn.
    let lane: CalendarCourier.Lane
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

    func look(_ look: CalendarLook) {
        let user = look.user
        attempt(user) { () throws(VaultError) in
            guard let record = try CalendarRecord(context.documents, of: user) else { return stopped(user, nil) }
            guard record.stop == nil else { return stopped(user, states[user]?.problem) }
            states[user]?.calendar = record.calendar
            let (account, calendar, link) = (record.account, record.calendar, record.link)
            courier.talk(in: look.lane) { () throws(CalendarProblem) in
                try CalendarTalk(account, look.settings, within: look.left)
            } _: { talk throws(CalendarProblem) in
                try talk.look(calendar, link)
            } completion: { [weak self, loop = context.session.loop] result in
                loop.perform { [weak self] in
                    guard let self else { return }
                    self.attempt(user) { () throws(VaultError) in try self.looked(look, record.id, result) }
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
        let isBelieved = isBelieved(.emptied, of: user)
        let changed = try change(user, id) { (merge) throws(VaultError) in
            guard isBelieved || !merge.isSuspicious(sight) else { return nil }
            try merge.take(sight)
            return merge.steps()
        }
        guard let (record, steps) = taken(changed, user) else { return }
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
        courier.talk(in: look.lane) { () throws(CalendarProblem) in
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
                self.attempt(look.user) { () throws(VaultError) in try self.wrote(look, record.id, result) }
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
        let refused = written.outcomes.filter { $0.outcome == .refused }.map(\.step.name)
        let changed = try change(user, id, refused: refused.count) { (merge) throws(VaultError) in
            for (step, outcome) in written.outcomes { try merge.take(outcome, of: step) }
            // What is still to be written is found again by the next look.
            var next = merge
            return next.steps()
        }
        guard let (_, left) = taken(changed, user) else { return }
        if let problem = written.problem { return try failed(user, id, problem) }
        let isSettled = left.allSatisfy { refused.contains($0.name) }
        guard !isSettled, look.round < Self.mostRounds else {
            return ended(user, isSettled ? nil : .conflict, refused: refused.count)
        }
        self.look(look.next)
    }

    // MARK: What fails

    /// A look has failed.
    private func failed(_ user: ID, _ id: ID, _ problem: CalendarProblem) throws(VaultError) {
        guard problem.isFinal, isBelieved(problem, of: user) else { return ended(user, problem) }
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

    /// Whether a server has said so for a while, however often somebody has had it asked.
    private func isBelieved(_ problem: CalendarProblem, of user: ID) -> Bool {
        guard let doubt = states[user]?.doubt, doubt.problem == problem else { return false }
        return millisecondsSinceBoot() - doubt.since >= longestDoubt
    }

    /// What was changed; nil if nothing could be, and the look is over.
    private func taken(_ change: Change, _ user: ID) -> (record: CalendarRecord, steps: [CalendarStep])? {
        switch change {
        case .changed(let record, let steps): return (record, steps)
        case .failed(let problem): ended(user, problem)
        case .superseded: superseded(user)
        }
        return nil
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
