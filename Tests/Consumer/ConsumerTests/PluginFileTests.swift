import Daemon
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Admission
@testable import Features
@testable import vitals_consumer

/// The file that the broker's plugin starts with, as `vitals-consumer broker-rules` writes it.
@Suite("The plugin's file")
struct PluginFileTests {
    let household: Household
    let settings: ConsumerSettings
    let path: String

    init() throws {
        household = try Household()
        settings = try household.ruledSettings()
        path = household.path("rules.json")
    }

    func write() throws {
        let nowhere = try #require(FileHandle(forWritingAtPath: "/dev/null"))
        // The descriptor is the handle's, which has to live as long.
        try withExtendedLifetime(nowhere) {
            _ = try BrokerRulesCommand(path: path).run(settings, output: nowhere.fileDescriptor)
        }
    }

    func read() throws -> PluginFile {
        try #require(PluginFile(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: path)))))
    }

    @Test("has the consumer, gateways with a password, and devices and gateways of the database; and denies the rest")
    func contents() throws {
        let store = try household.ruledStore()
        try store.insert(device: "adaphone", of: "ada")
        try store.insert(gateway: "gwada", of: "ada", isHousehold: true)
        try write()
        let file = try read()
        #expect(file.clients?.map(\.username) == ["adaphone", "consumer", "gwada", "home"])
        #expect(file.clients?.first?.roles?.map(\.rolename) == ["household-gwada", "person-ada"])
        #expect(
            file.roles?.map(\.rolename) == [
                "consumer", "gateway-gwada", "gateway-home", "guest", "household", "household-gwada", "person-ada",
            ])
        #expect(file.defaultACLAccess?.filter(\.value).map(\.key) == ["unsubscribe"])
        #expect(file.anonymousGroup == "anonymous" && file.groups?.first?.roles?.map(\.rolename) == ["guest"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("stays as it is while it says what the database says, also as the broker writes it")
    func unchanged() throws {
        try write()
        let first = try Data(contentsOf: URL(fileURLWithPath: path))
        try write()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
    }

    @Test(
        "is written where it is missing, empty, cut or not JSON",
        arguments: ["", "{", "{\"clients\":[", "[]", "\u{0}", "{}"])
    func damaged(_ text: String) throws {
        try write()
        let good = try read()
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try write()
        // The consumer's and the gateway's salts are drawn anew.
        #expect(try read().clients?.map(\.roles) == good.clients?.map(\.roles))
        // What an operator has added may be in it.
        let kept = try? Data(contentsOf: URL(fileURLWithPath: path + ".damaged"))
        #expect(kept == (["", "{}"].contains(text) ? nil : Data(text.utf8)))
    }

    @Test("loses devices that the database does not know, and keeps what an operator has added")
    func foreign() throws {
        try write()
        var file = try read()
        file.clients?.append(.init(username: "stray", roles: [.init(rolename: "person-nobody")]))
        file.clients?.append(.init(username: "second", roles: [.init(rolename: "consumer")]))
        file.clients?.append(
            .init(
                username: "ha", textname: "Home Assistant",
                roles: [.init(rolename: "household"), .init(rolename: "own")]))
        file.roles?.append(.init(rolename: "person-nobody", acls: []))
        file.roles?.append(
            .init(rolename: "own", acls: [.init(acltype: "publishClientSend", topic: "ha/#", allow: true)]))
        file.groups?.append(.init(groupname: "friends", roles: [.init(rolename: "own")]))
        file.defaultACLAccess?["subscribe"] = true
        try Data(file.bytes).write(to: URL(fileURLWithPath: path))
        try write()
        let after = try read()
        #expect(after.clients?.map(\.username) == ["consumer", "ha", "home"])
        #expect(after.clients?[1].textname == "Home Assistant")
        #expect(after.roles?.map(\.rolename) == ["consumer", "gateway-home", "guest", "household", "own"])
        #expect(after.groups?.map(\.groupname) == ["anonymous", "friends"])
        #expect(after.defaultACLAccess?["subscribe"] == false)
    }

