import Daemon
package import Records
package import Storage
package import Telemetry
package import Vault

// A batch of messages becomes rows, and answers to the gateways.
//
// `collect` takes the messages of a batch; `commit` judges each in one transaction and, when that is committed, returns
// the answers to be signed and published. Nothing here publishes or logs. How a block is judged:
//
//     its stream, session or secret is unknown       not now: its key block is asked for, once a minute
//     another gateway's stream                       ignored: who may publish there is the broker's affair, and
//                                                    whatever they publish is not signed by the stream's gateway
//     a key block that does not verify               ignored: anyone could have made it
//     accepted before, the same bytes                acknowledged again
//     accepted before, other bytes                   refused, and an alarm
//     more than its gateway or its person may have
//     stored: see StorageLimits.swift                not now: it stays at the gateway, which sends it again
//     does not open under the session's key,
//     or says nothing meaningful                     refused: it never will
//     of a stream whose person was forgotten         acknowledged, and nothing is kept: it can never be opened
//     all of it after the stream's end, and then
//     the sensor was another person's                acknowledged and entered in the ledger, but not stored
//     it has more than any sensor sends, or more
//     days than any gateway's: see Density.swift     the same
//     a clock block of a stream that has 1,000       the same
//     positions that are not to be recorded          the same
//     otherwise                                      entered, stored, acknowledged
//
// Readings from after the stream's end are not stored, because they are sealed to the old owner and may be the new
// owner's. That is decided by the clock that the gateway had, because a clock block may come long after: if a
// gateway's clock is wrong while a sensor changes its owner, readings from near the change may be lost. A change of the
// secret alone loses none.
//
// An error of the database rolls back the whole batch, and nothing is answered: the gateways will send it again.

