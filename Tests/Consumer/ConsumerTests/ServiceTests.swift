import Daemon
import Files
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Synchronization
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_consumer

/// The service with a real broker: in this process where the test looks inside, as a program where signals matter.
@Suite("The service")
struct ServiceTests {
    let household: Household
    let broker: Broker
    let blocks = "vitals/v1/gateways/home/blocks"

    init() throws {
        household = try Household()
        broker = try Broker(configuration: ["allow_anonymous true", "max_queued_messages 100000"])
    }

    /// A consumer that runs while `body` does, and its public key.
    func withConsumer<Result>(
        failed: @escaping @Sendable (any Error) -> Void = { _ in },
        _ body: (_ consumer: Consumer, _ key: [UInt8]) throws -> Result
    ) throws -> Result {
        let settings = try household.settings(port: broker.port)
        let key = try Keys(settings, .create).identity.publicKey
        let consumer = try Consumer(settings, readiness: Readiness(), failed: failed)
        consumer.start()
        defer { consumer.stop() }
        return try body(consumer, key)
    }

    func presence(_ client: Client) throws -> (topic: String, state: Availability) {
        try client.wait("the presence") { message in
            guard message.topic.contains("/stores/") else { return nil }
            return (message.topic, try StatusPayload(payload: message.payload).state)
        }
    }

    func grant(_ client: Client, _ key: [UInt8]) throws -> Grant {
        guard case .grant(let grant) = try client.control(key).body else { throw TestFailure("no grant") }
        return grant
    }

    @Test("publishes the grants of more sensors than the session holds messages")
    func manyGrants() throws {
        try broker.start()
        let count = 10_500
        let sensors = (1...count).map { "\"home/s\($0)\"" }.joined(separator: ", ")
        let settings = try household.settings(people: "demo: { sensors: [\(sensors)] }", port: broker.port)
        _ = try Keys(settings, .create)
        let client = try Client(broker, "vitals/v1/gateways/home/sensors/+/grant")
        defer { client.stop() }
        let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.start()
        defer { consumer.stop() }
        for _ in 1...count { _ = try client.wait("another grant") { $0.topic } }
    }

    @Test("grants, takes blocks, acknowledges them with its signature, and says goodbye")
    func wholeWay() throws {
        try broker.start()
        let client = try Client(broker, "vitals/v1/#")
        defer { client.stop() }
        let store = try withConsumer { consumer, key in
            let grant = try grant(client, key)
            #expect(grant.sensor.text == "strap" && grant.until == nil)
            // Where somebody is, is recorded only if that is asked for.
            #expect(grant.kinds == Grant.Kinds.all.subtracting(.position))
            #expect(try presence(client) == ("vitals/v1/stores/\(consumer.store)/consumers/main", .online))

            let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
            let block = try session.block(beat(0, 72), beat(1000, 73))
            client.publish(block, to: blocks)
            let home = try ID("home")
            func message(_ body: ControlMessage.Body) -> ControlMessage {
                ControlMessage(store: consumer.store, gateway: home, body)
            }
            #expect(try client.control(key) == message(.keyRequest(session.stream, session.id)))
            client.publish(session.keyBlock, to: blocks)
            #expect(try client.control(key) == message(.acknowledgement([session.identity(0)])))
            for _ in 1...2 {
                client.publish(block, to: blocks)
                #expect(try client.control(key) == message(.acknowledgement([session.identity(1)])))
            }
            let conflicting = try session.seal(.readings, [1], sequence: 1)
            client.publish(conflicting, to: blocks)
            let conflict = message(.refusal(session.identity(1), digest: try digest(of: conflicting), .conflict))
            #expect(try client.control(key) == conflict)
            let poison = try session.seal(.readings, [1])
            client.publish(poison, to: blocks)
            let unreadable = message(.refusal(session.identity(2), digest: try digest(of: poison), .unreadable))
            #expect(try client.control(key) == unreadable)
            return consumer.store
        }
        #expect(try presence(client) == ("vitals/v1/stores/\(store)/consumers/main", .offline))
        let lines = try output { descriptor in
            let command = ReadingsCommand(user: try ID("demo"), kind: .heartRate)
            _ = try command.run(household.settings(), output: descriptor)
        }
        #expect(lines == [line(0, 72), line(1000, 73)])
    }

