import Daemon
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Features
@testable import Insight
@testable import vitals_consumer

@Suite("The last minute of heart rate, with a broker", .timeLimit(.minutes(60)))
struct LatestMinuteServiceTests {
    @Test("is retained there for five minutes, and told again to a broker that has forgotten it")
    func wholeWay() throws {
        let household = try Household()
        let broker = try Broker(configuration: ["allow_anonymous true"])
        try broker.start()
        let settings = try household.settings(port: broker.port, more: "accounts: {}, broker_rules: {},")
        let key = try Keys(settings, .create).identity.publicKey
        let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.start()
        defer { consumer.stop() }
        // Of two minutes ago; of the one after there is something, too.
        let minute = unixMilliseconds() / 60_000 - 2
        do {
            let client = try Client(broker, "vitals/v1/gateways/#", "vitals/v1/users/+/heart-rate")
            defer { client.stop() }
            guard case .grant(let grant) = try client.control(key).body else { throw TestFailure("no grant") }
            let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
            let block = try session.block(
                [60, 71, 80].enumerated().map { index, rate in
                    Reading(
                        at: Moment(wall: minute * 60_000 + Int64(index) * 29_000, monotonic: UInt64(index)),
                        .heartRate(HeartRateMeasurement(beatsPerMinute: rate)))
                } + [
                    Reading(
                        at: Moment(wall: minute * 60_000 + 60_000, monotonic: 9),
                        .heartRate(HeartRateMeasurement(beatsPerMinute: 99)))
                ])
            client.publish(session.keyBlock, to: "vitals/v1/gateways/home/blocks")
            client.publish(block, to: "vitals/v1/gateways/home/blocks")
            let payload = try client.wait("the minute") {
                $0.topic.hasSuffix("users/demo/heart-rate") ? $0.payload : nil
            }
            #expect(
                payload == Array("{\"time\":\(minute * 60_000),\"bpm\":70,\"min\":60,\"max\":80}".utf8))
        }
        broker.kill()
        try broker.start()
        let client = try Client(broker, "vitals/v1/users/demo/heart-rate")
        defer { client.stop() }
        let seconds = try client.wait("the minute again, or the one after") { message in
            let time = try JSON(payload: message.payload)["time"]
            #expect([minute, minute + 1].map { JSON.integer($0 * 60_000) }.contains(time))
            return message.properties?.messageExpirySeconds
        }
        #expect((1...300).contains(seconds))
    }

    @Test("comes in a home without accounts, too, where the broker keeps nothing of it")
    func withoutAccounts() throws {
        let household = try Household()
        try Broker.with { broker in
            let settings = try household.settings(port: broker.port)
            let key = try Keys(settings, .create).identity.publicKey
            let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
            let client = try Client(broker, "vitals/v1/gateways/#", "vitals/v1/users/+/heart-rate")
            defer { client.stop() }
            consumer.start()
            defer { consumer.stop() }
            guard case .grant(let grant) = try client.control(key).body else { throw TestFailure("no grant") }
            let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
            let minute = unixMilliseconds() / 60_000 - 2
            let block = try session.block(
                [(0, 60), (29, 70), (60, 99)].map { second, rate in
                    Reading(
                        at: Moment(wall: minute * 60_000 + Int64(second) * 1000, monotonic: UInt64(second)),
                        .heartRate(HeartRateMeasurement(beatsPerMinute: UInt16(rate))))
                })
            client.publish(session.keyBlock, to: "vitals/v1/gateways/home/blocks")
            client.publish(block, to: "vitals/v1/gateways/home/blocks")
            let payload = try client.wait("the minute") {
                $0.topic.hasSuffix("users/demo/heart-rate") ? $0.payload : nil
            }
            #expect(payload == Array("{\"time\":\(minute * 60_000),\"bpm\":65,\"min\":60,\"max\":70}".utf8))
            try expectNothingRetained(broker, client, ID("demo"))
        }
    }

    /// A client that comes later gets nothing that was published before.
    private func expectNothingRetained(_ broker: Broker, _ client: Client, _ user: ID) throws {
        let topic = "vitals/v1/users/\(user)/heart-rate"
        let later = try Client(broker, topic)
        defer { later.stop() }
        client.publish(Array("{}".utf8), to: topic)
        _ = try later.wait("what comes next") { $0.payload == Array("{}".utf8) ? true : nil }
        #expect(later.received.allSatisfy { !$0.retain })
    }

    @Test("is looked for at few of the sensors that a gateway makes up")
    func madeUp() throws {
        try Circle.with { circle in
            for number in 0..<2000 {
                circle.client.session.publish(
                    Message(
                        topic: "vitals/v1/gateways/home/sensors/made-up-\(number)/heart-rate",
                        payload: Array("{\"time\":1,\"bpm\":99}".utf8), qos: .atLeastOnce))
            }
            _ = try circle.ask(ID("demo"), "statistics/today")
            let lookups = try circle.onSession { [consumer = circle.consumer] _ in
                consumer.features.only(LiveMinutes.self)?.owners.count ?? 0
            }
            // Two hundred at once, and ten a second for as long as this takes.
            #expect((200..<2000).contains(lookups), "\(lookups)")
        }
    }

    @Test("is made of what gateways publish live if somebody is not recorded, and nothing of it is kept anywhere")
    func notRecorded() throws {
        try Circle.with { circle in
            let demo = try ID("demo")
            func beat(_ sensor: String, _ payload: String) throws {
                circle.client.session.publish(
                    Message(
                        topic: "vitals/v1/gateways/home/sensors/\(sensor)/heart-rate", payload: Array(payload.utf8),
                        qos: .atLeastOnce))
                // What was published before this request was read before it, too.
                _ = try circle.ask(demo, "statistics/today")
            }
            // As long as it is recorded, the minute is made of what is stored.
            for _ in 0..<2 {
                try beat("strap", "{\"time\":1,\"bpm\":99}")
                circle.advance(60_000)
            }
            try circle.onSession { context in
                for stream in try context.store.latestStreams() where stream.owner == demo {
                    try context.store.change(demo) { () throws(VaultError) in
                        try context.store.setKinds([.steps, .temperature], of: stream, now: 1)
                    }
                }
                context.changes.sensorsChanged(nil)
            }
            let minute = circle.now / 60_000
            for rate in [60, 80] { try beat("strap", "{\"time\":1,\"bpm\":\(rate),\"contact\":true}") }
            for noise in ["{\"time\":1,\"bpm\":0}", "{\"time\":1,\"bpm\":200,\"contact\":false}", "nonsense"] {
                try beat("strap", noise)
            }
            try beat("nobodys", "{\"time\":1,\"bpm\":99}")
            circle.advance(60_000)
            try beat("strap", "{\"time\":1,\"bpm\":61}")
            let told = try #require(try circle.next(demo, "heart-rate"))
            #expect(told == ["bpm": 70, "max": 80, "min": 60, "time": .integer(minute * 60_000)])
            // The strap is taken off: the minute is published when it is over.
            circle.advance(60_000)
            try circle.onSession { [consumer = circle.consumer] _ in
                consumer.features.only(LiveMinutes.self)?.tellAll()
            }
            #expect(try circle.next(demo, "heart-rate")?["time"] == .integer((minute + 1) * 60_000))
            let kept = try circle.onSession { context in
                try ["blocks", "heart_rate_hours", "heart_rate_days"].map { table in
                    try context.store.database.first("SELECT count(*) FROM \(table)", row: Row.int)
                }
            }
            #expect(kept == [0, 0, 0])
            try expectNothingRetained(circle.broker, circle.client, demo)
        }
    }
}
