package import Records
package import Telemetry
package import Vault

// Readings that a gateway sends at once, besides recording them: while somebody works out, features have each of them
// before its block comes. Nothing of this is stored, acknowledged or asked for again; what is stored comes in blocks.
//
// A live block is believed only if it opens under a key of the session's own, and its number is greater than all before:
// a client that can publish in a gateway's place can repeat one only until the next one has come. Before anything is
// looked at, it is counted: a gateway that floods us costs no opening beyond its allowance.

/// Which live blocks have come. Belongs to one thread.
struct LiveSessions {
    private struct Session {
        var sequence: UInt64
        var second: UInt64
        var count: Int
    }

    /// What a gateway sends of one sensor within a second is half of this.
    static let mostPerSecond = 100
    static let capacity = 1024

    private var sessions: [SessionName: Session] = [:]

    /// Whether a block is newer than all before it, and this second has room for it.
    func allows(_ sequence: UInt64, of name: SessionName, at now: UInt64) -> Bool {
        guard let known = sessions[name] else { return true }
        return sequence > known.sequence && (known.second != now / 1000 || known.count < Self.mostPerSecond)
    }

    /// Notes a block that has opened.
    mutating func took(_ sequence: UInt64, of name: SessionName, at now: UInt64) {
        let second = now / 1000
        if let known = sessions[name] {
            let count = known.second == second ? known.count + 1 : 1
            sessions[name] = Session(sequence: sequence, second: second, count: count)
            return
        }
        if sessions.count >= Self.capacity, let oldest = sessions.min(by: { $0.value.second < $1.value.second })?.key {
            sessions[oldest] = nil
        }
        sessions[name] = Session(sequence: sequence, second: second, count: 1)
    }
}

extension Ingest {
    /// No live block is longer: a reading has at most 255 RR intervals.
    package static let maximumLiveLength = 2048

    /// What becomes of a live block.
    package enum Live {
        /// What it says, with its time corrected.
        case taken(stream: StoredStream, readings: [Reading])
        /// It is none, or none of a session that is known, of an open stream of this gateway that may send such blocks.
        case ignored
        /// The gateway sends more than any does, and the block was not looked at.
        case tooMany
    }

    /// How many live blocks of a gateway are looked at in a second, and at once: ten sensors that send as fast as any may.
    static let (livePerSecond, liveAtOnce) = (500.0, 1000.0)

    /// Takes a live block. One that says nothing is counted, and that is all.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    package mutating func live(_ payload: [UInt8], from gateway: ID, now: UInt64) throws(VaultError) -> Live {
        guard gateways[gateway] != nil else { return counted(.ignored) }
        guard liveAllowance.take(gateway, now: now) == nil else { return counted(.tooMany) }
        return counted(try opened(live: payload, from: gateway, now: now).map(Live.taken) ?? .ignored)
    }

    private mutating func counted(_ live: Live) -> Live {
        switch live {
        case .taken: verdicts.countLive(isTaken: true)
        case .ignored, .tooMany: verdicts.countLive(isTaken: false)
        }
        return live
    }

    private mutating func opened(
        live payload: [UInt8], from gateway: ID, now: UInt64
    ) throws(VaultError) -> (stream: StoredStream, readings: [Reading])? {
        guard payload.count <= Self.maximumLiveLength,
            let header = decoded({ () throws(MalformedValue) in try BlockHeader(startOf: payload) }),
            header.kind == .live
        else { return nil }
        let identity = header.identity
        let name = SessionName(stream: identity.stream, session: identity.session)
        guard liveSessions.allows(identity.sequence, of: name, at: now), let session = try session(name),
            session.stream.gateway == gateway.text, session.stream.until == nil,
            // The person wants to be seen at once only while they work out.
            session.stream.kinds.contains(.live), let reading = try opened(payload, header, session),
            session.stream.kinds.contains(Grant.Kinds(reading.kind))
        else { return nil }
        liveSessions.took(identity.sequence, of: name, at: now)
        let corrections = try totals.corrections(of: session.stream)
        return (session.stream, [corrections.corrected(reading, of: session.boot)])
    }

    /// The reading of a live block; nil if the block was not sealed with the session's key.
    private func opened(
        _ payload: [UInt8], _ header: BlockHeader, _ session: OpenSession
    ) throws(VaultError) -> Reading? {
        do {
            return try session.reading(ofLive: payload, header)
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }
}
