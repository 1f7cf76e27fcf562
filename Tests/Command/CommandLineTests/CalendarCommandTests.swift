import Telemetry
import TestSupport
import Testing

@Suite("vitals calendar", .timeLimit(.minutes(60)))
struct CalendarCommandTests {
    private static let shown: JSON = [
        "address": "https://cloud.example.org", "calendar": "https://cloud.example.org/ada/fitness/", "connected": true,
        "in_step": 1_795_261_361_000,
        "others": [["count": 2, "why": "it repeats every month"], ["count": 1, "why": "it lasts\u{1B}[2J all day"]],
        "refused": 1, "reminders": 3, "since": 1_795_261_361_000, "user": "ada",
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    @Test("shows whether it is in step and what is no reminder, for people and for programs, and says how to begin")
    func show() throws {
        let consumer = try signedIn()
        consumer.answer("calendar/show", Self.shown)
        let shown = try consumer.vitals("calendar")
        #expect(
            shown.status == 0 && shown.output.hasPrefix("server: https://cloud.example.org\nuser: ada\n"), "\(shown)")
        let lines = shown.output.split(separator: "\n").map(String.init)
        #expect(lines[2] == "reminders: 3 in both" && lines[3].hasPrefix("in step: 2026-11-21"), "\(shown)")
        #expect(lines[4] == "refused: 1 that the server does not take", "\(shown)")
        #expect(lines[5] == "no reminder: 2: it repeats every month" && !shown.output.contains("\u{1B}"), "\(shown)")
        #expect(try consumer.vitals("calendar", "show").output == shown.output)
        let json = try consumer.vitals("calendar", "--json").output
        #expect(try JSON(payload: Array(json.utf8)) == Self.shown)

        consumer.answer(
            "calendar/sync", ["connected": true, "stopped": true, "problem": "the calendar refused the password"])
        let stopped = try consumer.vitals("calendar", "sync")
        #expect(stopped.output.contains("problem: the calendar refused the password\n"), "\(stopped)")
        #expect(stopped.output.contains("in step: not yet\n") && stopped.errors.contains("calendar connect"))
        consumer.answer("calendar/show", ["connected": false])
        let none = try consumer.vitals("calendar")
        #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("calendar connect https://"), "\(none)")
    }

    @Test("connects with a password that is on no command line")
    func connect() throws {
        let consumer = try signedIn()
        consumer.answer("calendar/connect", Self.shown)
        let file = try consumer.home.write("correct horse\nbattery\n", to: "app-password")
        let connected = try consumer.vitals(
            "calendar", "connect", "https://cloud.example.org", "--user", "ada", "--app-password-file", file)
        #expect(
            connected.status == 0 && connected.output.hasPrefix("server: https://cloud.example.org\n"), "\(connected)")
        #expect(
            try consumer.last().fields == [
                "address": "https://cloud.example.org", "password": "correct horse", "user": "ada",
            ])
        _ = try consumer.vitals(
            "calendar", "connect", "https://cloud.example.org", "--user", "ada", input: ["battery staple"])
        #expect(try consumer.last().fields["password"] == "battery staple")
        let nameless = try consumer.vitals("calendar", "connect", "https://cloud.example.org")
        #expect(nameless.status == 64 && nameless.errors.contains("--user is missing"), "\(nameless)")
    }

    @Test("ends, deletes the calendar only if somebody says yes, and prints a calendar file")
    func disconnect() throws {
        let consumer = try signedIn()
        consumer.answer("calendar/disconnect", ["message": "Your calendar was deleted there"])
        let ended = try consumer.vitals("calendar", "disconnect")
        #expect(ended.output == "Your calendar was deleted there\n", "\(ended)")
        #expect(try consumer.last().fields == [:])
        let unasked = try consumer.vitals("calendar", "disconnect", "--delete")
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
        _ = try consumer.vitals("calendar", "disconnect", "--delete", "--yes")
        #expect(try consumer.last().fields == ["delete": true])

        consumer.answer("calendar/export", ["calendar": "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "events": 0])
        #expect(try consumer.vitals("calendar", "export").output == "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")
    }
}
