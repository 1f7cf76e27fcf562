import Telemetry

// Facebook and X let nobody post for people without an app of their own that they have approved. They have pages that a person opens
// in a browser, where they are signed in, and where they decide themselves: a text and a link for X (docs.x.com, Web Intents), a
// link alone for Facebook.

/// The pages of Facebook and X on which a person shares something.
enum ShareLinks {
    /// X takes no more characters, as it counts them; so many bytes are enough for them.
    private static let longest = (characters: 280, bytes: 1120)
    /// X counts every link as 23 characters, and writes it after a space (docs.x.com, Counting characters).
    private static let lengthOfLink = 24
    /// X counts what is outside of these as two characters, such as Chinese characters and emoji (the same, version 3).
    private static let single: [ClosedRange<UInt32>] = [0...0x10FF, 0x2000...0x200D, 0x2010...0x201F, 0x2032...0x2037]

    /// - Parameter link: what is shared there, which is public.
    static func facebook(_ link: String) -> String {
        "https://www.facebook.com/sharer/sharer.php?u=\(encoded(link))"
    }

    static func x(_ text: String, _ link: String?) -> String {
        var left = longest.characters - (link == nil ? 0 : lengthOfLink)
        var short = text.prefix { character in
            left -= length(of: character)
            return left >= 0
        }
        while short.utf8.count > longest.bytes { short.removeLast() }
        return "https://x.com/intent/post?text=\(encoded(String(short)))" + (link.map { "&url=\(encoded($0))" } ?? "")
    }

    /// As X counts it: an emoji that is made of several is one.
    private static func length(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        return scalars.allSatisfy { scalar in single.contains { $0.contains(scalar.value) } } ? scalars.count : 2
    }

    /// A text as a value of a query: what is not unreserved (RFC 3986, 2.3) is written in hexadecimal.
    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
