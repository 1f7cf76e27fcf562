public import Fetch

// What is in a calendar. A resource is known by its name, which is the last part of its path as the server writes it: whatever
// else a server says of where it is does not matter, so it leads nowhere.

extension CalDAVClient {
    /// How many times a server may say that there is more.
    private static let mostPages = 50
    /// How many resources are asked for at a time.
    private static let multigetCount = 40

    /// What has changed in a calendar.
    ///
    /// A server that does not know RFC 6578, or says something else to it, is asked for all ETags each time.
    /// - Parameter token: what the last call returned; nil to read everything.
    public func changes(of calendar: WebAddress, since token: String?) throws(CalDAVError) -> Changes {
        let attempted = "read the changes of \(calendar)"
        do throws(CalDAVError) { return try reported(calendar, token, attempted) } catch {
            guard token == nil, error.isAnAnswer else { throw error }
        }
        let (found, _) = try propfind("<getetag/><resourcetype/>", of: calendar, depth: 1, attempted)
        var changes = Changes()
        changes.isWhole = true
        try take(found, calendar, into: &changes, attempted)
        return changes
    }

    private func reported(
        _ calendar: WebAddress, _ begin: String?, _ attempted: String
    ) throws(CalDAVError) -> Changes {
        var changes = Changes()
        changes.isWhole = begin == nil
        var token = begin
        for _ in 0..<Self.mostPages {
            let request = WebRequest(
                "REPORT", calendar, headers: Self.xml + ["Depth: 0"],
                body: RequestBody.syncCollection(since: token))
            let found = try multistatus(try exchange.send(request, attempted), attempted)
            guard let next = found.syncToken, !next.isEmpty, next.utf8.count <= 2048 else {
                throw CalDAVError(attempted, .malformed, said: "the server tells no token")
            }
            try take(found, calendar, into: &changes, attempted)
            changes.token = next
            // RFC 6578, 3.6: 507 for the calendar itself says that there is more.
            guard found.responses.contains(where: { $0.status == 507 }) else { return changes }
            guard next != token else { break }
            token = next
        }
        throw CalDAVError(attempted, .malformed, said: "the server always says that there is more")
    }

    private func take(
        _ found: Multistatus, _ calendar: WebAddress, into changes: inout Changes, _ attempted: String
    ) throws(CalDAVError) {
        for response in found.responses where !isCollection(response, at: calendar) {
            guard let name = name(of: response, in: calendar) else {
                // What is not on a whole list counts as deleted: so nothing on it may be overlooked.
                guard !changes.isWhole else {
                    throw CalDAVError(attempted, .malformed, said: "the calendar lists what is at no place in it")
                }
                continue
            }
            switch response.status {
            case nil:
                changes.changed[name] = response.etag.map(Self.strong) ?? ""
                changes.deleted.remove(name)
            case 404, 410:
                changes.changed[name] = nil
                if !changes.isWhole { changes.deleted.insert(name) }
            case .some(let status):
                throw CalDAVError(attempted, .status(status), said: "the server says status \(status) of \(name)")
            }
        }
        guard changes.changed.count + changes.deleted.count <= limits.resources else {
            throw CalDAVError(
                attempted, .tooLarge, said: "the calendar has more than \(limits.resources) resources")
        }
    }

    /// Resources by their names. Those that are gone are left out. One that is longer than is allowed is cut one byte
    /// behind that.
    public func resources(_ names: [String], of calendar: WebAddress) throws(CalDAVError)
        -> [Resource]
    {
        let attempted = "read resources of \(calendar)"
        var resources: [Resource] = []
        for begin in stride(from: 0, to: names.count, by: Self.multigetCount) {
            let asked = names[begin..<min(begin + Self.multigetCount, names.count)]
            var paths: [String] = []
            var wanted: [[UInt8]: String] = [:]
            for name in asked {
                paths.append(try address(of: name, in: calendar, attempted).path)
                wanted[name.percentDecoded] = name
            }
            let request = WebRequest(
                "REPORT", calendar, headers: Self.xml + ["Depth: 1"], body: RequestBody.multiget(paths))
            for response in try multistatus(try exchange.send(request, attempted), attempted).responses {
                guard let told = name(of: response, in: calendar), let bytes = response.calendarData,
                    let name = wanted.removeValue(forKey: told.percentDecoded)
                else { continue }
                resources.append(
                    Resource(name: name, etag: response.etag.map(Self.strong) ?? "", bytes: bytes))
            }
        }
        return resources
    }

