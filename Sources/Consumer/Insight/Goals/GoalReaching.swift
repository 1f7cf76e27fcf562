import Days
package import Features
package import Files
package import Fitness
package import Telemetry

/// Tells people that they have reached a goal: once for each day or week, and goal. Belongs to the thread of its store and keys.
///
/// What is kept of the day, or of the week, makes sure of that: it has `reached` from then on, and is written in the transaction that
/// adds the notification. The goal stays reached, even if the steps or the target change later.
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
        let news = GoalNews(age: day.distance(to: today), isKnown: silently)
        for goal in Goal.allCases {
            guard let target = Self.take(&goals[goal], now) else { continue }
            try tell(user, goal.rawValue, news, of: day, now: now) { language, units in
                let words = goal.amount(target, isOnFoot: goals[goal]?.isOnFoot == true, language, units)
                return language(news == .now ? .reachedToday : .reachedYesterday, ["target": words])
            }
        }
    }

    /// The same of a week's goals: those of weeks before the last one are kept without a notification.
    package func evaluate(
        _ goals: inout [WeekGoal: GoalDay], of week: CalendarWeek, today: CalendarDay, of user: ID, silently: Bool,
        now: Int64
    ) throws(VaultError) {
        guard week.monday <= today else { return }
        let news = GoalNews(age: week.monday.distance(to: today) / 7, isKnown: silently)
        for goal in WeekGoal.allCases {
            guard let target = Self.take(&goals[goal], now) else { continue }
            try tell(user, goal.field, news, of: week.monday, now: now) { language, _ in
                language(news == .now ? .reachedThisWeek : .reachedLastWeek, ["target": goal.amount(target, language)])
            }
        }
    }

    /// The target of a goal that is reached now; nil if it is not, or was before.
    private static func take(_ goal: inout GoalDay?, _ now: Int64) -> Double? {
        guard let state = goal, !state.isReached, state.isEnough, let target = state.target else { return nil }
        goal?.reached = GoalDay.Reached(target: target, time: now)
        return target
    }

    private func tell(
        _ user: ID, _ goal: String, _ news: GoalNews, of day: CalendarDay, now: Int64,
        _ text: (Language, Units) -> String
    ) throws(VaultError) {
        guard news != .silent else { return }
        let (language, units) = (try notifications.language(of: user), try notifications.units(of: user))
        try notifications.add(
            Notification(kind: .goalReached, time: now, day: day, goal: goal, text: text(language, units)), to: user)
    }
}
