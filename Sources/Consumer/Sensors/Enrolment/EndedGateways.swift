import Daemon
import Days
package import Features
import Files
package import MQTT
import Reactor
import Readings
import Telemetry

// What a removed gateway has left at the broker: the name that it signs in with, the rights that go with it, and its
// retained messages.
//
// Whenever a gateway is removed, even by the operator while the service runs, its id is entered in the table
// `ended_gateways`. From there they are taken one by one: the broker lets the gateway out; then a subscription to all
// of its topics brings everything that is retained there, and each topic is cleared. A message of our own, published
// after the subscription was granted, comes back behind all of that. But if the broker retains more than may wait for
// one client (max_queued_messages), it drops the rest when the client subscribes, perhaps our own message, too. So each
// round has a deadline, and there is another round until one brings nothing. When the broker has confirmed everything,
// the row goes. A gateway that was interrupted begins again at the next connection; one that failed is tried again
// after the gateways behind it.

/// Makes the broker forget gateways that were removed. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class EndedGateways: FeatureService, MessageTaker, PeopleObserver, @unchecked Sendable {
    private struct Clearing {
        let gateway: ID
        /// The topic of our own message, which says that all retained messages have come.
        let marker: String
        var isMarked = false
        /// Topics whose clearing the broker has not confirmed.
        var unconfirmed = 0
        /// How many topics were cleared in this round.
        var cleared = 0
        /// Which round it is.
        let round: Int
    }

    /// If it takes more rounds, somebody keeps filling the topics.
    private static let mostRounds = 100
    /// How long a round may take.
    private let patience: Duration
    /// How long until a gateway that was given up is tried again.
    private let pause: Duration

    private let context: PeopleContext
    private var clearing: Clearing?
    /// A gateway that the broker is asked to let out.
    private var leaving: ID?
    /// The number of the connection: completions of an older one mean nothing.
    private var connection = 0
    private var isConnected = false
    private lazy var retry = Retry(on: context.session.loop, .steady(pause)) { [unowned self] in goOn() }
    private var deadline: EventLoop.Timer?
    /// The gateway that was given up last: those behind it come first.
    private var givenUp: ID?

    private var gateways: EnrolledGateways { EnrolledGateways(store: context.store, keys: context.keys) }

    package init(_ context: PeopleContext, patience: Duration = .seconds(30), pause: Duration = .seconds(60)) {
        self.context = context
        self.patience = patience
        self.pause = pause
        context.changes.add(self)
    }

    package func gatewaysEnded() { goOn() }

    package func connected() {
        isConnected = true
        goOn()
    }

    package func disconnected() {
        connection += 1
        isConnected = false
        endRound()
        leaving = nil
        retry.cancel()
    }

    /// Takes up the next gateway, if there is one and none is under way. Not within a transaction.
    package func goOn() {
        guard isConnected, leaving == nil else { return }
        do throws(VaultError) {
            if let clearing {
                // It may have been enrolled again in the meantime.
                guard try !gateways.ended().contains(clearing.gateway) else { return }
                endRound()
            }
            let ended = try gateways.ended()
            let behind = ended.first { $0.text > (givenUp?.text ?? "") }
            guard let gateway = behind ?? ended.first else { return }
            guard context.settings.gateways[gateway] == nil else {
                // The settings name it now.
                try gateways.forgetEnd(of: gateway)
                return goOn()
            }
            guard let rules = context.rules else { return clear(gateway) }
            leaving = gateway
            let connection = connection
            rules.remove(gateway: gateway) { [unowned self] error in
                guard connection == self.connection else { return }
                leaving = nil
                guard let error else { return clear(gateway) }
                log.error("the broker has not let gateway \(gateway) out: \(error)")
                givenUp = gateway
                retry.later()
            }
        } catch {
            log.error("what removed gateways have left at the broker was not read: \(error)")
            retry.later()
        }
    }

    /// Whether a message was left by the gateway that is being cleared. What others publish there goes its usual way.
    package func takes(_ message: Message) -> Bool {
        guard let clearing, message.topic.utf8.starts(with: prefix(clearing.gateway).utf8) else { return false }
        guard message.topic != clearing.marker else {
            self.clearing?.isMarked = true
            finishIfDone()
            return true
        }
        guard message.retain, !message.payload.isEmpty else { return false }
        self.clearing?.cleared += 1
        publish([], to: message.topic, retain: true)
        return true
    }

    private func clear(_ gateway: ID, round: Int = 1) {
        guard (try? gateways.ended().contains(gateway)) == true else { return retry.later() }
        let marker = prefix(gateway) + "responses/" + randomName()
        clearing = Clearing(gateway: gateway, marker: marker, round: round)
        deadline = context.session.loop.after(patience) { [unowned self] in
            guard clearing?.marker == marker else { return }
            if clearing?.cleared == 0 { giveUp("it took longer than \(patience)") } else { beginNextRound() }
        }
        let connection = connection
        context.session.subscribe([Subscription(filter(gateway))]) { [unowned self] _, error in
            guard connection == self.connection, clearing?.marker == marker else { return }
            if let error { return giveUp("\(error)") }
            publish([1], to: marker, retain: false)
        }
    }

    private func publish(_ payload: [UInt8], to topic: String, retain: Bool) {
        clearing?.unconfirmed += 1
        let (connection, marker) = (connection, clearing?.marker)
        let isTaken = context.session.publish(
            payload, to: topic, qos: .atLeastOnce, retain: retain
        ) { [unowned self] error in
            guard connection == self.connection, clearing?.marker == marker else { return }
            if let error { return giveUp("\(error)") }
            clearing?.unconfirmed -= 1
            finishIfDone()
        }
        if !isTaken { giveUp("there is no connection, or too many messages wait to be sent") }
    }

    private func endRound() {
        deadline?.cancel()
        if let clearing { context.session.unsubscribe([filter(clearing.gateway)]) }
        clearing = nil
    }

    private func beginNextRound() {
        guard let clearing else { return }
        guard clearing.round < Self.mostRounds else {
            return giveUp("there was more of it in each of \(Self.mostRounds) rounds")
        }
        endRound()
        clear(clearing.gateway, round: clearing.round + 1)
    }

    private func finishIfDone() {
        guard let clearing, clearing.isMarked, clearing.unconfirmed == 0 else { return }
        guard clearing.cleared == 0 else { return beginNextRound() }
        endRound()
        do throws(VaultError) {
            try gateways.forgetEnd(of: clearing.gateway)
            context.limitedLog.notice("cleared from the broker") {
                "the broker has nothing of gateway \(clearing.gateway) any more\($0)"
            }
            goOn()
        } catch {
            log.error("gateway \(clearing.gateway) will be cleared from the broker again: \(error)")
            retry.later()
        }
    }

    private func giveUp(_ reason: String) {
        guard let clearing else { return }
        endRound()
        givenUp = clearing.gateway
        log.error("what gateway \(clearing.gateway) has left at the broker is not cleared yet: \(reason)")
        retry.later()
    }

    private func filter(_ gateway: ID) -> String { context.topics.everything(of: gateway) }

    private func prefix(_ gateway: ID) -> String { String(filter(gateway).dropLast()) }

    private func randomName() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 36) }
}
