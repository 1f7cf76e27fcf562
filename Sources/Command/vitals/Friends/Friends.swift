import Daemon
import Telemetry

// `vitals friends` and `vitals cheer`. The consumer knows friends by their ids; people know them by their names, so
// each command begins with the list. An invitation that nobody has accepted yet has an id of its own.

/// Lists, adds and removes friends.
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
                friend.double("steps").map { decimal($0, 0) } ?? "-",
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
        let data = try Office.visit(call) { try $0.ask("friends/code", [share($0)]) }
        guard !call.isJSON else { return try print(data.line) }
        _ = try print((data.text("code") ?? "-") + "\n")
        let end = data.time("expires").map { ", until \($0)" } ?? ""
        Output.note("it works once\(end): a person who gives it to `friends invite` becomes your friend")
        Output.note(Self.shown(data))
        return .ok
    }

    func invite() throws -> ExitCode {
        let text = try arguments.string("WHOM")
        let data = try Office.visit(call) { try $0.ask("friends/invite", [Self.address(text), share($0)]) }
        guard !call.isJSON else { return try print(data.line) }
        _ = try print(
            data["state"] == "friend"
                ? "you are friends now\n"
                : "invited: if somebody here has this address, number or code, they are asked, and may accept\n")
        Output.note(Self.shown(data))
        return .ok
    }

    // MARK: What friends see

    /// Whether friends should see the person's steps: as the command line says, or as the person answers at the
    /// terminal, if friends do not see them yet. If it is left out, nothing changes.
    private func share(_ office: Office) throws -> (String, JSON?) {
        if let text = try arguments.optionalString("share-steps") {
            guard let value = onOff(text) else { throw arguments.refusal(of: "share-steps", "expected on or off") }
            return ("share", .object([JSON.Member("steps", value)]))
        }
        guard Secret.isTerminal, !call.isJSON, try office.ask("consent/get")["steps"] != true,
            isConfirmed("Show your steps for the day to your friends?")
        else { return ("share", nil) }
        return ("share", ["steps": true])
    }

    /// What friends see from now on, as a reply says it.
    private static func shown(_ data: JSON) -> String {
        data["share"]?["steps"] == true
            ? "your friends see your steps for the day; `vitals consent --steps off` ends that"
            : "your friends do not see your steps; `vitals consent --steps on` shows them"
    }

    /// An e-mail address, a phone number, or else a code, which has letters.
    private static func address(_ text: String) -> (String, JSON?) {
        let digits = text.filter { $0.isASCII && $0.isNumber }.count
        let isPhone =
            text.allSatisfy { $0.isASCII && ($0.isNumber || "+-()./ ".contains($0)) } && (1...15).contains(digits)
        return text.contains("@") || isPhone ? AccountName(text).field : ("code", .string(text))
    }

    // MARK: One of them

    func accept() throws -> ExitCode {
        try change("accept", of: ["asked"], isSharing: true) { "you and \($0) are friends now" }
    }

    func refuse() throws -> ExitCode { try change("refuse", of: ["asked"]) { "\($0) is refused" } }

    func remove() throws -> ExitCode {
        try change("remove", of: ["friend", "invited", "asked"], asking: "Remove") { "\($0) is removed" }
    }

    func block() throws -> ExitCode {
        try change("block", of: ["friend", "asked"], asking: "Block", elsewhere: Self.notified) { "\($0) is blocked" }
    }

    /// The person that a notification is about, found by its id or by the whole name. When an invitation is withdrawn,
    /// its notification goes too, but its id can still be blocked.
    private static func notified(_ wanted: String, _ office: Office) throws(Failure) -> (id: String, name: String)? {
        let told = try office.ask("notifications/list", [("all", true), ("limit", 100)]).list("notifications")
        for notification in told {
            guard case .string(let sender) = notification["from"] else { continue }
            let name = notification.text("from_name")
            let isMeant = [notification["id"], notification["from"]].contains(.string(wanted))
            if isMeant || name?.lowercased() == escaped(wanted).lowercased() { return (sender, name ?? sender) }
        }
        let isID = wanted.utf8.count == 16 && wanted.allSatisfy { "abcdefghijklmnopqrstuvwxyz234567".contains($0) }
        return isID ? (wanted, wanted) : nil
    }

    func unblock() throws -> ExitCode { try change("unblock", of: ["blocked"]) { "\($0) is not blocked any more" } }

    func mute(_ isMuted: Bool) throws -> ExitCode {
        try change("mute", named: isMuted ? "mute" : "unmute", of: ["friend"], [("muted", .bool(isMuted))]) {
            isMuted ? "you are no longer told of thumbs of \($0)" : "you are told of thumbs of \($0) again"
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

    /// Asks for something about one of the people in the list.
    private func change(
        _ verb: String, named command: String? = nil, of states: Set<String>, _ fields: [(String, JSON?)] = [],
        asking question: String? = nil, isSharing: Bool = false,
        elsewhere: ((String, Office) throws(Failure) -> (id: String, name: String)?)? = nil,
        text: (String) -> String
    ) throws -> ExitCode {
        let wanted = try arguments.string("NAME")
        let isSure = question == nil ? true : try arguments.flag("yes")
        return try Office.visit(call) { office in
            let known = try office.ask("friends/list").list("friends")
            let (id, name): (String, String)
            do throws(Failure) { (id, name) = try Self.one(wanted, among: known, states, to: command ?? verb) } catch {
                guard let found = try elsewhere?(wanted, office) else { throw error }
                (id, name) = found
            }
            guard isSure || isConfirmed("\(question ?? verb) \(name)?") else {
                throw Failure(.declined, "nothing was changed")
            }
            let fields = isSharing ? fields + [try share(office)] : fields
            let data = try office.ask("friends/\(verb)", [("friend", .string(id))] + fields)
            let left = data.whole("left").map { "; \($0) more today" } ?? ""
            _ = try print(call.isJSON ? data.line : text(name) + left + "\n")
            if isSharing, !call.isJSON { Output.note(Self.shown(data)) }
            return .ok
        }
    }

    /// The one that is meant: by id, by the whole name, or by its beginning; in any case.
    /// - Parameter verb: what the command does, for the error if nobody was named.
    static func one(
        _ wanted: String, among known: [JSON], _ states: Set<String>, to verb: String
    ) throws(Failure) -> (id: String, name: String) {
        let entries = known.compactMap { entry -> (id: String, name: String)? in
            guard case .string(let id) = entry["friend"], case .string(let state) = entry["state"],
                states.contains(state)
            else { return nil }
            return (id, entry.text("name") ?? entry.text("to") ?? id)
        }
        return try person(wanted, among: entries, to: verb, list: "vitals friends")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
