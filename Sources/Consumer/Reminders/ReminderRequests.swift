package import Desk
import Features
import Files
import Fitness
import Records
import Schedules
import Telemetry

// What people ask: `reminders/…`.

extension Reminders {
    package var verbs: [Verb] {
        [
            Verb("reminders/list", .remindersList, .atOnce { [unowned self] in try list(of: $0.user) }),
            Verb("reminders/add", .remindersAdd, .atOnce { [unowned self] in try add($0) }),
            Verb("reminders/change", .remindersChange, .atOnce { [unowned self] in try change($0) }),
            Verb("reminders/delete", .remindersDelete, .atOnce { [unowned self] in try delete($0) }),
        ]
    }

    private func list(of user: ID) throws -> JSON {
        let (now, zone) = (context.now(), try histories.zone(of: user))
        return ["reminders": .array(try reminders.read(user).map { $0.json(now: now, in: zone) })]
    }

    private func add(_ request: PeopleRequest) throws -> JSON {
        let (now, zone) = (context.now(), try histories.zone(of: request.user))
        guard let label = try request.label() else { throw PeopleRequest.noTitle }
        guard let minute = try request.minute() else { throw PeopleRequest.noTime }
        guard let weekdays = try request.weekdays() else { throw PeopleRequest.noRepeat }
        let schedule = WeeklySchedule(
            firstDay: try request.firstDay() ?? zone.day(at: now), minute: minute, weekdays: weekdays,
            alarmMinutes: try request.alarmMinutes() ?? 0)
        let reminder = Reminder(
            id: try drawnID(), label: label, schedule: schedule,
            isEnabled: try request.optionalBool("enabled") ?? true, changed: now)
        return try once(request, now: now) { kept in
            guard kept.count < ReminderList.most else {
                throw ReplyError(.notAllowed, "you have \(ReminderList.most) reminders already: delete one")
            }
            kept.append(reminder)
            return reminder.json(now: now, in: zone).with(.saved)
        }
    }

    private func change(_ request: PeopleRequest) throws -> JSON {
        let (now, zone, id) = (context.now(), try histories.zone(of: request.user), try request.id("reminder"))
        let (label, firstDay, minute) = (try request.label(), try request.firstDay(), try request.minute())
        let (weekdays, alarm, isEnabled) = (
            try request.weekdays(), try request.alarmMinutes(), try request.optionalBool("enabled")
        )
        return try once(request, now: now) { kept in
            guard let index = kept.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
            var wanted = kept[index]
            if let label { wanted.label = label }
            if let firstDay { wanted.schedule.firstDay = firstDay }
            if let minute { wanted.schedule.minute = minute }
            if let weekdays { wanted.schedule.weekdays = weekdays }
            if let alarm { wanted.schedule.alarmMinutes = alarm }
            if let isEnabled { wanted.isEnabled = isEnabled }
            kept[index] = kept[index].changed(to: wanted, now: now)
            return kept[index].json(now: now, in: zone).with(.updated)
        }
    }

    private func delete(_ request: PeopleRequest) throws -> JSON {
        let id = try request.id("reminder")
        return try once(request, now: context.now()) { kept in
            guard let index = kept.firstIndex(where: { $0.id == id }) else { throw Self.unknown }
            kept.remove(at: index)
            return JSON.object([JSON.Member("reminder", .string(id.text))]).with(.deleted)
        }
    }

    private static let unknown = ReplyError(.notFound, "you have no such reminder", field: "reminder")

    /// Changes what is kept of the asker, only once.
    private func once(
        _ request: PeopleRequest, now: Int64, _ body: (inout [Reminder]) throws -> JSON
    ) throws -> JSON {
        let user = try request.user
        // What is due in this second is told before it is changed.
        lookNow(at: user, now: now)
        let reply = try context.answered.once(request, now: now) {
            let before = try reminders.read(user)
            var kept = before
            let reply = try body(&kept)
            if kept != before { try reminders.write(kept, of: user) }
            return reply
        }
        lookAgain(at: user)
        return reply
    }
}

extension JSON {
    /// The same with what its person is told.
    fileprivate func with(_ message: ReminderMessage) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members + [JSON.Member("message", .string(message.rawValue))])
    }
}
