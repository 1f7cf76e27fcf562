import Files
import Foundation
import HouseholdSupport
import MQTT
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Admission
@testable import Features
@testable import Music
@testable import vitals_consumer

@Suite("Music with workouts, at a broker that knows who is who", .timeLimit(.minutes(60)))
struct MusicServiceTests {
    @Test("starts, pauses and goes on with the workout of a person who wants it, and of nobody else")
    func workouts() throws {
        try AccountService.with { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            #expect(try device.done("music/get") == ["workouts": false])
            #expect(try device.refused("music/set", ["workouts": true]).code == .notFound)
            try service.enrol("gwada", of: user)
            let gateway = try AskedGateway("gwada", service)
            defer { gateway.stop() }
            #expect(try device.refused("music/set", ["gateway": "gwada"]).field == "workouts")
            #expect(try device.refused("music/set", ["workouts": true, "gateway": "other"]).code == .notFound)

            // Nothing was said yet: this one asks for no music.
            try device.done("workouts/start", ["activity": "running"])
            try device.done("workouts/cancel")
            #expect(try device.done("music/set", ["workouts": true]) == ["gateway": "gwada", "workouts": true])
            #expect(try device.done("music/get") == ["gateway": "gwada", "workouts": true])
            try device.done("workouts/start", ["activity": "running"])
            for (index, turn) in ["pause", "resume", "stop"].enumerated() {
                try gateway.asked.wait(for: index + 1)
                try device.done("workouts/\(turn)")
            }
            #expect(try gateway.asked.wait(for: 4) == ["play", "pause", "play", "pause"])

            try device.done("music/set", ["workouts": false])
            try device.done("workouts/start", ["activity": "running"])
            try device.done("workouts/cancel")
            try device.done("music/set", ["workouts": true])
            // Not of the household any more, whatever was said before.
            try service.setHousehold("gwada", false)
            try device.done("workouts/start", ["activity": "running"])
            try device.done("workouts/cancel")
            #expect(try device.refused("music/set", ["workouts": true]).code == .notFound)
            try service.setHousehold("gwada", true)
            // Somebody else's workouts.
            let (_, other) = try service.walker("bob@example.org")
            defer { other.stop() }
            #expect(try other.refused("music/set", ["workouts": true, "gateway": "gwada"]).code == .notFound)
            try other.done("workouts/start", ["activity": "running"])
            try other.done("workouts/cancel")
            // What was asked in between would have come first.
            try device.done("workouts/start", ["activity": "running"])
            try device.done("workouts/cancel")
            #expect(
                try gateway.asked.wait(for: 6) == ["play", "pause", "play", "pause", "play", "pause"])
            // A phone without a network tells late that one has begun, and only now that it is cancelled.
            try service.set(7200)
            try device.done("workouts/start", ["activity": "running", "at": .integer(start + 7_000_000)])
            try device.done("workouts/cancel")
            #expect(try gateway.asked.wait(for: 7).last == "pause")
        }
    }

    @Test("is not missed where the gateway does not play: the workout goes on")
    func refused() throws {
        try AccountService.with { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            try service.enrol("gwada", of: user)
            let gateway = try AskedGateway("gwada", service, answering: .error(ReplyError(.notFound, "Empty Playlist")))
            defer { gateway.stop() }
            try device.done("music/set", ["workouts": true])
            try device.done("workouts/start", ["activity": "running"])
            try gateway.asked.wait(for: 1)
            try device.done("workouts/pause")
            try gateway.asked.wait(for: 2)
            try device.done("workouts/resume")
            try gateway.asked.wait(for: 3)
            try device.done("workouts/stop")
            #expect(try gateway.asked.wait(for: 4) == ["play", "pause", "play", "pause"])
        }
    }

    @Test("is asked for once at a time, and then as it is wanted last")
    func oneAtATime() throws {
        try AccountService.with { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            try service.enrol("gwada", of: user)
            let gateway = try AskedGateway("gwada", service, answering: nil)
            defer { gateway.stop() }
            try device.done("music/set", ["workouts": true])
            try device.done("workouts/start", ["activity": "running"])
            try gateway.asked.wait(for: 1)
            for _ in 0..<5 {
                try device.done("workouts/pause")
                try device.done("workouts/resume")
            }
            try device.done("workouts/pause")
            #expect(gateway.asked.all == ["play"])
            try gateway.answerLast()
            #expect(try gateway.asked.wait(for: 2) == ["play", "pause"])
            try gateway.answerLast()
            try device.done("workouts/resume")
            #expect(try gateway.asked.wait(for: 3) == ["play", "pause", "play"])
        }
    }

    @Test("is for those to whom settings give a sensor only where there are no accounts", arguments: [false, true])
    func given(hasAccounts: Bool) throws {
        let more = hasAccounts ? "accounts: {}, broker_rules: {}," : ""
        let settings = try Household().settings(port: 1, more: more)
        let gateways = try WorkoutMusic.given(to: ID("demo"), in: settings)
        #expect(gateways.map(\.text) == (hasAccounts ? [] : ["home"]))
        #expect(try WorkoutMusic.given(to: ID("bob"), in: settings).isEmpty)
    }
}

