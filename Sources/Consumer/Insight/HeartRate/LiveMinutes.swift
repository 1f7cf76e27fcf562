import Daemon
import Days
package import Features
import Files
import Fitness
package import MQTT
import Reactor
package import Records
package import Telemetry

// The latest minute of people whose heart rate is not recorded: `continuous_heart_rate` of their profile is off, and no
// workout is under way. Of them, no reading comes here in blocks. But a gateway publishes each heart rate live, for whoever
// lives with it, and a minute is made of that. It is in memory until it is published, and nothing of it is stored: not here,
// and not at the broker, which does not retain it. Somebody who turned recording off has asked for that.
//
// A minute is of this machine's clock, and is published when it is over: when a reading of a later one comes, or soon after.

/// Publishes the minutes of people who are not recorded. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class LiveMinutes: FeatureService, PeopleObserver, @unchecked Sendable {
    private struct Person {
        var minute: Int64
        /// The first one that was heard first.
        var sensors: [SensorName] = []
        /// Of this minute alone.
        var cells = HeartRateCells(capacity: 1)

        /// Takes what a sensor measured, if it is not one of too many.
        mutating func add(_ measured: HeartRatePayload, of sensor: SensorName, millisecond: Int64) {
            let place = sensors.firstIndex(of: sensor) ?? sensors.count
            guard place < HeartRateCells.mostSources else { return }
            if place == sensors.count { sensors.append(sensor) }
            var minute = HeartRateMinute()
            minute.add(measured.bpm, millisecond: Int(millisecond))
            minute.hasIntervals = measured.rrMilliseconds != nil
            cells.merge(minute, place: 0, of: HeartRateSource(Int64(place) + 1))
        }
    }

    private let context: PeopleContext
    private var people: [ID: Person] = [:]
    /// Whose a sensor is; nil if their heart rate is recorded, or the sensor is nobody's.
    private(set) var owners: [SensorName: ID?] = [:]
    /// How many sensors are remembered: a gateway can make up names.
    private static let capacity = 4096
    /// How often it is looked up whose a gateway's sensors are.
    private var lookups = Allowance<ID>(perSecond: 10, burst: 200)
    /// How long after its end a minute is published if no reading of a later one comes, milliseconds.
    static let patience: Int64 = 2000
    private var isWaiting = false

    package init(_ context: PeopleContext) {
        self.context = context
        context.changes.add(self)
    }

    package var subscriptions: [Subscription] {
        [
            Subscription(
                context.topics.everySensor(.heartRate), qos: .atMostOnce, retainHandling: .doNotSend)
        ]
    }

    package func sensorsChanged(_ sensors: Set<SensorName>?) {
        guard let sensors else { return owners = [:] }
        for sensor in sensors { owners[sensor] = nil }
    }

    package func forgotten(_ user: ID) {
        people[user] = nil
        owners = [:]
    }

    package func heard(_ topic: Topic, _ message: Message) {
        guard case .gateway(let gateway, .sensor(let sensor, .heartRate)) = topic, !message.retain,
            let name = SensorName("\(gateway)/\(sensor)"), let user = owner(of: name),
            let measured = decoded({ () throws(MalformedValue) in try HeartRatePayload(payload: message.payload) }),
            measured.contact != false, HeartRateSamples.plausible.contains(measured.bpm)
        else { return }
        let now = context.now()
        let minute = now.floorDivided(by: 60_000)
        if let old = people[user], old.minute != minute { tell(user) }
        people[user, default: Person(minute: minute)].add(measured, of: name, millisecond: now - minute * 60_000)
        waitForEnd()
    }

    /// Whose heart rate a sensor measures, if it is not recorded.
    private func owner(of sensor: SensorName) -> ID? {
        if let known = owners[sensor] { return known }
        guard lookups.take(sensor.gateway, now: millisecondsSinceBoot()) == nil else { return nil }
        if owners.count >= Self.capacity { owners = [:] }
        do throws(VaultError) {
            let stream = try context.store.latestStreams(of: [sensor]).first { $0.until == nil }
            let owner = stream.flatMap { $0.kinds.contains(.heartRate) ? nil : $0.owner }
            owners[sensor] = .some(owner)
            return owner
        } catch {
            context.limitedLog.error("live minutes") { "whose \(sensor) is was not read\($0): \(error)" }
            return nil
        }
    }

    // MARK: The end of a minute

    private func waitForEnd() {
        guard !isWaiting else { return }
        isWaiting = true
        let left = 60_000 - context.now().floorRemainder(by: 60_000) + Self.patience
        context.session.loop.after(.milliseconds(left)) { [weak self] in
            guard let self else { return }
            self.isWaiting = false
            self.tellAll()
            if !self.people.isEmpty { self.waitForEnd() }
        }
    }

    /// Publishes the minutes that are over.
    func tellAll() {
        let minute = context.now().floorDivided(by: 60_000)
        for (user, person) in people where person.minute < minute { tell(user) }
    }

    private func tell(_ user: ID) {
        guard let person = people.removeValue(forKey: user), !context.doors.isBeingForgotten(user) else { return }
        let samples = person.cells.samples(at: 0)
        guard let mean = samples.mean else { return }
        context.session.publish(
            samples.json(ofMinute: person.minute, mean).bytes, to: context.topics[user: user, .heartRate])
    }
}
