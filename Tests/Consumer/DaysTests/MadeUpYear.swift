import Fitness
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport

@testable import Days

// A year of people who do not exist, from 2026 on: sparse, but with all that happens to readings. Everybody has a
// watch, some a second one. On a day of seven there are a few counts of steps, sometimes a run, a temperature, minutes
// of heart rate; now and then somebody sleeps with the strap on. What was lived is remembered, to be compared with what
// is kept.
//
//     a block       arrives within minutes, days, or months; some twice
//     a restart     of a counter, to 0
//     a wrong clock a boot of its own, whose readings are days or minutes off until a clock block says by how much, before or after them
//     loose blocks  two with records of the same session, overlapping
//     a move        a new time zone in the profile, also over the date line; weights change with it

/// One of those people, and what they lived.
struct MadeUpPerson {
    /// Something a sensor told, when it really was.
    struct Entry: Hashable {
        let sensor: String
        let time: Int64
        let value: Reading.Value
    }

    let user: ID
    var profile: Profile
    var zones: [(from: Int64, name: String)]
    var bodies: DayHistory<Profile>
    var counters: [UInt32]
    var entries: Set<Entry> = []

    var localDays: LocalDays {
        let rules = zones.compactMap { zone in ZoneRules(zone.name).map { (from: zone.from, zone: $0) } }
        return LocalDays(rules[0].zone, moves: Array(rules.dropFirst()))
    }

    /// What a sensor counted, in the order of time.
    func counts(of sensor: String) -> [(time: Int64, counter: UInt32)] {
        let counts = entries.lazy.filter { $0.sensor == sensor }.compactMap {
            entry -> (time: Int64, counter: UInt32)? in
            guard case .steps(let steps) = entry.value else { return nil }
            return (entry.time, steps.counter)
        }
        return counts.sorted { ($0.time, $0.counter) < ($1.time, $1.counter) }
    }

    /// The sensor of this number.
    func sensor(_ number: Int) -> String { "\(user.text)-\(number)" }
}

/// What happens to the consumer, in the order of its clock.
struct MadeUpEvent {
    enum What {
        /// Needs the key blocks of these sessions.
        case block([UInt8], [GatewaySession])
        case profile(person: Int, Profile)
    }

    let time: Int64
    let what: What
}

