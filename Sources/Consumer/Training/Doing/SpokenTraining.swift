import Exercise
import Features
import Telemetry
import TrainingPlans

// What is said while somebody follows a plan, if they want to hear anything: what comes now.

extension Phrase {
    /// {exercise}, {effort}
    fileprivate static let oneSet = Phrase(
        english: "{exercise}, {effort}.",
        german: "{exercise}, {effort}.")
    /// {exercise}, {set}, {sets}, {effort}
    fileprivate static let oneOfSets = Phrase(
        english: "{exercise}, set {set} of {sets}, {effort}.",
        german: "{exercise}, Satz {set} von {sets}, {effort}.")
    /// {count}
    fileprivate static let repetitions = Phrase(
        english: "{count} repetitions",
        german: "{count} Wiederholungen")
    fileprivate static let oneRepetition = Phrase(
        english: "1 repetition",
        german: "1 Wiederholung")
    /// {count}
    fileprivate static let secondsOfWork = Phrase(
        english: "{count} seconds",
        german: "{count} Sekunden")
    /// {count}
    fileprivate static let restOfSeconds = Phrase(
        english: "Rest {count} seconds.",
        german: "Pause, {count} Sekunden.")
    /// {exercise}
    fileprivate static let nextExercise = Phrase(
        english: "Next: {exercise}.",
        german: "Als Nächstes: {exercise}.")
    fileprivate static let trainingDone = Phrase(
        english: "The training is done.",
        german: "Das Training ist geschafft.")
}

extension PlanProgress {
    /// What is said of what goes on now.
    func spoken(_ language: Language) -> String {
        switch phase {
        case .over, .paused: return language(.trainingDone)
        case .rest:
            let rest = language(.restOfSeconds, ["count": "\(exercise.restSeconds)"])
            return following.map { rest + " " + language(.nextExercise, ["exercise": $0.name]) } ?? rest
        case .work:
            let effort =
                switch exercise.effort {
                case .repetitions(1): language(.oneRepetition)
                case .repetitions(let count): language(.repetitions, ["count": "\(count)"])
                case .seconds(let count): language(.secondsOfWork, ["count": "\(count)"])
                }
            guard exercise.sets > 1 else {
                return language(.oneSet, ["exercise": exercise.name, "effort": effort])
            }
            return language(
                .oneOfSets,
                ["exercise": exercise.name, "set": "\(set + 1)", "sets": "\(exercise.sets)", "effort": effort])
        }
    }
}
