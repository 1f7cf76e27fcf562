import Daemon
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_gateway

@Suite("Live blocks", .timeLimit(.minutes(60)))
struct LiveBlocksTests {
    /// What a live block says, opened as the consumer opens it.
    private func opened(_ live: [UInt8], _ keyBlock: [UInt8], _ bench: Bench) throws -> [Reading] {
        let gateway = try Ed25519.VerifyingKey(Identity(in: "\(bench.folder)/state").key.publicKey)
        let key = try SessionKey.open(keyBlock, recipient: bench.person, gateway: gateway).key
        let header = try BlockHeader(startOf: live)
        let opens = try BlockHeader(startOf: keyBlock).identity.session
        #expect(header.kind == .live && header.identity.session == opens)
        let (stream, session) = (header.identity.stream.bytes, header.identity.session.bytes)
        let cipher = BlockCipher(key: try key.liveKey(stream: stream, session: session))
        return try ReadingColumns.decode(
            cipher.open(block: live, header: BlockHeader.length, seq: header.identity.sequence))
    }

    @Test("are sent at once, if the grant asks for that: long before anything is flushed or a block is made")
    func atOnce() throws {
        let line = try Line(kinds: [.steps, .live])
        // The key block of a new session does not wait for the minute of these settings, either.
        line.outbox.append(reading(1), from: line.bench.strap)
        let key = try #require(line.block(0))
        let second = reading(2)
        line.outbox.append(second, from: line.bench.strap)
        let live = try #require(line.live.first { _ in true })
        #expect(try opened(live, key, line.bench) == [second])
        let third = reading(3)
        line.outbox.append(third, from: line.bench.strap)
        try line.live.wait(for: 2)
        #expect(try line.live.all.map { try BlockHeader(startOf: $0).identity.sequence } == [1, 2])
        #expect(line.blocks.all == [key])
        // Its block has it as ever, and numbers of its own.
        #expect(try line.outbox.keep((4..<65).map { reading($0) }, from: line.bench.strap))
        let block = try #require(line.block(1))
        #expect(try line.bench.opened(line.bench.waiting()).map(\.steps) == [Array(1..<65)])
        #expect(try line.bench.waiting().map(\.bytes) == [key, block])
    }

    @Test(
        "are not sent where the grant does not ask for them, or not for this kind",
        arguments: [.all, [.steps, .live]] as [Grant.Kinds])
    func notAsked(kinds: Grant.Kinds) throws {
        let line = try Line(kinds: kinds)
        #expect(try line.outbox.keep([reading(0)], from: line.bench.strap))
        #expect(line.block(0) != nil)
        let moment = Moment.now()
        let beat = Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: 70)))
        if kinds != .all { line.outbox.append(beat, from: line.bench.strap) }
        if kinds == .all { #expect(try line.outbox.keep((1..<64).map { reading($0) }, from: line.bench.strap)) }
        // What comes after it over the same connection says that it was not sent.
        let session = try BlockHeader(startOf: #require(line.block(0))).identity.session
        line.outbox.receive(control: try line.bench.signed(.keyRequest(line.bench.stream, session)))
        #expect(line.grants.first { _ in true } != nil)
        #expect(line.live.all.isEmpty)
    }

    @Test("are at most 50 in a second, each with a number that no other has")
    func bound() throws {
        var live = LiveBlocks(try SymmetricKey(Array(0..<32)))
        let session = (stream: StreamID(high: 1, low: 2), id: SessionID(3))
        func sent(_ count: Int, at now: UInt64) throws -> [UInt64] {
            try (0..<count).compactMap { _ in
                try live.block(reading(1), of: session, at: now).map { try BlockHeader(startOf: $0).identity.sequence }
            }
        }
        #expect(try sent(60, at: 1999) == Array(1...50))
        #expect(try sent(60, at: 2000) == Array(51...100))
        #expect(try sent(1, at: 2999) == [])
    }

    @Test("are not sent of readings that have waited for long, or while no consumer is there")
    func late() throws {
        let line = try Line(kinds: [.steps, .live])
        #expect(try line.outbox.keep([reading(0)], from: line.bench.strap))
        #expect(line.block(0) != nil)
        let now = Moment.now()
        let old = Moment(wall: now.wall - 6000, monotonic: now.monotonic - min(now.monotonic, 6000))
        line.outbox.append(Reading(at: old, .steps(StepCount(1))), from: line.bench.strap)
        line.outbox.settle()
        let store = StoreID(high: 0, low: 1)
        line.outbox.consumerChanged(store, try ID("one"), isOnline: false)
        line.outbox.append(reading(2), from: line.bench.strap)
        line.outbox.settle()
        line.outbox.consumerChanged(store, try ID("one"), isOnline: true)
        line.outbox.append(reading(3), from: line.bench.strap)
        let live = try #require(line.live.first { _ in true })
        let key = try #require(line.block(0))
        guard case .steps(let steps) = try opened(live, key, line.bench).first?.value else {
            throw TestFailure("no steps")
        }
        #expect(steps.counter == 3 && line.live.all.count == 1)
    }
}
