import Daemon
import Files
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Synchronization
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Admission
@testable import Features
@testable import vitals_consumer

@Suite("Gateways that are enrolled by codes", .timeLimit(.minutes(60)))
struct EnrolmentTests {
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
            #expect(data["root"] == "vitals/v1" && data["claim_codes"] == "agreed")

            let list = try office.data("ada", "gateways/list")["gateways"]
            guard case .array(let gateways) = list, let first = gateways.first else { throw TestFailure("\(data)") }
            #expect(gateways.count == 1 && first["gateway"] == .string(id))
            #expect(first["name"] == "Attic" && first["household"] == true)
            let field = JSON.string(id)
            #expect(try office.data("ada", "gateways/rename", ["gateway": field, "name": "Loft"])["name"] == "Loft")
            #expect(try office.data("eve", "gateways/list")["gateways"] == [])
            for isHousehold in [false, true, true] {
                let asked: JSON = ["gateway": field, "household": .bool(isHousehold)]
                #expect(try office.data("ada", "gateways/household", asked) == asked)
                guard case .array(let found) = try office.data("ada", "gateways/list")["gateways"] else {
                    throw TestFailure("no list")
                }
                #expect(found.first?["household"] == .bool(isHousehold) && found.first?["name"] == "Loft")
            }
            #expect(fault(try office.ask("ada", "gateways/household", ["gateway": field])) == .badRequest)
            let taken: JSON = ["gateway": field, "name": "Mine", "household": false]
            for name in ["gateways/rename", "gateways/household", "gateways/remove"] {
                #expect(fault(try office.ask("eve", name, taken)) == .notFound)
            }
            guard case .array(let kept) = try office.data("ada", "gateways/list")["gateways"] else {
                throw TestFailure("no list")
            }
            #expect(kept.first?["household"] == true)
            // Each time, the broker changes all devices.
            for _ in 3...10 { _ = try office.data("ada", "gateways/household", ["gateway": field, "household": true]) }
            #expect(
                fault(try office.ask("ada", "gateways/household", ["gateway": field, "household": true])) == .rateLimited)
            let off: JSON = ["gateway": field, "household": false]
            #expect(try office.data("ada", "gateways/household", off) == off)
            // Whatever guests may ask, the broker lets them.
            #expect(office.consumer.desk.requests(of: .guests) == Set(BrokerRole.guestRequests))
            // Once is once.
            #expect(fault(try office.enrol(code, key)) == .wrongCredentials)

            let store = try Store(folder: office.settings.state, readOnly: true, adding: Feature.all.schema)
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

    @Test("a key that is secret with nobody is refused before the code is used")
    func weakKeys() throws {
        try withOffice { office in
            let code = try office.code(of: "ada")
            // The points of small order: y is 0, 1 or -1; and y that is no number below p.
            let minusOne = [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
            let points = [
                [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), minusOne,
                [UInt8](repeating: 0xFF, count: 32),
            ]
            for point in points {
                let reply = try office.ask(
                    enrolling: [
                        "code_id": .string(code.id), "gateway_key": .string(KeyFile.text(of: point)),
                        "proof": .string(KeyFile.text(of: code.requestProof(gatewayKey: point))),
                    ])
                #expect(fault(reply) == .invalid)
            }
            #expect(fault(try office.enrol(code, Ed25519.SigningKey(seed: .random()))) == nil)
        }
    }

    @Test("a person who read every topic during the enrolment, the code included, makes no claim codes")
    func readerOfEverything() throws {
        try withOffice { office in
            let reader = try Client(office.broker, "#")
            defer { reader.stop() }
            let key = try Ed25519.SigningKey(seed: .random())
            let (gateway, claimKey) = try office.gateway(of: "ada", key)
            // All that the reader can have: each text of each message, as a code, and as the 32 bytes of a key.
            func wait(_ text: String) throws -> Message {
                try reader.wait("a message with \(text)") { message in
                    String(decoding: message.payload, as: UTF8.self).contains(text) ? message : nil
                }
            }
            let taken = [try wait(KeyFile.text(of: key.publicKey)), try wait("\"password\"")]
            var codes: [EnrolmentCode] = []
            var bytes: [[UInt8]] = []
            for message in taken + reader.received {
                let text = String(decoding: message.payload, as: UTF8.self)
                for part in text.split(separator: "\"") {
                    if let code = try? EnrolmentCode(String(part)) { codes.append(code) }
                    if let found = try? KeyFile.bytes(of: String(part)) { bytes.append(found) }
                }
            }
            let code = try #require(codes.first)
            #expect(codes.count == 1 && bytes.contains(key.publicKey) && bytes.count >= 5)
            // What was the claim key once, each of the bytes as if it were a secret, and a guess in place of an
            // identity.
            var tried = [try code.codeKey()] + (try bytes.map { try SymmetricKey($0) })
            for seed in bytes {
                let pretended = try Ed25519.SigningKey(seed: SymmetricKey(seed))
                tried.append(try office.claimKey(code, pretended))
                tried.append(try ClaimKey.atConsumer(pretended, gateway: key.publicKey, codeKey: code.codeKey()))
            }
            for wrong in tried {
                #expect(wrong.bytes != claimKey.bytes)
                let claim = try ClaimCode(sensor: "strap", at: unixMilliseconds(), key: wrong)
                #expect(try claim.window(for: "strap", around: unixMilliseconds(), key: claimKey) == nil)
            }
            let was = try ClaimCode(sensor: "strap", at: unixMilliseconds(), key: code.codeKey())
            #expect(fault(try office.claim("eve", gateway, was)) == .wrongCredentials)
            #expect(fault(try office.claim("ada", gateway, claimKey)) == nil)
        }
    }

    @Test("a gateway of an earlier version has the new key without a message; its old codes say what to update")
    func enrolledBefore() throws {
        try withOffice { office in
            let (key, code) = (try Ed25519.SigningKey(seed: .random()), try EnrolmentCode.random())
            // The row as earlier versions wrote it.
            let sealed = try office.keys.service.seal(
                code.codeKey().bytes, RowContext("claim key", "oldtimer"))
            try Store(folder: office.settings.state, adding: Feature.all.schema).database.execute(
                """
                INSERT INTO gateways (gateway, owner, identity, credential, claim_key, household, enrolled_ms)
                VALUES ('oldtimer', 'ada', ?, ?, ?, 0, 1700000000000)
                """, [.blob(key.publicKey), .blob(BrokerCredential(password: "word").bytes), .blob(sealed)])
            let gateway = try ID("oldtimer")
            let was = try ClaimCode(sensor: "strap", at: unixMilliseconds(), key: code.codeKey())
            guard case .error(let error) = try office.claim("eve", gateway, was).outcome else {
                throw TestFailure("it was accepted")
            }
            #expect(error.code == .wrongCredentials && error.message.contains("update it"))
            let none = try #require(ClaimCode("AAAAA-AAAAA-AAAAA"))
            guard case .error(let wrong) = try office.claim("eve", gateway, none).outcome else {
                throw TestFailure("it was accepted")
            }
            #expect(!wrong.message.contains("update"))
            #expect(fault(try office.claim("ada", gateway, office.claimKey(code, key))) == nil)
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

    @Test("a person gets ten codes at once, and then has to wait; others need not")
    func manyCodes() throws {
        try withOffice { office in
            for _ in 1...10 { _ = try office.code(of: "ada") }
            guard case .error(let error) = try office.ask("ada", "gateways/invite").outcome else {
                throw TestFailure("there was another code")
            }
            #expect(error.code == .rateLimited && (3000...3600).contains(error.retryAfterSeconds ?? 0))
            #expect(error.message.contains("try again in"))
            _ = try office.code(of: "eve")
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
            let key = try Ed25519.SigningKey(seed: .random())
            guard case .ok(let data) = try office.enrol(code, key).outcome else { throw TestFailure("refused") }
            #expect(data["gateway"] == "attic")
            let listed = try output { _ = try GatewaysCommand().run(office.settings, output: $0) }
            #expect(listed.count == 3 && listed[2].contains(#""gateway":"attic""#) && !listed[2].contains("owner"))
            // Removed by the operator: the running service hears of it at SIGHUP.
            let claimKey = try office.claimKey(code, key)
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