/// Makes a year up. The same seed makes the same life.
struct MadeUpYear {
    static let start: Int64 = 1_767_225_600_000
    static let day: Int64 = 86_400_000
    static let zones = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Auckland",
        "America/St_Johns", "Pacific/Honolulu", "Pacific/Apia",
    ]

    private(set) var people: [MadeUpPerson] = []
    private(set) var events: [MadeUpEvent] = []
    /// How often what happened.
    private(set) var happened: [String: Int] = [:]
    private var random: SeededGenerator
    private var boots: UInt64 = 0
    private var sessions: [String: (session: GatewaySession, boot: BootID)] = [:]
    /// Records of sessions that were sent loose: none is used twice.
    private var records: UInt64 = 0
    private let openSession: (_ sensor: String, _ boot: BootID) throws -> GatewaySession

    /// - Parameter openSession: begins a session of a gateway's for a sensor.
    init(
        people: [ID], seed: UInt64, openSession: @escaping (_ sensor: String, _ boot: BootID) throws -> GatewaySession
    ) throws {
        random = SeededGenerator(seed: seed)
        self.openSession = openSession
        for (number, user) in people.enumerated() { try makeUp(user, number) }
        events.sort { $0.time < $1.time }
    }

    /// How many sensors the person of this number has.
    static func sensors(ofPerson number: Int) -> Int { number % 5 == 0 ? 2 : 1 }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    private mutating func whole(_ range: Range<Int64>) -> Int64 { .random(in: range, using: &random) }

    // MARK: A life

    private mutating func makeUp(_ user: ID, _ number: Int) throws {
        let zone = Self.zones[number % Self.zones.count]
        let profile = try Self.profile(number, zone: zone, weight: 50 + Double(number))
        guard let first = CalendarDay("1970-01-01") else { throw TestFailure("there is no first day") }
        var person = MadeUpPerson(
            user: user, profile: profile, zones: [(.min, zone)], bodies: DayHistory(profile, from: first),
            counters: [UInt32](repeating: 0, count: Self.sensors(ofPerson: number)))
        events.append(MadeUpEvent(time: Self.start, what: .profile(person: number, profile)))
        let moves = (0..<Int(whole(0..<4))).map { _ in whole(Self.day..<364 * Self.day) }.sorted()
        for (from, to) in zip([0] + moves, moves + [365 * Self.day]) {
            if from > 0 { try move(&person, number, at: Self.start + from) }
            for day in stride(from: from, to: to, by: Int(Self.day)) where chance(0.15) {
                try live(&person, number, Self.start + day, min(Self.day, to - day))
            }
        }
        if number == 0 {
            for night: Int64 in [60, 150] { try sleep(&person, at: Self.start + night * Self.day) }
        }
        people.append(person)
    }

    private static func profile(_ number: Int, zone: String, weight: Double) throws -> Profile {
        let gender = ["female", "male", "other", "undisclosed"][number % 4]
        let json: JSON = [
            "name": "Somebody", "date_of_birth": .string("\(1950 + number)-0\(1 + number % 9)-15"),
            "gender": .string(gender), "weight_kg": .number(weight), "height_cm": .number(150 + Double(number)),
            "time_zone": .string(zone),
        ]
        guard let profile = Profile(kept: json) else { throw TestFailure("no profile") }
        return profile
    }

    private mutating func move(_ person: inout MadeUpPerson, _ number: Int, at time: Int64) throws {
        let zone = Self.zones[Int(whole(0..<Int64(Self.zones.count)))]
        let weight = 50 + Double(whole(0..<50))
        person.profile = try Self.profile(number, zone: zone, weight: weight)
        if person.zones.last?.name != zone {
            person.zones.append((time, zone))
            happened["moves", default: 0] += 1
        }
        person.bodies.set(person.profile, from: person.localDays.day(of: time))
        events.append(MadeUpEvent(time: time, what: .profile(person: number, person.profile)))
    }

    /// Some hours of a day.
    private mutating func live(
        _ person: inout MadeUpPerson, _ number: Int, _ start: Int64, _ length: Int64
    ) throws {
        for sensor in person.counters.indices {
            var entries: [MadeUpPerson.Entry] = []
            let name = person.sensor(sensor)
            func add(_ time: Int64, _ value: Reading.Value) {
                entries.append(MadeUpPerson.Entry(sensor: name, time: time, value: value))
            }
            var times = (0..<3).map { _ in start + whole(0..<length) }.sorted()
            if chance(0.2), let begin = times.last { times += [1, 2].map { begin + $0 * 300_000 } }
            var before = start
            for time in times {
                if chance(0.03) {
                    person.counters[sensor] = 0
                    happened["restarts", default: 0] += 1
                }
                // Up to 180 steps a minute, and no more than somebody walks in hours.
                let most = min(max(1, (time - before) / 60_000 * 180), 4000)
                person.counters[sensor] &+= UInt32(whole(0..<most + 1))
                before = time
                add(time, .steps(StepCount(person.counters[sensor])))
            }
            if chance(0.3) {
                add(start + whole(0..<length), .temperature(try Temperature(thousandths: whole(36_000..<39_000))))
            }
            let begin = start + whole(0..<length)
            for sample in 0..<8 {
                let bpm = chance(0.02) ? 0 : UInt16(whole(50..<190))
                let contact = chance(0.02) ? HeartRateMeasurement.Contact.notDetected : .detected
                add(
                    begin + Int64(sample) * 9_700,
                    .heartRate(HeartRateMeasurement(beatsPerMinute: bpm, contact: contact)))
            }
            try record(entries, &person)
        }
    }

    /// Four hours and a bit, long enough to tell the heart rate at rest.
    private mutating func sleep(_ person: inout MadeUpPerson, at start: Int64) throws {
        let entries = (0..<2500).map { sample in
            MadeUpPerson.Entry(
                sensor: person.sensor(0), time: start + Int64(sample) * 6_000,
                value: .heartRate(HeartRateMeasurement(beatsPerMinute: UInt16(whole(45..<70)))))
        }
        try record(entries, &person)
    }

    // MARK: Its way to the consumer

    private mutating func record(_ entries: [MadeUpPerson.Entry], _ person: inout MadeUpPerson) throws {
        guard let sensor = entries.first?.sensor else { return }
        person.entries.formUnion(entries)
        let sorted = entries.sorted { $0.time < $1.time }
        let error = chance(0.015) ? whole(-2 * Self.day..<2 * Self.day) : 0
        let (session, boot) = try current(sensor, isNew: error != 0)
        let readings = sorted.map { entry in
            let monotonic = UInt64(entry.time - Self.start + Self.day)
            return Reading(at: Moment(wall: entry.time + error, monotonic: monotonic), entry.value)
        }
        let ended = (sorted.last?.time ?? 0) + 1000
        if chance(0.02), readings.count < 64 {
            try sendLoose(readings, of: session, sensor, after: ended)
        } else {
            for block in try session.blocks(readings) {
                send(block, [session], after: ended)
                guard chance(0.05) else { continue }
                send(block, [session], after: ended)
                happened["repeated blocks", default: 0] += 1
            }
        }
        if error != 0 {
            happened["wrong clocks", default: 0] += 1
            let clock = try ClockBody(boot: boot, correction: -error, until: UInt64(500 * Self.day))
            send(try session.seal(.clock, clock.bytes), [session], after: ended)
        }
    }

    /// The same records twice but for the ends, in blocks of a later session.
    private mutating func sendLoose(
        _ readings: [Reading], of old: GatewaySession, _ sensor: String, after time: Int64
    ) throws {
        happened["loose blocks", default: 0] += 2
        let session = try begin(sensor).session
        let first = records
        records += UInt64(readings.count)
        let records = try readings.enumerated().map { try old.record(first + UInt64($0.offset), $0.element) }
        for part in [records.dropLast(3), records.dropFirst(3)] {
            send(try session.loose(old, Array(part)), [old, session], after: time)
        }
    }

    /// The session of a sensor: a new one now and then, and after one with a wrong clock.
    private mutating func current(_ sensor: String, isNew: Bool) throws -> (session: GatewaySession, boot: BootID) {
        if !isNew, !chance(0.1), let current = sessions[sensor] { return current }
        let new = try begin(sensor)
        sessions[sensor] = isNew ? nil : new
        return new
    }

    private mutating func begin(_ sensor: String) throws -> (session: GatewaySession, boot: BootID) {
        boots += 1
        let boot = BootID(high: 7, low: boots)
        return (try openSession(sensor, boot), boot)
    }

    private mutating func send(_ block: [UInt8], _ sessions: [GatewaySession], after time: Int64) {
        let delay =
            if chance(0.8) { whole(0..<600_000) } else if chance(0.8) { whole(0..<3 * Self.day) } else {
                whole(0..<90 * Self.day)
            }
        events.append(MadeUpEvent(time: time + delay, what: .block(block, sessions)))
    }
}
