import Foundation
import Glibc
import TestSupport
import Testing

@Suite("vitals doctor, of certificates", .timeLimit(.minutes(60)))
struct DoctorCertificateTests {
    /// A certificate for `localhost` that signs itself, and its key.
    private func write(_ name: String, days: Int, in folder: TemporaryFolder) throws {
        // `openssl` makes no certificate that has expired.
        let script = """
            import datetime, sys
            from cryptography import x509
            from cryptography.hazmat.primitives import hashes, serialization
            from cryptography.hazmat.primitives.asymmetric import ec
            key = ec.generate_private_key(ec.SECP256R1())
            name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
            end = datetime.datetime.utcnow() + datetime.timedelta(days=int(sys.argv[2]))
            certificate = (
                x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
                .not_valid_before(end - datetime.timedelta(days=400)).not_valid_after(end)
                .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
                .add_extension(x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256()))
            with open(sys.argv[1] + ".key", "wb") as file:
                file.write(key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            with open(sys.argv[1] + ".crt", "wb") as file:
                file.write(certificate.public_bytes(serialization.Encoding.PEM))
            """
        _ = try RunningProgram.runPython(["-W", "ignore", "-c", script, folder.path(name), "\(days)"])
    }

    @Test("files: valid, near their end, past it, one of several, and what is no certificate, is endless or waits")
    func files() throws {
        let folder = try TemporaryFolder()
        for (name, days) in [("long", 300), ("short", 5), ("past", -1)] { try write(name, days: days, in: folder) }
        func find(_ file: String) throws -> DoctorVisit.Finding {
            // No broker is needed for this.
            let broker = #"socket: "\#(folder.path("none"))", tls: { ca_file: "\#(folder.path(file))" }"#
            return try Machine(broker: broker).finding("gateway authority")
        }
        #expect(try find("long.crt").severity == "ok")
        let short = try find("short.crt")
        #expect(short.severity == "warning" && short.text.hasSuffix("ends within 14 days"))
        let past = try find("past.crt")
        #expect(past.severity == "problem" && past.text.hasSuffix("has expired"))
        // Authorities of earlier years may stay in the file.
        let long = try String(contentsOfFile: folder.path("long.crt"), encoding: .utf8)
        try folder.write(String(contentsOfFile: folder.path("past.crt"), encoding: .utf8) + long, to: "both.crt")
        #expect(try find("both.crt").severity == "ok")

        try folder.write("-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n", to: "broken.crt")
        #expect(try find("broken.crt").severity == "unknown")
        try folder.write("no certificate\n", to: "none.crt")
        #expect(try find("none.crt").text.hasSuffix("holds no certificate"))
        #expect(try find("absent.crt").severity == "problem")
        #expect(mkfifo(folder.path("pipe.crt"), 0o600) == 0)
        #expect(try find("pipe.crt").text.hasSuffix("is not a file of certificates"))
        try folder.write(long, to: "huge.crt")
        truncate(folder.path("huge.crt"), 1 << 30)
        #expect(try find("huge.crt").text.hasSuffix("is not a file of certificates"))
    }

    @Test(
        "the broker's own certificate, as it shows it; one that shows none is not waited for", arguments: [300, 5, -1])
    func server(days: Int) throws {
        let broker = try Broker(configuration: [
            "allow_anonymous true", "certfile {folder}/server.crt", "keyfile {folder}/server.key",
        ])
        try write("server", days: days, in: broker.folder)
        try broker.start()
        defer { broker.stop() }
        let tls = #"host: "localhost", tls: { ca_file: "\#(broker.folder.path("server.crt"))" }"#
        let machine = try Machine(port: broker.port, broker: tls)
        let finding = try machine.finding("gateway broker's certificate")
        #expect(finding.severity == (days < 0 ? "problem" : days < 14 ? "warning" : "ok"), "\(finding)")
        #expect(finding.text.contains("localhost:\(broker.port)"))

        let silent = try Listener()
        let start = ContinuousClock.now
        let hung = try Machine(port: silent.port, broker: tls).doctor(["--timeout", "1"])
        #expect(hung["gateway broker's certificate"]?.severity == "unknown", "\(hung.text)")
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
