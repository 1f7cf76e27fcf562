import Daemon
import Telemetry

// `vitals friends` and `vitals cheer`. The consumer knows friends by their ids; people know them by their names, so each command begins
// with the list. An invitation that nobody has accepted yet has an id of its own.

/// Lists friends, and changes who they are.
struct Friends {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let friends = try Office.visit(call) { try $0.ask("friends/list") }.list("friends")
        guard !call.isJSON else { return try print(friends.map(\.line).joined()) }
        guard !friends.isEmpty else {
            Output.note("no friends yet: vitals friends invite, or vitals friends code")
            return .ok
        }
        let rows = friends.map { friend in
            [
                friend.text("name") ?? friend.text("to") ?? "-",
                friend.double("steps").map(Attribute.steps.text) ?? "-",
                Self.state(friend), friend.time("since").map { String($0.prefix(10)) } ?? "-",
                friend.text("friend") ?? "-",
            ]
        }
        return try print(table(["NAME", "STEPS", "STATE", "SINCE", "ID"], rows))
    }

    private static func state(_ friend: JSON) -> String {
        switch friend["state"] {
        case "friend": friend["muted"] == true ? "friend, muted" : "friend"
        case "invited": "invited by you"
        case "asked": "asks you"
        default: friend.text("state") ?? "-"
        }
    }

    func code() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("friends/code") }
        guard !call.isJSON else { return try print(data.line) }
        _ = try print((data.text("code") ?? "-") + "\n")
        let end = data.time("expires").map { ", until \($0)" } ?? ""
        Output.note("good once\(end): whoever types it after `vitals friends invite` is your friend")
        return .ok
    }

    func invite() throws -> ExitCode {
        let text = try arguments.string("WHOM")
        let data = try Office.visit(call) { try $0.ask("friends/invite", [Self.address(text)]) }
        guard !call.isJSON else { return try print(data.line) }
        return try print(
            data["state"] == "friend"
                ? "you are friends now\n" : "invited, if that is somebody here: they are asked, and may accept\n")
    }

    /// An e-mail address, a phone number, or else a code: that has letters.
    private static func address(_ text: String) -> (String, JSON?) {
        let digits = text.filter { $0.isASCII && $0.isNumber }.count
        let isPhone =
            text.allSatisfy { $0.isASCII && ($0.isNumber || "+-()./ ".contains($0)) } && (1...15).contains(digits)
        return text.contains("@") || isPhone ? AccountName(text).field : ("code", .string(text))
    }

    // MARK: One of them

    func accept() throws -> ExitCode { try change("accept", of: ["asked"]) { "you and \($0) are friends now" } }

    func refuse() throws -> ExitCode { try change("refuse", of: ["asked"]) { "\($0) is refused" } }

    func remove() throws -> ExitCode {
        try change("remove", of: ["friend", "invited", "asked"], asking: "Remove") { "\($0) is removed" }
    }

    func block() throws -> ExitCode {
        try change("block", of: ["friend", "asked"], asking: "Block") { "\($0) is blocked" }
    }

    func unblock() throws -> ExitCode { try change("unblock", of: ["blocked"]) { "\($0) is not blocked any more" } }

    func mute(_ isMuted: Bool) throws -> ExitCode {
        try change("mute", of: ["friend"], [("muted", .bool(isMuted))]) {
            isMuted ? "you are told of no thumbs of \($0)" : "you are told of thumbs of \($0) again"
        }
    }

    /// Which way a thumb points.
    enum Thumb: String, CaseIterable {
        case up, down
    }

    func cheer() throws -> ExitCode {
        let thumb = try arguments.choice("THUMB", of: Thumb.self)
        return try change("cheer", of: ["friend"], [("thumb", .string(thumb.rawValue))]) {
            "thumbs \(thumb.rawValue) for \($0)"
        }
    }

    /// Asks for something about one of those in the list.
    private func change(
        _ verb: String, of states: Set<String>, _ fields: [(String, JSON?)] = [],
        asking question: String? = nil, text: (String) -> String
    ) throws -> ExitCode {
        let wanted = try arguments.string("NAME")
        let isSure = question == nil ? true : try arguments.flag("yes")
        return try Office.visit(call) { office in
            let known = try office.ask("friends/list").list("friends")
            let (id, name) = try Self.one(wanted, among: known, states)
            guard isSure || isConfirmed("\(question ?? verb) \(name)?") else {
                throw Failure(.failure, "nothing was changed")
            }
            let data = try office.ask("friends/\(verb)", [("friend", .string(id))] + fields)
            let left = data.whole("left").map { "; \($0) more today" } ?? ""
            return try print(call.isJSON ? data.line : text(name) + left + "\n")
        }
    }

    /// The one that is meant: by id, by the whole name, or by its beginning; in small letters or capitals.
    static func one(_ wanted: String, among known: [JSON], _ states: Set<String>) throws(Failure) -> (
        id: String, name: String
    ) {
        let entries = known.compactMap { entry -> (id: String, name: String)? in
            guard case .string(let id) = entry["friend"], case .string(let state) = entry["state"],
                states.contains(state)
            else { return nil }
            return (id, entry.text("name") ?? entry.text("to") ?? id)
        }
        if let entry = entries.first(where: { $0.id == wanted }) { return entry }
        let word = escaped(wanted).lowercased()
        let same = entries.filter { $0.name.lowercased() == word }
        let found = same.isEmpty && !word.isEmpty ? entries.filter { $0.name.lowercased().hasPrefix(word) } : same
        guard let entry = found.first else {
            let there = entries.isEmpty ? "nobody at all" : entries.map(\.name).joined(separator: ", ")
            throw Failure(
                .failure, "nobody is called \(escaped(wanted)) among those that this is for: \(there)",
                hint: "see vitals friends")
        }
        guard found.count == 1 else {
            let there = found.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
            throw Failure(.usage, "which \(escaped(wanted))? There are \(there)", hint: "name the one by the id")
        }
        return entry
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
