import Daemon
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Days
@testable import Features
@testable import OwnTracks
@testable import Phones
@testable import Readings
@testable import vitals_consumer

@Suite("Phones, with a broker that knows who is who", .timeLimit(.minutes(60)))
struct PhoneServiceTests {
    @Test("are connected by a link once their person has agreed, and the home says where phones reach its broker")
    func connected() throws {
        try AccountService.with { service in
            let device = try service.device(try service.signUp("ada@example.org"))
            defer { device.stop() }
            let refusal = try device.refused("phones/add")
            #expect(refusal.code == .notAllowed && refusal.field == "record_location")
            #expect(refusal.message.hasPrefix("Location Services Disabled: "))
            #expect(refusal.message.contains("vitals consent --record-location on"))
            #expect(refusal.message.contains("consent/set {\"record_location\": true}"))
            try device.done("consent/set", ["record_location": true])
            let unset = try device.refused("phones/add")
            #expect(unset.code == .notSupported && unset.message.contains("phones: { host: … }"))
            #expect(try device.done("phones/list")["phones"] == [])
        }
        let settings = "phones: { host: \"vitals.example.org\", port: 8443, websocket: true },"
        try AccountService.with(more: settings) { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            let added = try device.done("phones/add", ["name": "Ada's iPhone"])
            let id = try added.text("phone")
            let phone = try TestPhone(added, service)
            defer { phone.stop() }
            let said = phone.configuration
            #expect(try said.text("host") == "vitals.example.org" && said["port"] == 8443)
            #expect(said["tls"] == true && said["ws"] == true && said["pubRetain"] == false && said["tid"] == "Ad")
            #expect(try said.text("encryptionKey").utf8.count == 32 && said.text("username") == id)
            #expect(phone.topic == "vitals/v1/users/\(user)/phone/\(id)")
            #expect(try device.done("phones/link", ["phone": .string(id)]) == added)
            let listed = try device.done("phones/list")
            guard case .array(let phones)? = listed["phones"] else { throw TestFailure("\(listed)") }
            #expect(phones.count == 1 && phones[0]["name"] == "Ada's iPhone" && phones[0]["encrypted"] == true)
            #expect(phones[0]["signed_in"] == true && phones[0]["password"] == nil && listed["recorded"] == true)
            // It is a device, and no sensor that somebody could claim or release.
            #expect(try device.done("sensors/list")["sensors"] == [])
            let release: JSON = ["gateway": "phones", "sensor": .string(id)]
            #expect(try device.refused("sensors/release", release).code == .notFound)
            // Nobody else has it.
            let (_, other) = try service.walker("bob@example.org")
            defer { other.stop() }
            for verb in ["phones/link", "phones/remove"] {
                #expect(try other.refused(verb, ["phone": .string(id)]).code == .notFound)
            }
            for number in 2...PhoneList.limit { try device.done("phones/add", ["name": .string("\(number)")]) }
            #expect(try device.refused("phones/add").code == .notAllowed)
        }
    }

