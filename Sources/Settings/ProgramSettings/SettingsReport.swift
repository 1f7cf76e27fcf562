// What a program's settings come to, for `vitals doctor`: the programs' commands `settings` print it. Files that hold
// secrets are named, and nothing in them is shown.

import Daemon
public import MQTT
public import Telemetry

/// What one of our services prints of its settings: one JSON object on one line.
public struct SettingsReport: Equatable, Sendable {
    /// The version of the program that has read the settings.
    public var version: String
    /// What all topics begin with.
    public var root: String
    /// The folder of its state.
    public var state: String
    /// The broker.
    public var broker: JSON
    /// What only one of the programs has, such as `bus`, `adapter` or `root_key_file`.
    public var more: JSON

    /// A report of this version of the program.
    public init(topics: Topics, state: String, broker: MQTT.Options, more: JSON) {
        version = Daemon.version
        root = topics.root
        self.state = state
        self.broker = broker.json
        self.more = more
    }

    /// What a program has printed.
    public init(payload: [UInt8]) throws(MalformedValue) {
        let json = try JSON(payload: payload)
        guard case .string(let version) = json["version"], case .string(let root) = json["root"],
            case .string(let state) = json["state"], let broker = json["broker"], let more = json["more"]
        else { throw MalformedValue("settings", .notAllowed("a member is missing")) }
        (self.version, self.root, self.state, self.broker, self.more) = (version, root, state, broker, more)
    }

    public var json: JSON {
        ["version": .string(version), "root": .string(root), "state": .string(state), "broker": broker, "more": more]
    }
}

extension MQTT.Options {
    /// How the broker is reached, without the client's id and the times.
    public var json: JSON {
        .object(present: [
            "host": .string(host), "port": .integer(Int64(port)), "socket": socketPath.map(JSON.string),
            "protocol": .string(version.rawValue), "username": username.map(JSON.string),
            "password_file": passwordFile.map(JSON.string), "tls": tls?.json,
        ])
    }

    /// What `json` says; what it leaves out has its default.
    public init(_ json: JSON, clientID: String) throws(MalformedValue) {
        guard case .string(let host) = json["host"], case .integer(let number) = json["port"],
            let port = UInt16(exactly: number)
        else { throw MalformedValue("broker", .notAllowed("host or port is missing")) }
        self.init(host: host, port: port, clientID: clientID)
        socketPath = json.string("socket")
        version = json.string("protocol").flatMap(Version.init) ?? .v5
        username = json.string("username")
        passwordFile = json.string("password_file")
        guard let tls = json["tls"] else { return }
        var settings = TLS(caFile: tls.string("ca_file"))
        settings.caPath = tls.string("ca_path")
        settings.certificateFile = tls.string("certificate_file")
        settings.keyFile = tls.string("key_file")
        settings.skipsNameCheck = tls["insecure"] == true
        self.tls = settings
    }
}

extension MQTT.Options.TLS {
    fileprivate var json: JSON {
        .object(present: [
            "ca_file": caFile.map(JSON.string), "ca_path": caPath.map(JSON.string),
            "certificate_file": certificateFile.map(JSON.string), "key_file": keyFile.map(JSON.string),
            "insecure": .bool(skipsNameCheck),
        ])
    }
}

extension JSON {
    fileprivate func string(_ name: String) -> String? {
        guard case .string(let text) = self[name] else { return nil }
        return text
    }
}
