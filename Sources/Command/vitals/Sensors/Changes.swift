import Daemon
import Glibc
import Telemetry

// What people may ask of a gateway about one sensor: connect, disconnect, forget, rename. The gateway does it,
// remembers it across its restarts, and replies when it is done.

/// `vitals connect`.
struct Connect {
    private let call: Call
    private let wanted: String
    private let sensor: ID?
    private let name: String?
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) throws {
        self.call = call
        self.arguments = arguments
        wanted = try NamedSensor.known(arguments)?.sensor ?? arguments.string("DEVICE")
        sensor = try arguments.optionalID("sensor").map { try ID($0) }
        name = try arguments.optionalString("name")
    }

    func run() throws -> ExitCode {
        try Change.make(call, within: call.patience(.seconds(60))) { household, gateway in
            let named = sensor == nil ? try? household.sensor(wanted) : nil
            let known = named.flatMap { gateway.has($0) ? $0 : nil }
            guard let known else {
                let device: [(String, JSON?)] = [
                    ("device", .string(wanted)), ("sensor", sensor.map { .string($0.text) }),
                    ("name", name.map(JSON.string)),
                ]
                return try Inquiry("connect", device)
            }
            guard name == nil else {
                throw arguments.refusal(of: "name", "\(known) is already a sensor; see vitals rename")
            }
            return try Inquiry("connect", [("sensor", .string(known.text))], about: known)
        } text: { data in
            let who = [data.text("name"), data.text("address").map { "(\($0))" }].compactMap { $0 }
            let id = data.text("sensor").map { ", sensor \($0)" } ?? ""
            return "Device Connected: \(who.joined(separator: " "))\(id)"
        }
    }
}

/// `vitals disconnect` and `vitals forget`, which ask a person first.
struct Separate {
    enum Kind: String {
        case disconnect, forget
    }

    private let kind: Kind
    private let call: Call
    private let wanted: String?
    private let isSure: Bool

    init(_ kind: Kind, _ call: Call, _ arguments: Arguments) throws {
        (self.kind, self.call) = (kind, call)
        wanted = try NamedSensor.given(arguments)?.sensor
        isSure = try arguments.flag("yes")
    }

    func run() throws -> ExitCode {
        try Change.make(call) { household, gateway in
            let sensor = try wanted.map { try household.sensor($0) } ?? gateway.theOnlySensor(call, kind.rawValue)
            guard isSure || Change.isConfirmed(question(sensor)) else { return nil }
            return try Inquiry(kind.rawValue, [("sensor", .string(sensor.text))], about: sensor)
        } text: { data in
            let words = kind == .disconnect ? "Device Disconnected" : "Device Forgotten"
            return data.text("sensor").map { "\(words): \($0)" } ?? words
        }
    }

    private func question(_ sensor: ID) -> String {
        kind == .disconnect ? "Disconnect \(sensor)?" : "Forget \(sensor), and its bond?"
    }
}

/// `vitals rename`.
struct Rename {
    private let call: Call
    private let wanted: String
    private let name: String

    init(_ call: Call, _ arguments: Arguments) throws {
        self.call = call
        wanted = NamedSensor(try arguments.string("SENSOR")).sensor
        name = try arguments.string("NAME")
    }

    func run() throws -> ExitCode {
        try Change.make(call) { household, _ in
            let sensor = try household.sensor(wanted)
            return try Inquiry("rename", [("sensor", .string(sensor.text)), ("name", .string(name))], about: sensor)
        } text: { data in
            "\(data.text("sensor") ?? escaped(wanted)) is now called \(data.text("name") ?? "by its own name")"
        }
    }
}

private enum Change {
    /// Sends the gateway the request that `inquiry` makes for it, and prints the result; does nothing if that is
    /// nil.
    static func make(
        _ call: Call, within limit: Duration? = nil, _ inquiry: (Household, Household.Gateway) throws -> Inquiry?,
        text: (JSON) -> String
    ) throws -> ExitCode {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        let household = Household(
            try broker.gather(Household.filters(call, gateway: [.status], sensor: [.availability, .info])), call.topics)
        let gateway = try household.theGateway(call)
        guard let inquiry = try inquiry(household, gateway) else { throw Failure(.declined, "nothing was changed") }
        // The time for it begins now: the person may have thought for a long time before answering.
        let data = try broker.data(inquiry, of: gateway.id, within: limit ?? call.timeout)
        try Output.write(call.isJSON ? data.line : text(data) + "\n")
        return .ok
    }

    /// Asks the person at the terminal; if nobody is there, the command line itself is the confirmation.
    static func isConfirmed(_ question: String) -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return true }
        Output.ask(question + " [y/N] ")
        return ["y", "yes"].contains((readLine() ?? "").lowercased())
    }
}
