import CalDAV
import CalendarFiles
import Fetch
import Files
import Schedules

/// One conversation with a person's calendar server: bounded in time, however slow the server is. It blocks: for the courier's
/// threads.
final class CalendarTalk: Sendable {
    /// What the calendar is called.
    static let name = "Fitness Calendar"

    private let client: CalDAVClient

    /// - Parameter limit: how long it lasts.
    /// - Throws: if the address is none.
    init(
        _ account: CalendarAccount, _ settings: CalendarSettings, within limit: Duration
    ) throws(CalendarProblem) {
        let account = CalDAVAccount(
            address: try Self.address(account.address), user: account.user, password: account.password)
        let limits = CalDAVClient.Limits(
            resources: CalendarLink.mostEvents, conversation: limit, privateHosts: settings.privateHosts)
        client = CalDAVClient(account, limits: limits, authorities: settings.authorities)
    }

    /// Ends what is under way. From any thread.
    func cancel() { client.cancel() }

    /// Where the calendar is; it is made if there is none.
    func find() throws(CalendarProblem) -> String {
        let home = try ask { () throws(CalDAVError) in try client.home() }
        let found = try ask { () throws(CalDAVError) in try client.calendar(named: Self.name, in: home) }
        if let found { return found.text }
        return try ask { () throws(CalDAVError) in try client.makeCalendar(named: Self.name, in: home) }.text
    }

    /// Deletes the calendar; one that is gone is deleted.
    func delete(_ calendar: String) throws(CalendarProblem) {
        let calendar = try Self.address(calendar)
        do throws(CalendarProblem) { try ask { () throws(CalDAVError) in try client.deleteCalendar(calendar) } } catch {
            guard error == .gone else { throw error }
        }
    }

    // MARK: Looking

    /// What has changed in the calendar, and the events that are not known yet.
    func look(_ calendar: String, _ link: CalendarLink) throws(CalendarProblem) -> CalendarSight {
        let calendar = try Self.address(calendar)
        let changes = try changes(of: calendar, since: link.token)
        var sight = CalendarSight(isComplete: changes.isWhole, removed: changes.deleted)
        if let token = changes.token, CalendarLink.isPlain(token, atMost: CalendarLink.longest.token) {
            sight.token = token
        }
        let known = Set(link.entries.map(\.name))
        for (name, etag) in changes.changed {
            if Self.isKnowable(name, etag) {
                sight.listed[name] = etag
            } else if known.contains(name) {
                // It is there, so it must not be taken for one that is gone.
                throw .malformed
            }
            // Anything else of such a name is left to itself.
        }
        guard sight.listed.count <= CalendarLink.mostEvents else { throw .tooMany }
        sight.read = try read(link.unread(of: sight.listed), calendar).mapValues(\.finding)
        return sight
    }

    private func changes(of calendar: WebAddress, since token: String?) throws(CalendarProblem) -> CalDAVClient.Changes
    {
        do throws(CalendarProblem) {
            return try ask { () throws(CalDAVError) in try client.changes(of: calendar, since: token) }
        } catch {
            guard error == .tokenExpired, token != nil else { throw error }
            return try ask { () throws(CalDAVError) in try client.changes(of: calendar, since: nil) }
        }
    }

    private static func isKnowable(_ name: String, _ etag: String) -> Bool {
        CalendarLink.isPlain(name, atMost: CalendarLink.longest.name) && CalendarLink.isETag(etag)
    }

    /// What events say.
    private func read(
        _ names: [String], _ calendar: WebAddress
    ) throws(CalendarProblem) -> [String: (finding: Finding, bytes: [UInt8])] {
        var found: [String: (finding: Finding, bytes: [UInt8])] = [:]
        for begin in stride(from: 0, to: names.count, by: Self.portion) {
            let portion = Array(names[begin..<min(begin + Self.portion, names.count)])
            let resources = try ask { () throws(CalDAVError) in try client.resources(portion, of: calendar) }
            for resource in resources where portion.contains(resource.name) {
                guard Self.isKnowable(resource.name, resource.etag) else { throw .malformed }
                let finding = Finding(etag: resource.etag, content: Finding.Content(resource.bytes))
                found[resource.name] = (finding, resource.bytes)
            }
        }
        return found
    }

