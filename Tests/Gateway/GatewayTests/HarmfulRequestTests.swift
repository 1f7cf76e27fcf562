import Foundation
import MQTT
import Telemetry
import TestSupport
import Testing

/// What people may send to a gateway, and must not take it off its broker, or fill the broker's memory.
@Suite("Harmful requests to a gateway", .timeLimit(.minutes(60)))
struct HarmfulRequestTests {
    private static let root = Home.topics

    /// Somebody of the household.
    private final class Somebody {
        let session: Session
        let heard = Record<Message>()

        init(_ home: Home, as user: String? = nil) throws {
            var options = Options(host: "127.0.0.1", port: home.broker.port, clientID: "somebody-\(UUID().uuidString)")
            options.username = user
            options.passwordFile = user.map { home.broker.folder.path("\($0).password") }
            session = Session(options)
            let granted = Record<Bool>()
            session.subscribe([Subscription("\(root)/#")]) { granted.append($1 == nil) }
            session.start(Handlers(received: { [heard] in heard.append($0) }))
            try granted.wait(for: 1)
        }

        deinit { session.stop() }

        func ask(
            _ topic: String, _ payload: String = "{}", replyAt asked: String?, at expected: String? = nil,
            correlationData: [UInt8]? = nil, isCarried: Bool = true, retain: Bool = false
        ) throws -> Reply {
            session.publish(
                Message(
                    topic: "\(root)/\(topic)", payload: Array(payload.utf8), qos: .atLeastOnce, retain: retain,
                    properties: Message.Properties(responseTopic: asked, correlationData: correlationData)))
            let place = expected.map { "\(root)/\($0)" } ?? asked ?? ""
            return try heard.take("a reply at \(place.prefix(100))") { message -> Reply? in
                guard message.topic == place else { return nil }
                #expect(message.properties?.correlationData == (isCarried ? correlationData : nil))
                return try Reply(payload: message.payload)
            }
        }
    }

    private func error(_ reply: Reply) throws -> ReplyError {
        guard case .error(let error) = reply.outcome else { throw TestFailure("it was done: \(reply)") }
        return error
    }

    @Test("are refused before anything is done, and the broker has no reason to end the gateway's connection")
    func harmfulResponses() throws {
        let home = try Home(sensors: "{}")
        let somebody = try Somebody(home)
        let responses = "\(Self.root)/responses/"
        for tail in [
            Array(repeating: "a", count: 250).joined(separator: "/"),
            Array(repeating: "a", count: 17).joined(separator: "/"), String(repeating: "/", count: 197),
            String(repeating: "a", count: 1025 - responses.utf8.count), String(repeating: "ä", count: 30_000),
        ] {
            for (topic, listed) in [
                ("requests/disconnect", "responses/disconnect"),
                ("sensors/strap/steps/get", "sensors/strap/steps/response"),
            ] {
                let asker = try RiskyAsker(port: home.broker.port, "\(Self.root)/#")
                let place = "\(Self.root)/\(listed)"
                guard let payload = try asker.ask("\(Self.root)/\(topic)", replyAt: responses + tail, at: place) else {
                    // The broker has not handed it on, and has ended the connection of the client that sent it.
                    #expect(tail.split(separator: "/", omittingEmptySubsequences: false).count > 195)
                    continue
                }
                let refusal = try error(Reply(payload: payload))
                #expect(refusal.code == .badRequest && refusal.field == "response topic")
            }
        }
        let long = responses + String(repeating: "a", count: 1024 - responses.utf8.count)
        #expect(try error(somebody.ask("requests/disconnect", replyAt: long)).field == "sensor")
        for count in [1025, 65_535] {
            let refusal = try error(
                somebody.ask(
                    "requests/disconnect", replyAt: long, correlationData: Array(repeating: 7, count: count),
                    isCarried: false))
            #expect(refusal.code == .badRequest && refusal.field == "correlation data")
        }
        let most = Array(repeating: 7 as UInt8, count: 1024)
        #expect(try error(somebody.ask("requests/disconnect", replyAt: long, correlationData: most)).field == "sensor")
        #expect(home.broker.log.components(separatedBy: " as vitals-gateway-home-").count == 2)
    }

