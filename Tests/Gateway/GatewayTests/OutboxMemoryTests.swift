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
    private let bench: Bench
    private let other = StreamID(high: 3, low: 4)

    init() throws { bench = try Bench() }

    /// An outbox with a grant and with reading 0 on the disk, so that it has a session: what comes alone from now on is kept
    /// in memory.
    private func granted(kinds: Grant.Kinds = .all) throws -> Outbox {
        let outbox = try bench.outbox(inMemory: bench.memory)
        try give(bench.grant(kinds: kinds), to: outbox)
        #expect(try outbox.keep([reading(0)], from: bench.strap))
        return outbox
    }

    private func give(_ grant: Grant, to outbox: Outbox) throws {
        outbox.receive(grant: try bench.signed(.grant(grant)), for: bench.strap)
        outbox.settle()
    }

    private func append(_ counters: ClosedRange<UInt32>, to outbox: Outbox) {
        for counter in counters { outbox.append(reading(counter), from: bench.strap) }
    }

    private func inMemory() throws -> [UInt64] { try Bench.records(inMemory: bench.memory).map(\.id) }

    /// Starts once more, and ends: what all runs have made of readings, in order.
    private func steps() throws -> [UInt32] {
        try bench.outbox(inMemory: bench.memory).kill()
        return try bench.opened(bench.waiting()).flatMap(\.steps)
    }

    /// Has the disk take no readings.
    private func refuse(_ events: [String] = ["INSERT ON journal", "INSERT ON blocks WHEN new.sequence > 0"]) throws {
        for (number, event) in events.enumerated() {
            try bench.database().execute(
                "CREATE TRIGGER fault\(number) BEFORE \(event) BEGIN SELECT raise(abort, 'full'); END")
        }
    }

    private func acceptAgain() throws {
        for number in 0..<2 { try bench.database().execute("DROP TRIGGER IF EXISTS fault\(number)") }
    }

    private func until(within seconds: Int = 20, _ isSo: () throws -> Bool) throws -> Bool {
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

    /// How often the outbox's thread has gone to sleep by itself.
    private func sleeps(_ outbox: Outbox) throws -> Int {
        let thread = outbox.loop.sync { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self") }
        let status = try String(contentsOfFile: "/proc/\(#require(thread))/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") })
        return try #require(Int(line.split(separator: "\t").last ?? ""))
    }

    @Test("wakes the thread at most twice for five readings that come one by one")
    func wakeUps() throws {
        let outbox = try granted()
        outbox.settle()
        // What keeping reading 0 has left to do is done.
        usleep(200_000)
        let before = try sleeps(outbox)
        for counter in 1...5 as ClosedRange<UInt32> {
            outbox.append(reading(counter), from: bench.strap)
            usleep(60_000)
        }
        // To ask wakes it once, too.
        #expect(try sleeps(outbox) - before <= 3)
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

    // MARK: Trouble

    @Test("keeps what there is room for while the disk takes nothing; a kill then loses only what came after")
    func diskRefuses() throws {
        let outbox = try granted()
        try refuse()
        append(1...4000, to: outbox)
        outbox.settle()
        let kept = try inMemory().count
        // The first collection, soon after the beginning, went on to the other half.
        #expect(kept > 1200 && kept < 4000)
        #expect(outbox.health.disk != .ok && outbox.health.dropped == 0)
        outbox.kill()
        try acceptAgain()
        #expect(try steps() == Array(0...UInt32(kept)))
    }

    @Test("writes everything down once the disk takes it again, and then has room in memory")
    func diskTakes() throws {
        let outbox = try granted()
        try refuse()
        append(1...3050, to: outbox)
        outbox.settle()
        let full = try #require(inMemory().last)
        #expect(full < 3050)
        try acceptAgain()
        #expect(try outbox.keep([reading(3051)], from: bench.strap))
        outbox.settle()
        append(3052...3052, to: outbox)
        #expect(try inMemory().last == full + 1)
        outbox.kill()
        #expect(try steps() == Array(0...3052))
    }

    @Test("has room in memory again after all that was in there was dropped")
    func dropped() throws {
        let outbox = try granted()
        try refuse()
        for begin in stride(from: 1, to: 24_000, by: 1000) as StrideTo<UInt32> {
            append(begin...begin + 999, to: outbox)
            outbox.settle()
        }
        #expect(outbox.health.dropped == 4000)
        try acceptAgain()
        #expect(try outbox.keep([reading(24_001)], from: bench.strap))
        outbox.settle()
        let full = try #require(inMemory().last)
        append(24_002...24_002, to: outbox)
        #expect(try inMemory().last == full + 1)
        outbox.kill()
        #expect(try steps() == [0] + Array(4002...24_002))
    }

    @Test("writes a reading to the disk that cannot be written to memory")
    func failedWrite() throws {
        let outbox = try granted()
        append(1...1, to: outbox)
        let path = "\(bench.memory)/\(RAMJournal.name)"
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let own = descriptors.first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        let unwritable = open(path, O_RDONLY)
        defer { close(unwritable) }
        #expect(dup2(unwritable, try #require(own)) >= 0)
        append(2...2, to: outbox)
        #expect(try until { try bench.store().journalCount() == 3 })
        #expect(try inMemory() == [1])
        outbox.kill()
        #expect(try steps() == [0, 1, 2])
    }

    // MARK: Grants, sessions and the clock

    @Test("gives each reading to the stream that was granted when it came", arguments: [true, false])
    func grantChanges(isKilled: Bool) throws {
        let outbox = try granted()
        append(1...1, to: outbox)
        try give(bench.grant(serial: 2, stream: other), to: outbox)
        append(2...2, to: outbox)
        #expect(try until { try inMemory().count == 1 && outbox.health.recorded == 3 })
        append(3...3, to: outbox)
        #expect(try Bench.records(inMemory: bench.memory).last?.stream == other)
        if isKilled { outbox.kill() } else { outbox.stop(within: .zero) }
        try bench.outbox(inMemory: bench.memory).kill()
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.steps) == [[0, 1], [2, 3]])
        #expect(opened.map(\.identity.stream) == [bench.stream, other])
    }

    @Test("gives the next owner nothing of what was sealed before, though the disk takes nothing meanwhile")
    func grantChangesInTrouble() throws {
        let outbox = try granted()
        try refuse()
        append(1...1, to: outbox)
        #expect(try !outbox.keep([reading(2)], from: bench.strap))
        append(3...3, to: outbox)
        try give(bench.grant(serial: 2, stream: other), to: outbox)
        append(4...4, to: outbox)
        #expect(try inMemory().count == 2)
        try acceptAgain()
        #expect(try outbox.keep([reading(5)], from: bench.strap))
        outbox.stop(within: .zero)
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.steps) == [[0, 1, 2, 3], [4, 5]])
        #expect(opened.map(\.identity.stream) == [bench.stream, other])
    }

    @Test("seals nothing for the old grant while the new one is being written down")
    func grantIsWritten() throws {
        let outbox = try granted()
        let busy = try bench.database()
        try busy.execute("BEGIN IMMEDIATE")
        outbox.receive(grant: try bench.signed(.grant(bench.grant(serial: 2, stream: other))), for: bench.strap)
        // The thread has begun, and waits for the database.
        usleep(300_000)
        append(1...1, to: outbox)
        #expect(try inMemory().isEmpty)
        try busy.execute("COMMIT")
        outbox.stop(within: .zero)
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.steps) == [[0], [1]])
        #expect(opened.map(\.identity.stream) == [bench.stream, other])
    }

    @Test("seals nothing more for a grant that has ended, be it now or at its time")
    func grantEnds() throws {
        let outbox = try granted()
        append(1...1, to: outbox)
        let end = unixMilliseconds() + 1500
        try give(bench.grant(serial: 2, until: end), to: outbox)
        append(2...2, to: outbox)
        while unixMilliseconds() <= end { usleep(10_000) }
        append(3...3, to: outbox)
        #expect(try until { outbox.health.notRecorded == 1 })
        #expect(try inMemory().count == 2)
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).flatMap(\.steps) == [0, 1, 2])
    }

    @Test("makes another session after a day; what was sealed for the old one goes into its blocks", arguments: [true, false])
    func sessionEnds(isKilled: Bool) throws {
        let outbox = try granted()
        append(1...2, to: outbox)
        let old = try #require(Bench.records(inMemory: bench.memory).first).session
        let stream = bench.stream
        outbox.loop.sync { [outbox] in outbox.sessions[stream]?.end = 0 }
        outbox.settle()
        append(3...3, to: outbox)
        #expect(try until { outbox.loop.sync { [outbox] in outbox.sessions[stream] != nil } })
        outbox.settle()
        append(4...4, to: outbox)
        let new = try #require(Bench.records(inMemory: bench.memory).last).session
        #expect(new != old)
        if isKilled { outbox.kill() } else { outbox.stop(within: .zero) }
        try bench.outbox(inMemory: bench.memory).kill()
        let opened = try bench.opened(bench.waiting())
        #expect(opened.map(\.steps) == [[0, 1, 2], [3, 4]])
        if !isKilled { #expect(opened.map(\.identity.session) == [old, new]) }
    }

    @Test("writes down a step of the clock before anything that has the new time is in memory")
    func clockStep() throws {
        let outbox = try granted()
        append(1...1, to: outbox)
        try refuse(["INSERT ON blocks WHEN substr(new.bytes, 3, 1) = x'04'"])
        for counter in 2...3 as ClosedRange<UInt32> {
            outbox.append(reading(counter, clockStep: 3_600_000), from: bench.strap)
            outbox.settle()
        }
        #expect(try inMemory() == [1])
        try acceptAgain()
        #expect(try outbox.keep([reading(4, clockStep: 3_600_000)], from: bench.strap))
        outbox.append(reading(5, clockStep: 3_600_000), from: bench.strap)
        #expect(try inMemory().max() == 2)
        // It is stepped back.
        append(6...6, to: outbox)
        #expect(try until { outbox.loop.sync { [outbox] in outbox.unwritten.isEmpty && !outbox.clock.hasSteps } })
        append(7...7, to: outbox)
        #expect(try inMemory().max() == 3)
        outbox.kill()
        #expect(try steps() == Array(0...7))
        #expect(try bench.opened(bench.waiting()).filter { $0.kind == .clock }.count == 2)
    }
}
