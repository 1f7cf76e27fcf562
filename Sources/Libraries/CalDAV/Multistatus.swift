import XMLDocuments

// What a server answers to PROPFIND and REPORT (RFC 4918, 13): a list of resources, each with its properties. It is read as a
// stream, and only what is used of it is kept. Elements are known by their local names, as no two of those that are used have
// the same one.

/// An answer with several resources.
struct Multistatus {
    /// A resource, or a collection, of which something is said.
    struct Response {
        /// Its path or address.
        var href = ""
        /// The status of the resource itself: 404 for one that is gone; nil where properties are said.
        var status: Int?
        /// What changes whenever it does.
        var etag: String?
        /// What is in it.
        var calendarData: [UInt8]?
        /// What people call it.
        var displayName: String?
        /// Whether it is a collection, and whether a calendar.
        var isCollection = false
        var isCalendar = false
        /// Whether it is somebody else's, and shared with the user.
        var isShared = false
        /// The kinds of components that it takes; empty where that is not said.
        var components: [String] = []
        /// Addresses that other properties have: the user's principal, the owner's, and a home.
        var principal: String?
        var owner: String?
        var home: String?
    }

    /// The resources.
    var responses: [Response] = []
    /// What the next report begins with.
    var syncToken: String?
}

/// What of an answer is read, and how much of it.
final class MultistatusReader: XMLReader {
    /// There is more than is allowed.
    struct TooMuch: Error {}

    private enum Name: Int, CaseIterable {
        case response = 1
        case href, status, propstat, getetag, calendarData, displayname, collection, calendar, comp
        case currentUserPrincipal, calendarHomeSet, syncToken, owner, shared
    }

    static let names: [StaticString] = [
        "response", "href", "status", "propstat", "getetag", "calendar-data", "displayname",
        "collection", "calendar",
        "comp", "current-user-principal", "calendar-home-set", "sync-token", "owner", "shared",
    ]

    /// How many elements an answer may have: a resource with its properties has some ten.
    private static let mostElements = 200_000
    private static let deepest = 16

    private(set) var multistatus = Multistatus()
    private let mostResponses: Int
    private var elements = 0
    private var response: Multistatus.Response?
    /// Where what is said of a response is true: at one place, or at several that share a status.
    private var hrefs: [String] = []
    private var responseDepth = 0
    /// What the properties of a `propstat` say, which counts only where its status is one of success: that comes last.
    private var found: Multistatus.Response?
    private var isSuccess = true
    /// The element around an address: a principal, a home, or the resource itself.
    private var around: Name?

    private init(mostResponses: Int) { self.mostResponses = mostResponses }

    /// The resources of an answer.
    /// - Parameter longest: how many bytes of a text are kept.
    static func read(
        _ bytes: [UInt8], mostResponses: Int, longest: Int
    ) throws(XMLFailure<TooMuch>) -> Multistatus {
        let reader = MultistatusReader(mostResponses: mostResponses)
        try XMLParser.read(bytes, reader, depth: deepest, longestText: longest)
        return reader.multistatus
    }

    func begin(_ number: Int, depth: Int, _ attributes: XMLAttributes) throws(TooMuch) -> Bool {
        elements += 1
        guard elements <= Self.mostElements else { throw TooMuch() }
        guard let name = Name(rawValue: number) else { return false }
        switch name {
        case .response:
            guard multistatus.responses.count < mostResponses else { throw TooMuch() }
            (response, hrefs, responseDepth) = (Multistatus.Response(), [], depth)
        case .propstat: (found, isSuccess) = (Multistatus.Response(), true)
        case .collection: found?.isCollection = true
        case .calendar: found?.isCalendar = true
        case .shared: found?.isShared = true
        case .comp:
            if let kind = attributes["name"], found?.components.count ?? 0 < 20 {
                found?.components.append(String(decoding: kind.prefix(20), as: UTF8.self).uppercased())
            }
        case .currentUserPrincipal, .calendarHomeSet, .owner: around = name
        case .href, .status, .getetag, .calendarData, .displayname, .syncToken: return true
        }
        return false
    }

    func end(_ number: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) throws(TooMuch) {
        guard let name = Name(rawValue: number) else { return }
        switch name {
        case .response:
            try endResponse()
        case .propstat:
            if isSuccess, let found { response?.take(found) }
            found = nil
        case .href: take(href: trimmed(text), depth)
        case .status: take(status: trimmed(text))
        case .getetag: found?.etag = trimmed(text)
        case .calendarData: found?.calendarData = Array(text)
        case .displayname: found?.displayName = String(decoding: text, as: UTF8.self)
        // A collection's own token is a property of it, too: that of the report stands beside the resources.
        case .syncToken: if response == nil { multistatus.syncToken = trimmed(text) }
        case .currentUserPrincipal, .calendarHomeSet, .owner: around = nil
        case .collection, .calendar, .comp, .shared: break
        }
    }

    private func endResponse() throws(TooMuch) {
        guard var response else { return }
        self.response = nil
        guard multistatus.responses.count + hrefs.count <= mostResponses else { throw TooMuch() }
        for href in hrefs.isEmpty ? [""] : hrefs {
            response.href = href
            multistatus.responses.append(response)
        }
    }

    private func take(href: String, _ depth: Int) {
        switch around {
        case .currentUserPrincipal: if found?.principal == nil { found?.principal = href }
        case .calendarHomeSet: if found?.home == nil { found?.home = href }
        case .owner: if found?.owner == nil { found?.owner = href }
        // An error and a place to go to instead have addresses, too.
        default: if response != nil, depth == responseDepth + 1 { hrefs.append(href) }
        }
    }

    /// `HTTP/1.1 200 OK`
    private func take(status: String) {
        let parts = status.split(separator: " ")
        let code = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        if found == nil { response?.status = code } else { isSuccess = (200..<300).contains(code) }
    }

    private func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> String {
        let bytes = text.drop { $0 <= 0x20 }
        let end = bytes.lastIndex { $0 > 0x20 }
        return end.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
    }
}

extension Multistatus.Response {
    /// Takes over what the properties of a `propstat` say.
    fileprivate mutating func take(_ found: Multistatus.Response) {
        etag = found.etag ?? etag
        calendarData = found.calendarData ?? calendarData
        displayName = found.displayName ?? displayName
        isCollection = isCollection || found.isCollection
        isCalendar = isCalendar || found.isCalendar
        isShared = isShared || found.isShared
        if !found.components.isEmpty { components = found.components }
        principal = found.principal ?? principal
        owner = found.owner ?? owner
        home = found.home ?? home
    }
}