    @Test("get one reply each, even if they name what has no id, and it says which field is wrong")
    func namesThatAreNone() throws {
        let home = try Home(sensors: "{}")
        // The broker's rules do not let others ask for anything that is not a request.
        let somebody = try Somebody(home, as: "home")
        for name in ["Strap", "STRAP", "ä", " ", String(repeating: "x", count: 300)] {
            let listed = "sensors/\(name)/steps/response"
            let refusal = try error(somebody.ask("sensors/\(name)/steps/get", replyAt: nil, at: listed))
            #expect(refusal.code == .unknownSensor)
            let mine = "\(Self.root)/responses/me"
            let other = try error(
                somebody.ask("sensors/\(name)/temperature/get", replyAt: mine, correlationData: [1, 2]))
            #expect(other.code == .unknownSensor)
        }
        for name in ["Scan", "nothing", "a/b", "ä", "", String(repeating: "x", count: 300)] {
            let refusal = try error(somebody.ask("requests/\(name)", replyAt: nil, at: "responses/\(name)"))
            #expect(refusal.code == .badRequest && refusal.field == "topic")
        }
        for (payload, field) in [("{", "payload"), ("[]", "payload"), (#"{"id":[]}"#, "id")] {
            let refusal = try error(somebody.ask("requests/scan", payload, replyAt: nil, at: "responses/scan"))
            #expect(refusal.code == .badRequest && refusal.field == field)
        }
    }

    @Test("in a flood get replies that say so, and most of them none")
    func floods() throws {
        let home = try Home(sensors: "{}")
        let somebody = try Somebody(home)
        let began = ContinuousClock.now
        func ask(_ request: String, replyAt topic: String) {
            let properties = Message.Properties(responseTopic: topic)
            somebody.session.publish(
                Message(
                    topic: "\(Self.root)/requests/\(request)", payload: [], qos: .atLeastOnce, properties: properties))
        }
        for _ in 1...1000 { ask("scan", replyAt: "vitals/v1/users/x/responses/y") }
        // The gateway answers these in turn: once there is room again, the flood is over.
        let last = "\(Self.root)/responses/last"
        var isOver = false
        while !isOver {
            ask("disconnect", replyAt: last)
            isOver = somebody.heard.first(within: .milliseconds(200)) { $0.topic == last } != nil
        }
        let codes = try somebody.heard.all.filter { $0.topic == "\(Self.root)/responses/scan" }
            .map { try error(Reply(payload: $0.payload)).code }
        #expect(Set(codes) == [.badRequest, .rateLimited])
        // 200 of each kind at once, and 10 a second.
        let seconds = Int((ContinuousClock.now - began).components.seconds) + 1
        #expect(codes.count <= 2 * (200 + 10 * seconds) && codes.count < 1000, "\(codes.count) in \(seconds) s")
    }

    @Test("are not kept by the broker, whatever their topic and whenever they were published")
    func keptRequests() throws {
        let home = try Home(sensors: "{}")
        let somebody = try Somebody(home, as: "home")
        let places = [
            "requests/scan", "requests/Scan", "requests/a/b/c", "requests", "sensors/_/steps/get",
            "sensors/strap/temperature/get", "requests/\(String(repeating: "x", count: 2000))",
        ]
        func publish() {
            for place in places {
                somebody.session.publish(
                    Message(topic: "\(Self.root)/\(place)", payload: [1], qos: .atLeastOnce, retain: true))
            }
        }
        func expectNothingIsKept() throws {
            for place in places {
                _ = try somebody.heard.take("what takes \(place.prefix(100)) back") { message in
                    message.topic == "\(Self.root)/\(place)" && message.payload.isEmpty ? true : nil
                }
            }
        }
        publish()
        try expectNothingIsKept()
        home.stopGateway()
        publish()
        try home.restartGateway()
        try expectNothingIsKept()
    }
}
