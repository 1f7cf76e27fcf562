import Fitness
import Records
import Telemetry

// When each sensor's steps are read.
//
// Each sensor has its own moment within each period, by its name: however many there are, they are not all asked at
// once, also not after a restart. Just before its person's midnight each is read once more, so that a day's steps count
// for that day.
//
// A sensor that cannot count steps is left alone for a day, or until it or its gateway says something new about itself.

/// The next reads of all sensors. Side effects are the owner's.
struct ReadSchedule {
    private struct Entry {
        var user: ID
        /// The next read within the period. Unix milliseconds, as all times here.
        var regular: Int64?
        /// The next read before midnight; nil if that is not known yet.
        var midnight: Int64?
        /// The time until which the sensor is left alone.
        var isAloneUntil: Int64 = .min
    }

    private(set) var settings: ReadSettings
    private var entries: [SensorName: Entry] = [:]
    private var aboutSensors: [SensorName: Int] = [:]
    private var aboutGateways: [ID: Int] = [:]

    private static let day: Int64 = 86_400_000

    init(_ settings: ReadSettings) { self.settings = settings }

    mutating func apply(_ new: ReadSettings, now: Int64) {
        settings = new
        for sensor in entries.keys {
            let regular = nextRegular(sensor, after: now)
            entries[sensor]?.regular = regular
            entries[sensor]?.midnight = nil
        }
    }

    /// Takes the sensors that there are now.
    mutating func set(_ sensors: [SensorName: ID], now: Int64) {
        for (sensor, user) in sensors where entries[sensor]?.user != user {
            entries[sensor] = Entry(user: user, regular: nextRegular(sensor, after: now))
        }
        for sensor in entries.keys where sensors[sensor] == nil {
            entries[sensor] = nil
            aboutSensors[sensor] = nil
        }
        let gateways = Set(entries.keys.map(\.gateway))
        aboutGateways = aboutGateways.filter { gateways.contains($0.key) }
    }

    /// The sensors whose turn it is. Each is returned once.
    mutating func due(now: Int64) -> [SensorName] {
        var due: [SensorName] = []
        for (sensor, entry) in entries {
            var isDue = false
            if let every = settings.stepsEvery, let regular = entry.regular {
                isDue = regular <= now
                // After the clock was set back, the old time must not be waited for.
                if isDue || regular > now + every {
                    let next = nextRegular(sensor, after: now)
                    entries[sensor]?.regular = next
                }
            }
            if let midnight = entry.midnight {
                isDue = isDue || midnight <= now
                if midnight <= now || midnight > now + 3 * Self.day { entries[sensor]?.midnight = nil }
            }
            if isDue, entry.isAloneUntil <= now || entry.isAloneUntil > now + Self.day { due.append(sensor) }
        }
        return due.sorted { $0.description < $1.description }
    }

    /// Some of the people whose midnights are not known.
    func withoutMidnight(atMost count: Int) -> [ID] {
        guard settings.stepsBeforeMidnight != nil else { return [] }
        var users: Set<ID> = []
        for entry in entries.values where entry.midnight == nil {
            users.insert(entry.user)
            if users.count == count { break }
        }
        return Array(users)
    }

    /// Takes the days of a person, and finds their next midnight in them.
    mutating func set(_ days: LocalDays, of user: ID, now: Int64) {
        guard let before = settings.stepsBeforeMidnight else { return }
        for (sensor, entry) in entries where entry.user == user && entry.midnight == nil {
            // People of one zone have their midnight at the same time.
            let lead = before - Self.hash(sensor, below: max(1, before / 2))
            var day = days.day(of: now)
            var midnight: Int64?
            for _ in 0..<4 where midnight == nil {
                if let end = days.end(of: day), end - lead > now { midnight = end - lead }
                day = day.advanced(by: 1)
            }
            entries[sensor]?.midnight = midnight ?? now + Self.day
        }
    }

    /// A person has moved.
    mutating func forgetMidnight(of user: ID) {
        for (sensor, entry) in entries where entry.user == user { entries[sensor]?.midnight = nil }
    }

    /// Whether a sensor is left alone, because it cannot count steps.
    func isAlone(_ sensor: SensorName, now: Int64) -> Bool {
        guard let until = entries[sensor]?.isAloneUntil else { return true }
        return until > now && until <= now + Self.day
    }

    /// A sensor has said that it cannot count steps.
    mutating func cannot(_ sensor: SensorName, now: Int64) { entries[sensor]?.isAloneUntil = now + Self.day }

    /// A sensor, or its gateway, tells about itself.
    mutating func saw(_ about: [UInt8], of gateway: ID, _ sensor: ID?) {
        if let sensor {
            let name = SensorName(gateway: gateway, sensor: sensor)
            guard entries[name] != nil, aboutSensors.updateValue(about.hashValue, forKey: name) != about.hashValue
            else { return }
            entries[name]?.isAloneUntil = .min
        } else {
            let own = entries.keys.filter { $0.gateway == gateway }
            guard !own.isEmpty, aboutGateways.updateValue(about.hashValue, forKey: gateway) != about.hashValue
            else { return }
            for name in own { entries[name]?.isAloneUntil = .min }
        }
    }

    private func nextRegular(_ sensor: SensorName, after now: Int64) -> Int64? {
        guard let every = settings.stepsEvery else { return nil }
        let phase = Self.hash(sensor, below: every)
        let passed = (now - phase) % every
        return now + every - (passed < 0 ? passed + every : passed)
    }

    /// A hash that is the same after a restart: FNV-1a.
    private static func hash(_ sensor: SensorName, below limit: Int64) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sensor.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        // Names that differ only in their last letter should be far apart.
        hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        return Int64((hash ^ (hash >> 33)) % UInt64(limit))
    }
}
