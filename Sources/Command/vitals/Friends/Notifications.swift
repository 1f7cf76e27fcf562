import Daemon
import Glibc
import MQTT
import Telemetry

// `vitals notifications`. The consumer's list is authoritative; the topic only says earlier what will be in it.
// Somebody who follows is shown the list first, and again each time the broker was away; each id is shown once.

/// Lists, follows and confirms notifications.
struct Notifications {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func list() throws -> ExitCode {
        let isAll = try arguments.flag("all")
        let limit = try arguments.integer("limit", in: 1...10_000)
        guard try !arguments.flag("follow") else { return try follow(isAll, limit) }
        let (notifications, hasMore) = try Office.visit(call) { office in
            try Self.list(isAll, limit) { (fields) throws(Failure) in try office.ask("notifications/list", fields) }
        }
        guard !call.isJSON else {
            try Output.write(notifications.map(\.line).joined())
            return .ok
        }
        guard !notifications.isEmpty else {
            Output.note(isAll ? "no notifications" : "nothing new; --all shows what you have confirmed, too")
            return .ok
        }
        let rows = notifications.map { notification in
            [
                notification["confirmed"] == true ? "" : "*", notification.time("time") ?? "-",
                notification.text("id") ?? "-", notification.text("text") ?? "-",
            ]
        }
        try Output.write(table(["", "TIME", "ID", "TEXT"], rows))
        if hasMore { Output.note("there are more: --limit") }
        return .ok
    }

    /// The latest notifications, up to a number, in as many requests as it takes.
    private static func list(
        _ isAll: Bool, _ limit: Int, _ ask: ([(String, JSON?)]) throws(Failure) -> JSON
    ) throws(Failure) -> (notifications: [JSON], hasMore: Bool) {
        var found: [JSON] = []
        while true {
            let data = try ask([
                ("all", isAll ? true : nil), ("before", found.last?["id"]),
                ("limit", .integer(Int64(min(limit - found.count, 100)))),
            ])
            let part = data.list("notifications")
            found += part
            let hasMore = data["more"] == true
            guard hasMore, !part.isEmpty, found.count < limit else { return (found, hasMore) }
        }
    }

    // MARK: Following

    private func follow(_ isAll: Bool, _ limit: Int) throws -> ExitCode {
        // As with `vitals watch`: this is how people end it.
        signal(SIGINT) { _ in _exit(ExitCode.ok.rawValue) }
        return try Office.visit(call, isPatient: true) { office in
            try office.listen(to: .notifications)
            var shown: Set<String> = []
            var events: [Event] = []
            func catchUp(within patience: Office.Limit) throws(Failure) {
                let (missed, _) = try Self.list(isAll, limit) { (fields) throws(Failure) in
                    try office.ask("notifications/list", fields, within: patience) { events.append($0) }
                }
                for notification in missed.reversed() { try show(notification, &shown) }
            }
            try catchUp(within: .asTyped)
            var (isCutOff, isBehind) = (false, false)
            repeat {
                let batch = events + office.next(within: .seconds(1))
                events = []
                for event in batch {
                    switch event {
                    case .message(let message):
                        if let notification = try? JSON(payload: message.payload) { try show(notification, &shown) }
                    case .state(.waiting(let reason, _)):
                        if !isCutOff { Output.note("\(reason.sentence); waiting for the broker") }
                        isCutOff = true
                    case .state(.connected):
                        if isCutOff { Output.note("connected to \(call.broker.address) again") }
                        (isCutOff, isBehind) = (false, isBehind || isCutOff)
                    case .problem(let error): Output.note("\(error)")
                    default: break
                    }
                }
                // The consumer may take longer to come back than we do: we ask until it answers.
                if isBehind, !isCutOff { isBehind = (try? catchUp(within: .atMost(.seconds(3)))) == nil }
            } while !Output.readerHasGone
            return .ok
        }
    }

    private func show(_ notification: JSON, _ shown: inout Set<String>) throws(Failure) {
        guard case .string(let id) = notification["id"], shown.insert(id).inserted else { return }
        guard !call.isJSON else {
            try Output.write(notification.line)
            return
        }
        var time = ""
        if case .integer(let milliseconds) = notification["time"] { time = LocalTime.brief(milliseconds) + "  " }
        try Output.write(Style().dim(time) + (notification.text("text") ?? "-") + "\n")
    }

    // MARK: Confirming

    func confirm() throws -> ExitCode {
        let (ids, isAll) = (try arguments.strings("ID"), try arguments.flag("all"))
        guard ids.isEmpty == isAll else {
            throw isAll
                ? arguments.refusal(of: "all", "cannot be combined with ID")
                : arguments.missing("ID", "name one or more, or confirm all of them with --all")
        }
        let fields: (String, JSON?) = isAll ? ("all", true) : ("ids", .array(ids.map(JSON.string)))
        let data = try Office.visit(call) { try $0.ask("notifications/confirm", [fields]) }
        try Output.write(call.isJSON ? data.line : "\(data["confirmed"]?.words ?? "all") confirmed\n")
        return .ok
    }
}
