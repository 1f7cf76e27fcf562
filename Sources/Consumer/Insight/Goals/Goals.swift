package import Days
package import Desk
package import Features
package import Fitness
import Pictures
import Records
import Storage
package import Telemetry

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
