import Contract
package import Features
import Files
import Fitness
import Records
import Telemetry

extension Feature {
    /// A quote for each day, and which of them people like.
    package static let quotes = Feature(
        name: "quotes", schema: LikedQuotes.schema, sealedTables: [LikedQuotes.table],
        exports: [
            .document(
                "quotes.json", "The quotes that you like, in English and German, as they were when you liked them."
            ) {
                source throws(VaultError) in
                let liked = try LikedQuotes(source.store, source.keys).all(of: source.user)
                guard !liked.isEmpty else { return nil }
                return [
                    "quotes": .array(
                        liked.map { liked in
                            [
                                "quote": .string(liked.quote.id.text), "en": .string(liked.quote.english),
                                "de": .string(liked.quote.german),
                                "time": .string(iso8601(unixMilliseconds: liked.time)),
                            ]
                        })
                ]
            }
        ],
        service: { Quotes($0) },
        topics: [FeatureTopic(.quote, isRetained: true, RequestContract.quoteOfDay)],
        settings: QuotesSetting.self)
}
