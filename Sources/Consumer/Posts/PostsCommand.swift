import Daemon
import Features
import Files
import FoundationEssentials
import Records
import Storage
import Telemetry

/// `vitals-consumer posts`: what people have reported, and what becomes of it.
struct PostsCommand {
    static let command = OperatorCommand(declaration) { arguments in try PostsCommand(arguments).run }

    private static let declaration = Command(
        name: "posts",
        summary: """
            Lists posts and comments that people have reported, one JSON object on each line, or decides about one.
            """,
        discussion: """
            A reported post or comment is here as it was when it was reported, also if its author has deleted it, until you decide. The list does \
            not say who has reported it. The command works while the service is running: a post that is removed is in nobody's list any more.
            """,
        options: [
            .value("picture", "POST", "writes that post's picture to standard output instead"),
            .value("remove", "POST", "removes that post or comment, with what is kept of it here"),
            .value("keep", "POST", "lets that post or comment stay, for good: it cannot be reported again"),
        ],
        examples: [
            Example("vitals-consumer posts"),
            Example("vitals-consumer posts --picture abcdefghijklmnop > picture"),
            Example("vitals-consumer posts --remove abcdefghijklmnop"),
        ])

    enum Action {
        case list
        case picture(ID)
        case remove(ID)
        case keep(ID)
    }

    private let action: Action

    init(_ arguments: Arguments) throws {
        let given = try ["picture", "remove", "keep"].filter { try arguments.optionalString($0) != nil }
        guard given.count < 2 else {
            throw arguments.refusal(of: given.last ?? "keep", "give one of --picture, --remove and --keep")
        }
        switch given.first {
        case "picture"?: action = .picture(try ID(arguments.id("picture")))
        case "remove"?: action = .remove(try ID(arguments.id("remove")))
        case "keep"?: action = .keep(try ID(arguments.id("keep")))
        default: action = .list
        }
    }

    init(_ action: Action) { self.action = action }

    func run(_ parts: OperatorParts) throws(Failure) {
        var lines = Lines(parts.output)
        defer { lines.flush() }
        switch action {
        case .list:
            let rows = try Self.rows(parts, .read)
            for post in try Failure.explaining({ () throws(VaultError) in try rows.open() }) {
                lines.write(Self.json(post).bytes)
            }
        case .picture(let id): try write(pictureOf: id, parts)
        case .remove(let id):
            let rows = try Self.rows(parts, .write)
            try expect(id, Failure.explaining { () throws(VaultError) in try rows.remove(id) })
            lines.write(Array("\(id) is removed".utf8))
        case .keep(let id):
            let rows = try Self.rows(parts, .write)
            try expect(id, Failure.explaining { () throws(VaultError) in try rows.keep(id) })
            lines.write(Array("\(id) stays".utf8))
        }
    }

    private static func rows(_ parts: OperatorParts, _ access: Keys.Access) throws(Failure) -> ReportRows {
        let (store, keys) = try parts.open(access)
        return ReportRows(store, keys)
    }

    private func expect(_ id: ID, _ isReported: Bool) throws(Failure) {
        guard !isReported else { return }
        throw Failure(
            .notFound, "nobody has reported a post \(id)", hint: "`vitals-consumer posts` lists those that wait for you")
    }

    private func write(pictureOf id: ID, _ parts: OperatorParts) throws(Failure) {
        let rows = try Self.rows(parts, .read)
        let found = try Failure.explaining { () throws(VaultError) in try rows.open(id) }
        try expect(id, found != nil)
        guard case .string(let text)? = found?.picture?["picture"], let picture = Data(base64Encoded: text) else {
            throw Failure(.notFound, "the post \(id) has no picture")
        }
        try writeAll(Array(picture), to: parts.output) { Failure(.inputOutput, "the picture cannot be written: \($0)") }
    }

    private static func json(_ post: ReportedPost) -> JSON {
        let reasons = post.reasons.map { reason -> JSON in
            ["time": .integer(reason.time), "reason": .string(reason.text)]
        }
        return .object(
            [
                JSON.Member(post.isComment ? "comment" : "post", .string(post.post.text)),
                JSON.Member("author", .string(post.author.text)),
                JSON.Member("reported", .integer(post.reported)), JSON.Member("deleted", .bool(!post.isThere)),
                JSON.Member("reasons", .array(reasons)),
            ] + post.content)
    }
}
