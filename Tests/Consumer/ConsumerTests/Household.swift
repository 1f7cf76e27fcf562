import Daemon
import Foundation
import Records
import Storage
import Telemetry
import TestSupport
import Vault

@testable import Days
@testable import Features
@testable import Readings
@testable import vitals_consumer

/// A household in a folder of its own: settings, a root key, the keys of two gateways, of which `home` is enrolled and
/// `next-door` may be.
final class Household {
    private let folder: TemporaryFolder
    let home: Ed25519.SigningKey
    let nextDoor: Ed25519.SigningKey

    init() throws {
        folder = try TemporaryFolder()
        home = try Ed25519.SigningKey(seed: .random())
        nextDoor = try Ed25519.SigningKey(seed: .random())
    }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { folder.path(name) }

    /// The settings, through a file as ever.
    func settings(
        people: String = "demo: { sensors: [\"home/strap\"] }", port: UInt16 = 1, broker: String = "",
        more: String = "", features: [Feature] = Feature.all
    ) throws -> ConsumerSettings {
        let text = """
            {
              state: "state", root_key_file: "root.key", \(more)
              broker: { \(broker)port: \(port) },
              gateways: {
                home: { identity: "\(KeyFile.text(of: home.publicKey))" },
                "next-door": { identity: "\(KeyFile.text(of: nextDoor.publicKey))" },
              },
              people: { \(people) },
            }
            """
        try text.write(toFile: path("consumer.json5"), atomically: true, encoding: .utf8)
        return try Settings.read(path("consumer.json5")) { section throws(SettingsError) in
            try ConsumerSettings(section, features)
        }
    }

    /// The parts of a consumer without a broker, as they are after a start.
    func open(
        people: String = "demo: { sensors: [\"home/strap\"] }", now: Int64 = start, sessionCapacity: Int = 1024,
        densest: Density.Limits = Density.Limits(), limits: StorageLimits = StorageLimits(),
        adding schema: Schema = Schema(), deriving: (Store, Keys) -> [any Derivation] = { _, _ in [] }
    ) throws -> Parts {
        let settings = try settings(people: people)
        let keys = try Keys(settings, .create)
        let store = try Store(folder: settings.state, adding: schema)
        let grants = Grants(store: store, keys: keys)
        try grants.settle(settings.people, now: now)
        let derivations = deriving(store, keys)
        let stale = StaleHours(store, keys, derivations)
        return Parts(
            settings: settings, keys: keys, store: store, grants: grants, stale: stale,
            ingest: Ingest(
                store, keys, gateways: settings.gateways, totals: Totals(store, keys, derivations, stale: stale),
                sessionCapacity: sessionCapacity, densest: densest, limits: limits)
        )
    }
}

/// A moment in 2026, Unix milliseconds: the beginning of an hour.
let start: Int64 = 1_795_252_800_000 / 3_600_000 * 3_600_000

/// What `Household.open` has opened.
struct Parts {
    let settings: ConsumerSettings
    let keys: Keys
    let store: Store
    let grants: Grants
    let stale: StaleHours
    var ingest: Ingest
    private var now: UInt64 = 0

    init(
        settings: ConsumerSettings, keys: Keys, store: Store, grants: Grants, stale: StaleHours, ingest: Ingest
    ) {
        self.settings = settings
        self.keys = keys
        self.store = store
        self.grants = grants
        self.stale = stale
        self.ingest = ingest
    }

    /// The grant of a sensor of the gateway `home`.
    func grant(_ sensor: String = "strap") throws -> Grant {
        guard let found = try grants.current().first(where: { $0.grant.sensor.text == sensor }) else {
            throw TestFailure("no grant for \(sensor)")
        }
        return found.grant
    }

    /// A session of a gateway's under the current grant.
    func session(_ household: Household, _ sensor: String = "strap", boot: UInt64 = 1) throws -> GatewaySession {
        try GatewaySession(grant(sensor), household.home, boot: BootID(high: 0, low: boot))
    }

    /// Hands in a batch and commits it, a minute and a bit later each time unless told otherwise.
    mutating func take(
        _ blocks: [UInt8]..., from gateway: String = "home", later milliseconds: UInt64 = 61_000
    ) throws -> [Answer] {
        try take(all: blocks, from: gateway, later: milliseconds).answers
    }

