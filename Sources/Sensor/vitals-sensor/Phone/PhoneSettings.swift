import Daemon
import Glibc
import MQTT
import OwnTracks

/// The command line of the emulated phone.
let phoneCommand = Command(
    name: "phone", summary: "Emulates a phone with the app OwnTracks, which tells a broker where it is.",
    discussion: """
        It publishes the positions of --activity at the recording's pace, as the app does in its mode for moving, with \
        the times of the wall clock. All that the app has to know comes from a link, as `vitals phone add` prints it, or from \
        the options. What the broker has not acknowledged is published again after an outage.
        """,
    options: [
        .value("link-file", "FILE", "a file with the app's link owntracks:///config?inline=…, for its owner only"),
        .value("host", "HOST", "the broker's name or address; otherwise as the link says"),
        .value("port", "PORT", "the broker's port; otherwise as the link says, or 1883"),
        .value("username", "NAME", "the phone's name at the broker"),
        .value("password-file", "FILE", "a file whose first line is the phone's password there, for its owner only"),
        .flag("tls", "speaks TLS to the broker"),
        .value("ca-file", "FILE", "the same, but trusts the certificates in FILE (default: the system's)"),
        .value("topic", "TOPIC", "where to publish"),
        .value("secret-file", "FILE", "a file whose first line is what to seal with, for its owner only"),
        .value("interval", "SECONDS", "how much of the recording passes between two positions at least", default: "1"),
    ],
    examples: [
        Example("vitals-sensor phone --link-file phone.link --activity deploy/activities/run-9km.csv --once"),
        Example(
            "vitals-sensor phone --host 127.0.0.1 --topic owntracks/ada/phone --activity run-9km.csv --speed 60 --once"),
    ])

/// What the command line, and a link that it names, tell the phone.
struct PhoneSettings {
    let activity: RecordedActivity
    let speed: Double
    /// When the first record is due, in Unix milliseconds; nil for the first connection.
    let beginning: Int64?
    let isOnce: Bool
    /// Seconds of the recording.
    let interval: Double
    let topic: String
    /// Nil where messages are plain.
    let secret: PhoneSecret?
    let trackerID: String?
    let broker: MQTT.Options

    init(_ arguments: Arguments) throws {
        speed = try arguments.double("speed", in: 0.01...100_000)
        beginning = try arguments.optionalInteger("begin", in: 0...253_402_300_799_999).map(Int64.init)
        isOnce = try arguments.flag("once")
        interval = try arguments.double("interval", in: 0...86_400)
        let isRepeated = try arguments.flag("loop")
        if isOnce, isRepeated { throw arguments.refusal(of: "once", "excludes --loop") }
        guard let file = try arguments.optionalString("activity") else {
            throw arguments.missing("activity", "a phone replays the positions of a recording")
        }
        activity = try RecordedActivity(file: file, isRepeated: isRepeated)
        guard activity.records.contains(where: { $0.place != nil }) else {
            throw RecordingError(
                file: file, line: nil, column: nil,
                problem: "it has no positions, which are in the columns latitude_deg and longitude_deg")
        }
        let link = try arguments.optionalString("link-file").map(Self.configuration)
        if link?.usesWebSocket == true {
            throw arguments.refusal(of: "link-file", "says WebSocket, which is not spoken here")
        }
        guard let topic = try arguments.optionalString("topic") ?? link?.publishedTopic else {
            throw arguments.missing("topic", "name it, or a --link-file")
        }
        self.topic = topic
        let sealing = try arguments.optionalString("secret-file")
        secret = try sealing.map { try Self.read($0) { try PhoneSecret($0) } } ?? link?.secret
        trackerID = link?.trackerID
        broker = try Self.broker(arguments, link)
    }

    private static func broker(_ arguments: Arguments, _ link: PhoneConfiguration?) throws -> MQTT.Options {
        guard let host = try arguments.optionalString("host") ?? link?.host else {
            throw arguments.missing("host", "name it, or a --link-file")
        }
        let port = try arguments.optionalInteger("port", in: 1...65_535) ?? link?.port ?? 1883
        var broker = MQTT.Options(host: host, port: UInt16(port), clientID: link?.clientID ?? "vitals-phone")
        // Both apps speak it.
        broker.version = .v311
        broker.username = try arguments.optionalString("username") ?? link?.username
        broker.passwordFile = try arguments.optionalString("password-file") ?? link.map { try lent($0.password) }
        let caFile = try arguments.optionalString("ca-file")
        if try caFile != nil || arguments.flag("tls") || link?.usesTLS == true { broker.tls = .init(caFile: caFile) }
        return broker
    }

    private static func configuration(_ file: String) throws -> PhoneConfiguration {
        try read(file) { try PhoneConfiguration(link: $0) }
    }

    /// What the first line of a file says, or a failure that names the file.
    private static func read<Value>(_ file: String, _ body: (String) throws -> Value) throws -> Value {
        do { return try body(PasswordFile.read(file)) } catch let error as OwnTracksError {
            throw Failure(.data, "\(file): \(error)")
        } catch let error as MQTTError {
            throw Failure(.noInput, "cannot \(error.attempted): \(error.reason)", hint: error.hint)
        }
    }

    /// The path of a file that has a password. It has no name in any folder, and goes with this process.
    private static func lent(_ password: String) throws -> String {
        var template = Array("/tmp/vitals-phone.XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else {
            throw Failure(.inputOutput, "cannot keep the password: \(String(cString: strerror(errno)))")
        }
        unlink(template)
        let bytes = Array(password.utf8)
        guard fcntl(file, F_SETFD, FD_CLOEXEC) == 0, write(file, bytes, bytes.count) == bytes.count else {
            throw Failure(.inputOutput, "cannot keep the password: \(String(cString: strerror(errno)))")
        }
        return "/proc/self/fd/\(file)"
    }
}

extension PhoneConfiguration {
    /// Where the app publishes positions.
    fileprivate var publishedTopic: String {
        PhoneTopic.location.text(under: PhoneTopic.base(topic, user: username, device: deviceID))
    }
}
