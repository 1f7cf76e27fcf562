import Daemon
import Foundation
import MQTT
import Reactor
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_gateway

/// A gateway's outbox in a folder of its own, and the two others that take part: a consumer that signs, and a
/// person who can open.
final class Bench {
    let folder: String
    /// A folder in the machine's memory.
    let memory: String
    let consumer: Ed25519.SigningKey
    let person: X25519KeyPair
    let stream: StreamID
    let home: ID
    let strap: ID
    /// One for each time that the outbox says that something has changed.
    let changes = Record<Bool>()

    init() throws {
        folder = "/tmp/vitals-gateway-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        memory = "/dev/shm/vitals-gateway-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: memory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        consumer = try Ed25519.SigningKey(seed: .random())
        person = try .random()
        stream = StreamID(high: 1, low: 2)
        (home, strap) = (try ID("home"), try ID("strap"))
    }

    deinit {
        for path in [folder, memory] { try? FileManager.default.removeItem(atPath: path) }
    }

    // MARK: The gateway

    /// Settings in which nothing happens by itself within a test's time.
    func settings(_ broker: String = "", outbox: String = "", state: String = "state") throws -> GatewaySettings {
        try """
        {
          gateway: "home", state: "\(state)", sensors: { strap: { name: "Vitals HRM" } },
          consumer: { identity: "\(KeyFile.text(of: consumer.publicKey))" },
          outbox: { flush_interval: "60 s", block_interval: "600 s", \(outbox) },
          broker: { \(broker) },
        }
        """.write(toFile: "\(folder)/gateway.json5", atomically: true, encoding: .utf8)
        return try Settings.read("\(folder)/gateway.json5", GatewaySettings.init)
    }

    /// A running outbox, without a broker, in the folder `state` or another, with further lines of settings, and with a
    /// journal in memory if it has a folder for that. The caller stops it.
    func outbox(_ more: String = "", in state: String = "state", inMemory memory: String? = nil) throws -> Outbox {
        let settings = try settings(outbox: more, state: state)
        let outbox = try Outbox(settings, inMemory: memory, publishingOn: Session(settings.broker))
        let changes = changes
        try outbox.start { changes.append(true) }
        return outbox
    }

    /// The database, for reading it while the outbox has it.
    func store() throws -> OutboxStore { try OutboxStore(in: "\(folder)/state") }

    /// The database, for causing a fault while the outbox has it. "VitO" is its application id.
    func database() throws -> Database {
        try Database("\(folder)/state/outbox.db", .readWrite(.normal), applicationID: 0x5669_744F)
    }

    /// What waits for an acknowledgement, from the first.
    func waiting() throws -> [OutboxStore.Block] {
        try store().waiting(after: 0, through: .max, atMost: 1000)
    }

    /// The journal in memory, while an outbox has it, too.
    static func records(inMemory folder: String) throws -> [RAMJournal.Record] {
        guard let file = FileManager.default.contents(atPath: "\(folder)/\(RAMJournal.name)") else { return [] }
        let (first, second) = (file.prefix(RAMJournal.halfSize), file.dropFirst(RAMJournal.halfSize))
        let records = RAMJournal.records(in: Array(first)) + RAMJournal.records(in: Array(second))
        return records.sorted { $0.id < $1.id }
    }

    // MARK: The consumer

    func signed(
        _ body: ControlMessage.Body, by key: Ed25519.SigningKey? = nil, for gateway: ID? = nil, store: UInt64 = 1
    ) throws -> [UInt8] {
        let message = ControlMessage(store: StoreID(high: 0, low: store), gateway: gateway ?? home, body)
        return message.bytes(signature: try (key ?? consumer).sign(message.signedBytes))
    }

    func grant(
        serial: UInt64 = 1, stream: StreamID? = nil, until: Int64? = nil, key: [UInt8]? = nil,
        kinds: Grant.Kinds = .all
    ) throws -> Grant {
        try Grant(
            serial: serial, sensor: strap, stream: stream ?? self.stream, from: 0, until: until,
            personPublicKey: key ?? person.publicKey, kinds: kinds)
    }

    /// Blocks opened as the consumer opens them, in the order in which they were made: what each says.
    func opened(_ blocks: [OutboxStore.Block]) throws -> [Opened] {
        let gateway = try Ed25519.VerifyingKey(Identity(in: "\(folder)/state").key.publicKey)
        var keys: [SessionID: SessionKey] = [:]
        var opened: [Opened] = []
        for block in blocks {
            let header = try BlockHeader(startOf: block.bytes)
            let (stream, session) = (header.identity.stream.bytes, header.identity.session.bytes)
            guard header.kind != .key else {
                keys[header.identity.session] = try SessionKey.open(block.bytes, recipient: person, gateway: gateway)
                    .key
                continue
            }
            let key = try #require(keys[header.identity.session], "a block comes after its session's key")
            let body = try BlockCipher(key: key.blockKey(stream: stream, session: session)).open(
                block.bytes[36...], seq: header.identity.sequence, aad: header.bytes)
            guard header.kind != .clock, header.kind != .gap else {
                opened.append(Opened(identity: header.identity, kind: header.kind, [], body: body))
                continue
            }
            guard header.kind == .loose else {
                opened.append(Opened(identity: header.identity, kind: header.kind, try ReadingColumns.decode(body)))
                continue
            }
            let loose = try LooseBody(bytes: body)
            let oldKey = try #require(keys[loose.session], "the old session's key block is still there")
            let journal = BlockCipher(key: try oldKey.journalKey(stream: stream, session: loose.session.bytes))
            let readings = try loose.records.flatMap { record in
                try ReadingColumns.decode(
                    journal.open(record.sealed, seq: record.number, aad: stream + loose.session.bytes))
            }
            opened.append(Opened(identity: header.identity, kind: .loose, readings))
        }
        return opened
    }

    struct Opened {
        let identity: BlockIdentity
        let kind: BlockHeader.Kind
        let readings: [Reading]
        let body: [UInt8]

        init(identity: BlockIdentity, kind: BlockHeader.Kind, _ readings: [Reading], body: [UInt8] = []) {
            (self.identity, self.kind, self.readings, self.body) = (identity, kind, readings, body)
        }

        var steps: [UInt32] {
            readings.compactMap { if case .steps(let steps) = $0.value { steps.counter } else { nil } }
        }
    }
}

/// A reading now, told from others by its counter; `step` is by how much the wall clock is off.
func reading(_ counter: UInt32, clockStep step: Int64 = 0) -> Reading {
    Reading(at: Moment(wall: unixMilliseconds() + step, monotonic: millisecondsSinceBoot()), .steps(StepCount(counter)))
}

extension Outbox {
    /// Waits until everything that was left for the outbox's thread is done.
    func settle() { loop.sync { [self] in takeIn() } }

    /// Keeps readings; whether the last one, and with it all before, was flushed.
    func keep(_ readings: [Reading], from sensor: ID) throws -> Bool {
        let last = try #require(readings.last)
        for reading in readings.dropLast() { append(reading, from: sensor) }
        let answer = Answer<Bool>()
        append(last, from: sensor) { answer.set($0) }
        guard let isFlushed = answer.wait(atMost: .seconds(20)) else { throw TestFailure("no answer in 20 s") }
        return isFlushed
    }

    var health: HealthPayload {
        loop.sync { [self] in
            var health = HealthPayload(time: 0)
            describe(&health)
            return health
        }
    }

    /// Ends as a killed process does: nothing is sealed, nothing is flushed.
    func kill() { endThreads() }
}
