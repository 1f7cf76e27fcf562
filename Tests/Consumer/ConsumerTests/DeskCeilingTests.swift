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

/// A subscriber that does not read makes the broker keep what is replied, as often as it has subscribed.
@Suite("What the desk replies to those who ask a lot", .timeLimit(.minutes(60)))
struct DeskCeilingTests {
    private static let drawn = "vitals/v1/accounts/responses/0123456789abcdef0123456789abcdef"
    private static let other = "vitals/v1/accounts/responses/fedcba9876543210fedcba9876543210"

    private static var verbs: [Verb] {
        [
            Verb("test/refused", .ofTests, .atOnce { _ in throw ReplyError(.notFound, "there is nothing") }),
            Verb("test/done", .ofTests, .atOnce { _ in [:] }),
            Verb(
                "test/defended", .ofTests, own: .defence,
                .atOnce { _ in throw ReplyError(.notFound, "there is nothing") }),
            Verb(
                "test/part", .ofTests, bulk: Allowance(perSecond: 200, burst: 400),
                .atOnce { _ in ["part": .string(String(repeating: "x", count: 60 << 10))] }),
            Verb("refused", .ofTests, for: .guests, .atOnce { _ in throw ReplyError(.notFound, "there is nothing") }),
            Verb("other", .ofTests, for: .guests, .atOnce { _ in throw ReplyError(.notFound, "there is nothing") }),
            Verb("done", .ofTests, for: .guests, .atOnce { _ in [:] }),
        ]
    }

    /// A consumer with a broker that lets everybody do everything.
    private func withDesk(_ body: (Client, Desk) throws -> Void) throws {
        try Broker.with { broker in
            let household = try Household()
            let settings = try household.settings(port: broker.port, more: "accounts: {}, broker_rules: {},")
            _ = try Keys(settings, .create)
            let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
            consumer.desk.register(Self.verbs)
            let client = try Client(broker, "vitals/v1/users/+/responses/#", "vitals/v1/accounts/responses/#")
            defer { client.stop() }
            consumer.start()
            defer { consumer.stop() }
            // Requests from before its subscription are not answered.
            try broker.waitForLog("vitals/v1/users/+/requests/#")
            try body(client, consumer.desk)
        }
    }

    private func ask(
        _ client: Client, _ topic: String, _ payload: String = "{}", replyAt asked: String, _ data: [UInt8]? = nil
    ) {
        client.session.publish(
            Message(
                topic: "vitals/v1/\(topic)", payload: Array(payload.utf8), qos: .atLeastOnce,
                properties: Message.Properties(
                    responseTopic: asked, correlationData: data, messageExpirySeconds: 600)))
    }

    /// Waits for the reply to the latest request, which is the only one there.
    /// - Returns: the code of its refusal, nil if it was done; and of what came elsewhere before it.
    private func replies(
        _ client: Client, until topic: String
    ) throws -> (last: ReplyError.Code?, others: [ReplyError.Code?]) {
        let last = try client.wait("a reply at \(topic)") { $0.topic == topic ? $0 : nil }
        let others = try client.received.map { try code(Reply(payload: $0.payload)) }
        return (try code(Reply(payload: last.payload)), others)
    }

    private func code(_ reply: Reply) -> ReplyError.Code? {
        if case .error(let error) = reply.outcome { error.code } else { nil }
    }

    @Test("guests hear the first refusals, a flood hears few more, and those who ask something else hear theirs")
    func guests() throws {
        try withDesk { client, _ in
            let began = ContinuousClock.now
            for _ in 1...1000 { ask(client, "accounts/refused", replyAt: Self.drawn) }
            // The consumer replies in turn.
            ask(client, "accounts/done", replyAt: Self.other)
            let flood = try replies(client, until: Self.other)
            let seconds = Int((ContinuousClock.now - began).components.seconds) + 1
            #expect(flood.last == nil && Set(flood.others).isSubset(of: [.notFound, .rateLimited]))
            // 40 of each kind at once, and 2 a second.
            #expect((40...2 * (40 + 2 * seconds)).contains(flood.others.count), "\(flood.others.count) in \(seconds) s")
            ask(client, "accounts/other", replyAt: Self.other)
            #expect(try replies(client, until: Self.other).last == .notFound)
            ask(client, "users/ada/requests/test/refused", replyAt: "vitals/v1/users/ada/responses/a")
            #expect(try replies(client, until: "vitals/v1/users/ada/responses/a").last == .notFound)
        }
    }

