import Daemon
import FoundationEssentials
import Glibc
import MQTT
import Telemetry
import Vault

/// The command line.
let loadCommand = Command(
    name: "vitals-load",
    summary: "Plays an enrolled gateway with a great many blocks to deliver, and says how long that took.",
    discussion: """
        For benchmarks. It waits for its grant, seals all blocks, prints "ready", and takes words on standard input: \
        "acknowledged" sends them all and ends when the consumer has acknowledged the last one, "published" when the broker \
        has. With activities it seals as it sends, and does so once. After each it prints a line of JSON: blocks, bytes, resent, and begin and end in milliseconds since boot.
        """,
    options: [
        .value("port", "P", "the broker's port, on 127.0.0.1", default: "1883"),
        .value("username", "NAME", "the gateway's name at the broker, and its id", default: "home"),
        .value("password-file", "FILE", "its password"),
        .value("identity", "FILE", "the gateway's identity, as vitals-gateway made it"),
        .value("consumer", "KEY", "the consumer's public key, as vitals-consumer identity prints it"),
        .value("sensor", "ID", "whose grant to use", default: "strap"),
        .value("blocks", "N", "so many blocks of readings", default: "20000"),
        .value("readings", "N", "so many heart rates in a block", default: "10"),
        .value(
            "activities", "FILE",
            "plays somebody who is at rest between activities, whose heart rates are in this file: one line each, with spaces"
        ),
        .flag("intervals", "with the times between the beats of that person"),
        .value("window", "N", "so many blocks may be on their way", default: "1024"),
    ])

/// What the command line says.
struct LoadSettings {
    let gateway: ID
    let sensor: ID
    let topics: Topics
    let broker: MQTT.Options
    let identity: Ed25519.SigningKey
    let consumer: Ed25519.VerifyingKey
    let blocks: Int
    let readings: Int
    let window: Int
    /// Heart rates of recorded activities, one a second; nil for a strap in training.
    let activities: [[UInt8]]?
    let hasIntervals: Bool

    init(_ arguments: Arguments) throws {
        gateway = try ID(arguments.string("username"))
        sensor = try ID(arguments.string("sensor"))
        topics = try Topics()
        var broker = MQTT.Options(
            host: "127.0.0.1", port: UInt16(try arguments.integer("port", in: 1...65535)), clientID: "vitals-load")
        broker.username = gateway.text
        broker.passwordFile = try arguments.string("password-file")
        self.broker = broker
        identity = try Ed25519.SigningKey(seed: KeyFile.load(arguments.string("identity")))
        consumer = try Ed25519.VerifyingKey(KeyFile.bytes(of: arguments.string("consumer")))
        blocks = try arguments.integer("blocks", in: 1...100_000_000)
        readings = try arguments.integer("readings", in: 1...ReadingColumns.maximumCount)
        activities = try arguments.optionalString("activities").map { path in
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
                $0.split(separator: " ").compactMap { UInt8($0) }
            }
        }
        hasIntervals = try arguments.flag("intervals")
        window = try arguments.integer("window", in: 1...broker.outgoingLimit)
    }
}

/// Waits for the grant, seals, and sends as it is told on standard input.
func play(_ settings: LoadSettings) throws -> ExitCode {
    let load = Load(settings)
    load.start()
    defer { load.stop() }
    guard let grant = load.grant.wait(atMost: .seconds(60)) else {
        throw Failure(.temporary, "no grant has come", hint: "does a consumer run that is enrolled with this gateway?")
    }
    let source = try BlockSource(SealedBlocks(settings, for: grant), areMadeBefore: settings.activities == nil)
    say("ready")
    while let word = readLine() {
        guard let end = Load.End(rawValue: word) else { throw Failure(.usage, "unknown word \(word)") }
        let sent = load.send(source.count, until: end) { try source.take() }
        // Five years a thousand blocks a second, at the least.
        guard let passage = sent.wait(atMost: .seconds(600 + source.count / 1000)) else {
            throw Failure(.temporary, "not all was \(word) within \(600 + source.count / 1000) s")
        }
        let result: JSON = [
            "blocks": .integer(Int64(source.count)), "bytes": .integer(Int64(source.bytes)),
            "resent": .integer(Int64(passage.resent)), "begin": .integer(Int64(passage.begin)),
            "end": .integer(Int64(passage.end)),
        ]
        say(String(decoding: result.bytes, as: UTF8.self))
    }
    return .ok
}

/// Blocks on their way out: made before there is a clock running, and as often as they are wanted, or as they are
/// taken, and once.
// Proof of @unchecked: while blocks are sent the session's thread alone has it, and between that the main thread alone.
private final class BlockSource: @unchecked Sendable {
    let count: Int
    private var sealed: SealedBlocks
    private var made: [[UInt8]] = []
    private var taken = 0
    /// How many bytes all of them have, so far.
    private(set) var bytes = 0

    init(_ sealed: SealedBlocks, areMadeBefore: Bool) throws {
        count = sealed.count
        self.sealed = sealed
        if areMadeBefore {
            for _ in 0..<count { made.append(try self.sealed.take()) }
            bytes = made.reduce(0) { $0 + $1.count }
        }
    }

    func take() throws -> [UInt8] {
        guard made.isEmpty else {
            defer { taken += 1 }
            return made[taken % count]
        }
        let block = try sealed.take()
        bytes += block.count
        return block
    }
}

/// A line that is read at once: in a pipe, stdio would keep it.
private func say(_ line: String) {
    print(line)
    fflush(nil)
}
