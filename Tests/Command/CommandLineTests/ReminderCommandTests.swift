import Telemetry
import TestSupport
import Testing

@Suite("vitals reminders", .timeLimit(.minutes(60)))
struct ReminderCommandTests {
    private static let reminders: [JSON] = [
        [
            "alert_min": 15, "changed": 1_795_261_361_000, "enabled": true, "first_day": "2026-11-21",
            "label": "Evening run", "next": 1_795_261_361_000, "reminder": "run-1", "revision": 1, "time": "18:30",
            "weekdays": ["monday", "thursday"],
        ],
        [
            "alert_min": 0, "changed": 1_795_261_361_000, "enabled": false, "first_day": "2026-11-21",
            "label": "Yoga\u{1B}[2J", "reminder": "yoga-1", "revision": 2, "time": "07:00",
            "weekdays": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
        ],
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("reminders/list", ["reminders": .array(Self.reminders)])
        return consumer
    }

    @Test("lists reminders with their next alert, for people and for programs, and says how to add the first")
    func list() throws {
        let consumer = try signedIn()
        let list = try consumer.vitals("reminders")
        #expect(list.status == 0 && list.output.hasPrefix("REMINDER"), "\(list)")
        let lines = list.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 3 && lines[1].contains("Evening run") && lines[1].contains("Mon Thu"), "\(list)")
        #expect(lines[1].contains("15 min before") && lines[1].contains("2026-11-21"), "\(list)")
        #expect(lines[2].contains("every day") && lines[2].contains("at the time"), "\(list)")
        #expect(lines[2].contains("disabled") && !lines[2].contains("\u{1B}"), "\(list)")
        let json = try consumer.vitals("reminders", "--json").output.split(separator: "\n")
        #expect(try json.map { try JSON(payload: Array($0.utf8)) } == Self.reminders)
        #expect(try consumer.vitals("completion", "reminders").output.hasPrefix("Evening run\n"))
        consumer.answer("reminders/list", ["reminders": []])
        let none = try consumer.vitals("reminders")
        #expect(none.output.isEmpty && none.errors.contains("reminders add 'Evening run'"), "\(none)")
    }

    @Test("saves what the command line says of a reminder, and prints what the consumer answers")
    func save() throws {
        let consumer = try signedIn()
        consumer.answer("reminders/add", ["reminder": "run-2", "message": "Reminder Saved Successfully"])
        let added = try consumer.vitals(
            "reminders", "add", "Run", "--at", "18:30", "--on", "monday,thursday", "--alert", "15", "--from",
            "2026-11-30")
        #expect(added.status == 0 && added.output == "Reminder Saved Successfully\n", "\(added)")
        #expect(
            try consumer.last().fields == [
                "alert_min": 15, "first_day": "2026-11-30", "label": "Run", "time": "18:30",
                "weekdays": ["monday", "thursday"],
            ])
        _ = try consumer.vitals("reminders", "add", "", "--on", "all", "--alert", "none")
        let fields = try consumer.last().fields
        #expect(fields["label"] == "" && fields["alert_min"] == .null && fields["time"] == nil)
        #expect(fields["weekdays"] == Self.reminders[1]["weekdays"])
        _ = try consumer.vitals("reminders", "add", "Run", "--on", "", "--alert", "soon")
        #expect(try consumer.last().fields == ["alert_min": "soon", "label": "Run", "weekdays": []])

        consumer.answer("reminders/change", ["reminder": "run-1", "message": "Reminder Updated Successfully"])
        let changed = try consumer.vitals("reminders", "change", "evening RUN", "--label", "Swim", "--at", "19:00")
        #expect(changed.output == "Reminder Updated Successfully\n", "\(changed)")
        #expect(try consumer.last().fields == ["label": "Swim", "reminder": "run-1", "time": "19:00"])
        let nothing = try consumer.vitals("reminders", "change", "run-1")
        #expect(nothing.status == 64 && nothing.errors.contains("nothing to change"), "\(nothing)")
        for (command, isEnabled) in [("enable", true), ("disable", false)] {
            #expect(try consumer.vitals("reminders", command, "Evening run").status == 0)
            #expect(try consumer.last().fields == ["enabled": .bool(isEnabled), "reminder": "run-1"])
        }
    }

    @Test("deletes only if somebody says yes, and knows no reminder that is not there")
    func delete() throws {
        let consumer = try signedIn()
        consumer.answer("reminders/delete", ["reminder": "run-1", "message": "Reminder Deleted Successfully"])
        let unasked = try consumer.vitals("reminders", "delete", "run-1")
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
        let deleted = try consumer.vitals("reminders", "delete", "Evening run", "--yes")
        #expect(deleted.output == "Reminder Deleted Successfully\n", "\(deleted)")
        #expect(try consumer.last().fields == ["reminder": "run-1"])
        let unknown = try consumer.vitals("reminders", "delete", "A marathon", "--yes")
        #expect(unknown.status == 67 && unknown.errors.contains("you have no reminder A marathon"), "\(unknown)")
        #expect(unknown.errors.contains("reminders lists yours"), "\(unknown)")
    }
}
