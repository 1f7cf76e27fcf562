public import Fetch

// How a calendar is found (RFC 6764, RFC 4791, 6.2.1): an address leads to the user's principal, this to the home of their
// calendars, and that lists them.

extension CalDAVClient {
    /// Where the user's calendars are.
    public func home() throws(CalDAVError) -> WebAddress {
        let given = exchange.account.address
        let attempted = "find the calendars of \(exchange.account.user) at \(given)"
        let begin = try beginning(given, attempted)
        if let home = begin.response.home { return try collection(home, at: begin.address, attempted) }
        guard let principal = begin.response.principal else {
            throw CalDAVError(attempted, .malformed, said: "the server does not say who the user is")
        }
        let address = try resolved(principal, at: begin.address, attempted)
        let found = try first("<C:calendar-home-set/>", of: address, attempted)
        guard let home = found?.response.home, let place = found?.address else {
            throw CalDAVError(
                attempted, .malformed, said: "the server does not say where the user's calendars are")
        }
        return try collection(home, at: place, attempted)
    }

    /// What is said where the search begins: at the address itself, if it has a path, or at the place that every server has
    /// for this; otherwise at the other one.
    private func beginning(
        _ given: WebAddress, _ attempted: String
    ) throws(CalDAVError) -> (response: Multistatus.Response, address: WebAddress) {
        let wellKnown: WebAddress
        do throws(FetchError) { wellKnown = try given.following("/.well-known/caldav") } catch {
            throw CalDAVError(attempted, error)
        }
        let places = given.path == "/" ? [wellKnown, given] : [given, wellKnown]
        var failure: CalDAVError?
        for place in places {
            do throws(CalDAVError) {
                let properties = "<current-user-principal/><C:calendar-home-set/>"
                if let found = try first(properties, of: place, attempted),
                    found.response.principal != nil || found.response.home != nil
                {
                    return found
                }
            } catch {
                switch error.reason {
                // There is something else at this place.
                case .gone, .malformed, .status, .forbidden, .redirected: failure = failure ?? error
                default: throw error
                }
            }
        }
        throw failure
            ?? CalDAVError(attempted, .malformed, said: "the server does not say who the user is")
    }

    /// The address of the user's own calendar for events that people call `name`; nil if there is none. One that somebody
    /// shares with the user is that person's, whatever it is called.
    public func calendar(named name: String, in home: WebAddress) throws(CalDAVError) -> WebAddress? {
        let attempted = "list the calendars in \(home)"
        let properties =
            "<displayname/><resourcetype/><owner/><current-user-principal/><C:supported-calendar-component-set/>"
        let (found, address) = try propfind(properties, of: home, depth: 1, attempted)
        let calendar = found.responses.first { response in
            response.isCalendar && response.displayName == name && isOwn(response, at: address)
                && (response.components.isEmpty || response.components.contains("VEVENT"))
        }
        guard let calendar else { return nil }
        return try collection(calendar.href, at: address, attempted)
    }

    /// Whether it is the user's, as far as the server says whose it is.
    private func isOwn(_ response: Multistatus.Response, at place: WebAddress) -> Bool {
        guard !response.isShared else { return false }
        guard let owner = response.owner, !owner.isEmpty, let user = response.principal, !user.isEmpty else {
            return true
        }
        guard let owner = try? place.following(owner).asCollection, let user = try? place.following(user).asCollection
        else { return false }
        return owner.isSamePlace(as: user)
    }

    /// Whether a calendar is where it was.
    public func isThere(_ calendar: WebAddress) throws(CalDAVError) -> Bool {
        let attempted = "look for the calendar \(calendar)"
        do throws(CalDAVError) {
            return try first("<resourcetype/>", of: calendar, attempted)?.response.isCalendar ?? false
        } catch {
            guard error.reason == .gone else { throw error }
            return false
        }
    }

