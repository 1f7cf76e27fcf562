import Daemon
import Foundation
import MQTT
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_gateway

// A nonce is a number under a key, and a key with a number that sealed two different things gives both away. Numbers
// are counted in memory and begin again at each start; what keeps them apart is that each start draws keys of its own.
// So outboxes are killed and started again, folders are put back to what they were some rounds ago, and cards are
// cloned and run on in two places; and of all ciphertexts that were ever to be seen in any of their databases, none may
// share key and number with another.

@Suite("Nonces", .timeLimit(.minutes(50)))
struct NonceTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test("seals nothing twice under a key and a number, whatever is killed, restored and cloned")
    func restarts() throws {
        let rounds = Self.environment["VITALS_ROUNDS"].flatMap(Int.init) ?? 40
        let seed = Self.environment["VITALS_SEED"].flatMap(UInt64.init) ?? 1
        var lives = try Lives(seed: seed)
        for _ in 0..<rounds { try lives.next() }
        let ledger = lives.ledger
        // Enough of everything was seen for it to mean something.
        #expect(ledger.keys.count >= rounds / 2)
        #expect(ledger.journalRecords > rounds)
        #expect(ledger.memoryRecords > rounds / 2)
        #expect(ledger.blocks > rounds / 2)
        print(
            "nonces: \(lives.starts) starts, \(lives.restores) restored, \(lives.clones) cloned, "
                + "\(ledger.sealed.count) pairs of key and number, \(ledger.keys.count) sessions, seed \(seed)")
    }
}

/// A gateway's outbox, life after life.
private struct Lives {
    let bench: Bench
    var ledger = Ledger()
    private(set) var starts = 0
    private(set) var restores = 0
    private(set) var clones = 0
    private var random: SeededGenerator
    private var snapshots: [String] = []
    private var serial: UInt64 = 0
    private var counter: UInt32 = 0
    private var state: String { "\(bench.folder)/state" }
    /// For some lives there is a journal in memory.
    private var memory: String { bench.memory }

    init(seed: UInt64) throws {
        bench = try Bench()
        random = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// One life: perhaps of an older folder, with readings, to an end at any moment.
    mutating func next() throws {
        if chance(20), let old = snapshots.randomElement(using: &random) {
            try replace(state, with: old)
            restores += 1
        }
        let outbox = try bench.outbox(inMemory: chance(70) ? memory : nil)
        starts += 1
        if serial == 0 || chance(10) { try grant(to: outbox) }
        try live(in: outbox)
        if chance(10) { try clone(outbox) }
        try end(outbox)
        try ledger.collect(from: state, bench: bench)
        try ledger.collect(inMemory: memory)
        if chance(25) { try snapshot() }
    }

    private mutating func grant(to outbox: Outbox) throws {
        serial += 1
        let stream = StreamID(high: serial % 3, low: 2)
        outbox.receive(grant: try bench.signed(.grant(bench.grant(serial: serial, stream: stream))), for: bench.strap)
        outbox.settle()
    }

    private mutating func live(in outbox: Outbox) throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            // More than a block's worth now and then.
            let count = Int.random(in: 1...(chance(20) ? 90 : 12), using: &random)
            let readings = (0..<count).map { _ in
                counter &+= 1
                return reading(counter)
            }
            // At once on the disk, or left to what comes first, the commit or the end.
            if chance(50) {
                _ = try outbox.keep(readings, from: bench.strap)
            } else {
                for reading in readings { outbox.append(reading, from: bench.strap) }
            }
        }
    }

    private mutating func end(_ outbox: Outbox) throws {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: outbox.stop(within: .zero)
        case 1:
            outbox.settle()
            outbox.kill()
        default: outbox.kill()
        }
    }

    /// The card is copied while the gateway runs, and both continue at the same time.
    private mutating func clone(_ outbox: Outbox) throws {
        let clone = "\(bench.folder)/clone-\(starts)"
        defer { try? FileManager.default.removeItem(atPath: clone) }
        try FileManager.default.createDirectory(atPath: clone, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: state) where !name.hasPrefix("outbox.db") {
            try FileManager.default.copyItem(atPath: "\(state)/\(name)", toPath: "\(clone)/\(name)")
        }
        // A file system's copy of one moment; copying the files of a running database is not.
        try bench.database().backUp(to: "\(clone)/outbox.db")
        let other = try bench.outbox(in: clone)
        clones += 1
        try live(in: other)
        try live(in: outbox)
        try end(other)
        try ledger.collect(from: clone, bench: bench)
    }

    private mutating func snapshot() throws {
        let copy = "\(bench.folder)/snapshot-\(Int.random(in: 0..<6, using: &random))"
        try replace(copy, with: state)
        if !snapshots.contains(copy) { snapshots.append(copy) }
    }

    private func replace(_ folder: String, with other: String) throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: other, toPath: folder)
    }
}