    @Test("takes a password that was changed, and no other")
    func passwords() throws {
        try write()
        let before = try read()
        try household.write("another", to: "home.password")
        try write()
        let after = try read()
        #expect(after.clients?[0] == before.clients?[0] && after.clients?[1] != before.clients?[1])
        let home = try #require(after.clients?[1])
        let credential = try #require(
            BrokerCredential(base64: home.password, salt: home.salt, iterations: home.iterations))
        #expect(try credential.matches("another") && !credential.matches("home's"))
    }

    @Test("no gateway gets the consumer's name, which would keep the consumer out of its own broker")
    func consumersName() throws {
        let settings = try household.ruledSettings(consumer: "vitals")
        do {
            _ = try EnrolCodeCommand(gateway: ID("vitals")).run(settings, now: 0, output: 1)
            Issue.record("a code was made")
        } catch let error as Failure {
            #expect(error.message.contains("the consumer's own name"))
        }
    }

    @Test("no gateway has the name under which the consumer stores what phones send, by a code or by settings")
    func phones() throws {
        let settings = try household.ruledSettings(consumer: "vitals")
        do {
            _ = try EnrolCodeCommand(gateway: ID("phones")).run(settings, now: 0, output: 1)
            Issue.record("a code was made")
        } catch let error as Failure {
            #expect(error.message.contains("stores what phones send"))
        }
        let text = """
            { state: "state", root_key_file: "root.key", broker: {},
              gateways: { phones: { identity: "\(KeyFile.text(of: household.home.publicKey))" } } }
            """
        try text.write(toFile: household.settingsFile, atomically: true, encoding: .utf8)
        do {
            _ = try household.written()
            Issue.record("the settings were taken")
        } catch {
            #expect("\(error)".contains("stores what phones send"), "\(error)")
        }
    }
}

extension Household {
    /// Settings of a consumer that rules its broker.
    func ruledSettings(
        household: String = "owners", port: UInt16 = 1, consumer: String = "consumer", folder: String? = nil
    ) throws -> ConsumerSettings {
        let passwords = folder ?? path("")
        if folder == nil {
            try write("the consumer's", to: "consumer.password")
            try write("home's", to: "home.password")
        }
        let text = """
            {
              state: "state", root_key_file: "root.key", accounts: {}, broker_rules: { household: "\(household)" },
              broker: { port: \(port), username: "\(consumer)", password_file: "\(passwords)/consumer.password" },
              gateways: {
                home: { identity: "\(KeyFile.text(of: home.publicKey))", password_file: "\(passwords)/home.password" },
              },
            }
            """
        try write(text, to: "consumer.json5")
        return try Settings.read(path("consumer.json5"), ConsumerSettings.init)
    }

    /// The database of such a consumer.
    func ruledStore() throws -> Store {
        let settings = try Settings.read(path("consumer.json5"), ConsumerSettings.init)
        _ = try Keys(settings, .create)
        return try Store(folder: settings.state, adding: Feature.all.schema)
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path(name))
    }
}

extension Store {
    /// Enters a device whose password is its name.
    func insert(device: String, of user: String) throws {
        try database.execute(
            "INSERT INTO devices (device, person, credential, created_ms, secret_version, name) VALUES (?, ?, ?, 0, 1, x'00')",
            [.text(device), .text(user), .blob(try BrokerCredential(password: device).bytes)])
    }

    /// Enters a gateway whose password is its name.
    func insert(gateway: String, of user: String, isHousehold: Bool) throws {
        try database.execute(
            """
            INSERT INTO gateways (gateway, owner, identity, credential, claim_key, household, enrolled_ms)
            VALUES (?, ?, randomblob(32), ?, x'00', ?, 0)
            """,
            [
                .text(gateway), .text(user), .blob(try BrokerCredential(password: gateway).bytes),
                .integer(isHousehold ? 1 : 0),
            ])
    }

    func remove(device: String) throws {
        try database.execute("DELETE FROM devices WHERE device = ?", [.text(device)])
    }
}
