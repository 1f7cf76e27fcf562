import Fitness
import HouseholdSupport
import Records
import Telemetry
import TestSupport

@testable import Training

/// Keeps something of each kind that the feature keeps of a person.
func writeMadeUpTraining(_ documents: Documents, of user: ID) throws {
    var preferences = TrainingPreferences()
    (preferences.equipment, preferences.level) = (["bands"], "beginner")
    try preferences.keep(documents, of: user)
    guard let monday = CalendarDay("2026-11-16") else { throw TestFailure("no day") }
    var selection = WeekSelection()
    _ = selection.add(
        ChosenPlan(
            id: try ID("choice"), week: monday, plan: "1-w", kind: "weights", title: "Strength: chest", seconds: 1800,
            time: start, done: nil))
    try selection.keep(documents, of: user)
    var record = TrainingRecord(
        workout: try ID("run"), started: start, plan: "1-w", kind: "weights", title: "Strength: chest", choice: nil)
    record.muscles = [MuscleWork(muscle: "chest", sets: 3, seconds: 90)]
    try TrainingRows(documents).write(record, of: user)
}
