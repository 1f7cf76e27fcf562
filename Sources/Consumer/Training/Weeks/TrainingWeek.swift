import Days
package import Files
package import Fitness
package import Records
package import Telemetry

/// What people have chosen and done in a week. Belongs to the thread of its store and keys.
package struct TrainingWeek {
    /// A week, as others are told of it.
    package struct Summary: Equatable, Sendable {
        /// Monday to Sunday.
        package let days: ClosedRange<CalendarDay>
        /// How many workouts of any kind began in it, and are over.
        package let workouts: Int
        /// How long they were in all, without pauses.
        package let seconds: Int
        /// The muscles that were worked, those with the most sets first.
        package let muscles: [String]
        /// What was chosen for it, in the order of choosing.
        package let titles: [String]
    }

    private let documents: Documents
    private let zone: String

    /// - Parameter zone: that of people who have named none.
    package init(_ documents: Documents, zone: String) { (self.documents, self.zone) = (documents, zone) }

    /// The week that has a day.
    package func read(_ user: ID, week of: CalendarDay) throws(VaultError) -> Summary {
        let whole = try WholeWeek(of.week, of: user, documents, zone: zone)
        return Summary(
            days: whole.week.days, workouts: whole.done.workouts.count, seconds: whole.done.seconds,
            muscles: whole.done.muscles.map(\.muscle), titles: whole.chosen.map(\.title))
    }
}

/// All of a week.
struct WholeWeek {
    let week: CalendarWeek
    let chosen: [ChosenPlan]
    let done: WorkoutsOfDays

    init(_ week: CalendarWeek, of user: ID, _ documents: Documents, zone: String) throws(VaultError) {
        self.week = week
        let history = try Histories(documents.store, documents.keys, zone: zone).history(of: user)
        chosen = try WeekSelection(documents, of: user).chosen(in: week.monday)
        done = try WorkoutsOfDays(week.days, of: user, documents, history)
    }
}
