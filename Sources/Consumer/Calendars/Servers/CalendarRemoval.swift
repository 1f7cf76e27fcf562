import CalDAV
import Fetch

// What happens to a calendar whose person leaves it. One that was made for this goes with everything in it. One that was there before
// stays: only the events that are reminders of here, and say what both sides had last, go.

extension CalendarTalk {
    /// What became of a calendar.
    enum Removal: Hashable, Sendable {
        case deleted
        /// It stays, without the events of here.
        /// - Parameter left: how many of these stay, because somebody has changed them or the server refuses.
        case emptied(left: Int)
    }

    /// Deletes the calendar, or what is ours of it.
    /// - Parameter isMade: whether it was made for this.
    func remove(_ calendar: String, isMade: Bool, _ link: CalendarLink) throws(CalendarProblem) -> Removal {
        let calendar = try Self.address(calendar)
        do throws(CalendarProblem) {
            guard isMade else { return try empty(calendar, link) }
            try ask { () throws(CalDAVError) in try client.deleteCalendar(calendar) }
        } catch {
            guard error == .gone else { throw error }
        }
        return .deleted
    }

    private func empty(_ calendar: WebAddress, _ link: CalendarLink) throws(CalendarProblem) -> Removal {
        let ours = link.entries.filter { $0.uid == $0.reminder.text && $0.isThere && $0.estranged == nil }
        let there = try read(ours.map(\.name), calendar)
        var left = 0
        for entry in ours {
            guard let finding = there[entry.name]?.finding else { continue }
            guard case .event(entry.uid, let now, _) = finding.content, now == entry.base || now == entry.sending else {
                left += 1
                continue
            }
            do throws(CalendarProblem) {
                try ask { () throws(CalDAVError) in
                    try client.delete(entry.name, of: calendar, match: .etag(finding.etag))
                }
            } catch {
                switch error {
                case .gone: break
                case .conflict, .forbidden, .status(400..<500): left += 1
                default: throw error
                }
            }
        }
        return .emptied(left: left)
    }
}
