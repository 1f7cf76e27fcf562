// What may be published. A broker ends the connection of a publisher that sends what it considers malformed, no matter
// who made it so: one message costs the whole session. So everything is checked before libmosquitto gets it, and its
// owner is told.
//
// The library itself does not check a topic's levels (only the broker's build does: util_topic.c,
// TOPIC_HIERARCHY_LIMIT) or the texts of properties, and what it says of packets that are too large is a few bytes
// off (actions.c). What brokers do is pinned by OutgoingTests.

extension Message {
    /// Refuses what no broker accepts, and what this broker has said that it does not accept.
    /// - Parameter maximumPacketSize: the broker's own, if it has named one.
    func checkPublishable(_ version: Options.Version, maximumPacketSize: Int?) throws(MQTTError) {
        if let fault = topic.topicFault { throw unpublishable("the topic \(fault)") }
        let properties = version == .v5 ? self.properties : nil
        if let fault = properties?.fault { throw unpublishable(fault) }
        let size = packetSize(version, properties)
        guard size <= maximumPacketSize ?? Self.maximumPacketSize else {
            throw unpublishable(
                "it is a packet of \(size) bytes, and the broker takes at most \(maximumPacketSize ?? Self.maximumPacketSize)",
                hint: "mosquitto.conf: max_packet_size")
        }
    }

    /// MQTT 5, section 2.1.4: the length that follows the first bytes has 28 bits.
    private static let maximumPacketSize = 0xFFF_FFFF

    /// Bytes of the PUBLISH (MQTT 5, section 3.3).
    private func packetSize(_ version: Options.Version, _ properties: Properties?) -> Int {
        var length = 2 + topic.utf8.count + (qos == .atMostOnce ? 0 : 2) + payload.count
        if version == .v5 {
            let own = properties?.length ?? 0
            length += Self.lengthOfLength(own) + own
        }
        return 1 + Self.lengthOfLength(length) + length
    }

    /// Bytes of a variable byte integer (MQTT 5, section 1.5.5).
    private static func lengthOfLength(_ length: Int) -> Int {
        switch length {
        case ..<0x80: 1
        case ..<0x4000: 2
        case ..<0x20_0000: 3
        default: 4
        }
    }

    private func unpublishable(_ reason: String, hint: String? = nil) -> MQTTError {
        MQTTError(.invalid, "publish to \(topic.forPeople)", reason, hint: hint)
    }
}

extension Message.Properties {
    /// What is wrong with them; nil if nothing is.
    fileprivate var fault: String? {
        // Only the replier publishes there, and it checks the levels.
        if let responseTopic, let fault = responseTopic.nameFault {
            return "the response topic \(fault)"
        }
        if let correlationData, correlationData.count > 0xFFFF {
            return "the correlation data has more than 65,535 bytes"
        }
        if let contentType, let fault = contentType.textFault { return "the content type \(fault)" }
        for property in userProperties {
            if let fault = property.name.textFault ?? property.value.textFault {
                return "a user property \(fault)"
            }
        }
        return nil
    }

    /// Their bytes in a packet (MQTT 5, section 2.2.2).
    fileprivate var length: Int {
        var length = messageExpirySeconds == nil ? 0 : 5
        if let responseTopic { length += 3 + responseTopic.utf8.count }
        if let correlationData { length += 3 + correlationData.count }
        if let contentType { length += 3 + contentType.utf8.count }
        for property in userProperties {
            length += 5 + property.name.utf8.count + property.value.utf8.count
        }
        return length
    }
}

extension Subscription {
    /// Refuses a filter that no broker accepts.
    func checkFilter() throws(MQTTError) {
        let fault = filter.isEmpty ? "is empty" : filter.textFault ?? filter.levelFault
        guard let fault else { return }
        throw MQTTError(.invalid, "subscribe to \(filter.forPeople)", "the filter \(fault)")
    }
}

extension String {
    /// Mosquitto counts slashes, and accepts 200 of them.
    private static let maximumSlashes = 200

    /// Why nothing can be published there; nil if it can.
    fileprivate var topicFault: String? { isOrdinaryTopic ? nil : nameFault ?? levelFault }

    /// Whether it is a topic of printable ASCII, as nearly all are. Each value of a sensor comes here: it is looked through once.
    private var isOrdinaryTopic: Bool {
        var text = self
        return text.withUTF8 { bytes in
            var slashes = 0
            for byte in bytes {
                guard (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "+"), byte != UInt8(ascii: "#") else { return false }
                if byte == UInt8(ascii: "/") { slashes += 1 }
            }
            return (1...0xFFFF).contains(bytes.count) && slashes <= Self.maximumSlashes
        }
    }

    /// Why it is not a topic name; nil if it is one.
    fileprivate var nameFault: String? {
        if isEmpty { return "is empty" }
        if utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) { return "has a wildcard" }
        return textFault
    }

    fileprivate var levelFault: String? {
        let slashes = utf8.count { $0 == UInt8(ascii: "/") }
        return slashes > Self.maximumSlashes ? "has more than \(Self.maximumSlashes + 1) levels" : nil
    }

    /// Why it is not a valid text in MQTT (MQTT 5, section 1.5.4); nil if it is one. The standard leaves control
    /// characters and non-characters to the receiver; Mosquitto ends the connection (utf8_mosq.c).
    fileprivate var textFault: String? {
        if utf8.count > 0xFFFF { return "has more than 65,535 bytes" }
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return nil }
        return unicodeScalars.contains(where: \.isForbidden)
            ? "has characters that MQTT does not allow" : nil
    }

    /// Its beginning, harmless to a log.
    fileprivate var forPeople: String {
        let beginning = unicodeScalars.prefix(100).map { $0.isForbidden ? "?" : Character($0) }
        return beginning.isEmpty ? "an empty topic" : String(beginning)
    }
}

extension Unicode.Scalar {
    fileprivate var isForbidden: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
        default: value & 0xFFFE == 0xFFFE
        }
    }
}
