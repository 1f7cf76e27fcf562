import Files
import Fitness
import Records
import Telemetry

extension Feature {
    /// What people are told.
    package static let notifications = Feature(
        name: "notifications",
        sealedTables: [
            SealedTable("notifications", key: "id", exported: .shown(in: "notifications.json")) {
                row, user, version throws(VaultError) in
                Documents.context(Notifications.label(try row.text("entry")), user, version)
            }
        ],
        exports: [
            .document("notifications.json", "What you have been told, and whether you have confirmed it.") {
                source throws(VaultError) in
                let all = try Notifications(source.store, source.keys).list(
                    of: source.user, withConfirmed: true, limit: Notifications.mostKept
                ).notifications
                guard !all.isEmpty else { return nil }
                return ["notifications": .array(all.map { $0.json.dated("time") { iso8601(unixMilliseconds: $0) } })]
            }
        ],
        verbs: { $0.context.notifications.verbs },
        service: { parts in
            let context = parts.context
            return NotificationPublisher(context.notifications, context.session, context.topics)
        },
        topics: [FeatureTopic(.notifications, isRetained: false, StoredNotification.schema)])

    /// Requests that must not be done twice.
    package static let answered = Feature(
        name: "answered",
        sealedTables: [
            SealedTable(
                "answered", key: "digest", exported: .hidden(because: "replies that people have had, for ten minutes")
            ) { row, user, version throws(VaultError) in
                Documents.context(Answered.label(try row.blob("entry")), user, version)
            }
        ],
        service: { parts in parts.context.answered })
}
