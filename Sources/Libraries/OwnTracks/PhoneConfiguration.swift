import Telemetry

// Both apps take their settings from a link `owntracks:///config?inline=` and the Base64 of their configuration's JSON,
// which a QR code can carry, or from a file `NAME.otrc` of that JSON (booklet, Configuration file). What is not in it
// stays as it was in the app, so all that matters is written, even what is the app's default today.
//
// - A `+` in the Base64 must be spelt `%2B`: Android reads the link with URLDecoder, which takes `+` for a space
//   (LoadViewModel.kt); iOS leaves `+` alone and knows `%2B`, too (OwnTracksAppDelegate.m).
// - Since 2026, both apps refuse links and files until their owner has allowed them in the app's settings
//   (`allowConfigurationByURIAndConfigFile`, which no link can switch on): whoever shows the link has to say so.
// - The apps connect with the device's own name and password, and believe the certificates that the system believes.

/// Settings that make the app publish to a broker.
///
/// It holds a password and a secret: its description has neither, but `json`, `bytes` and `link` do. Show them to their
/// owner only, and keep them in no log.
public struct PhoneConfiguration: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The broker's host name or address (`host`).
    public var host: String
    /// Its port (`port`), from 1 to 65535.
    public var port: Int
    /// Whether to connect with TLS (`tls`).
    public var usesTLS = true
    /// Whether to connect by WebSocket (`ws`).
    public var usesWebSocket = false
    /// The name at the broker (`username`, `auth`).
    public var username: String
    /// The password at the broker (`password`).
    public var password: String
    /// What the phone is called in topics (`deviceId`): letters, digits and hyphens.
    public var deviceID: String
    /// The MQTT client id (`clientId`).
    public var clientID: String
    /// Where to publish (`pubTopicBase`); `%u` stands for the user name and `%d` for the device.
    public var topic: String
    /// The letters by which the apps show whose phone it is (`tid`): one or two letters or digits.
    public var trackerID: String?
    /// What to seal messages with (`encryptionKey`); nil writes an empty one, so that nothing is sealed.
    public var secret: PhoneSecret?
    /// How eagerly to publish (`monitoring`).
    public var monitoring = Monitoring.significant
    /// The most seconds between two locations, in the mode `move` on iOS (`locatorInterval`).
    public var intervalSeconds: Int?
    /// The metres after which to publish, in the mode `move` on iOS (`locatorDisplacement`).
    public var displacementMetres: Int?
    /// Locations that are less accurate than so many metres are not published (`ignoreInaccurateLocations`); 0 is for
    /// none.
    public var ignoredAccuracyMetres = 0
    /// Whether commands are obeyed: `reportLocation` and `reportSteps` (`cmd`, `allowRemoteLocation`).
    public var obeysCommands = true
    /// Whether altitude, speed, course, motion and the like are published (`extendedData`).
    public var tellsMore = true
    /// What other topics to subscribe to (`sub`, `subTopic`), to see others; none, and the app sees nobody.
    public var subscriptions: [String] = []

    /// Settings for one phone of one person. See each of them for what it allows.
    /// - Throws: `.outOfRange` with the app's name of what is wrong.
    public init(
        host: String, port: Int, username: String, password: String, deviceID: String, clientID: String, topic: String
    ) throws(OwnTracksError) {
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        self.deviceID = deviceID
        self.clientID = clientID
        self.topic = topic
        try check()
    }

    /// The configuration, as a file `NAME.otrc` holds it.
    /// - Throws: `.outOfRange` with the app's name of what is wrong.
    public func bytes() throws(OwnTracksError) -> [UInt8] {
        try check()
        return json.bytes
    }

    /// The link that configures the app on the phone that opens it.
    /// - Throws: `.outOfRange` with the app's name of what is wrong.
    public func link() throws(OwnTracksError) -> String {
        let base64 = Base64.text(try bytes())
        return "owntracks:///config?inline="
            + base64.split(separator: "+", omittingEmptySubsequences: false)
            .joined(separator: "%2B")
    }

    /// The host, and nothing that is secret.
    public var description: String { "a configuration for \(host)" }
    /// The host, and nothing that is secret.
    public var debugDescription: String { description }
    /// The host, and nothing that is secret.
    public var customMirror: Mirror { Mirror(self, children: ["host": host]) }
}

