import CMosquitto
import Glibc

/// libmosquitto's list of MQTT 5 properties, which lives as long as one call needs it.
struct PropertyList: ~Copyable {
    private(set) var first: OpaquePointer?

    init(_ properties: Message.Properties?) throws(MQTTError) {
        guard let properties else { return }
        if let topic = properties.responseTopic {
            try checkAdded(mosquitto_property_add_string(&first, .of(MQTT_PROP_RESPONSE_TOPIC), topic))
        }
        if let data = properties.correlationData {
            let count = UInt16(clamping: data.count)
            try checkAdded(mosquitto_property_add_binary(&first, .of(MQTT_PROP_CORRELATION_DATA), data, count))
        }
        if let expiry = properties.messageExpirySeconds {
            try checkAdded(mosquitto_property_add_int32(&first, .of(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL), expiry))
        }
        if let type = properties.contentType {
            try checkAdded(mosquitto_property_add_string(&first, .of(MQTT_PROP_CONTENT_TYPE), type))
        }
        for property in properties.userProperties {
            try checkAdded(
                mosquitto_property_add_string_pair(&first, .of(MQTT_PROP_USER_PROPERTY), property.name, property.value))
        }
    }

    /// Gives the list to a call that keeps it.
    consuming func release() -> OpaquePointer? {
        let list = first
        first = nil
        return list
    }

    deinit {
        var list = first
        mosquitto_property_free_all(&list)
    }

    private func checkAdded(_ code: Int32) throws(MQTTError) {
        try check(code, "build a message's properties")
    }
}

extension Message.Properties {
    /// Copies a list of the library's; nil when it holds nothing that is kept here.
    init?(_ list: OpaquePointer?) {
        guard var property = list else { return nil }
        self.init()
        while true {
            take(property)
            guard let next = mosquitto_property_next(property) else { break }
            property = next
        }
        if self == Message.Properties() { return nil }
    }

    private mutating func take(_ property: OpaquePointer) {
        let identifier = mosquitto_property_identifier(property)
        switch identifier {
        case .of(MQTT_PROP_RESPONSE_TOPIC): responseTopic = Self.string(property, identifier)
        case .of(MQTT_PROP_CONTENT_TYPE): contentType = Self.string(property, identifier)
        case .of(MQTT_PROP_CORRELATION_DATA):
            var bytes: UnsafeMutableRawPointer?
            var count: UInt16 = 0
            _ = mosquitto_property_read_binary(property, identifier, &bytes, &count, false)
            correlationData = [UInt8](UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count)))
            free(bytes)
        case .of(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL):
            var seconds: UInt32 = 0
            _ = mosquitto_property_read_int32(property, identifier, &seconds, false)
            messageExpirySeconds = seconds
        case .of(MQTT_PROP_USER_PROPERTY):
            var (name, value): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
            _ = mosquitto_property_read_string_pair(property, identifier, &name, &value, false)
            if let name, let value {
                userProperties.append(
                    Message.UserProperty(name: String(cString: name), value: String(cString: value)))
            }
            free(name)
            free(value)
        default: break
        }
    }

    private static func string(_ property: OpaquePointer, _ identifier: Int32) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        _ = mosquitto_property_read_string(property, identifier, &text, false)
        defer { free(text) }
        return text.map { String(cString: $0) }
    }
}

extension Int32 {
    fileprivate static func of(_ property: mqtt5_property) -> Int32 { Int32(property.rawValue) }
}