/// Receives blocks. Belongs to one thread.
package struct Ingest {
    /// No block is longer.
    package static let maximumLength = 64 * 1024

    /// How many messages had which outcome, since the start.
    package var counts: Verdicts.Counts { verdicts.counts }
    var verdicts = Verdicts()
    package let store: Store
    private let keys: Keys
    private(set) var gateways: [ID: Ed25519.VerifyingKey]
    private var sessions: SessionKeys
    /// What came in live blocks: see LiveReadings.swift.
    var liveSessions = LiveSessions()
    var liveAllowance = Allowance<ID>(perSecond: livePerSecond, burst: liveAtOnce)
    package private(set) var pending: [(gateway: ID, payload: [UInt8])] = []
    private var strangers: [Report] = []
    private var tally = Tally()
    private var known: KnownBlocks?
    private var rows = NewRows()
    /// Sessions of the batch's blocks.
    private var batchSessions: [SessionName: OpenSession] = [:]
    private var last: (name: SessionName, session: OpenSession)?
    /// Whose the streams in use are.
    private var owners = StreamOwners()
    private var density: Density
    package var allowances: StorageAllowances
    /// Nil while what is stored is not being counted.
    var sizes: StoredSizes?
    /// The time of the batch that is judged, milliseconds of a clock that never runs backwards.
    private var now: UInt64 = 0
    package let totals: any ReadingsSink
    private var arrivals: [Arrival] = []
    private var clocks: [ClockArrival] = []
    private var grants: [(gateway: ID, payload: [UInt8])] = []

    package init(
        _ store: Store, _ keys: Keys, gateways: [ID: Ed25519.VerifyingKey], totals: any ReadingsSink,
        sessionCapacity: Int = 1024,
        densest: Density.Limits = Density.Limits(), limits: StorageLimits = StorageLimits()
    ) {
        self.store = store
        self.keys = keys
        self.totals = totals
        self.gateways = gateways
        sessions = SessionKeys(capacity: sessionCapacity)
        density = Density(densest)
        allowances = StorageAllowances(limits)
    }

    /// Takes a message of the batch.
    package mutating func collect(_ payload: [UInt8], from gateway: ID) {
        guard gateways[gateway] != nil else {
            return strangers.append(Report(gateway: gateway, verdict: .ignored(.unknownGateway), identity: nil))
        }
        // A message that is too long is ignored, whatever it says; MQTT would let a batch of such messages fill the
        // memory.
        let limit = Self.maximumLength
        pending.append((gateway, payload.count > limit ? Array(payload.prefix(limit + 1)) : payload))
    }

    /// Takes a grant that a gateway hands back.
    package mutating func collect(grant payload: [UInt8], from gateway: ID) {
        // Nobody has more sensors than this: a gateway that hands back more grants in a batch is not taken seriously.
        guard gateways[gateway] != nil, payload.count <= Adoption.maximumLength, grants.count < 256 else { return }
        grants.append((gateway, payload))
    }

    /// The enrolled gateways may have changed, and streams may have ended.
    package mutating func enrol(_ gateways: [ID: Ed25519.VerifyingKey]) {
        self.gateways = gateways
        verdicts.keep(gateways)
        // The sessions in memory do not know that their streams have ended.
        sessions.removeAll()
        owners.removeAll()
    }

    /// Streams of these sensors have ended or opened, or are recorded differently. Nothing else that was read is wrong then.
    package mutating func forgetSessions(of sensors: Set<SensorName>) { sessions.removeAll(of: sensors) }

    /// Streams have ended, or their person was forgotten: their keys are removed from memory.
    package mutating func forgetSessions() {
        sessions.removeAll()
        owners.removeAll()
        totals.forgetRead()
    }

    /// Drops the batch, which is not committed: the broker ends it with its connection, and gateways send again.
    mutating func dropBatch() {
        pending.removeAll()
        strangers.removeAll()
        grants.removeAll()
    }

    /// Whether the batch has something to write.
    package var hasCollected: Bool { !pending.isEmpty || !grants.isEmpty }

    /// Makes the batch durable. When this throws, nothing of the batch was kept.
    /// - Parameters:
    ///   - now: milliseconds of a clock that never runs backwards.
    ///   - wall: Unix milliseconds.
    package mutating func commit(now: UInt64, wall: Int64) throws(VaultError) -> (answers: [Answer], reports: [Report])
    {
        self.now = now
        let batch = pending
        var reports = strangers
        for report in strangers { verdicts.count(report.verdict) }
        pending.removeAll(keepingCapacity: true)
        strangers.removeAll()
        let handedBack = grants
        grants.removeAll()
        guard !batch.isEmpty || !handedBack.isEmpty else { return ([], reports) }
        var adopted: [(ID, Adoption.Outcome)] = []
        var judged: [Verdicts.Judged] = []
        do {
            let headers = batch.map { block in
                decoded { () throws(MalformedValue) in try BlockHeader(startOf: block.payload) }
            }
            judged = try store.change(people(of: batch, headers, handedBack)) { () throws(VaultError) in
                var judged = judged
                tally = Tally()
                (arrivals, clocks) = ([], [])
                judged.reserveCapacity(batch.count)
                arrivals.reserveCapacity(batch.count)
                // Grants first: the key blocks that came with them need the streams.
                adopted.removeAll()
                for (gateway, payload) in handedBack {
                    let adoption = Adoption(store: store, keys: keys)
                    adopted.append((gateway, try adoption.judge(payload, from: gateway, now: wall)))
                }
                try lookUp(headers)
                for (index, (gateway, payload)) in batch.enumerated() {
                    let header = headers[index]
                    judged.append((gateway, header?.identity, try judge(payload, header, from: gateway), payload))
                }
                try rows.write(store)
                try tally.enter(store)
                try totals.take(arrivals, clocks, now: wall)
                return judged
            }
        } catch {
            sessions.removeAll()
            totals.rolledBack()
            allowances.rolledBack()
            density.rolledBack()
            forgetBatch()
            throw error
        }
        verdicts.count(readings: arrivals.reduce(0) { $0 + $1.readings.count })
        forgetBatch()
        totals.committed()
        let spent = allowances.committed(now: now)
        sizes?.add(spent)
        for (gateway, outcome) in adopted {
            reports.append(Report(gateway: gateway, verdict: .handedBack(outcome), identity: nil))
            if case .adopted(let stream) = outcome { verdicts.adopted(stream, at: gateway) }
        }
        return (try verdicts.answers(to: judged, now: now, &reports), reports)
    }

    /// The people of whom a batch may change something.
    private mutating func people(
        of batch: [(gateway: ID, payload: [UInt8])], _ headers: [BlockHeader?],
        _ handedBack: [(gateway: ID, payload: [UInt8])]
    ) throws(VaultError) -> Set<ID> {
        var people: Set<ID> = []
        try owners.add(to: &people, zip(batch, headers).lazy.map { ($0.gateway, $1?.identity.stream) }, store)
        let adoption = Adoption(store: store, keys: keys)
        for grant in handedBack {
            if let owner = try adoption.owner(grant.payload, from: grant.gateway) { people.insert(owner) }
        }
        return people
    }

    /// Drops what was kept in memory for the batch.
    private mutating func forgetBatch() {
        rows.removeAll()
        batchSessions.removeAll(keepingCapacity: true)
        (known, last) = (nil, nil)
        arrivals.removeAll(keepingCapacity: true)
        clocks.removeAll()
    }
}