extension PhoneConfiguration {
    private var json: JSON {
        var members = Members(of: .configuration)
        // 0 is MQTT. The apps change the mode first, and take the rest for it.
        members.add("mode", whole: 0)
        members.add("host", text: host)
        members.add("port", whole: Int64(port))
        members.add("tls", flag: usesTLS)
        members.add("ws", flag: usesWebSocket)
        // 4 is MQTT 3.1.1, which both apps speak; the apps' default is 3.1.
        members.add("mqttProtocolLevel", whole: 4)
        members.add("auth", flag: true)
        members.add("username", text: username)
        members.add("password", text: password)
        members.add("deviceId", text: deviceID)
        members.add("clientId", text: clientID)
        members.add("tid", text: trackerID)
        members.add("encryptionKey", text: secret?.text ?? "")
        // A session that the broker keeps holds the commands that came while the phone was away.
        members.add("cleanSession", flag: false)
        members.add("pubTopicBase", text: topic)
        members.add("pubQos", whole: 1)
        // The apps' default is true: the broker would show a person's last place to whoever subscribes later.
        members.add("pubRetain", flag: false)
        members.add("sub", flag: !subscriptions.isEmpty)
        if !subscriptions.isEmpty { members.add("subTopic", text: subscriptions.joined(separator: " ")) }
        members.add("monitoring", whole: monitoring.rawValue)
        members.add("locatorInterval", whole: intervalSeconds.map(Int64.init))
        members.add("locatorDisplacement", whole: displacementMetres.map(Int64.init))
        members.add("ignoreInaccurateLocations", whole: Int64(ignoredAccuracyMetres))
        members.add("extendedData", flag: tellsMore)
        members.add("cmd", flag: obeysCommands)
        members.add("allowRemoteLocation", flag: obeysCommands)
        // Nobody but the phone's owner changes the app's settings.
        members.add("remoteConfiguration", flag: false)
        members.add("autostartOnBoot", flag: true)
        return members.json
    }

    private func check() throws(OwnTracksError) {
        try checkText("host", host, atMost: 253) { $0 > " " }
        try check("port", (1...65535).contains(port), "is not within 1 and 65535")
        try checkText("username", username, atMost: 256)
        try checkText("password", password, atMost: 256)
        try checkText("deviceId", deviceID, atMost: 64) { Self.isLetterOrDigit($0) || $0 == "-" }
        try checkText("clientId", clientID, atMost: 256)
        try checkText("pubTopicBase", topic, atMost: 512) { $0 != "+" && $0 != "#" }
        if let trackerID { try checkText("tid", trackerID, atMost: 2, Self.isLetterOrDigit) }
        try check("locatorInterval", (1...86_400).contains(intervalSeconds ?? 1), "is not within 1 and 86400")
        try check("locatorDisplacement", (1...100_000).contains(displacementMetres ?? 1), "is not within 1 and 100000")
        let accuracy = (0...100_000).contains(ignoredAccuracyMetres)
        try check("ignoreInaccurateLocations", accuracy, "is not within 0 and 100000")
        for topic in subscriptions { try checkText("subTopic", topic, atMost: 512) { $0 > " " } }
        try check("subTopic", subscriptions.count <= 16, "has more than 16 topics")
    }

    private func check(_ name: String, _ holds: Bool, _ said: String) throws(OwnTracksError) {
        guard !holds else { return }
        throw OwnTracksError("configure a phone", .outOfRange, field: name, said)
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal)
    }

    /// A text that is not empty and has no control characters.
    private func checkText(
        _ name: String, _ text: String, atMost bytes: Int, _ allows: (Unicode.Scalar) -> Bool = { _ in true }
    ) throws(OwnTracksError) {
        try check(name, (1...bytes).contains(text.utf8.count), "has not 1 to \(bytes) bytes")
        let isAllowed = text.unicodeScalars.allSatisfy { $0 >= " " && $0 != "\u{7F}" && allows($0) }
        try check(name, isAllowed, "has a character that is not allowed there")
    }
}