    @Test("waits for a broker, and tells a new one everything again")
    func brokers() throws {
        try withConsumer { _, key in
            var serials: [UInt64] = []
            for _ in 1...2 {
                try broker.start()
                let client = try Client(broker, "vitals/v1/#")
                defer { client.stop() }
                serials.append(try grant(client, key).serial)
                #expect(try presence(client).state == .online)
                broker.kill()
            }
            #expect(serials[0] == serials[1])
        }
    }

    @Test("acknowledges nothing while the database is locked, and takes it when it is sent again")
    func locked() throws {
        try broker.start()
        let client = try Client(broker, "vitals/v1/#")
        defer { client.stop() }
        try withConsumer { _, key in
            let session = try GatewaySession(grant(client, key), household.home, boot: BootID(high: 0, low: 1))
            #expect(try presence(client).state == .online)
            let other = try Database(household.path("state/vitals.db"), .readWrite(.full), applicationID: 0x5669_6462)
            try other.transaction { () throws(VaultError) in
                try other.execute("UPDATE streams SET serial = serial")
                client.publish(session.keyBlock, to: blocks)
                // The consumer drops this connection: the broker publishes its will.
                #expect(throws: Never.self) { try #expect(presence(client).state == .offline) }
            }
            #expect(try presence(client).state == .online)
            client.publish(session.keyBlock, to: blocks)
            _ = try grant(client, key)
            guard case .acknowledgement(let identities) = try client.control(key).body else {
                throw TestFailure("something came before the acknowledgement")
            }
            #expect(identities == [session.identity(0)])
        }
    }

    @Test(
        "gives up when another takes its place, and leaves the other alone",
        arguments: ["", "client_id: \"another\", "])
    func takenOver(clientID: String) throws {
        try broker.start()
        let watcher = try Client(broker, "vitals/v1/#")
        defer { watcher.stop() }
        let (first, second) = (Failed(), Failed())
        let settings = try household.settings(port: broker.port, broker: clientID)
        _ = try Keys(settings, .create)
        let older = try Consumer(household.settings(port: broker.port), readiness: Readiness(), failed: first.set)
        older.start()
        let name = try instance(watcher) { _ in true }
        // Two on one folder are refused; a copy of the folder is where two can meet.
        let refused = thrown(Failure.self) { try Consumer(settings, readiness: Readiness()) { _ in } }
        #expect(refused?.exitCode == .temporary && refused?.message.contains("process \(getpid())") == true)
        let copy = try copied(settings)
        let newcomer = try Consumer(copy, readiness: Readiness(), failed: second.set)
        newcomer.start()
        let failure = try first.wait()
        older.stop()
        #expect(failure.exitCode == .temporary)
        #expect(failure.message.contains("taken over"))
        let late = try Client(broker, "vitals/v1/stores/#")
        defer { late.stop() }
        _ = try instance(late) { $0 != name }
        newcomer.stop()
        #expect(second.error == nil)
    }

    /// The settings of a copy of the databases: the same store in another folder.
    func copied(_ settings: ConsumerSettings) throws -> ConsumerSettings {
        let folder = household.path("copy")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for (name, id) in [("vitals.db", Int32(0x5669_6462)), ("keys.db", 0x5669_6B79)] {
            try Database("\(settings.state)/\(name)", .readOnly, applicationID: id).backUp(to: "\(folder)/\(name)")
        }
        return try settingsOfCopy()
    }

    /// The first online instance that is wanted.
    func instance(_ client: Client, _ isWanted: (String) -> Bool) throws -> String {
        try client.wait("a consumer") { message in
            guard message.topic.contains("/stores/") else { return nil }
            let json = try JSON(payload: message.payload)
            guard json["state"] == "online", case .string(let name)? = json["instance"], isWanted(name) else {
                return nil
            }
            return name
        }
    }

    /// Why a consumer gave up.
    final class Failed: Sendable {
        private let errors = Record<any Error>()

        @Sendable func set(_ error: any Error) { errors.append(error) }

        var error: (any Error)? { errors.all.first }

