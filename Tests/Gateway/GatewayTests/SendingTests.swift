import Foundation
import MQTT
import Storage
import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

/// An outbox at the home's broker, and a consumer's place there: what comes on `blocks` and `live`, and what is said in its
/// name.
final class Line {
    let bench: Bench
    let broker: Broker
    let outbox: Outbox
    let blocks = Record<[UInt8]>()
    let grants = Record<[UInt8]>()
    let live = Record<[UInt8]>()
    /// Each time that the gateway has heard of a consumer.
    let presences = Record<Void>()
    private let session: Session
    private let consumer: Session

    init(kinds: Grant.Kinds = .all) throws {
        bench = try Bench()
        broker = try Broker.home()
        try broker.start()
        let settings = try bench.settings(
            #"port: \#(broker.port), username: "home", password_file: "\#(broker.folder.path("home.password"))""#)
        let topics = settings.topics
        var own = settings.broker
        own.clientID = "gateway"
        session = Session(own)
        outbox = try Outbox(settings, publishingOn: session)
        let (outbox, presences) = (outbox, presences)
        try outbox.start {}
        session.subscribe([.init(topics.everyConsumer(), qos: .atLeastOnce)])
        session.start(
            Handlers(
                stateChanged: { state in
                    if case .connected = state {
                        outbox.brokerChanged(isConnected: true)
                    } else {
                        outbox.brokerChanged(isConnected: false)
                    }
                },
                received: { message in
                    guard case .consumer(let store, let instance) = topics.parse(message.topic) else { return }
                    let status = try? StatusPayload(payload: message.payload)
                    outbox.consumerChanged(store, instance, isOnline: status?.state == .online)
                    presences.append(())
                }))

        var options = MQTT.Options(host: "127.0.0.1", port: UInt16(broker.port), clientID: "consumer")
        options.username = "consumer"
        options.passwordFile = broker.folder.path("consumer.password")
        consumer = Session(options)
        consumer.subscribe(
            [GatewayTopic.blocks, .grants, .live].map { .init(topics[settings.gateway, $0], qos: .atLeastOnce) })
        let online = Message(
            topic: topics[.consumer(store: StoreID(high: 0, low: 1), instance: try ID("one"))],
            payload: StatusPayload(.online, time: 0).bytes, qos: .atLeastOnce, retain: true)
        let records = [
            topics[settings.gateway, .blocks]: blocks, topics[settings.gateway, .grants]: grants,
            topics[settings.gateway, .live]: live,
        ]
        let consumer = consumer
        consumer.start(
            Handlers(
                stateChanged: { if case .connected = $0 { consumer.publish(online) } },
                received: { records[$0.topic]?.append($0.payload) }))
        outbox.receive(grant: try bench.signed(.grant(bench.grant(kinds: kinds))), for: bench.strap)
        outbox.settle()
    }

    deinit {
        outbox.stop(within: .zero)
        consumer.stop()
        session.stop()
        broker.stop()
    }

    /// Waits for the block of a sequence number; its bytes.
    func block(_ sequence: UInt64) -> [UInt8]? {
        blocks.first { (try? BlockHeader(startOf: $0))?.identity.sequence == sequence }
    }
}

@Suite("Outbox and broker", .timeLimit(.minutes(60)))
struct SendingTests {
    @Test("sends the key block, then the readings, as they are in the database")
    func sends() throws {
        let line = try Line()
        #expect(try line.outbox.keep((0..<64).map { reading($0) }, from: line.bench.strap))
        let (key, readings) = (line.block(0), line.block(1))
        #expect(try [key, readings] == line.bench.waiting().map(\.bytes))
        #expect(line.blocks.all.first == key)
    }

