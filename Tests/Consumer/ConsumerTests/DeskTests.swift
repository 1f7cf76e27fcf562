import Contract
import Daemon
import HouseholdSupport
import MQTT
import Records
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Desk
@testable import vitals_consumer

@Suite("The desk for people's requests", .timeLimit(.minutes(60)))
struct DeskTests {
    static let drawn = "0123456789abcdef0123456789abcdef"

    /// A consumer with a broker that lets everybody do everything: what is refused here is refused by the desk.
    private func withDesk(_ body: (Client, borrowing Mutex<Int>) throws -> Void) throws {
        try withDeskAndBroker { client, calls, _ in try body(client, calls) }
    }

    private func withDeskAndBroker(_ body: (Client, borrowing Mutex<Int>, Broker) throws -> Void) throws {
        try Broker.with { broker in
            let household = try Household()
            let settings = try household.settings(port: broker.port, more: "accounts: {}, broker_rules: {},")
            _ = try Keys(settings, .create)
            let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
            let desk = consumer.desk
            let calls = Mutex(0)
            desk.register([
                Verb(
                    "test/count", .ofTests,
                    .atOnce { request in
                        calls.withLock { $0 += 1 }
                        let user = try request.user
                        return ["user": .string(user.text), "word": .string(try request.text("word", atMost: 8))]
                    }),
                Verb(
                    "test/part", .ofTests, bulk: Allowance(perSecond: 1, burst: 300),
                    .atOnce { _ in
                        calls.withLock { $0 += 1 }
                        return [:]
                    }),
                Verb("test", .ofTests, for: .guests, .atOnce { _ in ["guest": true] }),
                Verb("test/broken", .ofTests, .atOnce { _ in throw TestFailure("what nobody is to see") }),
            ])
            let client = try Client(broker, "vitals/v1/users/+/responses/#", "vitals/v1/accounts/responses/#")
            defer { client.stop() }
            consumer.start()
            defer { consumer.stop() }
            // Requests from before its subscription are not answered.
            try broker.waitForLog("vitals/v1/users/+/requests/#")
            try body(client, calls, broker)
        }
    }

