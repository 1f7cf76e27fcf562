import Daemon
import Glibc
import MQTT
import ProgramSettings
import Telemetry

/// What all commands take: from the command line, otherwise from the settings file, otherwise a default.
struct Call {
    /// The protocol's versions, as the option spells them.
    enum ProtocolName: String, CaseIterable {
        case mqtt5
        case mqtt311 = "mqtt3.1.1"
    }

    /// How to reach the broker.
    private(set) var broker: MQTT.Options
    /// Where the topics begin.
    let topics: Topics
    /// The only gateway that counts, or nil. If the command line names it, `about` finds its id.
    var gateway: ID?
    /// How the command line names it.
    let wantedGateway: String?
    /// How long to wait for the broker and for answers altogether.
    private(set) var timeout: Duration
    /// What the command line says about that; nil if it leaves it to the command.
    private(set) var askedTimeout: Duration?
    /// Whether to print for programs.
    let isJSON: Bool
    /// Who is signed in at this broker, and is asking; nil if nobody is, or if the command line asks for another
    /// name or for none.
    private(set) var credential: Credential?
    /// Where a sign-in at this broker is kept; nil if there is no home.
    let place: Credential.Place?

    init(_ arguments: Arguments) throws {
        let file =
            if let path = try Self.settingsFile(arguments) {
                try Settings.read(path, example: Self.exampleOfSettings, File.init)
            } else {
                try File()
            }
        topics = file.topics
        wantedGateway = try arguments.optionalString("gateway")
        gateway = file.gateway
        askedTimeout = try arguments.optionalDuration("timeout", in: .milliseconds(100) ... .seconds(86_400))
        timeout = askedTimeout ?? .seconds(10)
        isJSON = try arguments.flag("json")
        broker = file.broker
        // Two sessions with the same id would end each other's connections.
        broker.clientID += "-" + randomText()
        broker.connectTimeout = timeout
        let (host, port) = (try arguments.optionalString("host"), try arguments.optionalInteger("port", in: 1...65535))
        if host != nil || port != nil { broker.socketPath = nil }
        if let host { broker.host = host }
        if let port { broker.port = UInt16(port) }
        if let name = try arguments.optionalChoice("protocol", of: ProtocolName.self) {
            broker.version = name == .mqtt5 ? .v5 : .v311
        }
        let tls = try (flag: arguments.flag("tls"), file: arguments.optionalString("ca-file"))
        if tls.flag || tls.file != nil { broker.tls = broker.tls ?? MQTT.Options.TLS() }
        if let file = tls.file { broker.tls?.caFile = file }
        place = Credential.Place(broker.address, topics)
        let isAnonymous = try arguments.flag("anonymous")
        if isAnonymous { (broker.username, broker.passwordFile) = (nil, nil) }
        if let username = try arguments.optionalString("username") {
            guard !isAnonymous else { throw arguments.refusal(of: "anonymous", "cannot be combined with --username") }
            broker.username = username
            broker.passwordFile = try arguments.optionalString(Self.passwordFileOption) ?? broker.passwordFile
        } else if broker.username == nil, !isAnonymous, let place, let credential = try Credential.read(place) {
            (broker.username, broker.passwordFile) = (credential.device.text, place.passwordFile)
            self.credential = credential
        } else if broker.username != nil {
            broker.passwordFile = try arguments.optionalString(Self.passwordFileOption) ?? broker.passwordFile
        }
    }

    /// The person who asks the consumer: the one who is signed in, or the person of a home's settings with this name at
    /// its broker; nil for nobody.
    var person: ID? { credential?.user ?? broker.username.flatMap { try? ID($0) } }

    /// The same for somebody who has no name at the broker.
    var asGuest: Call {
        var call = self
        (call.broker.username, call.broker.passwordFile, call.credential) = (nil, nil, nil)
        return call
    }

    /// The same for a service of this machine: its broker, under its name, and its topics.
    func at(_ broker: MQTT.Options, _ topics: Topics, gateway: ID?) -> Call {
        var call = Call(self, topics, gateway: gateway)
        (call.broker, call.credential) = (broker, nil)
        call.broker.connectTimeout = timeout
        return call
    }

