import Daemon
package import Days
import Fitness
package import MQTT
import Records
package import Telemetry

// A person's latest minute of heart rate, for anybody who may see it: retained at `users/{user}/heart-rate`,
// `{"time":…,"bpm":72,"min":65,"max":81}`, its time the beginning of the minute.
//
// A minute is published when it is over and its readings have come. A reading of a later minute shows that they have
// come; if none comes, because the strap was taken off, we wait for the time that a gateway takes for a block, and a
// little more. If readings come even later, the minute is published again, unless a later minute was published. A
// minute that is long past is not published: the broker drops it by itself (MQTT 5, 3.3.2.3.3), even while this service
// is not running.

/// Publishes people's latest minute. Belongs to the session's thread.
package final class LatestMinutes: MinutesObserver, PeopleObserver {
    /// Publishes for a person, at QoS 0 and retained, to expire after some seconds; an empty payload takes back what is
    /// there.
    private let publish: (_ payload: [UInt8], _ user: ID, _ expiresAfterSeconds: UInt32) -> Void
    /// Has `wake` called after some milliseconds.
    private let callLater: (_ milliseconds: Int64) -> Void
    /// Unix milliseconds.
    private let now: () -> Int64

    /// Hears when a person's latest minute has changed.
    private let changes: PeopleChanges
    /// People whose day has changed by samples that are too old for a latest minute.
    private var late: Set<ID> = []
    /// In hours: older samples belong to a day that is over.
    private static let longestDay: Int64 = 26

    private struct Person {
        /// Minutes that are not published yet, and the one that was published last.
        var minutes: [Int64: HeartRateSamples] = [:]
        var told: Int64?
        /// The latest minute that had a reading.
        var latest = Int64.min
        /// When to look again, Unix milliseconds.
        var due: Int64?
    }

    private var people: [ID: Person] = [:]
    /// Samples that are not committed yet.
    private var pending: [(user: ID, minute: Int64, samples: HeartRateSamples)] = []
    /// When `wake` is called next.
    private var alarm: Int64?

    /// How long after its end a minute is still published.
    package static let memory: Int64 = 5 * 60_000
    /// Gateways make a block every ten seconds.
    package static let patience: Int64 = 15_000

    package init(
        _ changes: PeopleChanges, now: @escaping () -> Int64,
        publish: @escaping (_ payload: [UInt8], _ user: ID, _ expiresAfterSeconds: UInt32) -> Void,
        callLater: @escaping (_ milliseconds: Int64) -> Void
    ) {
        (self.changes, self.now, self.publish, self.callLater) = (changes, now, publish, callLater)
        changes.add(self)
    }

    /// Takes new samples for minutes of an hour, in a transaction.
    /// - Parameters:
    ///   - all: what is kept of the hour now.
    ///   - new: what came now.
    package func took(_ all: HeartRateCells, _ new: HeartRateCells, hour: Int64, of user: ID, now: Int64) {
        let places = new.occupied
        let isLate = places.contains { Self.end(hour * 60 + Int64($0)) + Self.memory <= now }
        if isLate, hour > HourSpan.hour(now) - Self.longestDay { late.insert(user) }
        guard (HourSpan.hour(now - Self.memory - 60_000)...HourSpan.hour(now + 60_000)).contains(hour) else { return }
        for place in places {
            let minute = hour * 60 + Int64(place)
            guard Self.end(minute) + Self.memory > now, minute * 60_000 <= now + 60_000 else { continue }
            pending.append((user, minute, all.samples(at: place)))
        }
    }

    /// Takes an hour that was counted again, in a transaction.
    package func replaced(_ cells: HeartRateCells, hour: Int64, of user: ID) {
        late.insert(user)
        for minute in people[user]?.minutes.keys.sorted() ?? [] where minute.floorDivided(by: 60) == hour {
            pending.append((user, minute, cells.samples(at: Int(minute - hour * 60))))
        }
    }

    package func committed() {
        if !late.isEmpty { changes.changed(late) }
        late = []
        guard !pending.isEmpty else { return }
        var changed: Set<ID> = []
        for (user, minute, samples) in pending {
            changed.insert(user)
            var person = people[user] ?? Person()
            let isToldAgain = person.told == minute && person.minutes[minute] != samples
            person.minutes[minute] = samples.isEmpty ? nil : samples
            if !samples.isEmpty { person.latest = max(person.latest, minute) }
            people[user] = person
            if isToldAgain { tell(user, minute) }
        }
        pending = []
        for user in changed { look(user) }
        setAlarm(changed.lazy.compactMap { self.people[$0]?.due }.min())
    }

    package func rolledBack() { (pending, late) = ([], []) }

    /// Called back after the time that was asked for.
    func wake() {
        alarm = nil
        let now = now()
        for (user, person) in people where person.due.map({ $0 <= now }) ?? false { look(user) }
        setAlarm(people.values.lazy.compactMap(\.due).min())
    }

    /// Publishes the latest minutes again: a broker that was restarted may have forgotten them.
    package func tellAgain() {
        for (user, person) in people { if let minute = person.told { tell(user, minute) } }
    }

    /// Removes everything of a person, and takes back what was published.
    package func forgotten(_ user: ID) {
        people[user] = nil
        pending.removeAll { $0.user == user }
        publish([], user, 0)
    }

    // MARK: One person

    private static func end(_ minute: Int64) -> Int64 { (minute + 1) * 60_000 }

    /// Publishes the minutes that are due, in their order.
    private func look(_ user: ID) {
        guard var person = people[user] else { return }
        let now = now()
        person.due = nil
        // The clock was set back.
        if let told = person.told, Self.end(told) > now + 60_000 { person.told = nil }
        for minute in person.minutes.keys.sorted() where minute > person.told ?? .min {
            let due = Self.end(minute) + (person.latest > minute ? 0 : Self.patience)
            guard due <= now else {
                person.due = due
                break
            }
            person.told = minute
            people[user] = person
            tell(user, minute)
        }
        let oldest = person.told ?? .min
        person.minutes = person.minutes.filter { $0.key >= oldest && Self.end($0.key) + Self.memory > now }
        if let first = person.minutes.keys.min(), person.due == nil { person.due = Self.end(first) + Self.memory }
        people[user] = person.minutes.isEmpty ? nil : person
    }

    private func tell(_ user: ID, _ minute: Int64) {
        guard let samples = people[user]?.minutes[minute], let mean = samples.mean else { return publish([], user, 0) }
        let left = Self.end(minute) + Self.memory - now()
        guard left >= 1000 else { return }
        publish(samples.json(ofMinute: minute, mean).bytes, user, UInt32(left / 1000))
        changes.changed([user])
    }

    private func setAlarm(_ next: Int64?) {
        guard let next else { return }
        if let alarm, alarm <= next { return }
        alarm = next
        callLater(max(0, next - now()) + 1)
    }
}