// MARK: Judging

extension Ingest {
    private mutating func judge(
        _ payload: [UInt8], _ header: BlockHeader?, from gateway: ID
    ) throws(VaultError) -> Verdict {
        // Live blocks have a topic of their own, and are never stored.
        guard let header, header.kind != .live, payload.count <= Self.maximumLength else { return .ignored(.malformed) }
        let identity = header.identity
        if header.kind == .key { return try judgeKeyBlock(payload, identity, from: gateway) }
        guard let session = session(of: identity) else {
            // A gateway must not be able to ask about another's streams.
            let stream = try store.stream(identity.stream)
            guard stream.map({ $0.gateway == gateway.text }) ?? true else { return .ignored(.foreignStream) }
            if try store.isForgotten(identity.stream) { return .forgotten }
            return .notNow(identity.stream, identity.session)
        }
        guard session.stream.gateway == gateway.text else { return .ignored(.foreignStream) }
        let digest = try SHA256.digest(payload)
        if let known = known?[session.number, identity.sequence] { return known.isOf(digest) ? .duplicate : .conflict }
        if let held = allowances.held(session.stream, now: now) { return .held(held) }
        guard let body = try opened(payload, header, session) else { return .unreadable }
        let sealed = Array(payload.dropFirst(BlockHeader.length))
        let verdict = try store(body, header, sealed, session)
        if verdict.isAccepted {
            rows.enter(session.number, identity.sequence, digest: digest)
            known?.enter(session.number, identity.sequence, digest: digest)
            allowances.spend(payload.count, session.stream)
        }
        return verdict
    }

    /// A session in use, or in the store; for what comes outside of batches.
    mutating func session(_ name: SessionName) throws(VaultError) -> OpenSession? {
        try sessions.find(name.session, of: name.stream, store, keys)
    }

    /// Finds the sessions of a batch's blocks, and what the ledger knows of these.
    private mutating func lookUp(_ headers: [BlockHeader?]) throws(VaultError) {
        var missing: Set<SessionName> = []
        var blocks: [(session: Int64, sequence: UInt64)] = []
        blocks.reserveCapacity(headers.count)
        for case let header? in headers where header.kind != .key && header.kind != .live {
            let name = SessionName(stream: header.identity.stream, session: header.identity.session)
            var session = session(of: header.identity)
            if session == nil, !missing.contains(name) {
                session = try sessions.find(name.session, of: name.stream, store, keys)
                // Another program may have made the stream a moment ago: the gateway sends the block again.
                if session.map({ !store.isHeld($0.stream) }) == true { session = nil }
                if let session { batchSessions[name] = session } else { missing.insert(name) }
            }
            if let session { blocks.append((session.number, header.identity.sequence)) }
        }
        known = try KnownBlocks(blocks, store)
    }

    /// The session of a block, if the batch has found it.
    private mutating func session(of identity: BlockIdentity) -> OpenSession? {
        // Most blocks follow one of the same session.
        if let last, last.name.session == identity.session, last.name.stream == identity.stream { return last.session }
        let name = SessionName(stream: identity.stream, session: identity.session)
        guard let session = batchSessions[name] else { return nil }
        last = (name, session)
        return session
    }