    /// Whether the home of the user's calendars lists this one.
    public func lists(_ calendar: WebAddress, in home: WebAddress) throws(CalDAVError) -> Bool {
        let attempted = "list the calendars in \(home)"
        let (found, address) = try propfind("<resourcetype/>", of: home, depth: 1, attempted)
        return found.responses.contains { response in
            (try? address.following(response.href).asCollection)?.isSamePlace(as: calendar.asCollection) ?? false
        }
    }

    /// Makes a calendar for events, and says where it is.
    ///
    /// Its address has a random part: a server may keep what was deleted for a while, and its address with it.
    public func makeCalendar(named name: String, in home: WebAddress) throws(CalDAVError)
        -> WebAddress
    {
        let attempted = "make a calendar in \(home)"
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        let address = try resolved("./calendar-\(random)/", at: home.asCollection, attempted)
        let request = WebRequest(
            "MKCALENDAR", address, headers: Self.xml, body: RequestBody.makeCalendar(name))
        return try exchange.send(request, attempted).address
    }

    /// Deletes a calendar, with everything in it.
    public func deleteCalendar(_ calendar: WebAddress) throws(CalDAVError) {
        try delete(calendar, headers: [], "delete the calendar \(calendar)")
    }

    /// The address of a collection that a server tells of: some leave out the slash at its end, and what is in it would be
    /// looked for beside it.
    private func collection(
        _ reference: String, at place: WebAddress, _ attempted: String
    ) throws(CalDAVError) -> WebAddress {
        try resolved(reference, at: place, attempted).asCollection
    }

    // MARK: Asking for properties

    /// The header line of what is sent.
    static let xml = ["Content-Type: application/xml; charset=utf-8"]

    /// The properties of what an address leads to, and where that is.
    private func first(
        _ properties: String, of address: WebAddress, _ attempted: String
    ) throws(CalDAVError) -> (response: Multistatus.Response, address: WebAddress)? {
        let (found, place) = try propfind(properties, of: address, depth: 0, attempted)
        return found.responses.first.map { ($0, place) }
    }

    func propfind(
        _ properties: String, of address: WebAddress, depth: Int, _ attempted: String
    ) throws(CalDAVError) -> (Multistatus, WebAddress) {
        let request = WebRequest(
            "PROPFIND", address, headers: Self.xml + ["Depth: \(depth)"],
            body: RequestBody.propfind(properties))
        let answer = try exchange.send(request, attempted)
        return (try multistatus(answer, attempted), answer.address)
    }

    /// What an answer of several resources says.
    func multistatus(_ answer: Exchange.Answer, _ attempted: String) throws(CalDAVError)
        -> Multistatus
    {
        guard answer.status == 207 else {
            throw CalDAVError(
                attempted, .malformed, said: "the server answered with status \(answer.status)")
        }
        do {
            // A calendar itself is among what it has; a text that is too long is kept a byte too long, which tells.
            return try MultistatusReader.read(
                answer.body, mostResponses: limits.resources + 1, longest: limits.resource + 1)
        } catch {
            switch error {
            case .reader:
                throw CalDAVError(attempted, .tooLarge, said: "the answer has more than is allowed")
            case .document(let fault):
                let isTooMuch = fault.reason == .tooMuch
                let said =
                    isTooMuch ? "the answer has more than is allowed" : "the answer is not the XML of WebDAV"
                throw CalDAVError(attempted, isTooMuch ? .tooLarge : .malformed, said: said)
            }
        }
    }

    /// The address that a server tells of, if the user's name and password may be sent there.
    func resolved(_ reference: String, at place: WebAddress, _ attempted: String) throws(CalDAVError)
        -> WebAddress
    {
        let address: WebAddress
        do throws(FetchError) { address = try place.following(reference) } catch {
            throw CalDAVError(attempted, .malformed, said: error.said)
        }
        guard exchange.trust.covers(address) else {
            throw CalDAVError(attempted, .redirected, said: "the server leads to \(address)")
        }
        return address
    }
}
