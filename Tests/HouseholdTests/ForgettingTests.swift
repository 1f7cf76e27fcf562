import Daemon
import Foundation
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_consumer

@Suite("A person who is forgotten", .timeLimit(.minutes(60)))
struct ForgettingTests {
    /// The key blocks in an outbox, as they were sealed to the person.
    private func keyBlocks(_ outbox: String) throws -> [[UInt8]] {
        let database = try Database(outbox, .readOnly, applicationID: 0x5669_744F)
        return try database.query("SELECT bytes FROM blocks WHERE sequence = 0") { row throws(VaultError) in
            try row.blob(0)
        }
    }

    /// How many of them any secret in these keys opens.
    private func opened(_ blocks: [[UInt8]], _ keys: Keys, _ gateway: Ed25519.VerifyingKey) throws -> Int {
        let people = try keys.all().compactMap { try keys.person($0.user, version: $0.version) }
        #expect(!people.isEmpty)
        return blocks.count { block in
            people.contains { (try? SessionKey.open(block, recipient: $0.stream, gateway: gateway)) != nil }
        }
    }

    @Test("is so in the gateway's outbox, too: what it keeps is sealed to a key that is gone, and is taken from it")
    func outbox() throws {
        let household = try Household()
        try household.start()
        try household.startSensor(["--activity", Household.recording("run-9km.csv"), "--speed", "240", "--loop"])
        // The gateway keeps what is acknowledged, and what is not: there is both.
        try household.waitForHealth { $0.contains(#""connected":1"#) }
        while try household.stored("heart-rate").count < 200 {}
        household.consumer?.end()
        try household.waitForHealth { !$0.contains(#""blocks":0,"#) }
        let path = household.folder.path("consumer.json5")
        try RunningProgram.run("vitals-consumer", ["backup", household.folder.path("before"), "--settings", path])
        try RunningProgram.run("vitals-consumer", ["forget", "--user", "demo", "--yes", "--settings", path])

        let settings = try Settings.read(path, ConsumerSettings.init)
        let gateway = try #require(settings.gateways[ID("home")])
        let blocks = try keyBlocks(household.folder.path("gateway/outbox.db"))
        #expect(blocks.count > 0)
        let before = try Keys(settings, .read, folder: household.folder.path("before/keys"))
        #expect(try opened(blocks, before, gateway) == blocks.count, "the control")
        #expect(try opened(blocks, Keys(settings, .read), gateway) == 0)
        #expect(try household.stored("heart-rate").isEmpty)

        // Everything that waits is accepted, and readings continue in a new stream.
        try household.startConsumer()
        #expect(household.consumer?.line(containing: "blocks of a forgotten person") != nil)
        while try household.stored("heart-rate").isEmpty {}
        household.sensor?.send("quit")
        try household.waitUntilStored()
        let check = try RunningProgram.run("vitals-consumer", ["check", "--settings", path])
        #expect(check.contains(#""forgotten":0,"#), "\(check)")
        let all = try keyBlocks(household.folder.path("gateway/outbox.db"))
        #expect(try opened(all, Keys(settings, .read), gateway) == all.count - blocks.count && all.count > blocks.count)
    }
}
