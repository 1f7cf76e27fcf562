public import Telemetry

// What Home Assistant is told, most of it outside the root: its own documentation says what the fields of a description are
// (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery).

extension Channel {
    /// The topics by which Home Assistant learns of gateways, sensors and people, and what it says of itself.
    /// - Parameter day: what a person shows.
    public static func homeAssistant(
        _ discovery: HomeAssistantTopics, _ topics: Topics, showing day: PayloadSchema
    ) throws(MalformedValue) -> [Channel] {
        let (gateway, sensor, user) = (try ID("the-gateway"), try ID("the-sensor"), try ID("the-user"))
        let spelt = { (topic: String) in
            topic.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("the-") ? "{\($0.dropFirst(4))}" : String($0) }.joined(separator: "/")
        }
        func described(_ topic: String, _ words: String) -> Channel {
            Channel(spelt(topic), .send, qos: 1, isRetained: true, words, .json(Schemas.homeAssistantDevice))
        }
        return [
            described(discovery.device(gateway), "a gateway, for Home Assistant; empty if it is not shown any more"),
            described(discovery.device(gateway, sensor), "a sensor, for Home Assistant; empty if it is gone"),
            described(
                discovery.device(person: user),
                "a person who agrees to it, for Home Assistant; empty if they no longer do"),
            Channel(
                spelt(topics[.homeAssistant(user)]), .send, qos: 1, isRetained: true,
                "what a person who agrees to it shows in Home Assistant of their day", .json(day)),
            Channel(
                discovery.status, .receive, qos: 0, "whether Home Assistant is there, as it says",
                .text(Schemas.homeAssistantStatus)),
        ]
    }
}

extension Schemas {
    fileprivate static let homeAssistantStatus = PayloadSchema.word(["online", "offline"])
        .named("HomeAssistantStatus", "Whether Home Assistant is there.")

    fileprivate static let homeAssistantDevice = PayloadSchema.object(
        "HomeAssistantDevice", "A device of Home Assistant's MQTT discovery, in its abbreviations.",
        [
            .always(
                "dev",
                .object(
                    "HomeAssistantDeviceInfo", "What the device is.",
                    [
                        .always("ids", .array(of: .text)), .always("name", .text), .known("mf", .text),
                        .known("mdl", .text), .known("sw", .text), .known("via_device", .text),
                    ])),
            .always(
                "o",
                .object(
                    "HomeAssistantOrigin", "Which program says so.", [.always("name", .text), .always("sw", .text)])),
            .known(
                "avty",
                .array(
                    of: .object(
                        "HomeAssistantAvailability", "Where it says whether the device is there.",
                        [.always("t", .text), .known("val_tpl", .text)]))),
            .known("avty_mode", .word(["all"])),
            .always("cmps", .members),
        ])
}
