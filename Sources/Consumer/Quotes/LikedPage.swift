import Desk
import Features
import Telemetry

/// A part of the list of quotes that somebody likes.
struct LikedPage {
    /// How many it has at most: with the longest texts, they are still a reply that everybody reads.
    static let length = 50
    /// In bytes: a time, a hyphen and an id.
    static let longestCursor = 64

    /// The last quote of the page before: when it was liked, and its id.
    private let after: (time: Int64, quote: String)?

    /// - Parameter cursor: the `next` of the page before; nil for the first page.
    init(after cursor: String?) throws(ReplyError) {
        guard let cursor else {
            after = nil
            return
        }
        let parts = cursor.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), time >= 0 else {
            throw ReplyError(.badRequest, "\"after\" has to be what \"next\" was", field: "after")
        }
        after = (time, String(parts[1]))
    }

    /// - Parameters:
    ///   - all: the latest first.
    ///   - catalogue: whose texts are preferred to those of the time.
    func json(of all: [LikedQuote], _ catalogue: QuoteCatalogue, in language: Language) -> JSON {
        let rest = all.filter { liked in
            after.map { (liked.time, liked.quote.id.text) < ($0.time, $0.quote) } ?? true
        }
        let page = rest.prefix(Self.length)
        let next = rest.count > page.count ? page.last.map { "\($0.time)-\($0.quote.id)" } : nil
        let quotes = page.map { liked -> JSON in
            let quote = catalogue[liked.quote.id] ?? liked.quote
            return [
                "quote": .string(quote.id.text), "text": .string(quote.text(in: language)),
                "time": .integer(liked.time),
            ]
        }
        return .object(present: ["quotes": .array(quotes), "next": next.map(JSON.string)])
    }
}
