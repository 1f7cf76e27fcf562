import Telemetry

/// Answers to a batch: one acknowledgement for as many blocks of a gateway as fit.
struct Answers {
    var list: [Answer] = []
    private var acknowledged: [ID: [BlockIdentity]] = [:]
    // Most blocks follow one of the same gateway.
    private var current: (gateway: ID, identities: [BlockIdentity])?

    mutating func acknowledge(_ gateway: ID, _ identity: BlockIdentity) {
        if current?.gateway != gateway {
            if let current { acknowledged[current.gateway] = current.identities }
            current = (gateway, acknowledged.removeValue(forKey: gateway) ?? [])
        }
        current?.identities.append(identity)
        if let full = current, full.identities.count == ControlMessage.maximumAcknowledged {
            list.append(.acknowledge(gateway, full.identities))
            current = nil
        }
    }

    var all: [Answer] {
        var acknowledged = acknowledged
        if let current { acknowledged[current.gateway] = current.identities }
        return list + acknowledged.map { .acknowledge($0.key, $0.value) }
    }
}
