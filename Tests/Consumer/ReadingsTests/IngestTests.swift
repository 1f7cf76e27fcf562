import Daemon
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Readings

@Suite("Ingest")
struct IngestTests {
    let home: ID
    let household: Household

    init() throws {
        home = try ID("home")
        household = try Household()
    }

    @Test("stores and acknowledges a key block and the blocks after it")
    func accepts() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let block = try session.block(beat(0, 72), beat(1000, 73))
        let answers = try parts.take(session.keyBlock, block)
        #expect(answers == [.acknowledge(home, [session.identity(0), session.identity(1)])])
        #expect(try parts.printed() == [line(0, 72), line(1000, 73)])
        #expect(try parts.count("blocks") == 1)
    }

    @Test("acknowledges the same block each time, and stores it once", arguments: [true, false])
    func duplicate(inOneBatch: Bool) throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let block = try session.block(beat(0, 72))
        var answers = try parts.take(session.keyBlock)
        if inOneBatch {
            answers = try parts.take(all: [block, block, session.keyBlock]).answers
            #expect(answers == [.acknowledge(home, [session.identity(1), session.identity(1), session.identity(0)])])
        } else {
            for _ in 1...3 { #expect(try parts.take(block) == [.acknowledge(home, [session.identity(1)])]) }
            #expect(try parts.take(session.keyBlock) == [.acknowledge(home, [session.identity(0)])])
        }
        #expect(try parts.count("blocks") == 1)
        #expect(try parts.count("ledger") == 2)
        #expect(try parts.printed() == [line(0, 72)])
    }

    @Test("refuses other bytes under an identity that it has accepted, and reports them")
    func conflict() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 72)))
        let other = try session.seal(.readings, ReadingColumns.encode([beat(0, 99)]), sequence: 1)
        let (answers, reports) = try parts.take(all: [other])
        let refusal = Answer.refuse(home, session.identity(1), digest: try digest(of: other), .conflict)
        #expect(answers == [refusal])
        #expect(reports == [Report(gateway: home, verdict: .conflict, identity: session.identity(1))])
        #expect(try parts.printed() == [line(0, 72)])
    }

    @Test("refuses what a session's key does not open, bit by bit, and takes the true block after it")
    func altered() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let block = try session.block(beat(0, 72))
        _ = try parts.take(session.keyBlock)
        for index in BlockHeader.length..<block.count {
            var altered = block
            altered[index] ^= 1 << UInt8(index % 8)
            #expect(
                try parts.take(altered) == [
                    .refuse(home, session.identity(1), digest: digest(of: altered), .unreadable)
                ])
        }
        for index in 0..<BlockHeader.length {
            var altered = block
            altered[index] ^= 1
            let answers = try parts.take(altered)
            #expect(!answers.contains { if case .acknowledge = $0 { true } else { false } }, "byte \(index)")
        }
        #expect(try parts.take(block) == [.acknowledge(home, [session.identity(1)])])
        #expect(try parts.printed() == [line(0, 72)])
    }

    @Test("refuses a block that opens and says nothing", arguments: [BlockHeader.Kind.readings, .loose, .clock, .gap])
    func poison(kind: BlockHeader.Kind) throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let poison = try session.seal(kind, [9, 9, 9])
        let good = try session.block(beat(0, 72))
        #expect(
            try parts.take(session.keyBlock, poison, good) == [
                .refuse(home, session.identity(1), digest: digest(of: poison), .unreadable),
                .acknowledge(home, [session.identity(0), session.identity(2)]),
            ])
        #expect(try parts.printed() == [line(0, 72)])
    }

    @Test("asks for the key block of a session that it does not know, once a minute")
    func unknownSession() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let block = try session.block(beat(0, 72))
        let asked = Answer.requestKey(home, session.stream, session.id)
        #expect(try parts.take(block, block) == [asked])
        #expect(try parts.take(block, later: 59_000) == [])
        #expect(try parts.take(block, later: 1_000) == [asked])
        #expect(try parts.take(session.keyBlock) == [.acknowledge(home, [session.identity(0)])])
        #expect(try parts.take(block) == [.acknowledge(home, [session.identity(1)])])
        #expect(try parts.printed() == [line(0, 72)])
    }

    @Test("does not acknowledge blocks of an unknown stream")
    func unknownStream() throws {
        var parts = try household.open()
        let grant = try parts.grant()
        let unknown = try Grant(
            serial: 1, sensor: grant.sensor, stream: StreamID(bytes: RandomBytes.draw(16)), from: 0, until: nil,
            personPublicKey: grant.personPublicKey, kinds: .all)
        let session = try GatewaySession(unknown, household.home, boot: BootID(high: 0, low: 1))
        let asked = Answer.requestKey(home, unknown.stream, session.id)
        #expect(try parts.take(session.keyBlock) == [asked])
        #expect(try parts.take(session.block(beat(0, 72))) == [asked])
        #expect(try parts.count("ledger") == 0)
    }

    @Test("asks for no more than 1,024 keys a minute")
    func flood() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let block = try session.block(beat(0, 72))
        let flood = (0..<3000).map { number in
            var bytes = block
            (bytes[20], bytes[21]) = (UInt8(number >> 8), UInt8(number & 0xFF))
            return bytes
        }
        #expect(try parts.take(all: flood).answers.count == 1024)
        #expect(try parts.take(all: flood, later: 0).answers.count == 0)
        // What one gateway makes up is not at the cost of another.
        let other = try GatewaySession(
            Grant(
                serial: 1, sensor: ID("strap"), stream: StreamID(high: 0, low: 7), from: 0, until: nil,
                personPublicKey: parts.grant().personPublicKey, kinds: .all), household.nextDoor,
            boot: BootID(high: 0, low: 1))
        let asked = Answer.requestKey(try ID("next-door"), other.stream, other.id)
        #expect(try parts.take(other.block(beat(0, 70)), from: "next-door", later: 0) == [asked])
    }

    @Test("takes a block after its key block, and the key block from its gateway alone")
    func foreignSignature() throws {
        var parts = try household.open()
        let stranger = try GatewaySession(
            parts.grant(), Ed25519.SigningKey(seed: .random()), boot: BootID(high: 0, low: 1))
        let (answers, reports) = try parts.take(all: [stranger.keyBlock])
        #expect(answers == [])
        #expect(reports.map(\.verdict) == [.ignored(.forged)])
        // An enrolled gateway, but not this stream's.
        let neighbour = try GatewaySession(parts.grant(), household.nextDoor, boot: BootID(high: 0, low: 1))
        #expect(
            try parts.take(all: [neighbour.keyBlock], from: "next-door").reports.map(\.verdict) == [
                .ignored(.foreignStream)
            ])
        #expect(try parts.take(all: [neighbour.keyBlock]).reports.map(\.verdict) == [.ignored(.forged)])
        // A true block by way of another gateway's topic.
        let session = try parts.session(household)
        #expect(try parts.take(session.keyBlock, from: "next-door") == [])
        _ = try parts.take(session.keyBlock)
        #expect(try parts.take(session.block(beat(0, 72)), from: "next-door") == [])
        #expect(try parts.count("blocks") == 0)
    }

    @Test("the first key block of a session wins; another is refused if the gateway signed it, and ignored if not")
    func secondKeyBlock() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let second = try GatewaySession(parts.grant(), household.home, id: session.id, boot: BootID(high: 0, low: 1))
        let forged = try GatewaySession(
            parts.grant(), household.nextDoor, id: session.id, boot: BootID(high: 0, low: 1))
        _ = try parts.take(session.keyBlock)
        #expect(try parts.take(forged.keyBlock) == [])
        let keyBlock = second.keyBlock
        let keyRefusal = Answer.refuse(home, session.identity(0), digest: try digest(of: keyBlock), .conflict)
        #expect(try parts.take(keyBlock) == [keyRefusal])
        let block = try second.block(beat(0, 66))
        let refusal = Answer.refuse(home, session.identity(1), digest: try digest(of: block), .unreadable)
        #expect(try parts.take(block) == [refusal])
        #expect(try parts.take(session.block(beat(0, 72))) == [.acknowledge(home, [session.identity(1)])])
    }

    @Test("ignores gateways that are not enrolled and what is no block")
    func ignored() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        #expect(
            try parts.take(all: [session.keyBlock], from: "stranger").reports.map(\.verdict) == [
                .ignored(.unknownGateway)
            ])
        let garbage: [[UInt8]] = [[], [1], Array(repeating: 0xFF, count: 200), Array(repeating: 1, count: 70_000)]
        let (answers, reports) = try parts.take(all: garbage)
        #expect(answers == [])
        #expect(reports.map(\.verdict) == Array(repeating: .ignored(.malformed), count: 4))
        #expect(parts.ingest.counts.ignored == 5)
    }

    @Test("ignores what is longer than any block, and keeps no more of it than says so")
    func tooLong() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let block = try session.block(beat(0, 72))
        parts.ingest.collect(block + Array(repeating: 0, count: 1 << 20), from: home)
        #expect(parts.ingest.pending.map(\.payload.count) == [Ingest.maximumLength + 1])
        #expect(try parts.take(all: []).reports.map(\.verdict) == [.ignored(.malformed)])
        #expect(try parts.take(block) == [.acknowledge(home, [session.identity(1)])])
    }

    @Test("acknowledges readings after the end of a stream that another person's followed, and does not keep them")
    func afterTheEnd() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let people = "demo: {}, other: { sensors: [\"home/strap\"] }"
        parts = try household.open(people: people, now: start + 1000)
        let late = start + 1000 + StoredStream.tolerance
        let block = try session.block(beat(late - start + 1, 80))
        #expect(try parts.take(block) == [.acknowledge(home, [session.identity(1)])])
        #expect(try parts.take(block) == [.acknowledge(home, [session.identity(1)])])
        #expect(parts.ingest.counts.discarded == 1)
        #expect(try parts.count("blocks") == 0)
        // Of a block on both sides of the end, the readings before it count.
        _ = try parts.take(session.block(beat(900, 70), beat(late - start, 71), beat(late - start + 1, 72)))
        #expect(try parts.printed() == [line(900, 70), line(late - start, 71)])
    }

    @Test("takes what is on its way when a sensor is claimed by another: each gets their own")
    func claimed() throws {
        var parts = try household.open(people: "demo: { sensors: [\"home/strap\"] }, other: {}")
        let first = try parts.session(household)
        _ = try parts.take(first.keyBlock)
        // The gateway has sealed these, and one of a session whose key is still on its way.
        let second = try parts.session(household)
        let inFlight = [try first.block(beat(0, 70)), try second.block(beat(1000, 71)), second.keyBlock]
        parts = try household.open(
            people: "demo: {}, other: { sensors: [\"home/strap\"] }", now: start + 5000)
        let third = try parts.session(household)
        #expect(third.stream != first.stream)
        _ = try parts.take(all: [third.keyBlock, try third.block(beat(6000, 90))] + inFlight.reversed())
        // A reading of the old owner's from after the end, sealed before the gateway heard of it.
        _ = try parts.take(first.block(beat(5000 + StoredStream.tolerance + 1, 99)))
        #expect(try parts.printed() == [line(0, 70), line(1000, 71)])
        #expect(try parts.printed(user: "other") == [line(6000, 90)])
    }

    @Test("takes what is on its way when a person's secret is rotated, and reads old and new as one")
    func rotated() throws {
        var parts = try household.open()
        let first = try parts.session(household)
        let second = try parts.session(household)
        _ = try parts.take(first.keyBlock, first.block(beat(0, 70)))
        let inFlight = [try first.block(beat(1000, 71)), second.keyBlock, try second.block(beat(2000, 72))]
        let old = try parts.grant()
        #expect(try parts.keys.rotate(ID("demo")) == 2)
        #expect(try parts.keys.rotate(ID("nobody")) == nil)
        try parts.grants.settle(parts.settings.people, now: start + 5000)
        let new = try parts.grant()
        #expect(new.stream != old.stream && new.personPublicKey != old.personPublicKey && new.serial > old.serial)
        let third = try parts.session(household)
        _ = try parts.take(all: [third.keyBlock, try third.block(beat(6000, 73))] + inFlight)
        #expect(try parts.printed() == [line(0, 70), line(1000, 71), line(2000, 72), line(6000, 73)])
        #expect(try Findings(parts.store, parts.keys).isGood)
        // The old secret opens nothing of the new stream.
        let third2 = try #require(try parts.store.stream(third.stream))
        #expect(third2.secretVersion == 2)
        try parts.grants.settle(parts.settings.people, now: start + 7000)
        #expect(try parts.grant() == new, "nothing has changed since")
    }

    @Test("goes on for the others where one person's secret is damaged, and makes no other in its place")
    func damagedSecret() throws {
        let people = "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }"
        var parts = try household.open(people: people)
        let (damaged, good) = (try parts.session(household), try parts.session(household, "watch"))
        let keys = try Database(household.path("state/keys.db"), .readWrite(.full), applicationID: Keys.applicationID)
        try keys.execute("UPDATE secrets SET sealed = zeroblob(60) WHERE person = 'demo'")
        parts = try household.open(people: people)
        let answers = try parts.take(damaged.keyBlock, good.keyBlock, good.block(beat(0, 70)))
        #expect(
            answers == [
                .requestKey(home, damaged.stream, damaged.id),
                .acknowledge(home, [good.identity(0), good.identity(1)]),
            ])
        #expect(try parts.grants.current().map(\.grant.sensor.text) == ["watch"])
        #expect(try keys.first("SELECT count(*) FROM secrets", row: Row.int) == 2)
    }

    @Test("reports a gap block, each once")
    func gapReport() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let gap = try GapBody(count: 5, first: start, last: start + 9000, reason: .outboxFull)
        let block = try session.seal(.gap, gap.bytes)
        let reports = try parts.take(all: [session.keyBlock, block, block]).reports
        #expect(reports == [Report(gateway: home, verdict: .storedGap(gap), identity: session.identity(1))])
    }

    @Test("keeps nothing and answers nothing when the database is read-only, and takes it all afterwards")
    func readOnlyDatabase() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let block = try session.block(beat(0, 72))
        try parts.store.database.execute("PRAGMA query_only = ON")
        let error = thrown(VaultError.self) { try parts.take(session.keyBlock, block) }
        #expect(error?.reason == .readOnly && error?.hint?.contains("read-write") == true)
        try parts.store.database.execute("PRAGMA query_only = OFF")
        #expect(try parts.take(session.keyBlock, block) == [.acknowledge(home, [0, 1].map { session.identity($0) })])
        #expect(try Findings(parts.store, parts.keys).readings == 1)
    }

    @Test("keeps nothing and answers nothing when the database is full, and takes it all afterwards")
    func fullDatabase() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let pages = try parts.store.database.first("PRAGMA page_count", row: Row.int) ?? 0
        _ = try parts.store.database.first("PRAGMA max_page_count = \(pages)", row: Row.int)
        var blocks = [session.keyBlock]
        for number in 0..<200 {
            blocks.append(try session.block((0..<64).map { beat(Int64(number) * 64_000 + $0 * 1000, 60 + UInt16($0)) }))
        }
        let error = thrown(VaultError.self) { try parts.take(all: blocks) }
        #expect(error?.reason == .diskFull)
        #expect(try parts.count("ledger") == 0)
        _ = try parts.store.database.first("PRAGMA max_page_count = 100000", row: Row.int)
        // The key block was rolled back with the rest: it must not be remembered.
        #expect(try parts.take(blocks[1]) == [.requestKey(home, session.stream, session.id)])
        #expect(
            try parts.take(all: blocks).answers == [.acknowledge(home, (0...200).map { session.identity(UInt64($0)) })])
        #expect(try parts.printed().count == 200 * 64)
    }

    @Test("knows every session again after a restart, with room for two at once")
    func restart() throws {
        var parts = try household.open()
        let sessions = try (0..<5).map { _ in try parts.session(household) }
        for session in sessions { _ = try parts.take(session.keyBlock, session.block(beat(0, 72))) }
        parts = try household.open(sessionCapacity: 2)
        for number in 1...3 {
            for (index, session) in sessions.enumerated() {
                let block = try session.block(beat(Int64(number * 10_000 + index), 70))
                #expect(try parts.take(block) == [.acknowledge(home, [session.identity(session.sequence)])])
            }
        }
        #expect(try parts.count("blocks") == 20)
        #expect(try parts.printed().count == 20)
    }

    @Test("fills acknowledgements with at most 256 blocks")
    func manyBlocks() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        var blocks = [session.keyBlock]
        for number in 0..<599 { blocks.append(try session.block(beat(Int64(number) * 1000, 70))) }
        let answers = try parts.take(all: blocks).answers
        let counts = answers.map { if case .acknowledge(_, let identities) = $0 { identities.count } else { 0 } }
        #expect(counts == [256, 256, 88])
    }
}
