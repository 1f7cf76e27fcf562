package import Features

// What people are told of their goals.

extension Notification.Kind {
    package static let goalReached = Self("goal-reached", .neutralGoal)
}

extension Phrase {
    static let neutralGoal = Phrase(
        english: "Vitals has news for you: you have reached a goal.",
        german: "Vitals hat Neuigkeiten für dich: Du hast ein Ziel erreicht.")
    /// {target}
    package static let reachedSteps = Phrase(
        english: "You have reached your goal: {target} steps.",
        german: "Ziel erreicht: {target} Schritte.")
    package static let reachedDistance = Phrase(
        english: "You have reached your goal: {target}.",
        german: "Ziel erreicht: {target}.")
    package static let reachedEnergy = Phrase(
        english: "You have reached your goal: {target} kcal.",
        german: "Ziel erreicht: {target} kcal.")
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
    package static let ofGoal = Phrase(
        english: "of {number}",
        german: "von {number}")
}
