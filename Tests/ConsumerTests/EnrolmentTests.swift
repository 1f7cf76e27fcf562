import Daemon
import Foundation
import MQTT
import Synchronization
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_consumer

/// A consumer with accounts and a broker that lets everybody do everything: who asks is what the topic says.
private final class Office {
    let broker: Broker
    let household: Household
    let settings: ConsumerSettings
    let consumer: Consumer
    let client: Client
    let keys: Keys
    /// How far the consumer's clock is ahead.
    let ahead: Ahead

    final class Ahead: Sendable {
        let milliseconds = Mutex<Int64>(0)
        func go(_ more: Int64) { milliseconds.withLock { $0 += more } }
    }

    init() throws {
        broker = try Broker()
        try broker.start()
        household = try Household()
        settings = try household.settings(
            people: "given: { sensors: [\"home/strap\"] }", port: broker.port, more: "accounts: {}, broker_rules: {},")
        keys = try Keys(settings, .create)
        for user in ["ada", "eve"] { _ = try keys.currentVersion(of: ID(user)) }
        consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        let ahead = Ahead()
        self.ahead = ahead
        let context = try #require(consumer.people).context
        context.rules = nil
        context.now = { unixMilliseconds() + ahead.milliseconds.withLock { $0 } }
        client = try Client(
            broker, "vitals/v1/users/+/responses/#", "vitals/v1/accounts/responses/#", "vitals/v1/gateways/+/control",
            "vitals/v1/gateways/+/sensors/+/grant")
        consumer.start()
        // What was asked before its subscriptions is not answered.
        try broker.waitForLog("vitals/v1/users/+/requests/+/+")
        try broker.waitForLog("vitals/v1/gateways/+/blocks")
    }

    func stop() {
        client.stop()
        consumer.stop()
        broker.stop()
    }

    private func ask(_ topic: String, _ fields: JSON, replyAt place: String) throws -> Reply {
        let key = try RandomBytes.draw(8)
        client.session.publish(
            Message(
                topic: topic, payload: fields.bytes, qos: .atLeastOnce,
                properties: Message.Properties(responseTopic: place, correlationData: key)))
        return try client.wait("a reply about \(topic)") { message in
            guard message.topic == place, message.properties?.correlationData == key else { return nil }
            return try Reply(payload: message.payload)
        }
    }

    /// What a person asks, and gets.
    func ask(_ user: String, _ name: String, _ fields: JSON = [:]) throws -> Reply {
        try ask("vitals/v1/users/\(user)/requests/\(name)", fields, replyAt: "vitals/v1/users/\(user)/responses/me")
    }

    func data(_ user: String, _ name: String, _ fields: JSON = [:]) throws -> JSON {
        guard case .ok(let data) = try ask(user, name, fields).outcome else { throw TestFailure("\(name) was refused") }
        return data
    }

    /// A code of a person's.
    func code(of user: String, _ fields: JSON = [:]) throws -> EnrolmentCode {
        guard case .string(let text) = try data(user, "gateways/invite", fields)["code"] else {
            throw TestFailure("no code")
        }
        return try EnrolmentCode(text)
    }

    /// Asks to be enrolled as a gateway does.
    func enrol(_ code: EnrolmentCode, _ key: Ed25519.SigningKey, proof: [UInt8]? = nil) throws -> Reply {
        try ask(
            "vitals/v1/accounts/enrol",
            [
                "code_id": .string(code.id), "gateway_key": .string(KeyFile.text(of: key.publicKey)),
                "proof": .string(KeyFile.text(of: proof ?? code.requestProof(gatewayKey: key.publicKey))),
            ], replyAt: "vitals/v1/accounts/responses/\(DeskTests.drawn)")
    }

    /// A gateway of a person's, enrolled as it should be: its id and the key of its claim codes.
    func gateway(of user: String, _ key: Ed25519.SigningKey) throws -> (id: ID, claimKey: SymmetricKey) {
        let code = try code(of: user)
        guard case .ok(let data) = try enrol(code, key).outcome, case .string(let id) = data["gateway"] else {
            throw TestFailure("not enrolled")
        }
        return (try ID(id), try code.claimKey())
    }

    func claim(_ user: String, _ gateway: ID, _ code: ClaimCode, sensor: String = "strap") throws -> Reply {
        try ask(
            user, "sensors/claim",
            ["gateway": .string(gateway.text), "sensor": .string(sensor), "code": .string(code.text)])
    }

