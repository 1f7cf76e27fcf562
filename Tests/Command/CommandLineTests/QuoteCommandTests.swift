import Telemetry
import TestSupport
import Testing

@Suite("vitals quote", .timeLimit(.minutes(60)))
struct QuoteCommandTests {
    private static let today: JSON = [
        "day": "2026-11-26", "language": "en", "liked": false, "quote": "tea", "text": "Afterwards, tea.\u{1B}[2J",
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("quotes/today", Self.today)
        return consumer
    }

    @Test("shows the sentence of the day, for people and for programs, and a home without quotes says what to do")
    func today() throws {
        let consumer = try signedIn()
        let shown = try consumer.vitals("quote")
        #expect(shown.status == 0 && shown.output == "Afterwards, tea.\\u{1b}[2J\n", "\(shown)")
        let json = try consumer.vitals("quote", "--json").output
        #expect(try JSON(payload: Array(json.utf8)) == Self.today)
        consumer.refuse("quotes/today", ReplyError(.notSupported, "this home has no quotes", field: "quotes"))
        let none = try consumer.vitals("quote")
        #expect(none.status != 0 && none.errors == "vitals: this home has no quotes\n", "\(none)")
    }

    @Test("likes and un-likes today's, or the one that is named")
    func like() throws {
        let consumer = try signedIn()
        consumer.answer("quotes/like", ["quote": "tea", "liked": true])
        consumer.answer("quotes/unlike", ["quote": "stairs", "liked": false])
        let liked = try consumer.vitals("quote", "like")
        #expect(liked.status == 0 && liked.output == "You like tea\n", "\(liked)")
        #expect(try consumer.last().name == "quotes/like" && consumer.last().fields == ["quote": "tea"])
        let unliked = try consumer.vitals("quote", "unlike", "stairs")
        #expect(unliked.status == 0 && unliked.output == "stairs is no longer in your list\n", "\(unliked)")
        #expect(try consumer.last().name == "quotes/unlike" && consumer.last().fields == ["quote": "stairs"])
        let json = try consumer.vitals("quote", "like", "--json").output
        #expect(try JSON(payload: Array(json.utf8)) == ["liked": true, "quote": "tea"])
    }

    @Test("lists what a person likes, page by page, offers it for completion, and says how to begin")
    func liked() throws {
        let consumer = try signedIn()
        @Sendable func quote(_ number: Int64) -> JSON {
            ["quote": .string("q-\(number)"), "text": .string("Text \(number)."), "time": 1_795_261_361_000]
        }
        consumer.answer("quotes/liked") { fields in
            fields["after"] == "7-q-50"
                ? Reply(.ok(["quotes": [quote(51)]]))
                : Reply(.ok(["quotes": .array((1...50).map(quote)), "next": "7-q-50"]))
        }
        let list = try consumer.vitals("quote", "liked")
        let lines = list.output.split(separator: "\n")
        #expect(list.status == 0 && lines.count == 52 && list.output.hasPrefix("QUOTE"), "\(list)")
        let last = try #require(lines.last)
        #expect(last.hasPrefix("q-51") && last.hasSuffix("2026-11-21 11:42:41  Text 51."), "\(last)")
        #expect(try consumer.vitals("quote", "liked", "--json").output.split(separator: "\n").count == 51)
        let first = "q-1\nq-10\n"
        #expect(try consumer.completion("quotes") { $0.hasPrefix(first) }.hasPrefix(first))
        consumer.answer("quotes/liked", ["quotes": []])
        let none = try consumer.vitals("quote", "liked")
        #expect(
            none.output.isEmpty && none.errors.contains("no quotes yet: vitals") && none.errors.contains("quote like"))
    }
}
