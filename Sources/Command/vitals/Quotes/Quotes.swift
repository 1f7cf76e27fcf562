import Daemon
import Telemetry

/// `vitals quote`: the sentence of the day, and those that a person likes.
struct Quotes {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    static let command = Command(
        name: "quote", summary: "Shows the quote of your day, and keeps the ones that you like.",
        discussion: """
            There is another one each day, at your midnight. It is in the language of your profile: vitals profile set --locale de-AT.
            """,
        examples: [Example("vitals quote"), Example("vitals quote like")],
        subcommands: [
            Command(
                name: "like", summary: "Says that you like a quote: it is kept in your list.",
                arguments: [.optional("QUOTE", "its id (default: today's)")]),
            Command(
                name: "unlike", summary: "Takes a quote from your list.",
                arguments: [.optional("QUOTE", "its id (default: today's)", offers: Offers.quotes.rawValue)]),
            Command(
                name: "liked", summary: "Lists the quotes that you like, the latest first.",
                examples: [Example("vitals quote liked --json")]),
        ], runsAlone: true)

    /// Does what the command line asks for; nil if it is none of these.
    func execute() throws -> ExitCode? {
        switch arguments.command {
        case ["quote"]: try show()
        case ["quote", "like"]: try like(true)
        case ["quote", "unlike"]: try like(false)
        case ["quote", "liked"]: try list()
        default: nil
        }
    }

    private func show() throws -> ExitCode {
        let quote = try Office.visit(call) { try $0.ask("quotes/today") }
        return try print(call.isJSON ? quote.line : "\(quote.text("text") ?? "-")\n")
    }

    private func like(_ isLiked: Bool) throws -> ExitCode {
        let data = try Office.visit(call) { office in
            let named = try arguments.optionalString("QUOTE")
            let quote = try named.map(JSON.string) ?? office.ask("quotes/today")["quote"]
            return try office.ask(isLiked ? "quotes/like" : "quotes/unlike", [("quote", quote)])
        }
        let id = data.text("quote") ?? "-"
        return try print(call.isJSON ? data.line : isLiked ? "You like \(id)\n" : "\(id) is no longer in your list\n")
    }

    private func list() throws -> ExitCode {
        let quotes = try Office.visit(call) { try $0.pages("quotes/liked", "quotes") }
        guard !call.isJSON else { return try print(quotes.map(\.line).joined()) }
        guard !quotes.isEmpty else {
            Output.note("no quotes yet: vitals quote like")
            return .ok
        }
        let rows = quotes.map { [$0.text("quote") ?? "-", $0.time("time") ?? "-", $0.text("text") ?? "-"] }
        return try print(table(["QUOTE", "SINCE", "TEXT"], rows))
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
