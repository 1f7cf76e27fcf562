import Foundation
import Glibc

/// A Mosquitto on a free loopback port, in a folder of its own, that ends with the value. It keeps nothing across a
/// restart.
public final class Broker {
    /// Where it listens, on 127.0.0.1.
    public let port: UInt16
    /// Its settings, and whatever else the test puts there.
    public let folder: TemporaryFolder
    private var process: RunningProgram?

    /// A broker with its settings, not started yet.
    /// - Parameter configuration: lines for mosquitto.conf; `{folder}` stands for the broker's folder.
    public init(configuration: [String] = ["allow_anonymous true"]) throws {
        folder = try TemporaryFolder()
        port = try freePort()
        let lines = ["listener \(port) 127.0.0.1", "persistence false", "set_tcp_nodelay true", "user \(NSUserName())"]
        let text = (lines + configuration).joined(separator: "\n") + "\n"
        try folder.write(text.replacingOccurrences(of: "{folder}", with: folder.path), to: "mosquitto.conf")
    }

    /// A broker with the home's own settings and rules, as `deploy/broker` writes them, not started yet. Its folder
    /// holds `home.password` and `consumer.password`.
    /// - Parameters:
    ///   - root: what all topics begin with.
    ///   - allowsAnonymous: whether those without a name are the household, rather than turned away.
    ///   - isForHomeAssistant: whether the gateway may describe its sensors to it.
    public static func home(
        root: String = "vitals/v1", allowsAnonymous: Bool = true, isForHomeAssistant: Bool = false
    ) throws -> Broker {
        let broker = try Broker(configuration: [])
        let setUp = try RunningProgram(
            "\(projectFolder)/deploy/broker",
            (isForHomeAssistant ? ["--home-assistant"] : []) + [broker.folder.path, "\(broker.port)"])
        guard setUp.exitStatus() == 0 else { throw TestFailure("deploy/broker: \(setUp.text)") }
        if root != "vitals/v1" { try broker.edit("vitals.acl", "vitals/v1", root) }
        if !allowsAnonymous { try broker.edit("mosquitto.conf", "allow_anonymous true", "allow_anonymous false") }
        return broker
    }

    /// A broker whose rules a consumer writes and changes, as `deploy/broker --accounts` sets it up, not started yet.
    /// Its folder holds `home.password` and `consumer.password`; `writeRules` belongs before each start.
    public static func ruled() throws -> Broker {
        let broker = try Broker(configuration: [])
        try RunningProgram.run("\(projectFolder)/deploy/broker", ["--accounts", broker.folder.path, "\(broker.port)"])
        return broker
    }

    /// Where the plugin's file is, of a broker that a consumer rules.
    public var rulesFile: String { folder.path("vitals-rules.json") }

    /// Has `vitals-consumer broker-rules` write the plugin's file from a consumer's settings, whose path is given, and
    /// database.
    public func writeRules(_ settings: String) throws {
        try RunningProgram.run("vitals-consumer", ["broker-rules", rulesFile, "--settings", settings])
    }

    /// A running broker with the rules that follow from a consumer's settings, for as long as the closure lasts.
    /// - Parameter settings: writes the settings, given the broker that is not started yet, and returns their path.
    public static func withRules<Result>(
        settings: (Broker) throws -> String, _ body: (Broker) throws -> Result
    ) throws -> Result {
        let broker = try ruled()
        try broker.writeRules(settings(broker))
        try broker.start()
        defer { broker.stop() }
        return try body(broker)
    }

    /// A running broker, for as long as the closure lasts.
    public static func with<Result>(
        configuration: [String] = ["allow_anonymous true"], _ body: (Broker) throws -> Result
    ) throws -> Result {
        let broker = try Broker(configuration: configuration)
        try broker.start()
        defer { broker.stop() }
        return try body(broker)
    }

    deinit { stop() }

    /// Starts it with an empty log, and waits until it listens.
    public func start() throws {
        let process = try RunningProgram("mosquitto", ["-v", "-c", folder.path("mosquitto.conf")])
        self.process = process
        guard process.line(containing: " running") != nil else {
            throw TestFailure("mosquitto does not start: \(log)")
        }
    }

    /// Ends it in order, and waits until it has.
    public func stop() { process?.end() }

    /// Kills it, as a power cut would, and waits until it has ended.
    public func kill() { process?.end(SIGKILL) }

    /// Sends it a signal: SIGSTOP, and SIGCONT.
    public func signal(_ number: Int32) { process?.signal(number) }

    /// What it has logged since its last start, debug lines too.
    public var log: String { process?.text ?? "" }

    /// Waits until this many lines of its log contain a text.
    public func waitForLog(_ text: String, times count: Int = 1, within limit: Duration = limit) throws {
        guard process?.wait(within: limit, until: { $0.count { $0.contains(text) } >= count }) == true else {
            throw TestFailure("mosquitto never logged \"\(text)\" \(count) times: \(log)")
        }
    }

    /// Puts words for others in one of its files, which has to have them.
    private func edit(_ name: String, _ old: String, _ new: String) throws {
        let text = try String(contentsOfFile: folder.path(name), encoding: .utf8)
        guard text.contains(old) else { throw TestFailure("\(name) does not say \"\(old)\"") }
        try folder.write(text.replacingOccurrences(of: old, with: new), to: name)
    }
}