    private init(_ call: Call, _ topics: Topics, gateway: ID?) {
        (broker, self.topics, self.gateway, wantedGateway) = (call.broker, topics, gateway, nil)
        (timeout, askedTimeout, isJSON) = (call.timeout, call.askedTimeout, call.isJSON)
        (credential, place) = (nil, nil)
    }

    /// The same with a shorter time limit.
    func hurried(to limit: Duration) -> Call {
        var call = self
        call.timeout = min(timeout, limit)
        call.askedTimeout = call.timeout
        call.broker.connectTimeout = call.timeout
        return call
    }

    /// Overrides the chosen protocol if only MQTT 5 will do.
    mutating func useMQTT5() { broker.version = .v5 }

    /// Whether others can read what goes to the broker on its way.
    var isOpen: Bool {
        let isHere = broker.socketPath != nil || ["127.0.0.1", "::1", "localhost"].contains(broker.host)
        return broker.tls == nil && !isHere
    }

    /// Why the broker could not be reached, with what to do if it no longer knows this device.
    func failure(_ error: MQTTError) -> Failure {
        guard credential != nil, error.kind == .refused else { return Failure(error) }
        return Failure(
            .refused,
            "this device was signed out at \(broker.address): it was revoked, the password was reset, or the account was deleted",
            hint: "vitals sign-in; or connect without a name: --anonymous")
    }

    /// Why somebody may not see something, with what to do: on a broker with accounts, everybody sees their own
    /// gateways.
    func refusal(_ error: MQTTError) -> Failure {
        guard error.kind == .refused else { return Failure(error) }
        let hint: String? =
            switch (credential, gateway) {
            case (nil, _): broker.username == nil ? "sign in: vitals sign-in; or name a user: --username" : nil
            case (_, nil): "name one of your gateways with --gateway: vitals gateways"
            default:
                """
                is it yours, and shared with its household? vitals gateways shows it, and \
                `vitals gateways household GATEWAY on` changes it
                """
            }
        return Failure(.refused, error.sentence, hint: hint ?? Failure(error).hint)
    }

    /// How long to wait for something that usually takes especially long: as long as the command line says, or as is
    /// usual.
    func patience(_ usual: Duration) -> Duration { askedTimeout ?? usual }

    /// How long to wait for something that is not essential: never longer than this, whatever the command line says.
    func patience(atMost limit: Duration) -> Duration { min(limit, askedTimeout ?? limit) }

    /// A duration as people read it: `10 s`, `0.5 s`.
    static func text(of duration: Duration) -> String {
        let milliseconds = Int(duration / .milliseconds(1))
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(Double(milliseconds) / 1000) s"
    }

    /// Names the broker's password, if the command line or the settings name a user; otherwise the account's.
    static let passwordFileOption = "password-file"

    /// A settings file, for the help and for people whose file is not one.
    static let exampleOfSettings = #"{ broker: { host: "127.0.0.1", port: 1883 }, gateway: "home" }"#

    /// The settings file.
    private struct File {
        var broker = MQTT.Options(host: "127.0.0.1", clientID: "vitals")
        var topics: Topics
        var gateway: ID?

        init() throws(MalformedValue) { topics = try Topics() }

        init(_ section: Section) throws(SettingsError) {
            broker = try MQTT.Options(section.section("broker"), clientID: "vitals")
            topics = try section.topics()
            if try section.id("gateway", default: nil) != nil {
                gateway = try section.validated("gateway") { (text) throws(MalformedValue) in try ID(text) }
            }
        }
    }

    /// The file that was named, which must be there, or the usual one if there is one.
    private static func settingsFile(_ arguments: Arguments) throws -> String? {
        if let path = try arguments.optionalString("settings") { return path }
        guard let folder = configurationFolder else { return nil }
        let path = folder + "/vitals.json5"
        return access(path, F_OK) == 0 ? path : nil
    }
}

/// 12 random characters from 0-9 and a-f.
func randomText() -> String {
    let number = UInt64.random(in: 0..<(1 << 48))
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 12 - text.count) + text
}
