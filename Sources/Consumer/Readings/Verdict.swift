package import Telemetry

// What is said about a block, and to whom: see Ingest.swift.

/// What `commit` found out about one message.
package enum Verdict: Equatable {
    case stored
    /// A gap block, stored: it says how many readings were dropped.
    case storedGap(GapBody)
    case duplicate
    /// After the stream's end, when the sensor was another person's.
    case discarded
    /// This many readings, which no sensor sends so close together, or no gateway puts into one block.
    case tooDense(Int)
    /// A clock block of a stream that already has as many as are kept.
    case tooManyClocks
    /// Sealed to a secret that was forgotten.
    case forgotten
    case conflict
    case unreadable
    /// The key block of this session is missing.
    case notNow(StreamID, SessionID)
    /// More than may be stored now.
    case held(Held)
    /// Not a block, but a grant that a gateway has handed back.
    case handedBack(Adoption.Outcome)
    /// Not a block, or not from the right sender.
    case ignored(Reason)

    /// Whether the block should be acknowledged; then it is in the ledger, unless its person was forgotten.
    var isAccepted: Bool {
        switch self {
        case .stored, .storedGap, .duplicate, .discarded, .tooDense, .tooManyClocks, .forgotten: true
        case .conflict, .unreadable, .notNow, .held, .handedBack, .ignored: false
        }
    }

    /// Why a message is ignored.
    package enum Reason: String, Hashable {
        case unknownGateway = "the gateway is not enrolled"
        case foreignStream = "the stream is another gateway's"
        case forged = "a key block is not signed by this gateway for this person"
        case malformed = "it is not a block of a version that is known here"
    }
}

/// What a gateway should be told.
package enum Answer: Equatable {
    case acknowledge(ID, [BlockIdentity])
    case refuse(ID, BlockIdentity, digest: [UInt8], ControlMessage.RefusalReason)
    case requestKey(ID, StreamID, SessionID)

    /// Whom it is for.
    package var gateway: ID {
        switch self {
        case .acknowledge(let gateway, _), .refuse(let gateway, _, _, _), .requestKey(let gateway, _, _): gateway
        }
    }
}

/// What an operator should hear of.
package struct Report: Equatable {
    package let gateway: ID
    package let verdict: Verdict
    package let identity: BlockIdentity?
}
