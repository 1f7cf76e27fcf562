import Desk
import Foundation
import MQTT
import Records
import Storage
import Synchronization
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Daemon
@testable import Features
@testable import Readings
@testable import Sensors
@testable import vitals_consumer

@Suite("Claiming sensors", .timeLimit(.minutes(60)))
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
        #expect(first.kinds == [.heartRate, .steps, .temperature, .motion] && first.until == nil)
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
        // Who had it hears of that, and not by whom.
        let told = try elements(office.data("eve", "notifications/list"), "notifications")
        #expect(told.count == 1 && told[0]["kind"] == "sensor-lost" && told[0]["from"] == nil)
        #expect(try told[0].text("text").contains("\(gateway)/strap"))
        #expect(try elements(office.data("ada", "notifications/list"), "notifications").isEmpty)
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

    @Test("a person who claims a sensor again and again is in the log once a minute, with how often that was")
    func loggedOnceAMinute() throws {
        let folder = try TemporaryFolder()
        let descriptor = open(folder.path("log"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let clock = Office.Ahead()
        let log = LimitedLog(Log(descriptor: descriptor, style: .plain, level: .info)) {
            UInt64(clock.milliseconds.withLock { $0 })
        }
        let office = try Office(limitedLog: log)
        defer { office.stop() }
        let (gateway, claimKey) = try office.gateway(of: "ada", Ed25519.SigningKey(seed: .random()))
        func lines(about user: String) throws -> [String] {
            let text = try String(contentsOfFile: folder.path("log"), encoding: .utf8)
            return text.split(separator: "\n").map(String.init).filter { $0.contains("\(user) has claimed") }
        }
        for _ in 1...15 { #expect(fault(try office.claim("eve", gateway, claimKey)) == nil) }
        #expect(try lines(about: "eve").map { $0.hasSuffix("eve has claimed \(gateway)/strap") } == [true])
        // One person's flood keeps nobody else out of the log.
        #expect(fault(try office.claim("ada", gateway, claimKey)) == nil)
        #expect(try lines(about: "ada").count == 1)
        clock.go(60_000)
        #expect(fault(try office.claim("eve", gateway, claimKey)) == nil)
        let later = try lines(about: "eve")
        #expect(later.count == 2)
        #expect(later.last?.hasSuffix(", which was ada's (15 times since this was last logged)") == true, "\(later)")
    }

    @Test("a person claims twenty sensors at once, and then has to wait; others need not")
    func manyClaims() throws {
        try withOffice { office in
            let (gateway, claimKey) = try office.gateway(of: "ada", Ed25519.SigningKey(seed: .random()))
            func claim(_ user: String, _ number: Int) throws -> Reply {
                let sensor = "made-up-\(number)"
                let code = try ClaimCode(sensor: sensor, at: unixMilliseconds(), key: claimKey)
                return try office.claim(user, gateway, code, sensor: sensor)
            }
            for number in 1...20 {
                #expect(fault(try claim("ada", number)) == nil)
                // What was released counts, too: its stream stays.
                let field: JSON = ["gateway": .string(gateway.text), "sensor": .string("made-up-\(number)")]
                #expect(fault(try office.ask("ada", "sensors/release", field)) == nil)
            }
            guard case .error(let error) = try claim("ada", 21).outcome else { throw TestFailure("it was claimed") }
            #expect(error.code == .rateLimited && (500...600).contains(error.retryAfterSeconds ?? 0))
            #expect(error.message.contains("try again in"))
            #expect(try office.data("ada", "sensors/list")["sensors"] == [])
            #expect(fault(try claim("eve", 21)) == nil)
        }
    }

    @Test("a person has at most 64 sensors; one that is released makes room")
    func mostSensors() throws {
        try withOffice { office in
            let (gateway, claimKey) = try office.gateway(of: "ada", Ed25519.SigningKey(seed: .random()))
            let store = try Store(folder: office.settings.state, adding: Feature.all.schema)
            for number in 1...64 {
                let sensor = SensorName(gateway: gateway, sensor: try ID("made-up-\(number)"))
                try Claims(store: store).write(sensor, ID("ada"), [.steps], now: unixMilliseconds())
            }
            guard case .error(let error) = try office.claim("ada", gateway, claimKey).outcome else {
                throw TestFailure("it was claimed")
            }
            #expect(error.code == .notAllowed && error.message == "you have 64 sensors already: release one")
            let field: JSON = ["gateway": .string(gateway.text), "sensor": "made-up-1"]
            #expect(fault(try office.ask("ada", "sensors/release", field)) == nil)
            #expect(fault(try office.claim("ada", gateway, claimKey)) == nil)
        }
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
            var kinds: Grant.Kinds = [.steps, .temperature, .motion]
            if isOn == true { kinds.insert(.heartRate) }
            #expect(try office.grant(of: gateway).kinds == kinds)
        }
        guard case .array(let sensors) = try office.data("ada", "sensors/list")["sensors"] else {
            throw TestFailure("no list")
        }
        #expect(sensors.first?["kinds"] == ["steps", "temperature", "motion"])
    }

    @Test("a sensor that was released is nobody's, though its stream could not be ended at once")
    func releasedInTheEnd() throws {
        let office = try Office()
        defer { office.stop() }
        let (gateway, claimKey) = try office.gateway(of: "ada", Ed25519.SigningKey(seed: .random()))
        #expect(fault(try office.claim("ada", gateway, claimKey)) == nil)
        #expect(try office.grant(of: gateway).until == nil)
        let store = try Store(folder: office.settings.state, adding: Feature.all.schema)
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
