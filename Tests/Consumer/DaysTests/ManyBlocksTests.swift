import Daemon
import DaysSupport
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Readings

@Suite("Many blocks at once")
struct ManyBlocksTests {
    /// Two consumers of the same keys and streams: what one gets at once, the other gets block by block.
    private struct Pair {
        var (many, single): (Side, Side)

        init(_ household: Household) throws {
            // Whose streams they are is settled once.
            _ = try household.open(people: Side.people, now: start - 3_600_000)
            let settings = try household.houseSettings(people: Side.people)
            let path = household.path("consumer.json5")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let other = household.path("other.json5")
            try text.replacingOccurrences(of: "\"state\"", with: "\"other\"")
                .write(toFile: other, atomically: true, encoding: .utf8)
            try FileManager.default.copyItem(atPath: household.path("state"), toPath: household.path("other"))
            many = try Side(settings)
            single = try Side(try HouseholdSettings(file: other))
        }
    }

    private struct Side {
        var parts: Parts
        let stale: StaleHours
        let minutes: HeartRateMinutes
        let days: Days

        init(_ settings: HouseholdSettings) throws {
            let keys = try Keys(settings, .write)
            let store = try Store(folder: settings.state)
            minutes = HeartRateMinutes(store, keys)
            days = Days(store, keys, Histories(store, keys, zone: "Europe/Berlin"))
            stale = StaleHours(store, keys, [minutes, days])
            parts = Parts(
                settings: settings, keys: keys, store: store, grants: Grants(store: store, keys: keys),
                ingest: Ingest(
                    store, keys, gateways: settings.gateways,
                    totals: Totals(store, keys, [minutes, days], stale: stale), sessionCapacity: 2))
            try store.database.execute("PRAGMA synchronous = OFF")
        }

        static let people = """
            demo: { sensors: ["home/strap", "home/watch"] }, other: { sensors: ["home/band", "next-door/strap"] }
            """

        /// All that is stored, and what it means.
        func shown() throws -> [String] {
            while try !stale.work(within: .seconds(10)) {}
            var lines: [String] = []
            for (table, columns) in [
                ("sessions", "number, stream, hex(session), hex(boot), after_block"),
                ("ledger", "session, seq, hex(digest)"), ("ledger_runs", "session, first_seq, hex(digests)"),
                ("blocks", "number, stream, session, seq, type, kinds, first_hour, hours_more, hex(sealed)"),
                ("records", "session, record, block"), ("counts", "stream, kind, number"),
            ] {
                let spelt = columns.split(separator: ",").joined(separator: " || ' ' ||")
                lines += try parts.store.database.query(
                    "SELECT '\(table) ' || \(spelt) FROM \(table)", row: Row.text
                ).sorted()
            }
            for name in ["demo", "other"] {
                let user = try ID(name)
                let tiers = HeartRateTiers(parts.store, parts.keys)
                let range = -Moment.limit..<Moment.limit
                for (number, minute) in try tiers.minutes(of: user, in: range).together {
                    lines.append("\(name) \(number) \(minute.slots) \(minute.samples)")
                }
                for derivation in [minutes, days] as [any Derivation] {
                    #expect(try derivation.recount(of: user).differing == 0)
                }
                for day in try days.allTotals(of: user) { lines.append("\(name) \(day)") }
            }
            return lines
        }
    }

    /// Messages of several gateways, streams and sessions, in any order: key blocks, readings of all kinds, loose,
    /// clock and gap blocks; again, with other bytes, damaged, and too dense.
    private struct Traffic {
        var messages: [(payload: [UInt8], gateway: String)] = []
        private var sessions: [(session: GatewaySession, gateway: String, records: UInt64)] = []

        init(_ households: Household, _ parts: Parts, _ generator: inout SeededGenerator) throws {
            let grants = try parts.grants.current()
            for (gateway, grant) in grants {
                let key = gateway.text == "home" ? households.home : households.nextDoor
                for boot in 1...2 {
                    let session = try GatewaySession(grant, key, boot: BootID(high: 0, low: UInt64(boot)))
                    sessions.append((session, gateway.text, 0))
                    messages.append((session.keyBlock, gateway.text))
                }
            }
            for _ in 0..<300 { try add(&generator) }
            // Some come late, and some key blocks after what they open.
            for _ in 0..<60 {
                let index = messages.indices.randomElement(using: &generator) ?? 0
                let other = messages.indices.randomElement(using: &generator) ?? 0
                messages.swapAt(index, other)
            }
        }

        private mutating func add(_ generator: inout SeededGenerator) throws {
            let index = sessions.indices.randomElement(using: &generator) ?? 0
            let (session, gateway, record) = sessions[index]
            let number = UInt64.random(in: 1...60, using: &generator)
            let payload: [UInt8]
            switch Int.random(in: 0..<24, using: &generator) {
            case 0: payload = session.keyBlock
            case 1: payload = messages.randomElement(using: &generator)?.payload ?? []
            case 2:
                // With a number that may be taken.
                payload = try session.seal(
                    .readings, ReadingColumns.encode(Self.readings(&generator)), sequence: number)
            case 3:
                var damaged = try session.block(Self.readings(&generator))
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] ^= 1
                payload = damaged
            case 4: payload = Array(try session.block(Self.readings(&generator)).prefix(Int(number)))
            case 5:
                let until = UInt64.random(in: 900_000...6_000_000, using: &generator)
                let correction = Int64.random(in: -7_200_000...7_200_000, using: &generator)
                let boot = BootID(high: 0, low: UInt64.random(in: 1...2, using: &generator))
                payload = try session.seal(.clock, ClockBody(boot: boot, correction: correction, until: until).bytes)
            case 6:
                payload = try session.seal(
                    .gap, GapBody(count: 3, first: start, last: start + 999, reason: .outboxFull).bytes)
            case 7, 8:
                let older = sessions[index ^ 1].session
                let records = try (0..<3).map { step in
                    let reading = beat(Int64(record + UInt64(step)) * 1000, 80)
                    return try older.record(record + UInt64(step), reading)
                }
                // Some of them come again in the next.
                sessions[index].records += 2
                payload = try session.loose(older, records)
            case 9:
                payload = try session.block((0..<64).map { _ in beat(5000, 77, rr: Array(repeating: 800, count: 60)) })
            case 10:
                // Of another gateway's stream.
                messages.append((try session.block(Self.readings(&generator)), "next-door"))
                return
            default: payload = try session.block(Self.readings(&generator))
            }
            messages.append((payload, gateway))
        }

