package import Days
package import Desk
package import Features
package import Fitness
import Pictures
import Records
import Storage
package import Telemetry

// What a person wants to reach on a day: steps, distance, energy; and in a week: days that reach all these goals,
// minutes of activity. Targets apply from the day they are set; earlier days keep their own.

/// Answers `goals/…`. Belongs to the session's thread, and lives as long as the desk that has its verbs.
// Proof of @unchecked: as for `PeopleContext`.
package final class Goals: @unchecked Sendable {
    private let context: PeopleContext
    private let days: Days

    /// What a target may be; nobody walks farther on a day.
    static let limits: [Goal: ClosedRange<Double>] = [
        .steps: 1...200_000, .distance: 1...300_000, .energy: 1...20_000,
    ]

    package init(_ context: PeopleContext, _ days: Days) {
        self.context = context
        self.days = days
    }

    /// What people may ask.
    package var verbs: [Verb] {
        [
            Verb("goals/get", .goalsGet, .atOnce { [self] in try get($0.user) }),
            Verb("goals/set", .goalsSet, .atOnce { [self] in try set($0) }),
            Verb("goals/share", .goalsShare, .atOnce { [self] in try share($0) }),
        ]
    }

    private func today(of user: ID) throws(VaultError) -> CalendarDay {
        try days.histories.history(of: user).localDays.day(of: context.now())
    }

    private func get(_ user: ID) throws -> JSON {
        let today = try today(of: user)
        let (goals, ofWeek) = (
            try days.totalsWithoutHeartRate(of: user, on: today).goals, try days.goals(of: user, inWeekOf: today)
        )
        let week = today.week.days
        return [
            "goals": goals.json,
            "week": .object(
                [JSON.Member("from", .string("\(week.lowerBound)")), JSON.Member("to", .string("\(week.upperBound)"))]
                    + WeekGoal.allCases.map { JSON.Member($0.field, ofWeek[$0]?.json ?? [:]) }),
        ]
    }

    /// What a request changes: what it does not name stays.
    private struct Change {
        private var days: [Goal: Double?] = [:]
        private var weeks: [WeekGoal: Double?] = [:]
        private let isOnFoot: Bool

        init(_ request: PeopleRequest) throws(ReplyError) {
            for goal in Goal.allCases {
                guard let value = request.fields[goal.field] else { continue }
                let target = try Goals.target(value, goal.field, limits[goal] ?? 1...1)
                days[goal] = .some(goal == .steps ? target?.rounded() : target)
            }
            for goal in WeekGoal.allCases {
                guard let value = request.fields[goal.field] else { continue }
                weeks[goal] = .some(try Goals.target(value, goal.field, goal.targets)?.rounded())
            }
            isOnFoot = try request.optionalBool("distance_on_foot") ?? false
            guard !isOnFoot || days[.distance].flatMap({ $0 }) != nil else {
                throw ReplyError(
                    .invalid, "\"distance_on_foot\" needs a goal in \"distance_m\"", field: "distance_on_foot")
            }
        }

        func apply(to targets: inout GoalTargets) {
            for (goal, target) in days { targets[goal] = target }
            for (goal, target) in weeks { targets[goal] = target }
            if days[.distance] != nil { targets.isDistanceOnFoot = isOnFoot }
        }
    }

    private func set(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let (now, today, change) = (context.now(), try today(of: user), try Change(request))
        do throws(VaultError) {
            try context.store.change(user) { () throws(VaultError) in
                var targets = try days.histories.history(of: user).targets(on: today)
                change.apply(to: &targets)
                try days.histories.setTargets(targets, of: user, from: today, now: now)
                try days.reconsider(user, now: now)
            }
        } catch {
            days.rolledBack()
            throw error
        }
        days.committed()
        context.changes.changedAtOnce([user])
        return try get(user)
    }

    /// Nil for no goal.
    private static func target(_ value: JSON, _ field: String, _ range: ClosedRange<Double>) throws(ReplyError)
        -> Double?
    {
        guard value != .null else { return nil }
        guard let number = value.double, range.contains(number) else {
            let words = "\"\(field)\" is a number from 1 to \(Int(range.upperBound)), or null for no goal"
            throw ReplyError(.invalid, words, field: field)
        }
        return number
    }

    // MARK: Sharing

    private func share(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let (goal, day) = (try request.goal(), try request.optionalDay("day"))
        let card = try SharedGoal(
            goal, on: day, of: user, days, now: context.now(), context.notifications.language(of: user),
            context.notifications.units(of: user))
        guard let card else { throw SharedGoal.nothing }
        let link = context.settings[ShareSettings.self].link(day: card.day, subject: goal.rawValue)
        return .object(present: [
            "text": .string(card.text), "svg": .string(try card.picture().svg), "link": link.map(JSON.string),
        ])
    }
}

extension PeopleRequest {
    /// The goal that is meant; steps if none is named.
    package func goal() throws(ReplyError) -> Goal {
        guard let text = try optionalText("goal", atMost: 16) else { return .steps }
        guard let goal = Goal(rawValue: text) ?? Goal(field: text) else {
            throw ReplyError(.badRequest, "\"goal\" has to be steps, distance or energy", field: "goal")
        }
        return goal
    }
}

extension SharedGoal {
    package static let nothing = ReplyError(.notFound, "there is nothing to share of that day", field: "day")
}
