import CalDAV
import CalendarFiles
import Fetch
import Files

/// One conversation with a person's calendar server: bounded in time, however slow the server is. It blocks: for the courier's
/// threads.
final class CalendarTalk: Sendable {
    /// What the calendar is called.
    static let name = "Fitness Calendar"

    let client: CalDAVClient

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

    /// A calendar that was found.
    struct Found: Sendable {
        let calendar: String
        /// Whether it was made just now: then all of it is ours.
        let isMade: Bool
    }

    /// Where the calendar is; it is made if there is none.
    /// - Parameter known: where it was, if it is connected already: it may have another name by now.
    func find(_ known: String?) throws(CalendarProblem) -> Found {
        if let known {
            let calendar = try Self.address(known)
            let isThere = try ask { () throws(CalDAVError) in try client.isThere(calendar) }
            if isThere { return Found(calendar: known, isMade: false) }
        }
        let home = try ask { () throws(CalDAVError) in try client.home() }
        let found = try ask { () throws(CalDAVError) in try client.calendar(named: Self.name, in: home) }
        if let found { return Found(calendar: found.text, isMade: false) }
        let made = try ask { () throws(CalDAVError) in try client.makeCalendar(named: Self.name, in: home) }
        return Found(calendar: made.text, isMade: true)
    }

    // MARK: Looking

    /// What has changed in the calendar, and the events that are not known yet.
    func look(_ calendar: String, _ link: CalendarLink) throws(CalendarProblem) -> CalendarSight {
        let calendar = try Self.address(calendar)
        let changes: CalDAVClient.Changes
        do throws(CalendarProblem) { changes = try self.changes(of: calendar, since: link.token) } catch {
            guard error == .gone else { throw error }
            throw try isGone(calendar) ? .gone : .status(404)
        }
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
        let unread = link.unread(of: sight.listed)
        sight.read = try read(unread, calendar).mapValues(\.finding)
        // What was not read now is listed again next time.
        if !unread.allSatisfy({ sight.read[$0] != nil }) { sight.token = changes.isWhole ? nil : link.token }
        return sight
    }

    /// Whether the server answers as always, and has this calendar no longer.
    private func isGone(_ calendar: WebAddress) throws(CalendarProblem) -> Bool {
        do throws(CalendarProblem) {
            return try ask { () throws(CalDAVError) -> Bool in
                let home = try client.home()
                return try !client.lists(calendar, in: home)
            }
        } catch {
            guard error == .gone else { throw error }
            return false
        }
    }

    private func changes(of calendar: WebAddress, since token: String?) throws(CalendarProblem) -> CalDAVClient.Changes
    {
        do throws(CalDAVError) { return try client.changes(of: calendar, since: token) } catch {
            guard token != nil, error.isAnAnswer else { throw CalendarProblem(error.reason) }
            // Servers say in many ways that a token is of no use to them. What they say to the question without it counts.
            return try ask { () throws(CalDAVError) in try client.changes(of: calendar, since: nil) }
        }
    }

    private static func isKnowable(_ name: String, _ etag: String) -> Bool {
        CalendarLink.isPlain(name, atMost: CalendarLink.longest.name) && CalendarLink.isETag(etag)
    }

    /// What events say.
    func read(
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
            // "Later" is no answer to an event, and a server that is away says nothing of it.
            case .status(408), .status(423), .status(425), .status(429), .status(502...504), .status(507): throw error
            case .forbidden, .status(400..<600), .tooLarge: return .refused
            default: throw error
            }
        }
    }

    // MARK: Asking

    func ask<Value>(_ body: () throws(CalDAVError) -> Value) throws(CalendarProblem) -> Value {
        do throws(CalDAVError) { return try body() } catch { throw CalendarProblem(error.reason) }
    }

    static func address(_ text: String) throws(CalendarProblem) -> WebAddress {
        do throws(FetchError) { return try WebAddress(text) } catch { throw .address }
    }
}
