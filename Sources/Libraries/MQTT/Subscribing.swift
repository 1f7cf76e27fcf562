extension Session {
    /// Subscribes, now when connected, and again after each reconnection, before `connected` is reported. A filter that
    /// is there already gets the new options. From any thread.
    /// - Parameter granted: called once on the session's thread, at the broker's first answer for each of them: nil, or
    ///   why it was refused. `Handlers.problem` is told of refusals as well, at each reconnection.
    public func subscribe(
        _ subscriptions: [Subscription], granted: (@Sendable (Subscription, MQTTError?) -> Void)? = nil
    ) {
        leave { [self] in
            for subscription in subscriptions {
                self.subscriptions.removeAll { $0.subscription.filter == subscription.filter }
                let remembered = Remembered(subscription: subscription, granted: granted)
                self.subscriptions.append(remembered)
                if connection?.isAccepted == true { ask(for: remembered) }
            }
        }
    }

    /// Ends subscriptions. From any thread.
    public func unsubscribe(_ filters: [String]) {
        leave { [self] in
            for filter in filters {
                subscriptions.removeAll { $0.subscription.filter == filter }
                guard let connection, connection.isAccepted else { continue }
                do throws(MQTTError) { try connection.unsubscribe(filter) } catch { handlers.problem(error) }
            }
        }
    }

    /// Makes the broker retain nothing at a topic, because a message came from there that it had retained, or was about
    /// to, although nothing may be retained there. MQTT 5 only: without `noLocal` and `retainAsPublished` the message
    /// that deletes it would come back as a message of its own. From any thread.
    /// - Parameter subscriptions: the subscriptions that brought it. If it cannot be deleted now, they are made
    ///   again after a while, and bring it again.
    public func clear(_ topic: String, heardBy subscriptions: [Subscription]) {
        guard options.version == .v5, !publish([], to: topic, qos: .atLeastOnce, retain: true) else {
            return
        }
        leave { [self] in
            // Without a connection, they are made again anyway.
            guard !isHearingAgain, connection?.isAccepted == true else { return }
            isHearingAgain = true
            loop.after(.seconds(5)) { [unowned self] in
                isHearingAgain = false
                subscribe(subscriptions)
            }
        }
    }

    /// A subscription, and the callback that waits for its first answer.
    final class Remembered {
        let subscription: Subscription
        var granted: (@Sendable (Subscription, MQTTError?) -> Void)?

        init(subscription: Subscription, granted: (@Sendable (Subscription, MQTTError?) -> Void)?) {
            self.subscription = subscription
            self.granted = granted
        }

        func answer(_ error: MQTTError?) {
            granted?(subscription, error)
            granted = nil
        }
    }

    /// Sends a SUBSCRIBE of its own for each: its answer names no filter.
    func ask(for remembered: Remembered) {
        guard let connection else { return }
        do {
            asked[try connection.subscribe(remembered.subscription)] = remembered
        } catch {
            refused(remembered, error)
        }
    }

    /// A SUBACK.
    func subscribed(_ id: Int32, _ code: UInt8) {
        guard let remembered = asked.removeValue(forKey: id) else { return }
        guard code >= 0x80 else { return remembered.answer(nil) }
        let attempted = "subscribe to \(remembered.subscription.filter)"
        refused(remembered, .refused(code, attempted, hint: "check what the broker lets \(user) read"))
    }

    private func refused(_ remembered: Remembered, _ error: MQTTError) {
        handlers.problem(error)
        remembered.answer(error)
    }

    private var user: String { options.username ?? options.clientID }
}
