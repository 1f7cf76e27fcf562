import Contract

/// What `calendar/…` ask and answer.
extension RequestContract {
    private static let message = PayloadSchema.Field.always("message", .text.about("for people"))

    private static let shown = PayloadSchema.object(
        "Calendar", "The calendar with which a person's reminders are kept in step.",
        [
            .always("connected", .bool.about("nothing else is there if it is false")),
            .known("address", .text.about("the server's, as the person has given it")), .known("user", .text),
            .known("calendar", .text.about("the calendar's own address")), .known("since", .time),
            .known("in_step", .time.about("when both were the same last, since the consumer was started")),
            .known("problem", .text.about("why the latest look has failed, for people")),
            .known("stopped", .bool.about("whether it is not looked at until the person connects it again")),
            .known("reminders", .count.about("how many are the same here and there")),
            .known("refused", .count.about("how many reminders the server did not take")),
            .known(
                "others",
                .array(
                    of: .record([.always("count", .count), .always("why", .text.about("for people"))]),
                    atMost: Int64(CalendarLink.mostOthers)
                ).about("events that are no reminders, and why")),
        ])

    static let calendarShow = RequestContract(
        "Shows the calendar with which the person's reminders are kept in step.", answers: shown)

    static let calendarConnect = RequestContract(
        "Connects a calendar server (CalDAV) of the person's: a calendar is made there, and kept in step.",
        asks: [
            .always("address", .text(atMost: Calendars.longest.address).about("https://cloud.example.org")),
            .always("user", .text(atMost: Calendars.longest.user)),
            .always("password", .text(atMost: Calendars.longest.password).about("one for this alone")),
        ],
        answers: shown)

    static let calendarSync = RequestContract(
        "Looks at the calendar now, and answers when both are the same.", answers: shown)

    static let calendarDisconnect = RequestContract(
        "Keeps the calendar in step no longer. Reminders stay.",
        asks: [.known("delete", .bool.about("whether the calendar is deleted there, with everything in it"))],
        answers: .record([message]))

    static let calendarExport = RequestContract(
        "Shows the person's reminders as a calendar file, for programs that speak no CalDAV.",
        answers: .record([
            .always("events", .count),
            .always("calendar", .text.about("iCalendar (RFC 5545)")),
        ]))
}
