import Daemon
import Telemetry

/// `vitals posts comments`, `comment` and `uncomment`: what people write about posts.
struct PostComments {
    private let call: Call
    private let arguments: Arguments
    /// No text is longer, in characters.
    private static let longestText = 500

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let post = try arguments.string("POST")
        let comments = try Office.visit(call) { office in
            var comments: [JSON] = []
            var cursor: JSON?
            repeat {
                let page = try office.askPatiently("posts/comments", [("post", .string(post)), ("after", cursor)])
                comments += page.list("comments")
                cursor = page["next"]
            } while cursor != nil
            return comments
        }
        guard !call.isJSON else { return try print(comments.map(\.line).joined()) }
        guard !comments.isEmpty else {
            Output.note("no comments yet: vitals posts comment \(post) 'Well done.'")
            return .ok
        }
        return try print(comments.map(Self.text).joined())
    }

    func add() throws -> ExitCode {
        let (post, text) = (try arguments.string("POST"), try arguments.string("TEXT"))
        guard text.count <= Self.longestText else {
            let words = "has \(grouped(text.count)) characters, and can have \(grouped(Self.longestText))"
            throw arguments.refusal(of: "TEXT", words)
        }
        let comment = try Office.visit(call) {
            try $0.ask("posts/comment", [("post", .string(post)), ("text", .string(text))])
        }
        return try print(call.isJSON ? comment.line : Self.text(comment))
    }

    func remove() throws -> ExitCode {
        let comment = try arguments.string("COMMENT")
        let data = try Office.visit(call) { try $0.ask("posts/delete-comment", [("comment", .string(comment))]) }
        return try print(call.isJSON ? data.line : "the comment is deleted\n")
    }

    private static func text(_ comment: JSON) -> String {
        let heading =
            "\(comment.text("name") ?? "-"), \(comment.time("time") ?? "-")  \(comment.text("comment") ?? "-")\n"
        return heading + Posts.body(comment)
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
