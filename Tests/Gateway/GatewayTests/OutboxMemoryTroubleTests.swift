import Daemon
import Foundation
import Storage
import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

// The same where the disk refuses, and where grants, sessions and the clock change.

extension OutboxMemoryTests {
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
        var recorded = outbox.health.recorded
        for begin in stride(from: 1, to: 24_000, by: 1000) as StrideTo<UInt32> {
            append(begin...begin + 999, to: outbox)
            outbox.settle()
            let now = outbox.health.recorded
            #expect(now >= recorded, "what was recorded once stays counted")
            recorded = now
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
