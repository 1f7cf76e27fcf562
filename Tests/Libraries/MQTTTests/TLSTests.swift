import MQTT
import TestSupport
import Testing

@Suite("TLS")
struct TLSTests {
    /// A broker whose certificate is made out to `name` by a private authority.
    private func broker(name: String) throws -> Broker {
        let broker = try Broker(configuration: [
            "allow_anonymous true", "certfile {folder}/broker.crt", "keyfile {folder}/broker.key",
        ])
        try authority("ca", broker)
        try openssl(
            [
                "-CA", broker.folder.path("ca.crt"), "-CAkey", broker.folder.path("ca.key"), "-subj", "/CN=broker",
                "-addext", "subjectAltName=\(name)",
            ], "broker", broker)
        return broker
    }

    private func authority(_ name: String, _ broker: Broker) throws {
        try openssl(["-subj", "/CN=\(name) of a test"], name, broker)
    }

    private func openssl(_ arguments: [String], _ name: String, _ broker: Broker) throws {
        try RunningProgram.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-keyout", broker.folder.path("\(name).key"), "-out", broker.folder.path("\(name).crt"),
            ] + arguments)
    }

    private func options(_ broker: Broker, host: String, caFile: String = "ca.crt") -> Options {
        var options = Options(host: host, port: broker.port, clientID: "tls")
        options.tls = Options.TLS(caFile: broker.folder.path(caFile))
        return options
    }

    @Test("carries messages large and many", arguments: ["127.0.0.1", "localhost"])
    func works(host: String) throws {
        let broker = try broker(name: "IP:127.0.0.1,DNS:localhost")
        try broker.start()
        defer { broker.stop() }
        var options = options(broker, host: host)
        options.maximumPacketSize = 2 << 20
        try Client.with(options) { client in
            try client.connected()
            try client.subscribe(Subscription("t"))
            let large = [UInt8](repeating: 7, count: 1 << 20)
            #expect(client.session.publish(large, to: "t", qos: .atLeastOnce))
            #expect(try client.messages.wait(for: 1)[0].payload == large)
            for number in 0..<2_000 {
                #expect(client.session.publish([UInt8(number % 256)], to: "t", qos: .atLeastOnce))
            }
            #expect(try client.messages.wait(for: 2_001).count == 2_001)
        }
    }

    @Test("trusts no other authority")
    func wrongAuthority() throws {
        let broker = try broker(name: "IP:127.0.0.1")
        try authority("other", broker)
        try broker.start()
        defer { broker.stop() }
        try Client.with(options(broker, host: "127.0.0.1", caFile: "other.crt")) { client in
            let error = try client.failure()
            #expect(error.kind == .tls)
            #expect(error.reason.contains("certificate verify failed"))
            #expect(error.hint?.contains("other.crt") == true)
        }
    }

    @Test("trusts no certificate that is made out to another")
    func wrongName() throws {
        let broker = try broker(name: "DNS:elsewhere.example")
        try broker.start()
        defer { broker.stop() }
        try Client.with(options(broker, host: "127.0.0.1")) { client in
            let error = try client.failure()
            #expect(error.kind == .tls)
            #expect(error.hint?.contains("made out to 127.0.0.1") == true)
        }
        var bench = options(broker, host: "127.0.0.1")
        bench.tls?.skipsNameCheck = true
        try Client.with(bench) { try $0.connected() }
    }

    @Test("hears at once that nobody listens, and connects once somebody does", arguments: ["127.0.0.1", "localhost"])
    func refused(host: String) throws {
        let broker = try broker(name: "IP:127.0.0.1,DNS:localhost")
        let start = ContinuousClock.now
        try Client.with(options(broker, host: host)) { client in
            // With libmosquitto 2.0.21, all that is known is that TLS has failed.
            let failure = try client.failure()
            let isGuess = failure.hint?.contains("is a broker listening there") == true
            #expect(failure.reason == "connection refused" || failure.kind == .tls && isGuess, "\(failure)")
            // The limit of a try is ten seconds.
            #expect(ContinuousClock.now - start < .seconds(5))
            try broker.start()
            defer { broker.stop() }
            try client.connected()
        }
    }

    @Test("names a file that is not there, and connects once it is")
    func missingFile() throws {
        let broker = try broker(name: "IP:127.0.0.1")
        try broker.start()
        defer { broker.stop() }
        try Client.with(options(broker, host: "127.0.0.1", caFile: "later.crt")) { client in
            let error = try client.failure()
            #expect(error.reason == "\(broker.folder.path("later.crt")): No such file or directory")
            try RunningProgram.run("cp", [broker.folder.path("ca.crt"), broker.folder.path("later.crt")])
            try client.connected()
        }
    }
}