/// A gateway, as far as it is asked about music.
private final class AskedGateway: Sendable {
    /// The last levels of the requests' topics.
    let asked = Record<String>()
    private let requests = Record<Message>()
    private let session: Session

    init(
        _ gateway: String, _ service: AccountService, answering outcome: Reply.Outcome? = .ok(["available": true])
    ) throws {
        var options = Options(host: "127.0.0.1", port: service.broker.port, clientID: "gateway-\(UUID().uuidString)")
        // The rules let the consumer hear everything.
        options.username = "consumer"
        options.passwordFile = service.broker.folder.path("consumer.password")
        let session = Session(options)
        self.session = session
        let granted = Record<Bool>()
        session.subscribe([Subscription("vitals/v1/gateways/\(gateway)/requests/music/+", qos: .atLeastOnce)]) {
            _, error in granted.append(error == nil)
        }
        session.start(
            Handlers(received: { [asked, requests] message in
                requests.append(message)
                asked.append(message.topic.split(separator: "/").last.map(String.init) ?? "")
                if let outcome { Self.answer(message, outcome, on: session) }
            }))
        guard try granted.wait(for: 1) == [true] else { throw TestFailure("no subscription") }
    }

    /// Answers what it was asked last.
    func answerLast() throws {
        guard let last = requests.all.last else { throw TestFailure("nothing was asked") }
        Self.answer(last, .ok(["available": true]), on: session)
    }

    private static func answer(_ message: Message, _ outcome: Reply.Outcome, on session: Session) {
        guard let place = message.properties?.responseTopic else { return }
        session.publish(
            Reply(outcome).bytes, to: place, qos: .atLeastOnce,
            properties: Message.Properties(correlationData: message.properties?.correlationData))
    }

    func stop() { session.stop() }
}

extension AccountService {
    /// A gateway that a person has enrolled for their household.
    fileprivate func enrol(_ gateway: String, of user: ID) throws {
        _ = try onSession { accounts in
            try accounts.context.store.change(user) { () throws(VaultError) in
                try accounts.context.store.database.execute(
                    """
                    INSERT INTO gateways (gateway, owner, identity, credential, claim_key, household, enrolled_ms)
                    VALUES (?, ?, randomblob(32), x'00', x'00', 1, 0)
                    """, [.text(gateway), .text(user.text)])
            }
        }
    }

    fileprivate func setHousehold(_ gateway: String, _ isHousehold: Bool) throws {
        _ = try onSession { accounts in
            try accounts.context.store.database.execute(
                "UPDATE gateways SET household = ? WHERE gateway = ?",
                [.integer(isHousehold ? 1 : 0), .text(gateway)])
        }
    }
}
