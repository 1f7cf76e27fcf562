import Foundation
import Glibc
import TestSupport
import Testing

/// What `deploy/bridge` writes for a home's broker. That a broker runs with it, and what crosses then, is tried by the rig `bridge`.
@Suite("deploy/bridge", .timeLimit(.minutes(60)))
struct BridgeFileTests {
    private let folder: TemporaryFolder
    private let password: String

    init() throws {
        folder = try TemporaryFolder()
        password = try folder.write("s3cret+/=\nanother line\n", to: "password")
        try FileManager.default.createDirectory(atPath: folder.path("mosquitto"), withIntermediateDirectories: true)
    }

    private func bridge(_ words: [String]) throws -> (status: Int32?, text: String) {
        let program = try RunningProgram("\(projectFolder)/deploy/bridge", [folder.path("mosquitto")] + words)
        let status = program.exitStatus(within: .seconds(60))
        return (status, program.text)
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder.path("mosquitto/\(name)"), encoding: .utf8)
    }

    private func lines(_ name: String) throws -> [String] {
        try text(name).split(separator: "\n").map(String.init)
    }

    @Test("writes the bridge with the gateway's own password, for the broker's eyes only")
    func writes() throws {
        let outcome = try bridge(["k3v7q2mz", password, "vitals.example.org"])
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(!outcome.text.contains("s3cret"))
        let settings = try lines("bridge-k3v7q2mz.conf").filter { !$0.hasPrefix("#") }
        for line in [
            "connection vitals-k3v7q2mz", "address vitals.example.org:8883", "remote_username k3v7q2mz",
            "remote_password s3cret+/=", "bridge_capath /etc/ssl/certs",
            "topic blocks out 0 vitals/v1/gateways/k3v7q2mz/ vitals/v1/gateways/k3v7q2mz/",
        ] {
            #expect(settings.contains(line))
        }
        #expect(settings.allSatisfy { $0.firstMatch(of: #/[A-Z]{4,}/#) == nil }, "a word was not replaced: \(settings)")
        #expect(settings.contains { $0.wholeMatch(of: #/remote_clientid vitals-bridge-[0-9a-f]{32}/#) != nil })
        #expect(settings.allSatisfy { !$0.contains("heart-rate") && !$0.contains("topic #") })
        for name in ["bridge-k3v7q2mz.conf", "vitals.passwd"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("mosquitto/\(name)"))
            let isShared = geteuid() == 0 && getpwnam("mosquitto") != nil
            #expect(attributes[.posixPermissions] as? Int == (isShared ? 0o640 : 0o600))
            // The broker reads its settings as root when it starts: it must not be able to write them.
            #expect(attributes[.ownerAccountID] as? UInt32 == geteuid())
        }
    }

    @Test("waits for no pipe in place of the password, and takes it from what the caller has open")
    func pipes() throws {
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        let outcome = try bridge(["k3v7q2mz", folder.path("pipe"), "vitals.example.org"])
        #expect(outcome.status == 66 && outcome.text.contains("cannot be read"), "\(outcome.text)")
        let program = try RunningProgram(
            "\(projectFolder)/deploy/bridge",
            [folder.path("mosquitto"), "k3v7q2mz", "/dev/stdin", "vitals.example.org"])
        program.send("s3cret+/=")
        program.closeInput()
        #expect(program.exitStatus(within: .seconds(60)) == 0, "\(program.text)")
        #expect(try lines("bridge-k3v7q2mz.conf").contains("remote_password s3cret+/="))
    }

    @Test("adds the rules and the password of each gateway once, however often it is run")
    func twice() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("mosquitto/conf.d"), withIntermediateDirectories: true)
        let authority = folder.path("authority")
        try RunningProgram.run("\(projectFolder)/deploy/certificates", [authority, "authority"])
        for gateway in ["attic", "attic-2", "attic"] {
            let outcome = try bridge([gateway, password, "10.0.0.1:1884", "\(authority)/authority.crt"])
            #expect(outcome.status == 0, "\(outcome.text)")
        }
        let users = try lines("vitals.acl").filter { $0.hasPrefix("user ") }
        #expect(users.sorted() == ["user attic", "user attic-2", "user consumer", "user home"])
        #expect(try lines("vitals.acl").contains("topic readwrite vitals/v1/gateways/attic-2/#"))
        #expect(try Set(lines("vitals.passwd").map { $0.prefix { $0 != ":" } }) == ["attic", "attic-2"])
        #expect(try lines("vitals.passwd").count == 2)
        #expect(try text("vitals.passwd").contains("s3cret") == false)
        let settings = try lines("conf.d/bridge-attic.conf")
        #expect(settings.contains("address 10.0.0.1:1884"))
        #expect(settings.contains("bridge_cafile \(authority)/authority.crt"))
        #expect(!settings.contains("bridge_capath /etc/ssl/certs"))
    }

    @Test("writes nothing where somebody else could exchange it, and replaces nobody's rules")
    func guarded() throws {
        try folder.write("user ada\ntopic read vitals/v1/users/ada/#\n", to: "mosquitto/vitals.acl")
        #expect(try bridge(["ada", password, "vitals.example.org"]).status == 65)
        guard geteuid() == 0 else { return }
        for place in ["mosquitto", "mosquitto/conf.d"] {
            try FileManager.default.createDirectory(atPath: folder.path(place), withIntermediateDirectories: true)
            #expect(chmod(folder.path(place), 0o775) == 0)
            #expect(try bridge(["attic", password, "vitals.example.org"]).status == 77)
            #expect(chmod(folder.path(place), 0o755) == 0 && chown(folder.path(place), 65534, 0) == 0)
            #expect(try bridge(["attic", password, "vitals.example.org"]).status == 77)
            #expect(chown(folder.path(place), 0, 0) == 0)
        }
        #expect(try bridge(["attic", password, "vitals.example.org"]).status == 0)
    }

    @Test(
        "refuses what cannot be right, and writes nothing",
        arguments: [
            (["consumer", "password", "vitals.example.org"], 64), (["Attic", "password", "vitals.example.org"], 64),
            (["attic\nuser x", "password", "vitals.example.org"], 64),
            (["attic", "password", "vitals.example.org\ntopic #"], 64),
            (["attic", "password", "vitals.example.org:0"], 64),
            (["attic", "password", "vitals.example.org:65536"], 64),
            (["attic", "password"], 64), (["attic", "nothing", "vitals.example.org"], 66),
            (["attic", "spaces", "vitals.example.org"], 65), (["attic", "colon", "vitals.example.org"], 65),
            (["homeassistant", "password", "vitals.example.org"], 64),
            (["attic", "password", "vitals.example.org", "password"], 66),
        ] as [([String], Int32)])
    func refuses(words: [String], expected: Int32) throws {
        try folder.write("two words\n", to: "spaces")
        try folder.write("abc:def\n", to: "colon")
        let files = ["password", "nothing", "spaces", "colon"]
        let outcome = try bridge(words.map { files.contains($0) ? folder.path($0) : $0 })
        #expect(outcome.status == expected, "\(outcome.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("mosquitto")).isEmpty)
    }
}
