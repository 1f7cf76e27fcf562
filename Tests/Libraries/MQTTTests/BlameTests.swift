import TestSupport
import Testing

@testable import MQTT

/// A broker that takes one message for an error ends the session: that may happen once.
@Suite("A publication that a broker ends the connection over")
struct BlameTests {
    @Test(
        "is reported to its owner, and is not published again for a while; everything else is",
        arguments: [0x81, 0x82, 0x95])
    func heldBack(_ code: UInt8) throws {
        let broker = try FakeBroker()
        try Client.with(Options(host: "127.0.0.1", port: broker.port, clientID: "x")) { client in
            let first = try broker.welcome()
            try client.connected()
            let (taken, bad, after) = (Record<MQTTError?>(), Record<MQTTError?>(), Record<MQTTError?>())
            func publish(_ topic: String, _ finished: Record<MQTTError?>) {
                #expect(client.session.publish([1], to: topic, qos: .atLeastOnce, acknowledged: finished.append))
            }
            publish("taken", taken)
            let packet = try #require(try first.read())
            first.write([0x40, 2] + (packet.publishedID ?? []))
            #expect(try taken.wait(for: 1)[0] == nil)
            publish("bad", bad)
            publish("after", after)
            for topic in ["bad", "after"] { #expect(try first.read()?.publishedTopic == topic) }
            first.write([0xE0, 1, code])
            let blamed = try bad.wait(for: 1)[0]
            #expect(blamed?.kind == .refused && blamed?.reasonCode == code)
            #expect(try after.wait(for: 1)[0]?.kind == .notConnected)

            let second = try broker.welcome()
            try client.connected(times: 2)
            // Its owner tries again, as one that has something retained does.
            publish("bad", bad)
            publish("after", after)
            #expect(try bad.wait(for: 2)[1]?.kind == .refused)
            let next = try #require(try second.read())
            #expect(next.publishedTopic == "after")
            second.write([0x40, 2] + (next.publishedID ?? []))
            #expect(try after.wait(for: 2)[1] == nil)
            #expect(client.problems.all.contains { $0.attempted == "publish to bad" })
        }
    }

    @Test(
        "is not looked for if a broker says that it goes away, or that another has our name",
        arguments: [0x8B, 0x8E])
    func otherReasons(_ code: UInt8) throws {
        let broker = try FakeBroker()
        try Client.with(Options(host: "127.0.0.1", port: broker.port, clientID: "x")) { client in
            let first = try broker.welcome()
            try client.connected()
            let finished = Record<MQTTError?>()
            client.session.publish([1], to: "good", qos: .atLeastOnce, acknowledged: finished.append)
            #expect(try first.read()?.publishedTopic == "good")
            first.write([0xE0, 1, code])
            #expect(try finished.wait(for: 1)[0]?.kind == .notConnected)
            let second = try broker.welcome()
            try client.connected(times: 2)
            client.session.publish([1], to: "good", qos: .atLeastOnce)
            #expect(try second.read()?.publishedTopic == "good")
        }
    }

    @Test("is found by the order of acknowledgements, and held back longer each time")
    func order() {
        var blame = Blame()
        let start = ContinuousClock.now
        let first = blame.sent("first", .atLeastOnce)
        let second = blame.sent("second", .atLeastOnce)
        blame.confirmed(first)
        #expect(blame.ended(oldest: (second, "second"), now: start) == ["second"])
        #expect(blame.isHeld("second", now: start + .seconds(59)))
        #expect(!blame.isHeld("second", now: start + .seconds(60)) && !blame.isHeld("first", now: start))
        #expect(blame.ended(oldest: (second, "second"), now: start + .seconds(60)) == ["second"])
        #expect(blame.isHeld("second", now: start + .seconds(179)))
        #expect(!blame.isHeld("second", now: start + .seconds(180)))
    }

    @Test("may be one that is not acknowledged: of several, each is held back the second time")
    func unacknowledged() {
        var blame = Blame()
        let start = ContinuousClock.now
        blame.confirmed(blame.sent("before", .atLeastOnce))
        _ = blame.sent("live", .atMostOnce)
        let oldest = blame.sent("kept", .atLeastOnce)
        _ = blame.sent("later", .atMostOnce)
        #expect(blame.ended(oldest: (oldest, "kept"), now: start).isEmpty)
        blame.begin()
        _ = blame.sent("live", .atMostOnce)
        #expect(blame.ended(oldest: nil, now: start) == ["live"])
        blame.begin()
        let again = blame.sent("kept", .atLeastOnce)
        #expect(blame.ended(oldest: (again, "kept"), now: start) == ["kept"])
        #expect(!blame.isHeld("later", now: start) && !blame.isHeld("before", now: start))
        // Nobody is blamed if nothing was published.
        blame.begin()
        #expect(blame.ended(oldest: nil, now: start).isEmpty)
    }
}

extension Packet {
    /// The topic of a PUBLISH.
    fileprivate var publishedTopic: String? {
        guard type == .publish, body.count > 2 else { return nil }
        return String(decoding: body.dropFirst(2).prefix(Int(body[1])), as: UTF8.self)
    }

    /// The id of a PUBLISH at QoS 1, as it is acknowledged.
    fileprivate var publishedID: [UInt8]? {
        guard type == .publish, body.count > 2 else { return nil }
        return Array(body.dropFirst(2 + Int(body[1])).prefix(2))
    }
}
