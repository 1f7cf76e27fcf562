import Daemon
import Telemetry

/// `vitals status`.
struct Status {
    private let call: Call

    init(_ call: Call) { self.call = call }

    func run() throws -> ExitCode {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        let filters = Household.filters(call, gateway: [.status, .info, .health], sensor: [])
        let household = Household(try broker.gather(filters), call.topics)
        guard !household.gateways.isEmpty else { throw household.nobody(call) }
        let parts = household.gateways.map { gateway in
            call.isJSON
                ? json(gateway).line
                : lines(gateway).map { heading, text in
                    heading + String(repeating: " ", count: 14 - heading.count) + escaped(text) + "\n"
                }.joined()
        }
        try Output.write(parts.joined(separator: call.isJSON ? "" : "\n"))
        return .ok
    }

    private func lines(_ gateway: Household.Gateway) -> [(heading: String, text: String)] {
        var lines = [
            ("Gateway", gateway.id.text), ("State", state(gateway)), ("Broker", broker), ("Version", version(gateway)),
        ]
        switch gateway.health {
        case .success(let health):
            if !gateway.isOnline {
                lines.append(("As of", LocalTime.full(health.time) + ": the lines below are no longer up to date"))
            }
            lines += describe(health)
        case .failure(let error): lines.append(("Health", "cannot be read: \(error)"))
        case nil: lines.append(("Health", "nothing was heard lately"))
        }
        return lines
    }

    private func state(_ gateway: Household.Gateway) -> String {
        let state = gateway.status?.state.rawValue ?? "unknown"
        return gateway.status?.time.map { "\(state) since \(LocalTime.full($0))" } ?? state
    }

    private var broker: String { "\(call.broker.address) (MQTT \(call.broker.version.rawValue))" }

    private func version(_ gateway: Household.Gateway) -> String {
        switch gateway.info {
        case .success(let info): info.version
        case .failure(let error): "cannot be read: \(error)"
        case nil: "unknown"
        }
    }

    private func describe(_ health: HealthPayload) -> [(String, String)] {
        let sensors = health.sensors
        var lines = [
            ("Bluetooth", health.bluetooth),
            ("Sensors", "\(sensors.connected) of \(sensors.configured) connected"),
            ("Outbox", describe(health.outbox)),
            ("Clock", health.clock),
        ]
        if let consumer = health.consumer { lines.append(("Consumer", describe(consumer))) }
        // Problems are shown only if there are any.
        if let disk = health.disk, disk != .ok { lines.append(("Disk", describe(disk, since: health.diskSince))) }
        if health.dropped > 0 {
            lines.append(("Dropped", "\(counted(health.dropped, "reading")), because the outbox was full"))
        }
        if health.dead > 0 { lines.append(("Refused", "\(counted(health.dead, "block")), by the consumer")) }
        if health.notRecorded > 0, !health.recordsEverySensor {
            lines.append(
                ("Not recorded", "\(counted(health.notRecorded, "reading")) of sensors that belong to nobody"))
        }
        if health.malformed > 0 { lines.append(("Malformed", "\(counted(health.malformed, "value")) from sensors")) }
        return lines
    }

    private func describe(_ consumer: HealthPayload.Consumer) -> String {
        switch consumer {
        case .online: "online"
        case .offline: "offline: readings wait at the gateway"
        case .older:
            "its store is older than the gateway's grants: readings wait at the gateway; its log says what to do"
        }
    }

    private func describe(_ outbox: HealthPayload.Outbox) -> String {
        guard outbox.journal > 0 || outbox.blocks > 0 else { return "empty" }
        return "\(counted(outbox.journal, "reading")) and \(counted(outbox.blocks, "block")) waiting, "
            + "\(counted(outbox.bytes, "byte")), the oldest for \(outbox.oldestSeconds) s"
            + (outbox.fullPercent.map { "; \($0) % full" } ?? "")
    }

    private func describe(_ disk: HealthPayload.Disk, since: Int64?) -> String {
        let since = since.map { " since \(LocalTime.full($0))" } ?? ""
        return "\(disk.rawValue)\(since): readings wait in the gateway's memory; its log says more"
    }

    private func json(_ gateway: Household.Gateway) -> JSON {
        .object(present: [
            "gateway": .string(gateway.id.text),
            "state": gateway.status.map { .string($0.state.rawValue) },
            "since": gateway.status?.time.map(JSON.integer),
            "broker": .string(call.broker.address),
            "info": gateway.raw[.info],
            "health": gateway.raw[.health],
        ])
    }
}
