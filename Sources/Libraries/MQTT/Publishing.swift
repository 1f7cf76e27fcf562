import CMosquitto

/// What other threads have left for the session's: one queue for everything, so that a subscription and a publication
/// reach the broker in the order of their calls.
struct Outgoing {
    /// Publications are accepted.
    var isOpen = false
    /// The session was stopped: it no longer accepts anything.
    var isOver = false
    var queue: [Work] = []
    /// How many messages are not finished: in `queue`, or in the library. A message is finished when it was written
    /// (QoS 0) or acknowledged (QoS 1).
    var unfinished = 0

    /// The callbacks that are told of a message's end.
    struct Told {
        var acknowledged: (@Sendable (MQTTError?) -> Void)?
        var unheard: (@Sendable () -> Void)?
    }

    enum Work {
        case publish(Message, Told)
        case perform(@Sendable () -> Void)
    }
}

/// What is known of a message that the library has.
struct InFlight {
    let topic: String
    /// Its place among all that was published.
    let order: UInt64
    let qos: QoS
    let told: Outgoing.Told
}

extension Session {
    /// Publishes a message. From any thread; never blocks.
    ///
    /// While there is no connection nothing is kept, whatever the QoS: once the session is connected, publish again
    /// what must not be missed.
    ///
    /// - Parameters:
    ///   - acknowledged: called once on the session's thread, with nil when the broker has acknowledged the message
    ///     (QoS 1) or it was written to the socket (QoS 0); not called if this returns false. Without it
    ///     `Handlers.problem` is told of a refusal by the broker.
    ///   - unheard: called on the session's thread, before `acknowledged`, if the broker says that nobody was
    ///     subscribed (MQTT 5, QoS 1, reason code 0x10: section 3.4.2.1). Not every broker says so, and none does for
    ///     QoS 0.
    /// - Returns: false when the message was refused: not connected, or `Options.outgoingLimit` are waiting.
    @discardableResult
    public func publish(
        _ message: Message, acknowledged: (@Sendable (MQTTError?) -> Void)? = nil,
        unheard: (@Sendable () -> Void)? = nil
    ) -> Bool {
        // A value of a sensor comes on the loop, and nobody has to be told of its end.
        let isSimple = message.qos == .atMostOnce && acknowledged == nil && unheard == nil
        let mayGoFirst = isSimple && loop.isCurrent && draining.isEmpty
        let (isAccepted, isFirst) = outgoing.withLock { outgoing in
            guard outgoing.isOpen, outgoing.unfinished < outgoingLimit else { return (false, false) }
            outgoing.unfinished += 1
            if mayGoFirst, outgoing.queue.isEmpty { return (true, true) }
            outgoing.queue.append(.publish(message, Outgoing.Told(acknowledged: acknowledged, unheard: unheard)))
            return (true, outgoing.queue.count == 1)
        }
        if isFirst, mayGoFirst { hand(message, Outgoing.Told()) }
        if isFirst { wakeUp() }
        return isAccepted
    }

    /// Publishes bytes: see `publish(_:acknowledged:unheard:)`.
    @discardableResult
    public func publish(
        _ payload: [UInt8], to topic: String, qos: QoS = .atMostOnce, retain: Bool = false,
        properties: Message.Properties? = nil, acknowledged: (@Sendable (MQTTError?) -> Void)? = nil,
        unheard: (@Sendable () -> Void)? = nil
    ) -> Bool {
        publish(
            Message(topic: topic, payload: payload, qos: qos, retain: retain, properties: properties),
            acknowledged: acknowledged, unheard: unheard)
    }

    /// How many published messages are neither written nor acknowledged yet.
    public var unfinishedCount: Int { outgoing.withLock { $0.unfinished } }

