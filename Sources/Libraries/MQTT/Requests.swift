import Reactor

/// Requests that wait for their replies, and the topics where those come. All of it lasts as long as a connection.
struct Replies {
    /// By correlation data; with MQTT 3.1.1 the same random key is made, but is not sent.
    var waiting: [[UInt8]: Request] = [:]
    /// Requests whose time is up and whose reply topic is being unsubscribed, by the UNSUBSCRIBE's id.
    var leaving: [Int32: [UInt8]] = [:]
    /// Requests that wait until the subscription to their reply's topic is granted; none left once it is.
    var topics: [String: [Request]] = [:]

    /// A question, until its reply, deadline or failure.
    final class Request {
        let key: [UInt8]
        let message: Message
        /// After how long it is sent again; nil if it is not, or not any more.
        var pause: Duration?
        let matches: (@Sendable (Message) -> Bool)?
        let completion: @Sendable (Result<Message, MQTTError>) -> Void
        /// The only topic at which its reply comes.
        var responseTopic: String? { message.properties?.responseTopic }
        var deadline: EventLoop.Timer?

        init(
            key: [UInt8], message: Message, pause: Duration?, matches: (@Sendable (Message) -> Bool)?,
            completion: @escaping @Sendable (Result<Message, MQTTError>) -> Void
        ) {
            self.key = key
            self.message = message
            self.pause = pause
            self.matches = matches
            self.completion = completion
        }
    }
}

extension Session {
    /// Asks a question and waits, without blocking, for its reply. From any thread.
    ///
    /// With MQTT 5 the request carries the Response Topic, 16 random bytes of Correlation Data, and its deadline as
    /// Message Expiry; the reply with the same data is the answer, if it comes at that topic. Other messages on the
    /// reply's topic are ignored, and none of them reaches `Handlers.received`.
    ///
    /// - Parameters:
    ///   - responseTopic: where the reply comes; the session subscribes to it before it asks.
    ///   - limit: how long to wait.
    ///   - pause: after so long without a reply, the same request is sent again, with the same correlation data: for receivers
    ///     that do it once, however often it comes, and that may have lost it because they were restarted.
    ///   - leaves: ends the subscription to the reply's topic, which must be this request's alone, when the time is up,
    ///     and fails the request only when the broker has said so, or a second later. What the broker sent before that
    ///     is the reply; what is published afterwards has no subscriber, and its publisher is told so (`publish`,
    ///     `unheard`). So both ends know the same.
    ///   - matches: whether a reply without correlation data is this request's, from its payload: what MQTT 3.1.1
    ///     needs.
    ///   - completion: called once, on the session's thread; after `stop` on the caller's. A lost connection fails the
    ///     request.
    public func request(
        _ payload: [UInt8], to topic: String, responseTopic: String, within limit: Duration = .seconds(10),
        repeatedAfter pause: Duration? = nil, leaves: Bool = false, matching matches: (@Sendable (Message) -> Bool)? = nil,
        completion: @escaping @Sendable (Result<Message, MQTTError>) -> Void
    ) {
        let isTaken = leave { [self] in
            let key = Self.randomKey()
            let seconds = UInt32(clamping: limit.components.seconds + (limit.components.attoseconds > 0 ? 1 : 0))
            let properties = Message.Properties(
                responseTopic: responseTopic, correlationData: key, messageExpirySeconds: seconds)
            let message = Message(topic: topic, payload: payload, qos: .atLeastOnce, properties: properties)
            ask(
                Replies.Request(key: key, message: message, pause: pause, matches: matches, completion: completion),
                responseTopic: responseTopic, within: limit, leaves: leaves)
        }
        if !isTaken { completion(.failure(MQTTError(.stopped, "ask \(topic)", "the session was stopped"))) }
    }

    /// Asks a question and blocks until its reply, for programs that do one thing at a time. Do not call it on the
    /// session's thread. See `request`.
    public func requestAndWait(
        _ payload: [UInt8], to topic: String, responseTopic: String, within limit: Duration = .seconds(10),
        matching matches: (@Sendable (Message) -> Bool)? = nil
    ) throws(MQTTError) -> Message {
        let answer = Answer<Result<Message, MQTTError>>()
        request(payload, to: topic, responseTopic: responseTopic, within: limit, matching: matches) { answer.set($0) }
        switch answer.wait() {
        case .success(let reply): return reply
        case .failure(let error): throw error
        }
    }

