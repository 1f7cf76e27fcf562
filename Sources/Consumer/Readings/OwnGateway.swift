package import Files
package import Records
package import Telemetry
package import Vault

// Readings that come to the consumer itself, such as those of phones and of imported files, are stored as any gateway's are: the consumer is a
// gateway of its own, called `phones`. It has an Ed25519 key and a session for each stream, which it draws at its start and
// keeps in memory; it makes key blocks and blocks of readings, and hands them to `Ingest` with the batch. So the ledger,
// limits, ends of streams, packing and totals treat them alike. Its acknowledgements end here, and its grants are
// published nowhere. No gateway can be enrolled under its id.
//
// Nobody sends such a reading again as the same bytes, so the ledger does not recognise one that comes twice. Therefore each
// is first looked for among those that are stored: see StoredTimes.swift.
//
// What a batch brings waits here until the batch is committed. If the disk refuses the batch, it is handed in again with
// the next one, in new sessions.

/// The gateway that the consumer itself is. Belongs to the thread of `Ingest`.
// Proof of @unchecked: as its first line says.
package final class OwnGateway: @unchecked Sendable {
    /// Its id in topics and tables, which no other gateway may have.
    package static let name = "phones"
    /// What the ids of sensors begin with that stand for what recorded imported files.
    package static let importPrefix = "import-"

    /// Readings of one sensor that are stored now, and were not before.
    package struct Stored: Equatable {
        package let user: ID
        package let sensor: SensorName
        package let readings: [Reading]
    }

    /// A reading that is not stored yet.
    private struct Waiting {
        let sensor: ID
        let reading: Reading
        /// How many batches were committed without it.
        var tries = 0
    }

    /// A block of the batch.
    private struct Made {
        let identity: BlockIdentity
        let user: ID
        let sensor: ID
        var waiting: [Waiting]
    }

    package let id: ID
    private let store: Store
    private let keys: Keys
    private let identity: Ed25519.SigningKey
    private let boot: BootID
    private var waiting: [Waiting] = []
    private var made: [Made] = []
    private var sessions: [StreamID: (sensor: ID, session: OwnSession)] = [:]
    private var times = StoredTimes()
    /// How many readings of a sensor were given up.
    private var lost: [ID: Int] = [:]

    /// How much waits at most while the disk refuses.
    private static let mostWaiting = 65_536
    /// After so many batches that were committed without it, a reading is given up: a limit is reached.
    private static let mostTries = 3
    private static let mostSessions = 4096

    package init(_ store: Store, _ keys: Keys) throws(VaultError) {
        self.store = store
        self.keys = keys
        identity = try Ed25519.SigningKey(seed: .random())
        let (id, boot) = (try Self.drawn { () throws(MalformedValue) in try ID(Self.name) }, try RandomBytes.draw(16))
        self.id = id
        self.boot = try Self.drawn { () throws(MalformedValue) in try BootID(bytes: boot) }
    }

    private static func drawn<Value>(_ body: () throws(MalformedValue) -> Value) throws(VaultError) -> Value {
        guard let value = decoded(body) else { throw VaultError("be a gateway", .malformed, said: "a value is none") }
        return value
    }

    /// The other gateways, and this one.
    package func joining(
        _ others: [ID: Ed25519.VerifyingKey]
    ) throws(VaultError) -> [ID: Ed25519.VerifyingKey] {
        var all = others
        all[id] = try Ed25519.VerifyingKey(identity.publicKey)
        return all
    }

    /// Takes a reading of one of its sensors, to be stored with the batch.
    /// - Returns: whether there was room for it.
    @discardableResult
    package func take(_ reading: Reading, of sensor: ID) -> Bool {
        guard waiting.count < Self.mostWaiting else { return false }
        waiting.append(Waiting(sensor: sensor, reading: reading))
        return true
    }

    /// Takes many readings of one of its sensors.
    /// - Returns: whether there was room for them; if not, none was taken.
    package func take(_ readings: [Reading], of sensor: ID) -> Bool {
        // The rest is for phones, whose messages do not come again.
        guard waiting.count + readings.count <= Self.mostWaiting / 2 else { return false }
        waiting += readings.map { Waiting(sensor: sensor, reading: $0) }
        return true
    }

    /// Whether a reading of a sensor is not stored yet.
    package func isWaiting(_ sensor: ID) -> Bool { waiting.contains { $0.sensor == sensor } }

    /// How many readings of a sensor were given up since this was last asked: a limit of storage was reached, or its stream is
    /// not open.
    package func takeLost(of sensor: ID) -> Int { lost.removeValue(forKey: sensor) ?? 0 }

    /// The moment of a reading of which only the wall time is known, Unix milliseconds since 1970.
    package static func moment(_ wall: Int64) -> Moment { Moment(wall: wall, monotonic: UInt64(max(0, wall))) }
}

