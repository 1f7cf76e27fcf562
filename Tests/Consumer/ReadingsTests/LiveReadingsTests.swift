import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Readings

@Suite("Live readings")
struct LiveReadingsTests {
    private let home: ID
    private let household: Household

    init() throws {
        home = try ID("home")
        household = try Household()
    }

    /// What a live block brings; nil if nothing.
    private func said(
        _ block: [UInt8], _ parts: inout Parts, from gateway: ID? = nil, at now: UInt64 = 0
    ) throws -> [Reading]? {
        guard case .taken(_, let readings) = try parts.ingest.live(block, from: gateway ?? home, now: now) else {
            return nil
        }
        return readings
    }

    /// A consumer with a person who works out: everything that their strap measures comes at once.
    private func open() throws -> Parts {
        var parts = try household.open()
        try record([.heartRate, .live], &parts)
        return parts
    }

    /// Has the strap recorded like this from now on.
    private func record(_ kinds: Grant.Kinds, _ parts: inout Parts) throws {
        let person = PersonSettings(user: try ID("demo"), sensors: [try strap], kinds: kinds)
        parts.ingest.forgetSessions(of: try parts.grants.settle([person], now: start))
    }

    private var strap: SensorName { get throws { SensorName(gateway: home, sensor: try ID("strap")) } }

    @Test("are opened once their session is known, with the person and the sensor; nothing is stored")
    func opens() throws {
        var parts = try open()
        let session = try parts.session(household)
        #expect(try said(session.live(beat(0, 71)), &parts) == nil)
        _ = try parts.take(session.keyBlock)
        let live = try parts.ingest.live(session.live(beat(1000, 72, rr: [800])), from: home, now: 0)
        guard case .taken(let stream, let readings) = live else { throw TestFailure("\(live)") }
        #expect(readings == [beat(1000, 72, rr: [800])])
        #expect(stream.owner?.text == "demo" && stream.sensor == "strap")
        #expect(try parts.count("blocks") == 0)
        #expect(try parts.count("ledger") == 1)
        #expect(parts.ingest.counts.live == 1 && parts.ingest.counts.liveIgnored == 1)
        // The number that it had is free for a block.
        #expect(try parts.take(session.block(beat(1000, 72))) == [.acknowledge(home, [session.identity(1)])])
    }

    @Test("that came before, or come late, do nothing")
    func replayed() throws {
        var parts = try open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let blocks = try (0..<3).map { try session.live(beat($0 * 1000, 72)) }
        #expect(try said(blocks[1], &parts) == [beat(1000, 72)])
        #expect(try said(blocks[1], &parts) == nil)
        #expect(try said(blocks[0], &parts) == nil)
        #expect(try said(blocks[2], &parts) == [beat(2000, 72)])
        #expect(try said(blocks[2], &parts) == nil)
        // What is remembered of them does not depend on which keys are in memory.
        parts.ingest.forgetSessions()
        #expect(try said(blocks[2], &parts) == nil)
        #expect(try said(session.live(beat(3000, 72)), &parts) == [beat(3000, 72)])
    }

