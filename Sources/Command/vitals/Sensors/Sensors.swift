import Daemon
import Telemetry

/// `vitals sensors`.
struct Sensors {
    private let call: Call

    init(_ call: Call) { self.call = call }

    func run() throws -> ExitCode {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        let filters = Household.filters(call, gateway: [.status], sensor: [.info, .availability])
        let household = Household(try broker.gather(filters), call.topics)
        guard !household.gateways.isEmpty else { throw household.nobody(call) }
        let sensors = household.gateways.flatMap { gateway in gateway.sensors.map { (gateway, $0) } }
        if sensors.isEmpty { Output.note("no sensors yet") }
        if call.isJSON {
            try Output.write(sensors.map { json($0, $1).line }.joined())
        } else if !sensors.isEmpty {
            let headings = ["GATEWAY", "SENSOR", "STATE", "NAME", "MODEL", "BATTERY", "WORN AT", "CAPABILITIES"]
            try Output.write(table(headings, sensors.map(row)))
        }
        return .ok
    }

    /// A sensor's own word counts only while its gateway is there to correct it. Offline by request is a state of its
    /// own.
    private func state(_ gateway: Household.Gateway, _ sensor: Household.Sensor) -> String {
        guard gateway.isOnline else { return "offline" }
        if sensor.info?.paused == true, sensor.availability != .online { return "disconnected" }
        return sensor.availability?.rawValue ?? "unknown"
    }

    private func row(_ gateway: Household.Gateway, _ sensor: Household.Sensor) -> [String] {
        let info = sensor.info
        let model = [info?.manufacturer, info?.model].compactMap { $0 }.joined(separator: " ")
        let battery = info?.battery.map { "\($0) %" }
        let capabilities = info?.capabilities.joined(separator: ", ")
        let known: [String?] = [info?.name, model, battery, info?.bodyLocation, capabilities]
        let cells = [gateway.id.text, sensor.id.text, state(gateway, sensor)] + known.map { $0 ?? "" }
        return cells.map { $0.isEmpty ? "-" : escaped($0) }
    }

    private func json(_ gateway: Household.Gateway, _ sensor: Household.Sensor) -> JSON {
        var members: [JSON.Member] = [
            JSON.Member("gateway", .string(gateway.id.text)), JSON.Member("sensor", .string(sensor.id.text)),
            JSON.Member("state", .string(state(gateway, sensor))),
        ]
        if case .object(let info) = sensor.info?.json { members += info }
        return .object(members)
    }
}
