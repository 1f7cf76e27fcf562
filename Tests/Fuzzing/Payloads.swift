import Telemetry

/// Any JSON payload: read, written, read again.
func fuzzJSON(_ bytes: [UInt8]) {
    holdRoundTrip(bytes, "JSON", \.bytes) { (bytes) throws(MalformedValue) in try JSON(payload: bytes) }
    if let request = accepted({ () throws(MalformedValue) in try Request(payload: bytes) }) {
        if case .object = request.fields {} else { hold(false, "a request's fields are an object") }
        // What the gateway answers can be read, and bears the request's id.
        let reply = Reply(.ok("done"), id: request.id)
        let again = accepted { () throws(MalformedValue) in try Reply(payload: reply.bytes) }
        hold(again == reply, "\(reply) came back as \(again.map { "\($0)" } ?? "nothing")")
    }
}

/// Payloads with a shape of their own.
func fuzzPayloads(_ bytes: [UInt8]) {
    holdRoundTrip(bytes, "reply", \.bytes) { (bytes) throws(MalformedValue) in try Reply(payload: bytes) }
    holdRoundTrip(bytes, "availability", \.bytes) { (bytes) throws(MalformedValue) in
        try Availability(payload: bytes)
    }
    holdPayload(StatusPayload.self, bytes)
    holdPayload(GatewayInfoPayload.self, bytes)
    holdPayload(SensorInfoPayload.self, bytes)
    holdPayload(EventPayload.self, bytes)
    holdPayload(HealthPayload.self, bytes)
    holdPayload(HeartRatePayload.self, bytes)
    holdPayload(RunningPayload.self, bytes)
    holdPayload(CyclingPayload.self, bytes)
    holdPayload(DevicePayload.self, bytes)
}

private func holdPayload<Shape: Payload>(_ shape: Shape.Type, _ bytes: [UInt8]) {
    holdRoundTrip(bytes, "\(shape)", \.bytes) { (bytes) throws(MalformedValue) in try Shape(payload: bytes) }
}

/// Topics: what is parsed is spelt in one way, and replies go nowhere but to the gateway's own.
func fuzzTopics(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let topics = accepted({ () throws(MalformedValue) in try Topics() }),
        let gateway = accepted({ () throws(MalformedValue) in try ID("home") })
    else { return hold(false, "the default root is allowed") }
    let topic = topics.parse(text)
    if let topic { hold(Array(topics[topic].utf8) == Array(text.utf8), "\(text) is spelt \(topics[topic])") }
    if topics.allowsResponse(at: text, of: gateway) {
        guard case .gateway(gateway, .response) = topic else {
            return hold(false, "a reply may go to \(text)")
        }
    }
    // The root is a setting.
    if let other = accepted({ () throws(MalformedValue) in try Topics(root: text) }) {
        let status = other[gateway, .status]
        hold(status.utf8.count > 0xFFFF || other.parse(status) == .gateway(gateway, .status), "\(status) is a status")
    }
    if let store = StoreID(text) { hold(StoreID(store.description) == store, "a store's id is its description") }
    if let service = GATT.service(named: text) {
        hold(GATT.service(named: GATT.serviceName(service)) == service, "a service's name leads to it")
    }
    if let uuid: String = GATT.uuid(text) { hold(GATT.uuid(uuid) == uuid, "a UUID is its own spelling") }
}
