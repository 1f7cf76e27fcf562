import Daemon
package import Files
import Telemetry
import Vault

/// What becomes of the verdicts on a batch, once it is committed: answers to the gateways, reports for the log, counts.
/// Belongs to one thread.
package struct Verdicts {
    /// How many messages had which outcome, since the start.
    package struct Counts: Equatable {
        package var stored = 0
        /// Readings in these.
        package var readings = 0
        package var duplicates = 0
        package var discarded = 0
        /// Blocks with more than any sensor or gateway sends.
        package var tooDense = 0
        package var refused = 0
        package var notNow = 0
        /// Over the limit of a gateway or a person.
        package var held = 0
        package var ignored = 0
        /// Live blocks that brought a reading, and those that brought none.
        package var live = 0
        package var liveIgnored = 0
    }

    typealias Judged = (gateway: ID, identity: BlockIdentity?, verdict: Verdict, payload: [UInt8])

    private(set) var counts = Counts()
    /// Each gateway has its own: one that makes up sessions must not keep another from being asked.
    private var requests: [ID: OncePerMinute<BlockIdentity>] = [:]

    /// Only these gateways are enrolled from now on.
    mutating func keep(_ gateways: [ID: Ed25519.VerifyingKey]) {
        requests = requests.filter { gateways[$0.key] != nil }
    }

    /// A stream is known from now on: the keys of its sessions may be asked for at once.
    mutating func adopted(_ stream: StreamID, at gateway: ID) { requests[gateway]?.forget { $0.stream == stream } }

    /// The answers to the gateways about what is committed now.
    mutating func answers(
        to judged: [Judged], now: UInt64, _ reports: inout [Report]
    ) throws(VaultError) -> [Answer] {
        var answers = Answers()
        for (gateway, identity, verdict, payload) in judged {
            count(verdict)
            switch (verdict, identity) {
            case (_, let identity?) where verdict.isAccepted: answers.acknowledge(gateway, identity)
            case (.conflict, let identity?):
                answers.list.append(.refuse(gateway, identity, digest: try Ingest.digest(payload), .conflict))
            case (.unreadable, let identity?):
                answers.list.append(.refuse(gateway, identity, digest: try Ingest.digest(payload), .unreadable))
            case (.notNow(let stream, let session), _):
                let asked = BlockIdentity(stream: stream, session: session, sequence: 0)
                guard requests[gateway, default: OncePerMinute(capacity: 1024)].allows(asked, now: now) else {
                    continue
                }
                answers.list.append(.requestKey(gateway, stream, session))
            default: break
            }
            switch verdict {
            case .stored, .duplicate: continue
            default: reports.append(Report(gateway: gateway, verdict: verdict, identity: identity))
            }
        }
        return answers.all
    }

    mutating func count(readings: Int) { counts.readings += readings }

    mutating func countLive(isTaken: Bool) {
        if isTaken { counts.live += 1 } else { counts.liveIgnored += 1 }
    }

    mutating func count(_ verdict: Verdict) {
        switch verdict {
        case .stored, .storedGap: counts.stored += 1
        case .duplicate: counts.duplicates += 1
        case .discarded, .forgotten: counts.discarded += 1
        case .tooDense, .tooManyClocks: counts.tooDense += 1
        case .conflict, .unreadable: counts.refused += 1
        case .notNow: counts.notNow += 1
        case .held: counts.held += 1
        case .handedBack: break
        case .ignored: counts.ignored += 1
        }
    }
}

extension Ingest {
    /// Says in a refusal which bytes it is about.
    package static func digest(_ payload: [UInt8]) throws(VaultError) -> [UInt8] {
        Array(try SHA256.digest(payload).prefix(ControlMessage.digestLength))
    }
}
