import Daemon
import DaysSupport
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

@testable import Accounts
@testable import Readings
@testable import vitals_consumer

/// What people ask of a running service about their secrets, and what an operator does beside it.
extension ServiceTests {
    private func ask(_ client: Client, _ name: String, _ payload: String = "{}", of user: String = "demo") throws
        -> Reply
    {
        let place = "vitals/v1/users/\(user)/responses/\(UUID().uuidString)"
        client.session.publish(
            Message(
                topic: "vitals/v1/users/\(user)/requests/\(name)", payload: Array(payload.utf8), qos: .atLeastOnce,
                properties: Message.Properties(responseTopic: place)))
        return try client.wait("a reply to \(name)") { $0.topic == place ? try Reply(payload: $0.payload) : nil }
    }

    private func data(_ reply: Reply) throws -> JSON {
        guard case .ok(let data) = reply.outcome else { throw TestFailure("\(reply)") }
        return data
    }

    private func code(_ reply: Reply) -> ReplyError.Code? {
        if case .error(let error) = reply.outcome { error.code } else { nil }
    }

    private func confirmation(_ asked: JSON) throws -> String {
        guard case .string(let text)? = asked["confirmation"] else { throw TestFailure("\(asked)") }
        return "{\"confirmation\":\"\(text)\"}"
    }

    private func acknowledged(_ blocks: [[UInt8]], _ client: Client, _ key: [UInt8]) throws {
        for block in blocks { client.publish(block, to: self.blocks) }
        var count = 0
        while count < blocks.count {
            guard case .acknowledgement(let identities) = try client.control(key).body else { continue }
            count += identities.count
        }
    }

    private func nextGrant(after old: Grant, _ client: Client, _ key: [UInt8]) throws -> Grant {
        while true {
            let grant = try grant(client, key)
            if grant.serial > old.serial, grant.personPublicKey != old.personPublicKey, grant.until == nil {
                return grant
            }
        }
    }

    @Test("has everything of a person's forgotten when they ask and confirm, tells them how far it is, and goes on")
    func resetAll() throws {
        try broker.start()
        let people = "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }"
        do {
            let parts = try household.open(people: people)
            try Documents(store: parts.store, keys: parts.keys).write(["name": "Ada"], "profile", of: ID("demo"))
        }
        let settings = try household.settings(
            people: people, port: broker.port, more: "accounts: {}, broker_rules: {},")
        let key = try Keys(settings, .read).identity.publicKey
        let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.desk.recordRequests()
        let time = Mutex<Int64>(start)
        consumer.features.context.now = { time.withLock { $0 } }
        let client = try Client(
            broker, "vitals/v1/gateways/#", "vitals/v1/users/+/responses/#", "vitals/v1/users/demo/progress")
        defer { client.stop() }
        consumer.start()
        defer { consumer.stop() }
        try broker.waitForLog("vitals/v1/users/+/requests/#")
        var strap = try grant(client, key)
        while strap.sensor.text != "strap" { strap = try grant(client, key) }
        let session = try GatewaySession(strap, household.home, boot: BootID(high: 0, low: 1))
        try acknowledged([session.keyBlock, session.block(beat(0, 70), beat(1000, 71))], client, key)

        #expect(code(try ask(client, "reset-all/confirm", #"{"confirmation":"x"}"#)) == .wrongCredentials)
        let old = try data(ask(client, "reset-all/ask"))
        #expect(old["what"]?["heart-rate"] == 2 && old["what"]?["documents"] == ["profile"])
        time.withLock { $0 += ResetAll.lifetime + 1 }
        #expect(code(try ask(client, "reset-all/confirm", confirmation(old))) == .expired)
        let asked = try data(ask(client, "reset-all/ask"))
        #expect(code(try ask(client, "reset-all/confirm", confirmation(old))) == .wrongCredentials)
        #expect(code(try ask(client, "reset-all/confirm", confirmation(asked), of: "other")) == .wrongCredentials)
        let done = try data(ask(client, "reset-all/confirm", confirmation(asked)))
        // The session's key, the profile, and what is kept of the minutes.
        guard case .integer(let tried)? = done["tried"] else { throw TestFailure("\(done)") }
        #expect(tried >= 3 && done["opened"] == 0 && done["next"] == "profile")
        #expect(code(try ask(client, "reset-all/confirm", confirmation(asked))) == .wrongCredentials)
        var steps: [JSON?] = []
        while steps.last != .some("done") {
            steps.append(
                try client.wait("progress") { $0.topic.hasSuffix("/progress") ? try JSON(payload: $0.payload) : nil }[
                    "step"])
        }
        #expect(steps == ["account", "streams", "secrets", "readings", "log", "proof", "done"])

        let new = try nextGrant(after: strap, client, key)
        #expect(new.stream != strap.stream)
        let fresh = try GatewaySession(new, household.home, boot: BootID(high: 0, low: 1))
        // What a gateway still has of before is acknowledged.
        try acknowledged(
            [session.block(beat(2000, 99)), session.keyBlock, fresh.keyBlock, fresh.block(beat(3000, 72))], client, key)
        let read = ReadingsCommand(user: try ID("demo"), kind: .heartRate)
        #expect(try output { _ = try read.run(settings, output: $0) } == [line(3000, 72)])
        #expect(try data(ask(client, "reset-all/ask"))["what"]?["heart-rate"] == 1)

        // The new secret is young.
        time.withLock { $0 = unixMilliseconds() }
        #expect(code(try ask(client, "secret/rotate")) == .rateLimited)
        let keys = try Database(household.path("state/keys.db"), .readWrite(.full), applicationID: Keys.applicationID)
        try keys.execute("UPDATE secrets SET made_ms = 1")
        #expect(try data(ask(client, "secret/rotate"))["version"] == 3)
        _ = try nextGrant(after: new, client, key)
        #expect(code(try ask(client, "secret/rotate", of: "nobody")) == .notFound)
    }

