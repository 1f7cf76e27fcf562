import Daemon
import Foundation
import Storage
import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("Outbox within its limit", .timeLimit(.minutes(60)))
struct RoomTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    /// Puts blocks of 20 kB, with three readings each, into the database: a second for each, from 1000 on.
    private func fill(_ count: Int, of stream: StreamID? = nil, acknowledged: Bool = false) throws {
        let store = try bench.store()
        try store.commit { () throws(VaultError) in
            for number in 1...UInt64(count) {
                let identity = BlockIdentity(
                    stream: stream ?? bench.stream, session: SessionID(7), sequence: number)
                let bytes = BlockHeader(.readings, identity).bytes + [UInt8](repeating: 1, count: 20_000)
                let second = 1000 + Int64(number)
                try store.add(
                    identity, bytes, .init(extent: Extent(count: 3, first: second, last: second)), at: Int64(number))
                if acknowledged { try store.acknowledge(identity, at: Int64(number)) }
            }
        }
    }

    /// An outbox that may hold a megabyte, with a grant.
    private func small() throws -> Outbox {
        let outbox = try bench.outbox(#"limit: "1 MB""#)
        outbox.receive(grant: try bench.signed(.grant(bench.grant())), for: bench.strap)
        outbox.settle()
        return outbox
    }

    private func gaps() throws -> [GapBody] {
        let made = try bench.waiting().filter { $0.identity.session != SessionID(7) }
        return try bench.opened(made).filter { $0.kind == .gap }.map { try GapBody(bytes: $0.body) }
    }

    private func count(_ condition: String) throws -> Int64 {
        try bench.database().first("SELECT count(*) FROM blocks WHERE \(condition)", row: Row.int) ?? -1
    }

    @Test("drops the oldest blocks if there are too many, and says exactly what is missing, after a restart too")
    func drops() throws {
        let outbox = try small()
        try fill(100)
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        // 64 at once: two megabytes are 36 blocks and a little then.
        let expected = try GapBody(count: 192, first: 1_001_000, last: 1_064_999, reason: .outboxFull)
        #expect(try gaps() == [expected])
        #expect(try count("session = x'0000000000000007'") == 36)
        #expect(outbox.health.dropped == 192)
        #expect(try bench.store().bytesInUse() < 1_000_000)
        outbox.kill()

        let next = try bench.outbox(#"limit: "1 MB""#)
        #expect(next.health.dropped == 192)
        next.kill()
        let kept = try bench.waiting().filter { $0.identity.session != SessionID(7) }
        #expect(try bench.opened(kept).map(\.steps).contains([1]))
    }

    @Test("a gap block that is dropped itself is reported by the next one")
    func dropsGaps() throws {
        let outbox = try small()
        for round in 1...3 {
            try fill(100)
            #expect(try outbox.keep([reading(1)], from: bench.strap))
            try bench.database().execute("DELETE FROM blocks WHERE session = x'0000000000000007'")
            // The gap block of the round before was among the oldest, and three readings stayed in its place.
            #expect(outbox.health.dropped == 192 + (round - 1) * 189)
            let told = try gaps()
            #expect(told.map { Int($0.count) } == [192 + (round - 1) * 189])
            #expect(told.first?.first == 1_001_000)
        }
        outbox.kill()
    }

    @Test("what was acknowledged goes first, then what was refused")
    func spentFirst() throws {
        let outbox = try small()
        try fill(70, acknowledged: true)
        let refused = StreamID(high: 5, low: 5)
        try fill(5, of: refused)
        try bench.database().execute("UPDATE blocks SET state = 2 WHERE stream = ?", [.blob(refused.bytes)])
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        #expect(outbox.health.dropped == 0)
        #expect(try gaps().isEmpty)
        #expect(try count("state = 1") == 6)
        #expect(outbox.health.dead == 5)

        try fill(60, of: StreamID(high: 6, low: 6))
        #expect(try outbox.keep([reading(2)], from: bench.strap))
        #expect(try count("state = 1 AND sequence > 0") == 0)
        #expect(outbox.health.dead == 0)
        outbox.kill()
    }

    private func isNearlyFull(_ outbox: Outbox) -> Bool { outbox.loop.sync { outbox.isNearlyFull } }

    @Test("warns once at four fifths, of what nobody has acknowledged")
    func warns() throws {
        let outbox = try small()
        try fill(42, acknowledged: true)
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        #expect(!isNearlyFull(outbox))
        try bench.database().execute("UPDATE blocks SET state = 0")
        #expect(try outbox.keep([reading(2)], from: bench.strap))
        #expect(isNearlyFull(outbox))
        #expect(outbox.health.outbox.limitBytes == 1_000_000)
        outbox.kill()
    }

    /// Blocks of the size that leaves the most of a page unused: as those of a heart rate's 64 readings may be.
    private func fillWithSmallOnes(_ numbers: Range<UInt64>) throws {
        let store = try bench.store()
        try store.commit { () throws(VaultError) in
            for number in numbers {
                let identity = BlockIdentity(stream: bench.stream, session: SessionID(7), sequence: number)
                let bytes = BlockHeader(.readings, identity).bytes + [UInt8](repeating: 1, count: 470)
                try store.add(identity, bytes, .init(extent: Extent(count: 3, first: 1, last: 2)), at: 1)
            }
        }
    }

    @Test(
        "says how full it is: it warns at four fifths, and drops readings only when it says full",
        arguments: [false, true])
    func saysHowFull(withSpent: Bool) throws {
        let outbox = try small()
        if withSpent { try fill(30, acknowledged: true) }
        var last = 0
        var hasWarned = false
        for round in 100...300 as ClosedRange<UInt64> {
            try fillWithSmallOnes(round * 10 + 1..<round * 10 + 11)
            let percent = try #require(outbox.health.outbox.fullPercent)
            #expect(try outbox.keep([reading(1)], from: bench.strap))
            let (dropped, warned) = (outbox.health.dropped, isNearlyFull(outbox))
            if dropped > 0 {
                #expect(percent == 100)
                #expect(last >= 98)
                #expect(hasWarned)
                break
            }
            // What was kept may have brought it over the line by itself.
            if warned != (percent >= 80) { #expect((78...80).contains(percent)) }
            hasWarned = hasWarned || warned
            last = percent
        }
        #expect(outbox.health.dropped > 0)
        outbox.kill()
    }

    @Test("the seconds of a gap block begin with …000 and end with …999, in the vectors as in the code")
    func secondsOfGaps() throws {
        let gap = try Extent(count: 1, first: 1_699_999_995, last: 1_699_999_999).gap(.outboxFull)
        let file = "\(projectFolder)/Tests/Libraries/VaultTests/Vectors/blocks.json"
        let vectors = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: file)))
        let blocks = try #require((vectors as? [String: Any])?["blocks"] as? [[String: Any]])
        let said = blocks.compactMap { ($0["says"] as? [String: Any])?["gap"] as? [String: Any] }
        #expect(said.map { $0["first"] as? Int64 } == [gap.first])
        #expect(said.map { $0["last"] as? Int64 } == [gap.last])
    }

    @Test("what waits in memory while the disk takes nothing is dropped oldest first, and a gap block says so")
    func dropsFromMemory() throws {
        let outbox = try small()
        let fault = try bench.database()
        try fault.execute("CREATE TRIGGER fault BEFORE INSERT ON journal BEGIN SELECT raise(abort, 'full'); END")
        for counter in 0..<20_007 {
            outbox.append(reading(UInt32(counter)), from: bench.strap)
            if counter % 1000 == 0 { outbox.settle() }
        }
        outbox.settle()
        #expect(outbox.health.dropped == 7)
        try fault.execute("DROP TRIGGER fault")
        #expect(try outbox.keep([reading(30_000)], from: bench.strap))
        let told = try gaps().map(\.count)
        let dropped = outbox.health.dropped
        #expect(Int(told.reduce(0, +)) == dropped)
        outbox.stop(within: .zero)
        let steps = try bench.opened(bench.waiting()).flatMap(\.steps)
        #expect(steps.count + dropped == 20_008)
        #expect(steps.last == 30_000)
        #expect(try #require(steps.first) >= 7)
    }

    @Test("comes to an end if nothing is left that may be removed", .timeLimit(.minutes(60)))
    func nothingLeft() throws {
        let outbox = try small()
        let store = try bench.store()
        try store.commit { () throws(VaultError) in
            for number in 1...65 as ClosedRange<UInt64> {
                let identity = BlockIdentity(stream: bench.stream, session: SessionID(7), sequence: number)
                // Clock blocks that nobody has acknowledged, and a few readings.
                let isClock = number <= 60
                try store.add(
                    identity,
                    BlockHeader(isClock ? .clock : .readings, identity).bytes
                        + [UInt8](repeating: 1, count: isClock ? 20_000 : 200),
                    .init(extent: isClock ? nil : Extent(count: 3, first: 1, last: 2)), at: unixMilliseconds())
            }
        }
        for counter in 1...3 { #expect(try outbox.keep([reading(UInt32(counter))], from: bench.strap)) }
        #expect(outbox.health.dropped == 15)
        #expect(try gaps().map(\.count) == [15])
        outbox.kill()
    }

    @Test("counts what waits, whatever becomes of blocks")
    func counters() throws {
        let outbox = try small()
        try fill(10)
        let store = try bench.store()
        let identity = BlockIdentity(stream: bench.stream, session: SessionID(7), sequence: 3)
        try store.commit { () throws(VaultError) in try store.acknowledge(identity, at: 1) }
        #expect(try store.backlog().blocks == 9)
        #expect(try store.backlog().bytes == 9 * 20_036)
        try store.commit { () throws(VaultError) in try store.forgetAcknowledgements(at: 2) }
        #expect(try store.backlog().blocks == 10)
        try bench.database().execute("DELETE FROM blocks WHERE sequence < 3")
        #expect(try store.backlog().blocks == 8)
        #expect(try store.backlog().bytes == 8 * 20_036)
        outbox.kill()
    }

    @Test("keeps the key block of a session that is open, whatever has become of its blocks")
    func keysOfOpenSessions() throws {
        let outbox = try bench.outbox(#"retention: "1 h""#)
        outbox.receive(grant: try bench.signed(.grant(bench.grant())), for: bench.strap)
        for counter in 1...2 as ClosedRange<UInt32> {
            #expect(try outbox.keep([reading(counter)], from: bench.strap))
            outbox.loop.sync { outbox.flush(sealingAll: true) }
        }
        // Acknowledged long ago; the sensor was silent since.
        try bench.database().execute("UPDATE blocks SET state = 1, changed = 1")
        outbox.loop.sync { outbox.removeOld() }
        #expect(try count("sequence > 0") == 0)
        #expect(try outbox.keep([reading(3)], from: bench.strap))
        outbox.stop(within: .zero)
        try bench.database().execute("UPDATE blocks SET state = 0")
        #expect(try bench.opened(bench.waiting()).map(\.steps) == [[3]])
    }

    @Test("keeps the key block that a loose block needs for as long as that is there")
    func keysOfLooseBlocks() throws {
        let first = try small()
        #expect(try first.keep([reading(1)], from: bench.strap))
        first.kill()
        try bench.outbox().kill()
        let store = try bench.store()
        // All of it was acknowledged long ago, but for the loose block.
        try bench.database().execute("UPDATE blocks SET state = 1, changed = 1 WHERE sequence = 0")
        #expect(try store.removeAcknowledged(before: 1000) == 0)
        #expect(try store.removeUnneededKeys(before: 1000, excluding: []) == 0)
        try bench.database().execute("UPDATE blocks SET state = 1, changed = 1")
        #expect(try store.removeAcknowledged(before: 1000) == 1)
        #expect(try store.removeUnneededKeys(before: 1000, excluding: []) == 2)
    }

    @Test("a database of the first version is brought up to date, and what it holds is sent")
    func upgrades() throws {
        let outbox = try small()
        #expect(try outbox.keep((0..<70).map { reading($0) }, from: bench.strap))
        outbox.kill()
        // As the first version had it.
        let database = try bench.database()
        for index in ["blocks_acknowledged", "blocks_dead", "blocks_keys", "blocks_loose"] {
            try database.execute("DROP INDEX \(index)")
        }
        for trigger in ["blocks_added", "blocks_changed", "blocks_removed", "blocks_spent", "blocks_spent_removed"] {
            try database.execute("DROP TRIGGER \(trigger)")
        }
        for column in ["readings", "first", "last", "records_of", "size"] {
            try database.execute("ALTER TABLE blocks DROP COLUMN \(column)")
        }
        try database.execute("ALTER TABLE journal DROP COLUMN second")
        for table in ["counters", "clock", "boot_streams", "migrations"] { try database.execute("DROP TABLE \(table)") }
        try database.execute("PRAGMA user_version = 1")

        let next = try bench.outbox()
        #expect(next.health.outbox.bytes > 0)
        next.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).flatMap(\.steps) == Array(0..<70))
    }

    @Test("a database of the second version is brought up to date, and knows how full it is")
    func upgradesFromTwo() throws {
        let outbox = try small()
        try fill(40, acknowledged: true)
        outbox.kill()
        let database = try bench.database()
        for trigger in ["blocks_spent", "blocks_spent_removed"] { try database.execute("DROP TRIGGER \(trigger)") }
        try database.execute("DELETE FROM counters WHERE name IN ('spent', 'spent_bytes')")
        try database.execute("DROP TABLE migrations")
        try database.execute("PRAGMA user_version = 2")

        #expect(try bench.store().counter("spent_bytes") == 40 * 20_036)
        let next = try bench.outbox(#"limit: "1 MB""#)
        #expect(next.health.outbox.fullPercent.map { $0 < 10 } == true)
        next.kill()
    }

    @Test("a database of a later version is left alone, with a message that says what to do")
    func newer() throws {
        try bench.outbox().kill()
        try bench.database().execute("PRAGMA user_version = 99")
        do {
            _ = try bench.outbox()
            Issue.record("it was opened")
        } catch let error as VaultError {
            #expect(error.reason == .newer)
            #expect(error.description.contains("install at least the version"))
        }
        #expect(try bench.database().first("PRAGMA user_version", row: Row.int) == 99)
    }

    @Test(
        "readings of a consumer that was enrolled before stay where they are, and do not keep the gateway from starting"
    )
    func otherConsumer() throws {
        let first = try small()
        #expect(try first.keep([reading(1)], from: bench.strap))
        first.kill()
        try bench.database().execute("UPDATE journal SET stream = randomblob(16)")
        let second = try bench.outbox()
        #expect(second.health.outbox.journal == 1)
        second.kill()
    }
}
