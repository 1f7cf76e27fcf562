import Daemon
import Fitness
import Telemetry

// `vitals partners`.

/// Offers to train together, questions about them, and partners.
struct Partners {
    private let call: Call
    private let arguments: Arguments

    /// How many pages of offers are read.
    private static let mostPages = 20
    /// What a pace can be, in seconds for a kilometre.
    private static let paces: ClosedRange<Int64> = 60...3600

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let (data, units) = try Office.visit(call) { (try $0.ask("partners/list"), $0.units()) }
        guard !call.isJSON else { return try print(data.line) }
        let (partners, asked) = (data.list("partners"), data.list("asked"))
        let (asks, offers) = (data.list("asks"), data.list("offers"))
        var parts: [String] = []
        if !partners.isEmpty {
            parts.append(
                vitals.table(
                    ["PARTNER", "CONTACT", "ACTIVITY", "ID"],
                    partners.map { partner in
                        [
                            partner.text("name") ?? "somebody", partner.text("contact") ?? "-",
                            partner.text("activity") ?? "-", partner.text("partner") ?? "-",
                        ]
                    }))
        }
        if !asked.isEmpty { parts.append(vitals.table(["ASKS YOU", "TEXT", "TIME", "ASK"], asked.map(Self.row))) }
        if !asks.isEmpty { parts.append(vitals.table(["YOU ASK", "TEXT", "TIME", "ASK"], asks.map(Self.row))) }
        if !offers.isEmpty { parts.append(Self.table(of: offers, "YOUR OFFERS", units)) }
        guard !parts.isEmpty else {
            Output.note("nothing yet: vitals partners offer running --area 'Old Town', or vitals partners find")
            return .ok
        }
        if !partners.isEmpty || !asked.isEmpty, data.text("contact") == nil {
            Output.note("partners do not see how to reach you: vitals partners contact TEXT")
        }
        return try print(parts.joined(separator: "\n"))
    }

    private static func row(_ ask: JSON) -> [String] {
        [
            ask.text("activity") ?? "-", ask.text("text") ?? "-", ask.time("time") ?? "-", ask.text("ask") ?? "-",
        ]
    }

    private static func table(of offers: [JSON], _ heading: String, _ units: Units) -> String {
        let rows = offers.map { offer in
            [
                offer.text("activity") ?? "-", offer.text("area") ?? "-", pace(offer, units), offer.text("text") ?? "-",
                offer.text("offer") ?? "-",
            ]
        }
        return vitals.table([heading, "AREA", "PACE", "TEXT", "OFFER"], rows)
    }

    /// `5:30 to 6:15 /km`
    private static func pace(_ offer: JSON, _ units: Units) -> String {
        guard let from = offer["pace"]?.double("from_s_per_km"), let to = offer["pace"]?.double("to_s_per_km"),
            let fast = Pace(metres: 1000, seconds: from), let slow = units.pace(metres: 1000, seconds: to)
        else { return "-" }
        return "\(fast.text(in: units)) to \(slow)"
    }

    // MARK: Offers

    func offer() throws -> ExitCode {
        let activity = try arguments.string("ACTIVITY")
        guard let area = try arguments.optionalString("area") else {
            throw arguments.refusal(of: "area", "say where: a name, such as 'Old Town'")
        }
        let (pace, text) = (try arguments.optionalString("pace"), try arguments.optionalString("text"))
        let data = try Office.visit(call) { office in
            try office.ask(
                "partners/offer",
                [
                    ("activity", .string(activity)), ("area", .string(area)),
                    ("pace", try pace.map { try self.pace($0, office.units()) }), ("text", text.map(JSON.string)),
                ])
        }
        let end = data.time("expires").map { " until \($0)" } ?? ""
        return try print(call.isJSON ? data.line : "others can find it\(end)\n")
    }

    /// `5:30-6:15`, for a kilometre or a mile.
    private func pace(_ text: String, _ units: Units) throws -> JSON {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { end -> Int64? in
            let parts = end.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let minutes = parts[0], let seconds = parts[1], (0...99).contains(minutes),
                (0...59).contains(seconds)
            else { return nil }
            return Int64((Double(minutes * 60 + seconds) * 1000 / units.way).rounded())
        }
        guard ends.count == 2, let from = ends[0], let to = ends[1] else {
            throw arguments.refusal(of: "pace", "expected two times such as 5:30-6:15")
        }
        guard Self.paces.contains(from), Self.paces.contains(to) else {
            let words = "expected times \(Self.limits(in: units)), found \(escaped(text))"
            throw arguments.refusal(of: "pace", words)
        }
        guard from <= to else {
            throw arguments.refusal(of: "pace", "the faster one comes first, as in 5:30-6:15")
        }
        return ["from_s_per_km": .integer(from), "to_s_per_km": .integer(to)]
    }

    /// `from 1:00 to 60:00 for a kilometre`
    private static func limits(in units: Units) -> String {
        let texts = [paces.lowerBound, paces.upperBound].map { seconds in
            Pace(metres: 1000, seconds: Double(seconds))?.text(in: units) ?? "-"
        }
        return "from \(texts[0]) to \(texts[1]) for a \(units == .metric ? "kilometre" : "mile")"
    }

    func withdraw() throws -> ExitCode {
        let offer = try arguments.string("OFFER")
        return try say("withdraw", [("offer", .string(offer))], "it is withdrawn")
    }

    func find() throws -> ExitCode {
        let (activity, area) = (try arguments.optionalString("activity"), try arguments.optionalString("area"))
        let fields = [("activity", activity.map(JSON.string)), ("area", area.map(JSON.string))]
        let pace = try arguments.optionalString("pace")
        let (offers, units, hasMore) = try Office.visit(call) { office in
            let asked = try fields + [("pace", pace.map { try self.pace($0, office.units()) })]
            var (offers, after): ([JSON], JSON?) = ([], nil)
            for _ in 0..<Self.mostPages {
                let page = try office.ask("partners/find", asked + [("after", after)])
                offers += page.list("offers")
                after = page["next"]
                if after == nil { break }
            }
            return (offers, office.units(), after != nil)
        }
        if hasMore { Output.note("there may be more: say more exactly what you look for") }
        guard !call.isJSON else { return try print(offers.map(\.line).joined()) }
        guard !offers.isEmpty || hasMore else {
            let words = "\(shellQuoted(activity ?? "running")) --area \(shellQuoted(area ?? "Old Town"))"
            Output.note("nobody offers that yet: vitals partners offer \(words)")
            return .ok
        }
        return try print(Self.table(of: offers, "ACTIVITY", units))
    }

    // MARK: Questions and answers

    func ask() throws -> ExitCode {
        let (offer, text) = (try arguments.string("OFFER"), try arguments.optionalString("text"))
        return try say("ask", [("offer", .string(offer)), ("text", text.map(JSON.string))], "they have been asked")
    }

    func takeBack() throws -> ExitCode {
        let ask = try arguments.string("ASK")
        return try say("take-back", [("ask", .string(ask))], "the question is taken back")
    }

    func answer(_ isAccepted: Bool) throws -> ExitCode {
        let ask = try arguments.string("ASK")
        let data = try Office.visit(call) { office in
            try office.ask("partners/answer", [("ask", .string(ask)), ("accept", .bool(isAccepted))])
        }
        guard !call.isJSON else { return try print(data.line) }
        guard let partner = data["partner"] else { return try print("they are told that you decline\n") }
        let contact = partner.text("contact").map { ": \($0)" } ?? ", who has not said how to reach them yet"
        return try print("you train with \(partner.text("name") ?? "somebody") now\(contact)\n")
    }

    func end() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        let wanted = try arguments.string("PARTNER")
        return try Office.visit(call) { office in
            let partner = try person(
                wanted, among: Self.partners(try office.ask("partners/list")), to: "stop training with", list: "vitals partners")
            try Confirmation.ask("Stop training with \(partner.name)?", arguments)
            let data = try office.ask("partners/end", [("partner", .string(partner.id))])
            return try print(call.isJSON ? data.line : "you do not train with \(partner.name) any more\n")
        }
    }

    private static func partners(_ data: JSON) -> [(id: String, name: String)] {
        data.list("partners").compactMap { partner in
            guard case .string(let id) = partner["partner"] else { return nil }
            return (id, partner.text("name") ?? id)
        }
    }

    func block() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        let wanted = try arguments.string("WHOM")
        return try Office.visit(call) { office in
            let data = try office.ask("partners/list")
            let isAsk = data.list("asked").contains { $0["ask"] == .string(wanted) }
            let whom =
                try isAsk
                ? (id: wanted, name: "whoever asks")
                : person(wanted, among: Self.partners(data), to: "block", list: "vitals partners")
            try Confirmation.ask("Block \(whom.name)?", arguments)
            let reply = try office.ask("partners/block", [(isAsk ? "ask" : "partner", .string(whom.id))])
            guard !call.isJSON else { return try print(reply.line) }
            let hint = Hints.completed("to take it back: vitals friends unblock \(whom.id)")
            return try print("\(whom.name) is blocked; \(hint)\n")
        }
    }

    func contact() throws -> ExitCode {
        let text = try arguments.optionalString("TEXT")
        let isCleared = try arguments.flag("clear")
        guard text != nil || isCleared else {
            throw Failure(.usage, "say how your partners reach you, or --clear", hint: "see vitals partners contact --help")
        }
        guard text == nil || !isCleared else {
            throw arguments.refusal(of: "clear", "give TEXT or --clear, not both")
        }
        return try say(
            "contact", [("contact", text.map(JSON.string) ?? .null)],
            text == nil ? "your partners see no contact" : "your partners see it")
    }

    /// Asks for something, and says what was done.
    private func say(_ verb: String, _ fields: [(String, JSON?)], _ text: String) throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("partners/\(verb)", fields) }
        return try print(call.isJSON ? data.line : text + "\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}
