import Foundation
import MQTT
import Records
import Storage
import Synchronization
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Admission
@testable import Days
@testable import Features
@testable import Readings
@testable import Sensors
@testable import vitals_consumer

@Suite("Gateways whose owner has gone", .timeLimit(.minutes(20)))
struct GatewayEndTests {
    /// A gateway that the broker lets in, with what it leaves there.
    private final class Gateway {
        let session: Session
        private let states = Record<State>()

        init(_ name: String, of owner: ID, _ service: AccountService) throws {
            let id = try ID(name)
            let password = KeyFile.text(of: try RandomBytes.draw(32))
            let told = Record<RulesError?>()
            try service.onSession { accounts in
                let context = accounts.context
                let gateway = EnrolledGateway(
                    id: id, owner: owner, identity: try Ed25519.SigningKey(seed: .random()).publicKey,
                    isHousehold: false, enrolled: 1)
                try context.store.database.transaction { () throws(VaultError) in
                    try EnrolledGateways(store: context.store, keys: context.keys).write(
                        gateway, credential: BrokerCredential(password: password).bytes, codeKey: .random())
                }
                context.rules?.add(gateway: id, owner: owner, isHousehold: false, password: password) {
                    told.append($0)
                }
            }
            if let error = try told.wait(for: 1)[0] { throw error }
            var options = Options(host: "127.0.0.1", port: service.broker.port, clientID: "gateway-\(name)")
            options.username = name
            options.passwordFile = try service.broker.folder.write(password + "\n", to: "\(name).secret")
            session = Session(options)
            let states = states
            session.start(Handlers(stateChanged: { states.append($0) }))
            _ = try states.take("the connection") { if case .connected = $0 { true } else { nil } }
            let published = Record<Bool>()
            for topic in ["status", "info", "health", "sensors/strap/info", "sensors/watch/availability"] {
                session.publish(
                    [0x7B, 0x7D], to: "vitals/v1/gateways/\(name)/\(topic)", qos: .atLeastOnce, retain: true
                ) {
                    published.append($0 == nil)
                }
            }
            #expect(try published.wait(for: 5).allSatisfy { $0 })
        }

        /// Waits until the broker has thrown it out.
        func waitForEnd() throws {
            _ = try states.take("the end of the connection") { if case .waiting = $0 { true } else { nil } }
        }
    }

    /// The topics of a gateway under which the broker keeps something.
    private func kept(_ gateway: String, _ service: AccountService) throws -> Set<String> {
        var options = Options(host: "127.0.0.1", port: service.broker.port, clientID: "look-\(UUID().uuidString)")
        options.username = "consumer"
        options.passwordFile = service.broker.folder.path("consumer.password")
        let (session, messages, granted) = (Session(options), Record<Message>(), Record<Bool>())
        session.subscribe([Subscription("vitals/v1/gateways/\(gateway)/#"), Subscription("vitals/v1/end")]) {
            granted.append($1 == nil)
        }
        session.start(Handlers(received: { messages.append($0) }))
        defer { session.stop() }
        try granted.wait(for: 2)
        session.publish([1], to: "vitals/v1/end", qos: .atLeastOnce)
        var kept: Set<String> = []
        while true {
            let message = try messages.take("what is kept, or the end") { $0 }
            if message.topic == "vitals/v1/end" { return kept }
            if message.retain { kept.insert(String(message.topic.dropFirst("vitals/v1/gateways/\(gateway)/".count))) }
        }
    }

    @Test(
        "end with the account, with their names at the broker and what they left there, unless somebody has a claim on one"
    )
    func deletion() throws {
        try AccountService.with { service in
            let (ada, bob) = (try service.signUp("ada@example.org"), try service.signUp("bob@example.org"))
            let (user, other) = (try ID(ada.text("user")), try ID(bob.text("user")))
            let phone = try service.device(ada)
            let own = try Gateway("attic", of: user, service)
            let shared = try Gateway("hall", of: user, service)
            defer {
                phone.stop()
                for gateway in [own, shared] { gateway.session.stop() }
            }
            try service.onSession { accounts in
                let claims = Claims(store: accounts.context.store)
                try accounts.context.store.database.transaction { () throws(VaultError) in
                    for (name, person) in [("attic/strap", user), ("hall/strap", user), ("hall/watch", other)] {
                        if let sensor = SensorName(name) { try claims.write(sensor, person, .all, now: 1) }
                    }
                }
            }
            #expect(try kept("attic", service).count == 5)
            try phone.done("account/delete", ["password": .string(AccountService.password)])
            try own.waitForEnd()
            let gateways = try service.onSession { accounts in
                try EnrolledGateways(store: accounts.context.store, keys: accounts.context.keys).all()
            }
            #expect(gateways.map(\.id.text) == ["hall"])
            // Whose claim is left, theirs it becomes.
            #expect(gateways.map(\.owner) == [other])
            // It is cleared when the broker has let the gateway out.
            var left = try kept("attic", service)
            for _ in 0..<100 where !left.isEmpty {
                usleep(100_000)
                left = try kept("attic", service)
            }
            #expect(left.isEmpty)
            #expect(try kept("hall", service).count >= 5)
            let published = Record<Bool>()
            shared.session.publish([0x7B, 0x7D], to: "vitals/v1/gateways/hall/status", qos: .atLeastOnce, retain: true)
            {
                published.append($0 == nil)
            }
            #expect(try published.wait(for: 1) == [true])
        }
    }

