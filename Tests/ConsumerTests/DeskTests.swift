import Daemon
import MQTT
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("The desk for people's requests", .timeLimit(.minutes(20)))
struct DeskTests {
    static let drawn = "0123456789abcdef0123456789abcdef"

    /// A consumer with a broker that lets everybody do everything: what is refused here is refused by the desk.
    private func withDesk(_ body: (Client, borrowing Mutex<Int>) throws -> Void) throws {
        try Broker.with { broker in
            let household = try Household()
            let settings = try household.settings(port: broker.port, more: "accounts: {}, broker_rules: {},")
            _ = try Keys(settings, .create)
            let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
            let people = consumer.people
            let calls = Mutex(0)
            people.register(
                "test/count",
                .atOnce { request in
                    calls.withLock { $0 += 1 }
                    return [
                        "user": .string(try request.user.text), "word": .string(try request.text("word", atMost: 8)),
                    ]
                })
            people.register(
                "test/part", bulk: Allowance(perSecond: 1, burst: 300),
                .atOnce { _ in
                    calls.withLock { $0 += 1 }
                    return [:]
                })
            people.register("test", for: .guests, .atOnce { _ in ["guest": true] })
            people.register("test/broken", .atOnce { _ in throw TestFailure("what nobody is to see") })
            let client = try Client(broker, "vitals/v1/users/+/responses/#", "vitals/v1/accounts/responses/#")
            defer { client.stop() }
            consumer.start()
            defer { consumer.stop() }
            // Requests from before its subscription are not answered.
            try broker.waitForLog("vitals/v1/users/+/requests/+/+")
            try body(client, calls)
        }
    }

    /// Publishes a request and returns the reply that comes at `topic`.
    private func ask(
        _ client: Client, _ topic: String, _ payload: String = #"{"word":"hello"}"#, replyAt asked: String?,
        at expected: String? = nil, correlationData: [UInt8]? = nil, retain: Bool = false
    ) throws -> Reply {
        client.session.publish(
            Message(
                topic: "vitals/v1/\(topic)", payload: Array(payload.utf8), qos: .atLeastOnce, retain: retain,
                properties: Message.Properties(responseTopic: asked, correlationData: correlationData)))
        let place = expected ?? asked ?? ""
        return try client.wait("a reply at \(place)") { message in
            guard message.topic == place else { return nil }
            #expect(message.properties?.correlationData == correlationData)
            return try Reply(payload: message.payload)
        }
    }

    private func code(_ reply: Reply) -> ReplyError.Code? {
        if case .error(let error) = reply.outcome { error.code } else { nil }
    }

    @Test(
        "answers where it was asked to, or at the listed topic with the request's id; and knows who asks by the topic")
    func answers() throws {
        try withDesk { client, _ in
            let mine = "vitals/v1/users/ada/responses/phone"
            let reply = try ask(client, "users/ada/requests/test/count", replyAt: mine, correlationData: [1, 2])
            #expect(reply.outcome == .ok(["user": "ada", "word": "hello"]))
            // Whatever the payload says of the asker.
            let other = try ask(
                client, "users/eve/requests/test/count", #"{"word":"x","user":"ada","id":7}"#, replyAt: nil,
                at: "vitals/v1/users/eve/responses/test/count")
            #expect(other == Reply(.ok(["user": "eve", "word": "x"]), id: .number(7)))
            let guest = try ask(client, "accounts/test", "{}", replyAt: "vitals/v1/accounts/responses/\(Self.drawn)")
            #expect(guest.outcome == .ok(["guest": true]))
        }
    }

    @Test("lends its rights to nobody: a response topic elsewhere is refused at the listed one")
    func foreignResponses() throws {
        try withDesk { client, calls in
            let foreign = [
                "vitals/v1/users/eve/responses/phone", "vitals/v1/gateways/home/control",
                "vitals/v1/users/ada/progress",
                "vitals/v1/users/ada/requests/test/count", "$CONTROL/dynamic-security/v1",
                "vitals/v1/users/ada/responses/",
            ]
            for topic in foreign {
                let reply = try ask(
                    client, "users/ada/requests/test/count", replyAt: topic,
                    at: "vitals/v1/users/ada/responses/test/count")
                #expect(code(reply) == .badRequest)
            }
            #expect(calls.withLock { $0 } == 0)
            // Nobody can be told that a guest's is refused, so what comes next is what is answered next.
            for topic in [nil, "vitals/v1/accounts/responses/short", "vitals/v1/users/ada/responses/x"] {
                client.session.publish(
                    Message(
                        topic: "vitals/v1/accounts/test", payload: [], qos: .atLeastOnce,
                        properties: topic.map { Message.Properties(responseTopic: $0) }))
            }
            let mine = "vitals/v1/users/ada/responses/last"
            _ = try ask(client, "users/ada/requests/test/count", replyAt: mine)
            #expect(!client.hasReceived { $0.topic.hasSuffix("/short") || $0.topic.hasSuffix("/x") })
        }
    }

