import Fitness
import HouseholdSupport
import Schedules
import Telemetry

@testable import Reminders

extension Reminder {
    /// A reminder that is kept, on each Saturday at half past seven.
    static func madeUp() throws -> Reminder {
        let schedule = WeeklySchedule(
            firstDay: CalendarDay(daysSince1970: 20_000), minute: 450, weekdays: [6], alarmMinutes: 0)
        return Reminder(
            id: try ID("yoga"), label: "Yoga", schedule: schedule, changed: start,
            progress: AlarmProgress(begin: start))
    }
}
