import Foundation
import TestSupport
import Testing

/// The gateway as a program, with emulated sensors and the home's broker, enrolled with nobody.
final class Home {
    let folder: TemporaryFolder
    let broker: Broker
    let bus: PrivateBus
    let sensor: RunningProgram
    private(set) var gateway: RunningProgram
    private let settingsFile: String
    static let topics = "vitals/v1/gateways/home"

    /// - Parameters:
    ///   - sensors: the section of the settings.
    ///   - bluetooth: further lines of that section.
    ///   - more: further sections.
    ///   - isForHomeAssistant: whether the broker lets the gateway describe its sensors.
    ///   - emulated: how the emulated sensors are started.
    ///   - beforehand: what they are told before the gateway is there.
    init(
        sensors: String = """
        { strap: {
          name: "Vitals HRM", steps: { uuid: "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "uint32" } } }
        """, bluetooth: String = "", more: String = "", isForHomeAssistant: Bool = false, emulated: [String] = [],
        telling beforehand: [String] = []
    ) throws {
        folder = try TemporaryFolder()
        broker = try Broker.home(isForHomeAssistant: isForHomeAssistant)
        try broker.start()
        bus = try PrivateBus()
        sensor = try RunningProgram("vitals-sensor", ["stand-in", "--bus", "\(bus.addressText)"] + emulated)
        try #require(sensor.line(containing: "ready") != nil)
        for command in beforehand { try #require(sensor.obeys(command)) }
        settingsFile = try folder.write(
            """
            {
              gateway: "home", state: "gateway", bluetooth: { bus: "\(bus.addressText)", \(bluetooth) },
              broker: { port: \(broker.port), username: "home", password_file: "\(broker.folder.path("home.password"))" },
              sensors: \(sensors), \(more)
            }
            """, to: "gateway.json5")
        gateway = try RunningProgram("vitals-gateway", ["--settings", settingsFile])
        try waitUntilListening()
    }

    deinit {
        gateway.end()
        sensor.end()
        broker.stop()
    }

    /// Changes the settings; the gateway reads them when it starts again.
    func edit(_ old: String, _ new: String) throws {
        let text = try String(contentsOfFile: settingsFile, encoding: .utf8)
        try #require(text.contains(old))
        try text.replacingOccurrences(of: old, with: new).write(toFile: settingsFile, atomically: true, encoding: .utf8)
    }

    /// Ends the gateway by a signal, and starts it again.
    func restartGateway(_ signal: Int32 = SIGTERM) throws {
        gateway.end(signal)
        gateway = try RunningProgram("vitals-gateway", ["--settings", settingsFile])
        try waitUntilListening()
    }

    /// Ends the gateway in order; `restartGateway` starts it again.
    func stopGateway() { gateway.end() }

    /// It has asked for its requests before it says that it is online.
    private func waitUntilListening() throws {
        try #require(gateway.line(containing: "connected to the broker") != nil, "\(gateway.text)")
        let status = try subscribe("status")
        try #require(status.line(containing: #""state":"online""#) != nil)
        try #require(gateway.line(containing: "Bluetooth: ready", within: .seconds(20)) != nil, "\(gateway.text)")
    }

    /// Subscribes; when this returns, the broker has granted it.
    func subscribe(_ topic: String) throws -> RunningProgram {
        let subscriber = try RunningProgram(
            "/usr/bin/stdbuf",
            ["-oL", "mosquitto_sub", "-d", "-v", "-p", "\(broker.port)", "-t", "\(Self.topics)/\(topic)"])
        try #require(subscriber.line(containing: "Subscribed") != nil)
        return subscriber
    }

    /// Waits until a sensor can be used.
    func waitUntilOnline(_ sensor: String = "strap") throws {
        let availability = try subscribe("sensors/\(sensor)/availability")
        try #require(
            availability.line(containing: "availability online", within: .seconds(30)) != nil, "\(gateway.text)")
    }

    /// Asks for steps; the reply comes at `responses/{name}`, or not, by the deadline.
    func ask(_ name: String, expirySeconds: Int) throws {
        let asker = try RunningProgram(
            "/usr/bin/mosquitto_pub",
            [
                "-V", "mqttv5", "-q", "1", "-p", "\(broker.port)", "-t", "\(Self.topics)/sensors/strap/steps/get",
                "-m", "{}", "-D", "publish", "response-topic", "\(Self.topics)/responses/\(name)",
                "-D", "publish", "message-expiry-interval", "\(expirySeconds)",
            ])
        try #require(asker.exitStatus() == 0)
    }

    /// Asks; the reply comes at `responses/{name}`.
    func publish(_ request: String, _ payload: String, replyAt name: String, expirySeconds: Int = 60) throws {
        let asker = try RunningProgram(
            "/usr/bin/mosquitto_pub",
            [
                "-V", "mqttv5", "-q", "1", "-p", "\(broker.port)", "-t", "\(Self.topics)/requests/\(request)", "-m",
                payload, "-D", "publish", "response-topic", "\(Self.topics)/responses/\(name)",
                "-D", "publish", "message-expiry-interval", "\(expirySeconds)",
            ])
        try #require(asker.exitStatus() == 0)
    }

    /// Asks with `mosquitto_rr`, and waits for the reply.
    func request(_ name: String, _ payload: String, within seconds: Int = 30) throws -> [String: Any] {
        let asker = try RunningProgram(
            "/usr/bin/mosquitto_rr",
            [
                "-V", "mqttv5", "-p", "\(broker.port)", "-t", "\(Self.topics)/requests/\(name)", "-e",
                "\(Self.topics)/responses/\(UUID().uuidString)", "-m", payload, "-W", "\(seconds)",
            ])
        guard asker.exitStatus(within: .seconds(seconds + 5)) == 0, let line = asker.lines.last else {
            throw TestFailure("mosquitto_rr: \(asker.lines)\ngateway: \(gateway.text)")
        }
        return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
}

extension [String: Any] {
    /// What a reply brings, if it does.
    var data: [String: Any] { self["data"] as? [String: Any] ?? [:] }
    /// The error's code, if it is one.
    var code: String? { (self["error"] as? [String: Any])?["code"] as? String }
    /// What the error says.
    var message: String? { (self["error"] as? [String: Any])?["message"] as? String }
    /// The field that the error is about.
    var field: String? { (self["error"] as? [String: Any])?["field"] as? String }
}
