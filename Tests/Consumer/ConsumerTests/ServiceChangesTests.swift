import Daemon
import Foundation
import HouseholdSupport
import MQTT
import Readings
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_consumer

/// What changes while the service runs, and what runs beside it.
extension ServiceTests {
    private func acknowledged(_ blocks: [[UInt8]], _ client: Client, _ key: [UInt8]) throws -> Int {
        for block in blocks { client.publish(block, to: self.blocks) }
        var count = 0
        while count < blocks.count {
            guard case .acknowledgement(let identities) = try client.control(key).body else { continue }
            count += identities.count
        }
        return count
    }

    private func newSession(_ grant: Grant) throws -> GatewaySession {
        try GatewaySession(grant, household.home, boot: BootID(high: 0, low: 1))
    }

    /// The next grant for the strap that is open and sealed to another key.
    private func nextGrant(after old: Grant, _ client: Client, _ key: [UInt8]) throws -> Grant {
        while true {
            let grant = try grant(client, key)
            if grant.serial > old.serial, grant.personPublicKey != old.personPublicKey, grant.until == nil {
                return grant
            }
        }
    }

    @Test("as a program: SIGHUP takes up a rotation and a claim with blocks in flight, and keeps the old where it must")
    func reload() throws {
        _ = try household.settings(people: "demo: { sensors: [\"home/strap\"] }, other: {}", port: broker.port)
        let identity = try end(program("identity"))
        let key = try KeyFile.bytes(of: String(identity.output.dropLast()))
        try broker.start()
        let client = try Client(broker, "vitals/v1/#")
        defer { client.stop() }
        let service = try program()
        defer { service.end(SIGKILL) }
        var grant = try grant(client, key)
        #expect(try presence(client).state == .online)
        let first = try newSession(grant)
        #expect(try acknowledged([first.keyBlock, first.block(beat(0, 70))], client, key) == 2)
        let inFlight = try first.block(beat(1000, 71))

        let rotated = try end(program("rotate", "--user", "demo"))
        #expect(rotated.status == 0 && rotated.output.contains("version 2"))
        #expect(try end(program("rotate", "--user", "nobody")).status == 67)
        service.signal(SIGHUP)
        grant = try nextGrant(after: grant, client, key)
        let second = try newSession(grant)
        #expect(try acknowledged([second.keyBlock, second.block(beat(2000, 72)), inFlight], client, key) == 3)
        let alsoInFlight = try second.block(beat(3000, 73))

        _ = try household.settings(people: "demo: {}, other: { sensors: [\"home/strap\"] }", port: 1)
        service.signal(SIGHUP)
        grant = try nextGrant(after: grant, client, key)
        #expect(service.complains("these settings need a restart: broker"))
        let third = try newSession(grant)
        #expect(try acknowledged([third.keyBlock, third.block(beat(4000, 90)), alsoInFlight], client, key) == 3)

        // What the old owner's stream holds from after the change is somebody else's.
        let moment = Moment(wall: unixMilliseconds() + 3_600_000, monotonic: 1)
        let after = try second.block(Reading(at: moment, beat(0, 99).value))
        #expect(try acknowledged([after], client, key) == 1)
        #expect(service.complains("1 block of readings from after its sensor had been given to another person"))

        try "{ nonsense: 1 }".write(toFile: household.path("consumer.json5"), atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        #expect(service.complains("the settings were not read again"))
        #expect(try acknowledged([third.block(beat(5000, 91))], client, key) == 1)
        _ = try household.settings(people: "demo: {}, other: { sensors: [\"home/strap\"] }", port: broker.port)
        try beside(service)
        service.signal(SIGTERM)
        let ended = try end(service)
        #expect(ended.status == 0 && ended.errors.contains(" 1 not kept"))
    }

    @Test("as a program: settings that are applied are not called otherwise where their grants cannot be published yet")
    func unpublished() throws {
        _ = try household.settings(people: "demo: { sensors: [\"home/strap\"] }, other: {}", port: broker.port)
        let identity = try end(program("identity"))
        let key = try KeyFile.bytes(of: String(identity.output.dropLast()))
        try broker.start()
        let client = try Client(broker, "vitals/v1/#")
        defer { client.stop() }
        let service = try program()
        defer { service.end(SIGKILL) }
        let grant = try grant(client, key)
        #expect(try presence(client).state == .online)
        // The other person's secret is known by its version, and has not been opened yet.
        let keys = try Database(household.path("state/keys.db"), .readWrite(.full), applicationID: Keys.applicationID)
        try keys.execute("ALTER TABLE secrets RENAME COLUMN sealed TO hidden")
        _ = try household.settings(people: "demo: {}, other: { sensors: [\"home/strap\"] }", port: broker.port)
        service.signal(SIGHUP)
        #expect(service.complains("the settings were applied, but their grants could not be published; again in 5 s"))
        #expect(!service.errors.contains("not applied"))
        try keys.execute("ALTER TABLE secrets RENAME COLUMN hidden TO sealed")
        #expect(try nextGrant(after: grant, client, key).until == nil)
    }

    /// What runs beside the service, and what does not.
    private func beside(_ service: RunningProgram) throws {
        func readings(_ user: String) throws -> [String] {
            try end(program("readings", "--user", user, "--kind", "heart-rate")).output.split(separator: "\n").map(
                String.init)
        }
        #expect(try readings("demo") == (0...3).map { line(Int64($0) * 1000, 70 + $0) })
        #expect(try readings("other") == [line(4000, 90), line(5000, 91)])
        let check = try end(program("check"))
        #expect(
            check.status == 0 && check.output.hasPrefix("{\"streams\":3,\"sessions\":3,\"blocks\":6,\"readings\":6,"))
        let backup = try end(program("backup", household.path("backup")))
        #expect(backup.status == 0 && backup.output.contains("vitals.db") && backup.errors == "")
        #expect(try end(program("backup", household.path("backup"))).status == 74)
        for arguments in [[], ["restore", household.path("backup")]] {
            let refused = try RunningProgram(
                "vitals-consumer", arguments + ["--settings", household.path("consumer.json5")], output: .apart)
            let ended = try end(refused)
            #expect(ended.status == 75)
            #expect(ended.errors.contains("in use by process \(service.pid)"))
        }
    }