    private func ask(_ request: Replies.Request, responseTopic: String, within limit: Duration, leaves: Bool) {
        guard connection?.isAccepted == true else {
            let reason = MQTTError(.notConnected, "ask \(request.message.topic)", "there is no connection")
            return request.completion(.failure(reason))
        }
        replies.waiting[request.key] = request
        request.deadline = loop.after(limit) { [unowned self] in
            let error = MQTTError(.timeout, "ask \(request.message.topic)", "no reply in \(limit)")
            request.pause = nil
            guard leaves, let connection, let id = try? connection.unsubscribe(responseTopic) else {
                return fail(request.key, error)
            }
            replies.leaving[id] = request.key
            replies.waiting[request.key]?.deadline = loop.after(.seconds(1)) { [unowned self] in
                fail(request.key, error)
            }
        }
        guard let queue = replies.topics[responseTopic] else { return subscribe(responseTopic, for: request) }
        if queue.isEmpty { send(request) } else { replies.topics[responseTopic]?.append(request) }
    }

    private func subscribe(_ responseTopic: String, for request: Replies.Request) {
        replies.topics[responseTopic] = [request]
        let subscription = Subscription(responseTopic, qos: .atLeastOnce)
        ask(for: Remembered(subscription: subscription) { [unowned self] _, error in granted(responseTopic, error) })
    }

    private func granted(_ responseTopic: String, _ error: MQTTError?) {
        let queue = replies.topics[responseTopic] ?? []
        replies.topics[responseTopic] = error == nil ? [] : nil
        for request in queue {
            if let error { fail(request.key, error) } else if replies.waiting[request.key] != nil { send(request) }
        }
    }

    private func send(_ request: Replies.Request) {
        let key = request.key
        let isAccepted = publish(request.message) { [unowned self] error in
            if let error { fail(key, error) }
        }
        guard !isAccepted else {
            if let pause = request.pause {
                loop.after(pause) { [weak self] in
                    guard let self, self.replies.waiting[key] != nil, request.pause != nil else { return }
                    self.send(request)
                }
            }
            return
        }
        fail(key, MQTTError(.tooManyWaiting, "ask \(request.message.topic)", "too many messages are waiting"))
    }

    /// An UNSUBACK.
    func unsubscribed(_ id: Int32) {
        guard let key = replies.leaving.removeValue(forKey: id), let request = replies.waiting[key] else { return }
        fail(key, MQTTError(.timeout, "ask \(request.message.topic)", "no reply in time"))
    }

    private func fail(_ key: [UInt8], _ error: MQTTError) {
        guard let request = replies.waiting.removeValue(forKey: key) else { return }
        request.deadline?.cancel()
        request.completion(.failure(error))
    }

    /// Whether a message came on a reply's topic; if so, it goes to the request that it answers, or nowhere.
    func takesReply(_ message: Message) -> Bool {
        guard !replies.topics.isEmpty, replies.topics[message.topic] != nil else { return false }
        let request: Replies.Request? =
            if let key = message.properties?.correlationData {
                replies.waiting[key]
            } else {
                replies.waiting.values.first {
                    $0.responseTopic == message.topic && $0.matches?(message) == true
                }
            }
        // The session also gets replies to its other requests, at topics where others may publish: anybody who has
        // received a request knows its data, and could answer in place of the one that was asked.
        guard let request, request.responseTopic == message.topic else { return true }
        replies.waiting[request.key] = nil
        request.deadline?.cancel()
        request.completion(.success(message))
        return true
    }

    /// The connection is gone, and with it its subscriptions and every question.
    func dropReplies(_ reason: MQTTError) {
        let waiting = replies.waiting.values
        replies = Replies()
        for request in waiting {
            request.deadline?.cancel()
            request.completion(.failure(reason))
        }
    }

    private static func randomKey() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}