/// All that was ever seen sealed.
private struct Ledger {
    /// A key and a number under it.
    struct Pair: Hashable {
        let key: [UInt8]
        let number: UInt64
    }

    /// What a session's keys are.
    struct Keys {
        let block: [UInt8]
        let journal: [UInt8]
    }

    private(set) var sealed: [Pair: [UInt8]] = [:]
    private(set) var keys: [[UInt8]: Keys] = [:]  // by stream and session
    private(set) var journalRecords = 0
    private(set) var memoryRecords = 0
    private(set) var blocks = 0
    /// Old blocks do not have to be read again in every round.
    private static let keptBlocks = 200

    mutating func collect(from state: String, bench: Bench) throws {
        let database = try Database("\(state)/outbox.db", .readWrite(.normal), applicationID: 0x5669_744F)
        let gateway = try Ed25519.VerifyingKey(Identity(in: state).key.publicKey)
        let found = try database.query("SELECT bytes FROM blocks ORDER BY id") { row throws(VaultError) in
            try row.blob(0)
        }
        for block in found { try take(block: block, person: bench.person, gateway: gateway) }
        let journal = try database.query("SELECT stream, session, number, sealed FROM journal") {
            row throws(VaultError) in
            (session: try row.blob(0) + row.blob(1), number: try row.int(2), sealed: try row.blob(3))
        }
        for row in journal {
            try take(record: row.sealed, number: UInt64(bitPattern: row.number), of: row.session)
        }
        try database.execute(
            "DELETE FROM blocks WHERE id < (SELECT max(id) FROM blocks) - ?", [.integer(Self.keptBlocks)])
    }

    /// What was sealed in memory, be it written down or not.
    mutating func collect(inMemory folder: String) throws {
        for record in try Bench.records(inMemory: folder) {
            let session = record.stream.bytes + record.session.bytes
            // A restored card knows nothing of the session that came after it.
            guard keys[session] != nil else { continue }
            // What an earlier run has left is found again and again.
            if try take(record: record.sealed, number: record.number, of: session) { memoryRecords += 1 }
        }
    }

    private mutating func take(block: [UInt8], person: X25519KeyPair, gateway: Ed25519.VerifyingKey) throws {
        let header = try BlockHeader(startOf: block)
        let (stream, session) = (header.identity.stream.bytes, header.identity.session.bytes)
        guard header.kind != .key else {
            // The wrapping key belongs to its ephemeral key alone.
            remember(Array(block[68..<132]), Pair(key: Array(block[36..<68]), number: 0))
            guard keys[stream + session] == nil else { return }
            let key = try SessionKey.open(block, recipient: person, gateway: gateway).key
            keys[stream + session] = Keys(
                block: try key.blockKey(stream: stream, session: session).bytes,
                journal: try key.journalKey(stream: stream, session: session).bytes)
            return
        }
        let key = try #require(keys[stream + session], "a block comes after its session's key")
        guard remember(block, Pair(key: key.block, number: header.identity.sequence)) else { return }
        blocks += 1
        // It opens, so these were key and number.
        let body = try BlockCipher(key: SymmetricKey(key.block)).open(
            block[36...], seq: header.identity.sequence, aad: header.bytes)
        guard header.kind == .loose else { return }
        let loose = try LooseBody(bytes: body)
        for record in loose.records {
            try take(record: record.sealed, number: record.number, of: stream + loose.session.bytes)
        }
    }

    /// - Returns: whether it was not seen before.
    @discardableResult
    private mutating func take(record: [UInt8], number: UInt64, of session: [UInt8]) throws -> Bool {
        let key = try #require(keys[session], "the key block of a journal's session is kept")
        guard remember(record, Pair(key: key.journal, number: number)) else { return false }
        journalRecords += 1
        _ = try BlockCipher(key: SymmetricKey(key.journal)).open(record, seq: number, aad: session)
        return true
    }

    /// - Returns: whether it was not seen before.
    @discardableResult
    private mutating func remember(_ bytes: [UInt8], _ pair: Pair) -> Bool {
        guard let known = sealed.updateValue(bytes, forKey: pair) else { return true }
        #expect(known == bytes, "number \(pair.number) sealed two different things under one key")
        return false
    }
}
