/// What is sent along with requests, as XML.
enum RequestBody {
    /// The namespaces of WebDAV (RFC 4918) and CalDAV (RFC 4791).
    private static let namespaces = #"xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav""#
    private static let declaration = #"<?xml version="1.0" encoding="utf-8"?>"#

    /// Asks for properties.
    static func propfind(_ properties: String) -> [UInt8] {
        document("<propfind \(namespaces)><prop>\(properties)</prop></propfind>")
    }

    /// Makes a calendar for events.
    static func makeCalendar(_ name: String) -> [UInt8] {
        document(
            "<C:mkcalendar \(namespaces)><set><prop><displayname>\(escaped(name))</displayname>"
                + #"<C:supported-calendar-component-set><C:comp name="VEVENT"/></C:supported-calendar-component-set>"#
                + "</prop></set></C:mkcalendar>")
    }

    /// Asks for what has changed (RFC 6578).
    static func syncCollection(since token: String?) -> [UInt8] {
        document(
            "<sync-collection \(namespaces)><sync-token>\(escaped(token ?? ""))</sync-token>"
                + "<sync-level>1</sync-level><prop><getetag/><resourcetype/></prop></sync-collection>")
    }

    /// Asks for resources.
    static func multiget(_ paths: [String]) -> [UInt8] {
        let hrefs = paths.map { "<href>\(escaped($0))</href>" }.joined()
        return document(
            "<C:calendar-multiget \(namespaces)><prop><getetag/><C:calendar-data/></prop>\(hrefs)</C:calendar-multiget>"
        )
    }

    private static func document(_ text: String) -> [UInt8] { Array((declaration + text).utf8) }

    /// A text with the characters of XML's own escaped; controls, which no document may have, are left out.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": break
            case _ where scalar.value < 0x20: break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
