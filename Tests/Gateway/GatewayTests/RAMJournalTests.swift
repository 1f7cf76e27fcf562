import Daemon
import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("The journal in memory")
struct RAMJournalTests {
    private let bench: Bench
    private let stream = StreamID(high: 1, low: 2)
    private let session = SessionID(3)
    private var context: [UInt8] { stream.bytes + session.bytes }

    init() throws { bench = try Bench() }

    private func journal(after id: UInt64 = 0) throws -> RAMJournal {
        RAMJournal(try RAMJournal.file(in: bench.memory), after: id)
    }

    private func records() throws -> [RAMJournal.Record] { try Bench.records(inMemory: bench.memory) }

    private func sealed(_ number: UInt64, length: Int = 40) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
    }

    private func append(_ number: UInt64, to journal: inout RAMJournal, length: Int = 40) -> UInt64? {
        journal.append(sealed(number, length: length), number: number, second: -5, context: context)
    }

    /// The bytes of a half with these records.
    private func half(_ ids: ClosedRange<UInt64>, second: Int64 = 7, length: Int = 40) throws -> [UInt8] {
        let bench = try Bench()
        let file = try RAMJournal.file(in: bench.memory)
        var journal = RAMJournal(file, after: ids.lowerBound - 1)
        for id in ids {
            _ = journal.append(sealed(id, length: length), number: id, second: second, context: context)
        }
        return file.read(0..<RAMJournal.halfSize)
    }

    @Test("gives back what was written, and counts ids on")
    func writes() throws {
        var journal = try journal(after: 41)
        #expect(append(7, to: &journal) == 42)
        #expect(append(8, to: &journal) == 43)
        let expected = [(42, 7), (43, 8)].map { (id, number) in
            RAMJournal.Record(
                id: id, stream: stream, session: session, number: number, second: -5, sealed: sealed(number))
        }
        #expect(try records() == expected)
    }

    @Test("does not begin with the other half while the database lacks something of it")
    func halves() throws {
        var journal = try journal()
        var last: UInt64 = 0
        while let id = append(1, to: &journal) { last = id }
        let inHalf = UInt64(RAMJournal.halfSize / (RAMJournal.overhead + 40))
        #expect(last == inHalf)
        #expect(journal.isNearlyFull)
        journal.switchHalves()
        #expect(!journal.isNearlyFull)
        #expect(append(2, to: &journal) == last + 1)
        journal.switchHalves()
        #expect(append(2, to: &journal) == last + 2, "the first half is needed")
        #expect(try records().count == Int(last) + 2)
        journal.finish(through: last - 1)
        journal.switchHalves()
        #expect(append(2, to: &journal) == last + 3, "one of its records is")
        journal.finish(through: last)
        journal.switchHalves()
        #expect(append(3, to: &journal) == last + 4)
        // What is left of the first half has frames that are whole, from before.
        #expect(try records().map(\.id) == [last + 1, last + 2, last + 3, last + 4])
        while append(4, to: &journal) != nil {}
        journal.switchHalves()
        #expect(append(5, to: &journal) == nil, "both halves are full")
    }

    @Test("wants to be written down once the half is three quarters full")
    func nearlyFull() throws {
        var journal = try journal()
        let length = 1024 - RAMJournal.overhead
        for _ in 0..<96 { _ = append(1, to: &journal, length: length) }
        #expect(!journal.isNearlyFull)
        var intake = Intake()
        intake.memory = journal
        let source = Intake.Source(sensor: bench.strap, kind: .steps)
        #expect(intake.need(afterKeeping: source) == .flushTimer)
        #expect(intake.need(afterKeeping: source) == .nothing)
        _ = append(1, to: &journal, length: length)
        #expect(journal.isNearlyFull)
        intake.memory = journal
        #expect(intake.need(afterKeeping: source) == .collection)
        #expect(intake.need(afterKeeping: source) == .nothing)
    }

    @Test("takes no record that is longer than it would read")
    func tooLong() throws {
        var journal = try journal()
        #expect(append(1, to: &journal, length: RAMJournal.longestRecord + 1) == nil)
        #expect(append(1, to: &journal, length: RAMJournal.longestRecord) == 1)
        #expect(try records().count == 1)
    }

    @Test("uses no id beyond the last")
    func lastID() throws {
        var journal = try journal(after: RAMJournal.lastID - 1)
        #expect(append(1, to: &journal) == RAMJournal.lastID)
        #expect(append(1, to: &journal) == nil)
        #expect(try records().count == 1)
    }

    @Test("reads up to a frame that was cut short by a kill, wherever it was cut")
    func torn() throws {
        let whole = try half(1...3)
        let length = RAMJournal.overhead + 40
        #expect(RAMJournal.records(in: whole).map(\.id) == [1, 2, 3])
        for cut in 0..<length {
            // Behind the cut is what was there before: nothing, or older frames.
            let start = Array(whole.prefix(length + cut))
            for rest in [[UInt8](repeating: 0, count: 1000), Array(whole[cut..<2 * length])] {
                #expect(RAMJournal.records(in: start + rest).map(\.id) == [1])
            }
        }
    }

    @Test("is read within its limits, whatever is in the file")
    func foreign() throws {
        #expect(RAMJournal.records(in: []).isEmpty)
        #expect(RAMJournal.records(in: [UInt8](repeating: 0, count: RAMJournal.halfSize)).isEmpty)
        #expect(RAMJournal.records(in: [UInt8](repeating: 0xFF, count: RAMJournal.halfSize)).isEmpty)
        let whole = try half(1...3)
        // Ids, seconds and lengths that none of ours has, in frames with the right checksum.
        func frame(_ change: (inout [UInt8]) -> Void) -> [RAMJournal.Record] {
            var bytes = Array(whole.prefix(RAMJournal.overhead + 40))
            change(&bytes)
            let sum = RAMJournal.checksum(bytes.dropLast(8))
            for place in 0..<8 { bytes[bytes.count - 8 + place] = UInt8(truncatingIfNeeded: sum >> UInt64(8 * place)) }
            return RAMJournal.records(in: bytes + whole.dropFirst(bytes.count))
        }
        #expect(frame { _ in }.map(\.id) == [1, 2, 3])
        #expect(frame { $0[4] = 0 }.isEmpty, "id 0")
        #expect(frame { $0[4] = 2 }.map(\.id) == [2], "the next one does not follow it")
        #expect(frame { $0[11] = 0x7F }.isEmpty, "an id beyond the last")
        #expect(frame { $0[51] = 0x7F }.isEmpty, "a second beyond all times")
        #expect(frame { $0[51] = 0x80 }.isEmpty, "a second before all times")
        for length in [0, 8, 59, 75, 5000, Int(UInt32.max)] {
            let bytes = frame { bytes in
                for place in 0..<4 { bytes[place] = UInt8(truncatingIfNeeded: length >> (8 * place)) }
            }
            #expect(bytes.isEmpty)
        }
        var random = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            var bytes = Array(whole.prefix(400))
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<300, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            #expect(RAMJournal.records(in: bytes).count < 3)
        }
    }
}
