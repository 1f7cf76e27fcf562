import Daemon
package import Days
import Files
package import Reactor
import Readings
package import Records
import Storage
package import Telemetry

/// Reads the steps of all sensors that record them, on schedule. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class ScheduledReads: PeopleObserver, @unchecked Sendable {
    /// Reads a sensor's steps, and gives the reason if it could not.
    package typealias Read = (_ sensor: SensorName, _ done: @escaping @Sendable (ReplyError?) -> Void) -> Void

    private let store: Store
    private let histories: Histories
    private let isUnderWay: (SensorName) -> Bool
    private let read: Read
    private var schedule: ReadSchedule
    /// The wall clock, Unix milliseconds.
    package var now: () -> Int64 = unixMilliseconds
    /// When the sensors are looked up again, in milliseconds since boot.
    private var refreshed: Int64?
    private var waiting: [SensorName] = []
    /// People who have a workout under way.
    private var inWorkouts: Set<ID> = []
    private var underWay = 0
    private var reported = OncePerMinute<String>(capacity: 4)

    /// How long a gateway may take.
    package static let limit: Duration = .seconds(30)
    /// How many are read at a time; others wait until one of them is done.
    static let mostUnderWay = 256
    /// How often the sensors and their people are looked up, in milliseconds.
    private static let period: Int64 = 60_000
    /// For how many people histories are opened in one tick.
    private static let portion = 50

    /// - Parameter isUnderWay: whether a sensor is being read, no matter who asked.
    package init(
        _ store: Store, _ histories: Histories, _ settings: ReadSettings, isUnderWay: @escaping (SensorName) -> Bool,
        read: @escaping Read
    ) {
        self.store = store
        self.histories = histories
        self.isUnderWay = isUnderWay
        self.read = read
        schedule = ReadSchedule(settings)
    }

    /// Reads by asking gateways.
    package convenience init(
        _ store: Store, _ histories: Histories, _ settings: ReadSettings, _ questions: SensorQuestions
    ) {
        self.init(
            store, histories, settings, isUnderWay: { questions.isUnderWay($0) },
            read: { sensor, done in
                questions.ask(.steps, of: sensor, within: Self.limit) { answer in
                    if case .failure(let error) = answer { done(error) } else { done(nil) }
                }
            })
    }

    /// Begins reading, with timers on this loop.
    package func start(_ loop: EventLoop) {
        tick()
        loop.after(.seconds(1)) { [weak self] in self?.start(loop) }
    }

    /// Settings were read again.
    package func apply(_ settings: ReadSettings) {
        if settings != schedule.settings { schedule.apply(settings, now: now()) }
    }

    /// The sensors may have changed.
    package func sensorsChanged(_ sensors: Set<SensorName>?) { refreshed = nil }

    /// A person has moved.
    package func moved(_ user: ID) { schedule.forgetMidnight(of: user) }

    /// A gateway tells about itself, or about a sensor.
    package func saw(_ about: [UInt8], of gateway: ID, _ sensor: ID?) { schedule.saw(about, of: gateway, sensor) }

    /// Reads the sensors whose turn it is.
    package func tick() {
        let now = now()
        do throws(VaultError) {
            if refreshed.map({ now < $0 || now >= $0 + Self.period }) ?? true {
                let sensors = try store.openSensors(recording: .steps)
                schedule.set(sensors, now: now)
                refreshed = now
                // At the beginning of a workout, each minute while it lasts, and at its end.
                let people = schedule.settings == ReadSettings() ? [] : try store.peopleInWorkouts()
                let counted = people.union(inWorkouts)
                inWorkouts = people
                for (sensor, user) in sensors where counted.contains(user) && !schedule.isAlone(sensor, now: now) {
                    if !waiting.contains(sensor) { waiting.append(sensor) }
                }
            }
            for user in schedule.withoutMidnight(atMost: Self.portion) {
                schedule.set(try histories.history(of: user).localDays, of: user, now: now)
            }
        } catch {
            if reported.allows("reads", now: millisecondsSinceBoot()) {
                log.error("could not look up which sensors to read: \(error)")
            }
        }
        for sensor in schedule.due(now: now) where !waiting.contains(sensor) { waiting.append(sensor) }
        readWaiting()
    }

    private func readWaiting() {
        while !waiting.isEmpty, underWay < Self.mostUnderWay {
            let sensor = waiting.removeFirst()
            // The read that is under way is recorded, too.
            guard !isUnderWay(sensor) else { continue }
            underWay += 1
            read(sensor) { [weak self] error in self?.done(sensor, error) }
        }
    }

    private func done(_ sensor: SensorName, _ error: ReplyError?) {
        underWay -= 1
        if error?.code == .notSupported { schedule.cannot(sensor, now: now()) }
        if let error { log.debug("\(sensor) was not read: \(error.message)") }
        readWaiting()
    }
}

extension Store {
    /// Everybody who has a workout under way.
    fileprivate func peopleInWorkouts() throws(VaultError) -> Set<ID> {
        let names = try database.query(
            "SELECT person FROM documents WHERE name = ?", [.text(RecordedKinds.document)], row: Row.text)
        return Set(names.compactMap { name in decoded { () throws(MalformedValue) in try ID(name) } })
    }
}
