import Daemon
import Days
package import Features
import Files
import Fitness
package import Reactor
import Records
import Schedules
package import Telemetry

// A reminder is told by a notification, which is kept in the transaction that writes down that it was: either both are there,
// or neither. So each time is told once, whatever is killed. When somebody's next alarm comes is only in memory, because it
// follows from what is kept and from where they are: it is found at the start, after each of their changes, when they move, and
// when the clock was put back.

/// Hears that a person's reminders have changed.
package protocol ReminderObserver: AnyObject {
    /// Called on the session's thread, after the change is committed.
    func remindersChanged(of user: ID)
}

/// Reminders of all people. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
package final class Reminders: FeatureService, PeopleObserver, @unchecked Sendable {
    let context: PeopleContext
    let histories: Histories
    /// When each person's next alarm comes, in Unix milliseconds.
    private var alarms: [ID: Int64] = [:]
    /// People whose next alarm is not known yet.
    private var unread: Set<ID> = []
    /// Whether all people who have reminders are known.
    private var isRead = false
    /// What the wall clock said last, in Unix milliseconds.
    private var looked = Int64.min
    private var loop: EventLoop?
    private var observers: [Observer] = []

    private struct Observer {
        weak var value: (any ReminderObserver)?
    }

    var reminders: ReminderList { ReminderList(documents: context.documents) }

    package init(_ parts: FeatureParts) {
        (context, histories) = (parts.context, parts.days.histories)
        context.changes.add(self)
    }

    /// - Parameter observer: is not kept alive.
    package func tell(_ observer: any ReminderObserver) { observers.append(Observer(value: observer)) }

    package func start(_ loop: EventLoop) {
        self.loop = loop
        tick()
    }

    // MARK: What changes

    /// Called before the profile is kept: where the person is can be read at the next tick.
    package func moved(_ user: ID) { unread.insert(user) }

    package func forgotten(_ user: ID) {
        alarms[user] = nil
        unread.remove(user)
    }

    /// Somebody's reminders have changed.
    package func lookAgain(at user: ID) {
        unread.insert(user)
        attempt(user) { () throws(VaultError) in try look(at: user) }
        for observer in observers { observer.value?.remindersChanged(of: user) }
    }

    /// Tells somebody at once of what is due.
    package func lookNow(at user: ID, now: Int64) {
        attempt(user) { () throws(VaultError) in
            if unread.contains(user) { try look(at: user) }
            if let time = alarms[user], time <= now { try tell(user, now: now) }
        }
    }

    /// Finds out when somebody's next alarm comes.
    private func look(at user: ID) throws(VaultError) {
        let (now, zone) = (context.now(), try histories.zone(of: user))
        alarms[user] = try reminders.read(user).compactMap { $0.next(now: now, in: zone)?.alarm }.min()
        unread.remove(user)
    }

    // MARK: The clock

    private func tick() {
        let isLeft = lookAround()
        loop?.after(isLeft ? .milliseconds(10) : .seconds(1)) { [unowned self] in tick() }
    }

    /// Each second: people nobody has looked at yet, and alarms that are due.
    /// - Returns: whether people are left to be looked at, or to be told.
    func lookAround() -> Bool {
        let now = context.now()
        // A clock that was ahead has found times that are far away.
        if now < looked { isRead = false }
        looked = now
        if !isRead { readEverybody() }
        let isLeft = lookAtSome()
        return tellSome(now: now) || isLeft
    }

    /// - Returns: whether others are left whose alarms are due.
    private func tellSome(now: Int64) -> Bool {
        let end = millisecondsSinceBoot() + Self.portion
        for (user, time) in alarms where time <= now {
            guard millisecondsSinceBoot() < end else { return true }
            attempt(user) { () throws(VaultError) in try tell(user, now: now) }
        }
        return false
    }

    private func readEverybody() {
        do throws(VaultError) {
            unread.formUnion(try reminders.everybody())
            isRead = true
        } catch {
            context.limitedLog.error("reminders") { "who has reminders was not read\($0): \(error)" }
        }
    }

    /// For how long people are looked at, or told, before others have their turn, in milliseconds.
    private static let portion: UInt64 = 20

    /// - Returns: whether others are left. Those who could not be read now have their turn at the next tick.
    private func lookAtSome() -> Bool {
        let end = millisecondsSinceBoot() + Self.portion
        for user in unread {
            guard millisecondsSinceBoot() < end else { return true }
            attempt(user) { () throws(VaultError) in try look(at: user) }
        }
        return false
    }

    /// Tells somebody of what is due.
    private func tell(_ user: ID, now: Int64) throws(VaultError) {
        guard !context.doors.isBeingForgotten(user) else { return forgotten(user) }
        let zone = try histories.zone(of: user)
        try context.store.change(user) { () throws(VaultError) in
            let before = try reminders.read(user)
            var kept = before
            for index in kept.indices {
                guard let due = kept[index].next(now: now, in: zone), due.alarm <= now else { continue }
                try notify(user, of: kept[index], due, today: zone.day(at: now))
                kept[index].progress.told = due
            }
            if kept != before { try reminders.write(kept, of: user) }
        }
        try look(at: user)
    }

    private func notify(
        _ user: ID, of reminder: Reminder, _ due: WeeklySchedule.Occurrence, today: CalendarDay
    ) throws(VaultError) {
        let language = try context.notifications.language(of: user)
        let (label, time) = (reminder.label, reminder.schedule.time)
        let text =
            due.day == today
            ? language(.reminder, ["label": label, "time": time])
            : language(.reminderOfDay, ["label": label, "time": time, "day": language.date(due.day)])
        try context.notifications.add(
            Notification(kind: .reminder, time: due.alarm, day: due.day, reminder: reminder.id, text: text), to: user)
    }

    private func attempt(_ user: ID, _ body: () throws(VaultError) -> Void) {
        do throws(VaultError) { try body() } catch {
            context.limitedLog.error("reminders of \(user)") {
                "what \(user) wants to be reminded of is not told now\($0): \(error)"
            }
        }
    }
}
