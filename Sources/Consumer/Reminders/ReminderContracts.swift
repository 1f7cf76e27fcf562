import Contract
import Fitness

/// What `reminders/…` ask and answer.
extension RequestContract {
    private static let reminder = PayloadSchema.Field.always("reminder", .id)
    private static let time = PayloadSchema.text(matching: "^[0-2][0-9]:[0-5][0-9]$").about(
        "a time of the person's day, wherever they are")
    private static let weekdays = PayloadSchema.array(of: .word(CalendarDay.weekdayNames), atMost: 7)
    private static let alert = PayloadSchema.integer(in: Reminder.alarms).about(
        "how many minutes before the time the alarm is told")
    private static let label = PayloadSchema.text(atMost: Reminder.longestLabel.bytes).about(
        "up to \(Reminder.longestLabel.characters) characters on one line")
    private static let message = PayloadSchema.Field.always("message", .text.about("for people"))

    private static let fields: [PayloadSchema.Field] = [
        reminder, .always("label", .text), .always("first_day", .day), .always("time", time),
        .always("weekdays", weekdays), .known("alert_min", alert.about("no alarm is told if it is left out")),
        .always("enabled", .bool.about("whether the alarm is told")),
        .always("revision", .integer(from: 1).about("rises with each change")), .always("changed", .time),
        .known("next", .time.about("when the alarm comes next")),
    ]

    private static let saved = PayloadSchema.object(
        "SavedReminder", "A reminder that was saved.", fields + [message])

    static let remindersList = RequestContract(
        "Lists the person's reminders.",
        answers: .record([
            .always(
                "reminders",
                .array(
                    of: .object("Reminder", "What a person wants to be reminded of.", fields),
                    atMost: Int64(ReminderList.most)))
        ]))

    static let remindersAdd = RequestContract(
        "Adds a reminder.",
        asks: [
            .always("label", label), .known("first_day", .day.about("the person's today if it is left out")),
            .always("time", time), .always("weekdays", weekdays),
            .known("alert_min", alert.orNull.about("null for no alarm; at the time, which is 0, if it is left out")),
            .known("enabled", .bool.about("true if it is left out")),
        ],
        answers: saved)

    static let remindersChange = RequestContract(
        "Changes a reminder. What is left out stays as it is.",
        asks: [
            reminder, .known("label", label), .known("first_day", .day), .known("time", time),
            .known("weekdays", weekdays), .known("alert_min", alert.orNull.about("null for no alarm")),
            .known("enabled", .bool),
        ],
        answers: saved)

    static let remindersDelete = RequestContract(
        "Deletes a reminder.", asks: [reminder], answers: .record([reminder, message]))
}