        private static func readings(_ generator: inout SeededGenerator) throws -> [Reading] {
            let begin = Int64.random(in: 0...20_000_000, using: &generator)
            let kind = Int.random(in: 0..<8, using: &generator)
            return try (0..<Int64.random(in: 1...20, using: &generator)).map { step in
                let time = begin + step * 1003
                let rate = UInt16.random(in: 0...260, using: &generator)
                guard kind < 2 else { return beat(time, rate, rr: kind < 5 ? [800, 810] : []) }
                let moment = Moment(wall: start + time, monotonic: UInt64(1_000_000 + time))
                guard kind == 0 else { return Reading(at: moment, .steps(StepCount(UInt32(time / 700)))) }
                return Reading(at: moment, .temperature(try Temperature(thousandths: 36_000 + Int64(rate))))
            }
        }
    }

    @Test("come to the same as one by one", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func sameAsOneByOne(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let household = try Household()
        var pair = try Pair(household)
        let traffic = try Traffic(household, pair.many.parts, &generator)
        var rest = traffic.messages[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Int.random(in: 1...150, using: &generator))
            rest = rest.dropFirst(batch.count)
            for message in batch { pair.many.parts.ingest.collect(message.payload, from: try ID(message.gateway)) }
            let answers = try pair.many.parts.ingest.commit(now: 61_000, wall: start + 30_000_000)
            var singly: (answers: [Answer], reports: [Report]) = ([], [])
            for message in batch {
                pair.single.parts.ingest.collect(message.payload, from: try ID(message.gateway))
                let one = try pair.single.parts.ingest.commit(now: 61_000, wall: start + 30_000_000)
                singly.answers += one.answers
                singly.reports += one.reports
            }
            #expect(Self.spelt(answers.answers) == Self.spelt(singly.answers))
            #expect(answers.reports == singly.reports)
        }
        #expect(pair.many.parts.ingest.counts == pair.single.parts.ingest.counts)
        let counts = pair.many.parts.ingest.counts
        #expect(counts.stored > 100 && counts.duplicates > 3 && counts.refused > 3 && counts.ignored > 3)
        let (many, single) = (try pair.many.shown(), try pair.single.shown())
        #expect(many == single)
    }

    /// What is told of each block.
    private static func spelt(_ answers: [Answer]) -> [String] {
        answers.flatMap { answer in
            guard case .acknowledge(let gateway, let identities) = answer else { return ["\(answer)"] }
            return identities.map { "\(gateway) \($0)" }
        }.sorted()
    }

    @Test("the ledger knows of many what it knows of each", arguments: [1, 2, 3] as [UInt64])
    func ledger(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let household = try Household()
        let store = try household.open().store
        // Sessions 5 and 6 begin with the least numbers that there are: those of blocks from 2^63 on.
        let first: [Int: Int64] = [4: Int64.max - 700, 5: Int64.min, 6: Int64.min + 1]
        let end: [Int: Int64] = [4: Int64.max - 170, 5: Int64.min + 700, 6: Int64.min + 700]
        for session in 1...6 {
            try store.database.execute("PRAGMA foreign_keys = OFF")
            var next = first[session] ?? Int64.random(in: -500...1, using: &generator)
            while next < end[session] ?? 1500 {
                let count = session == 6 && next == .min + 1 ? 1 : Int64.random(in: 1...162, using: &generator)
                let digests = (0..<count * 6).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
                try store.database.execute(
                    "INSERT INTO ledger_runs (session, first_seq, digests) VALUES (?, ?, ?)",
                    [.integer(session), .integer(next), .blob(digests)])
                next += count + Int64.random(in: 0...40, using: &generator)
            }
            for _ in 0..<200 {
                let sequence = Int64.random(in: -600...2000, using: &generator)
                let digest = (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
                try store.database.execute(
                    "INSERT INTO ledger (session, seq, digest) VALUES (?, ?, ?) ON CONFLICT (session, seq) DO NOTHING",
                    [.integer(session), .integer(sequence), .blob(digest)])
            }
        }
        for size in [0, 1, 2, 9, 70, 512] {
            let asked = (0..<size).map { _ in
                let extreme: [Int64] = [.min, .min + 1, .min + 161, .min + 162, .max, .max - 169, 0, -1]
                let sequence =
                    Int.random(in: 0..<12, using: &generator) == 0
                    ? extreme.randomElement(using: &generator) ?? 0 : Int64.random(in: -700...2100, using: &generator)
                let session = Int64.random(in: 1...7, using: &generator)
                if session >= 5, Bool.random(using: &generator) {
                    return (session, UInt64(bitPattern: .min + Int64.random(in: 0...900, using: &generator)))
                }
                return (session: session, sequence: UInt64(bitPattern: sequence))
            }
            let known = try KnownBlocks(asked, store)
            for (session, sequence) in asked {
                let entry = try store.ledgerEntry(session, sequence)
                #expect(known[session, sequence] == entry, "\(session) \(sequence)")
            }
        }
    }
}