extension StoredStream {
    /// Whether the consumer itself makes its blocks.
    var isOwn: Bool { gateway == OwnGateway.name }
}

extension SensorName {
    /// Whether it is one of the consumer's own: a phone, or what files were imported from. People have requests of their
    /// own for these.
    package var isOfConsumer: Bool { gateway.text == OwnGateway.name }
}

// MARK: Batches

extension OwnGateway {
    /// What a batch has brought.
    package struct Batch {
        package let answers: [Answer]
        package let reports: [Report]
        /// What of this gateway's is stored now.
        package let stored: [Stored]
        /// Whether anything was to be written.
        package let isWritten: Bool
    }

    /// Commits a batch, with what waits here. When this throws, nothing of the batch was kept, and only what waits here
    /// still does.
    /// - Parameters:
    ///   - now: milliseconds of a clock that never runs backwards.
    ///   - wall: Unix milliseconds.
    package func commit(with ingest: inout Ingest, now: UInt64, wall: Int64) throws(VaultError) -> Batch {
        do throws(VaultError) {
            try handIn(to: &ingest)
            let isWritten = ingest.hasCollected
            let (answers, reports) = try ingest.commit(now: now, wall: wall)
            return Batch(
                answers: answers, reports: reports, stored: committed(answers, reports), isWritten: isWritten)
        } catch {
            // Messages that came would otherwise wait here for ever, and come again with each connection.
            ingest.dropBatch()
            rolledBack()
            throw error
        }
    }

    /// Hands what waits to the batch that is about to be committed. What is stored already, and what is not recorded, no
    /// longer waits then.
    private func handIn(to ingest: inout Ingest) throws(VaultError) {
        guard !waiting.isEmpty else { return }
        made = []
        var blocks: [[UInt8]] = []
        for (sensor, all) in Dictionary(grouping: waiting, by: \.sensor).sorted(by: { $0.key.text < $1.key.text }) {
            let name = SensorName(gateway: id, sensor: sensor)
            guard let stream = try store.latestStreams(of: [name]).first, stream.until == nil, let user = stream.owner
            else {
                lose(all.count, of: sensor)
                continue
            }
            for kind in Reading.Kind.allCases where stream.kinds.includes(kind) {
                let new = try times.new(
                    all.filter { $0.reading.kind == kind }, \.reading.moment.wall, kind, name, of: user, store, keys)
                for chunk in Self.chunks(new) { try seal(chunk, stream, user, into: &blocks) }
            }
        }
        waiting = made.flatMap(\.waiting)
        for block in blocks { ingest.collect(block, from: id) }
    }

    /// Readings in order, as many at a time as a block holds, and of at most a day.
    private static func chunks(_ waiting: [Waiting]) -> [[Waiting]] {
        var chunks: [[Waiting]] = []
        for one in waiting {
            let begin = chunks.last?.first?.reading.moment.wall
            if let begin, let last = chunks.last, last.count < ReadingColumns.maximumCount,
                one.reading.moment.wall - begin < 86_400_000
            {
                chunks[chunks.count - 1].append(one)
            } else {
                chunks.append([one])
            }
        }
        return chunks
    }

    private func seal(
        _ chunk: [Waiting], _ stream: StoredStream, _ user: ID, into blocks: inout [[UInt8]]
    ) throws(VaultError) {
        // What cannot be written in a block, no gateway would send.
        guard let body = decoded({ () throws(MalformedValue) in try ReadingColumns.encode(chunk.map(\.reading)) }),
            let session = try session(of: stream, chunk[0].sensor)
        else { return lose(chunk.count, of: chunk[0].sensor) }
        if session.isNew {
            blocks.append(session.keyBlock)
            session.isNew = false
        }
        let (identity, block) = try session.block(body)
        blocks.append(block)
        made.append(Made(identity: identity, user: user, sensor: chunk[0].sensor, waiting: chunk))
    }

