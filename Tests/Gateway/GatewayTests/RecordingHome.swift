import Foundation
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_gateway

/// The gateway as a program, enrolled with a bench's consumer, which has granted its sensor `strap`; what it records can
/// be opened when it has ended.
final class RecordingHome {
    let bench: Bench
    let broker: Broker
    let gateway: RunningProgram
    /// All that the household hears.
    let everything: RunningProgram
    private static let topics = "vitals/v1/gateways/home"

    /// - Parameters:
    ///   - bus: the bus of its sensors.
    ///   - more: further lines of the settings.
    init(bus: PrivateBus, _ more: String, kinds: Grant.Kinds = .all) throws {
        bench = try Bench()
        broker = try Broker.home()
        try broker.start()
        everything = try RunningProgram(
            "/usr/bin/stdbuf",
            ["-oL", "mosquitto_sub", "-d", "-v", "-p", "\(broker.port)", "-t", "\(Self.topics)/#"])
        try #require(everything.line(containing: "Subscribed") != nil)
        let grant = "\(bench.folder)/grant"
        try Data(bench.signed(.grant(bench.grant(kinds: kinds)))).write(to: URL(fileURLWithPath: grant))
        let password = try String(contentsOfFile: broker.folder.path("consumer.password"), encoding: .utf8)
        let publisher = try RunningProgram(
            "/usr/bin/mosquitto_pub",
            [
                "-p", "\(broker.port)", "-u", "consumer", "-P", password.trimmingCharacters(in: .newlines), "-q", "1",
                "-r",
                "-t", "\(Self.topics)/sensors/strap/grant", "-f", grant,
            ])
        try #require(publisher.exitStatus() == 0)
        let settings = """
            {
              gateway: "home", state: "state", bluetooth: { bus: "\(bus.addressText)" },
              broker: { port: \(broker.port), username: "home", password_file: "\(broker.folder.path("home.password"))" },
              consumer: { identity: "\(KeyFile.text(of: bench.consumer.publicKey))" },
              \(more)
            }
            """
        let file = "\(bench.folder)/gateway.json5"
        try settings.write(toFile: file, atomically: true, encoding: .utf8)
        gateway = try RunningProgram("vitals-gateway", ["--settings", file])
        guard everything.line(containing: #""recorded_sensors":["strap"]"#) != nil else {
            throw TestFailure("no grant is in force: \(gateway.text)")
        }
    }

    deinit {
        gateway.end()
        broker.stop()
    }

    /// The payloads of a topic of the sensor, once there are this many.
    func payloads(_ topic: String, count: Int) throws -> [JSON] {
        let start = "\(Self.topics)/sensors/strap/\(topic) "
        func found(_ lines: [String]) -> [String] { lines.filter { $0.hasPrefix(start) } }
        guard everything.wait(until: { found($0).count >= count }) else {
            throw TestFailure("\(topic): \(everything.text)\n\(gateway.text)")
        }
        return try found(everything.lines).map { try JSON(payload: Array($0.dropFirst(start.count).utf8)) }
    }

    /// Ends the gateway; what it has recorded, in the order in which it came.
    func recorded() throws -> [Reading] {
        gateway.end()
        return try bench.opened(bench.waiting()).flatMap(\.readings).sorted { $0.moment.wall < $1.moment.wall }
    }
}
