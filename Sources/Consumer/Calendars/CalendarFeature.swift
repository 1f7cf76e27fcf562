import Daemon
package import Features
import Files
import Fitness
import Records
import Reminders
import Telemetry

extension Feature {
    /// A calendar of the person's own, with which their reminders are kept in step.
    package static let calendar = Feature(
        name: "calendar",
        documents: [
            FeatureDocument(name: CalendarRecord.document, exported: .shown(in: "calendar.json")),
            FeatureDocument(name: CalendarRecord.eventsDocument, exported: .shown(in: "calendar.json")),
        ],
        exports: [
            .document(
                "calendar.json",
                """
                The calendar with which your reminders are kept in step, and which reminder is which event there. The password is \
                not here: somebody who finds a copy could use it, and you have it from where you made it.
                """
            ) { source throws(VaultError) in
                guard let record = try CalendarRecord(source.documents, of: source.user) else { return nil }
                let (events, others) = record.link.json
                return JSON.object([
                    JSON.Member("address", .string(record.account.address)),
                    JSON.Member("user", .string(record.account.user)),
                    JSON.Member("calendar", .string(record.calendar)),
                    JSON.Member("connected", .integer(record.connected)), JSON.Member("events", events),
                    JSON.Member("others", others),
                ]).dated("connected") { iso8601(unixMilliseconds: $0) }
            }
        ],
        service: { parts in parts.earlier(Reminders.self).map { Calendars(parts, $0) } },
        notifications: [.calendar], settings: CalendarSetting.self)
}
