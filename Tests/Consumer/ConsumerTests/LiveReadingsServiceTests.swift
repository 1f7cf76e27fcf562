import Daemon
import HouseholdSupport
import MQTT
import Readings
import Records
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Features
@testable import vitals_consumer

/// What gateways send at once, at a running service.
@Suite("Live readings at the service", .timeLimit(.minutes(60)))
struct LiveReadingsServiceTests {
    @Test("reach every feature's service as soon as they come, and are not answered")
    func measured() throws {
        let household = try Household()
        let heard = Record<Listening.Heard>()
        let features = Feature.all + [.listening(heard)]
        try Broker.with { broker in
            let settings = try household.settings(port: broker.port, features: features)
            let key = try Keys(settings, .create).identity.publicKey
            let client = try Client(broker, "vitals/v1/gateways/#")
            defer { client.stop() }
            let consumer = try Consumer(settings, features: features, readiness: Readiness()) { Issue.record($0) }
            consumer.start()
            defer { consumer.stop() }
            guard case .grant(let grant) = try client.control(key).body else { throw TestFailure("no grant") }
            try broker.waitForLog("vitals/v1/gateways/+/live")
            try broker.waitForLog("vitals/v1/gateways/+/blocks")
            // As during a workout of somebody who has claimed the strap.
            let strap = try #require(SensorName("home/strap"))
            let person = PersonSettings(user: try ID("demo"), sensors: [strap], kinds: [.all, .live])
            let changed = try consumer.session.loop.sync {
                Result {
                    let changed = try consumer.streams.grants.settle([person], now: start)
                    consumer.sensorsChanged(changed)
                    return changed
                }
            }.get()
            #expect(changed == [strap])
            let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
            let live = "vitals/v1/gateways/home/live"
            // Nobody is asked for the key of a session that is not known.
            try client.publish(session.live(beat(0, 71)), to: live)
            client.publish(session.keyBlock, to: "vitals/v1/gateways/home/blocks")
            guard case .acknowledgement(let identities) = try client.control(key).body else {
                throw TestFailure("no acknowledgement")
            }
            #expect(identities == [session.identity(0)])
            let good = try session.live(beat(1000, 72))
            for block in [good, good, try session.live(beat(2000, 73))] { client.publish(block, to: live) }
            client.publish(good, to: "vitals/v1/gateways/next-door/live")
            try client.publish(session.live(beat(3000, 74)), to: live)
            let all = try heard.wait(for: 3)
            #expect(all.map(\.readings) == [[beat(1000, 72)], [beat(2000, 73)], [beat(3000, 74)]])
            #expect(all.allSatisfy { $0.user.text == "demo" && $0.sensor == strap })
            #expect(!client.hasReceived { $0.topic.hasSuffix("/control") })
            consumer.session.loop.sync {
                #expect(consumer.counts.live == 3 && consumer.counts.liveIgnored == 3)
            }
        }
    }
}

extension Feature {
    fileprivate static func listening(_ heard: Record<Listening.Heard>) -> Feature {
        Feature(name: "listening", service: { _ in Listening(heard) })
    }
}

private final class Listening: FeatureService {
    struct Heard {
        let readings: [Reading]
        let user: ID
        let sensor: SensorName
    }

    private let heard: Record<Heard>

    init(_ heard: Record<Heard>) { self.heard = heard }

    func measured(_ readings: [Reading], of user: ID, by sensor: SensorName) {
        heard.append(Heard(readings: readings, user: user, sensor: sensor))
    }
}