    /// How many events are asked for at a time: as many of the longest fit into one answer.
    private static let portion = 40

    // MARK: Writing

    /// Takes a step. Nothing is overwritten that was not seen.
    func take(_ step: CalendarStep, _ calendar: String) throws(CalendarProblem) -> CalendarOutcome {
        let calendar = try Self.address(calendar)
        do throws(CalendarProblem) {
            switch step {
            case .delete(let name, let etag):
                try ask { () throws(CalDAVError) in try client.delete(name, of: calendar, match: .etag(etag)) }
                return .done(etag: nil)
            case .put(let name, let uid, let appointment, let etag, let changed, let revision):
                var original: [UInt8]?
                if let etag {
                    // What the event says besides stays: a place, a note, a colour.
                    guard let now = try read([name], calendar)[name] else { return .gone }
                    guard now.finding.etag == etag else { return .found(now.finding) }
                    original = now.bytes
                }
                let event = CalendarEvent(appointment, uid: uid, changed: changed, revision: revision)
                let bytes = calendarFile(of: event, keeping: original)
                let written = try ask { () throws(CalDAVError) in
                    try client.put(bytes, name, of: calendar, match: etag.map(CalDAVClient.Match.etag) ?? .none)
                }
                return .done(etag: written.flatMap { Self.isKnowable(name, $0) ? $0 : nil })
            }
        } catch {
            switch error {
            case .gone where step.isDeletion: return .done(etag: nil)
            case .conflict:
                guard let now = try read([step.name], calendar)[step.name] else { return .gone }
                return .found(now.finding)
            case .forbidden, .status(400..<500), .tooLarge: return .refused
            default: throw error
            }
        }
    }

    // MARK: Asking

    private func ask<Value>(_ body: () throws(CalDAVError) -> Value) throws(CalendarProblem) -> Value {
        do throws(CalDAVError) { return try body() } catch { throw CalendarProblem(error.reason) }
    }

    private static func address(_ text: String) throws(CalendarProblem) -> WebAddress {
        do throws(FetchError) { return try WebAddress(text) } catch { throw .address }
    }
}

extension CalendarProblem {
    fileprivate init(_ reason: CalDAVError.Reason) {
        self =
            switch reason {
            case .address: .address
            case .unreachable: .unreachable
            case .untrusted: .untrusted
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .unauthorized: .password
            case .forbidden: .forbidden
            case .gone: .gone
            case .conflict: .conflict
            case .tokenExpired: .tokenExpired
            case .redirected: .redirected
            case .malformed: .malformed
            case .status(let status): .status(status)
            case .cancelled: .cancelled
            }
    }
}

extension Finding.Content {
    /// What a resource says.
    init(_ bytes: [UInt8]) {
        do throws(CalendarFileError) {
            let event = try calendarEvent(in: bytes)
            guard CalendarLink.isPlain(event.uid, atMost: CalendarLink.longest.uid) else {
                self = .other(.longName)
                return
            }
            let schedule = WeeklySchedule(
                firstDay: event.firstDay, minute: event.minute, weekdays: event.weekdays,
                alarmMinutes: event.alarmMinutes)
            do throws(NoReminder) {
                self = .event(uid: event.uid, try Appointment(title: event.summary, schedule), modified: event.modified)
            } catch { self = .other(error) }
        } catch {
            switch error {
            case .unsupported(let words): self = .other(NoReminder(words))
            case .tooLarge: self = .other(NoReminder("it is too large"))
            case .damaged: self = .other(NoReminder("it is damaged"))
            }
        }
    }
}

extension CalendarEvent {
    /// The event of a reminder.
    /// - Parameters:
    ///   - changed: when that was, in Unix milliseconds.
    ///   - revision: from 1.
    init(_ appointment: Appointment, uid: String, changed: Int64, revision: Int64) {
        self.init(
            uid: uid, summary: appointment.label, firstDay: appointment.schedule.firstDay,
            minute: appointment.schedule.minute, weekdays: appointment.schedule.weekdays,
            alarmMinutes: appointment.schedule.alarmMinutes, modified: changed, sequence: revision - 1)
    }
}
