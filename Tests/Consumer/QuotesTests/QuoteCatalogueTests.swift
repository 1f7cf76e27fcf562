import Daemon
import Fitness
import Foundation
import ProgramSettings
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Quotes

@Suite("The catalogue of quotes")
struct QuoteCatalogueTests {
    private func quotes(_ count: Int) throws -> [Quote] {
        try (0..<count).map { Quote(id: try ID("quote-\($0)"), english: "English \($0)", german: "Deutsch \($0)") }
    }

    private func ids(_ catalogue: QuoteCatalogue, _ days: Range<Int64>) -> [ID] {
        days.compactMap { catalogue.quote(of: CalendarDay(daysSince1970: $0))?.id }
    }

    @Test("has one for each day, and none again before all others have been there, also before 1970")
    func order() throws {
        let given = try quotes(123)
        let catalogue = QuoteCatalogue(given)
        for first in [-200, -1, 0, 20_783] as [Int64] {
            #expect(Set(ids(catalogue, first..<first + 123)).count == 123, "\(first)")
            #expect(ids(catalogue, first..<first + 123) == ids(catalogue, first + 123..<first + 246), "\(first)")
        }
        // The order is not that of the file, but the same for each order of the file.
        #expect(catalogue.quotes != given && QuoteCatalogue(given.reversed()) == catalogue)
        #expect(QuoteCatalogue().quote(of: CalendarDay(daysSince1970: 1)) == nil)
    }

