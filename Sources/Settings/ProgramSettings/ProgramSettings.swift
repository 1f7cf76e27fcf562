// What the settings files of our programs have in common, spelt once: the broker, the topics, ids, keys, the log.

public import Daemon
import FoundationEssentials
public import MQTT
public import Telemetry

extension MQTT.Options {
    /// The section `broker`:
    ///
    /// ```
    /// host: "127.0.0.1", port: 1883, protocol: "mqtt5" or "mqtt3.1.1", client_id: …,
    /// username: …, password_file: …, keep_alive: "30 s",
    /// tls: { ca_file: …, ca_path: …, certificate_file: …, key_file: …, insecure: false }
    /// ```
    public init(_ section: Section, clientID: String) throws(SettingsError) {
        self.init(
            host: try section.string("host", default: "127.0.0.1"),
            port: UInt16(try section.integer("port", in: 1...65535, default: 1883)),
            clientID: try section.string("client_id", default: clientID))
        socketPath = try section.path("socket", default: nil)
        version =
            try section.choice("protocol", from: ["mqtt5", "mqtt3.1.1"], default: "mqtt5") == "mqtt5" ? .v5 : .v311
        username = try section.string("username", default: nil)
        passwordFile = try section.path("password_file", default: nil)
        keepAlive = try section.duration("keep_alive", in: .seconds(5) ... .seconds(3600), default: .seconds(30))
        guard let tls = try section.section("tls", default: nil) else { return }
        var settings = TLS(caFile: try tls.path("ca_file", default: nil))
        settings.caPath = try tls.path("ca_path", default: nil)
        settings.certificateFile = try tls.path("certificate_file", default: nil)
        settings.keyFile = try tls.path("key_file", default: nil)
        settings.skipsNameCheck = try tls.bool("insecure", default: false)
        self.tls = settings
    }
}

extension Section {
    /// `root`: what all topics begin with.
    public func topics() throws(SettingsError) -> Topics {
        try validated("root", default: Topics.defaultRoot) { (text) throws(MalformedValue) in try Topics(root: text) }
    }

    /// `home_assistant`: where Home Assistant looks for devices; nil if the section is left out, and it is told nothing.
    /// - Parameter own: our own topics, with which these must not mix.
    public func homeAssistant(besides own: Topics) throws(SettingsError) -> HomeAssistantTopics? {
        guard let section = try section("home_assistant", default: nil) else { return nil }
        let topics = try section.validated("discovery_prefix", default: HomeAssistantTopics.defaultPrefix) {
            (text) throws(MalformedValue) in try HomeAssistantTopics(prefix: text)
        }
        guard !topics.overlaps(own) else {
            throw section.refusal(
                of: "discovery_prefix", "\(topics.prefix) and the root \(own.root) mix",
                hint: "leave it out, unless Home Assistant has a prefix of its own")
        }
        return topics
    }

    /// The id that is a key of the settings. Daemon has checked it by the same rule.
    public func validID(_ key: String) throws(SettingsError) -> ID {
        do { return try ID(key) } catch { throw refusal(of: "", "\(error)") }
    }

    /// A value that Telemetry checks.
    public func validated<Value>(
        _ key: String, default absent: String? = nil, _ make: (String) throws(MalformedValue) -> Value
    ) throws(SettingsError) -> Value {
        let text = if let absent { try string(key, default: absent) } else { try string(key) }
        do { return try make(text) } catch { throw refusal(of: key, error.description) }
    }

    /// A public key of 32 bytes in base64, as the programs' `identity` commands print it; nil if there is none.
    public func publicKey(_ key: String) throws(SettingsError) -> [UInt8]? {
        guard let text = try string(key, default: nil) else { return nil }
        guard let data = Data(base64Encoded: text), data.count == 32 else {
            throw refusal(
                of: key, "expected 32 bytes in base64",
                hint: "`vitals-gateway identity` and `vitals-consumer identity` print them")
        }
        return Array(data)
    }

    /// `log`: the lowest level that is logged.
    public func logLevel() throws(SettingsError) -> LogLevel {
        let name = try string("log", default: LogLevel.info.name)
        guard let level = LogLevel(name: name) else {
            throw refusal(of: "log", "expected one of \(LogLevel.allCases.map(\.name).joined(separator: ", "))")
        }
        return level
    }
}
