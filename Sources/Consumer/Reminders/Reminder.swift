import Features
package import Files
import Fitness
package import Records
package import Schedules
import Storage
package import Telemetry

/// What a person wants to be reminded of.
///
/// The id is random, and stays as long as the reminder does: it can be the UID of an event in a calendar. With each change the
/// revision rises by one, and `changed` says when that was; so whoever keeps a copy can see whether it is the latest.
package struct Reminder: Hashable {
    package let id: ID
    package var label: String
    package var schedule: WeeklySchedule
    /// Whether its alarm is told.
    package var isEnabled = true
    /// From 1.
    package var revision: Int64 = 1
    /// When a person changed it last, in Unix milliseconds.
    package var changed: Int64
    /// Which of its alarms were told.
    var progress: AlarmProgress

    /// A reminder of which nothing was told.
    /// - Parameter changed: when it was made, in Unix milliseconds.
    package init(id: ID, label: String, schedule: WeeklySchedule, isEnabled: Bool = true, changed: Int64) {
        self.init(
            id: id, label: label, schedule: schedule, isEnabled: isEnabled, changed: changed,
            progress: AlarmProgress(begin: changed))
    }

    init(
        id: ID, label: String, schedule: WeeklySchedule, isEnabled: Bool = true, revision: Int64 = 1, changed: Int64,
        progress: AlarmProgress
    ) {
        self.id = id
        self.label = label
        self.schedule = schedule
        self.isEnabled = isEnabled
        self.revision = revision
        self.changed = changed
        self.progress = progress
    }

    /// The next alarm, which may be due already; nil if none is told.
    func next(now: Int64, in zone: ZoneRules) -> WeeklySchedule.Occurrence? {
        isEnabled ? progress.next(schedule, now: now, in: zone) : nil
    }

    /// The same reminder after its person has changed it. What was changed begins again: nothing of before this moment is told.
    /// - Parameter now: Unix milliseconds.
    package func changed(to other: Reminder, now: Int64) -> Reminder {
        guard (other.label, other.schedule, other.isEnabled) != (label, schedule, isEnabled) else { return self }
        var result = other
        (result.revision, result.changed, result.progress) = (revision + 1, now, progress)
        if other.schedule != schedule {
            result.progress = AlarmProgress(begin: now)
        } else if other.isEnabled, !isEnabled {
            result.progress.begin = now
        }
        return result
    }
}

// MARK: As JSON

extension Reminder {
    /// What people see of it.
    var json: JSON { .object(members) }

    /// The same, and when its alarm comes next.
    func json(now: Int64, in zone: ZoneRules) -> JSON {
        let next = next(now: now, in: zone).map { JSON.Member("next", .integer($0.alarm)) }
        return .object(members + (next.map { [$0] } ?? []))
    }

    private var members: [JSON.Member] {
        let names = CalendarDay.weekdayNames
        let known: KeyValuePairs<String, JSON?> = [
            "reminder": .string(id.text), "label": .string(label), "first_day": .string("\(schedule.firstDay)"),
            "time": .string(schedule.time),
            "weekdays": .array(schedule.weekdays.sorted().map { .string(names[$0 - 1]) }),
            "alert_min": schedule.alarmMinutes.map { .integer(Int64($0)) }, "enabled": .bool(isEnabled),
            "revision": .integer(revision), "changed": .integer(changed),
        ]
        return known.compactMap { name, value in value.map { JSON.Member(name, $0) } }
    }

    /// As it is kept.
    fileprivate var kept: JSON {
        let told =
            progress.told.map { told in
                [JSON.Member("told", .string("\(told.day)")), JSON.Member("told_alarm", .integer(told.alarm))]
            } ?? []
        return .object(members + [JSON.Member("begin", .integer(progress.begin))] + told)
    }

    fileprivate init?(kept json: JSON) {
        guard case .string(let text)? = json["reminder"],
            let id = decoded({ () throws(MalformedValue) in try ID(text) }),
            case .string(let label)? = json["label"],
            case .string(let dayText)? = json["first_day"], let firstDay = CalendarDay(dayText),
            case .string(let time)? = json["time"], let minute = WeeklySchedule.minute(time),
            case .array(let names)? = json["weekdays"], case .integer(let revision)? = json["revision"],
            case .integer(let changed)? = json["changed"], case .integer(let begin)? = json["begin"]
        else { return nil }
        let weekdays = names.compactMap { name -> Int? in
            guard case .string(let name) = name else { return nil }
            return CalendarDay.weekdayNames.firstIndex(of: name).map { $0 + 1 }
        }
        var alarmMinutes: Int?
        if case .integer(let minutes)? = json["alert_min"] { alarmMinutes = Int(minutes) }
        var progress = AlarmProgress(begin: begin)
        if case .string(let text)? = json["told"], let day = CalendarDay(text),
            case .integer(let alarm)? = json["told_alarm"]
        {
            progress.told = WeeklySchedule.Occurrence(day: day, alarm: alarm)
        }
        self.init(
            id: id, label: label,
            schedule: WeeklySchedule(
                firstDay: firstDay, minute: minute, weekdays: Set(weekdays), alarmMinutes: alarmMinutes),
            isEnabled: json["enabled"] != false, revision: revision, changed: changed, progress: progress)
    }
}

// MARK: The document

/// A person's reminders, as they are kept: the document "reminders". Belongs to the thread of its store and keys.
package struct ReminderList {
    static let document = "reminders"
    /// How many a person may have.
    package static let most = 50

    let documents: Documents

    package init(documents: Documents) { self.documents = documents }

    /// In the order in which they were made; none if the person has none.
    package func read(_ user: ID) throws(VaultError) -> [Reminder] {
        guard case .array(let kept)? = try documents.read(Self.document, of: user)?["reminders"] else { return [] }
        return kept.compactMap(Reminder.init(kept:))
    }

    /// Keeps them in place of those before, within a transaction.
    package func write(_ reminders: [Reminder], of user: ID) throws(VaultError) {
        guard !reminders.isEmpty else { return try documents.remove(Self.document, of: user) }
        try documents.write(["reminders": .array(reminders.map(\.kept))], Self.document, of: user)
    }

    /// All people who have reminders.
    func everybody() throws(VaultError) -> [ID] {
        try documents.store.database.query(
            "SELECT person FROM documents WHERE name = ? ORDER BY person", [.text(Self.document)], row: Row.text
        ).compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } }
    }
}
