import Foundation
import Glibc
import TestSupport

/// A household as `deploy/up` runs it: emulated sensor, private bus, gateway, the home's broker, consumer; all real
/// programs, in a folder of its own. Gateway `home`, sensor `strap`, person `demo`.
final class Household {
    let folder: TemporaryFolder
    let broker: Broker
    let bus: PrivateBus
    private(set) var gateway: RunningProgram?
    private(set) var consumer: RunningProgram?
    private(set) var sensor: RunningProgram?

    /// Enrols gateway and consumer with each other; starts nothing.
    ///
    /// - Parameter isForHomeAssistant: whether the broker's rules know it.
    init(
        sensorSettings: String = "", gatewaySettings: String = "", consumerSettings: String = "",
        isForHomeAssistant: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        broker = try Broker.home(isForHomeAssistant: isForHomeAssistant)
        bus = try PrivateBus()
        let settings = { [folder, broker, bus] (consumer: String) in
            try """
            {
              gateway: "home", state: "gateway",
              broker: { port: \(broker.port), username: "home", password_file: "\(broker.folder.path("home.password"))" },
              bluetooth: { bus: "\(bus.addressText)" },
              sensors: { strap: {
                name: "Vitals HRM",
                steps: { uuid: "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "uint32" },
                temperature: { uuid: "f1700003-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "float" },
                \(sensorSettings)
              } },
              consumer: { \(consumer) },
              \(gatewaySettings)
            }
            """.write(toFile: folder.path("gateway.json5"), atomically: true, encoding: .utf8)
        }
        try settings("")
        let gatewayKey = try identity("vitals-gateway", "gateway.json5")
        try """
        {
          state: "consumer", root_key_file: "root.key",
          broker: { port: \(broker.port), username: "consumer", password_file: "\(broker.folder.path("consumer.password"))" },
          gateways: { home: { identity: "\(gatewayKey)" } },
          people: { demo: { sensors: ["home/strap"] } },
          \(consumerSettings)
        }
        """.write(toFile: folder.path("consumer.json5"), atomically: true, encoding: .utf8)
        try settings("identity: \"\(try identity("vitals-consumer", "consumer.json5"))\"")
    }

    deinit {
        for program in [gateway, sensor, consumer] { program?.end() }
        broker.stop()
    }

    private func identity(_ program: String, _ settings: String) throws -> String {
        let process = try RunningProgram(program, ["identity", "--settings", folder.path(settings)])
        guard process.exitStatus() == 0, let key = process.lines.last else {
            throw TestFailure("\(program) identity: \(process.lines)")
        }
        return key
    }

    // MARK: Starting and ending

    /// - Parameter environment: what is added to its environment.
    func startGateway(_ environment: [String: String] = [:]) throws {
        gateway = try RunningProgram(
            "vitals-gateway", ["--settings", folder.path("gateway.json5")], environment: environment)
    }

    /// - Parameter environment: what is added to its environment.
    func startConsumer(_ environment: [String: String] = [:]) throws {
        consumer = try RunningProgram(
            "vitals-consumer", ["--settings", folder.path("consumer.json5")], environment: environment)
    }

    func startSensor(_ arguments: [String]) throws {
        let program = try RunningProgram("vitals-sensor", ["stand-in", "--bus", "\(bus.addressText)"] + arguments)
        guard program.line(containing: "ready") != nil else { throw TestFailure("sensor: \(program.lines)") }
        sensor = program
    }

    /// Broker, consumer and gateway, in that order, until the gateway has the grant for its sensor.
    /// - Parameters: what is added to the environment of either.
    func start(gateway: [String: String] = [:], consumer: [String: String] = [:]) throws {
        try broker.start()
        try startConsumer(consumer)
        try startGateway(gateway)
        try waitForHealth { $0.contains(#""recorded_sensors":["strap"]"#) }
    }

    // MARK: Looking, as a person of the household does

    static func recording(_ name: String) -> String { "\(projectFolder)/deploy/activities/\(name)" }

    /// Subscribes with `mosquitto_sub`; when this returns, the broker has granted it.
    func subscribe(_ topic: String, _ arguments: [String] = []) throws -> RunningProgram {
        let subscriber = try RunningProgram(
            // Its own buffer would hold back that it has subscribed until a message comes.
            "/usr/bin/stdbuf", ["-oL", "mosquitto_sub", "-d", "-v", "-p", "\(broker.port)", "-t", topic] + arguments)
        guard subscriber.line(containing: "Subscribed") != nil else {
            throw TestFailure("mosquitto_sub: \(subscriber.lines)")
        }
        return subscriber
    }

    /// Waits until the gateway's health says so.
    func waitForHealth(within limit: Duration = limit, _ isWanted: (String) -> Bool) throws {
        let health = try subscribe("vitals/v1/gateways/home/health")
        guard health.wait(within: limit, until: { $0.contains { $0.hasPrefix("vitals/") && isWanted($0) } }) else {
            let said = [gateway, consumer].map { $0?.text ?? "" }
            throw TestFailure("health: \(health.text)\ngateway: \(said[0])\nconsumer: \(said[1])")
        }
    }

    /// Waits until nothing waits for an acknowledgement, and the sensor has gone.
    func waitUntilStored() throws {
        // What is sent at once waits for a minute until its block is made.
        try waitForHealth(within: .seconds(150)) {
            $0.contains(#""outbox":{"journal":0,"blocks":0,"#) && $0.contains(#""connected":0}"#)
        }
    }

    /// Asks with `mosquitto_rr`, as the README says; what came back, as JSON.
    func ask(_ topic: String, payload: String = "{}") throws -> [String: Any] {
        let asker = try RunningProgram(
            "/usr/bin/mosquitto_rr",
            [
                "-V", "mqttv5", "-p", "\(broker.port)", "-t", "vitals/v1/gateways/home/\(topic)", "-e",
                "vitals/v1/gateways/home/responses/\(UUID().uuidString)", "-m", payload, "-W", "15",
            ])
        guard asker.exitStatus(within: .seconds(20)) == 0, let line = asker.lines.last else {
            throw TestFailure("mosquitto_rr: \(asker.lines)")
        }
        return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }

    /// What the consumer has stored, as its own command prints it.
    func stored(_ kind: String, _ arguments: [String] = []) throws -> [[String: Any]] {
        let command = try RunningProgram(
            "vitals-consumer",
            ["readings", "--settings", folder.path("consumer.json5"), "--user", "demo", "--kind", kind] + arguments)
        guard command.exitStatus(within: .seconds(30)) == 0 else { throw TestFailure("readings: \(command.lines)") }
        return try command.lines.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }
}
