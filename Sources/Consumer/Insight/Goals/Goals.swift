package import Days
package import Desk
package import Features
import Fitness
import Records
import Storage
import Telemetry

// What a person wants to reach on a day: steps, distance, energy. Targets apply from the day on which they are set;
// earlier days keep their own.

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
        let totals = try days.totalsWithoutHeartRate(of: user, on: today(of: user))
        return ["goals": totals.json["goals"] ?? [:]]
    }

    private func set(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let (now, today) = (context.now(), try today(of: user))
        var given: [Goal: Double?] = [:]
        for goal in Goal.allCases {
            switch request.fields[goal.field] {
            case nil: continue
            case .null?: given[goal] = .some(nil)
            case let value?: given[goal] = .some(try Self.target(value, goal))
            }
        }
        do throws(VaultError) {
            try context.store.change(user) { () throws(VaultError) in
                var targets = try days.histories.history(of: user).targets(on: today)
                for (goal, target) in given { targets[goal] = target }
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

    private static func target(_ value: JSON, _ goal: Goal) throws(ReplyError) -> Double {
        let range = limits[goal] ?? 1...1
        let number: Double? =
            switch value {
            case .integer(let whole): Double(whole)
            case .number(let number): number
            default: nil
            }
        guard let number, range.contains(number) else {
            let words = "\"\(goal.field)\" is a number from 1 to \(Int(range.upperBound)), or null for no goal"
            throw ReplyError(.invalid, words, field: goal.field)
        }
        return goal == .steps ? number.rounded() : number
    }

    // MARK: Sharing

    private func share(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        var day = try today(of: user)
        if let text = try request.optionalText("day", atMost: 10) {
            guard let given = CalendarDay(text) else {
                throw ReplyError(.badRequest, "\"day\" has to look like 2026-11-21", field: "day")
            }
            day = given
        }
        var goal = Goal.steps
        if let text = try request.optionalText("goal", atMost: 16) {
            guard let given = Goal(rawValue: text) ?? Goal(field: text) else {
                throw ReplyError(.badRequest, "\"goal\" has to be steps, distance or energy", field: "goal")
            }
            goal = given
        }
        let totals = try days.totalsWithoutHeartRate(of: user, on: day)
        guard let value = totals[goal] else {
            throw ReplyError(.notFound, "there is nothing to share of that day", field: "day")
        }
        let state = totals.goals[goal]
        let card = SharedGoal(
            goal: goal, day: day, value: value, target: state?.reached?.target ?? state?.target,
            isReached: state?.isReached == true, language: try context.notifications.language(of: user),
            units: try context.notifications.units(of: user))
        let link = context.settings[ShareSettings.self].link.map { SharedGoal.link($0, day: day, goal: goal) }
        return .object(present: [
            "text": .string(card.text), "svg": .string(card.svg), "link": link.map(JSON.string),
        ])
    }
}
