import Daemon
import Days
package import Features
import Files
import Fitness
package import MQTT
import Reactor
import Records
package import Telemetry

// What a person's programs see without asking, as retained messages:
//
//     users/{user}/today                      the day so far
//     users/{user}/goals/{goal}               each of the day's goals
//     users/{user}/friends/{friend}/today     each friend's steps of the day
//
// What other features publish retained, on topics without a `+`, is theirs until everything of the person is forgotten:
// then it is taken back here.
//
// The databases alone determine what should be there (`TodayTopics`). It is worked out again when something may have
// changed, at the person's midnight, and at each connection; topics that differ from the broker's are published, and
// topics that should not be there are taken back. A day is published at most every five seconds, and to friends every
// ten; but what must no longer be seen goes at once.
//
// What the broker has is remembered from what was published to it. At each connection the broker tells what it has
// kept, because a consumer that was killed has not taken back what it should have: so the topics of people who were
// forgotten in the meantime are removed, too.

/// Keeps people's retained topics as they should be. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Today: FeatureService, PeopleObserver, @unchecked Sendable {
    /// How often a day is published, and how often to friends, milliseconds.
    private static let (ownInterval, friendsInterval): (UInt64, UInt64) = (5000, 10_000)

    private struct Known {
        /// What the broker has: a hash of each topic, or 0 if we only know that it has something.
        var topics: [UserTopic: Int] = [:]
        /// The same, of this person's steps, for each friend who sees them.
        var shownTo: [ID: Int] = [:]
        /// When they were published, milliseconds since boot.
        var ownTime: UInt64?
        var friendsTime: UInt64?
    }

    private let context: PeopleContext
    private let source: TodayTopics
    /// Those on which this publishes.
    private static let own = Feature.today.topics
    /// All topics on which the broker keeps anything for people, of all features.
    private let retained: [FeatureTopic]
    private var known: [ID: Known] = [:]
    private lazy var turns = PeopleInTurn(context, "and friends see of the day") {
        [unowned self] (user, isUrgent) throws(VaultError) in try publish(user, isUrgent: isUrgent)
    }
    private var isConnected = false

    package init(_ context: PeopleContext, _ source: TodayTopics) {
        self.context = context
        self.source = source
        retained = context.features.topics.filter(\.isRetained)
        context.changes.add(self)
    }

    /// With these the broker sends what it has kept.
    package var subscriptions: [Subscription] {
        let users = "\(context.topics.root)/users/+"
        return retained.map { Subscription("\(users)/\($0.filter)", qos: .atLeastOnce, noLocal: true) }
    }

    package func connected() {
        isConnected = true
        known = [:]
        turns.connected()
        do throws(VaultError) { changed(try source.everybody()) } catch {
            if turns.isDue(error) { log.error("the list of people was not read: \(error)") }
        }
    }

    /// The people in the settings have changed: those who were removed show nothing, and are shown nothing, at once.
    package func settingsChanged() {
        do throws(VaultError) {
            let there = try source.everybody()
            changedAtOnce(
                Set(known.filter { !there.contains($0.key) || !there.isSuperset(of: $0.value.shownTo.keys) }.keys))
            changed(there)
        } catch {
            if turns.isDue(error) { log.error("the list of people was not read: \(error)") }
        }
    }

    package func disconnected() {
        isConnected = false
        known = [:]
        turns.disconnected()
    }

    /// The broker had kept this.
    package func heard(_ topic: Topic, _ message: Message) {
        guard message.retain, case .user(let user, let topic) = topic, retained.contains(where: { $0.covers(topic) })
        else { return }
        if let friend = topic.friend {
            if known[friend]?.shownTo[user] == nil { known[friend, default: Known()].shownTo[user] = 0 }
            changed([friend])
        } else {
            if known[user]?.topics[topic] == nil { known[user, default: Known()].topics[topic] = 0 }
            changed([user])
        }
    }

    /// Something about these people may look different: publishes it soon.
    package func changed(_ users: Set<ID>) { turns.add(users) }

    /// What may be seen of these people is different: publishes it before anything else is done, where possible.
    package func changedAtOnce(_ users: Set<ID>) { turns.addAtOnce(users) }

    /// Everything of a person was deleted: takes back what they showed, and what they were shown.
    package func forgotten(_ user: ID) {
        var users: Set<ID> = [user]
        for (other, known) in known where known.shownTo[user] != nil { users.insert(other) }
        if isConnected {
            for topic in retained.compactMap(\.only) { known[user, default: Known()].topics[topic] = 0 }
        }
        changedAtOnce(users)
    }
}

