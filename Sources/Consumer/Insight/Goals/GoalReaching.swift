import Days
package import Features
package import Files
package import Fitness
package import Telemetry

/// Tells people that they have reached a goal: once for each day and goal. Belongs to the thread of its store and keys.
///
/// The day's record makes sure of that: it keeps `reached` from then on, and is written in the transaction that adds
/// the notification. Whatever the steps or the target become later, the goal stays reached.
package struct GoalReaching: GoalEvaluation {
    package let notifications: Notifications

    package init(_ notifications: Notifications) { self.notifications = notifications }

    /// Finds out which of a day's goals are reached now and were not before. Goals of days before yesterday, whose
    /// readings came late, are kept without a notification. Days to come, which a wrong clock brings, are not looked at
    /// before they are there.
    /// - Parameters:
    ///   - today: the person's.
    ///   - silently: whether the person is not told: an import brought it.
    ///   - now: Unix milliseconds.
    package func evaluate(
        _ goals: inout [Goal: GoalDay], on day: CalendarDay, today: CalendarDay, of user: ID, silently: Bool, now: Int64
    ) throws(VaultError) {
        guard day <= today else { return }
        for goal in Goal.allCases {
            guard let state = goals[goal], !state.isReached, state.isEnough, let target = state.target else {
                continue
            }
            goals[goal]?.reached = GoalDay.Reached(target: target, time: now)
            guard !silently, day.distance(to: today) <= 1 else { continue }
            let (language, units) = (try notifications.language(of: user), try notifications.units(of: user))
            try notifications.add(
                Notification(
                    kind: .goalReached, time: now, day: day, goal: goal.rawValue,
                    text: Self.text(goal, target, language, units)),
                to: user)
        }
    }

    private static func text(_ goal: Goal, _ target: Double, _ language: Language, _ units: Units) -> String {
        switch goal {
        case .steps: language(.reachedSteps, ["target": language.number(target)])
        case .distance: language(.reachedDistance, ["target": language.text(units.ways(target, decimals: 2))])
        case .energy: language(.reachedEnergy, ["target": language.number(target)])
        }
    }
}