    /// Writes a resource.
    /// - Returns: its ETag; nil if the server does not say it, as it must not where it changed what was written.
    public func put(
        _ bytes: [UInt8], _ name: String, of calendar: WebAddress, match: Match
    ) throws(CalDAVError) -> String? {
        let attempted = "write \(name) of \(calendar)"
        let address = try address(of: name, in: calendar, attempted)
        let headers = ["Content-Type: text/calendar; charset=utf-8", try header(match, attempted)]
        let answer = try exchange.send(
            WebRequest("PUT", address, headers: headers, body: bytes), attempted)
        return answer.headers["etag"].map(Self.strong)
    }

    /// Deletes a resource. One that is gone already is `.gone`.
    public func delete(_ name: String, of calendar: WebAddress, match: Match) throws(CalDAVError) {
        let attempted = "delete \(name) of \(calendar)"
        let address = try address(of: name, in: calendar, attempted)
        try delete(address, headers: [try header(match, attempted)], attempted)
    }

    func delete(_ address: WebAddress, headers: [String], _ attempted: String) throws(CalDAVError) {
        let answer = try exchange.send(WebRequest("DELETE", address, headers: headers), attempted)
        // Several resources, of which some are still there (RFC 4918, 9.6.1).
        guard answer.status != 207 else {
            throw CalDAVError(attempted, .status(207), said: "the server has not deleted everything")
        }
    }

    // MARK: Names and conditions

    /// Whether it is the calendar itself, or another collection, which is none of its events.
    private func isCollection(_ response: Multistatus.Response, at calendar: WebAddress) -> Bool {
        guard !response.isCollection else { return true }
        guard let address = try? calendar.following(response.href) else { return false }
        return address.isSameOrigin(as: calendar)
            && (address.path.hasSuffix("/") || address.asCollection.isSamePlace(as: calendar.asCollection))
    }

    /// The name of a resource; nil for what is none of the calendar's.
    private func name(of response: Multistatus.Response, in calendar: WebAddress) -> String? {
        guard let address = try? calendar.following(response.href), address.isSameOrigin(as: calendar),
            let last = address.path.split(separator: "/", omittingEmptySubsequences: false).last,
            isName(String(last))
        else { return nil }
        return String(last)
    }

    private func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 255 && name != "." && name != ".."
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/?#\\".utf8.contains($0) }
    }

    private func address(
        of name: String, in calendar: WebAddress, _ attempted: String
    ) throws(CalDAVError) -> WebAddress {
        guard isName(name) else {
            throw CalDAVError(attempted, .address, said: "this is no name of a resource")
        }
        return try resolved("./\(name)", at: calendar.asCollection, attempted)
    }

    private func header(_ match: Match, _ attempted: String) throws(CalDAVError) -> String {
        guard case .etag(let etag) = match else { return "If-None-Match: *" }
        guard etag.utf8.count <= 1024, etag.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            !etag.isEmpty
        else {
            throw CalDAVError(attempted, .malformed, said: "the server has told an ETag that is none")
        }
        return "If-Match: \(etag)"
    }

    /// An ETag that can be a condition: a proxy that compresses may have made it a weak one.
    private static func strong(_ etag: String) -> String {
        etag.hasPrefix("W/") ? String(etag.dropFirst(2)) : etag
    }
}
