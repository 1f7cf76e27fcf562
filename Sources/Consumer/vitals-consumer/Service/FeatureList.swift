import Accounts
import Calendars
import Custody
import Exercise
import Features
import Guardians
import Insight
import Music
import Phones
import Push
import Reminders
import Sensors
import Social
import Voice

extension Feature {
    /// All features. Nothing else names them all.
    ///
    /// Their order is that of the files of an export, which says first who somebody is, and has the readings last; and
    /// that in which a batch of readings is counted, which is minutes before days.
    static let all: [Feature] = [
        accounts, profile, consents, devices, sensors, phones, pictures, history, friends, guardians, reminders,
        calendar,
        notifications, push, answered,
        deletions, workouts, music, voice, workoutFiles, heartRate, days, readings, secrets, reads, today, homeAssistant,
        custody,
    ]
}
