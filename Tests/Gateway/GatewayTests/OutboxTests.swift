import Daemon
import Foundation
import Reactor
import Storage
import Telemetry
import Testing
import Vault

@testable import vitals_gateway

@Suite("Outbox", .timeLimit(.minutes(60)))
struct OutboxTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    private func granted() throws -> Outbox {
        let outbox = try bench.outbox()
        try give(bench.grant(), to: outbox)
        return outbox
    }

    /// The consumer's grant comes, and is in force when this returns.
    private func give(_ grant: Grant, to outbox: Outbox, store: UInt64 = 1) throws {
        outbox.receive(grant: try bench.signed(.grant(grant), store: store), for: bench.strap)
        outbox.settle()
    }

    @Test("counts what is not recorded without a grant, and keeps nothing of it")
    func withoutGrant() throws {
        let outbox = try bench.outbox()
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        #expect(outbox.health.notRecorded == 1)
        outbox.stop(within: .zero)
        #expect(try bench.waiting().isEmpty)
    }

    @Test("records only the kinds that the grant names")
    func kinds() throws {
        let outbox = try bench.outbox()
        try give(bench.grant(kinds: .heartRate), to: outbox)
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        #expect(outbox.health.notRecorded == 1)
        #expect(outbox.health.recorded == 0)
        outbox.stop(within: .zero)
    }

    @Test("records under a grant that ends later")
    func endsLater() throws {
        let outbox = try bench.outbox()
        let grant = try bench.grant(until: unixMilliseconds() + 3_600_000)
        try give(grant, to: outbox)
        #expect(try outbox.keep([reading(7)], from: bench.strap))
        #expect(outbox.health.dropped == 0)
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).map(\.steps) == [[7]])
    }

    @Test("says again and again that its health is due, although nothing happens")
    func health() throws {
        let outbox = try bench.outbox()
        try bench.changes.wait(for: 2)
        outbox.stop(within: .zero)
    }

    @Test("does not record what comes after a grant's end")
    func ended() throws {
        let outbox = try granted()
        let ended = try bench.grant(serial: 2, until: unixMilliseconds() - 1000)
        try give(ended, to: outbox)
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        #expect(outbox.health.notRecorded == 1)
        outbox.stop(within: .zero)
    }

    @Test(
        "writes what comes into the journal without being asked, however far apart it comes",
        arguments: [0, 1, 7, 15, 19, 20, 21, 25, 45] as [UInt32])
    func pauses(milliseconds: UInt32) throws {
        let outbox = try granted()
        let store = try bench.store()
        for counter in 1...40 as ClosedRange<UInt32> {
            outbox.append(reading(counter), from: bench.strap)
            usleep(milliseconds * 1000)
            // Nothing that comes later may be needed.
            guard counter % 5 == 0 else { continue }
            let end = ContinuousClock.now + .seconds(10)
            while try store.journalCount() < counter, ContinuousClock.now < end { usleep(1000) }
            #expect(try store.journalCount() == counter)
        }
        outbox.kill()
    }

    @Test("makes a block of 64 readings at once, and takes them out of the journal")
    func fullBlock() throws {
        let outbox = try granted()
        #expect(try outbox.keep((0..<63).map { reading($0) }, from: bench.strap))
        #expect(try bench.store().journalCount() == 63)
        #expect(try bench.opened(bench.waiting()).isEmpty)
        #expect(try outbox.keep([reading(63)], from: bench.strap))
        #expect(try bench.store().journalCount() == 0)
        #expect(try bench.opened(bench.waiting()).map(\.steps) == [Array(0..<64)])
        outbox.kill()
    }

    @Test(
        "fills its blocks: what is beyond 64 readings waits for more of them, and goes when it is due",
        arguments: [5, 10])
    func filledBlocks(atATime count: Int) throws {
        let outbox = try granted()
        for begin in stride(from: 0, to: 200, by: count) {
            let batch = (begin..<begin + count).map { reading(UInt32($0)) }
            #expect(try outbox.keep(batch, from: bench.strap))
        }
        #expect(try bench.opened(bench.waiting()).map(\.readings.count) == [64, 64, 64])
        #expect(try bench.store().journalCount() == 8)
        outbox.loop.sync { outbox.flush(sealingAll: true) }
        #expect(try bench.opened(bench.waiting()).map(\.readings.count) == [64, 64, 64, 8])
        outbox.kill()
        #expect(try bench.opened(bench.waiting()).flatMap(\.steps) == Array(0..<200))
    }

    @Test("seals what there is when it stops")
    func stop() throws {
        let outbox = try granted()
        for counter in 0..<100 { outbox.append(reading(UInt32(counter)), from: bench.strap) }
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).flatMap(\.steps) == Array(0..<100))
        #expect(try bench.store().journalCount() == 0)
    }

    @Test("ends a block where the wall clock was stepped", arguments: [Int64(-3_600_000), -501, 501, 3_600_000])
    func clockStep(step: Int64) throws {
        let outbox = try granted()
        for counter in 0..<3 { outbox.append(reading(UInt32(counter)), from: bench.strap) }
        for counter in 3..<5 { outbox.append(reading(UInt32(counter), clockStep: step), from: bench.strap) }
        outbox.stop(within: .zero)
        let steps = try bench.opened(bench.waiting()).filter { $0.kind == .readings }.map(\.steps)
        // The clock continues while the readings are made: within a millisecond of the limit either is right.
        if abs(step) > 501 { #expect(steps == [[0, 1, 2], [3, 4]]) }
        #expect(steps.flatMap { $0 } == Array(0..<5))
    }

    @Test("buries a block that the consumer refuses, and none whose bytes are not the refused ones")
    func refusal() throws {
        let outbox = try granted()
        #expect(try outbox.keep((0..<64).map { reading($0) }, from: bench.strap))
        let block = try #require(try bench.waiting().last)
        let digest = Array(try SHA256.digest(block.bytes).prefix(ControlMessage.digestLength))
        func refuse(_ digest: [UInt8]) throws {
            outbox.receive(control: try bench.signed(.refusal(block.identity, digest: digest, .unreadable)))
            outbox.settle()
        }
        // Somebody published other bytes under our block's identity.
        try refuse(digest.reversed())
        #expect(outbox.health.dead == 0)
        #expect(try bench.waiting().contains { $0.identity == block.identity })
        try refuse(digest)
        #expect(outbox.health.dead == 1)
        #expect(try !bench.waiting().contains { $0.identity == block.identity })
        outbox.stop(within: .zero)
    }

    @Test("sends what a crash left in the journal as a loose block that the old session's key opens")
    func crash() throws {
        let first = try granted()
        #expect(try first.keep([reading(1), reading(2)], from: bench.strap))
        first.kill()
        #expect(try bench.store().journalCount() == 2)

        let second = try bench.outbox()
        #expect(try second.keep([reading(3)], from: bench.strap))
        second.stop(within: .zero)
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.kind) == [.loose, .readings])
        #expect(opened.map(\.steps) == [[1, 2], [3]])
        #expect(try bench.store().journalCount() == 0)
    }

    @Test("sends leftovers of several streams and of more than a block's worth, each once")
    func manyLeftovers() throws {
        let first = try granted()
        // 300 readings in the journal: full blocks are refused while they come.
        let fault = try bench.database()
        try fault.execute(
            "CREATE TRIGGER fault BEFORE INSERT ON blocks WHEN new.sequence > 0 BEGIN SELECT raise(abort, 'full'); END")
        _ = try first.keep((0..<300).map { reading($0) }, from: bench.strap)
        let other = StreamID(high: 3, low: 4)
        try give(bench.grant(serial: 2, stream: other), to: first)
        _ = try first.keep((300..<310).map { reading($0) }, from: bench.strap)
        first.kill()
        try fault.execute("DROP TRIGGER fault")

        try bench.outbox().kill()
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.kind) == [.loose, .loose, .loose])
        #expect(opened.map(\.readings.count) == [256, 44, 10])
        #expect(opened.map(\.identity.stream) == [bench.stream, bench.stream, other])
        #expect(opened.flatMap(\.steps) == Array(0..<310))
    }

    @Test("gives each reading to the stream that was granted when it came")
    func grantChanges() throws {
        let outbox = try granted()
        let other = StreamID(high: 3, low: 4)
        outbox.append(reading(1), from: bench.strap)
        try give(bench.grant(serial: 2, stream: other), to: outbox)
        outbox.append(reading(2), from: bench.strap)
        outbox.stop(within: .zero)
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.steps) == [[1], [2]])
        #expect(opened.map(\.identity.stream) == [bench.stream, other])
    }

    @Test("gives no reading to the next owner, though the disk takes nothing while the sensor changes hands")
    func grantChangesInTrouble() throws {
        let outbox = try granted()
        let other = StreamID(high: 3, low: 4)
        let fault = try bench.database()
        try fault.execute("CREATE TRIGGER fault BEFORE INSERT ON journal BEGIN SELECT raise(abort, 'full'); END")
        #expect(try !outbox.keep([reading(1)], from: bench.strap))
        try give(bench.grant(serial: 2, stream: other), to: outbox)
        try fault.execute("DROP TRIGGER fault")
        #expect(try outbox.keep([reading(2)], from: bench.strap))
        outbox.stop(within: .zero)
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.steps) == [[1], [2]])
        #expect(opened.map(\.identity.stream) == [bench.stream, other])
    }

    @Test("lets a grant take effect only once it is on the disk, and tries again by itself")
    func grantNotKept() throws {
        let outbox = try granted()
        let other = StreamID(high: 3, low: 4)
        let fault = try bench.database()
        try fault.execute("CREATE TRIGGER fault BEFORE INSERT ON grants BEGIN SELECT raise(abort, 'full'); END")
        try give(bench.grant(serial: 2, stream: other), to: outbox)
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        bench.changes.removeAll()
        try fault.execute("DROP TRIGGER fault")
        try bench.changes.wait(for: 1)
        #expect(try outbox.keep([reading(2)], from: bench.strap))
        outbox.kill()

        try bench.outbox().kill()
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.steps) == [[1], [2]])
        #expect(opened.map(\.identity.stream) == [bench.stream, other])
    }

    @Test("answers each flush once, even when the disk accepts nothing")
    func answers() throws {
        let outbox = try granted()
        let fault = try bench.database()
        try fault.execute("CREATE TRIGGER fault BEFORE INSERT ON journal BEGIN SELECT raise(abort, 'full'); END")
        #expect(try !outbox.keep([reading(1)], from: bench.strap))
        try fault.execute("DROP TRIGGER fault")
        #expect(try outbox.keep([reading(2)], from: bench.strap))
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).flatMap(\.steps) == [1, 2])
    }

    @Test("a full disk is shown in health, until it has accepted everything for ten seconds", .timeLimit(.minutes(60)))
    func fullDisk() throws {
        let outbox = try granted()
        #expect(outbox.health.disk == .ok)
        let pages = try bench.database().first("PRAGMA page_count", row: Row.int) ?? 0
        // SQLite says of a database that may not grow what it says of a full disk.
        outbox.loop.sync { _ = try? outbox.store.database.first("PRAGMA max_page_count = \(pages)", row: Row.int) }
        var isKept = true
        for counter in 0..<2000 as Range<UInt32> where isKept {
            isKept = try outbox.keep([reading(counter)], from: bench.strap)
        }
        #expect(!isKept)
        #expect(outbox.health.disk == .full)
        let since = try #require(outbox.health.diskSince)
        #expect(abs(since - unixMilliseconds()) < 60_000)
        outbox.loop.sync { _ = try? outbox.store.database.first("PRAGMA max_page_count = 100000", row: Row.int) }
        #expect(try outbox.keep([reading(3000)], from: bench.strap))
        // It may have been luck.
        #expect(outbox.health.disk == .full)
        #expect(outbox.health.diskSince == since)
        let end = ContinuousClock.now + .seconds(60)
        while outbox.health.disk != .ok, ContinuousClock.now < end { _ = try bench.changes.take("a change") { $0 } }
        #expect(outbox.health.disk == .ok)
        #expect(outbox.health.diskSince == nil)
        outbox.kill()
    }

    @Test("answers, at its end, callers that wait for the disk")
    func answersAtTheEnd() throws {
        let outbox = try granted()
        let answer = Answer<Bool>()
        outbox.append(reading(1), from: bench.strap) { answer.set($0) }
        outbox.stop(within: .zero)
        #expect(answer.wait(atMost: .seconds(5)) == true)
    }

    @Test("believes no flush after one that failed, until everything has been written again")
    func doubtfulFlush() throws {
        let outbox = try granted()
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        // Somebody reads, so that the log cannot be moved into the file.
        let reader = try bench.database()
        try reader.execute("BEGIN")
        _ = try reader.first("SELECT count(*) FROM journal", row: Row.int)
        outbox.loop.sync { outbox.store.database.distrustFlushes() }
        #expect(try !outbox.keep([reading(2)], from: bench.strap))
        try reader.execute("COMMIT")
        #expect(try outbox.keep([reading(3)], from: bench.strap))
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).flatMap(\.steps) == [1, 2, 3])
    }

    // MARK: What the consumer says

    @Test("forgets blocks when they are acknowledged, and only then")
    func acknowledged() throws {
        let outbox = try granted()
        #expect(try outbox.keep((0..<64).map { reading($0) }, from: bench.strap))
        let identities = try bench.waiting().map(\.identity)
        #expect(identities.map(\.sequence) == [0, 1])
        let acknowledgement = ControlMessage.Body.acknowledgement(identities)
        outbox.receive(control: try bench.signed(acknowledgement, by: .init(seed: .random())))
        outbox.receive(control: try bench.signed(acknowledgement, for: ID("other")))
        outbox.receive(control: try bench.signed(acknowledgement, store: 2))
        #expect(outbox.health.outbox.blocks == 2)
        outbox.receive(control: try bench.signed(acknowledgement))
        #expect(outbox.health.outbox.blocks == 0)
        outbox.stop(within: .zero)
    }

    @Test("sends everything again to a store with another id")
    func newStore() throws {
        let outbox = try granted()
        #expect(try outbox.keep((0..<64).map { reading($0) }, from: bench.strap))
        outbox.receive(control: try bench.signed(.acknowledgement(bench.waiting().map(\.identity))))
        #expect(outbox.health.outbox.blocks == 0)
        try give(bench.grant(serial: 2), to: outbox, store: 2)
        #expect(outbox.health.outbox.blocks == 2)
        outbox.stop(within: .zero)
    }
}