    @Test("answers a key request with the key block and, verbatim, the grant under which it was made")
    func keyRequest() throws {
        let line = try Line()
        #expect(try line.outbox.keep([reading(1)], from: line.bench.strap))
        let key = try #require(line.block(0))
        line.blocks.removeAll()
        let session = try BlockHeader(startOf: key).identity.session
        line.outbox.receive(control: try line.bench.signed(.keyRequest(line.bench.stream, session)))
        #expect(line.block(0) == key)
        let grant = try line.bench.signed(.grant(line.bench.grant()))
        #expect(line.grants.first { _ in true } == grant)
    }

    @Test("hands back its grant to a consumer whose store is older, sends it nothing else, and says so")
    func olderStore() throws {
        let line = try Line()
        let (ours, other, one) = (StoreID(high: 0, low: 1), StoreID(high: 0, low: 2), try ID("one"))
        let newest = try line.bench.signed(.grant(line.bench.grant(serial: 9)))
        line.outbox.receive(grant: newest, for: line.bench.strap)
        line.outbox.settle()
        try line.presences.wait(for: 1)
        #expect(line.outbox.health.consumer == .online)
        line.outbox.consumerChanged(ours, one, isOnline: false)
        #expect(line.outbox.health.consumer == .offline && line.grants.all.isEmpty)
        line.outbox.consumerChanged(other, one, isOnline: true)
        let old = try line.bench.signed(.grant(line.bench.grant(serial: 8)), store: 2)
        line.outbox.receive(grant: old, for: line.bench.strap)
        #expect(line.grants.first { _ in true } == newest)
        #expect(line.outbox.health.consumer == .older)
        #expect(try line.outbox.keep([reading(1)], from: line.bench.strap))
        line.outbox.settle()
        #expect(line.blocks.all.isEmpty)
    }

    @Test("sends at once again what is not acknowledged when the consumer says once more that it is there")
    func consumerSpeaksAgain() throws {
        let line = try Line()
        #expect(try line.outbox.keep([reading(1)], from: line.bench.strap))
        let key = try #require(line.block(0))
        line.blocks.removeAll()
        let begin = ContinuousClock.now
        line.outbox.consumerChanged(StoreID(high: 0, low: 1), try ID("one"), isOnline: true)
        #expect(line.block(0) == key)
        // By itself, it would be sent again after 4 s at the earliest.
        #expect(ContinuousClock.now - begin < .seconds(3))
        // Whoever says so all the time has it sent once.
        line.blocks.removeAll()
        for _ in 0..<50 {
            line.outbox.consumerChanged(StoreID(high: 0, low: 1), try ID("one"), isOnline: true)
        }
        line.outbox.loop.sync {}
        #expect(line.blocks.all.isEmpty)
    }

    @Test("tries again by itself when a block could not be made")
    func triesAgain() throws {
        let line = try Line()
        let fault = try line.bench.database()
        try fault.execute(
            "CREATE TRIGGER fault BEFORE INSERT ON blocks WHEN new.sequence > 0 BEGIN SELECT raise(abort, 'full'); END")
        #expect(try !line.outbox.keep((0..<64).map { reading($0) }, from: line.bench.strap))
        try fault.execute("DROP TRIGGER fault")
        // Nothing more comes from the sensor. A number whose block was thrown away is not used again.
        let block = line.blocks.first { (try? BlockHeader(startOf: $0))?.kind == .readings }
        #expect(block != nil)
        #expect(try line.bench.opened(line.bench.waiting()).map(\.steps) == [Array(0..<64)])
        #expect(try line.bench.store().journalCount() == 0)
    }

    @Test("sends the same bytes again after the broker was away, and stops when they are acknowledged")
    func brokerRestarts() throws {
        let line = try Line()
        #expect(try line.outbox.keep((0..<64).map { reading($0) }, from: line.bench.strap))
        let first = try #require(line.block(1))
        line.broker.kill()
        line.blocks.removeAll()
        try line.broker.start()
        #expect(line.block(1) == first)
        let identities = try line.bench.waiting().map(\.identity)
        line.outbox.receive(control: try line.bench.signed(.acknowledgement(identities)))
        #expect(line.outbox.health.outbox.blocks == 0)
    }
}
