package import Contract
package import Telemetry

/// Topics under `users/{user}/` on which a feature publishes to that person, who alone may read them.
package struct FeatureTopic: Hashable, Sendable {
    /// What follows `users/{user}/`, with a `+` for a level that has different names: `goals/+`.
    package let filter: String
    /// MQTT's quality of service: 0 where the next message replaces a lost one.
    package let qos: Int
    /// Whether the broker keeps the last message for people who come later.
    package let isRetained: Bool
    /// Whether the feature itself takes back what the broker keeps of a person who is forgotten. Others do that for topics
    /// without a level that has different names, because these can be known by their names alone.
    package let isTakenBackByFeature: Bool
    /// What a message says.
    package let payload: PayloadSchema

    package init(
        _ filter: String, qos: Int = 1, isRetained: Bool, isTakenBackByFeature: Bool = false,
        _ payload: PayloadSchema = .anything
    ) {
        self.isTakenBackByFeature = isTakenBackByFeature
        self.filter = filter
        self.qos = qos
        self.isRetained = isRetained
        self.payload = payload
    }

    /// - Parameter topic: without levels that have different names.
    package init(_ topic: UserTopic, qos: Int = 1, isRetained: Bool, _ payload: PayloadSchema = .anything) {
        guard case .published(let name) = topic else {
            preconditionFailure("a feature publishes neither requests nor replies")
        }
        self.init(name, qos: qos, isRetained: isRetained, payload)
    }

    package static func == (one: FeatureTopic, other: FeatureTopic) -> Bool {
        one.filter == other.filter && one.isRetained == other.isRetained
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(filter) }

    /// The one topic that it is; nil if a level has different names.
    package var only: UserTopic? { filter.contains("+") ? nil : .published(filter) }

    package func covers(_ topic: UserTopic) -> Bool {
        guard case .published(let name) = topic else { return false }
        let (pattern, levels) = (filter.split(separator: "/"), name.split(separator: "/"))
        return pattern.count == levels.count && zip(pattern, levels).allSatisfy { $0 == "+" || $0 == $1 }
    }
}

extension Sequence<Feature> {
    package var topics: [FeatureTopic] { flatMap(\.topics) }
}
