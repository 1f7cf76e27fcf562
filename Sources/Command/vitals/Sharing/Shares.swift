import Daemon
import Files
import FoundationEssentials
import Telemetry

// `vitals share WHAT`: shows what would be posted, asks, and posts.

/// Shares something.
struct Shares {
    private let call: Call
    private let arguments: Arguments
    /// How long services may take together: each has a minute at most, and others may be before us.
    private static let patience = Duration.seconds(330)
    /// The largest picture that is taken from a consumer, in bytes.
    private static let largestPicture = 8 << 20

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func share(_ what: String) throws -> ExitCode {
        try Office.visit(call) { office in
            let preview = try office.ask("share/preview", fields(what, office), within: .usually(.seconds(30)))
            guard case .string(let share)? = preview["share"] else {
                throw Failure(.protocolError, "the consumer's reply has no preview")
            }
            let text = try arguments.optionalString("text")
            do {
                try show(preview, text)
                if let file = try arguments.optionalString("picture") { try write(preview, share, office, to: file) }
                let targets = try targets(preview)
                guard try isWanted(targets) else {
                    _ = try office.ask("share/cancel", [("share", .string(share))])
                    return try decline()
                }
                return try post(share, text, targets, office)
            } catch let failure as Failure {
                // It ends by itself in ten minutes; this is only sooner.
                _ = try? office.ask("share/cancel", [("share", .string(share))], within: .atMost(.seconds(2)))
                throw failure
            }
        }
    }

    /// What is asked for.
    private func fields(_ what: String, _ office: Office) throws -> [(String, JSON?)] {
        let picture: (String, JSON?) = ("picture", try arguments.flag("no-picture") ? false : nil)
        switch what {
        case "workout":
            return [("what", "workout"), ("workout", .string(try office.workout(arguments))), picture]
        case "post": return [("what", "post"), ("post", .string(try arguments.string("POST"))), picture]
        case "statistics": return [("what", "statistics"), picture]
        case "goal":
            let goal = try arguments.choice("of", of: Goals.Goal.self)
            return [("what", "goal"), ("goal", .string(goal.rawValue)), ("day", try day()), picture]
        default:
            return [("what", "report"), ("period", .string(what)), ("day", try day()), picture]
        }
    }

    private func day() throws -> JSON? { try arguments.typedDay().map(JSON.string) }

    // MARK: The preview

    private func show(_ preview: JSON, _ text: String?) throws {
        guard !call.isJSON else {
            // A program takes the picture from the file.
            let picture = preview["picture"].map { picture -> JSON in picture.without("data").without("next") }
            let members: [JSON.Member] = [picture.map { JSON.Member("picture", $0) }].compactMap { $0 }
            guard case .object(let rest) = preview.without("picture") else { return }
            try Output.write(JSON.object(rest + members).line)
            return
        }
        var lines = Self.lines(text ?? preview.string("text") ?? "-")
        if let link = preview.text("link") { lines.append(link) }
        lines.append("")
        if let picture = preview["picture"], let length = picture.whole("length") {
            let hint = try arguments.optionalString("picture") == nil ? "; --picture FILE writes it to look at it" : ""
            let type = picture.text("type")?.split(separator: "/").last?.uppercased() ?? "-"
            lines.append("With a picture: \(type), \(counted(length, "byte"))\(hint)")
        }
        if let page = preview.text("facebook") { lines.append("On Facebook yourself: \(page)") }
        if text == nil, let page = preview.text("x") { lines.append("On X yourself: \(page)") }
        try Output.write(lines.map { $0 + "\n" }.joined())
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }
    }

    private func write(_ preview: JSON, _ share: String, _ office: Office, to file: String) throws {
        guard var part = preview["picture"] else {
            return Output.note("there is no picture to write")
        }
        var bytes: [UInt8] = []
        while true {
            guard case .string(let text)? = part["data"], let data = Data(base64Encoded: text), !data.isEmpty,
                bytes.count + data.count <= Self.largestPicture
            else { throw Failure(.protocolError, "a part of the picture is not base64, or it is too large") }
            bytes += data
            guard let next = part["next"], next != .null else { break }
            part = try office.askPatiently("share/picture", [("share", .string(share)), ("offset", next)])
        }
        do throws(VaultError) { try SmallFile.replace(file, with: bytes) } catch {
            throw Failure(.inputOutput, "\(file) cannot be written: \(error.said)")
        }
        if !call.isJSON { Output.note("\(file): the picture") }
    }

    // MARK: Post or Cancel

    /// Where it is to go.
    private func targets(_ preview: JSON) throws -> [JSON] {
        let all = preview.list("to")
        guard !all.isEmpty else {
            throw Failure(
                .refused, "you have no service to post to: nothing was posted",
                hint: "vitals share add, or open one of the pages above in a browser",
                code: ReplyError.Code.notAllowed.rawValue, field: "to")
        }
        let wanted = try arguments.strings("to")
        guard !wanted.isEmpty else { return all }
        let known = all.compactMap { target -> (id: String, name: String?)? in
            target.string("service").map { ($0, target.text("label")) }
        }
        let ids = try wanted.map { name -> String in
            guard let id = try idMeant(by: name, among: known, "service") else {
                throw Office.Owned.service.missing(name)
            }
            return id
        }
        return all.filter { target in target.string("service").map(ids.contains) ?? false }
    }

    private func isWanted(_ targets: [JSON]) throws -> Bool {
        guard !(try arguments.flag("yes")) else { return true }
        guard Secret.isTerminal, !call.isJSON else { return !(try arguments.strings("to").isEmpty) }
        let names = targets.map { target -> String in
            let (label, address) = (target.text("label") ?? "-", target.text("address") ?? "-")
            return label == address ? label : "\(label) (\(address))"
        }
        let answer = Secret.answer("To \(names.joined(separator: ", ")): Post or Cancel? [p/C] ") ?? ""
        return ["p", "post"].contains(answer.lowercased())
    }

    private func decline() throws -> ExitCode {
        guard !Secret.isTerminal || call.isJSON else { throw Failure(.declined, "nothing was posted") }
        throw Failure(
            .declined, "nothing was posted", hint: "--yes posts to all of your services, and --to SERVICE to one")
    }

    // MARK: Posting

    private func post(_ share: String, _ text: String?, _ targets: [JSON], _ office: Office) throws -> ExitCode {
        let fields: [(String, JSON?)] = [
            ("share", .string(share)), ("to", .array(targets.compactMap { $0["service"] })),
            ("text", text.map(JSON.string)),
        ]
        let end = ContinuousClock.now + call.patience(Self.patience)
        while true {
            let data = try office.ask("share/post", fields, within: .usually(.seconds(60)))
            let results = ShareResults(results: data.list("results"))
            // The same request again posts nothing: it waits for what is still on its way.
            if results.isUnderWay, ContinuousClock.now < end { continue }
            try Output.write(call.isJSON ? data.line : results.lines)
            if results.isUnderWay, !call.isJSON { Output.note("what became of it later: vitals share list") }
            return results.exitCode
        }
    }
}

extension JSON {
    /// A member that is a text, as it is.
    fileprivate func string(_ name: String) -> String? {
        if case .string(let text)? = self[name] { text } else { nil }
    }
}
