import MQTT
import TestSupport
import Testing

/// Not in the attribute: Swift 6.0.3 does not compile interpolated texts there.
private let wrongTopics = [
    "", "a/+/b", "a/#", "a\0b", "a/\u{1}", "a/\u{1f}b", "a/\u{7f}", "a/\u{9f}",
    "a/\(Unicode.Scalar(0xFDD0 as UInt16)!)", "a/\(Unicode.Scalar(0xFFFF as UInt16)!)",
    "a/\(Unicode.Scalar(0x1FFFE as UInt32)!)", Array(repeating: "a", count: 250).joined(separator: "/"),
    Array(repeating: "a", count: 202).joined(separator: "/"), String(repeating: "/", count: 201),
    String(repeating: "a", count: 65_536),
]

/// What a broker ends the connection of its publisher for: none of it may leave, and its owner is told.
@Suite("A publication that no broker takes")
struct OutgoingTests {
    /// Publishes, and says why it was refused; afterwards the session must be on its first connection.
    private func refusal(
        _ message: Message, configuration: [String] = ["allow_anonymous true"], version: Options.Version = .v5
    ) throws -> MQTTError? {
        try Broker.with(configuration: configuration) { broker in
            var options = Options(broker)
            options.version = version
            return try Client.with(options) { client in
                try client.connected()
                let finished = Record<MQTTError?>()
                #expect(client.session.publish(message, acknowledged: finished.append))
                let error = try finished.wait(for: 1)[0]
                #expect(try client.publish("after it", to: "after") == nil)
                #expect(client.states.all.count(where: \.isConnected) == 1, "the broker has ended the connection")
                return error
            }
        }
    }

    @Test(
        "is refused by its topic",
        arguments: wrongTopics)
    func topics(_ topic: String) throws {
        for qos in [QoS.atMostOnce, .atLeastOnce] {
            #expect(try refusal(Message(topic: topic, payload: [1], qos: qos))?.kind == .invalid)
        }
        let message = Message(topic: topic, payload: [1], qos: .atLeastOnce)
        #expect(try refusal(message, version: .v311)?.kind == .invalid)
    }

    @Test(
        "is not each that looks odd",
        arguments: [
            "/", " ", "a//b", "ä/\u{feff}", "$SYS/x", Array(repeating: "a", count: 200).joined(separator: "/"),
            String(repeating: "a", count: 65_535),
        ])
    func oddTopics(_ topic: String) throws {
        // Whether the broker's rules allow it is another question: of `$SYS` they do not.
        #expect(try refusal(Message(topic: topic, payload: [1], qos: .atLeastOnce))?.kind != .invalid)
    }

    @Test("is refused by its properties")
    func properties() throws {
        let long = String(repeating: "x", count: 65_536)
        for properties in [
            Message.Properties(responseTopic: "a/\u{1}"), Message.Properties(responseTopic: long),
            Message.Properties(correlationData: Array(repeating: 1, count: 65_536)),
            Message.Properties(contentType: "a\u{7}"), Message.Properties(contentType: "a\0b"),
            Message.Properties(userProperties: [.init(name: "a\u{1b}", value: "b")]),
            Message.Properties(userProperties: [.init(name: "a", value: long)]),
        ] {
            let message = Message(topic: "a", payload: [], qos: .atLeastOnce, properties: properties)
            #expect(try refusal(message)?.kind == .invalid)
        }
        let largest = Message.Properties(correlationData: Array(repeating: 1, count: 65_535))
        #expect(try refusal(Message(topic: "a", payload: [], qos: .atLeastOnce, properties: largest)) == nil)
    }

    @Test(
        "is refused if the broker has said that its packets are smaller, to the byte",
        arguments: [0, 1, 2, 130, 140])
    func packetSize(correlation: Int) throws {
        let configuration = ["allow_anonymous true", "max_packet_size 2000"]
        let properties =
            correlation == 0 ? nil : Message.Properties(correlationData: Array(repeating: 1, count: correlation))
        // Fixed header, topic, packet id, length of the properties, and correlation data with its name and length.
        let propertiesLength = correlation == 0 ? 0 : 3 + correlation
        let around = 3 + (2 + 5) + 2 + (propertiesLength < 128 ? 1 : 2) + propertiesLength
        func message(_ size: Int) -> Message {
            let payload = Array(repeating: 7 as UInt8, count: size - around)
            return Message(topic: "a/b/c", payload: payload, qos: .atLeastOnce, properties: properties)
        }
        #expect(try refusal(message(2000), configuration: configuration) == nil)
        let error = try refusal(message(2001), configuration: configuration)
        #expect(error?.kind == .invalid && error?.reason.contains("2000") == true)
        #expect(try refusal(message(5000), configuration: configuration)?.kind == .invalid)
    }

    @Test("is not published at each connection, if it is retained")
    func retained() throws {
        try Broker.with { broker in
            try Client.with(Options(broker)) { client in
                try client.connected()
                let retained = RetainedTopics(on: client.session)
                retained.publish([1], to: Array(repeating: "a", count: 250).joined(separator: "/"))
                for _ in 1...5 { retained.publishAgain() }
                #expect(try client.publish("after it", to: "after") == nil)
                #expect(client.states.all.count(where: \.isConnected) == 1)
                #expect(client.problems.all.count { $0.kind == .invalid } == 6)
            }
        }
    }

    @Test("does not keep a subscription that no broker takes from the others")
    func filters() throws {
        try Broker.with { broker in
            try Client.with(Options(broker)) { client in
                try client.connected()
                let answers = Record<MQTTError?>()
                let long = Array(repeating: "a", count: 250).joined(separator: "/")
                for filter in [long, "a/\u{1}", "a#", "", "good/#"] {
                    client.session.subscribe([Subscription(filter)]) { _, error in answers.append(error) }
                }
                #expect(try answers.wait(for: 5).map { $0?.kind } == [.invalid, .invalid, .invalid, .invalid, nil])
                #expect(client.states.all.count(where: \.isConnected) == 1)
            }
        }
    }

    @Test(
        "has its counterpart: the broker is told how large a packet may be, and drops what is larger, and nothing else")
    func announcement() throws {
        for version in [Options.Version.v5, .v311] {
            let broker = try FakeBroker()
            var options = Options(host: "127.0.0.1", port: broker.port, clientID: "x")
            options.version = version
            try Client.with(options) { _ in
                let connect = try #require(try broker.accept().read())
                #expect(connect.maximumPacketSize == (version == .v5 ? 1 << 20 : nil))
                #expect(connect.receiveMaximum == (version == .v5 ? 65_535 : nil))
            }
        }
        try Broker.with { broker in
            try Client.with(Options(broker, clientID: "stranger")) { stranger in
                try Client.with(Options(broker)) { client in
                    try client.connected()
                    try client.subscribe(Subscription("#"))
                    try stranger.connected()
                    for size in [(1 << 20) + 1, 10_000_000, 1000] {
                        let payload = Array(repeating: 1 as UInt8, count: size)
                        stranger.session.publish(Message(topic: "t", payload: payload, qos: .atLeastOnce))
                    }
                    #expect(try client.messages.wait(for: 1).map(\.payload.count) == [1000])
                    #expect(client.states.all.count(where: \.isConnected) == 1)
                }
            }
        }
    }
}