    private func session(of stream: StoredStream, _ sensor: ID) throws(VaultError) -> OwnSession? {
        if let known = sessions[stream.id] { return known.session }
        guard let person = try keys.person(stream.user, version: stream.secretVersion) else { return nil }
        if sessions.count >= Self.mostSessions { sessions = [:] }
        let session = try OwnSession(stream.id, to: person.stream.publicKey, identity, boot)
        sessions[stream.id] = (sensor, session)
        return session
    }

    /// The batch is committed.
    /// - Returns: what of it is stored now.
    private func committed(_ answers: [Answer], _ reports: [Report]) -> [Stored] {
        guard !made.isEmpty else { return [] }
        defer { made = [] }
        var accepted: Set<BlockIdentity> = []
        for case .acknowledge(id, let identities) in answers { accepted.formUnion(identities) }
        // Nothing is reported of a block that was stored.
        let reported = Set(reports.compactMap { $0.gateway == id ? $0.identity : nil })
        waiting = []
        for block in made where reported.contains(block.identity) && accepted.contains(block.identity) {
            lose(block.waiting.count, of: block.sensor)
        }
        for block in made where !accepted.contains(block.identity) {
            sessions[block.identity.stream] = nil
            for var one in block.waiting {
                one.tries += 1
                if one.tries < Self.mostTries { waiting.append(one) } else { lose(1, of: one.sensor) }
            }
        }
        if made.contains(where: { !accepted.contains($0.identity) || reported.contains($0.identity) }) {
            times.removeAll()
        }
        return made.filter { accepted.contains($0.identity) && !reported.contains($0.identity) }.map { block in
            Stored(
                user: block.user, sensor: SensorName(gateway: id, sensor: block.sensor),
                readings: block.waiting.map(\.reading))
        }
    }

    private func lose(_ count: Int, of sensor: ID) {
        if lost.count >= Self.mostSessions { lost = [:] }
        lost[sensor, default: 0] += count
    }

    /// The batch was rolled back: what it brought waits, and what was known may not be so.
    private func rolledBack() {
        made = []
        sessions = [:]
        times.removeAll()
    }

    /// Streams of these sensors have ended or opened.
    package func forgetSessions(of sensors: Set<SensorName>) {
        let own = Set(sensors.filter { $0.gateway == id }.map(\.sensor))
        guard !own.isEmpty else { return }
        sessions = sessions.filter { !own.contains($0.value.sensor) }
        times.removeAll(of: own)
    }

    /// Streams have ended, or a person was forgotten.
    package func forgetSessions() {
        sessions = [:]
        times.removeAll()
    }
}

/// A session of the consumer's own for one stream. Its key is in memory only, and in its key block.
private final class OwnSession {
    let keyBlock: [UInt8]
    /// Whether the key block has not been handed in yet.
    var isNew = true
    private let stream: StreamID
    private let id: SessionID
    private let cipher: BlockCipher
    private var sequence: UInt64 = 0

    init(
        _ stream: StreamID, to recipient: [UInt8], _ gateway: Ed25519.SigningKey, _ boot: BootID
    ) throws(VaultError) {
        let (key, drawn) = (try SessionKey.random(), try RandomBytes.draw(8))
        guard let id = decoded({ () throws(MalformedValue) in try SessionID(bytes: drawn) }) else {
            throw VaultError("draw a session", .malformed, said: "8 bytes are none")
        }
        (self.stream, self.id) = (stream, id)
        let header = BlockHeader(.key, BlockIdentity(stream: stream, session: id, sequence: 0))
        keyBlock = try key.sealed(
            header: header.bytes, bootID: boot.bytes, recipient: recipient, gateway: gateway)
        cipher = BlockCipher(key: try key.blockKey(stream: stream.bytes, session: id.bytes))
    }

    /// A block of readings with the next number.
    func block(_ body: [UInt8]) throws(VaultError) -> (BlockIdentity, [UInt8]) {
        sequence += 1
        let identity = BlockIdentity(stream: stream, session: id, sequence: sequence)
        let header = BlockHeader(.readings, identity).bytes
        return (identity, header + (try cipher.seal(body, seq: sequence, aad: header)))
    }
}
