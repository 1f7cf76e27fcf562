/// What other threads have left for the session's: one queue for everything, so that a subscription and a publication
/// reach the broker in the order of their calls.
struct Outgoing {
    /// Publications are accepted.
    var isOpen = false
    /// The session was stopped: nothing is taken any more.
    var isOver = false
    var queue: [Work] = []
    /// How many messages are not finished: in `queue`, or in the library. A message is finished when it was written
    /// (QoS 0) or acknowledged (QoS 1).
    var unfinished = 0

    enum Work {
        case publish(Message, (@Sendable (MQTTError?) -> Void)?)
        case perform(@Sendable () -> Void)
    }
}

/// What is known of a message that the library has.
struct InFlight {
    let topic: String
    let acknowledged: (@Sendable (MQTTError?) -> Void)?
}

extension Session {
    /// Publishes a message. From any thread; never blocks.
    ///
    /// While there is no connection nothing is kept, at no QoS: publish again, when the session is connected, what must
    /// not be missed.
    ///
    /// - Parameter acknowledged: called once on the session's thread, with nil when the broker has acknowledged the
    ///   message (QoS 1) or it was written to the socket (QoS 0); not called where this returns false. Without it a
    ///   refusal by the broker is told to `Handlers.problem`.
    /// - Returns: false when the message was refused: not connected, or `Options.outgoingLimit` are waiting.
    @discardableResult
    public func publish(_ message: Message, acknowledged: (@Sendable (MQTTError?) -> Void)? = nil) -> Bool {
        let (isAccepted, isFirst) = outgoing.withLock { outgoing in
            guard outgoing.isOpen, outgoing.unfinished < outgoingLimit else { return (false, false) }
            outgoing.unfinished += 1
            outgoing.queue.append(.publish(message, acknowledged))
            return (true, outgoing.queue.count == 1)
        }
        if isFirst { wakeUp() }
        return isAccepted
    }

    /// Publishes bytes: see `publish(_:acknowledged:)`.
    @discardableResult
    public func publish(
        _ payload: [UInt8], to topic: String, qos: QoS = .atMostOnce, retain: Bool = false,
        properties: Message.Properties? = nil, acknowledged: (@Sendable (MQTTError?) -> Void)? = nil
    ) -> Bool {
        publish(
            Message(topic: topic, payload: payload, qos: qos, retain: retain, properties: properties),
            acknowledged: acknowledged)
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

    /// On the session's own thread the end of the turn takes the queue along.
    private func wakeUp() {
        if !loop.isCurrent { loop.perform {} }
    }

    /// Does what was left, in order; publications go to the library.
    func drain() {
        // The two arrays change places, so that neither gives up its memory.
        outgoing.withLock { swap(&$0.queue, &draining) }
        guard !draining.isEmpty else { return }
        for work in draining {
            switch work {
            case .publish(let message, let acknowledged): hand(message, acknowledged)
            case .perform(let work): work()
            }
        }
        draining.removeAll(keepingCapacity: true)
    }

    private func hand(_ message: Message, _ acknowledged: (@Sendable (MQTTError?) -> Void)?) {
        do throws(MQTTError) {
            guard let connection else {
                throw MQTTError(.notConnected, "publish to \(message.topic)", "there is no connection")
            }
            let id = try connection.publish(message)
            guard acknowledged != nil || message.qos != .atMostOnce else { return }
            inFlight[id] = InFlight(topic: message.topic, acknowledged: acknowledged)
        } catch {
            finish(acknowledged, error)
        }
    }

    /// A message was written (QoS 0) or acknowledged (QoS 1).
    func acknowledged(_ id: Int32, _ code: UInt8) {
        let known = inFlight.removeValue(forKey: id)
        guard code >= 0x80 else { return finish(known?.acknowledged, nil) }
        finish(known?.acknowledged, .refused(code, "publish to \(known?.topic ?? "a topic")"))
    }

    private func finish(_ acknowledged: (@Sendable (MQTTError?) -> Void)?, _ error: MQTTError?) {
        outgoing.withLock { $0.unfinished -= 1 }
        if let acknowledged { acknowledged(error) } else if let error { handlers.problem(error) }
    }

    /// The connection is gone, and with it what was not finished. Other work stays in the queue.
    func dropOutgoing(_ reason: MQTTError) {
        var dropped: [(@Sendable (MQTTError?) -> Void)?] = inFlight.values.map(\.acknowledged)
        inFlight = [:]
        let queued = outgoing.withLock { outgoing in
            let queued = outgoing.queue
            outgoing.queue.removeAll { if case .publish = $0 { true } else { false } }
            outgoing.isOpen = false
            outgoing.unfinished = 0
            return queued
        }
        for case .publish(_, let acknowledged) in queued { dropped.append(acknowledged) }
        for acknowledged in dropped { acknowledged?(reason) }
    }
}
