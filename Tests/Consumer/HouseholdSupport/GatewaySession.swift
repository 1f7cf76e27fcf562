package import Telemetry
import TestSupport
package import Vault

/// One session of a gateway's, that seals as a gateway does.
package final class GatewaySession {
    package let id: SessionID
    package let stream: StreamID
    package let keyBlock: [UInt8]
    private let blocks: BlockCipher
    private let journal: BlockCipher
    private let live: BlockCipher
    private var liveSequence: UInt64 = 0
    package private(set) var sequence: UInt64 = 0

    package init(_ grant: Grant, _ gateway: Ed25519.SigningKey, id: SessionID? = nil, boot: BootID) throws {
        let key = try SessionKey.random()
        self.id = try id ?? SessionID(bytes: RandomBytes.draw(8))
        stream = grant.stream
        let header = BlockHeader(.key, BlockIdentity(stream: stream, session: self.id, sequence: 0))
        keyBlock = try key.sealed(
            header: header.bytes, bootID: boot.bytes, recipient: grant.personPublicKey, gateway: gateway)
        blocks = BlockCipher(key: try key.blockKey(stream: stream.bytes, session: self.id.bytes))
        journal = BlockCipher(key: try key.journalKey(stream: stream.bytes, session: self.id.bytes))
        live = BlockCipher(key: try key.liveKey(stream: stream.bytes, session: self.id.bytes))
    }

    package func identity(_ sequence: UInt64) -> BlockIdentity {
        BlockIdentity(stream: stream, session: id, sequence: sequence)
    }

    /// A block with the next number, or with a given one.
    package func seal(_ kind: BlockHeader.Kind, _ body: [UInt8], sequence given: UInt64? = nil) throws -> [UInt8] {
        if given == nil { sequence += 1 }
        let number = given ?? sequence
        let header = BlockHeader(kind, identity(number)).bytes
        return header + (try blocks.seal(body, seq: number, aad: header))
    }

    package func block(_ readings: Reading...) throws -> [UInt8] { try block(readings) }

    package func block(_ readings: [Reading]) throws -> [UInt8] { try seal(.readings, ReadingColumns.encode(readings)) }

    /// Blocks of at most 64 readings of one kind each, as gateways make them.
    package func blocks(_ readings: [Reading]) throws -> [[UInt8]] {
        try Reading.Kind.allCases.flatMap { kind in
            let some = readings.filter { $0.kind == kind }
            return try stride(from: 0, to: some.count, by: 64).map { first in
                try block(Array(some[first..<min(first + 64, some.count)]))
            }
        }
    }

    /// A live block, with the next of its numbers, or with a given one.
    package func live(_ readings: Reading..., sequence given: UInt64? = nil) throws -> [UInt8] {
        if given == nil { liveSequence += 1 }
        let number = given ?? liveSequence
        let header = BlockHeader(.live, identity(number)).bytes
        return header + (try live.seal(ReadingColumns.encode(readings), seq: number, aad: header))
    }

    /// A journal record of this session.
    package func record(_ number: UInt64, _ reading: Reading) throws -> LooseBody.Record {
        let sealed = try journal.seal(ReadingColumns.encode([reading]), seq: number, aad: stream.bytes + id.bytes)
        return LooseBody.Record(number: number, sealed: sealed)
    }

    /// A loose block of this session with records of an older one.
    package func loose(_ old: GatewaySession, _ records: [LooseBody.Record]) throws -> [UInt8] {
        try seal(.loose, LooseBody(session: old.id, records: records).bytes)
    }
}

/// A heart rate some milliseconds after `start`, and after boot.
package func beat(_ milliseconds: Int64, _ bpm: UInt16, rr: [UInt16] = []) -> Reading {
    Reading(
        at: Moment(wall: start + milliseconds, monotonic: UInt64(max(0, 1_000_000 + milliseconds))),
        .heartRate(HeartRateMeasurement(beatsPerMinute: bpm, rrIntervals: rr)))
}

/// A position, a motion and a span of a pedometer at `start`.
package func movements() throws -> [Reading] {
    guard let position = Position(latitude: 52.5, longitude: 13.4, source: .receiver) else {
        throw TestFailure("no such place")
    }
    let span = PedometerSpan(milliseconds: 60_000, steps: 100)
    let values: [Reading.Value] = [
        .position(position), .motion(Motion(metresPerSecond: 2, source: .foot)), .pedometer(span),
    ]
    return values.map { Reading(at: Moment(wall: start, monotonic: 1_000_000), $0) }
}

/// The same as a line of output.
package func line(_ milliseconds: Int64, _ bpm: Int) -> String { "{\"time\":\(start + milliseconds),\"bpm\":\(bpm)}" }

/// A moment in 2026, Unix milliseconds: the beginning of an hour.
package let start: Int64 = 1_795_252_800_000 / 3_600_000 * 3_600_000

/// The hour of `start`.
package let firstHour = start / 3_600_000

/// What a refusal of these bytes quotes.
package func digest(of block: [UInt8]) throws -> [UInt8] { Array(try SHA256.digest(block).prefix(16)) }