// MARK: Publishing

extension Today {
    private func publish(_ user: ID, isUrgent: Bool) throws(VaultError) {
        let clock = millisecondsSinceBoot()
        var known = self.known[user] ?? Known()
        defer { self.known[user] = known.topics.isEmpty && known.shownTo.isEmpty ? nil : known }
        func wait(since last: UInt64?, _ interval: UInt64) -> UInt64? {
            guard !isUrgent, let last, clock < last + interval else { return nil }
            return last + interval
        }
        let (own, friends) = (
            wait(since: known.ownTime, Self.ownInterval), wait(since: known.friendsTime, Self.friendsInterval)
        )
        if let due = [own, friends].compactMap({ $0 }).min() { turns.wait(user, until: due) }
        guard own == nil || friends == nil else { return }
        let topics = try source.topics(of: user)
        turns.dayEnds(user, at: topics.end)
        if own == nil {
            var changed = false
            for topic in Set(known.topics.keys).union(topics.own.keys)
            where topics.isNothing || Self.own.contains(where: { $0.covers(topic) }) {
                if update(&known.topics[topic], topics.own[topic], user, topic) { changed = true }
            }
            if changed { known.ownTime = clock }
        }
        if friends == nil {
            var changed = false
            for friend in Set(known.shownTo.keys).union(topics.friends) {
                let payload = topics.friends.contains(friend) ? topics.toFriends : nil
                if update(&known.shownTo[friend], payload, friend, .friendToday(user)) { changed = true }
            }
            if changed { known.friendsTime = clock }
        }
    }

    /// Publishes a topic if the broker has something different.
    private func update(_ hash: inout Int?, _ payload: JSON?, _ user: ID, _ topic: UserTopic) -> Bool {
        let text = context.topics[user: user, topic]
        guard let payload else {
            guard hash != nil else { return false }
            if context.session.publish([], to: text, qos: .atLeastOnce, retain: true) { hash = nil }
            return true
        }
        let bytes = payload.bytes
        let new = bytes.hashValue
        guard hash != new else { return false }
        guard case .object(let members) = payload else { return false }
        let timed = JSON.object([JSON.Member("time", .integer(context.now()))] + members)
        let isTaken = context.session.publish(timed.bytes, to: text, qos: .atLeastOnce, retain: true)
        // A message that the session did not take is tried again with the next change, and at the next connection.
        hash = isTaken ? new : 0
        return true
    }
}

// MARK: The topics

extension Feature {
    /// What people and their friends see of the day.
    package static let today = Feature(
        name: "today",
        service: { parts in
            let (context, days) = (parts.context, parts.days)
            return Today(context, TodayTopics(context, days))
        },
        topics: [
            FeatureTopic(.today, isRetained: true, DayTotals.schema),
            FeatureTopic(
                "goals/+", isRetained: true,
                .object(
                    "GoalToday", "How far a goal of the day is.",
                    [
                        .always("time", .time), .always("day", .day), .always("target", .number),
                        .known("value", .number), .known("percent", .number),
                        .always("state", .word(["open", "reached"])),
                        .known("on_foot", .bool.about("true for a distance that counts only what is done on foot")),
                    ])),
            FeatureTopic(
                "friends/+/today", isRetained: true,
                .object(
                    "FriendToday", "A friend's steps of their day.",
                    [.always("time", .time), .always("day", .day), .known("name", .text), .known("steps", .count)])),
        ])
}

extension UserTopic {
    /// The day so far.
    package static let today = UserTopic.published("today")

    /// A goal of the day.
    package static func goal(_ goal: ID) -> UserTopic { .published("goals/\(goal)") }

    /// A friend's day so far.
    package static func friendToday(_ friend: ID) -> UserTopic { .published("friends/\(friend)/today") }

    /// The friend whose day it is; nil if it is not a friend's.
    fileprivate var friend: ID? {
        guard case .published(let name) = self else { return nil }
        let levels = name.split(separator: "/")
        guard levels.count == 3, levels[0] == "friends", levels[2] == "today" else { return nil }
        return decoded { () throws(MalformedValue) in try ID(String(levels[1])) }
    }
}
