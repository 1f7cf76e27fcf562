import MQTT
import Reactor
import TestSupport
import Testing

@Suite("A message that nobody hears")
struct UnheardTests {
    @Test("is reported as unheard and acknowledged, and one that somebody hears is only acknowledged")
    func publication() throws {
        try Broker.with { broker in
            try Client.with(Options(broker, clientID: "one")) { client in
                try client.connected()
                try client.subscribe(Subscription("heard"))
                for (topic, isHeard) in [("heard", true), ("unheard", false)] {
                    let (unheard, acknowledged) = (Record<Bool>(), Answer<MQTTError?>())
                    client.session.publish(
                        [1], to: topic, qos: .atLeastOnce, acknowledged: { acknowledged.set($0) },
                        unheard: { unheard.append(true) })
                    #expect(acknowledged.wait(atMost: limit) == .some(nil))
                    #expect(unheard.all.count == (isHeard ? 0 : 1), "\(topic)")
                }
            }
        }
    }

    @Test(
        "as a reply at the very end of the asker's patience, is known as unheard by whoever answers, or else is heard")
    func replies() throws {
        let (heard, unheard, answered) = (Record<Bool>(), Record<Bool>(), Record<Bool>())
        try Broker.with { broker in
            let answerer = Session(Options(broker, clientID: "answerer"))
            let ready = Answer<Bool>()
            answerer.start(
                Handlers(received: { [unowned answerer] request in
                    guard let properties = request.properties, let topic = properties.responseTopic else { return }
                    let reply = Message(
                        topic: topic, payload: [1], qos: .atLeastOnce,
                        properties: Message.Properties(correlationData: properties.correlationData))
                    // From well before the asker's end to well after it.
                    let (number, patience) = (Int64(request.payload[0]), Int64(40) << Int64(request.payload[1]))
                    answerer.loop.after(.milliseconds(patience / 2 + number * patience / 200)) { [unowned answerer] in
                        answerer.publish(
                            reply, acknowledged: { answered.append($0 == nil) }, unheard: { unheard.append(true) })
                    }
                }))
            defer { answerer.stop() }
            answerer.subscribe([Subscription("ask", qos: .atLeastOnce)]) { _, error in ready.set(error == nil) }
            #expect(ready.wait(atMost: limit) == true)
            try Client.with(Options(broker, clientID: "asker")) { asker in
                try asker.connected()
                let outcomes = Record<Bool>()
                // On a busy machine all of them may be too late: then again, with twice the patience.
                for round in 0..<6 as Range<UInt8> where heard.all.isEmpty || unheard.all.isEmpty {
                    for number in 0..<200 as Range<UInt8> {
                        asker.session.request(
                            [number, round], to: "ask", responseTopic: "answers/\(round)/\(number)",
                            within: .milliseconds(40 << Int64(round)), leaves: true
                        ) { result in
                            if case .success = result { heard.append(true) }
                            outcomes.append(true)
                        }
                    }
                    try outcomes.wait(for: (Int(round) + 1) * 200)
                    try answered.wait(for: (Int(round) + 1) * 200)
                    // Each of them, and the two ends agree about it.
                    #expect(heard.all.count + unheard.all.count == (Int(round) + 1) * 200)
                }
            }
        }
        #expect(!unheard.all.isEmpty && !heard.all.isEmpty)
    }
}