    @Test("does not keep what a session in memory seals after somebody else has claimed the sensor")
    func claimed() throws {
        try broker.start()
        let people = "demo: {}, other: {}"
        let sensor = SensorName(gateway: try ID("home"), sensor: try ID("strap"))
        let other = try ID("other")
        do {
            let parts = try household.open(people: people)
            try Claims(store: parts.store).write(sensor, ID("demo"), .all, now: start)
        }
        let settings = try household.settings(people: people, port: broker.port)
        let key = try Keys(settings, .read).identity.publicKey
        let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.desk.recordRequests()
        let client = try Client(broker, "vitals/v1/gateways/#")
        defer { client.stop() }
        consumer.start()
        do {
            defer { consumer.stop() }
            let strap = try grant(client, key)
            let session = try GatewaySession(strap, household.home, boot: BootID(high: 0, low: 1))
            try acknowledged([session.keyBlock, session.block(beat(0, 70))], client, key)
            consumer.session.loop.perform {
                do {
                    try Claims(store: consumer.streams.grants.store).write(sensor, other, .all, now: unixMilliseconds())
                    try consumer.streams.settle([sensor])
                } catch {
                    Issue.record(error)
                }
            }
            _ = try nextGrant(after: strap, client, key)
            let late = unixMilliseconds() - start + 3_600_000
            try acknowledged([session.block(beat(late, 99))], client, key)
        }
        #expect(consumer.counts.discarded == 1 && consumer.counts.stored == 2)
    }

