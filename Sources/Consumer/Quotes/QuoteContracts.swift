import Contract
import Features

/// What `quotes/…` ask and answer.
extension RequestContract {
    private static let quote = PayloadSchema.Field.always("quote", .id)
    private static let text = PayloadSchema.Field.always(
        "text", .text(atMost: Quote.longestText.bytes).about("in the language of the person's profile"))

    /// What the topic has, too.
    static let quoteOfDay = PayloadSchema.object(
        "QuoteOfDay", "The quote of a person's day.",
        [
            .always("day", .day), quote, text, .always("language", .word(Language.all.map(\.tag))),
            .always("liked", .bool.about("whether the person likes it")),
        ])

    static let quotesToday = RequestContract("Asks for the quote of the person's day.", answers: quoteOfDay)

    private static let like = PayloadSchema.record([quote, .always("liked", .bool)])

    static let quotesLike = RequestContract("Says that the person likes a quote.", asks: [quote], answers: like)
    static let quotesUnlike = RequestContract(
        "Says that the person no longer likes a quote.", asks: [quote], answers: like)

    static let quotesLiked = RequestContract(
        "Lists the quotes that the person likes, the latest first.",
        asks: [.known("after", .text(atMost: LikedPage.longestCursor).about("the `next` of the page before"))],
        answers: .record([
            .always(
                "quotes",
                .array(
                    of: .object(
                        "LikedQuote", "A quote that a person likes.",
                        [quote, text, .always("time", .time.about("when the person liked it"))]),
                    atMost: Int64(LikedPage.length))),
            .known("next", .text.about("where the next page begins; nothing after the last")),
        ]))
}
