import Daemon
import Fitness
import Telemetry

/// `vitals posts`: what people show each other of their weeks.
struct Posts {
    private let call: Call
    private let arguments: Arguments
    private static let counts = 1...1000
    /// No text is longer, in characters.
    private static let (longestText, longestReason) = (1000, 500)

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let count = try arguments.integer("count", in: Self.counts)
        let isOwn = try arguments.flag("own")
        let (posts, units) = try Office.visit(call) { office -> ([JSON], Units) in
            var posts: [JSON] = []
            var cursor: JSON?
            repeat {
                let page = try office.askPatiently("posts/list", [("own", isOwn ? true : nil), ("after", cursor)])
                posts += page.list("posts")
                cursor = page["next"]
            } while cursor != nil && posts.count < count
            return (Array(posts.prefix(count)), unitsOf(posts, office))
        }
        guard !call.isJSON else { return try print(posts.map(\.line).joined()) }
        guard !posts.isEmpty else {
            Output.note("no posts yet: vitals posts add 'A good week.' --to friends")
            return .ok
        }
        return try print(posts.map { Self.text($0, units) }.joined(separator: "\n"))
    }

    func show() throws -> ExitCode {
        let post = try arguments.string("POST")
        let (picture, portrait) = (
            try arguments.optionalString("picture"), try arguments.optionalString("portrait")
        )
        if picture != nil, portrait != nil {
            throw arguments.refusal(of: "portrait", "cannot be combined with --picture")
        }
        guard let path = picture ?? portrait else {
            return try show { try $0.ask("posts/show", [("post", .string(post))]) }
        }
        let verb = picture == nil ? "posts/portrait" : "posts/picture"
        let data = try Office.visit(call) { try $0.ask(verb, [("post", .string(post))]) }
        guard !call.isJSON else { return try print(data.line) }
        guard let written = try Pictures.write(data, to: path) else {
            throw Failure(.notFound, "this post has no picture")
        }
        return try print(written)
    }

    func add() throws -> ExitCode {
        let text = try arguments.optionalString("TEXT").map { try written($0, "TEXT", atMost: Self.longestText) }
        let wanted = try arguments.strings("to")
        guard !wanted.isEmpty else {
            throw arguments.missing("to", "friends, or a group of yours (vitals groups)")
        }
        let picture = try arguments.optionalString("picture").map { try Pictures.read($0) }
        let workout = try arguments.optionalString("workout")
        let (way, heartRate) = (try arguments.flag("way"), try arguments.flag("heart-rate"))
        if workout == nil, way || heartRate {
            throw arguments.refusal(of: way ? "way" : "heart-rate", "only goes with --workout")
        }
        return try show { office in
            let groups = try Self.groups(wanted.filter { $0 != "friends" }, office)
            let shown = try workout.map { JSON.string(try office.workout(named: $0, "workout", arguments)) }
            return try office.ask(
                "posts/add",
                [
                    ("workout", shown), ("way", way ? true : nil), ("heart_rate", heartRate ? true : nil),
                    ("text", text), ("picture", picture), ("friends", wanted.contains("friends") ? true : nil),
                    ("groups", groups.isEmpty ? nil : .array(groups.map(JSON.string))),
                ])
        }
    }

    func way() throws -> ExitCode {
        let post = try arguments.string("POST")
        let data = try Office.visit(call) { try $0.ask("posts/way", [("post", .string(post))]) }
        guard !call.isJSON else { return try print(data.line) }
        let drawing = PostedWorkout.drawing(data)
        guard !drawing.isEmpty else {
            Output.note("there is no way to show: it is too short without its start and its end")
            return .ok
        }
        return try print("without its start and its end; north at the top\n" + drawing)
    }

    /// The ids of the asker's groups that a command line names.
    private static func groups(_ wanted: [String], _ office: Office) throws(Failure) -> [String] {
        guard !wanted.isEmpty else { return [] }
        let known = try office.ask("groups/list").list("groups").compactMap { group -> (id: String, name: String?)? in
            guard case .string(let id) = group["group"] else { return nil }
            return (id, group.text("name"))
        }
        var groups: [String] = []
        for name in wanted {
            guard let id = try idMeant(by: name, among: known, "group") else {
                throw Failure(
                    .notFound, "you are in no group \(escaped(name))", hint: "vitals groups lists yours; for friends: --to friends")
            }
            groups.append(id)
        }
        return groups
    }

    func thumb() throws -> ExitCode {
        let (post, word) = (try arguments.string("POST"), try arguments.string("THUMB"))
        guard ["up", "down", "none"].contains(word) else {
            throw arguments.refusal(of: "THUMB", "expected up, down or none, found \(escaped(word))")
        }
        let thumb = word == "none" ? JSON.null : .string(word)
        return try show { try $0.ask("posts/thumb", [("post", .string(post)), ("thumb", thumb)]) }
    }

    func delete() throws -> ExitCode {
        let post = try arguments.string("POST")
        try Confirmation.refuseUnasked(arguments)
        try Confirmation.ask("Delete the post \(escaped(post))?", arguments)
        let data = try Office.visit(call) { try $0.ask("posts/delete", [("post", .string(post))]) }
        return try print(call.isJSON ? data.line : "the post is deleted\n")
    }

    func report() throws -> ExitCode {
        let post = try arguments.string("POST")
        let reason = try written(arguments.string("REASON"), "REASON", atMost: Self.longestReason)
        let isComment = try arguments.flag("comment")
        let data = try Office.visit(call) {
            try $0.ask("posts/report", [(isComment ? "comment" : "post", .string(post)), ("reason", reason)])
        }
        let what = isComment ? "comment" : "post"
        return try print(
            call.isJSON ? data.line : "the operator of this consumer will see the \(what) and what you say of it\n")
    }

    /// A text, unless it is longer than the consumer takes.
    private func written(_ text: String, _ name: String, atMost longest: Int) throws -> JSON {
        guard text.count <= longest else {
            let words = "has \(grouped(text.count)) characters, and can have \(grouped(longest))"
            throw arguments.refusal(of: name, words)
        }
        return .string(text)
    }

    // MARK: What is shown

    private func show(_ ask: (Office) throws -> JSON) throws -> ExitCode {
        let (post, units) = try Office.visit(call) { office -> (JSON, Units) in
            let post = try ask(office)
            return (post, unitsOf([post], office))
        }
        return try print(call.isJSON ? post.line : Self.text(post, units))
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }

    /// The person's units; only workouts need them.
    private func unitsOf(_ posts: [JSON], _ office: Office) -> Units {
        call.isJSON || posts.allSatisfy { $0["workout"] == nil } ? .metric : office.units()
    }

    /// A post as a paragraph.
    private static func text(_ post: JSON, _ units: Units) -> String {
        let workouts = counted(post.whole("workouts") ?? 0, "workout")
        let time = post.whole("duration_s").flatMap { $0 > 0 ? ", \(clock(seconds: $0))" : nil } ?? ""
        let mine = post.text("mine").map { ", yours: \($0)" } ?? ""
        let heading = "\(post.text("name") ?? "-"), \(post.time("time") ?? "-")  \(post.text("post") ?? "-")\n"
        return heading
            + lines([
                ("  workout", post["workout"].map { PostedWorkout($0, units).line }),
                ("  week", post["workout"] == nil ? workouts + time : nil),
                ("  chosen", words(post, "selection")), ("  muscles", words(post, "muscles")),
                ("  for", post["to"].map(audience)),
                ("  picture", post["picture"] == true ? "yes" : nil),
                ("  thumbs", "\(post.whole("ups") ?? 0) up, \(post.whole("downs") ?? 0) down\(mine)"),
                ("  comments", post.whole("comments").flatMap { $0 > 0 ? "\($0)" : nil }),
            ]) + body(post)
    }

    private static func words(_ post: JSON, _ name: String) -> String? {
        let names = post.list(name).map(\.words)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private static func audience(_ to: JSON) -> String {
        let groups = to.list("groups").map { $0.text("name") ?? $0.text("group") ?? "-" }
        return ((to["friends"] == true ? ["friends"] : []) + groups).joined(separator: ", ")
    }

    /// Its text, line by line: only line breaks are more than a text to a terminal.
    static func body(_ post: JSON) -> String {
        guard case .string(let text)? = post["text"], !text.isEmpty else { return "" }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \(escaped(String($0)))".trimmed + "\n" }
            .joined()
    }
}