    func claim(_ user: String, _ gateway: ID, _ key: SymmetricKey) throws -> Reply {
        try claim(user, gateway, ClaimCode(sensor: "strap", at: unixMilliseconds(), key: key))
    }

    /// The next grant for a gateway's sensor.
    func grant(of gateway: ID) throws -> Grant {
        let consumer = try Ed25519.VerifyingKey(keys.identity.publicKey)
        return try client.wait("a grant for \(gateway)") { message in
            guard message.topic == "vitals/v1/gateways/\(gateway)/sensors/strap/grant" else { return nil }
            let signed = try SignedControlMessage(bytes: message.payload)
            try consumer.verify(signed.signature, of: signed.signedBytes)
            guard case .grant(let grant) = signed.message.body else { return nil }
            return grant
        }
    }

    /// Sends a heart rate as a gateway does, and waits for the acknowledgement.
    func send(_ bpm: UInt16, _ grant: Grant, _ gateway: ID, _ key: Ed25519.SigningKey, isAwaited: Bool = true) throws {
        let session = try GatewaySession(grant, key, boot: BootID(high: 0, low: 1))
        let moment = Moment(wall: unixMilliseconds(), monotonic: millisecondsSinceBoot())
        let reading = Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: bpm)))
        let topic = "vitals/v1/gateways/\(gateway)/blocks"
        client.publish(session.keyBlock, to: topic)
        client.publish(try session.block(reading), to: topic)
        guard isAwaited else { return }
        _ = try client.wait("the acknowledgement of \(bpm)") { message -> Bool? in
            guard message.topic == "vitals/v1/gateways/\(gateway)/control" else { return nil }
            guard case .acknowledgement(let identities) = try SignedControlMessage(bytes: message.payload).message.body
            else { return nil }
            return identities.contains(session.identity(1)) ? true : nil
        }
    }

    /// Has a person's profile say whether heart rates are recorded.
    func setContinuousHeartRate(_ isOn: Bool, of user: String) throws {
        let documents = Documents(store: try Store(folder: settings.state), keys: keys)
        try documents.write(["continuous_heart_rate": .bool(isOn)], "profile", of: ID(user))
    }

    /// The heart rates that a person has.
    func heartRates(of user: String) throws -> [Int] {
        let command = ReadingsCommand(user: try ID(user), kind: .heartRate)
        let lines = try output { _ = try command.run(settings, output: $0) }
        return try lines.map { line in
            guard case .integer(let bpm) = try JSON(payload: Array(line.utf8))["bpm"] else { throw TestFailure(line) }
            return Int(bpm)
        }
    }
}

/// Why a request was refused; nil where it was not.
private func fault(_ reply: Reply) -> ReplyError.Code? {
    if case .error(let error) = reply.outcome { error.code } else { nil }
}

@Suite("Gateways that are enrolled by codes", .timeLimit(.minutes(5)))
struct EnrolmentTests {
    private func withOffice(_ body: (Office) throws -> Void) throws {
        let office = try Office()
        defer { office.stop() }
        try body(office)
    }