    /// Publishes a request and returns the reply that comes at `topic`.
    private func ask(
        _ client: Client, _ topic: String, _ payload: String = #"{"word":"hello"}"#, replyAt asked: String?,
        at expected: String? = nil, correlationData: [UInt8]? = nil, isCarried: Bool = true,
        retain: Bool = false
    ) throws -> Reply {
        client.session.publish(
            Message(
                topic: "vitals/v1/\(topic)", payload: Array(payload.utf8), qos: .atLeastOnce, retain: retain,
                properties: Message.Properties(responseTopic: asked, correlationData: correlationData)))
        let place = expected ?? asked ?? ""
        return try client.wait("a reply at \(place)") { message in
            guard message.topic == place else { return nil }
            #expect(message.properties?.correlationData == (isCarried ? correlationData : nil))
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

    @Test("takes back what only a reply had where the reply does not leave, and does the request again")
    func unsent() throws {
        // It is not connected, and takes nothing.
        let session = Session(Options(host: "127.0.0.1", port: 1, clientID: "desk"))
        let desk = Desk(session, try Topics())
        let calls = Mutex(0)
        let takenBack = Mutex(0)
        desk.register([
            Verb(
                "sign-in", .ofTests, for: .guests,
                .later { request in
                    calls.withLock { $0 += 1 }
                    request.unheard.takeBack = { takenBack.withLock { $0 += 1 } }
                    request.done(["password": "x"])
                })
        ])
        for time in 1...2 {
            desk.collect(
                Message(
                    topic: "vitals/v1/accounts/sign-in", payload: Array("{}".utf8), qos: .atLeastOnce,
                    properties: Message.Properties(
                        responseTopic: "vitals/v1/accounts/responses/\(Self.drawn)", correlationData: [1, 2])))
            desk.answerCollected()
            #expect(calls.withLock { $0 } == time)
            #expect(takenBack.withLock { $0 } == time)
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

    @Test(
        "is not thrown out by the broker for where it is asked to reply: such a request is refused before anything is done"
    )
    func harmfulResponses() throws {
        try withDeskAndBroker { client, calls, broker in
            let mine = "vitals/v1/users/ada/responses"
            let listed = "\(mine)/test/count"
            let root = "\(mine)/"
            for tail in [
                Array(repeating: "a", count: 250).joined(separator: "/"),
                Array(repeating: "a", count: 17).joined(separator: "/"), String(repeating: "/", count: 198),
                String(repeating: "a", count: 1025 - root.utf8.count), String(repeating: "ä", count: 30_000),
            ] {
                let asker = try RiskyAsker(port: broker.port, "\(mine)/#")
                let payload = try asker.ask("vitals/v1/users/ada/requests/test/count", replyAt: root + tail, at: listed)
                guard let payload else {
                    // The broker has not handed it on, and has ended the connection of the client that sent it.
                    #expect(tail.split(separator: "/", omittingEmptySubsequences: false).count > 195)
                    continue
                }
                let reply = try Reply(payload: payload)
                guard case .error(let error) = reply.outcome else { throw TestFailure("\(tail.prefix(40)) was taken") }
                #expect(error.code == .badRequest && error.field == "response topic")
            }
            #expect(calls.withLock { $0 } == 0)
            for tail in [
                Array(repeating: "a", count: 15).joined(separator: "/"),
                String(repeating: "a", count: 1024 - root.utf8.count),
            ] {
                let reply = try ask(client, "users/ada/requests/test/count", replyAt: root + tail)
                #expect(code(reply) == nil)
            }
            // The broker has had one session of the consumer's from the beginning.
            #expect(broker.log.components(separatedBy: " as vitals-consumer-").count == 2)
        }
    }

    @Test("refuses correlation data of more than a kilobyte, and carries up to that back")
    func correlationData() throws {
        try withDesk { client, calls in
            let mine = "vitals/v1/users/ada/responses/phone"
            let most = Array(repeating: 7 as UInt8, count: 1024)
            #expect(try code(ask(client, "users/ada/requests/test/count", replyAt: mine, correlationData: most)) == nil)
            for count in [1025, 65_535] {
                let data = Array(repeating: 7 as UInt8, count: count)
                let reply = try ask(
                    client, "users/ada/requests/test/count", replyAt: mine, correlationData: data, isCarried: false)
                guard case .error(let error) = reply.outcome else { throw TestFailure("\(count) bytes were taken") }
                #expect(error.code == .badRequest && error.field == "correlation data")
            }
            #expect(calls.withLock { $0 } == 1)
        }
    }

    @Test("slows down who asks too much for replies that are refused, too", arguments: ["elsewhere", "retained"])
    func floodsOfRefusals(_ kind: String) throws {
        try withDesk { client, _ in
            let listed = "vitals/v1/users/ada/responses/test/count"
            var codes: Set<ReplyError.Code?> = []
            for _ in 1...200 where !codes.contains(.rateLimited) {
                let asked = kind == "elsewhere" ? "vitals/v1/gateways/home/control" : listed
                codes.insert(
                    code(
                        try ask(
                            client, "users/ada/requests/test/count", replyAt: asked, at: listed,
                            retain: kind == "retained")))
            }
            #expect(codes == [.badRequest, .rateLimited])
        }
    }

    @Test("answers requests for what has no id, too, once each, and says which field is wrong")
    func namesThatAreNone() throws {
        try withDesk { client, _ in
            for name in [
                "Test/count", "test/COUNT", "test", "test/count/more", "ä/b", " / ",
                "_/\(String(repeating: "x", count: 300))",
            ] {
                let listed = "vitals/v1/users/ada/responses/\(name)"
                #expect(try code(ask(client, "users/ada/requests/\(name)", replyAt: nil, at: listed)) == .notSupported)
                let mine = "vitals/v1/users/ada/responses/phone"
                let reply = try ask(client, "users/ada/requests/\(name)", replyAt: mine, correlationData: [9])
                #expect(code(reply) == .notSupported)
            }
            let drawn = "vitals/v1/accounts/responses/\(Self.drawn)"
            for name in ["Test", "TEST", "ä"] {
                #expect(try code(ask(client, "accounts/\(name)", replyAt: drawn)) == .notSupported)
            }
            let wrong = [("{", "payload"), ("[]", "payload"), (#"{"id":[]}"#, "id"), (#"{"a":1,"a":2}"#, "payload")]
            for (payload, field) in wrong + [(#"{"word":"\#(String(repeating: "x", count: 5000))"}"#, "payload")] {
                let reply = try ask(
                    client, "users/ada/requests/test/count", payload, replyAt: "vitals/v1/users/ada/responses/phone")
                guard case .error(let error) = reply.outcome else { throw TestFailure("\(payload) was taken") }
                #expect(error.code == .badRequest && error.field == field, "\(payload.prefix(40))")
            }
        }
    }

    @Test("has the broker keep nothing under the filters of requests, whatever its topic and whenever it was published")
    func keptRequests() throws {
        try withDeskAndBroker { client, calls, broker in
            let places = [
                "users/ada/requests/test/count", "users/ada/requests/Test/count", "users/ada/requests/a/b/c/d",
                "users/ada/requests", "users/ADA/requests/x/y",
                "users/\(String(repeating: "u", count: 400))/requests/x/y",
                "users/ada/requests/\(String(repeating: "long", count: 500))",
                "users/ada/requests/" + Array(repeating: "a", count: 190).joined(separator: "/"),
                "accounts/test", "accounts/Nonsense", "accounts/\(String(repeating: "x", count: 2000))",
                "gateways/nowhere/requests/scan", "gateways/Nowhere/requests/a/b", "gateways/x/sensors/_/steps/get",
                "gateways/x/sensors/strap/temperature/get",
            ]
            let observer = try Client(broker, isRecorded: false, "vitals/v1/#")
            defer { observer.stop() }
            for place in places {
                client.session.publish(
                    Message(topic: "vitals/v1/\(place)", payload: [1], qos: .atLeastOnce, retain: true))
            }
            try expectNothingIsKept(at: places, observer, broker)
            #expect(calls.withLock { $0 } == 0)
        }
    }

    @Test("has the broker forget requests that were published to be kept while nobody was there")
    func keptWhileAway() throws {
        try Broker.with { broker in
            let household = try Household()
            let settings = try household.settings(port: broker.port, more: "accounts: {}, broker_rules: {},")
            _ = try Keys(settings, .create)
            let client = try Client(broker, "vitals/v1/users/+/responses/#")
            defer { client.stop() }
            let places = [
                "users/ada/requests/account/get", "users/ada/requests/No/thing", "accounts/sign-up",
                "gateways/nowhere/requests/scan",
            ]
            for place in places {
                client.session.publish(
                    Message(topic: "vitals/v1/\(place)", payload: [1], qos: .atLeastOnce, retain: true))
            }
            let observer = try Client(broker, isRecorded: false, "vitals/v1/#")
            defer { observer.stop() }
            let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
            consumer.start()
            defer { consumer.stop() }
            try expectNothingIsKept(at: places, observer, broker)
        }
    }

    /// Waits until what was published at some topics has been taken back, as an observer sees it; who comes later finds
    /// nothing.
    private func expectNothingIsKept(at places: [String], _ observer: Client, _ broker: Broker) throws {
        for place in places {
            _ = try observer.wait("what takes \(place.prefix(100)) back") { message in
                message.topic == "vitals/v1/\(place)" && message.payload.isEmpty ? true : nil
            }
        }
        let late = try Client(
            broker, isRecorded: false, "vitals/v1/users/#", "vitals/v1/accounts/#", "vitals/v1/gateways/#", "marker")
        defer { late.stop() }
        late.publish([], to: "marker")
        _ = try late.wait("the marker") { $0.topic == "marker" ? true : nil }
        #expect(!late.hasReceived { message in places.contains { message.topic == "vitals/v1/\($0)" } })
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
            // One of too many is not read if it is long: its reply does not know its id.
            for (spaces, id) in [(0, .string("mine")), (2000, nil)] as [(Int, RequestID?)] {
                let payload = "{\(String(repeating: " ", count: spaces))\"id\":\"mine\"}"
                var found: Reply?
                for _ in 1...200 where found == nil {
                    let reply = try ask(client, "users/ada/requests/test/count", payload, replyAt: mine)
                    if code(reply) == .rateLimited { found = reply }
                }
                #expect(try #require(found).id == id)
            }
            let eve = try ask(
                client, "users/eve/requests/test/count", replyAt: "vitals/v1/users/eve/responses/phone")
            #expect(code(eve) == nil)
        }
    }

    @Test(
        "answers people who defend themselves while a thief with one of their devices floods something else",
        arguments: ["test/count", "account/get", "devices/list"])
    func defence(_ flooded: String) throws {
        try withDesk { client, _ in
            let root = "vitals/v1/users/ada/responses"
            let verbs = [
                "devices/list", "devices/revoke", "account/sign-out", "account/change-password", "account/delete",
                "reset-all/ask", "reset-all/confirm",
            ]
            for verb in verbs where verb != flooded {
                for _ in 1...400 {
                    client.session.publish(
                        Message(
                            topic: "vitals/v1/users/ada/requests/\(flooded)", payload: Array("{}".utf8),
                            properties: Message.Properties(responseTopic: "\(root)/flood")))
                }
                let reply = try ask(client, "users/ada/requests/\(verb)", "{}", replyAt: "\(root)/\(verb)")
                #expect(code(reply) != .rateLimited, "\(verb)")
            }
            // The flood was one.
            _ = try client.wait("a request that is refused") { message -> Bool? in
                guard message.topic == "\(root)/flood" else { return nil }
                return code(try Reply(payload: message.payload)) == .rateLimited ? true : nil
            }
            let other = try ask(
                client, "users/ada/requests/devices/revoke", #"{"device":"lost"}"#, replyAt: "\(root)/last")
            #expect(code(other) == .notFound)
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
}

extension RequestContract {
    /// Nobody describes what only a test asks.
    fileprivate static let ofTests = RequestContract("A test asks this.", answers: .anything)
}