    @Test("is known by heart: another order would change what people see today")
    func fixedOrder() throws {
        #expect(
            QuoteCatalogue(try quotes(5)).quotes.map(\.id.text) == [
                "quote-2", "quote-0", "quote-3", "quote-4", "quote-1",
            ])
    }

    @Test("keeps its order when a quote comes or goes")
    func additions() throws {
        let (few, more) = (QuoteCatalogue(try quotes(40)), QuoteCatalogue(try quotes(60)))
        let known = Set(few.quotes.map(\.id))
        #expect(more.quotes.map(\.id).filter(known.contains) == few.quotes.map(\.id))
        // New ones do not all come at the end.
        #expect(more.quotes.suffix(20).contains { known.contains($0.id) })
    }

    @Test("takes a later file's words for a quote that an earlier one has")
    func replacement() throws {
        let folder = try TemporaryFolder()
        let first = try folder.write(
            #"[{"quote": "a", "en": "A", "de": "Ä"}, {"quote": "b", "en": "B", "de": "Be"}]"#, to: "first.json")
        let second = try folder.write(
            #"[{"quote": "c", "en": "C", "de": "Ce"}, {"quote": "a", "en": "New", "de": "Neu"}]"#, to: "second.json")
        let catalogue = try QuoteCatalogue(files: [first, second])
        #expect(Set(catalogue.quotes.map(\.english)) == ["New", "B", "C"])
        let quote = try #require(catalogue[ID("a")])
        #expect(quote.text(in: .german) == "Neu" && quote.text(in: Language.of(locale: "fr-FR")) == "New")
        #expect(try catalogue[ID("d")] == nil)
    }

    /// What is wrong on the second line of a file.
    static let broken: [(String, String)] = [
        (#""just a text""#, "expected {"), (#"{"quote": "a", "en": "A"}"#, "\"de\" is missing"),
        (#"{"en": "A", "de": "Ä"}"#, "\"quote\" is missing"),
        (#"{"quote": "A B", "en": "A", "de": "Ä"}"#, "\"quote\": "),
        (#"{"quote": "a", "en": " ", "de": "Ä"}"#, "\"en\" has to be a text"),
        (#"{"quote": "a", "en": "A", "de": "zwei\nZeilen"}"#, "\"de\" has to be a text"),
        (#"{"quote": "a", "en": "A", "de": "\u202eumgedreht"}"#, "\"de\" has to be a text"),
        (#"{"quote": "a", "en": "A", "de": 5}"#, "\"de\" is missing"),
        (#"{"quote": "a", "en": "A", "de": "Ä", "fr": "A"}"#, "a quote has no \"fr\""),
        (
            "{\"quote\": \"a\", \"en\": \"" + String(repeating: "a", count: 201) + "\", \"de\": \"Ä\"}",
            "at most 200 characters"
        ),
        (#"{"quote": "known", "en": "A", "de": "Ä"}"#, "the quote known is on line 1 already"),
        (#"{"quote": "a", "en": "A" "de": "Ä"}"#, "JSON"),
    ]

    @Test("refuses a file with the line and the reason", arguments: broken)
    func faults(line: String, reason: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(#"[{"quote": "known", "en": "K", "de": "K"},"# + "\n\(line)]", to: "quotes.json")
        let fault = try #require(thrown(DataFault.self) { try QuoteCatalogue(files: [path]) })
        #expect(fault.line == 2 && fault.said.contains(reason), "\(fault)")
    }

    @Test("has a limit")
    func limit() throws {
        let folder = try TemporaryFolder()
        let lines = (0...QuoteCatalogue.most).map { #"{"quote": "q\#($0)", "en": "E", "de": "D"}"# }
        let path = try folder.write("[" + lines.joined(separator: ",\n") + "]", to: "quotes.json")
        let fault = try #require(thrown(DataFault.self) { try QuoteCatalogue(files: [path]) })
        #expect(fault.said.contains("more than 2000"), "\(fault)")
    }

    @Test("is refused with the setting that names it")
    func settings() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"[{"quote": "a", "en": "A", "de": "Ä"}]"#, to: "own.json")
        try folder.write("[\n{}]", to: "broken.json")
        func catalogue(_ text: String) throws -> QuoteCatalogue {
            let path = try folder.write(text, to: "settings.json5")
            return try Settings.read(path) { section throws(SettingsError) in try QuotesSetting(section) }.catalogue
        }
        #expect(try catalogue(#"{ quotes: { catalogue: "own.json" } }"#).quotes.count == 1)
        #expect(try catalogue(#"{ quotes: { catalogue: "own.json", files: ["own.json"] } }"#).quotes.count == 1)
        for (key, text) in [
            ("quotes.catalogue", #"{ quotes: { catalogue: "broken.json" } }"#),
            ("quotes.files", #"{ quotes: { catalogue: "own.json", files: ["broken.json"] } }"#),
        ] {
            let error = try #require(thrown(SettingsError.self) { try catalogue(text) })
            #expect(error.key == key && error.problem.contains("broken.json, line 2: \"quote\" is missing"), "\(error)")
        }
    }
}

@Suite("The quotes that come with the programs")
struct OwnQuotesTests {
    private var quotes: [Quote] {
        get throws { try QuoteCatalogue(files: ["\(projectFolder)/deploy/quotes/quotes.json"]).quotes }
    }

    @Test("are enough for four months, none twice, each a short sentence in both languages")
    func sentences() throws {
        let quotes = try quotes
        #expect(quotes.count >= 120)
        #expect(Set(quotes.map(\.english)).count == quotes.count && Set(quotes.map(\.german)).count == quotes.count)
        for quote in quotes {
            for text in [quote.english, quote.german] {
                #expect(text.count <= 120 && text.first?.isUppercase == true && text.hasSuffix("."), "\(text)")
                #expect(!text.contains("  ") && !text.contains("!"), "\(text)")
            }
            #expect(quote.english != quote.german)
        }
    }

    @Test("are on a line each, in UTF-8 without escapes, so that a change of one is a change of a line")
    func lines() throws {
        let text = try String(contentsOfFile: "\(projectFolder)/deploy/quotes/quotes.json", encoding: .utf8)
        let count = try quotes.count
        #expect(text.split(separator: "\n").count == count + 2 && !text.contains("\\u"))
    }
}
