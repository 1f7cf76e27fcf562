import Accounts
import Contract
import Days
import Features
import Files
import Fitness
import Readings
import Records
import Storage
import Telemetry

/// What people who agree to it show of their day in Home Assistant, as the databases have it. Belongs to the thread of its store
/// and keys.
struct HomeAssistantDays {
    /// What is shown of one person.
    struct Shown {
        let name: String?
        /// Without the time of the message.
        let day: [JSON.Member]
        let goals: Set<DiscoveredFigure>
        /// When the day is over, Unix milliseconds.
        let end: Int64?
    }

    private let context: PeopleContext
    private let days: Days
    private let settings: HomeAssistantSettings

    init(_ context: PeopleContext, _ days: Days) {
        (self.context, self.days) = (context, days)
        settings = context.settings[HomeAssistantSettings.self]
    }

    /// Where people are described; nil if nobody is.
    var discovery: HomeAssistantTopics? { settings.topics }

    /// Everybody who may have agreed.
    func candidates() throws(VaultError) -> Set<ID> {
        let users = try context.store.database.query(
            "SELECT person FROM documents WHERE name = ?", [.text(Consents.document)], row: Row.text)
        return Set(users.compactMap { text in decoded { () throws(MalformedValue) in try ID(text) } })
            .union(settings.people)
    }

    /// Whether anything of a person may be shown.
    func isShown(_ user: ID) throws(VaultError) -> Bool {
        guard discovery != nil, !context.doors.isBeingForgotten(user), try isThere(user),
            try context.keys.version(of: user) != nil
        else { return false }
        return try Consents(context.documents).showsInHomeAssistant(user, settings)
    }

    /// What is shown of a person who agrees.
    func shown(of user: ID) throws(VaultError) -> Shown {
        let localDays = try days.histories.history(of: user).localDays
        let day = localDays.day(of: context.now())
        let totals = try days.totals(of: user, on: day)
        // A goal that was reached, and then removed, is none.
        let goals = totals.goals.filter { $0.value.target != nil }
        return Shown(
            name: try context.notifications.name(of: user), day: Self.members(totals, goals),
            goals: Set(goals.keys.map(\.figure)), end: localDays.end(of: day))
    }

    /// Whether somebody has an account, or is in the settings.
    private func isThere(_ user: ID) throws(VaultError) -> Bool {
        if context.settings.people.contains(where: { $0.user == user }) { return true }
        return try context.store.database.first(
            "SELECT 1 FROM accounts WHERE person = ?", [.text(user.text)], row: Row.int) != nil
    }

    // MARK: The payload

    /// What the topic `home-assistant/{user}/today` has.
    static var schema: PayloadSchema {
        let goal = PayloadSchema.object(
            "HomeAssistantGoal", "How far a goal of the day is.",
            [
                .known("target", .number), .known("value", .number), .known("percent", .number),
                .always("reached", .bool),
            ])
        let heartRate = PayloadSchema.object(
            "HomeAssistantHeartRate", "Beats per minute.",
            [.always("mean", .number), .always("min", .count), .always("max", .count), .known("resting", .number)])
        return .object(
            "HomeAssistantToday", "What a person shows in Home Assistant of their day.",
            [
                .always("time", .time), .always("day", .day), .known("steps", .count), .known("distance_m", .number),
                .known("energy_kcal", .number), .known("heart_rate", heartRate),
                .known(
                    "goals",
                    .object(
                        "HomeAssistantGoals", "By the name of the goal.", Goal.allCases.map { .known($0.field, goal) })),
            ])
    }

    /// Less than a person sees themselves: what has an entity, and nothing else.
    private static func members(_ totals: DayTotals, _ goals: [Goal: GoalDay]) -> [JSON.Member] {
        let members: [(String, JSON?)] = [
            ("day", .string("\(totals.day)")), ("steps", totals.steps.map { .integer(Int64($0.total)) }),
            ("distance_m", totals.metres.map { .number($0, decimals: 0) }),
            ("energy_kcal", totals.kilocalories.map { .number($0, decimals: 0) }),
            (
                "heart_rate",
                totals.heartRate.map { heart in
                    .object(present: [
                        "mean": .number(heart.mean, decimals: 1), "min": .integer(Int64(heart.minimum)),
                        "max": .integer(Int64(heart.maximum)),
                        "resting": heart.resting.map { .number($0, decimals: 1) },
                    ])
                }
            ),
            ("goals", goals.isEmpty ? nil : goals.json),
        ]
        return members.compactMap { name, value in value.map { JSON.Member(name, $0) } }
    }
}

extension Goal {
    fileprivate var figure: DiscoveredFigure {
        switch self {
        case .steps: .stepsGoal
        case .distance: .distanceGoal
        case .energy: .energyGoal
        }
    }
}
