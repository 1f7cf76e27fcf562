import Foundation
import MQTT
import Synchronization
import Telemetry
import TestSupport
import Testing

/// Answers as a consumer does, with what a test wants. It stands in for the consumer, not for the broker, which
/// lets everybody do everything here.
// Proof of @unchecked: constants, records and what is under a lock; the broker is started and stopped by the test
// alone.
final class ScriptedConsumer: @unchecked Sendable {
    let broker: Broker
    /// One person's machine.
    let home: TemporaryFolder
    private let session: Session
    /// Nobody has a profile, unless a test says otherwise.
    private let answers = Mutex<[String: @Sendable (JSON) -> Reply]>([
        "profile/get": { _ in Reply(.ok(["profile": .null])) }
    ])
    /// What was asked, by whom (nil: a guest), and with which fields.
    let requests = Record<(user: String?, name: String, fields: JSON)>()

    /// - Parameter configuration: lines for mosquitto.conf.
    init(configuration: [String] = ["allow_anonymous true"]) throws {
        broker = try Broker(configuration: configuration)
        try broker.start()
        home = try TemporaryFolder()
        session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: "consumer"))
        let granted = Record<Bool>()
        session.subscribe(
            ["vitals/v1/accounts/+", "vitals/v1/users/+/requests/+/+"].map { Subscription($0, qos: .atLeastOnce) }
        ) { _, error in granted.append(error == nil) }
        session.start(Handlers(received: { [unowned self] in receive($0) }))
        try granted.wait(for: 2)
    }

    deinit {
        session.stop()
        broker.stop()
    }

    func answer(_ name: String, _ answering: @escaping @Sendable (JSON) -> Reply) {
        answers.withLock { $0[name] = answering }
    }

    func answer(_ name: String, _ data: JSON) { answer(name) { _ in Reply(.ok(data)) } }

    /// Leaves a request without a reply.
    func ignore(_ name: String) { answers.withLock { $0[name] = nil } }

    func refuse(_ name: String, _ error: ReplyError) { answer(name) { _ in Reply(.error(error)) } }

    /// Tells a person something that is not a reply.
    func tell(_ topic: String, _ payload: JSON) { session.publish(payload.bytes, to: topic, qos: .atLeastOnce) }

    /// The same, and the broker keeps it.
    func keep(_ topic: String, _ payload: JSON) {
        session.publish(payload.bytes, to: topic, qos: .atLeastOnce, retain: true)
    }

    /// Says that what was told on a topic is over.
    func clear(_ topic: String) { session.publish([], to: topic, qos: .atLeastOnce) }

    private func receive(_ message: Message) {
        guard let fields = try? Request(payload: message.payload, limit: 65_536).fields else { return }
        let levels = message.topic.split(separator: "/").map(String.init)
        let isGuest = levels[2] == "accounts"
        let name = isGuest ? levels[3] : levels[5...].joined(separator: "/")
        requests.append((isGuest ? nil : levels[3], name, fields))
        guard var reply = answers.withLock({ $0[name] })?(fields) else { return }
        if case .string(let id) = fields["id"] { reply.id = .string(id) }
        let listed = "vitals/v1/users/\(levels[3])/responses/\(name)"
        session.publish(
            reply.bytes, to: message.properties?.responseTopic ?? listed, qos: .atLeastOnce,
            properties: Message.Properties(correlationData: message.properties?.correlationData))
    }

    /// Runs `vitals` on that machine.
    func vitals(
        _ words: String..., input: [String] = [], environment: [String: String] = [:]
    ) throws -> (status: Int32?, output: String, errors: String) {
        try vitals(words, input: input, environment: environment)
    }

    func vitals(
        _ words: [String], input: [String] = [], environment: [String: String] = [:]
    ) throws -> (status: Int32?, output: String, errors: String) {
        let program = try RunningProgram(
            "vitals", ["--port", "\(broker.port)"] + words,
            environment: ["HOME": home.path, "TZ": "UTC"].merging(environment) { $1 }, inheritsEnvironment: false,
            output: .apart)
        for line in input { program.send(line) }
        program.closeInput()
        let status = program.exitStatus()
        return (status, program.text, program.errors)
    }

    /// What completion offers. It is asked again while that is not what is wanted: names that do not come within a second are left out.
    /// - Returns: what it offered last.
    func completion(_ what: String, until isWanted: (String) -> Bool) throws -> String {
        let end = ContinuousClock.now + limit
        while true {
            let output = try vitals("completion", what).output
            if isWanted(output) || ContinuousClock.now >= end { return output }
        }
    }

    /// What completion offers once it has asked for something: where there is nothing to offer, that alone shows that it has looked.
    func completion(_ what: String, asking name: String) throws -> String {
        let before = requests.all.count { $0.name == name }
        let output = try completion(what) { _ in requests.all.count { $0.name == name } > before }
        #expect(requests.all.count { $0.name == name } > before, "completion \(what) has not asked \(name)")
        return output
    }

    /// Runs `vitals` at a terminal, where a person types each line when the prompt before it is there.
    func terminal(
        _ words: String, _ typed: [(prompt: String, line: String)], environment: [String: String] = [:]
    ) throws -> (status: Int32?, text: String) {
        let program = try watchedTerminal(words, environment: environment)
        for (prompt, line) in typed {
            guard program.prints(prompt) else { throw TestFailure("no \"\(prompt)\": \(program.text)") }
            program.send(line)
        }
        let status = program.exitStatus()
        return (status, program.text)
    }

    /// Runs `vitals` at a terminal, and leaves it running.
    func watchedTerminal(_ words: String, environment: [String: String] = [:]) throws -> RunningProgram {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/vitals"
        let usual = ["HOME": home.path, "TZ": "UTC", "SHELL": "/bin/sh", "TERM": "xterm", "NO_COLOR": ""]
        return try RunningProgram(
            "/usr/bin/script", ["-qefc", "\(path) --port \(broker.port) \(words)", "/dev/null"],
            environment: usual.merging(environment) { $1 })
    }

    func signIn() throws {
        answer("sign-in", Self.credential)
        let outcome = try vitals("sign-in", "ada@example.org", input: ["Lovelace-1815!"])
        try #require(outcome.status == 0, "\(outcome)")
    }

    static let credential: JSON = [
        "user": "ada", "device": "phone", "password": "drawn", "message": "Signed in",
    ]

    /// The last request but for those that ask in which units the person reads the reply.
    func last() throws -> (user: String?, name: String, fields: JSON) {
        guard let last = requests.all.last(where: { $0.name != "profile/get" }) else {
            throw TestFailure("nothing was asked")
        }
        return last
    }
}