    mutating func take(
        all blocks: [[UInt8]], grants: [[UInt8]] = [], from gateway: String = "home",
        later milliseconds: UInt64 = 61_000,
        wall: Int64 = start
    ) throws -> (answers: [Answer], reports: [Report]) {
        now += milliseconds
        for grant in grants { ingest.collect(grant: grant, from: try ID(gateway)) }
        for block in blocks { ingest.collect(block, from: try ID(gateway)) }
        return try ingest.commit(now: now, wall: wall)
    }

    /// How many rows a table has.
    func count(_ table: String) throws -> Int {
        Int(try store.database.first("SELECT count(*) FROM \(table)", row: Row.int) ?? -1)
    }

    /// What the `readings` command prints.
    func printed(
        _ kind: ReadingKind = .heartRate, user: String = "demo", from: Int64 = -Moment.limit, to: Int64 = Moment.limit
    ) throws -> [String] {
        let command = ReadingsCommand(user: try ID(user), kind: kind, from: from, to: to)
        return try output { descriptor in _ = try command.run(settings, output: descriptor) }
    }
}

/// The lines that `body` writes to a descriptor.
func output(_ body: (CInt) throws -> Void) throws -> [String] {
    let path = FileManager.default.temporaryDirectory.path + "/vitals-output-\(UUID().uuidString)"
    defer { unlink(path) }
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    defer { close(descriptor) }
    try body(descriptor)
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
}

/// One session of a gateway's, that seals as a gateway does.
final class GatewaySession {
    let id: SessionID
    let stream: StreamID
    let keyBlock: [UInt8]
    private let blocks: BlockCipher
    private let journal: BlockCipher
    private(set) var sequence: UInt64 = 0

    init(_ grant: Grant, _ gateway: Ed25519.SigningKey, id: SessionID? = nil, boot: BootID) throws {
        let key = try SessionKey.random()
        self.id = try id ?? SessionID(bytes: RandomBytes.draw(8))
        stream = grant.stream
        let header = BlockHeader(.key, BlockIdentity(stream: stream, session: self.id, sequence: 0))
        keyBlock = try key.sealed(
            header: header.bytes, bootID: boot.bytes, recipient: grant.personPublicKey, gateway: gateway)
        blocks = BlockCipher(key: try key.blockKey(stream: stream.bytes, session: self.id.bytes))
        journal = BlockCipher(key: try key.journalKey(stream: stream.bytes, session: self.id.bytes))
    }

    func identity(_ sequence: UInt64) -> BlockIdentity {
        BlockIdentity(stream: stream, session: id, sequence: sequence)
    }

    /// A block with the next number, or with a given one.
    func seal(_ kind: BlockHeader.Kind, _ body: [UInt8], sequence given: UInt64? = nil) throws -> [UInt8] {
        if given == nil { sequence += 1 }
        let number = given ?? sequence
        let header = BlockHeader(kind, identity(number)).bytes
        return header + (try blocks.seal(body, seq: number, aad: header))
    }

    func block(_ readings: Reading...) throws -> [UInt8] { try block(readings) }

    func block(_ readings: [Reading]) throws -> [UInt8] { try seal(.readings, ReadingColumns.encode(readings)) }

    /// A journal record of this session.
    func record(_ number: UInt64, _ reading: Reading) throws -> LooseBody.Record {
        let sealed = try journal.seal(ReadingColumns.encode([reading]), seq: number, aad: stream.bytes + id.bytes)
        return LooseBody.Record(number: number, sealed: sealed)
    }

    /// A loose block of this session with records of an older one.
    func loose(_ old: GatewaySession, _ records: [LooseBody.Record]) throws -> [UInt8] {
        try seal(.loose, LooseBody(session: old.id, records: records).bytes)
    }
}

/// A heart rate some milliseconds after `start`, and after boot.
func beat(_ milliseconds: Int64, _ bpm: UInt16, rr: [UInt16] = []) -> Reading {
    Reading(
        at: Moment(wall: start + milliseconds, monotonic: UInt64(max(0, 1_000_000 + milliseconds))),
        .heartRate(HeartRateMeasurement(beatsPerMinute: bpm, rrIntervals: rr)))
}

/// The same as a line of output.
func line(_ milliseconds: Int64, _ bpm: Int) -> String { "{\"time\":\(start + milliseconds),\"bpm\":\(bpm)}" }
