package import Features
import Fitness
import Workouts

// What people are told of their workouts.

extension Notification.Kind {
    /// The goal of a workout was reached, which may have ended it.
    package static let workoutGoal = Self("workout-goal", .neutralWorkout)
    /// A workout was ended because nothing was measured any longer.
    package static let workoutEnded = Self("workout-ended", .neutralWorkout)
}

extension Phrase {
    static let neutralWorkout = Phrase(
        english: "Vitals has news for you about a workout.",
        german: "Vitals hat Neuigkeiten zu deinem Training für dich.")
    /// {target}
    static let workoutDistance = Phrase(
        english: "You have reached the goal of your workout: {target}.",
        german: "Ziel des Trainings erreicht: {target}.")
    static let workoutDuration = Phrase(
        english: "You have reached the goal of your workout: {target} min.",
        german: "Ziel des Trainings erreicht: {target} min.")
    static let workoutSteps = Phrase(
        english: "You have reached the goal of your workout: {target} steps.",
        german: "Ziel des Trainings erreicht: {target} Schritte.")
    static let workoutEnergy = Phrase(
        english: "You have reached the goal of your workout: {target} kcal.",
        german: "Ziel des Trainings erreicht: {target} kcal.")
    /// Nothing is filled in.
    static let workoutSilent = Phrase(
        english: "Nothing has been measured for a long time: your workout has been ended.",
        german: "Es wurde lange nichts gemessen: Dein Training wurde beendet.")
}

enum WorkoutWords {
    /// The notification when the service ends a workout, or its goal is reached.
    static func ended(
        _ end: KeptWorkout.End, _ workout: KeptWorkout, _ language: Language, _ units: Units
    ) -> (Notification.Kind, String) {
        guard end == .goal, let goal = workout.goal else { return (.workoutEnded, language(.workoutSilent)) }
        let text =
            switch goal.kind {
            case .distance: language(.workoutDistance, ["target": language.text(units.distance(goal.target))])
            case .duration: language(.workoutDuration, ["target": language.number(goal.target / 60)])
            case .steps: language(.workoutSteps, ["target": language.number(goal.target)])
            case .energy: language(.workoutEnergy, ["target": language.number(goal.target)])
            }
        return (.workoutGoal, text)
    }
}
