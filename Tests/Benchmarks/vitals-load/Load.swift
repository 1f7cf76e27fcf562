// The gateway's side of a delivery, without sensors, disk and pauses: at most `window` blocks are on their way; each
// that is acknowledged makes room for the next, and what is not acknowledged for five seconds is sent again.

import Daemon
import MQTT
import Reactor
import Telemetry

/// Sends blocks, and waits until they are where they should be.
// Proof of @unchecked: constants, but for `passage`, which is touched on the session's thread only.
final class Load: @unchecked Sendable {
    /// When a block is delivered.
    enum End: String {
        /// The consumer has signed for it.
        case acknowledged
        /// The broker has it.
        case published
    }

    /// How it went. Times are milliseconds since boot.
    struct Result {
        let begin: UInt64
        let end: UInt64
        let resent: Int
    }

    private struct Passage {
        let count: Int
        /// The block of the next place.
        let take: () throws -> [UInt8]
        let end: End
        let answer: Answer<Result>
        let begin = millisecondsSinceBoot()
        var next = 0
        /// Blocks that are on their way, by their sequence numbers.
        var open: [Int: [UInt8]] = [:]
        var lastProgress = millisecondsSinceBoot()
        var resent = 0
    }

    /// The sensor's grant, when it has come.
    let grant = Answer<Grant>()
    private static let patience: UInt64 = 5_000
    private let settings: LoadSettings
    private let topics: Topics
    private let session: Session
    private var passage: Passage?

    init(_ settings: LoadSettings) {
        self.settings = settings
        topics = settings.topics
        session = Session(settings.broker)
    }

    func start() {
        let filters = [topics[settings.gateway, settings.sensor, .grant], topics[settings.gateway, .control]]
        session.subscribe(filters.map { Subscription($0, qos: .atLeastOnce) })
        session.start(
            Handlers(
                stateChanged: { log.debug("\($0)") }, received: { [unowned self] in receive($0) },
                problem: { log.error("\($0)") }))
        session.loop.perform { [self] in lookAfter() }
    }

    func stop() { session.stop() }

    /// Sends so many blocks, whose places are their sequence numbers, from 0 on; the answer comes when each is
    /// delivered.
    /// - Parameter take: makes the next one, on the session's thread.
    func send(_ count: Int, until end: End, _ take: @escaping @Sendable () throws -> [UInt8]) -> Answer<Result> {
        let answer = Answer<Result>()
        session.loop.perform { [self] in
            passage = Passage(count: count, take: take, end: end, answer: answer)
            pump()
        }
        return answer
    }

    private func pump() {
        while hasRoom, let sequence = passage?.next {
            guard let block = taken() else { return }
            passage?.open[sequence] = block
            passage?.next += 1
            publish(block, sequence)
        }
        guard let passage, passage.open.isEmpty else { return }
        self.passage = nil
        passage.answer.set(Result(begin: passage.begin, end: millisecondsSinceBoot(), resent: passage.resent))
    }

    // Nobody holds a copy of the passage while it changes: all that is open would be copied for each block.

    private var hasRoom: Bool {
        guard let passage else { return false }
        return passage.open.count < settings.window && passage.next < passage.count
    }

    /// The next block; nil if it cannot be made.
    private func taken() -> [UInt8]? {
        do { return try passage?.take() } catch {
            log.error("\(error)")
            return nil
        }
    }

    private func publish(_ block: [UInt8], _ sequence: Int) {
        let topic = topics[settings.gateway, .blocks]
        guard passage?.end == .published else {
            session.publish(block, to: topic, qos: .atLeastOnce)
            return
        }
        session.publish(block, to: topic, qos: .atLeastOnce) { [unowned self] error in
            if let error { return log.error("\(error)") }
            delivered([sequence])
        }
    }

    private func delivered(_ sequences: [Int]) {
        for sequence in sequences { passage?.open[sequence] = nil }
        passage?.lastProgress = millisecondsSinceBoot()
        pump()
    }

    /// Once a second: sends again what nobody has acknowledged for too long.
    private func lookAfter() {
        session.loop.after(.seconds(1)) { [unowned self] in
            if let passage, millisecondsSinceBoot() >= passage.lastProgress + Self.patience {
                self.passage?.lastProgress = millisecondsSinceBoot()
                self.passage?.resent += passage.open.count
                for (sequence, block) in passage.open.sorted(by: { $0.key < $1.key }) { publish(block, sequence) }
            }
            lookAfter()
        }
    }

    private func receive(_ message: Message) {
        do {
            let signed = try SignedControlMessage(bytes: message.payload)
            try settings.consumer.verify(signed.signature, of: signed.signedBytes)
            switch signed.message.body {
            case .grant(let grant): self.grant.set(grant)
            case .acknowledgement(let identities) where passage?.end == .acknowledged:
                delivered(identities.map { Int($0.sequence) })
            case .acknowledgement: break
            case .refusal(let identity, _, let reason): log.error("\(identity) was refused: \(reason)")
            case .keyRequest: if let block = passage?.open[0] { publish(block, 0) }
            }
        } catch {
            log.error("\(message.topic): \(error)")
        }
    }
}
