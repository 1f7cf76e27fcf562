import Daemon
import Foundation
import Reactor
import Storage
import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("Outbox with a journal in memory", .timeLimit(.minutes(60)))
struct OutboxMemoryTests {
    let bench: Bench
    let other = StreamID(high: 3, low: 4)

    init() throws { bench = try Bench() }

    /// An outbox with a grant and with reading 0 on the disk, so that it has a session: what comes alone from now on is kept
    /// in memory.
    func granted(kinds: Grant.Kinds = .all) throws -> Outbox {
        let outbox = try bench.outbox(inMemory: bench.memory)
        try give(bench.grant(kinds: kinds), to: outbox)
        #expect(try outbox.keep([reading(0)], from: bench.strap))
        return outbox
    }

    func give(_ grant: Grant, to outbox: Outbox) throws {
        outbox.receive(grant: try bench.signed(.grant(grant)), for: bench.strap)
        outbox.settle()
    }

    func append(_ counters: ClosedRange<UInt32>, to outbox: Outbox) {
        for counter in counters { outbox.append(reading(counter), from: bench.strap) }
    }

    func inMemory() throws -> [UInt64] { try Bench.records(inMemory: bench.memory).map(\.id) }

    /// Starts once more, and ends: what all runs have made of readings, in order.
    func steps() throws -> [UInt32] {
        try bench.outbox(inMemory: bench.memory).kill()
        return try bench.opened(bench.waiting()).flatMap(\.steps)
    }

    /// Has the disk take no readings.
    func refuse(_ events: [String] = ["INSERT ON journal", "INSERT ON blocks WHEN new.sequence > 0"]) throws {
        for (number, event) in events.enumerated() {
            try bench.database().execute(
                "CREATE TRIGGER fault\(number) BEFORE \(event) BEGIN SELECT raise(abort, 'full'); END")
        }
    }

    func acceptAgain() throws {
        for number in 0..<2 { try bench.database().execute("DROP TRIGGER IF EXISTS fault\(number)") }
    }