extension LatestMinutes {
    /// Publishes them on a session.
    /// - Parameter isRetained: whether the broker keeps them: without accounts, it keeps nothing about people.
    package convenience init(_ changes: PeopleChanges, _ session: Session, _ topics: Topics, isRetained: Bool) {
        weak var made: LatestMinutes?
        self.init(
            changes, now: unixMilliseconds,
            publish: { payload, user, seconds in
                let properties = payload.isEmpty ? nil : Message.Properties(messageExpirySeconds: seconds)
                // A minute that is not sent because there is no connection is published when there is one again.
                if payload.isEmpty, !isRetained { return }
                session.publish(payload, to: topics[user: user, .heartRate], retain: isRetained, properties: properties)
            },
            callLater: { milliseconds in session.loop.after(.milliseconds(milliseconds)) { made?.wake() } })
        made = self
    }
}

extension HeartRateSamples {
    /// What is published of a minute.
    /// - Parameters:
    ///   - minute: how many minutes after 1970 it begins.
    ///   - mean: of the samples.
    func json(ofMinute minute: Int64, _ mean: Double) -> JSON {
        [
            "time": .integer(minute * 60_000), "bpm": .integer(Int64(mean.rounded())),
            "min": .integer(Int64(minimum)), "max": .integer(Int64(maximum)),
        ]
    }
}

extension UserTopic {
    /// The last minute of heart rate.
    static let heartRate = UserTopic.published("heart-rate")
}
