import Fitness
import Glibc

/// What training has built up by a day (Banister's model of impulse and response, as coaches use it): each day's load
/// fades over weeks as fitness, and over days as fatigue.
public struct TrainingDay: Hashable, Sendable {
    /// Over how many days fitness fades to a share of 1/e.
    public static let fitnessDays = 42.0
    /// Over how many days fatigue does.
    public static let fatigueDays = 7.0
    /// How many days a curve has at most.
    public static let mostDays = 50_000

    /// The load of the day.
    public let load: Double
    /// The mean load of the last weeks, where a day weighs the less the longer it is ago.
    public let fitness: Double
    /// The same of the last days.
    public let fatigue: Double
    /// How rested the person is for the day: fitness less fatigue, as the day before left them.
    public let form: Double

    /// The curve over days that follow each other. Nothing was before the first one.
    /// - Parameter loads: of each day, such as Edwards' or Banister's of all its workouts; 0 on a day of rest. What is
    ///   no load counts as 0. More than 50,000 days are cut off.
    public static func curve(_ loads: some Sequence<Double>) -> [TrainingDay] {
        let (slow, fast) = (1 - exp(-1 / fitnessDays), 1 - exp(-1 / fatigueDays))
        var (fitness, fatigue) = (0.0, 0.0)
        return loads.prefix(mostDays).map { given in
            let load = given > 0 && given.isFinite ? given : 0
            let form = fitness - fatigue
            fitness += (load - fitness) * slow
            fatigue += (load - fatigue) * fast
            return TrainingDay(load: load, fitness: fitness, fatigue: fatigue, form: form)
        }
    }
}
