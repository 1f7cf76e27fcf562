import Accounts
package import Days
package import Features
import Fitness
import Records
package import Storage
package import Telemetry

/// What people and their friends should see of people's days, as the databases have it. Belongs to the thread of its
/// store and keys.
package struct TodayTopics {
    /// The topics of one person.
    package struct Topics {
        /// Under their own `users/{user}/`; nothing if nothing is known of them, or all of it is being deleted.
        package var own: [UserTopic: JSON] = [:]
        /// Those who see this person's steps, and what they see.
        package var friends: Set<ID> = []
        var toFriends: JSON = [:]
        /// When the day is over, Unix milliseconds.
        package var end: Int64?

        package var isNothing: Bool { own.isEmpty }
    }

    private let context: PeopleContext
    private let days: Days
    private let people: KnownPeople

    package init(_ context: PeopleContext, _ days: Days) {
        (self.context, self.days, people) = (context, days, KnownPeople(context))
    }

    /// Everybody who has an account, or is in the settings.
    func everybody() throws(VaultError) -> Set<ID> { try people.everybody() }

    package func topics(of user: ID) throws(VaultError) -> Topics {
        var topics = Topics()
        guard try people.hasDay(user) else { return topics }
        let localDays = try days.histories.history(of: user).localDays
        let day = localDays.day(of: context.now())
        let totals = try days.totals(of: user, on: day)
        topics.end = localDays.end(of: day)
        topics.own[.today] = totals.json
        for (goal, state) in totals.goals {
            guard let topic = decoded({ () throws(MalformedValue) in try ID(goal.rawValue) }),
                let json = Self.json(state, day)
            else { continue }
            topics.own[.goal(topic)] = json
        }
        guard try Consents(context.documents).showsSteps(user) else { return topics }
        for friend in try FriendLists(context.documents).friends(of: user) where try people.isThere(friend) {
            topics.friends.insert(friend)
        }
        topics.toFriends = .object(present: [
            "day": .string("\(day)"), "name": try context.notifications.name(of: user).map(JSON.string),
            "steps": totals.steps.map { .integer(Int64($0.total)) },
        ])
        return topics
    }

    /// A goal that was reached, and then removed, has no topic.
    private static func json(_ goal: GoalDay, _ day: CalendarDay) -> JSON? {
        guard let target = goal.target else { return nil }
        func rounded(_ value: Double) -> JSON {
            let rounded = (value * 10).rounded() / 10
            return Int64(exactly: rounded).map(JSON.integer) ?? .number(rounded)
        }
        return .object(present: [
            "day": .string("\(day)"), "target": rounded(target), "value": goal.value.map(rounded),
            "percent": goal.percent.map(\.percentDown).map(rounded), "state": goal.isReached ? "reached" : "open",
            "on_foot": goal.isOnFoot.map(JSON.bool),
        ])
    }
}
