import Glibc
import MQTT
import Reactor
import TestSupport
import Testing

@Suite("A request")
struct RequestTests {
    /// A session that answers each request with `answer`.
    private func withAnswerer(_ broker: Broker, _ answer: @escaping @Sendable (Message) -> [Message]) throws -> Session
    {
        let session = Session(Options(broker, clientID: "answerer"))
        let ready = Answer<Bool>()
        session.start(
            Handlers(
                received: { [unowned session] request in
                    for reply in answer(request) { session.publish(reply) }
                }))
        session.subscribe([Subscription("ask", retainHandling: .doNotSend)]) { _, error in ready.set(error == nil) }
        #expect(ready.wait(atMost: limit) == true)
        return session
    }

    @Test("gets the reply with its correlation data, and no other")
    func correlation() throws {
        try Broker.with { broker in
            let answerer = try withAnswerer(broker) { request in
                guard let properties = request.properties, let topic = properties.responseTopic,
                    properties.correlationData?.count == 16, properties.messageExpirySeconds == 10
                else { return [] }
                let stray = Message.Properties(correlationData: [1, 2, 3])
                let right = Message.Properties(correlationData: properties.correlationData)
                return [
                    Message(topic: topic, payload: [1], qos: .atLeastOnce),
                    Message(topic: topic, payload: [2], qos: .atLeastOnce, properties: stray),
                    Message(topic: topic, payload: request.payload + [3], qos: .atLeastOnce, properties: right),
                ]
            }
            defer { answerer.stop() }
            try Client.with(Options(broker, clientID: "asker")) { asker in
                try asker.connected()
                for number in 0..<3 as Range<UInt8> {
                    let reply = try asker.session.requestAndWait([number], to: "ask", responseTopic: "answers")
                    #expect(reply.payload == [number, 3])
                }
                #expect(asker.messages.all.isEmpty)
            }
        }
    }

    @Test("takes no reply that comes at the topic of another request, whatever it carries")
    func forgery() throws {
        try Broker.with { broker in
            // Asked at a topic of its own, somebody who hears the question answers at the other one, where they may
            // publish.
            let forger = try withAnswerer(broker) { request in
                guard let properties = request.properties, properties.responseTopic == "hers/answers" else { return [] }
                let key = Message.Properties(correlationData: properties.correlationData)
                return [Message(topic: "mine/answers", payload: [66], qos: .atLeastOnce, properties: key)]
            }
            defer { forger.stop() }
            try Client.with(Options(broker, clientID: "asker")) { asker in
                try asker.connected()
                // The session listens at both.
                for topic in ["mine/answers", "hers/answers"] {
                    _ = thrown(MQTTError.self) {
                        try asker.session.requestAndWait(
                            [], to: "nobody", responseTopic: topic, within: .milliseconds(30))
                    }
                }
                for _ in 1...5 {
                    let error = thrown(MQTTError.self) {
                        let reply = try asker.session.requestAndWait(
                            [1], to: "ask", responseTopic: "hers/answers", within: .milliseconds(200))
                        Issue.record("a forged reply was taken: \(reply)")
                    }
                    #expect(error?.kind == .timeout)
                }
            }
        }
    }

    @Test("of MQTT 3.1.1 finds its reply by what the payload says")
    func matching() throws {
        try Broker.with { broker in
            let answerer = try withAnswerer(broker) { request in
                [[9, 9], request.payload].map { Message(topic: "answers", payload: $0, qos: .atLeastOnce) }
            }
            defer { answerer.stop() }
            var options = Options(broker, clientID: "asker")
            options.version = .v311
            try Client.with(options) { asker in
                try asker.connected()
                let reply = try asker.session.requestAndWait(
                    [42, 1], to: "ask", responseTopic: "answers", matching: { $0.payload.first == 42 })
                #expect(reply.payload == [42, 1])
            }
        }
    }

    @Test("of mosquitto_rr is answered")
    func mosquittoRR() throws {
        try Broker.with { broker in
            let answerer = try withAnswerer(broker) { request in
                let topic = request.properties?.responseTopic ?? "nowhere"
                return [Message(topic: topic, payload: Array("you said ".utf8) + request.payload, qos: .atLeastOnce)]
            }
            defer { answerer.stop() }
            let said = try RunningProgram.run(
                "mosquitto_rr",
                [
                    "-V", "mqttv5", "-p", "\(broker.port)", "-t", "ask", "-e", "me/answers", "-m", "hello", "-q", "1",
                    "-W", "20",
                ])
            #expect(said == "you said hello\n")
        }
    }

    @Test("fails at its deadline, without a connection, and with its connection")
    func failures() throws {
        let port = try freePort()
        try Client.with(Options(host: "127.0.0.1", port: port, clientID: "x")) { client in
            let error = thrown(MQTTError.self) {
                try client.session.requestAndWait([], to: "ask", responseTopic: "answers")
            }
            #expect(error?.kind == .notConnected)
        }
        try Broker.with { broker in
            try Client.with(Options(broker)) { client in
                try client.connected()
                let error = thrown(MQTTError.self) {
                    try client.session.requestAndWait(
                        [], to: "ask", responseTopic: "answers", within: .milliseconds(30))
                }
                #expect(error?.kind == .timeout)
                let answer = Answer<Result<Message, MQTTError>>()
                client.session.request([], to: "ask", responseTopic: "answers", within: .seconds(60)) { answer.set($0) }
                broker.kill()
                guard case .failure(let lost)? = answer.wait(atMost: limit) else { throw TestFailure("no failure") }
                #expect(lost.kind == .notConnected)
            }
        }
    }
}
