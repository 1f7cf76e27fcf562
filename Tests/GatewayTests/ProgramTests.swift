import Foundation
import TestSupport
import Testing

/// The gateway as a program, with an emulated sensor and the home's broker, enrolled with nobody.
private final class Home {
    let folder: TemporaryFolder
    let broker: Broker
    let bus: PrivateBus
    let sensor: RunningProgram
    let gateway: RunningProgram
    static let topics = "vitals/v1/gateways/home"

    /// - Parameter beforehand: what the sensor is told before the gateway is there.
    init(telling beforehand: [String] = []) throws {
        folder = try TemporaryFolder()
        broker = try Broker.home()
        try broker.start()
        bus = try PrivateBus()
        sensor = try RunningProgram("vitals-sensor", ["stand-in", "--bus", "\(bus.addressText)", "--synthesise"])
        try #require(sensor.line(containing: "ready") != nil)
        for command in beforehand { try #require(sensor.obeys(command)) }
        let settings = """
            {
              gateway: "home", state: "gateway", bluetooth: { bus: "\(bus.addressText)" },
              broker: { port: \(broker.port), username: "home", password_file: "\(broker.folder.path("home.password"))" },
              sensors: { strap: {
                name: "Vitals HRM", steps: { uuid: "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00", encoding: "uint32" } } },
            }
            """
        gateway = try RunningProgram("vitals-gateway", ["--settings", folder.write(settings, to: "gateway.json5")])
    }

    deinit {
        gateway.end()
        sensor.end()
        broker.stop()
    }

    /// Subscribes; when this returns, the broker has granted it.
    func subscribe(_ topic: String) throws -> RunningProgram {
        let subscriber = try RunningProgram(
            "/usr/bin/stdbuf",
            ["-oL", "mosquitto_sub", "-d", "-v", "-p", "\(broker.port)", "-t", "\(Self.topics)/\(topic)"])
        try #require(subscriber.line(containing: "Subscribed") != nil)
        return subscriber
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
}

@Suite("vitals-gateway", .timeLimit(.minutes(2)))
struct ProgramTests {
    @Test("counts a sensor as connected once it was, and as gone only after that")
    func connectedCount() throws {
        let home = try Home(telling: ["fail StartNotify org.bluez.Error.Failed"])
        let health = try home.subscribe("health")
        #expect(health.line(containing: #""connected":1}"#) != nil)
        #expect(home.gateway.lines.contains { $0.contains("trying again") })
        #expect(home.sensor.obeys("drop 60"))
        #expect(health.line(containing: #""connected":0}"#) != nil)
        #expect(!health.lines.contains { $0.contains(#""connected":-"#) })
    }

    @Test("answers who waits for a read when it stops, and says goodbye last")
    func stops() throws {
        let home = try Home()
        let everything = try home.subscribe("#")
        #expect(everything.line(containing: "capabilities") != nil)
        #expect(home.sensor.obeys("hang on"))
        try home.ask("waiting", expirySeconds: 60)
        // The gateway has the first request when it has answered the second; a signal could overtake both.
        try home.ask("after", expirySeconds: 1)
        #expect(everything.line(containing: "responses/after {")?.contains("timeout") == true)
        home.gateway.end()
        #expect(everything.line(containing: "responses/waiting {")?.contains("sensor-offline") == true)
        let last = try home.subscribe("status")
        #expect(last.line(containing: #""state":"#)?.contains("offline") == true)
    }

    @Test("one asker's short deadline does not end the read of another")
    func deadlines() throws {
        let home = try Home()
        let replies = try home.subscribe("responses/+")
        let info = try home.subscribe("sensors/strap/info")
        #expect(info.line(containing: "capabilities") != nil)
        #expect(home.sensor.obeys("hang on"))
        try home.ask("short", expirySeconds: 1)
        try home.ask("long", expirySeconds: 60)
        #expect(replies.line(containing: "responses/short {")?.contains("timeout") == true)
        // The link's end answers who still waits.
        #expect(home.sensor.obeys("drop 60"))
        #expect(replies.line(containing: "responses/long {")?.contains("sensor-offline") == true)
    }
}