    @Test("gives a person what is theirs, part by part, and nobody else's")
    func exportParts() throws {
        try broker.start()
        let people = "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }"
        do {
            var parts = try household.open(people: people)
            let (session, watch) = (try parts.session(household), try parts.session(household, "watch"))
            _ = try parts.take(session.keyBlock, watch.keyBlock, watch.block(beat(0, 133)))
            _ = try parts.take(
                all: (0..<40).map { number in
                    try session.block((0..<50).map { beat(Int64(number) * 50_000 + $0 * 1000, 70) })
                })
        }
        let settings = try household.settings(
            people: people, port: broker.port, more: "accounts: {}, broker_rules: {},")
        let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.desk.recordRequests()
        let client = try Client(broker, "vitals/v1/users/+/responses/#")
        defer { client.stop() }
        consumer.start()
        defer { consumer.stop() }
        try broker.waitForLog("vitals/v1/users/+/requests/#")
        var files: [String: String] = [:]
        var cursor: String?
        repeat {
            let part = try data(ask(client, "export/part", cursor.map { "{\"cursor\":\"\($0)\"}" } ?? "{}"))
            guard case .string(let file)? = part["file"], case .string(let text)? = part["data"] else {
                throw TestFailure("\(part)")
            }
            files[file, default: ""] += text
            if let cursor {
                #expect(code(try ask(client, "export/part", "{\"cursor\":\"\(cursor)\"}", of: "other")) == .invalid)
            }
            if case .string(let next)? = part["next"] { cursor = next } else { cursor = nil }
        } while cursor != nil
        // Whether the days were looked at already is another question.
        let others = Set(files.keys).subtracting(["history.json", "days.jsonl"])
        #expect(
            others == ["README.txt", "account.json", "sensors.json", "heart-rate.csv", "steps.csv", "temperature.csv"])
        let lines = try #require(files["heart-rate.csv"]).split(separator: "\n")
        #expect(lines.count == 2001 && lines.dropFirst().allSatisfy { $0.contains(",70,") })
        #expect(code(try ask(client, "export/part", #"{"cursor":"00"}"#)) == .invalid)
        #expect(code(try ask(client, "export/part", #"{"cursor":7}"#)) == .badRequest)
    }

    @Test("makes secrets anew that are old, at its start")
    func yearly() throws {
        try broker.start()
        do { _ = try household.open(people: "demo: { sensors: [\"home/strap\"] }, other: {}") }
        let keys = try Database(household.path("state/keys.db"), .readWrite(.full), applicationID: Keys.applicationID)
        try keys.execute("UPDATE secrets SET made_ms = made_ms - 366 * 86400000 WHERE person = 'demo'")
        let client = try Client(broker, "vitals/v1/gateways/#")
        defer { client.stop() }
        try withConsumer { _, key in
            while try grant(client, key).personPublicKey
                != Keys(household.settings(), .read).person("demo", version: 2)?.stream.publicKey
            {}
        }
        let versions = try Keys(household.settings(), .read).all().map { "\($0.user) \($0.version)" }
        #expect(versions == ["demo 1", "demo 2", "other 1"])
    }

    @Test("as a program: goes on while its root key is changed again and again, and somebody who changes it is killed")
    func rootKeyBeside() throws {
        _ = try household.settings(port: broker.port)
        let identity = try end(program("identity"))
        let key = try KeyFile.bytes(of: String(identity.output.dropLast()))
        try broker.start()
        let client = try Client(broker, "vitals/v1/gateways/#")
        defer { client.stop() }
        let service = try program()
        defer { service.end(SIGKILL) }
        var grant = try grant(client, key)
        var blocks = 0
        for round in 1...8 {
            let change = try program("rotate-root")
            if round % 2 == 0 {
                while change.isRunning, !FileManager.default.fileExists(atPath: household.path("root.key.new")) {}
                change.end(SIGKILL)
            } else {
                #expect(try end(change).status == 0)
            }
            #expect(try end(program("rotate", "--user", "demo")).status == 0)
            // A person who was never seen before gets a secret of the service's own making.
            _ = try household.settings(
                people: "demo: { sensors: [\"home/strap\"] }, \"new-\(round)\": {}", port: broker.port)
            service.signal(SIGHUP)
            grant = try nextGrant(after: grant, client, key)
            let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
            try acknowledged([session.keyBlock, session.block(beat(Int64(round) * 1000, 70))], client, key)
            blocks += 1
        }
        service.signal(SIGTERM)
        #expect(try end(service).status == 0)
        let keys = try Keys(household.settings(), .read)
        #expect(keys.identity.publicKey == key)
        let names = try keys.all()
        #expect(names.count == 9 + 8)
        for name in names { #expect(try keys.person(name.user, version: name.version) != nil, "\(name)") }
        let check = try end(program("check"))
        #expect(check.status == 0 && check.output.contains("\"readings\":\(blocks),"), "\(check.output)\(check.errors)")
    }

    @Test("as a program: forgets whom an operator has put on the list, at SIGHUP")
    func forgetBeside() throws {
        let people = "demo: { sensors: [\"home/strap\"] }, other: {}"
        _ = try household.settings(people: people, port: broker.port)
        let identity = try end(program("identity"))
        let key = try KeyFile.bytes(of: String(identity.output.dropLast()))
        try broker.start()
        let client = try Client(broker, "vitals/v1/gateways/#")
        defer { client.stop() }
        let service = try program()
        defer { service.end(SIGKILL) }
        let grant = try grant(client, key)
        let session = try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
        try acknowledged([session.keyBlock, session.block(beat(0, 70))], client, key)
        #expect(try end(program("forget", "--user", "nobody", "--yes")).status == 67)
        #expect(try end(program("forget", "--user", "demo", "--account", "--yes")).errors.contains("of the settings"))
        let asked = try program("forget", "--user", "demo")
        asked.send("no")
        #expect(try end(asked).errors.contains("nothing was done"))
        let forgotten = try end(program("forget", "--user", "demo", "--yes"))
        #expect(forgotten.status == 0 && forgotten.output.contains("SIGHUP"))
        service.signal(SIGHUP)
        #expect(service.complains("sealed rows tried with every key there is, 0 opened"))
        let new = try nextGrant(after: grant, client, key)
        let fresh = try GatewaySession(new, household.home, boot: BootID(high: 0, low: 1))
        try acknowledged([session.block(beat(1000, 71)), fresh.keyBlock, fresh.block(beat(2000, 72))], client, key)
        #expect(
            try end(program("readings", "--user", "demo", "--kind", "heart-rate")).output == line(2000, 72) + "\n")
        service.signal(SIGTERM)
        #expect(try end(service).status == 0)
        // Nobody runs: all of it is done at once.
        let again = try end(program("forget", "--user", "demo", "--yes"))
        #expect(again.status == 0 && again.output.contains("demo is forgotten: 2 sealed rows tried"), "\(again)")
        #expect(try end(program("readings", "--user", "demo", "--kind", "heart-rate")).output == "")
        #expect(try end(program("check")).status == 0)
    }
}
