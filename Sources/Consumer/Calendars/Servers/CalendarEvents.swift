import CalendarFiles
import Schedules

// What an event of a server says, and how a reminder is written there.

extension Finding.Content {
    /// What a resource says.
    init(_ bytes: [UInt8]) {
        do throws(CalendarFileError) {
            let event = try calendarEvent(in: bytes)
            guard CalendarLink.isPlain(event.uid, atMost: CalendarLink.longest.uid) else {
                self = .other(.longName)
                return
            }
            let schedule = WeeklySchedule(
                firstDay: event.firstDay, minute: event.minute, weekdays: event.weekdays,
                alarmMinutes: event.alarmMinutes)
            do throws(NoReminder) {
                self = .event(uid: event.uid, try Appointment(title: event.summary, schedule), modified: event.modified)
            } catch { self = .other(error) }
        } catch {
            switch error {
            case .unsupported(let words): self = .other(NoReminder(words))
            case .tooLarge: self = .other(NoReminder("it is too large"))
            case .damaged: self = .other(NoReminder("it is damaged"))
            }
        }
    }
}

extension CalendarEvent {
    /// The event of a reminder.
    /// - Parameters:
    ///   - changed: when that was, in Unix milliseconds.
    ///   - revision: from 1.
    init(_ appointment: Appointment, uid: String, changed: Int64, revision: Int64) {
        self.init(
            uid: uid, summary: appointment.label, firstDay: appointment.schedule.firstDay,
            minute: appointment.schedule.minute, weekdays: appointment.schedule.weekdays,
            alarmMinutes: appointment.schedule.alarmMinutes, modified: changed, sequence: revision - 1)
    }
}