    @Test("says once what is wrong with its database, acknowledges nothing meanwhile, and catches up")
    func brokenDatabase() throws {
        _ = try household.settings(port: broker.port)
        let identity = try end(program("identity"))
        let key = try KeyFile.bytes(of: String(identity.output.dropLast()))
        try broker.start()
        let client = try Client(broker, "vitals/v1/#")
        defer { client.stop() }
        let supervisor = try Supervisor()
        let service = try program(environment: supervisor.environment)
        defer { service.end(SIGKILL) }
        let session = try newSession(grant(client, key))
        let database = try Database(
            household.path("state/vitals.db"), .readWrite(.full), applicationID: Store.applicationID)
        try database.execute("CREATE TRIGGER broken BEFORE INSERT ON ledger BEGIN SELECT RAISE(ABORT, 'broken'); END")
        for _ in 1...3 {
            while try presence(client).state != .online {}
            client.publish(session.keyBlock, to: blocks)
            while try presence(client).state != .offline {}
        }
        #expect(supervisor.message(containing: "disk: failing since 20") != nil)
        try database.execute("DROP TRIGGER broken")
        while try presence(client).state != .online {}
        #expect(try acknowledged([session.keyBlock, session.block(beat(0, 70))], client, key) == 2)
        #expect(service.errors.split(separator: "\n").count { $0.contains("nothing of this batch was kept") } == 1)
        // It is believed to work again when nothing was refused for a while, whether something else comes or not.
        #expect(service.complains("takes what is written again", within: .seconds(30)))
        #expect(supervisor.endsWith("STATUS=connected to the broker"))
        // Its disk is told of, and not each try.
        #expect(service.errors.split(separator: "\n").count { $0.contains("next try in") } == 0)
        #expect(service.errors.split(separator: "\n").count { $0.contains("connected to the broker") } == 1)
    }

