package import Days
package import Features
package import Files
package import Fitness
package import Pictures
package import Telemetry

// What a person shows of a day: a sentence, and a small picture of a ring that closes as the goal comes near. Neither
// says whose it is.

/// A goal of a day, to be shown to others.
package struct SharedGoal {
    let goal: Goal
    package let day: CalendarDay
    let value: Double
    /// Nil if there is no such goal.
    let target: Double?
    let isReached: Bool
    /// Whether only what was done on foot counts.
    let isOnFoot: Bool
    let language: Language
    /// Those of the person who shares it.
    let units: Units

    /// A goal of a day of a person's; nil if nothing is known of it.
    /// - Parameter day: nil for today.
    package init?(
        _ goal: Goal, on day: CalendarDay?, of user: ID, _ days: Days, now: Int64, _ language: Language, _ units: Units
    ) throws(VaultError) {
        let today = try days.histories.history(of: user).localDays.day(of: now)
        let day = day ?? today
        let totals = try days.totalsWithoutHeartRate(of: user, on: day)
        let state = totals.goals[goal]
        let isOnFoot = state?.isOnFoot == true
        guard let value = isOnFoot ? state?.value : totals[goal] else { return nil }
        self.init(
            goal: goal, day: day, value: value, target: state?.reached?.target ?? state?.target,
            isReached: state?.isReached == true, isOnFoot: isOnFoot, language: language, units: units)
    }

    init(
        goal: Goal, day: CalendarDay, value: Double, target: Double?, isReached: Bool, isOnFoot: Bool = false,
        language: Language,
        units: Units
    ) {
        (self.goal, self.day, self.value, self.target) = (goal, day, value, target)
        (self.isReached, self.isOnFoot, self.language, self.units) = (isReached, isOnFoot, language, units)
    }

    private var percent: Double? { target.map { 100 * value / $0 } }

    /// Whole percents, rounded down: nobody who has not reached the goal is told 100.
    private var percentText: String { language.number((percent ?? 0).rounded(.down)) }

    private func amount(_ value: Double) -> String {
        goal.amount(value, isOnFoot: isOnFoot, language, units)
    }

    /// `12,345 steps on 21 November 2026: I have reached my goal of 10,000 steps!`
    package var text: String {
        let (value, day) = (amount(value), language.date(day))
        guard let target else { return language(.shareValue, ["value": value, "day": day]) }
        return language(
            isReached ? .shareReached : .shareGoal,
            ["value": value, "day": day, "percent": percentText, "target": amount(target)])
    }

}

// MARK: The picture

extension SharedGoal {
    /// A square picture; less than 8 KiB as SVG.
    package func picture() throws(PictureError) -> Picture {
        var (headline, lines) = (amount(value), [language.date(day)])
        if let target {
            let below = language(.ofGoal, ["number": amount(target)])
            (headline, lines) = ("\(percentText)\u{202F}%", [amount(value), below] + lines)
        }
        let dial = GoalDial(
            title: text, share: percent.map { $0 / 100 }, isReached: isReached, headline: headline, lines: lines)
        return try dial.picture(.dark)
    }
}
