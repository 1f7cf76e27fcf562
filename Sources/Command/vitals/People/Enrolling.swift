import Daemon
import Telemetry

// `vitals enrol`, `gateways`, `claim`, `release`, `claims`: a person's own gateways and sensors.

/// Enrols this machine's gateway, and manages those that are enrolled.
struct Enrolling {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Gets a code and hands it to the gateway on this machine, or shows it.
    func enrol() throws -> ExitCode {
        let isShown = try arguments.flag("show")
        guard try !arguments.flag("code") else {
            guard !isShown else { throw arguments.refusal(of: "code", "cannot be combined with --show") }
            // The gateway asks for the code itself.
            return try runGateway(input: nil)
        }
        let isHousehold = try arguments.flag("household")
        let data = try Office.visit(call) { office in
            try office.ask(
                "gateways/invite",
                [("name", arguments.optionalString("name").map(JSON.string)), ("household", .bool(isHousehold))])
        }
        guard case .string(let code) = data["code"] else { throw Failure(.protocolError, "the reply has no code") }
        guard isShown || call.isJSON else { return try runGateway(input: code + "\n") }
        try Output.write(call.isJSON ? data.line : escaped(code) + "\n")
        if !call.isJSON {
            Output.note(
                "it works once, within an hour: type it when `vitals-gateway enrol` asks for it, on the gateway's machine"
            )
        }
        return .ok
    }

    private func runGateway(input: String?) throws -> ExitCode {
        var words = ["enrol"]
        if let file = try arguments.optionalString("gateway-settings") { words += ["--settings", file] }
        if try arguments.flag("again") { words.append("--again") }
        if arguments.isGiven("timeout") { words += ["--timeout", try arguments.string("timeout")] }
        let status = try Programs.run(Programs.ours("vitals-gateway"), words, input: input)
        return ExitCode(rawValue: status) ?? .internalError
    }

    func list() throws -> ExitCode {
        let gateways = try Office.visit(call) { try $0.ask("gateways/list") }.list("gateways")
        guard !call.isJSON else {
            try Output.write(gateways.map(\.line).joined())
            return .ok
        }
        guard !gateways.isEmpty else {
            Output.note("no gateways yet: vitals enrol")
            return .ok
        }
        let rows = gateways.map { gateway in
            [
                gateway.text("gateway") ?? "-", gateway.text("name") ?? "-",
                gateway["household"] == true ? "yes" : "no", gateway.time("enrolled") ?? "-",
            ]
        }
        try Output.write(table(["GATEWAY", "NAME", "HOUSEHOLD", "ENROLLED"], rows))
        return .ok
    }

    func rename() throws -> ExitCode {
        let (gateway, name) = (try arguments.string("GATEWAY"), try arguments.string("NAME"))
        let data = try Office.visit(call) { office in
            try office.about(.gateway, gateway) { (id) throws(Failure) in
                try office.ask("gateways/rename", [("gateway", .string(id)), ("name", .string(name))])
            }
        }
        let words = data.text("name").map { "is now called \($0)" } ?? "now has no name"
        try Output.write(call.isJSON ? data.line : "\(escaped(gateway)) \(words)\n")
        return .ok
    }

    func setHousehold() throws -> ExitCode {
        let gateway = try arguments.string("GATEWAY")
        let isHousehold = try arguments.string("ON") == "on"
        let data = try Office.visit(call) { office in
            try office.about(.gateway, gateway) { (id) throws(Failure) in
                try office.ask("gateways/household", [("gateway", .string(id)), ("household", .bool(isHousehold))])
            }
        }
        let words = isHousehold ? "you see its live readings, and may ask it" : "you no longer see its live readings"
        try Output.write(call.isJSON ? data.line : "\(escaped(gateway)): \(words)\n")
        return .ok
    }

    func remove() throws -> ExitCode {
        let gateway = try arguments.string("GATEWAY")
        let question =
            "Gateway \(escaped(gateway)) will be removed: what it has not sent yet will be lost, and its sensors will belong to nobody. Remove it?"
        guard try arguments.flag("yes") || isConfirmed(question) else {
            throw Failure(.declined, "nothing was changed")
        }
        let data = try Office.visit(call) { office in
            try office.about(.gateway, gateway) { (id) throws(Failure) in
                try office.ask("gateways/remove", [("gateway", .string(id))])
            }
        }
        try Output.write(call.isJSON ? data.line : "\(escaped(gateway)) is removed\n")
        return .ok
    }

    // MARK: Sensors

    func claim() throws -> ExitCode {
        let sensor = try OwnSensor(arguments)
        let code = JSON.string(try arguments.string("CODE"))
        let data = try Office.visit(call) { try sensor.ask("sensors/claim", [("code", code)], $0) }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let kinds = data.list("kinds")
        let before = data["taken_over"] == true ? "; it belonged to somebody else" : ""
        try Output.write(
            "\(sensor.name) is yours\(before). Recorded: \(kinds.isEmpty ? "nothing" : JSON.array(kinds).words)\n")
        if !kinds.contains("heart-rate") {
            Output.note(
                "heart rates are live only; to have them recorded: vitals profile edit, with continuous heart rate on")
        }
        return .ok
    }

    func release() throws -> ExitCode {
        let sensor = try OwnSensor(arguments)
        let data = try Office.visit(call) { try sensor.ask("sensors/release", [], $0) }
        try Output.write(call.isJSON ? data.line : "\(sensor.name) is no longer yours; what was recorded stays\n")
        return .ok
    }

    func claims() throws -> ExitCode {
        let sensors = try Office.visit(call) { try $0.ask("sensors/list") }.list("sensors")
        guard !call.isJSON else {
            try Output.write(sensors.map(\.line).joined())
            return .ok
        }
        guard !sensors.isEmpty else {
            Output.note("no sensors yet: `vitals-gateway claim-code` at the gateway shows how")
            return .ok
        }
        let rows = sensors.map { sensor in
            [
                "\(sensor.text("gateway") ?? "-")/\(sensor.text("sensor") ?? "-")", sensor.time("claimed") ?? "-",
                sensor["kinds"]?.words ?? "-",
            ]
        }
        try Output.write(table(["SENSOR", "CLAIMED", "RECORDED"], rows))
        return .ok
    }
}

/// A sensor as its owner names it: its gateway's id and its own, `attic/strap`.
struct OwnSensor {
    let name: String
    /// The gateway's id or name.
    let gateway: String
    /// The sensor's id.
    let sensor: String

    /// The one that the argument `SENSOR` names.
    init(_ arguments: Arguments) throws {
        let text = try arguments.string("SENSOR")
        let named = NamedSensor(text)
        guard let gateway = named.gateway, !gateway.isEmpty, (try? ID(named.sensor)) != nil else {
            throw arguments.refusal(
                of: "SENSOR", "expected a gateway and a sensor such as attic/strap, found \(escaped(text))")
        }
        (name, self.gateway, sensor) = (escaped(text), gateway, named.sensor)
    }

    /// Asks for something about it.
    func ask(_ request: String, _ fields: [(String, JSON?)], _ office: Office) throws(Failure) -> JSON {
        try office.about(.gateway, gateway) { (id) throws(Failure) in
            try office.ask(request, [("gateway", .string(id)), ("sensor", .string(sensor))] + fields)
        }
    }
}
