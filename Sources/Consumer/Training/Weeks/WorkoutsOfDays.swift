import Days
import Exercise
import Files
import Fitness
import Records
import Telemetry

/// The workouts of some of a person's days, with the trainings among them. Belongs to the thread of its store and keys.
struct WorkoutsOfDays {
    /// Those that are over, of all kinds, the latest first.
    let workouts: [KeptWorkout]
    /// Those of them that followed a plan, the latest first.
    let trainings: [TrainingRecord]

    /// - Parameter history: says when each of the days was.
    init(
        _ days: ClosedRange<CalendarDay>, of user: ID, _ documents: Documents, _ history: History
    ) throws(VaultError) {
        let localDays = history.localDays
        workouts = try WorkoutRows(documents.store, documents.keys).workouts(of: user, over: days, localDays)
        trainings = try TrainingRows(documents).records(of: user, on: WorkoutRows.days(around: days)).filter {
            !$0.isUnderWay && days.contains(localDays.day(of: $0.started))
        }
    }

    /// How long they were in all, without pauses, in seconds.
    var seconds: Int {
        Int(workouts.reduce(0) { $0 + $1.timer.activeMilliseconds(at: $1.timer.ended ?? $1.started) } / 1000)
    }

    /// What they took in all, in kilocalories; nil if that is known of none.
    var kilocalories: Double? {
        let known = workouts.compactMap { $0.figures?["energy_kcal"] }.compactMap { value -> Double? in
            switch value {
            case .integer(let whole): Double(whole)
            case .number(let number): number
            default: nil
            }
        }
        return known.isEmpty ? nil : known.reduce(0, +)
    }

    var muscles: [MuscleWork] { trainings.flatMap(\.muscles).summed }
}