    @Test("refuses what is no request, and what nobody knows, and tells nobody what went wrong inside")
    func noRequests() throws {
        try withDesk { client, calls in
            let mine = "vitals/v1/users/ada/responses/phone"
            func refused(_ name: String, _ payload: String, retain: Bool = false) throws -> ReplyError {
                let reply = try ask(client, "users/ada/requests/\(name)", payload, replyAt: mine, retain: retain)
                guard case .error(let error) = reply.outcome else { throw TestFailure("\(payload) was taken") }
                return error
            }
            for payload in ["[1]", "{", "nonsense", #"{"word":1}"#, "{}", #"{"word":"much too long"}"#, #"{"id":[]}"#] {
                #expect(try refused("test/count", payload).code == .badRequest, "\(payload)")
            }
            #expect(
                try refused("test/count", #"{"word":"\(String(repeating: "x", count: 5000))"}"#).code == .badRequest)
            #expect(try refused("test/count", #"{"word":1}"#).field == "word")
            #expect(try refused("test/nothing", "{}").code == .notSupported)
            #expect(try refused("test/count", #"{"word":"x"}"#, retain: true).field == "retain")
            // A guest's requests are not a person's, nor the other way round.
            let guest = try ask(client, "accounts/count", replyAt: "vitals/v1/accounts/responses/\(Self.drawn)")
            #expect(code(guest) == .notSupported)
            let broken = try refused("test/broken", "{}")
            #expect(broken.code == .internal && !broken.message.contains("nobody"))
        }
    }

    @Test("does the same request once: whoever sends it again gets the same reply")
    func repeats() throws {
        try withDesk { client, calls in
            let mine = "vitals/v1/users/ada/responses/phone"
            for data in [[1], [1], [2], [1]] as [[UInt8]] {
                _ = try ask(client, "users/ada/requests/test/count", replyAt: mine, correlationData: data)
            }
            #expect(calls.withLock { $0 } == 2)
            // Those without correlation data cannot be told apart.
            for _ in 1...2 { _ = try ask(client, "users/ada/requests/test/count", replyAt: mine) }
            #expect(calls.withLock { $0 } == 4)
        }
    }

    @Test("slows down who asks too much, and nobody else")
    func floods() throws {
        try withDesk { client, _ in
            let mine = "vitals/v1/users/ada/responses/phone"
            var refusal: ReplyError?
            for _ in 1...200 where refusal == nil {
                let reply = try ask(client, "users/ada/requests/test/count", replyAt: mine)
                if case .error(let error) = reply.outcome { refusal = error }
            }
            #expect(refusal?.code == .rateLimited && refusal?.retryAfterSeconds == 1)
            let eve = try ask(
                client, "users/eve/requests/test/count", replyAt: "vitals/v1/users/eve/responses/phone")
            #expect(code(eve) == nil)
        }
    }

    @Test("lets what comes in many parts be asked for more often, and remembers none of them")
    func parts() throws {
        try withDesk { client, calls in
            let mine = "vitals/v1/users/ada/responses/phone"
            for _ in 1...200 {
                let reply = try ask(client, "users/ada/requests/test/part", replyAt: mine, correlationData: [1])
                guard code(reply) == nil else { throw TestFailure("\(reply)") }
            }
            #expect(calls.withLock { $0 } == 200)
            // Nothing else is asked for less often because of it.
            #expect(try code(ask(client, "users/ada/requests/test/count", replyAt: mine)) == nil)
            var refusal: ReplyError.Code?
            for _ in 1...200 where refusal == nil {
                refusal = code(try ask(client, "users/ada/requests/test/part", replyAt: mine))
            }
            #expect(refusal == .rateLimited)
        }
    }

    @Test("remembers replies for a minute, and a bounded number of them")
    func memory() {
        var recent = RecentReplies(capacity: 3)
        func key(_ number: UInt8) -> RecentReplies.Key {
            RecentReplies.Key(topic: "t", responseTopic: "r", correlationData: [number])
        }
        #expect(recent.begin(key(1), now: 0) == .new)
        #expect(recent.begin(key(1), now: 1) == .underWay)
        recent.end(key(1), [42])
        #expect(recent.begin(key(1), now: 59_999) == .replied([42]))
        #expect(recent.begin(key(1), now: 60_000) == .new)
        for number in 2...4 as ClosedRange<UInt8> { #expect(recent.begin(key(number), now: 60_000) == .new) }
        #expect(recent.begin(key(4), now: 60_001) == .underWay)
        #expect(recent.begin(key(1), now: 60_001) == .new)
        recent.expire(120_000)
        #expect(!recent.isEmpty)
        recent.expire(120_001)
        #expect(recent.isEmpty)
    }

    @Test("remembers no more bytes than it may, whoever sends long correlation data or asks for much")
    func memoryInBytes() {
        var recent = RecentReplies(maximumSize: 10_000)
        func key(_ number: UInt8, _ length: Int) -> RecentReplies.Key {
            RecentReplies.Key(
                topic: "t", responseTopic: "r", correlationData: Array(repeating: number, count: length))
        }
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(recent.begin(key(number, 1), now: 0) == .new)
            recent.end(key(number, 1), Array(repeating: number, count: 4000))
        }
        // The first has gone early, and only as many as have to go.
        #expect(recent.begin(key(4, 1), now: 1) == .new)
        #expect(recent.begin(key(2, 1), now: 1) == .replied(Array(repeating: 2, count: 4000)))
        #expect(recent.begin(key(1, 1), now: 1) == .new)
        #expect(recent.begin(key(5, 9000), now: 2) == .new)
        #expect(recent.begin(key(6, 1), now: 2) == .new)
        #expect(recent.begin(key(3, 1), now: 2) == .new)
    }

    @Test("allows a burst, then so many a second, and forgets who has waited long enough")
    func allowance() {
        var allowance = Allowance<Int>(perSecond: 2, burst: 3, capacity: 2)
        for _ in 1...3 { #expect(allowance.take(1, now: 0) == nil) }
        #expect(allowance.take(1, now: 0) == 1)
        #expect(allowance.take(1, now: 500) == nil)
        #expect(allowance.take(1, now: 500) == 1)
        #expect(allowance.take(2, now: 500) == nil)
        #expect(allowance.take(3, now: 500) == 1)
        #expect(allowance.take(3, now: 2_000) == nil)
    }
}
