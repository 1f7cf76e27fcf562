import Telemetry

// The way back: what a link or a file says to the app. An emulated phone takes its settings from there, as the app does.

extension PhoneConfiguration {
    /// How links begin.
    private static let beginning = "owntracks:///config?inline="
    /// No link of ours comes near.
    private static let longestLink = 65_536

    /// What a link says; white space around it does not matter.
    /// - Throws: `.malformed` where it is no such link; otherwise as for `init(bytes:)`.
    public init(link: String) throws(OwnTracksError) {
        let attempted = "read a link for OwnTracks"
        guard link.utf8.count <= Self.longestLink else {
            throw OwnTracksError(attempted, .tooLong, "more than \(Self.longestLink) bytes")
        }
        let text = link.filter { !$0.isWhitespace }
        guard text.hasPrefix(Self.beginning) else {
            throw OwnTracksError(attempted, .malformed, "it does not begin with \(Self.beginning)")
        }
        guard let base64 = Self.unescaped(text.dropFirst(Self.beginning.count)), let bytes = Base64.bytes(base64) else {
            throw OwnTracksError(attempted, .malformed, "what follows \(Self.beginning) is not Base64")
        }
        try self.init(bytes: bytes)
    }

    /// What the JSON of a configuration says, as a file `NAME.otrc` holds it. What is missing there is as in a new
    /// configuration; who the phone is at which broker has to be there.
    /// - Throws: `.malformed` where it is no JSON, and what is wrong with a field.
    public init(bytes: [UInt8]) throws(OwnTracksError) {
        let attempted = "read a configuration of OwnTracks"
        let object: JSON
        do { object = try StrictJSON.value(bytes) } catch {
            throw OwnTracksError(attempted, .malformed, "not JSON, or a field is there twice")
        }
        let fields = try Fields(object, attempted)
        func text(_ name: String) throws(OwnTracksError) -> String {
            try fields.require(name, try fields.text(name, atMost: 512))
        }
        guard try text("_type") == "configuration" else {
            throw fields.error(.outOfRange, "_type", "is not configuration")
        }
        guard try fields.whole("mode", in: 0...3) ?? 0 == 0 else {
            throw fields.error(.outOfRange, "mode", "is not 0, which is MQTT")
        }
        try self.init(
            host: text("host"), port: Int(fields.require("port", fields.whole("port", in: 1...65_535))),
            username: text("username"), password: text("password"), deviceID: text("deviceId"),
            clientID: text("clientId"), topic: text("pubTopicBase"))
        usesTLS = try fields.flag("tls") ?? usesTLS
        usesWebSocket = try fields.flag("ws") ?? usesWebSocket
        trackerID = try fields.text("tid", atMost: 2)
        if let secret = try fields.text("encryptionKey", atMost: 64), !secret.isEmpty {
            self.secret = try PhoneSecret(secret)
        }
        monitoring = try fields.whole("monitoring", in: -1...2).flatMap(Monitoring.init) ?? monitoring
        intervalSeconds = try fields.whole("locatorInterval", in: 1...86_400).map { Int($0) }
        displacementMetres = try fields.whole("locatorDisplacement", in: 1...100_000).map { Int($0) }
        ignoredAccuracyMetres =
            try fields.whole("ignoreInaccurateLocations", in: 0...100_000).map { Int($0) } ?? ignoredAccuracyMetres
        obeysCommands = try fields.flag("cmd") ?? obeysCommands
        tellsMore = try fields.flag("extendedData") ?? tellsMore
        if try fields.flag("sub") == true, let topics = try fields.text("subTopic", atMost: 8192) {
            subscriptions = topics.split(separator: " ").map(String.init)
        }
    }

    /// A text in which `%2B` and the like stand for a character; nil if a `%` stands for none.
    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "%") else {
                bytes.append(first)
                continue
            }
            guard rest.count >= 2, let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