    @Test("tell where their person is, sealed or in the clear, and once", arguments: [true, false])
    func recorded(isEncrypted: Bool) throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            let added = try device.done("phones/add", ["encrypted": .bool(isEncrypted)])
            let phone = try TestPhone(added, service)
            defer { phone.stop() }
            #expect((phone.secret != nil) == isEncrypted)
            // What it kept while it was out of reach, and some of it twice.
            for second in [20, 10, 30, 10] as [Int64] { try phone.send(TestPhone.location(second)) }
            try phone.send(TestPhone.steps(60, 400), .step)
            try phone.send(TestPhone.location(20))
            try device.done("phones/list")
            #expect(try service.stored(user) == [10, 20, 30] && service.stored(user, .pedometer) == [60])
            // The other form is not believed, and neither is another secret.
            if isEncrypted {
                try phone.send(TestPhone.location(40), isSealed: false)
                let forger = try TestPhone(added, service, secret: .random())
                defer { forger.stop() }
                try forger.send(TestPhone.location(50))
            } else {
                _ = try phone.publish(try PhoneSecret.random().seal(TestPhone.location(40)), to: phone.topic)
            }
            try device.done("phones/list")
            #expect(try service.stored(user) == [10, 20, 30])
            let good = try service.onSession { accounts in
                try CheckCommand.findings(accounts.context.store, accounts.context.keys).isGood
            }
            #expect(good)
        }
    }

    @Test("may publish on their own topics, and do nothing else; nobody else may publish there")
    func rights() throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (user, device) = try service.walker()
            let (_, other) = try service.walker("bob@example.org")
            defer {
                device.stop()
                other.stop()
            }
            let phone = try TestPhone(device.done("phones/add"), service)
            let second = try TestPhone(device.done("phones/add"), service)
            let bobs = try TestPhone(other.done("phones/add"), service)
            defer { for phone in [phone, second, bobs] { phone.stop() } }
            for part in PhoneTopic.allCases {
                let topic = part.text(under: phone.topic)
                // A phone takes commands and sends none: it would hear them itself, on as many connections as somebody likes.
                #expect(try phone.publish([], to: topic) == (part != .command), "\(part)")
                for stranger in [second, bobs] { #expect(try !stranger.publish([], to: topic), "\(part)") }
                let taken = Record<Bool>()
                device.session.publish([], to: topic, qos: .atLeastOnce) { taken.append($0 == nil) }
                #expect(try taken.wait(for: 1) == [false], "\(part)")
            }
            let own = "vitals/v1/users/\(user)"
            for topic in ["\(own)/requests/devices/list", "\(phone.topic)/a/b", "\(own)/phone", "\(own)/today"] {
                #expect(try !phone.publish(Array("{}".utf8), to: topic), "\(topic)")
            }
            #expect(try phone.maySubscribe("\(phone.topic)/cmd"))
            for filter in ["\(own)/#", "\(own)/phone/#", "\(second.topic)/cmd", "\(phone.topic)", "\(own)/responses/x"]
            {
                #expect(try !phone.maySubscribe(filter), "\(filter)")
            }
        }
    }

    @Test("record nothing from the moment on at which their person withdraws that, and again when they agree again")
    func consent() throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            let phone = try TestPhone(device.done("phones/add"), service)
            defer { phone.stop() }
            try phone.send(TestPhone.location(1))
            try device.done("consent/set", ["record_location": false])
            try phone.send(TestPhone.location(2))
            try phone.send(TestPhone.steps(2, 5), .step)
            #expect(try device.done("consent/get")["record_location"] == false)
            #expect(try service.stored(user) == [1] && service.stored(user, .pedometer) == [])
            try service.set(3700)
            try device.done("consent/set", ["record_location": true, "steps": true])
            try phone.send(TestPhone.location(3701))
            // What was refused before, or measured then, is refused for ever, even after a restart.
            for second in [1, 2, 3, 3699] as [Int64] { try phone.send(TestPhone.location(second)) }
            try phone.send(TestPhone.steps(3702, 5), .step)
            try service.set(3800)
            // What it is about, and not what others see; who agrees again has agreed since the first time.
            try device.done("consent/set", ["location": false])
            try device.done("consent/set", ["record_location": true])
            try phone.send(TestPhone.location(3703))
            try phone.send(TestPhone.location(3699))
            try device.done("phones/list")
            #expect(try service.stored(user) == [1, 3701, 3703] && service.stored(user, .pedometer) == [])
            // A friend's request about steps does not change that.
            try service.onSession { accounts in
                try accounts.context.store.change(user) { () throws(VaultError) in
                    let consents = Consents(accounts.context.documents)
                    try consents.keep(consents.said(by: user), of: user, now: start + 9_999_000)
                }
            }
            #expect(try service.consent(of: user)["record_location_since"] == .integer(start + 3_700_000))
        }
    }

    @Test("of people who agreed before that was noted are believed as far back as those of others")
    func consentWithoutTime() throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            let phone = try TestPhone(device.done("phones/add"), service)
            defer { phone.stop() }
            try service.onSession { accounts in
                try accounts.context.store.change(user) { () throws(VaultError) in
                    try accounts.context.documents.write(["record_location": true], Consents.document, of: user)
                }
            }
            try phone.send(TestPhone.location(-20 * 86_400))
            try phone.send(TestPhone.location(-31 * 86_400))
            try device.done("consent/set", ["steps": true])
            try phone.send(TestPhone.location(-19 * 86_400))
            try device.done("phones/list")
            let days: [Int64] = [-20 * 86_400, -19 * 86_400]
            #expect(try service.stored(user) == days)
            #expect(try service.consent(of: user) == ["record_location": true, "steps": true])
        }
    }

    @Test("and the workouts of their person cost nobody else anything")
    func unchanged() throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (_, device) = try service.walker()
            defer { device.stop() }
            let (consumer, observer) = (service.consumer, SensorObserver())
            consumer.session.loop.sync { consumer.changes.add(observer) }
            let phone = try device.done("phones/add").text("phone")
            let sensors: Set<SensorName>? = [SensorName(gateway: try ID(OwnGateway.name), sensor: try ID(phone))]
            #expect(observer.heard.all == [sensors])
            for _ in 1...3 {
                try device.done("workouts/start", ["activity": "running"])
                try device.done("workouts/cancel")
            }
            try device.done("consent/set", ["record_location": true])
            #expect(observer.heard.all == [sensors])
            try device.done("consent/set", ["record_location": false])
            #expect(observer.heard.all == [sensors, sensors])
        }
    }

    @Test("that are removed, revoked as a device, or signed out by another password are out; what they sent stays")
    func removed() throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            let links = try (0..<2).map { _ in try device.done("phones/add") }
            let phones = try links.map { try TestPhone($0, service) }
            defer { for phone in phones { phone.stop() } }
            for (index, phone) in phones.enumerated() { try phone.send(TestPhone.location(Int64(index))) }
            let (first, second): (JSON, JSON) = (links[0]["phone"] ?? .null, links[1]["phone"] ?? .null)
            try device.done("phones/remove", ["phone": first])
            try phones[0].waitForEnd()
            try device.done("devices/revoke", ["device": second])
            try phones[1].waitForEnd()
            #expect(try device.refused("phones/link", ["phone": first]).code == .notFound)
            #expect(try device.refused("phones/link", ["phone": second]).code == .notAllowed)
            guard case .array(let left)? = try device.done("phones/list")["phones"] else {
                throw TestFailure("no list")
            }
            #expect(left.count == 1 && left[0]["phone"] == second && left[0]["signed_in"] == false)
            try device.done("phones/remove", ["phone": second])
            #expect(try device.done("phones/list")["phones"] == [])
            #expect(try service.stored(user) == [0, 1])
            let claims = try service.onSession { try Claims(store: $0.context.store).sensors(of: user) }
            #expect(claims.isEmpty)
        }
    }

    @Test("that send anything else, too much or what is retained, cost nothing and keep nobody from recording")
    func hostile() throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            let phone = try TestPhone(device.done("phones/add", ["encrypted": false]), service)
            defer { phone.stop() }
            let location = String(decoding: TestPhone.location(7), as: UTF8.self)
            let long = location.dropLast() + ",\"tag\":\"\(String(repeating: "x", count: Phones.maximumLength))\"}"
            let deep = "{\"_type\":\(String(repeating: "[", count: 2000))\(String(repeating: "]", count: 2000))}"
            let hostile = [
                "", " ", "null", "[]", "{", "{\"_type\":\"location\"}", deep, String(long), "{\"_type\":\"encrypted\"}",
                "{\"_type\":\"encrypted\",\"data\":\"AAAA\"}", location.replacing("52.5", with: "1e999"),
                location.replacing("52.5", with: "91"), location.replacing("\"lat\"", with: "\"lon\""),
                "{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":99999999999}",
                "{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":1}",
                "{\"_type\":\"steps\",\"steps\":4294967296,\"from\":1,\"to\":2}", "{\"_type\":\"lwt\",\"tst\":1}",
                "\u{0}",
            ]
            for payload in hostile {
                for part in PhoneTopic.allCases { try phone.send(Array(payload.utf8), part) }
            }
            try phone.send(Array(location.utf8), retain: true)
            try device.done("phones/list")
            #expect(try service.stored(user) == [] && service.stored(user, .pedometer) == [])
            // The broker does not keep it either: after an empty message from the phone and to the consumer, the third one is
            // the consumer's own, which removes it.
            try service.broker.waitForLog("'\(phone.topic)', ... (0 bytes))", times: 3)
            // Nor under a name that is none of ours: here the consumer's is the only empty one.
            _ = try phone.publish(Array(location.utf8), to: "\(phone.topic)/has space", retain: true)
            try service.broker.waitForLog("'\(phone.topic)/has space', ... (0 bytes))", times: 1)
            try phone.send(TestPhone.location(8))
            try device.done("phones/list")
            #expect(try service.stored(user) == [8])
            // More than a phone sends.
            let consumer = service.consumer
            consumer.session.loop.sync {
                consumer.features.only(Phones.self)?.messages = Allowance(perSecond: 1e-6, burst: 2)
            }
            for second in 20..<30 as Range<Int64> { try phone.send(TestPhone.location(second)) }
            try device.done("phones/list")
            #expect(try service.stored(user) == [8, 20, 21])
        }
    }

    @Test("leave nothing when their person is erased, and stay, recording nothing, when only their data is")
    func erased() throws {
        try AccountService.with(more: AccountService.phones) { service in
            let (user, device) = try service.walker()
            defer { device.stop() }
            let added = try device.done("phones/add")
            let phone = try TestPhone(added, service)
            defer { phone.stop() }
            try phone.send(TestPhone.location(1))
            try device.done("phones/list")
            func forget(keepingAccount: Bool) throws {
                let done = Record<Int>()
                try service.onSession { accounts in
                    accounts.context.doors.forget(user, keepingAccount: keepingAccount, telling: nil) { result in
                        done.append((try? result.get())?.opened ?? -1)
                    }
                }
                #expect(try done.wait(for: 1) == [0])
            }
            func rows() throws -> [String: Int64] {
                try service.onSession { try $0.context.store.personalRows(of: user).filter { $0.value > 0 } }
            }
            #expect(try service.stored(user) == [1])
            try forget(keepingAccount: true)
            #expect(
                try service.stored(user) == []
                    && device.done("phones/link", ["phone": added["phone"] ?? .null]) == added)
            try phone.send(TestPhone.location(2))
            #expect(try device.done("phones/list")["recorded"] == false && service.stored(user) == [])
            try device.done("consent/set", ["record_location": true])
            try phone.send(TestPhone.location(3601))
            try device.done("phones/list")
            #expect(try service.stored(user) == [3601])
            let before = try rows()
            for table in ["claims", "devices", "documents", "streams"] { #expect(before[table] != nil, "\(table)") }
            try forget(keepingAccount: false)
            try phone.waitForEnd()
            #expect(try Set(rows().keys).isSubset(of: ["forgotten"]))
        }
    }
}

/// Hears of sensors that change.
private final class SensorObserver: PeopleObserver, Sendable {
    let heard = Record<Set<SensorName>?>()

    func sensorsChanged(_ sensors: Set<SensorName>?) { heard.append(sensors) }
}