    @Test("says that it is online only when the broker has granted the subscription to blocks")
    func presenceLast() throws {
        try broker.start()
        let client = try Client(broker, "vitals/v1/stores/#")
        defer { client.stop() }
        try withConsumer { consumer, _ in
            #expect(try presence(client).state == .online)
            try broker.waitForLog("/stores/\(consumer.store)/consumers/main', ... (")
            let lines = broker.log.split(separator: "\n")
            let subscribed = try #require(lines.firstIndex { $0.contains("gateways/+/blocks") })
            let granted = try #require(
                lines[subscribed...].firstIndex { $0.contains("Sending SUBACK to vitals-consumer") })
            let online = try #require(
                lines.firstIndex { $0.contains("Received PUBLISH from vitals-consumer") && $0.contains("/stores/") })
            #expect(granted < online)
        }
    }

    @Test("ends when a restored copy has taken over, and the copy says again what another overwrote")
    func supersededByCopy() throws {
        try broker.start()
        let client = try Client(broker, "vitals/v1/gateways/#")
        defer { client.stop() }
        let settings = try household.settings(port: broker.port)
        let key = try Keys(settings, .create).identity.publicKey
        let (first, second) = (Failed(), Failed())
        let original = try Consumer(settings, readiness: Readiness(), failed: first.set)
        original.start()
        let old = try client.wait("the grant") { $0.topic.hasSuffix("/grant") ? $0 : nil }

        let backup = household.path("backup")
        _ = try output { _ = try BackupCommand(folder: backup).run(settings, output: $0) }
        let copy = try settingsOfCopy()
        _ = try output { descriptor in
            let command = RestoreCommand(data: backup + "/data", keys: backup + "/keys")
            _ = try command.run(copy, now: unixMilliseconds(), output: descriptor)
        }
        let restored = try Consumer(copy, readiness: Readiness(), failed: second.set)
        #expect(restored.store != original.store)
        // The restored one is not to find the old grant at once: it says its own again once a minute only.
        client.session.publish([], to: old.topic, qos: .atLeastOnce, retain: true)
        _ = try client.wait("the empty grant") { $0.topic == old.topic && $0.payload.isEmpty ? true : nil }
        restored.start()
        let failure = try first.wait()
        #expect(
            failure.message.contains("superseded by a newer copy") && failure.message.contains("\(restored.store)"))
        original.stop()
        // Its own grant, and once more after the sight of the other's.
        while try client.control(key).store != restored.store {}
        for _ in 1...3 { client.session.publish(old.payload, to: old.topic, qos: .atLeastOnce, retain: true) }
        guard case .grant(let grant) = try SignedControlMessage(bytes: old.payload).message.body else {
            throw TestFailure("no grant")
        }
        let session = try newSession(grant)
        client.publish(session.keyBlock, to: blocks)
        var grants = 0
        while case let message = try client.control(key), message.body != .acknowledgement([session.identity(0)]) {
            if message.store == restored.store { grants += 1 }
        }
        #expect(grants == 1, "once a minute")
        restored.stop()
        #expect(second.error == nil)
    }

    @Test(
        "restored from a backup, takes back a stream that was opened after it, from the grant that a gateway hands back"
    )
    func restoredService() throws {
        try broker.start()
        let client = try Client(broker, "vitals/v1/gateways/#")
        defer { client.stop() }
        let settings = try household.settings(
            people: "demo: { sensors: [\"home/strap\"] }, other: {}", port: broker.port)
        let key = try Keys(settings, .create).identity.publicKey
        do { _ = try Consumer(settings, readiness: Readiness()) { _ in } }
        let backup = household.path("backup")
        _ = try output { _ = try BackupCommand(folder: backup).run(settings, output: $0) }

        let claimed = try household.settings(
            people: "demo: {}, other: { sensors: [\"home/strap\"] }", port: broker.port)
        let lost = try Consumer(claimed, readiness: Readiness()) { _ in }
        lost.start()
        let grant = try client.wait("the grant") { $0.topic.hasSuffix("/grant") ? $0 : nil }
        lost.stop()
        let signed = try SignedControlMessage(bytes: grant.payload)
        guard case .grant(let opened) = signed.message.body else { throw TestFailure("no grant") }
        let session = try newSession(opened)
        try FileManager.default.moveItem(atPath: settings.state, toPath: household.path("lost"))
        _ = try output { descriptor in
            let command = RestoreCommand(data: backup + "/data", keys: backup + "/keys")
            _ = try command.run(settings, now: unixMilliseconds(), output: descriptor)
        }
        let restored = try Consumer(settings, readiness: Readiness()) { _ in }
        restored.start()
        defer { restored.stop() }
        let block = try session.block(beat(0, 70))
        while try client.control(key).store != restored.store {}
        client.publish(block, to: blocks)
        while try client.control(key).body != .keyRequest(session.stream, session.id) {}
        client.publish(grant.payload, to: "vitals/v1/gateways/home/grants")
        #expect(try acknowledged([session.keyBlock, block], client, key) == 2)
    }

    @Test("restored with a clock that was behind, ends when a gateway hands back a newer grant, and says what to type")
    func handedBackNewer() throws {
        try broker.start()
        let client = try Client(broker, "vitals/v1/gateways/#")
        defer { client.stop() }
        let backup = household.path("backup")
        let (newest, message, key): (Grant, [UInt8], [UInt8])
        do {
            let parts = try household.open(now: 2_000_000_000_000)
            newest = try parts.grant()
            let control = Control(store: parts.store.id, topics: parts.settings.topics, identity: parts.keys.identity)
            message = try control.message(newest, ID("home")).payload
            key = parts.keys.identity.publicKey
            // What the backup has is from before that.
            try parts.store.database.execute("UPDATE streams SET serial = 5")
        }
        let settings = try household.settings(port: broker.port)
        _ = try output { _ = try BackupCommand(folder: backup).run(settings, output: $0) }
        func restore(above: Int64, as name: String) throws {
            try FileManager.default.moveItem(atPath: settings.state, toPath: household.path(name))
            _ = try output { descriptor in
                let command = RestoreCommand(data: backup + "/data", keys: backup + "/keys", above: above)
                _ = try command.run(settings, now: unixMilliseconds(), output: descriptor)
            }
        }

        try restore(above: 0, as: "lost")
        let failed = Failed()
        let restored = try Consumer(settings, readiness: Readiness(), failed: failed.set)
        restored.start()
        _ = try client.wait("the grant") { $0.topic.hasSuffix("/grant") ? true : nil }
        client.publish(message, to: "vitals/v1/gateways/home/grants")
        let failure = try failed.wait()
        restored.stop()
        #expect(failure.exitCode == .configuration && failure.message.contains("superseded by a newer copy"))
        let advice = "vitals-consumer restore DIR --above \(newest.serial)"
        #expect(failure.hint?.contains(advice) == true, "\(failure)")

        // The advice is right.
        try restore(above: Int64(newest.serial), as: "behind")
        let again = Failed()
        let mended = try Consumer(settings, readiness: Readiness(), failed: again.set)
        mended.start()
        let grant = try client.wait("a newer grant") { message -> Grant? in
            guard let signed = try? SignedControlMessage(bytes: message.payload).message, signed.store == mended.store,
                case .grant(let grant) = signed.body
            else { return nil }
            return grant
        }
        #expect(grant.serial > newest.serial)
        client.publish(message, to: "vitals/v1/gateways/home/grants")
        let session = try newSession(grant)
        client.publish(session.keyBlock, to: blocks)
        while try client.control(key).body != .acknowledgement([session.identity(0)]) {}
        mended.stop()
        #expect(again.error == nil)
    }

    /// The settings with another state folder.
    func settingsOfCopy() throws -> ConsumerSettings {
        let text = try String(contentsOfFile: household.path("consumer.json5"), encoding: .utf8)
        let path = household.path("copy.json5")
        try text.replacing("state: \"state\"", with: "state: \"copy\"")
            .write(toFile: path, atomically: true, encoding: .utf8)
        return try Settings.read(path, ConsumerSettings.init)
    }
}
