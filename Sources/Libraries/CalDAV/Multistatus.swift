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
        /// The kinds of components that it takes; empty where that is not said.
        var components: [String] = []
        /// An address that another property has: a principal, a home.
        var principal: String?
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
        case currentUserPrincipal, calendarHomeSet, syncToken
    }

    static let names: [StaticString] = [
        "response", "href", "status", "propstat", "getetag", "calendar-data", "displayname",
        "collection", "calendar",
        "comp", "current-user-principal", "calendar-home-set", "sync-token",
    ]

    /// How many elements an answer may have: a resource with its properties has some ten.
    private static let mostElements = 200_000
    private static let deepest = 16

    private(set) var multistatus = Multistatus()
    private let mostResponses: Int
    private var elements = 0
    private var response: Multistatus.Response?
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
            response = Multistatus.Response()
        case .propstat: (found, isSuccess) = (Multistatus.Response(), true)
        case .collection: found?.isCollection = true
        case .calendar: found?.isCalendar = true
        case .comp:
            if let kind = attributes["name"], found?.components.count ?? 0 < 20 {
                found?.components.append(String(decoding: kind.prefix(20), as: UTF8.self).uppercased())
            }
        case .currentUserPrincipal, .calendarHomeSet: around = name
        case .href, .status, .getetag, .calendarData, .displayname, .syncToken: return true
        }
        return false
    }

    func end(_ number: Int, depth: Int, _ text: UnsafeBufferPointer<UInt8>) throws(TooMuch) {
        guard let name = Name(rawValue: number) else { return }
        switch name {
        case .response:
            if let response { multistatus.responses.append(response) }
            response = nil
        case .propstat:
            if isSuccess, let found { response?.take(found) }
            found = nil
        case .href: take(href: trimmed(text))
        case .status: take(status: trimmed(text))
        case .getetag: found?.etag = trimmed(text)
        case .calendarData: found?.calendarData = Array(text)
        case .displayname: found?.displayName = String(decoding: text, as: UTF8.self)
        // A collection's own token is a property of it, too: that of the report stands beside the resources.
        case .syncToken: if response == nil { multistatus.syncToken = trimmed(text) }
        case .currentUserPrincipal, .calendarHomeSet: around = nil
        case .collection, .calendar, .comp: break
        }
    }

    private func take(href: String) {
        switch around {
        case .currentUserPrincipal: if found?.principal == nil { found?.principal = href }
        case .calendarHomeSet: if found?.home == nil { found?.home = href }
        default: if found == nil { response?.href = href }
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
        if !found.components.isEmpty { components = found.components }
        principal = found.principal ?? principal
        home = found.home ?? home
    }
}