    @Test("are cleared away also where the broker drops most of what it kept when somebody subscribes to it")
    func manyRounds() throws {
        let limits = ["allow_anonymous true", "max_queued_messages 20", "max_inflight_messages 10"]
        try Broker.with(configuration: limits) { broker in
            let parts = try Household().open()
            try parts.store.database.execute("INSERT INTO ended_gateways (gateway) VALUES ('attic'), ('cellar')")
            let client = try Client(broker, "vitals/v1/nothing")
            defer { client.stop() }
            let published = Record<Bool>()
            for number in 0..<200 {
                client.session.publish(
                    [0x7B, 0x7D], to: "vitals/v1/gateways/attic/sensors/s\(number)/info", qos: .atLeastOnce,
                    retain: true
                ) { published.append($0 == nil) }
            }
            #expect(try published.wait(for: 200).allSatisfy { $0 })
            let session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: "clearing"))
            let context = PeopleContext(
                parts.settings, Feature.all, store: parts.store, keys: parts.keys, session: session,
                changes: PeopleChanges(), doors: ClosedDoors.all)
            let ended = EndedGateways(context, patience: .seconds(2))
            session.start(
                Handlers(
                    stateChanged: { state in
                        if case .connected = state { ended.connected() }
                    }, received: { _ = ended.takes($0) }))
            defer { session.stop() }
            let isEmpty = {
                try session.loop.sync {
                    Result { try EnrolledGateways(store: context.store, keys: context.keys).ended().isEmpty }
                }.get()
            }
            for _ in 0..<600 where try !isEmpty() { usleep(100_000) }
            #expect(try isEmpty())
            let left = try Client(broker, "vitals/v1/gateways/attic/#", "vitals/v1/end")
            defer { left.stop() }
            left.publish([1], to: "vitals/v1/end")
            _ = try left.wait("the end") { $0.topic == "vitals/v1/end" ? true : nil }
            #expect(!left.hasReceived { $0.retain })
        }
    }

    @Test("are cleared away though one before them cannot be: a round that does not end is given up")
    func deadline() throws {
        try Broker.with { broker in
            let parts = try Household().open()
            try parts.store.database.execute("INSERT INTO ended_gateways (gateway) VALUES ('attic')")
            let session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: "clearing"))
            let context = PeopleContext(
                parts.settings, Feature.all, store: parts.store, keys: parts.keys, session: session,
                changes: PeopleChanges(), doors: ClosedDoors.all)
            let ended = EndedGateways(context, patience: .seconds(1), pause: .milliseconds(100))
            let isDeaf = Mutex(true)
            session.start(
                Handlers(
                    stateChanged: { state in
                        if case .connected = state { ended.connected() }
                    },
                    // What says that a round is over is lost.
                    received: { if !isDeaf.withLock({ $0 }) { _ = ended.takes($0) } }))
            defer { session.stop() }
            let left = {
                try session.loop.sync {
                    Result { try EnrolledGateways(store: context.store, keys: context.keys).ended().count }
                }.get()
            }
            sleep(1)
            #expect(try left() == 1)
            isDeaf.withLock { $0 = false }
            for _ in 0..<200 where try left() > 0 { usleep(100_000) }
            #expect(try left() == 0)
        }
    }

    @Test(
        "become those of the person with the oldest claim, or the operator's, or end; no one sees more live readings by that"
    )
    func heirs() throws {
        let household = try Household()
        let parts = try household.open(people: "demo: {}, ada: {}, bob: {}, eve: {}")
        let (gateways, claims) = (
            EnrolledGateways(store: parts.store, keys: parts.keys), Claims(store: parts.store)
        )
        let (ada, bob, eve) = (try ID("ada"), try ID("bob"), try ID("eve"))
        func sensor(_ name: String) throws -> SensorName { try #require(SensorName(name)) }
        let names = ["attic", "cellar", "hall", "porch"]
        let keys = try names.map { _ in try Ed25519.SigningKey(seed: .random()).publicKey }
        let ids = try names.map { try ID($0) }
        let claimed = [
            (try sensor("attic/strap"), ada, Int64(1)), (try sensor("hall/strap"), ada, 1),
            (try sensor("hall/watch"), eve, 3), (try sensor("hall/belt"), bob, 2),
        ]
        let given: Set<SensorName> = [try sensor("porch/strap")]
        let (ended, passedOn) = try parts.store.database.transaction { () throws(VaultError) in
            for (id, key) in zip(ids, keys) {
                try gateways.write(
                    EnrolledGateway(id: id, owner: ada, identity: key, isHousehold: true, enrolled: 1),
                    credential: [0], codeKey: .random())
                try gateways.setName("Ada's \(id)", of: id, by: ada)
            }
            for (sensor, user, time) in claimed { try claims.write(sensor, user, .all, now: time) }
            return (try gateways.endAll(of: ada, given: given), try gateways.all())
        }
        #expect(try ended == [sensor("attic/strap"), sensor("hall/strap")])
        #expect(passedOn.map(\.id.text) == ["hall", "porch"] && passedOn.map(\.owner) == [bob, nil])
        #expect(passedOn.allSatisfy { !$0.isHousehold })
        #expect(try gateways.ended().map(\.text) == ["attic", "cellar"] && gateways.names(by: ada).isEmpty)
        #expect(try claims.sensors(of: ada).isEmpty && claims.sensors(of: bob) == [sensor("hall/belt")])
        // One that is enrolled again under its old id is not to be cleared away.
        try gateways.write(
            EnrolledGateway(id: ids[0], owner: eve, identity: keys[0], isHousehold: false, enrolled: 2),
            credential: [0], codeKey: .random())
        #expect(try gateways.ended().map(\.text) == ["cellar"])
    }
}
