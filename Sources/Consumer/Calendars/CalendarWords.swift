import Features

// What people are told of their calendar.

extension Notification.Kind {
    /// Something about a person's calendar.
    static let calendar = Self("calendar", .neutralCalendar)
}

extension Phrase {
    static let neutralCalendar = Phrase(
        english: "Vitals has news for you: about your calendar.",
        german: "Vitals hat Neuigkeiten für dich: zu deinem Kalender.")
    /// {label}
    static let calendarKeptOurs = Phrase(
        english: "{label} was changed in your calendar and here: the change here was later, and is in both now.",
        german: "{label} wurde im Kalender und hier geändert: Die Änderung hier war später und gilt jetzt für beide.")
    /// {label}
    static let calendarTookTheirs = Phrase(
        english:
            "{label} was changed here and in your calendar: the change in the calendar was later, and is in both now.",
        german:
            "{label} wurde hier und im Kalender geändert: Die Änderung im Kalender war später und gilt jetzt für beide."
    )
    /// {label}
    static let calendarPutBack = Phrase(
        english: "{label} was deleted in your calendar, and changed here: it is in both again.",
        german: "{label} wurde im Kalender gelöscht und hier geändert: Es ist wieder in beiden.")
    /// {label}
    static let calendarBroughtBack = Phrase(
        english: "{label} was deleted here, and changed in your calendar: it is in both again.",
        german: "{label} wurde hier gelöscht und im Kalender geändert: Es ist wieder in beiden.")
    /// {label}
    static let calendarEstranged = Phrase(
        english:
            "{label} was changed in your calendar to something that no reminder can be. It stays there as it is until you change it here.",
        german:
            "{label} wurde im Kalender so geändert, wie keine Erinnerung sein kann. Dort bleibt es so, bis du es hier änderst."
    )
    /// {count}
    static let calendarFull = Phrase(
        english: "You have {count} reminders, and your calendar has more, which stay there: delete one.",
        german: "Du hast {count} Erinnerungen, mehr werden aus dem Kalender nicht übernommen: Lösche eine.")
    /// {count}
    static let calendarMore = Phrase(
        english: "There are {count} more changes between your reminders and your calendar: vitals reminders.",
        german: "Es gibt {count} weitere Änderungen zwischen Erinnerungen und Kalender: vitals reminders.")
    /// {count}
    static let calendarEmptied = Phrase(
        english: "{count} reminders were deleted in your calendar at once, and are deleted here, too.",
        german: "{count} Erinnerungen wurden auf einmal im Kalender gelöscht und sind auch hier gelöscht.")
    /// {count}
    static let calendarRefused = Phrase(
        english: "Your calendar does not take {count} of your reminders: vitals calendar.",
        german: "Dein Kalender nimmt {count} deiner Erinnerungen nicht an: vitals calendar.")
    /// {host}
    static let calendarConnected = Phrase(
        english:
            "Your reminders are kept in a calendar at {host} now. If that was not you: vitals calendar disconnect.",
        german:
            "Deine Erinnerungen stehen jetzt im Kalender bei {host}. Warst du das nicht: vitals calendar disconnect.")
    static let calendarPassword = Phrase(
        english: "The calendar refused the password. Connect it again with a new one: vitals calendar connect.",
        german: "Der Kalender hat das Passwort abgelehnt. Verbinde ihn neu: vitals calendar connect.")
    static let calendarGone = Phrase(
        english: "Your calendar was deleted there. Your reminders stay here, and are in step with no calendar now.",
        german: "Dein Kalender wurde dort gelöscht. Die Erinnerungen bleiben hier, ohne Kalender.")
}

extension CalendarNews {
    /// In a person's language.
    func text(_ language: Language, most: Int) -> String {
        switch self {
        case .keptOurs(let label): language(.calendarKeptOurs, ["label": label])
        case .tookTheirs(let label): language(.calendarTookTheirs, ["label": label])
        case .putBack(let label): language(.calendarPutBack, ["label": label])
        case .broughtBack(let label): language(.calendarBroughtBack, ["label": label])
        case .estranged(let label): language(.calendarEstranged, ["label": label])
        case .emptied(let count): language(.calendarEmptied, ["count": "\(count)"])
        case .full: language(.calendarFull, ["count": "\(most)"])
        }
    }
}