    @Test("that are forged, foreign, too long, or no live blocks do nothing")
    func forged() throws {
        var parts = try open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let good = try session.live(beat(0, 72))
        for index in good.indices {
            var altered = good
            altered[index] ^= 1 << UInt8(index % 8)
            #expect(try said(altered, &parts) == nil, "byte \(index)")
        }
        for length in 0..<good.count { #expect(try said(Array(good.prefix(length)), &parts) == nil) }
        #expect(try said(good + [UInt8](repeating: 0, count: Ingest.maximumLiveLength), &parts) == nil)
        #expect(try said(good, &parts, from: ID("next-door")) == nil)
        #expect(try said(good, &parts, from: ID("stranger")) == nil)
        // Sealed as a block, and with two readings.
        #expect(try said(session.block(beat(0, 72)), &parts) == nil)
        #expect(try said(session.seal(.live, ReadingColumns.encode([beat(0, 72)])), &parts) == nil)
        #expect(try said(session.live(beat(0, 72), beat(1000, 73), sequence: 9), &parts) == nil)
        #expect(try said(good, &parts) == [beat(0, 72)])
    }

    @Test("are no blocks: on the topic of blocks they are ignored, and their numbers are not entered")
    func asBlock() throws {
        var parts = try open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let (answers, reports) = try parts.take(all: [session.live(beat(0, 72)), session.seal(.live, [1])])
        #expect(answers.isEmpty && reports.map(\.verdict) == [.ignored(.malformed), .ignored(.malformed)])
        #expect(try parts.count("ledger") == 1)
        #expect(try parts.count("blocks") == 0)
    }

    @Test("have their times corrected as stored ones have")
    func corrected() throws {
        var parts = try open()
        let session = try parts.session(household)
        let clock = try ClockBody(boot: BootID(high: 0, low: 1), correction: -5000, until: 1_002_000)
        _ = try parts.take(session.keyBlock, session.seal(.clock, clock.bytes))
        #expect(try said(session.live(beat(1000, 72)), &parts)?.first?.moment.wall == start - 4000)
        #expect(try said(session.live(beat(2000, 72)), &parts)?.first?.moment.wall == start + 2000)
    }

    @Test("of a stream that has ended do nothing")
    func ended() throws {
        var parts = try open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        #expect(try said(session.live(beat(0, 72)), &parts) != nil)
        try parts.grants.settle([], now: start)
        parts.ingest.forgetSessions()
        #expect(try said(session.live(beat(1000, 72)), &parts) == nil)
    }

    @Test("do nothing unless the grant asks for them, and for what they say")
    func granted() throws {
        var parts = try open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        for (number, kinds) in ([[.heartRate], [.steps, .live], [.heartRate, .live]] as [Grant.Kinds]).enumerated() {
            try record(kinds, &parts)
            let isTaken = try said(session.live(beat(Int64(number) * 1000, 72)), &parts) != nil
            #expect(isTaken == (number == 2), "\(kinds)")
        }
    }

    @Test("of a gateway that floods us are not looked at, and another gateway's are")
    func flooded() throws {
        var parts = try open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        func counts(_ count: Int, from gateway: ID, at now: UInt64) throws -> Int {
            try (0..<count).count { _ in
                // What is no block at all is counted, too: nothing is opened to find out.
                if case .tooMany = try parts.ingest.live([1, 2, 3], from: gateway, now: now) { true } else { false }
            }
        }
        let most = Int(Ingest.liveAtOnce)
        #expect(try counts(most + 10, from: home, at: 5000) == 10)
        let good = try session.live(beat(0, 72))
        #expect(try said(good, &parts, at: 5000) == nil)
        #expect(try counts(1, from: ID("next-door"), at: 5000) == 0)
        // Strangers have no allowance, and take none.
        #expect(try counts(most * 2, from: ID("stranger"), at: 5000) == 0)
        #expect(try said(good, &parts, at: 5100) == [beat(0, 72)])
        #expect(try counts(most, from: home, at: 5100) > most / 2)
    }

    @Test("come at most 100 in a second of each session")
    func flood() throws {
        var parts = try open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        func taken(at now: UInt64) throws -> Int {
            try (0..<150).count { _ in try said(session.live(beat(0, 72)), &parts, at: now) != nil }
        }
        #expect(try taken(at: 5999) == 100)
        #expect(try taken(at: 6000) == 100)
    }

    @Test("remembers numbers of so many sessions, and no more")
    func capacity() throws {
        var sessions = LiveSessions()
        let stream = StreamID(high: 1, low: 1)
        for number in 0..<UInt64(LiveSessions.capacity + 10) {
            sessions.took(5, of: SessionName(stream: stream, session: SessionID(number)), at: number * 1000)
        }
        // The oldest went.
        #expect(sessions.allows(5, of: SessionName(stream: stream, session: SessionID(9)), at: .max))
        #expect(!sessions.allows(5, of: SessionName(stream: stream, session: SessionID(10)), at: .max))
    }
}
