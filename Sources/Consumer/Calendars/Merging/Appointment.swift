import Daemon
import Fitness
import Reminders
import Schedules
import Telemetry

/// What a reminder and its event in a calendar have in common: two appointments are equal if nobody could tell one side from
/// the other.
struct Appointment: Hashable, Sendable {
    let label: String
    /// Begins on one of its weekdays, as an event of a calendar does. It has no alarm if none is told, for either reason: there
    /// is none, or the reminder is disabled.
    let schedule: WeeklySchedule

    private init(_ label: String, _ schedule: WeeklySchedule) {
        (self.label, self.schedule) = (label, schedule)
    }

    /// How a calendar has a reminder.
    init(_ reminder: Reminder) {
        var schedule = reminder.schedule
        schedule.firstDay = schedule.firstOccurrence
        if !reminder.isEnabled { schedule.alarmMinutes = nil }
        self.init(reminder.label.trimmed, schedule)
    }

    /// What an event of a calendar says, if a reminder can say the same.
    /// - Throws: why it cannot.
    init(title: String, _ schedule: WeeklySchedule) throws(NoReminder) {
        let label = title.trimmed
        guard !label.isEmpty else { throw .untitled }
        guard Reminder.isLabel(label) else { throw .longTitle }
        var schedule = schedule
        guard (0..<1440).contains(schedule.minute), !schedule.weekdays.isEmpty,
            schedule.weekdays.isSubset(of: 1...7), Reminder.years.contains(schedule.firstDay.year)
        else { throw .otherDays }
        if let minutes = schedule.alarmMinutes, !Reminder.alarms.contains(Int64(minutes)) { throw .earlyAlarm }
        schedule.firstDay = schedule.firstOccurrence
        self.init(label, schedule)
    }

    /// The same reminder after its event was changed to this. An alarm that was taken away there is only not told any more, so
    /// that it is the same one if it is enabled here again.
    func applied(to reminder: Reminder, now: Int64) -> Reminder {
        var wanted = reminder
        let before = Appointment(reminder)
        if before.label != label { wanted.label = label }
        wanted.schedule.minute = schedule.minute
        // The first day need not be one of the weekdays here: it stays as long as that makes no difference.
        if before.schedule.firstDay != schedule.firstDay || wanted.schedule.weekdays != schedule.weekdays {
            wanted.schedule.firstDay = schedule.firstDay
        }
        wanted.schedule.weekdays = schedule.weekdays
        if let minutes = schedule.alarmMinutes {
            wanted.schedule.alarmMinutes = minutes
            wanted.isEnabled = true
        } else if wanted.schedule.alarmMinutes != nil {
            wanted.isEnabled = false
        }
        return reminder.changed(to: wanted, now: now)
    }

    /// A reminder of the same.
    func reminder(_ id: ID, now: Int64) -> Reminder {
        Reminder(id: id, label: label, schedule: schedule, changed: now)
    }
}

extension WeeklySchedule {
    /// The first of its weekdays, on its first day or after it.
    fileprivate var firstOccurrence: CalendarDay {
        (0..<7).lazy.map { firstDay.advanced(by: $0) }.first { weekdays.contains($0.weekday) } ?? firstDay
    }
}

/// Why an event of a calendar is no reminder. It stays where it is.
struct NoReminder: Error, Hashable, Sendable {
    /// For people, such as `it repeats every month`. One short line.
    let words: String

    /// - Parameter words: of which the beginning counts, if they are many.
    init(_ words: String) {
        let plain = words.unicodeScalars.filter { (0x20...0x7E).contains($0.value) && $0 != "\\" && $0 != "\"" }
        self.words = String(String(String.UnicodeScalarView(plain)).prefix(Self.longest))
    }

    /// In characters.
    private static let longest = 60

    static let untitled = NoReminder("it has no title")
    static let longTitle = NoReminder("its title is longer than \(Reminder.longestLabel.characters) characters")
    static let otherDays = NoReminder("no reminder has such days")
    static let earlyAlarm = NoReminder("its alarm is more than a week before it")
    static let longName = NoReminder("its UID is too long")
    static let undeletable = NoReminder("the calendar server does not let it be deleted")
    /// There are as many reminders as there may be.
    static let full = NoReminder("you have \(ReminderList.most) reminders already")
}

// MARK: As it is kept

extension Appointment {
    /// One line: `2026-11-30 18:30 14 15 Evening run`.
    var line: String {
        let days = schedule.weekdays.sorted().map(String.init).joined()
        let alarm = schedule.alarmMinutes.map(String.init) ?? "-"
        return "\(schedule.firstDay) \(schedule.time) \(days) \(alarm) \(label)"
    }

    /// The appointment that such a line is of; nil if it is none.
    init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let day = CalendarDay(String(parts[0])),
            let minute = WeeklySchedule.minute(String(parts[1]))
        else { return nil }
        self.init(
            String(parts[4]),
            WeeklySchedule(
                firstDay: day, minute: minute, weekdays: Set(parts[2].compactMap(\.wholeNumberValue)),
                alarmMinutes: Int(parts[3])))
    }
}
