import Daemon
import Foundation
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

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
}