    /// Leaves work for the session's thread, in its place among the publications.
    /// - Returns: false when the session was stopped; the work will not be done.
    @discardableResult
    func leave(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, isFirst) = outgoing.withLock { outgoing in
            guard !outgoing.isOver else { return (false, false) }
            outgoing.queue.append(.perform(work))
            return (true, outgoing.queue.count == 1)
        }
        if isFirst { wakeUp() }
        return isTaken
    }

    /// The end of the loop's turn drains the queue.
    private func wakeUp() {
        if loop.isCurrent { loop.turnAgain() } else { loop.perform {} }
    }

    /// Does what was left, in order; publications go to the library.
    func drain() {
        // The two arrays are swapped, so that both keep their memory.
        outgoing.withLock { swap(&$0.queue, &draining) }
        guard !draining.isEmpty else { return }
        for work in draining {
            switch work {
            case .publish(let message, let told): hand(message, told)
            case .perform(let work): work()
            }
        }
        draining.removeAll(keepingCapacity: true)
    }

    private func hand(_ message: Message, _ told: Outgoing.Told) {
        do throws(MQTTError) {
            guard let connection else {
                throw MQTTError(.notConnected, "publish to \(message.topic)", "there is no connection")
            }
            guard !blame.isHeld(message.topic, now: .now) else { throw heldBack(message.topic) }
            let id = try connection.publish(message)
            let order = blame.sent(message.topic, message.qos)
            guard told.acknowledged != nil || message.qos != .atMostOnce else { return }
            inFlight[id] = InFlight(topic: message.topic, order: order, qos: message.qos, told: told)
        } catch {
            finish(told.acknowledged, error)
        }
    }

    /// A message was written (QoS 0) or acknowledged (QoS 1).
    func acknowledged(_ id: Int32, _ code: UInt8) {
        let known = inFlight.isEmpty ? nil : inFlight.removeValue(forKey: id)
        if let known, known.qos == .atLeastOnce { blame.confirmed(known.order) }
        if code == UInt8(MQTT_RC_NO_MATCHING_SUBSCRIBERS.rawValue) { known?.told.unheard?() }
        guard code >= 0x80 else { return finish(known?.told.acknowledged, nil) }
        finish(known?.told.acknowledged, .refused(code, "publish to \(known?.topic ?? "a topic")"))
    }

    private func finish(_ acknowledged: (@Sendable (MQTTError?) -> Void)?, _ error: MQTTError?) {
        outgoing.withLock { $0.unfinished -= 1 }
        if let acknowledged { acknowledged(error) } else if let error { handlers.problem(error) }
    }

    /// The broker has ended the connection over a message: see `Blame`. Its owner is told, and so is
    /// `Handlers.problem`.
    func findBlame(_ code: UInt8) {
        let waiting = inFlight.filter { $0.value.qos == .atLeastOnce }
        let oldest = waiting.min { $0.value.order < $1.value.order }
        let held = blame.ended(oldest: oldest.map { ($0.value.order, $0.value.topic) }, now: .now)
        for topic in held.sorted() {
            let error = MQTTError.refused(code, "publish to \(topic)", hint: Self.heldHint)
            handlers.problem(error)
            if let oldest, oldest.value.topic == topic {
                inFlight[oldest.key] = nil
                finish(oldest.value.told.acknowledged ?? { _ in }, error)
            }
        }
    }

    private static let heldHint =
        "the broker has ended the connection over it: it is held back for a while"

    private func heldBack(_ topic: String) -> MQTTError {
        MQTTError(
            .refused, "publish to \(topic)", "the broker has ended a connection over it",
            hint: "it is held back for a while")
    }

    /// The connection is gone, and with it what was not finished. Other work stays in the queue.
    func dropOutgoing(_ reason: MQTTError) {
        var dropped: [(@Sendable (MQTTError?) -> Void)?] = inFlight.values.map(\.told.acknowledged)
        inFlight = [:]
        let queued = outgoing.withLock { outgoing in
            let queued = outgoing.queue
            outgoing.queue.removeAll { if case .publish = $0 { true } else { false } }
            outgoing.isOpen = false
            outgoing.unfinished = 0
            return queued
        }
        for case .publish(_, let told) in queued { dropped.append(told.acknowledged) }
        for acknowledged in dropped { acknowledged?(reason) }
    }
}