    private mutating func judgeKeyBlock(
        _ payload: [UInt8], _ identity: BlockIdentity, from gateway: ID
    ) throws(VaultError) -> Verdict {
        let found = try store.stream(identity.stream)
        guard found.map({ $0.gateway == gateway.text }) ?? true else { return .ignored(.foreignStream) }
        if try store.isForgotten(identity.stream) { return .forgotten }
        guard let stream = found, let key = gateways[gateway], store.isHeld(stream),
            let person = try keys.person(stream.user, version: stream.secretVersion)
        else { return .notNow(identity.stream, identity.session) }
        let digest = try SHA256.digest(payload)
        let known = try store.session(identity.session, of: stream)
        if let known, try store.digest(known.number, 0) == digest { return .duplicate }
        let content: (key: SessionKey, bootID: [UInt8])
        do {
            content = try SessionKey.open(payload, recipient: person.stream, gateway: key)
        } catch {
            guard error.isUnreadable || error.reason == .crypto else { throw error }
            return .ignored(.forged)
        }
        guard known == nil else { return .conflict }
        if let held = allowances.held(stream, now: now) { return .held(held) }
        guard let boot = decoded({ () throws(MalformedValue) in try BootID(bytes: content.bootID) }) else {
            return .ignored(.forged)
        }
        // A session's row says which blocks were stored before it.
        try rows.write(store)
        let session = try sessions.add(
            identity.session, of: stream, key: content.key, boot: boot, person: person, store)
        try store.enter(session.number, 0, digest: digest)
        batchSessions[SessionName(stream: stream.id, session: identity.session)] = session
        allowances.spend(payload.count, stream)
        return .stored
    }

