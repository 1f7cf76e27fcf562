import Contract
package import Features
import Files
import Fitness
import Telemetry

extension Feature {
    /// Summaries of weeks, for people who want them.
    package static let weekly = Feature(
        name: "weekly",
        documents: [FeatureDocument(name: WeeklyWish.document, exported: .shown(in: "weekly.json"))],
        exports: [
            .document("weekly.json", "That you want a summary of each week, and the week of the last one.") {
                source throws(VaultError) in
                try WeeklyWish.read(source.documents, of: source.user).map {
                    ["told": .string("\($0.told.days.lowerBound)")]
                }
            }
        ],
        service: { WeeklySummaries($0) }, notifications: [.week])
}

extension Notification.Kind {
    static let week = Self("week", .neutralWeek)
}

extension Phrase {
    static let neutralWeek = Phrase(
        english: "Vitals has news for you: your week is over.",
        german: "Vitals hat Neuigkeiten für dich: Deine Woche ist vorbei.")
    /// {from}, {to}
    static let weekOver = Phrase(
        english: "Your week from {from} to {to}",
        german: "Deine Woche vom {from} bis zum {to}")
    /// {number}
    static let weekFullDays = Phrase(
        english: "all goals of the day on {number} of 7 days",
        german: "alle Tagesziele an {number} von 7 Tagen")
    static let weekGoal = Phrase(
        english: "goal of the week reached",
        german: "Wochenziel erreicht")
    /// {number}
    static let weekResting = Phrase(
        english: "resting heart rate {number} bpm",
        german: "Ruhepuls {number}")
    /// {number}
    static let weekRestingByDay = Phrase(
        english: "resting heart rate by day {number} bpm",
        german: "Ruhepuls am Tag {number}")
}

/// What `weekly/…` ask and answer.
extension RequestContract {
    private static let wish = PayloadSchema.object(
        "WeeklyWish", "Whether a person gets a summary of each week that is over.",
        [
            .always("wanted", .bool),
            .known("next", .time.about("when the next one comes: on a Monday at eight, where the person is")),
        ])

    static let weeklyGet = RequestContract(
        "Whether the person gets a summary of each week, as a notification.", answers: wish)

    static let weeklySet = RequestContract(
        "Says whether the person wants a summary of each week. Only people who ask for it get one.",
        asks: [.always("wanted", .bool)], answers: wish)
}
