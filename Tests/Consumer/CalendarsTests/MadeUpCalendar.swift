import Fitness
import Schedules
import Telemetry

@testable import Calendars
@testable import Reminders

/// A calendar as its server has it, with somebody who changes it there, and no network in between.
struct MadeUpCalendar {
    private struct Event {
        var etag: String
        var uid: String
        /// Nil for one that repeats every month.
        var appointment: Appointment?
        /// Unix milliseconds.
        var modified: Int64
    }

    private var events: [String: Event] = [:]
    /// The names of what was changed, made or deleted, in that order.
    private var journal: [String] = []
    private var count = 0

    var names: [String] { events.keys.sorted() }
    /// What weekly events say, by names.
    var weekly: [String: Appointment] { events.compactMapValues(\.appointment) }
    subscript(name: String) -> Appointment? { events[name]?.appointment }

    private mutating func nextETag() -> String {
        count += 1
        return "\"\(count)\""
    }

    // MARK: What somebody does there

    /// - Parameter appointment: nil for one that repeats every month.
    mutating func put(_ name: String, _ appointment: Appointment?, at now: Int64) {
        let uid = events[name]?.uid ?? "uid of \(name)"
        events[name] = Event(etag: nextETag(), uid: uid, appointment: appointment, modified: now / 1000 * 1000)
        journal.append(name)
    }

    mutating func delete(_ name: String) {
        events[name] = nil
        journal.append(name)
    }

    mutating func rename(_ name: String, to other: String) {
        let etag = nextETag()
        events[other] = events[name]
        events[other]?.etag = etag
        events[name] = nil
        journal += [name, other]
    }

    /// The server writes it in another way, which says the same.
    mutating func rewrite(_ name: String) {
        let etag = nextETag()
        events[name]?.etag = etag
        journal.append(name)
    }

    // MARK: As our side sees it

    /// What one look finds.
    /// - Parameter forgetful: whether the server knows no tokens of before.
    func sight(_ link: CalendarLink, forgetful: Bool = false) -> CalendarSight {
        var sight = CalendarSight(token: "\(journal.count)")
        if let token = link.token.flatMap(Int.init), !forgetful {
            for name in journal[token...] {
                if let event = events[name] { sight.listed[name] = event.etag } else { sight.removed.insert(name) }
            }
        } else {
            sight.isComplete = true
            sight.listed = events.mapValues(\.etag)
        }
        for name in link.unread(of: sight.listed) { sight.read[name] = finding(name) }
        return sight
    }

    private func finding(_ name: String) -> Finding? {
        guard let event = events[name] else { return nil }
        guard let appointment = event.appointment else {
            return Finding(etag: event.etag, content: .other(NoReminder("it repeats every month")))
        }
        return Finding(
            etag: event.etag, content: .event(uid: event.uid, appointment, modified: event.modified))
    }

    /// Takes a step.
    /// - Parameter silent: whether the server does not say which ETag what it was given has now.
    mutating func take(_ step: CalendarStep, silent: Bool = false) -> CalendarOutcome {
        switch step {
        case .delete(let name, let etag):
            guard let event = events[name] else { return .done(etag: nil) }
            guard event.etag == etag else { return finding(name).map { .found($0) } ?? .gone }
            delete(name)
            return .done(etag: nil)
        case .put(let name, let uid, let appointment, let etag, let changed, _):
            guard events[name]?.etag == etag else { return finding(name).map { .found($0) } ?? .gone }
            // RFC 4791, 5.3.2.1: no-uid-conflict.
            guard !events.contains(where: { $0.key != name && $0.value.uid == uid }) else { return .refused }
            events[name] = Event(
                etag: nextETag(), uid: uid, appointment: appointment, modified: changed / 1000 * 1000)
            journal.append(name)
            return .done(etag: silent ? nil : events[name]?.etag)
        }
    }
}

/// Our side: the reminders and the link, kept as JSON between two transactions.
struct MadeUpSide {
    var reminders: [Reminder] = []
    var link = CalendarLink()
    var news: [CalendarNews] = []
    var now: Int64 = 1_795_250_000_000
    private var drawn = 0

    mutating func draw() throws -> ID {
        drawn += 1
        return try ID("id-\(drawn)")
    }

    /// One transaction.
    mutating func change(_ body: (inout CalendarMerge) throws -> [CalendarStep]) throws -> [CalendarStep] {
        var ids: [ID] = []
        for _ in 0..<60 { ids.append(try draw()) }
        var merge = CalendarMerge(reminders, link, now: now) { ids.removeFirst() }
        let steps = try body(&merge)
        let kept = merge.link.json
        (reminders, link) = (
            merge.reminders, CalendarLink(entries: kept.entries, others: kept.others, token: merge.link.token)
        )
        news += merge.news
        return steps
    }

    mutating func look(_ sight: CalendarSight) throws -> [CalendarStep] {
        try change { merge in
            try merge.take(sight)
            return merge.steps()
        }
    }

    /// Brings both in step, as nobody interrupts it.
    /// - Returns: how many times it had to look.
    @discardableResult
    mutating func settle(_ calendar: inout MadeUpCalendar) throws -> Int {
        for round in 1...8 {
            let steps = try look(calendar.sight(link))
            guard !steps.isEmpty else { return round }
            for step in steps {
                let outcome = calendar.take(step)
                _ = try change { merge in
                    try merge.take(outcome, of: step)
                    return []
                }
            }
        }
        return .max
    }

    mutating func add(_ appointment: Appointment) throws {
        reminders.append(appointment.reminder(try draw(), now: now))
    }

    /// - Parameter change: nil to delete it.
    mutating func change(_ label: String, _ change: ((inout Reminder) -> Void)?) {
        guard let index = reminders.firstIndex(where: { $0.label == label }) else { return }
        guard let change else {
            reminders.remove(at: index)
            return
        }
        var wanted = reminders[index]
        change(&wanted)
        reminders[index] = reminders[index].changed(to: wanted, now: now)
    }
}

extension Appointment {
    /// Each Monday and Thursday at half past six in the evening.
    static func madeUp(
        _ label: String = "Run", minute: Int = 1110, weekdays: Set<Int> = [1, 4], alarm: Int? = 15
    ) throws -> Appointment {
        try Appointment(
            title: label,
            WeeklySchedule(
                firstDay: CalendarDay(daysSince1970: 20_000), minute: minute, weekdays: weekdays, alarmMinutes: alarm))
    }
}