    /// The plaintext; nil if the block was not sealed with the session's key.
    private func opened(
        _ payload: [UInt8], _ header: BlockHeader, _ session: OpenSession
    ) throws(VaultError) -> [UInt8]? {
        do {
            return try session.blocks.open(
                block: payload, header: BlockHeader.length, seq: header.identity.sequence)
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }

    /// Stores a block that has opened: `.stored`, `.discarded`, `.unreadable`, or `.notNow`.
    private mutating func store(
        _ body: [UInt8], _ header: BlockHeader, _ sealed: [UInt8], _ session: OpenSession
    ) throws(VaultError) -> Verdict {
        switch header.kind {
        case .key, .live: return .unreadable  // Judged elsewhere.
        case .loose: return try storeLoose(body, header, sealed, session)
        case .readings:
            guard let readings = ReadingColumns.bare(body) else { return .unreadable }
            guard isAllowed(readings, of: session.stream) else { return .discarded }
            guard try isPlausible(readings, of: session) else { return .tooDense(readings.count) }
            guard let (kinds, hours) = try place(readings, of: session) else { return .discarded }
            rows.add(
                header, sealed: sealed, stream: session.stream.number, session: session.number, kinds: kinds,
                hours: hours)
            note(readings, of: session)
            return .stored
        case .clock:
            guard let clock = decoded({ () throws(MalformedValue) in try ClockBody(bytes: body) }) else {
                return .unreadable
            }
            try rows.write(store)
            guard try !store.hasMostClockBlocks(of: session.stream.number) else { return .tooManyClocks }
            clocks.append(ClockArrival(stream: session.stream, clock: clock))
            guard keep(header, sealed, session, [0]) else { return .unreadable }
            // The next one to read the stream's corrections must find this block.
            try rows.write(store)
            return .stored
        case .gap:
            guard let gap = decoded({ () throws(MalformedValue) in try GapBody(bytes: body) }) else {
                return .unreadable
            }
            return keep(header, sealed, session, [gap.first, gap.last]) ? .storedGap(gap) : .unreadable
        }
    }

    /// Records of another session of the same stream. They are opened now, because afterwards they are acknowledged. A
    /// block is kept even if each of its records came before: which of several blocks that is depends on the order of
    /// arrival, and what is stored must not.
    private mutating func storeLoose(
        _ body: [UInt8], _ header: BlockHeader, _ sealed: [UInt8], _ session: OpenSession
    ) throws(VaultError) -> Verdict {
        guard let loose = decoded({ () throws(MalformedValue) in try LooseBody(bytes: body) }) else {
            return .unreadable
        }
        guard let old = try sessions.find(loose.session, of: header.identity.stream, store, keys) else {
            return .notNow(header.identity.stream, loose.session)
        }
        var readings: [BareReading] = []
        for record in loose.records {
            do {
                guard let found = try old.reading(of: record), found.count == 1 else { return .unreadable }
                readings += found.map(BareReading.init)
            } catch {
                guard error.isUnreadable else { throw error }
                return .unreadable
            }
        }
        guard isAllowed(readings, of: old.stream) else { return .discarded }
        guard try isPlausible(readings, of: old) else { return .tooDense(readings.count) }
        guard let (kinds, hours) = try place(readings, of: session) else { return .discarded }
        // Its records refer to it by its number.
        try rows.write(store)
        let block = try store.add(
            header, sealed: sealed, stream: session.stream, session: session.number, kinds: kinds, hours: hours)
        var new: [BareReading] = []
        for (record, reading) in zip(loose.records, readings)
        where try store.enterRecord(old.number, record.number, block: block) {
            new.append(reading)
        }
        note(new, of: old, isLoose: true)
        return .stored
    }

    /// Whether a person has agreed that these are recorded. A gateway records no position without that; but somebody
    /// may have taken it over, or may hold back the grant that says so.
    private func isAllowed(_ readings: [BareReading], of stream: StoredStream) -> Bool {
        stream.kinds.contains(.position) || !readings.contains { $0.kind == .position }
    }

    /// Whether a sensor may have sent these readings, with those that are stored.
    private mutating func isPlausible(
        _ readings: [BareReading], of session: OpenSession
    ) throws(VaultError) -> Bool {
        let stream = session.stream
        let corrections = try totals.corrections(of: stream)
        let corrected = corrections.isEmpty ? readings : readings.map { corrections.corrected($0, of: session.boot) }
        return try density.admits(corrected, of: stream.number, now: now) { minute throws(VaultError) in
            guard let person = try keys.person(stream.user, version: stream.secretVersion) else { return nil }
            try rows.write(store)
            return try store.counts(of: stream, person, minute, corrections)
        }
    }

    /// Counts what was stored of a session.
    private mutating func note(_ readings: [BareReading], of session: OpenSession, isLoose: Bool = false) {
        tally.add(readings, stream: session.stream.number)
        arrivals.append(
            Arrival(stream: session.stream, boot: session.boot, readings: readings, isLoose: isLoose))
    }

    /// Where a block of readings is kept; nil if all of them came after the stream's end and may be another
    /// person's.
    private func place(
        _ readings: [BareReading], of session: OpenSession
    ) throws(VaultError) -> (kinds: Grant.Kinds, hours: HourSpan)? {
        guard let one = readings.first else { return nil }
        var (first, last, kind) = (one.wall, one.wall, one.kind)
        var kinds = Grant.Kinds(kind)
        for reading in readings {
            (first, last) = (min(first, reading.wall), max(last, reading.wall))
            // Nearly all blocks are of one kind.
            guard reading.kind != kind else { continue }
            kind = reading.kind
            kinds.formUnion(Grant.Kinds(kind))
        }
        if session.stream.until != nil {
            let foreign = try store.foreignTimes(of: session.stream)
            if readings.allSatisfy({ reading in foreign.contains { $0.contains(reading.wall) } }) { return nil }
        }
        return (kinds, HourSpan(times: first...last))
    }

    /// Stores a block that has no readings, under the hours of these times.
    private mutating func keep(
        _ header: BlockHeader, _ sealed: [UInt8], _ session: OpenSession, _ walls: [Int64]
    ) -> Bool {
        guard let hours = HourSpan(walls) else { return false }
        rows.add(
            header, sealed: sealed, stream: session.stream.number, session: session.number, kinds: [], hours: hours)
        tally.add([], stream: session.stream.number)
        return true
    }
}