        func wait() throws -> Failure { try errors.take("the end of the consumer") { $0 as? Failure } }
    }

    // MARK: The program

    /// Starts the program that was built beside these tests.
    func program(_ arguments: String..., environment: [String: String] = [:]) throws -> RunningProgram {
        try RunningProgram(
            "vitals-consumer", arguments + ["--settings", household.path("consumer.json5")], environment: environment,
            output: .apart)
    }

    /// Waits for its end.
    func end(_ program: RunningProgram) throws -> (status: Int32, output: String, errors: String) {
        let status = try #require(program.exitStatus())
        return (status, program.text, program.errors)
    }

    @Test("as a program: the credential root-key takes precedence over the file that the settings name")
    func credential() throws {
        _ = try household.settings(port: broker.port)
        let identity = try end(program("identity")).output
        let credentials = household.path("credentials")
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: household.path("root.key"), toPath: credentials + "/root-key")
        try "no key\n".write(toFile: household.path("root.key"), atomically: true, encoding: .utf8)
        #expect(chmod(household.path("root.key"), 0o600) == 0)
        #expect(try end(program("identity")).status != 0)
        let given = try end(program("identity", environment: ["CREDENTIALS_DIRECTORY": credentials]))
        #expect(given.status == 0 && given.output == identity)
        // What the unit gives where there is none: to start again would not help.
        try "missing".write(toFile: credentials + "/root-key", atomically: true, encoding: .utf8)
        let missing = try end(program("identity", environment: ["CREDENTIALS_DIRECTORY": credentials]))
        #expect(missing.status == 78 && missing.errors.contains("there is no root key"))
        try "no key".write(toFile: credentials + "/root-key", atomically: true, encoding: .utf8)
        let damaged = try end(program("identity", environment: ["CREDENTIALS_DIRECTORY": credentials]))
        #expect(damaged.status == 78 && !damaged.errors.contains("there is no root key"))
        #expect(damaged.errors.contains("the root key that the service is given is damaged"), "\(damaged.errors)")
        #expect(damaged.errors.contains("restore its file from your copy"))
        // Another credential changes nothing.
        let other = ["CREDENTIALS_DIRECTORY": household.path("state")]
        #expect(try end(program("identity", environment: other)).status != 0)
    }

    @Test("as a program: an identity, readings, clear errors and an end at SIGTERM")
    func asProgram() throws {
        _ = try household.settings(port: broker.port)
        let early = try end(program())
        #expect(early.status == 78)
        #expect(early.errors.contains("vitals-consumer identity"))

        let identity = try end(program("identity"))
        #expect(identity.status == 0)
        #expect(identity.output.count == 45 && identity.output.hasSuffix("=\n"))
        #expect(identity.errors.contains("root key"))
        let again = try end(program("identity"))
        #expect(again.output == identity.output && again.errors == "")
        #expect(try end(program("readings", "--user", "demo", "--kind", "steps")).status == 78)

        try broker.start()
        let client = try Client(broker, "vitals/v1/#")
        defer { client.stop() }
        let service = try program()
        #expect(try presence(client).state == .online)
        let key = try KeyFile.bytes(of: String(identity.output.dropLast()))
        let session = try GatewaySession(grant(client, key), household.home, boot: BootID(high: 0, low: 1))
        for block in [session.keyBlock, try session.block(beat(0, 72))] {
            client.publish(block, to: blocks)
            _ = try client.control(key)
        }
        let readings = try end(
            program("readings", "--user", "demo", "--kind", "heart-rate", "--to", "2099-01-01T00:00:00Z"))
        #expect(readings.output == line(0, 72) + "\n" && readings.status == 0)
        #expect(try end(program("readings", "--user", "nobody", "--kind", "steps")).status == 67)
        #expect(try end(program("readings", "--user", "demo", "--kind", "sleep")).status == 64)
        #expect(try end(program("readings", "--user", "demo", "--kind", "steps", "--from", "noon")).status == 64)

        service.signal(SIGTERM)
        let ended = try end(service)
        #expect(ended.status == 0)
        #expect(try presence(client).state == .offline)
        #expect(!ended.errors.contains("bpm") && !ended.errors.contains("\(start)"))
    }
}
