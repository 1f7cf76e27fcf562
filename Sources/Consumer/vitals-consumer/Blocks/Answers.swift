import Telemetry

/// Answers to a batch: one acknowledgement for as many blocks of a gateway's as fit.
struct Answers {
    var list: [Answer] = []
    private var acknowledged: [ID: [BlockIdentity]] = [:]

    mutating func acknowledge(_ gateway: ID, _ identity: BlockIdentity) {
        acknowledged[gateway, default: []].append(identity)
        if let full = acknowledged[gateway], full.count == ControlMessage.maximumAcknowledged {
            list.append(.acknowledge(gateway, full))
            acknowledged[gateway] = nil
        }
    }

    var all: [Answer] { list + acknowledged.map { .acknowledge($0.key, $0.value) } }
}