    func until(within seconds: Int = 20, _ isSo: () throws -> Bool) throws -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isSo() {
            guard ContinuousClock.now < end else { return false }
            usleep(2000)
        }
        return true
    }

    // MARK: Kills

    @Test("keeps readings in memory alone, and a killed process loses none")
    func survives() throws {
        let first = try granted()
        append(1...3, to: first)
        #expect(try inMemory() == [1, 2, 3])
        #expect(try bench.store().journalCount() == 1, "the disk has reading 0 alone")
        first.kill()
        #expect(try steps() == [0, 1, 2, 3])
        #expect(try steps() == [0, 1, 2, 3], "none comes twice")
        #expect(try bench.store().lastFromMemory() == 3)
    }

    @Test("continues with ids that no record has had, with and without the file of the last run")
    func ids() throws {
        let first = try granted()
        append(1...3, to: first)
        first.kill()
        let second = try bench.outbox(inMemory: bench.memory)
        #expect(try second.keep([reading(4)], from: bench.strap))
        append(5...6, to: second)
        #expect(try inMemory().contains(5) && inMemory().max() == 5)
        #expect(try second.keep([reading(7)], from: bench.strap))
        second.kill()
        #expect(unlink("\(bench.memory)/\(RAMJournal.name)") == 0)
        let third = try bench.outbox(inMemory: bench.memory)
        #expect(try third.keep([reading(8)], from: bench.strap))
        append(9...9, to: third)
        #expect(try inMemory() == [6])
        third.kill()
        #expect(try steps() == Array(0...9))
    }

    /// Has the outbox's thread write down what is in memory.
    private func write(_ outbox: Outbox) {
        outbox.loop.sync { [outbox] in
            _ = outbox.collect()
            try? outbox.write { _, _ in false }
        }
    }

    /// Where the process is killed.
    enum Point: CaseIterable { case kept, collected, committed, more, moreCollected, moreCommitted, overwritten, flushed }

    /// Ends the outbox as if it had been killed at this moment: what happens to its files at its end is undone.
    private func killNow(_ outbox: Outbox) throws {
        let (state, copy) = ("\(bench.folder)/state", "\(bench.folder)/copy.db")
        try bench.database().backUp(to: copy)
        let file = try #require(FileManager.default.contents(atPath: "\(bench.memory)/\(RAMJournal.name)"))
        outbox.kill()
        for path in Database.files("\(state)/outbox.db") { unlink(path) }
        try FileManager.default.moveItem(atPath: copy, toPath: "\(state)/outbox.db")
        let handle = try #require(FileHandle(forWritingAtPath: "\(bench.memory)/\(RAMJournal.name)"))
        try handle.write(contentsOf: file)
        try handle.close()
    }

    @Test("loses nothing, and has nothing twice, wherever it is killed", arguments: Point.allCases)
    func points(point: Point) throws {
        let outbox = try granted()
        func run(_ steps: [(Point, () -> Void)]) {
            for (name, step) in steps {
                step()
                if name == point { return }
            }
        }
        run([
            (.kept, { append(1...3, to: outbox) }),
            (.collected, { outbox.loop.sync { [outbox] in _ = outbox.collect() } }),
            (.committed, { write(outbox) }),
            (.more, { append(4...5, to: outbox) }),
            (.moreCollected, { outbox.loop.sync { [outbox] in _ = outbox.collect() } }),
            (.moreCommitted, { write(outbox) }),
            (.overwritten, { append(6...6, to: outbox) }),
            (.flushed, { outbox.loop.sync { [outbox] in outbox.flush(sealingAll: true) } }),
        ])
        try killNow(outbox)
        let last: UInt32 =
            switch point {
            case .kept, .collected, .committed: 3
            case .more, .moreCollected, .moreCommitted: 5
            case .overwritten, .flushed: 6
            }
        let expected = Array(0...last)
        // Killed at its next start, too, when it has written down what was in memory.
        let settings = try bench.settings()
        let next = try Outbox(settings, inMemory: bench.memory, publishingOn: .init(settings.broker))
        try next.openMemory()
        next.closeMemory()
        #expect(try bench.store().journalCount() == (point == .flushed ? 0 : expected.count))
        #expect(try steps() == expected)
        #expect(try steps() == expected)
    }

    @Test("takes nothing that an older copy of the database has not: it may be in blocks that were sent")
    func replaced() throws {
        let outbox = try granted()
        let (state, copy) = ("\(bench.folder)/state", "\(bench.folder)/copy.db")
        try bench.database().backUp(to: copy)
        append(1...3, to: outbox)
        write(outbox)
        append(4...5, to: outbox)
        write(outbox)
        append(6...6, to: outbox)
        #expect(try inMemory() == [4, 5, 6])
        outbox.kill()
        for path in Database.files("\(state)/outbox.db") { unlink(path) }
        try FileManager.default.moveItem(atPath: copy, toPath: "\(state)/outbox.db")
        #expect(try steps() == [0])
    }

    @Test("leaves nothing in memory that the database has, when it ends")
    func cleared() throws {
        let outbox = try granted()
        append(1...3, to: outbox)
        outbox.stop(within: .zero)
        #expect(try inMemory().isEmpty)
    }

    @Test("sends what a session that is over has before what the next one has")
    func order() throws {
        let outbox = try granted()
        append(1...2, to: outbox)
        let stream = bench.stream
        outbox.loop.sync { [outbox] in
            outbox.sessions[stream]?.end = 0
            _ = outbox.collect()
        }
        outbox.append(reading(3), from: bench.strap)
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).map(\.steps) == [[0, 1, 2], [3]])
    }

    @Test("leaves out what a kill has cut short")
    func torn() throws {
        let first = try granted()
        append(1...3, to: first)
        let length = try Bench.records(inMemory: bench.memory).reduce(0) { $0 + RAMJournal.overhead + $1.sealed.count }
        first.kill()
        let handle = try #require(FileHandle(forWritingAtPath: "\(bench.memory)/\(RAMJournal.name)"))
        try handle.seek(toOffset: UInt64(length - 20))
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 20))
        try handle.close()
        #expect(try steps() == [0, 1, 2])
    }

    @Test("takes nothing from another outbox's file, and continues behind its ids")
    func foreign() throws {
        let stranger = try Bench()
        let theirs = try stranger.outbox(inMemory: bench.memory)
        theirs.receive(grant: try stranger.signed(.grant(stranger.grant())), for: stranger.strap)
        theirs.settle()
        #expect(try theirs.keep([reading(100)], from: stranger.strap))
        for counter in 101...103 as ClosedRange<UInt32> { theirs.append(reading(counter), from: stranger.strap) }
        theirs.kill()
        #expect(try inMemory() == [1, 2, 3])
        let ours = try granted()
        append(1...1, to: ours)
        #expect(try inMemory().contains(4))
        ours.kill()
        #expect(try steps() == [0, 1])
    }

    @Test("works without it where another process has the file, or there is no such folder")
    func unusable() throws {
        let first = try granted()
        for memory in [bench.memory, "/proc", "/nonexistent"] {
            let stranger = try Bench()
            let outbox = try stranger.outbox(inMemory: memory)
            outbox.receive(grant: try stranger.signed(.grant(stranger.grant())), for: stranger.strap)
            outbox.settle()
            #expect(try outbox.keep([reading(1)], from: stranger.strap))
            outbox.append(reading(2), from: stranger.strap)
            #expect(try until { try stranger.store().journalCount() == 2 })
            outbox.kill()
        }
        #expect(try inMemory().isEmpty)
        first.kill()
    }

    // MARK: The thread

    /// How often a thread has gone to sleep.
    private func sleeps(_ thread: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") })
        return try #require(Int(line.split(separator: "\t").last ?? ""))
    }

    @Test("wakes the thread at most twice for five readings that come one by one")
    func wakeUps() throws {
        let outbox = try granted()
        let thread = try #require(
            outbox.loop.sync { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self") })
        // What keeping reading 0 has left to do is done: the thread sleeps.
        let isAtRest = try until {
            let before = try sleeps(thread)
            usleep(200_000)
            return try sleeps(thread) == before
        }
        #expect(isAtRest)
        let before = try sleeps(thread)
        for counter in 1...5 as ClosedRange<UInt32> {
            outbox.append(reading(counter), from: bench.strap)
            usleep(60_000)
        }
        #expect(try sleeps(thread) - before <= 2)
        #expect(try inMemory().count == 5)
        outbox.kill()
    }

    @Test("flushes what is in memory alone after the flush interval, without being woken")
    func flushed() throws {
        let settings = try bench.settings()
        try String(contentsOfFile: "\(bench.folder)/gateway.json5", encoding: .utf8)
            .replacingOccurrences(of: #"flush_interval: "60 s""#, with: #"flush_interval: "100 ms""#)
            .write(toFile: "\(bench.folder)/quick.json5", atomically: true, encoding: .utf8)
        let quick = try Settings.read("\(bench.folder)/quick.json5", GatewaySettings.init)
        let outbox = try Outbox(quick, inMemory: bench.memory, publishingOn: .init(settings.broker))
        try outbox.start {}
        try give(bench.grant(), to: outbox)
        #expect(try outbox.keep((0..<64).map { reading($0) }, from: bench.strap))
        #expect(try until { outbox.loop.sync { [outbox] in outbox.flushTimer == nil && !outbox.isDirty } })
        append(64...64, to: outbox)
        #expect(try inMemory() == [1])
        // Sooner than the thread checks the clock, which it does every nine seconds.
        #expect(try until(within: 6) { try bench.store().lastFromMemory() == 1 })
        outbox.kill()
    }

    @Test("makes a block of 64 readings at once, most of which were never in the journal on the disk")
    func fullBlock() throws {
        let outbox = try granted()
        let counting = try bench.database()
        try counting.execute("CREATE TABLE counted (id INTEGER)")
        try counting.execute(
            "CREATE TRIGGER counts AFTER INSERT ON journal BEGIN INSERT INTO counted VALUES (new.id); END")
        append(1...63, to: outbox)
        usleep(50_000)
        #expect(try bench.opened(bench.waiting()).isEmpty)
        append(64...64, to: outbox)
        #expect(try until { try !bench.opened(bench.waiting()).isEmpty })
        #expect(try bench.opened(bench.waiting()).map(\.steps) == [Array(0...63)])
        #expect(try counting.first("SELECT count(*) FROM counted", row: Row.int) == 1, "reading 64")
        outbox.kill()
        #expect(try steps() == Array(0...64))
    }

    @Test("counts what is in memory as recorded, and as what the journal has")
    func health() throws {
        let outbox = try granted()
        append(1...3, to: outbox)
        for _ in 0..<2 {
            let health = outbox.health
            #expect(health.recorded == 4 && health.outbox.journal == 4 && health.dropped == 0)
        }
        #expect(try bench.store().journalCount() == 1, "asking writes nothing")
        outbox.stop(within: .zero)
        #expect(try bench.store().lastFromMemory() == 3)
        #expect(try bench.opened(bench.waiting()).map(\.steps) == [[0, 1, 2, 3]])
    }

    @Test("keeps what must be flushed at once out of memory, and the order of all")
    func completion() throws {
        let outbox = try granted()
        append(1...2, to: outbox)
        #expect(try outbox.keep([reading(3)], from: bench.strap))
        append(4...4, to: outbox)
        #expect(try inMemory().max() == 3)
        #expect(try bench.store().journalCount() == 4)
        outbox.kill()
        #expect(try steps() == [0, 1, 2, 3, 4])
    }

    @Test("keeps nothing in memory of a sensor whose readings are also sent at once")
    func live() throws {
        let outbox = try granted(kinds: [.steps, .live])
        append(1...1, to: outbox)
        #expect(try until { try bench.store().journalCount() == 2 })
        #expect(try inMemory().isEmpty)
        // It changes with the grant.
        try give(bench.grant(serial: 2), to: outbox)
        append(2...2, to: outbox)
        #expect(try inMemory().count == 1)
        outbox.kill()
        #expect(try steps() == [0, 1, 2])
    }

    @Test("keeps only the kinds that the grant names")
    func kinds() throws {
        let outbox = try granted(kinds: .steps)
        outbox.append(Reading(at: .now(), .heartRate(HeartRateMeasurement(beatsPerMinute: 70))), from: bench.strap)
        #expect(outbox.health.notRecorded == 1)
        #expect(try inMemory().isEmpty)
        outbox.kill()
    }
}
