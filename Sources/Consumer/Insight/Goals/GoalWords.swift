package import Features
import Fitness

// What people are told of their goals.

extension Notification.Kind {
    package static let goalReached = Self("goal-reached", .neutralGoal)
}

extension Phrase {
    static let neutralGoal = Phrase(
        english: "Vitals has news for you: you have reached a goal.",
        german: "Vitals hat Neuigkeiten für dich: Du hast ein Ziel erreicht.")
    /// {target}
    package static let reachedToday = Phrase(
        english: "You have reached your goal: {target}.",
        german: "Ziel erreicht: {target}.")
    package static let reachedYesterday = Phrase(
        english: "Yesterday you reached your goal: {target}.",
        german: "Gestern hast du dein Ziel erreicht: {target}.")
    package static let reachedThisWeek = Phrase(
        english: "You have reached your goal of the week: {target}.",
        german: "Wochenziel erreicht: {target}.")
    package static let reachedLastWeek = Phrase(
        english: "Last week you reached your goal: {target}.",
        german: "Letzte Woche hast du dein Ziel erreicht: {target}.")
    /// {value}, {day}
    package static let shareValue = Phrase(
        english: "{value} on {day}.",
        german: "{value} am {day}.")
    /// {value}, {day}, {percent}, {target}
    package static let shareGoal = Phrase(
        english: "{value} on {day}: {percent} % of my goal of {target}.",
        german: "{value} am {day}: {percent} % meines Ziels, {target}.")
    package static let shareReached = Phrase(
        english: "{value} on {day}: I have reached my goal of {target}!",
        german: "{value} am {day}: Ich habe mein Ziel erreicht, {target}!")
    /// {number}
    package static let steps = Phrase(
        english: "{number} steps",
        german: "{number} Schritte")
    package static let kilocalories = Phrase(
        english: "{number} kcal",
        german: "{number} kcal")
    /// {distance}
    package static let onFoot = Phrase(
        english: "{distance} on foot",
        german: "{distance} zu Fuß")
    /// {number}
    package static let fullDays = Phrase(
        english: "all goals of the day, on {number} of 7 days",
        german: "alle Tagesziele, an {number} von 7 Tagen")
    package static let activityMinutes = Phrase(
        english: "{number} minutes of activity",
        german: "{number} aktive Minuten")
    package static let ofGoal = Phrase(
        english: "of {number}",
        german: "von {number}")
}

extension Goal {
    /// As much as that, as a person reads it.
    func amount(_ value: Double, isOnFoot: Bool, _ language: Language, _ units: Units) -> String {
        switch self {
        case .steps: return language(.steps, ["number": language.number(value)])
        case .distance:
            let distance = language.text(units.ways(value, decimals: 2))
            return isOnFoot ? language(.onFoot, ["distance": distance]) : distance
        case .energy: return language(.kilocalories, ["number": language.number(value)])
        }
    }
}

extension WeekGoal {
    /// As much as that, as a person reads it.
    func amount(_ value: Double, _ language: Language) -> String {
        language(self == .days ? .fullDays : .activityMinutes, ["number": language.number(value)])
    }
}
