import Files
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

@Suite("Gateways whose owner has gone", .timeLimit(.minutes(60)))
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

    /// Hears, as the consumer may, what the broker has and gets of a gateway.
    private func listen(to gateway: String, _ service: AccountService) throws -> (Session, Record<Message>) {
        var options = Options(host: "127.0.0.1", port: service.broker.port, clientID: "look-\(UUID().uuidString)")
        options.username = "consumer"
        options.passwordFile = service.broker.folder.path("consumer.password")
        let (session, messages, granted) = (Session(options), Record<Message>(), Record<Bool>())
        session.subscribe([Subscription("vitals/v1/gateways/\(gateway)/#"), Subscription("vitals/v1/end")]) {
            granted.append($1 == nil)
        }
        session.start(Handlers(received: { messages.append($0) }))
        try granted.wait(for: 2)
        return (session, messages)
    }

    /// The topics of a gateway under which the broker keeps something.
    private func kept(_ gateway: String, _ service: AccountService) throws -> Set<String> {
        let (session, messages) = try listen(to: gateway, service)
        defer { session.stop() }
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
                try accounts.context.store.change([user, other]) { () throws(VaultError) in
                    for (name, person) in [("attic/strap", user), ("hall/strap", user), ("hall/watch", other)] {
                        if let sensor = SensorName(name) { try claims.write(sensor, person, .all, now: 1) }
                    }
                }
            }
            #expect(try kept("attic", service).count == 5)
            let (listener, heard) = try listen(to: "attic", service)
            defer { listener.stop() }
            try phone.done("account/delete", ["password": .string(AccountService.password)])
            try own.waitForEnd()
            let gateways = try service.onSession { accounts in
                try EnrolledGateways(store: accounts.context.store, keys: accounts.context.keys).all()
            }
            #expect(gateways.map(\.id.text) == ["hall"])
            // Whose claim is left, theirs it becomes.
            #expect(gateways.map(\.owner) == [other])
            // It is cleared when the broker has let the gateway out.
            try heard.wait { Set($0.filter(\.payload.isEmpty).map(\.topic)).count == 5 }
            #expect(try kept("attic", service).isEmpty)
            #expect(try kept("hall", service).count >= 5)
            let published = Record<Bool>()
            shared.session.publish([0x7B, 0x7D], to: "vitals/v1/gateways/hall/status", qos: .atLeastOnce, retain: true)
            {
                published.append($0 == nil)
            }
            #expect(try published.wait(for: 1) == [true])
        }
    }
}
