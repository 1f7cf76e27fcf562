import Days
import Files
import Records
import Telemetry

// What happens to a calendar at its server when its person leaves it: because they say so, or before they are forgotten.

extension Calendars: LeaveTaker {
    func announceLeave(of user: ID) throws(VaultError) -> String? {
        guard let record = try CalendarRecord(context.documents, of: user) else { return nil }
        let host = record.account.host
        return record.isMade
            ? "Your calendar at \(host) will be deleted, too, with everything in it"
            : "Your calendar at \(host) was there before and will stay; the events that Vitals has made there will be deleted"
    }

    /// The calendar goes with everything else, if its server takes that within a few seconds.
    func takeLeave(of user: ID, completion: @escaping @Sendable (String?) -> Void) {
        do throws(VaultError) {
            guard let record = try CalendarRecord(context.documents, of: user) else { return completion(nil) }
            let words = "Your calendar was not deleted at \(record.account.host): delete it there yourself"
            guard let settings, record.stop == nil else { return completion(words) }
            let id = record.id
            let timer = context.session.loop.after(longestLeave + .seconds(1)) { [unowned self] in left(id, words) }
            leaves[id] = (timer, completion)
            remove(record, settings, in: .leaving, within: longestLeave) { [weak self] result in
                switch result {
                case .success(.deleted): self?.left(id, nil)
                case .success(.emptied(let count)): self?.left(id, Self.words(record, left: count))
                case .failure: self?.left(id, words)
                }
            }
        } catch {
            context.limitedLog.error("calendars") { "the calendar of \(user) is not deleted\($0): \(error)" }
            completion("Your calendar was not deleted there: delete it yourself")
        }
    }

    private func left(_ id: ID, _ sentence: String?) {
        guard let leave = leaves.removeValue(forKey: id) else { return }
        leave.timer.cancel()
        leave.completion(sentence)
    }

    /// What a person is told of a calendar that stays.
    /// - Parameter left: how many events of reminders stay in it.
    static func words(_ record: CalendarRecord, left: Int) -> String {
        let rest = left == 0 ? "" : "; \(left) of them stay, which were changed there"
        return "Your calendar at \(record.account.host) stays, because it was there before: "
            + "the events that Vitals has made there were deleted\(rest)"
    }

    /// Has a calendar deleted, or what is ours of it.
    /// - Parameter completion: called on the session's thread.
    func remove(
        _ record: CalendarRecord, _ settings: CalendarSettings, in lane: CalendarCourier.Lane, within limit: Duration,
        completion: @escaping @Sendable (Result<CalendarTalk.Removal, CalendarProblem>) -> Void
    ) {
        let loop = context.session.loop
        courier.talk(in: lane) { () throws(CalendarProblem) in
            try CalendarTalk(record.account, settings, within: limit)
        } _: { talk throws(CalendarProblem) in
            try talk.remove(record.calendar, isMade: record.isMade, record.link)
        } completion: { result in
            loop.perform { completion(result) }
        }
    }
}