    @Test(
        "an invited gateway gets a name, a password and a proof; it is its owner's, who can name it, and nobody else's")
    func enrols() throws {
        try withOffice { office in
            let key = try Ed25519.SigningKey(seed: .random())
            let code = try office.code(of: "ada", ["name": "Attic", "household": true])
            guard case .ok(let data) = try office.enrol(code, key).outcome else { throw TestFailure("refused") }
            guard case .string(let id) = data["gateway"], case .string(let proof) = data["proof"],
                case .string(let consumer) = data["consumer"], case .string(let password) = data["password"]
            else { throw TestFailure("\(data)") }
            let right = try code.replyProof(
                gateway: id, consumerKey: office.keys.identity.publicKey, gatewayKey: key.publicKey)
            #expect(try KeyFile.bytes(of: proof) == right)
            #expect(try KeyFile.bytes(of: consumer) == office.keys.identity.publicKey)
            #expect(id.wholeMatch(of: /[a-z2-7]{8}/) != nil && password.count == 44)
            #expect(data["root"] == "vitals/v1")

            let list = try office.data("ada", "gateways/list")["gateways"]
            guard case .array(let gateways) = list, let first = gateways.first else { throw TestFailure("\(data)") }
            #expect(gateways.count == 1 && first["gateway"] == .string(id))
            #expect(first["name"] == "Attic" && first["household"] == true)
            let field = JSON.string(id)
            #expect(try office.data("ada", "gateways/rename", ["gateway": field, "name": "Loft"])["name"] == "Loft")
            #expect(try office.data("eve", "gateways/list")["gateways"] == [])
            for name in ["gateways/rename", "gateways/remove"] {
                #expect(fault(try office.ask("eve", name, ["gateway": field, "name": "Mine"])) == .notFound)
            }
            // Whatever guests may ask, the broker lets them.
            #expect(try #require(office.consumer.people).guestRequests == Set(BrokerRole.guestRequests))
            // Once is once.
            #expect(fault(try office.enrol(code, key)) == .wrongCredentials)

            let store = try Store(folder: office.settings.state, readOnly: true)
            let found = try #require(
                try store.database.first("SELECT credential, claim_key FROM gateways", []) { row throws(VaultError) in
                    (credential: try row.blob(0), claimKey: try row.blob(1))
                })
            #expect(try BrokerCredential(bytes: found.credential)?.matches(password) == true)
            #expect(found.claimKey.count == 60)
        }
    }

    @Test("a code is tried five times, is good for an hour, and only with a proof for the very key")
    func codes() throws {
        try withOffice { office in
            let (key, other) = (try Ed25519.SigningKey(seed: .random()), try Ed25519.SigningKey(seed: .random()))
            let first = try office.code(of: "ada")
            #expect(fault(try office.enrol(EnrolmentCode.random(), key)) == .wrongCredentials)
            // A proof that was overheard, under another key.
            let proof = try first.requestProof(gatewayKey: key.publicKey)
            for _ in 1...5 { #expect(fault(try office.enrol(first, other, proof: proof)) == .wrongCredentials) }
            #expect(fault(try office.enrol(first, key)) == .locked)

            let second = try office.code(of: "ada")
            office.ahead.go(3_599_000)
            let third = try office.code(of: "ada")
            office.ahead.go(1_000)
            #expect(fault(try office.enrol(second, key)) == .expired)
            #expect(fault(try office.enrol(third, key)) == nil)
            #expect(try office.data("ada", "gateways/list")["gateways"] != [])
        }
    }

    @Test("five codes are out at most; another ends the oldest")
    func fiveCodes() throws {
        try withOffice { office in
            var codes: [EnrolmentCode] = []
            for _ in 1...6 {
                codes.append(try office.code(of: "ada"))
                office.ahead.go(1)
            }
            let key = try Ed25519.SigningKey(seed: .random())
            #expect(fault(try office.enrol(codes[0], key)) == .wrongCredentials)
            for code in codes[1...] { #expect(fault(try office.enrol(code, key)) == nil) }
        }
    }

    @Test("enrolled again by its owner it keeps its name, by somebody else it gets another")
    func again() throws {
        try withOffice { office in
            let key = try Ed25519.SigningKey(seed: .random())
            let first = try office.gateway(of: "ada", key)
            let again = try office.gateway(of: "ada", key)
            #expect(again.id == first.id && again.claimKey.bytes != first.claimKey.bytes)
            #expect(try office.gateway(of: "eve", key).id != first.id)
            // Only the newest claim key is good.
            #expect(fault(try office.claim("ada", first.id, first.claimKey)) == .wrongCredentials)
            #expect(fault(try office.claim("ada", again.id, again.claimKey)) == nil)
        }
    }

    @Test("the operator's code gives the name that the operator chose, beside the running service")
    func operators() throws {
        try withOffice { office in
            let lines = try output { descriptor in
                _ = try EnrolCodeCommand(gateway: ID("attic")).run(
                    office.settings, now: unixMilliseconds(), output: descriptor)
            }
            let code = try EnrolmentCode(try #require(lines.first))
            guard case .ok(let data) = try office.enrol(code, Ed25519.SigningKey(seed: .random())).outcome else {
                throw TestFailure("refused")
            }
            #expect(data["gateway"] == "attic")
            let listed = try output { _ = try GatewaysCommand().run(office.settings, output: $0) }
            #expect(listed.count == 3 && listed[2].contains(#""gateway":"attic""#) && !listed[2].contains("owner"))
            // Removed by the operator: the running service hears of it at SIGHUP.
            let (key, claimKey) = (try Ed25519.SigningKey(seed: .random()), try code.claimKey())
            #expect(fault(try office.claim("ada", ID("attic"), claimKey)) == nil)
            #expect(try GatewaysCommand(removed: ID("attic")).run(office.settings, output: 1) == .ok)
            office.consumer.reload(office.settings)
            _ = try office.grant(of: ID("attic"))
            #expect(try office.grant(of: ID("attic")).until != nil)
            #expect(try office.data("ada", "sensors/list")["sensors"] == [])
            #expect(fault(try office.claim("ada", ID("attic"), claimKey)) == .wrongCredentials)
            #expect(fault(try office.enrol(code, key)) == .wrongCredentials)
            #expect(throws: Failure.self) { try GatewaysCommand(removed: ID("attic")).run(office.settings, output: 1) }
            #expect(throws: Failure.self) {
                try EnrolCodeCommand(gateway: ID("home")).run(office.settings, now: 0, output: 1)
            }
        }
    }
}

@Suite("Claiming sensors", .timeLimit(.minutes(5)))
struct ClaimingTests {
    @Test("claiming opens a stream, another's claim another; neither sees the other's readings; so does a new secret")
    func streams() throws {
        let office = try Office()
        defer { office.stop() }
        for user in ["ada", "eve"] { try office.setContinuousHeartRate(true, of: user) }
        let key = try Ed25519.SigningKey(seed: .random())
        let (gateway, claimKey) = try office.gateway(of: "ada", key)
        guard case .ok(let data) = try office.claim("ada", gateway, claimKey).outcome else { throw TestFailure("no") }
        let first = try office.grant(of: gateway)
        #expect(data["stream"] == .string("\(first.stream)") && data["taken_over"] == nil)
        #expect(first.kinds == [.heartRate, .steps, .temperature] && first.until == nil)
        try office.send(61, first, gateway, key)
        #expect(try office.heartRates(of: "ada") == [61])

        // Released: the stream has an end, and nobody has the sensor.
        let field: JSON = ["gateway": .string(gateway.text), "sensor": "strap"]
        #expect(fault(try office.ask("eve", "sensors/release", field)) == .notFound)
        #expect(fault(try office.ask("ada", "sensors/release", field)) == nil)
        let ended = try office.grant(of: gateway)
        #expect(ended.stream == first.stream && ended.until != nil)
        #expect(try office.data("ada", "sensors/list")["sensors"] == [])

        #expect(fault(try office.claim("eve", gateway, claimKey)) == nil)
        let second = try office.grant(of: gateway)
        #expect(second.stream != first.stream && second.personPublicKey != first.personPublicKey)
        try office.send(72, second, gateway, key)
        #expect(try office.heartRates(of: "ada") == [61] && office.heartRates(of: "eve") == [72])

        // Whoever is at the gateway takes it over.
        guard case .ok(let over) = try office.claim("ada", gateway, claimKey).outcome else { throw TestFailure("no") }
        #expect(over["taken_over"] == true)
        let third = try office.grant(of: gateway)
        #expect(![first.stream, second.stream].contains(third.stream))
        try office.send(83, third, gateway, key)
        #expect(try office.heartRates(of: "ada") == [61, 83] && office.heartRates(of: "eve") == [72])

        // A new secret of the person's.
        _ = try office.keys.rotate(ID("ada"))
        office.consumer.reload(office.settings)
        let fourth = try office.grant(of: gateway)
        #expect(fourth.stream != third.stream && fourth.personPublicKey != third.personPublicKey)
        try office.send(94, fourth, gateway, key)
        #expect(try office.heartRates(of: "ada") == [61, 83, 94])
    }

    @Test("a code is good once, for its own sensor and time; wrong ones end after five")
    func codes() throws {
        let office = try Office()
        defer { office.stop() }
        let (gateway, claimKey) = try office.gateway(of: "ada", Ed25519.SigningKey(seed: .random()))
        func made(_ sensor: String = "strap", before: Int64 = 0) throws -> ClaimCode {
            try ClaimCode(sensor: sensor, at: unixMilliseconds() - before, key: claimKey)
        }
        let once = try made()
        #expect(fault(try office.claim("eve", gateway, once)) == nil)
        #expect(fault(try office.claim("ada", gateway, once)) == .expired)
        // A code of another sensor, of half an hour ago, of a gateway that nobody has, and of one of the settings.
        let nowhere = try ID("nowhere")
        #expect(fault(try office.claim("ada", gateway, made("watch"))) == .wrongCredentials)
        #expect(fault(try office.claim("ada", gateway, made(before: 1_800_000))) == .wrongCredentials)
        #expect(fault(try office.claim("ada", nowhere, made())) == .wrongCredentials)
        #expect(fault(try office.claim("ada", ID("home"), made())) == .wrongCredentials)
        #expect(
            fault(try office.ask("ada", "sensors/claim", ["gateway": "a", "sensor": "b", "code": "x"])) == .invalid)
        #expect(fault(try office.claim("ada", nowhere, made())) == .wrongCredentials)
        // Five were wrong: now a right one has to wait, too.
        guard case .error(let error) = try office.claim("ada", gateway, made()).outcome else { throw TestFailure("no") }
        #expect(error.code == .rateLimited && (1...60).contains(error.retryAfterSeconds ?? 0))
        #expect(fault(try office.claim("eve", gateway, made())) == nil)
    }

    @Test("wrong tries count for a minute")
    func wrongTries() {
        var tries = WrongTries<Int>()
        for time in 0..<5 as Range<UInt64> {
            #expect(tries.wait(1, now: time) == nil)
            tries.failed(1, now: time)
        }
        #expect(tries.wait(1, now: 5) == 60 && tries.wait(1, now: 59_999) == 1)
        #expect(tries.wait(2, now: 5) == nil && tries.wait(1, now: 60_000) == nil)
        tries.failed(1, now: 60_000)
        #expect(tries.wait(1, now: 60_001) == nil)
    }

    @Test("heart rates are recorded only where the profile has continuous heart rate on")
    func kinds() throws {
        let office = try Office()
        defer { office.stop() }
        let (gateway, claimKey) = try office.gateway(of: "ada", Ed25519.SigningKey(seed: .random()))
        for isOn in [nil, true, false] as [Bool?] {
            if let isOn { try office.setContinuousHeartRate(isOn, of: "ada") }
            #expect(fault(try office.claim("ada", gateway, claimKey)) == nil)
            let kinds: Grant.Kinds = isOn == true ? [.heartRate, .steps, .temperature] : [.steps, .temperature]
            #expect(try office.grant(of: gateway).kinds == kinds)
        }
        guard case .array(let sensors) = try office.data("ada", "sensors/list")["sensors"] else {
            throw TestFailure("no list")
        }
        #expect(sensors.first?["kinds"] == ["steps", "temperature"])
    }

    @Test("a sensor that was released is nobody's, though its stream could not be ended at once")
    func releasedInTheEnd() throws {
        let office = try Office()
        defer { office.stop() }
        let (gateway, claimKey) = try office.gateway(of: "ada", Ed25519.SigningKey(seed: .random()))
        #expect(fault(try office.claim("ada", gateway, claimKey)) == nil)
        #expect(try office.grant(of: gateway).until == nil)
        let store = try Store(folder: office.settings.state)
        try store.database.execute(
            "CREATE TRIGGER no BEFORE UPDATE ON streams BEGIN SELECT RAISE(ABORT, 'a bad day'); END")
        let field: JSON = ["gateway": .string(gateway.text), "sensor": "strap"]
        #expect(fault(try office.ask("ada", "sensors/release", field)) == nil)
        #expect(try office.data("ada", "sensors/list")["sensors"] == [])
        try store.database.execute("DROP TRIGGER no")
        #expect(try office.grant(of: gateway).until != nil)
    }

    @Test("a gateway that is removed is heard no more, and what was claimed there is nobody's")
    func removal() throws {
        let office = try Office()
        defer { office.stop() }
        try office.setContinuousHeartRate(true, of: "eve")
        let key = try Ed25519.SigningKey(seed: .random())
        let (gateway, claimKey) = try office.gateway(of: "ada", key)
        #expect(fault(try office.claim("eve", gateway, claimKey)) == nil)
        let grant = try office.grant(of: gateway)
        try office.send(66, grant, gateway, key)
        #expect(fault(try office.ask("ada", "gateways/remove", ["gateway": .string(gateway.text)])) == nil)
        #expect(try office.grant(of: gateway).until != nil)
        try office.send(77, grant, gateway, key, isAwaited: false)
        // In order: whatever became of it, it has when this is answered.
        #expect(try office.data("eve", "sensors/list")["sensors"] == [])
        #expect(try office.data("ada", "gateways/list")["gateways"] == [])
        office.consumer.stop()
        #expect(office.consumer.counts.ignored > 0)
        #expect(try office.heartRates(of: "eve") == [66])
    }
}
