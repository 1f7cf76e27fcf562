import Foundation
import TestSupport
import Testing

/// Scripts under `deploy/` that look after a machine.
@Suite("Care of a machine", .timeLimit(.minutes(60)))
struct CareTests {
    private static let hook = "\(projectFolder)/deploy/certbot-hook"

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// The certificate that a broker shows.
    private func shown(_ port: UInt16) throws -> String {
        try RunningProgram.run(
            "bash",
            [
                "-c",
                "openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256",
            ])
    }

    @Test("a renewed certificate is shown to whoever connects next, and nobody is thrown out")
    func renewedCertificate() throws {
        let broker = try Broker(configuration: [
            "allow_anonymous true", "pid_file {folder}/pid", "certfile {folder}/certs/server.crt",
            "keyfile {folder}/certs/server.key",
        ])
        let authority = broker.folder.path("authority")
        let certificates = "\(projectFolder)/deploy/certificates"
        try RunningProgram.run(certificates, [authority, "authority"])
        try RunningProgram.run(certificates, [authority, "server", "localhost", "127.0.0.1"])
        try FileManager.default.createDirectory(atPath: broker.folder.path("certs"), withIntermediateDirectories: false)
        for name in ["server.crt", "server.key"] {
            try FileManager.default.copyItem(
                atPath: "\(authority)/\(name)", toPath: broker.folder.path("certs/\(name)"))
        }
        try broker.start()
        defer { broker.stop() }
        let tls = ["-h", "localhost", "-p", "\(broker.port)", "--cafile", "\(authority)/authority.crt", "-t", "topic"]
        let subscriber = try RunningProgram("stdbuf", ["-oL", "mosquitto_sub", "-d"] + tls)
        #expect(subscriber.line(containing: "Subscribed") != nil)
        let old = try shown(broker.port)

        try RunningProgram.run(certificates, [authority, "server", "localhost", "127.0.0.1"])
        let words = [
            "--to", broker.folder.path("certs"), "--user", NSUserName(), "--pid-file", broker.folder.path("pid"),
            "--check", "127.0.0.1:\(broker.port)",
        ]
        // A pair that does not belong together is refused before anything changes.
        let pair = broker.folder.path("pair")
        try FileManager.default.createDirectory(atPath: pair, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: "\(authority)/server.crt", toPath: "\(pair)/fullchain.pem")
        try FileManager.default.copyItem(atPath: "\(authority)/authority.key", toPath: "\(pair)/privkey.pem")
        let refused = try RunningProgram(Self.hook, words, environment: ["RENEWED_LINEAGE": pair])
        #expect(refused.exitStatus() == 65 && refused.text.contains("is not the key of"), "\(refused.text)")
        #expect(try shown(broker.port) == old)

        // As certbot lays them out.
        try FileManager.default.removeItem(atPath: "\(pair)/privkey.pem")
        try FileManager.default.copyItem(atPath: "\(authority)/server.key", toPath: "\(pair)/privkey.pem")
        // The broker's user may own the folder: a link there is replaced, and what it leads to stays as it is.
        let victim = try broker.folder.write("root's own", to: "victim")
        try FileManager.default.removeItem(atPath: broker.folder.path("certs/server.key"))
        symlink(victim, broker.folder.path("certs/server.key"))
        let hook = try RunningProgram(Self.hook, words, environment: ["RENEWED_LINEAGE": pair])
        #expect(hook.exitStatus(within: .seconds(60)) == 0, "\(hook.text)\n\(broker.log)")
        #expect(try shown(broker.port) != old)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "root's own")
        #expect(mode(broker.folder.path("certs/server.key")) == 0o600)
        #expect(mode(broker.folder.path("certs/server.crt")) == 0o644)
        let names = try FileManager.default.contentsOfDirectory(atPath: broker.folder.path("certs")).sorted()
        #expect(names == ["server.crt", "server.key"])
        try RunningProgram.run("mosquitto_pub", tls + ["-m", "still here"])
        #expect(subscriber.line(containing: "still here") != nil)
        #expect(subscriber.lines.count { $0.contains("CONNACK") } == 1, "\(subscriber.text)")
    }

    @Test("in a folder of the server's user, that user writes, and root does nothing there", .enabled(if: getuid() == 0))
    func folderOfServer() throws {
        let folder = try TemporaryFolder()
        let (authority, certs) = (folder.path("authority"), folder.path("certs"))
        let certificates = "\(projectFolder)/deploy/certificates"
        try RunningProgram.run(certificates, [authority, "authority"])
        try RunningProgram.run(certificates, [authority, "server", "localhost", "127.0.0.1"])
        try FileManager.default.createDirectory(atPath: certs, withIntermediateDirectories: false)
        for path in [folder.path, certs] { #expect(chmod(path, 0o755) == 0) }
        let nobody = try #require(getpwnam("nobody"))
        #expect(chown(certs, nobody.pointee.pw_uid, nobody.pointee.pw_gid) == 0)
        let words = ["--from", authority, "--to", certs, "--user", "nobody", "--pid-file", folder.path("pid")]
        // A server of its own, which takes the signal.
        let server = try RunningProgram("/bin/bash", ["-c", "trap : HUP; echo ready; while :; do sleep 0.1; done"])
        defer { server.end() }
        #expect(server.line(containing: "ready") != nil)
        _ = try folder.write("\(server.pid)", to: "pid")
        // What root would do is seen by whoever watches the folder: the file that is made is not root's for a moment.
        let trace = try RunningProgram(
            "/bin/bash", ["-xc", "source \"$0\" \"$@\"", Self.hook] + words)
        #expect(trace.exitStatus(within: .seconds(60)) == 0, "\(trace.text)")
        #expect(trace.text.contains("setpriv --reuid nobody"), "\(trace.text)")
        for (name, mode) in [("server.key", 0o600), ("server.crt", 0o644)] as [(String, mode_t)] {
            var status = stat()
            #expect(lstat("\(certs)/\(name)", &status) == 0 && status.st_uid == nobody.pointee.pw_uid)
            #expect(status.st_mode & 0o7777 == mode)
        }
        // In a folder of somebody else's, nobody writes.
        let daemon = try #require(getpwnam("daemon"))
        #expect(chown(certs, daemon.pointee.pw_uid, daemon.pointee.pw_gid) == 0)
        let refused = try RunningProgram(Self.hook, words)
        #expect(refused.exitStatus() == 77 && refused.text.contains("neither root nor nobody"), "\(refused.text)")
    }
}