    @Test("a person hears the first refusals, and defends themselves while a thief asks for more; others hear theirs")
    func persons() throws {
        try withDesk { client, _ in
            let (ada, eve) = ("vitals/v1/users/ada/responses", "vitals/v1/users/eve/responses")
            let began = ContinuousClock.now
            for _ in 1...1000 { ask(client, "users/ada/requests/test/refused", replyAt: "\(ada)/flood") }
            ask(client, "users/ada/requests/test/defended", replyAt: "\(ada)/last")
            let flood = try replies(client, until: "\(ada)/last")
            let seconds = Int((ContinuousClock.now - began).components.seconds) + 1
            #expect(flood.last == .notFound && Set(flood.others).isSubset(of: [.notFound, .rateLimited]))
            #expect((50...2 * (60 + 2 * seconds)).contains(flood.others.count), "\(flood.others.count) in \(seconds) s")
            ask(client, "users/eve/requests/test/refused", replyAt: "\(eve)/a")
            #expect(try replies(client, until: "\(eve)/a").last == .notFound)
        }
    }

    @Test("a refusal that is asked for again counts again")
    func again() throws {
        try withDesk { client, _ in
            let began = ContinuousClock.now
            for _ in 1...90 { ask(client, "accounts/refused", replyAt: Self.drawn, [1]) }
            ask(client, "accounts/done", replyAt: Self.other)
            let heard = try replies(client, until: Self.other).others
            let seconds = Int((ContinuousClock.now - began).components.seconds) + 1
            #expect(heard.count <= 40 + 2 * seconds, "\(heard.count) in \(seconds) s")
        }
    }

    @Test("guests get back Correlation Data of at most 64 bytes; people get back more")
    func correlationData() throws {
        try withDesk { client, _ in
            for (count, isCarried) in [(64, true), (65, false), (1024, false)] {
                let data = Array(repeating: 7 as UInt8, count: count)
                for name in ["done", "refused"] {
                    ask(client, "accounts/\(name)", replyAt: Self.drawn, data)
                    let reply = try client.wait("a reply") { $0.topic == Self.drawn ? $0 : nil }
                    #expect(reply.properties?.correlationData == (isCarried ? data : nil), "\(count)")
                    guard !isCarried else { continue }
                    guard case .error(let error) = try Reply(payload: reply.payload).outcome else {
                        throw TestFailure("\(count) bytes were taken")
                    }
                    #expect(error.code == .badRequest && error.field == "correlation data")
                }
            }
            let data = Array(repeating: 7 as UInt8, count: 1024)
            let place = "vitals/v1/users/ada/responses/a"
            ask(client, "users/ada/requests/test/done", replyAt: place, data)
            let reply = try client.wait("a reply") { $0.topic == place ? $0 : nil }
            #expect(reply.properties?.correlationData == data)
        }
    }

    @Test("a person gets 8 MiB at once and then has to wait, except to defend themselves; others get theirs")
    func bytes() throws {
        try withDesk { client, _ in
            let (ada, eve) = ("vitals/v1/users/ada/responses", "vitals/v1/users/eve/responses")
            let began = ContinuousClock.now
            for _ in 1...200 { ask(client, "users/ada/requests/test/part", replyAt: "\(ada)/part") }
            ask(client, "users/ada/requests/test/defended", replyAt: "\(ada)/last")
            let parts = try replies(client, until: "\(ada)/last")
            let seconds = Int((ContinuousClock.now - began).components.seconds) + 1
            #expect(parts.last == .notFound && Set(parts.others).isSubset(of: [nil, .rateLimited]))
            // 60 KiB each.
            let done = parts.others.count { $0 == nil }
            #expect(done > 130 && done <= (8 + seconds) * 1024 / 60 + 1, "\(done) in \(seconds) s")
            ask(client, "users/eve/requests/test/part", replyAt: "\(eve)/part")
            #expect(try replies(client, until: "\(eve)/part").last == nil)
        }
    }
}

extension RequestContract {
    /// Nobody describes what only a test asks.
    fileprivate static let ofTests = RequestContract("A test asks this.", answers: .anything)
}
