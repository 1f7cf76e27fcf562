import Days
import Exercise
import Files
import Fitness
import Records
import Telemetry

/// The workouts of some of a person's days, with the trainings among them. Belongs to the thread of its store and keys.
struct WorkoutsOfDays {
    /// Those that are over and count, of all kinds, the latest first.
    let workouts: [KeptWorkout]
    /// Those of them that followed a plan, the latest first.
    let trainings: [TrainingRecord]

    /// - Parameter history: says when each of the days was.
    init(
        _ days: ClosedRange<CalendarDay>, of user: ID, _ documents: Documents, _ history: History
    ) throws(VaultError) {
        let localDays = history.localDays
        workouts = try WorkoutRows(documents.store, documents.keys).counted(of: user, over: days, localDays)
        trainings = try TrainingRows(documents).records(of: user, on: WorkoutRows.days(around: days)).filter {
            !$0.isUnderWay && days.contains(localDays.day(of: $0.started))
        }
    }

    /// How long they were in all, without pauses, in seconds.
    var seconds: Int {
        Int(workouts.reduce(0) { $0 + $1.activeMilliseconds } / 1000)
    }

    /// What they took in all, in kilocalories; nil if that is known of none. A training whose figures have none, such as one
    /// without a strap, counts with its plan's estimate.
    var kilocalories: Double? {
        var estimates: [ID: Int] = [:]
        for training in trainings { estimates[training.workout] = training.kilocalories }
        let known = workouts.compactMap { workout -> Double? in
            switch workout.figures?["energy_kcal"] {
            case .integer(let whole)?: Double(whole)
            case .number(let number)?: number
            default: estimates[workout.id].map { Double($0) }
            }
        }
        return known.isEmpty ? nil : known.reduce(0, +)
    }

    var muscles: [MuscleWork] { trainings.flatMap(\.muscles).summed }
}
