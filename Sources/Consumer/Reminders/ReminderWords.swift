import Features

// What people are told.

extension Notification.Kind {
    /// Something is due of which a person wanted to be reminded.
    static let reminder = Self("reminder", .neutralReminder)
}

extension Phrase {
    static let neutralReminder = Phrase(
        english: "Vitals has news for you: a reminder is due.",
        german: "Vitals hat Neuigkeiten für dich: Eine Erinnerung steht an.")
    /// {label}, {time}
    static let reminder = Phrase(
        english: "Reminder: {label}, at {time}.",
        german: "Erinnerung: {label}, um {time} Uhr.")
    /// {label}, {time}, {day}
    static let reminderOfDay = Phrase(
        english: "Reminder: {label}, at {time} on {day}.",
        german: "Erinnerung: {label}, um {time} Uhr am {day}.")
}

/// What a reminder's person is told once it has been saved, changed or deleted.
enum ReminderMessage: String {
    case saved = "Reminder Saved Successfully"
    case updated = "Reminder Updated Successfully"
    case deleted = "Reminder Deleted Successfully"
}
