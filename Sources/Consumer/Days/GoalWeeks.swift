package import Files
package import Fitness
import Records
package import Telemetry

// Goals of weeks, and how often goals were reached in a row.
//
// What a week comes to follows from the records of its days. Which of its goals were reached is kept in the document "week-goals", in the
// transaction that keeps the day: what was announced stays announced, even if a day changes later.

/// The goals of weeks that a person has reached.
package struct ReachedWeeks: Equatable {
    package static let document = "week-goals"
    /// How many weeks are kept, the latest ones: more than ten years.
    static let most = 600

    package private(set) var weeks: [CalendarWeek: [WeekGoal: GoalDay.Reached]] = [:]

    init() {}

    subscript(week: CalendarWeek) -> [WeekGoal: GoalDay.Reached] {
        get { weeks[week] ?? [:] }
        set {
            weeks[week] = newValue.isEmpty ? nil : newValue
            if weeks.count > Self.most, let first = weeks.keys.min() { weeks[first] = nil }
        }
    }

    /// In how many weeks in a row a goal was reached.
    func streak(_ goal: WeekGoal, today: CalendarDay) -> Int {
        var (streak, monday) = (Streak(), today.week.monday)
        while !streak.isOver {
            streak.goBack(self[monday.week][goal] != nil)
            monday = monday.advanced(by: -7)
        }
        return streak.length
    }

    // MARK: As it is kept

    init(kept json: JSON?) {
        guard case .array(let entries)? = json?["reached"] else { return }
        for entry in entries {
            guard case .integer(let monday)? = entry["from"], case .string(let name)? = entry["goal"],
                let goal = WeekGoal(rawValue: name),
                let target = entry["target"]?.double, case .integer(let time)? = entry["time"]
            else { continue }
            self[CalendarDay(daysSince1970: monday).week][goal] = GoalDay.Reached(target: target, time: time)
        }
    }

    var kept: JSON {
        let entries = weeks.sorted { $0.key < $1.key }.flatMap { week, goals in
            goals.sorted { $0.key.rawValue < $1.key.rawValue }.map { goal, reached -> JSON in
                [
                    "from": .integer(week.monday.daysSince1970), "goal": .string(goal.rawValue),
                    "target": .number(reached.target),
                    "time": .integer(reached.time),
                ]
            }
        }
        return ["reached": .array(entries)]
    }

    /// As it is exported: with days and moments in ISO 8601.
    package static func dated(_ document: JSON) -> JSON {
        guard case .array(let entries)? = document["reached"] else { return document }
        let dated = entries.map { entry in
            entry.dated("from") { "\(CalendarDay(daysSince1970: $0))" }.dated("time") { iso8601(unixMilliseconds: $0) }
        }
        return ["reached": .array(dated)]
    }
}

// MARK: - What is known

extension Days {
    private var documents: Documents { Documents(store: store, keys: keys) }

    /// How far the goals of a week are, up to a day of it.
    package func goals(of user: ID, inWeekOf today: CalendarDay) throws(VaultError) -> [WeekGoal: GoalDay] {
        let (week, history) = (today.week, try histories.history(of: user))
        var records: [CalendarDay: DayRecord] = [:]
        for (day, record) in try rows.records(of: user, in: Self.needed(week)) { records[day] = record }
        let reached = try ReachedWeeks(kept: documents.read(ReachedWeeks.document, of: user))[week]
        return Self.goals(week, records, upTo: today, history, reached)
    }

    /// How often each goal was reached in a row: those of days on how many days, those of weeks in how many weeks.
    package func streaks(
        of user: ID, today: CalendarDay
    ) throws(VaultError) -> (days: [Goal: Int], weeks: [WeekGoal: Int]) {
        var streaks: [Goal: Streak] = [:]
        for goal in Goal.allCases { streaks[goal] = Streak() }
        var (last, left) = (today, Self.longestStreak)
        while left > 0, streaks.values.contains(where: { !$0.isOver }) {
            let days = last.advanced(by: 1 - Self.daysAtOnce)...last
            let reached = try goalsReached(of: user, in: days)
            for day in days.reversed() {
                for goal in Goal.allCases { streaks[goal]?.goBack(reached[day]?.contains(goal) == true) }
            }
            (last, left) = (days.lowerBound.advanced(by: -1), left - Self.daysAtOnce)
        }
        let weeks = try ReachedWeeks(kept: documents.read(ReachedWeeks.document, of: user))
        let inWeeks = WeekGoal.allCases.map { ($0, weeks.streak($0, today: today)) }
        return (streaks.mapValues(\.length), Dictionary(inWeeks) { $1 })
    }

    /// No streak is looked for beyond that, in days: ten years.
    private static let longestStreak = 3700
    private static let daysAtOnce = 100

    /// The days of a week, and those before it whose workouts may have gone on into it.
    private static func needed(_ week: CalendarWeek) -> ClosedRange<CalendarDay> {
        week.monday.advanced(by: -2)...week.days.upperBound
    }

    private static func goals(
        _ week: CalendarWeek, _ records: [CalendarDay: DayRecord], upTo today: CalendarDay, _ history: History,
        _ reached: [WeekGoal: GoalDay.Reached]
    ) -> [WeekGoal: GoalDay] {
        let days = week.days.filter { $0 <= today }.compactMap { day -> GoalWeek.Day? in
            guard let record = records[day] else { return nil }
            let before = (1...2).flatMap { back in records[day.advanced(by: -back)]?.workouts.values.map { $0 } ?? [] }
            let minutes = DayWorkout.activityMinutes(
                record.workouts.values.map { $0 }, others: before, of: history.person(on: day))
            return GoalWeek.Day(
                wanted: Set(history.targets(on: day).targets.keys), reached: Set(record.reached.keys), minutes: minutes)
        }
        let (known, targets) = (GoalWeek(days), history.targets(on: min(week.days.upperBound, today)))
        var goals: [WeekGoal: GoalDay] = [:]
        for goal in WeekGoal.allCases {
            goals[goal] = GoalDay(target: targets[goal], value: known[goal], reached: reached[goal])
        }
        return goals
    }
}

// MARK: - Reaching them

extension Days {
    /// Evaluates the goals of the weeks of some days that have changed, within a transaction, after those of the days.
    func evaluate(
        weeksOf days: [CalendarDay], _ book: inout DayBook, _ history: History, silently: Bool = false, now: Int64
    ) throws(VaultError) {
        guard let evaluation = goals, history.hasWeekGoals else { return }
        let today = history.localDays.day(of: now)
        let weeks = Set(days.filter { $0 <= today }.map(\.week))
        guard !weeks.isEmpty else { return }
        let before = try ReachedWeeks(kept: documents.read(ReachedWeeks.document, of: book.user))
        var kept = before
        for week in weeks.sorted() {
            let targets = history.targets(on: min(week.days.upperBound, today)).weeks.keys
            guard targets.contains(where: { before[week][$0] == nil }) else { continue }
            var records: [CalendarDay: DayRecord] = [:]
            for day in Self.needed(week) where day <= today { records[day] = try book.record(of: day) }
            var goals = Self.goals(week, records, upTo: today, history, before[week])
            try evaluation.evaluate(&goals, of: week, today: today, of: book.user, silently: silently, now: now)
            kept[week] = goals.compactMapValues(\.reached)
        }
        if kept != before { try documents.write(kept.kept, ReachedWeeks.document, of: book.user) }
    }
}
