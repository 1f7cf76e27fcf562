import Accounts
import Calendars
import Custody
import Exercise
import Features
import Groups
import Guardians
import Insight
import Meals
import Music
import Partners
import Phones
import Posts
import Push
import Quotes
import Reminders
import Sensors
import Sharing
import Social
import Training
import Voice

extension Feature {
    /// All features. Nothing else names them all.
    ///
    /// Their order is that of the files of an export, which says first who somebody is, and has the readings last; and
    /// that in which a batch of readings is counted, which is minutes before days.
    static let all: [Feature] = [
        accounts, profile, consents, devices, sensors, phones, pictures, history, friends, groups, partners, guardians,
        posts, reminders,
        calendar, quotes,
        notifications, push, sharing, weekly, answered,
        deletions, workouts, workoutCorrections, training, music, voice, workoutFiles, meals, heartRate, days, readings, secrets, reads, today, homeAssistant,
        custody,
    ]
}
