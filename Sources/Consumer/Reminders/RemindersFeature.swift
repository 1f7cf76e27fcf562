package import Features
import Files
import Fitness
import Telemetry

extension Feature {
    /// What people want to be reminded of.
    package static let reminders = Feature(
        name: "reminders",
        documents: [FeatureDocument(name: ReminderList.document, exported: .shown(in: "reminders.json"))],
        exports: [
            .document(
                "reminders.json",
                "What you want to be reminded of: \"time\" is that of the place where you are, \"alert_min\" how many minutes before it you are told."
            ) { source throws(VaultError) in
                let reminders = try ReminderList(documents: source.documents).read(source.user)
                guard !reminders.isEmpty else { return nil }
                return [
                    "reminders": .array(reminders.map { $0.json.dated("changed") { iso8601(unixMilliseconds: $0) } })
                ]
            }
        ],
        service: { Reminders($0) }, notifications: [.reminder])
}
