import Daemon
import DaysSupport
import Files
import HouseholdSupport
import Records
import Telemetry
import Testing

@testable import Days
@testable import Readings
@testable import Sensors

@Suite("Reads on schedule", .timeLimit(.minutes(60)))
struct ReadScheduleTests {
    private let hour: Int64 = 3_600_000
    private let usual = ReadSettings(stepsEvery: 3_600_000, stepsBeforeMidnight: 60_000)

    /// A household of many sensors, whose reads are noted and answered as told, by a clock that stands still.
    private final class Bench {
        let household: Household
        var parts: Parts
        let reads: ScheduledReads
        var now: Int64
        var asked: [(time: Int64, sensor: SensorName)] = []
        var answers: [SensorName: ReplyError] = [:]
        var isUnderWay = false
        /// Reads that are not answered yet, where answers are held back.
        var held: [@Sendable (ReplyError?) -> Void] = []
        var holds = false

        init(_ settings: ReadSettings, count: Int = 1, zone: String = "Europe/Berlin", now: Int64) throws {
            household = try Household()
            let sensors = (1...count).map { "\"home/s\($0)\"" }.joined(separator: ", ")
            parts = try household.open(people: "demo: { sensors: [\(sensors)] }", now: 0)
            self.now = now
            var bench: Bench?
            let histories = Histories(parts.store, parts.keys, zone: zone)
            reads = ScheduledReads(
                parts.store, histories, settings, isUnderWay: { _ in bench?.isUnderWay == true },
                read: { sensor, done in bench?.read(sensor, done) })
            bench = self
            reads.now = { bench?.now ?? 0 }
        }

        private func read(_ sensor: SensorName, _ done: @escaping @Sendable (ReplyError?) -> Void) {
            asked.append((now, sensor))
            if holds { held.append(done) } else { done(answers[sensor]) }
        }

        /// Lets the clock run, a tick each so many milliseconds.
        func run(_ milliseconds: Int64, step: Int64 = 1000) {
            let end = now + milliseconds
            while now < end {
                now += step
                reads.tick()
            }
        }
    }

    @Test("ask no phone, which answers no questions, also when its name comes first")
    func phones() throws {
        let household = try Household()
        let parts = try household.open(people: "demo: { sensors: [\"home/strap\"] }", now: 0)
        let demo = try ID("demo")
        try parts.store.change(demo) { () throws(VaultError) in
            try parts.store.database.execute(
                """
                INSERT INTO streams (id, gateway, sensor, person, secret_version, kinds, from_ms, until_ms, serial)
                SELECT ?, 'phones', 'abc', person, secret_version, kinds, from_ms, until_ms, serial + 1 FROM streams
                """, [.blob([UInt8](repeating: 7, count: 16))])
        }
        #expect(try parts.store.openSensors(of: demo) == ["home/strap"].compactMap(SensorName.init))
        #expect(Array(try parts.store.openSensors(recording: .steps).keys) == ["home/strap"].compactMap(SensorName.init))
    }

    @Test("come once in each period, each sensor at a moment of its own, and just before the person's midnight")
    func spread() throws {
        let midnight = try utc("2026-11-21T23:00:00Z")
        let bench = try Bench(usual, count: 60, now: midnight - 2 * hour - 500)
        bench.reads.tick()
        bench.asked = []
        bench.run(2 * hour)
        var bySensor: [SensorName: [Int64]] = [:]
        for (time, sensor) in bench.asked { bySensor[sensor, default: []].append(time) }
        #expect(bySensor.count == 60)
        for times in bySensor.values {
            let last = times.filter { $0 >= midnight - 60_000 - 1000 }
            // The turn within the period may be in this minute, too.
            #expect((1...2).contains(last.count) && times.count == 3)
            #expect(last.contains { $0 <= midnight - 29_000 })
            let regular = times.filter { $0 < midnight - 60_000 }
            if regular.count == 2 { #expect(regular[1] - regular[0] == hour) }
        }
        let bySecond = Dictionary(grouping: bench.asked, by: \.time).mapValues(\.count)
        #expect(bySecond.values.max() ?? 0 < 8)
        // A day later, in summer time or not, midnight is midnight again.
        bench.asked = []
        bench.run(24 * hour, step: 10_000)
        #expect(bench.asked.count == 60 * 25)
    }

    @Test("come at the beginning of a workout, each minute while it lasts, and at its end, unless they are off")
    func workouts() throws {
        for settings in [usual, ReadSettings()] {
            let bench = try Bench(settings, now: utc("2026-11-21T20:10:00Z"))
            let (store, keys) = (bench.parts.store, bench.parts.keys)
            let documents = Documents(store: store, keys: keys)
            let demo = try ID("demo")
            func asked(after seconds: Int64) -> Int {
                bench.asked = []
                bench.run(seconds * 1000)
                return bench.asked.count
            }
            bench.reads.tick()
            let expected = settings == usual ? 1 : 0
            try store.change(demo) { () throws(VaultError) in
                try documents.write(["workout": true], RecordedKinds.document, of: demo)
            }
            bench.reads.sensorsChanged(nil)
            #expect(asked(after: 1) == expected)
            #expect(asked(after: 59) == 0)
            #expect(asked(after: 120) == 2 * expected)
            try store.change(demo) { () throws(VaultError) in
                try documents.remove(RecordedKinds.document, of: demo)
            }
            bench.reads.sensorsChanged(nil)
            #expect(asked(after: 1) == expected)
            #expect(asked(after: 300) == 0)
        }
    }

    @Test("can be off, and changed while they run")
    func settings() throws {
        let bench = try Bench(ReadSettings(), now: utc("2026-11-21T20:00:00Z"))
        bench.run(5 * hour, step: 10_000)
        #expect(bench.asked.isEmpty)
        bench.reads.apply(ReadSettings(stepsEvery: 600_000))
        bench.run(hour)
        #expect(bench.asked.count == 6)
        bench.reads.apply(ReadSettings(stepsBeforeMidnight: 60_000))
        bench.run(24 * hour, step: 10_000)
        #expect(bench.asked.count == 7)
    }

    @Test("leave a sensor alone that cannot, for a day or until it says something else of itself")
    func unsupported() throws {
        let bench = try Bench(ReadSettings(stepsEvery: hour), now: start)
        let sensor = try #require(SensorName("home/s1"))
        bench.answers[sensor] = ReplyError(.notSupported, "no")
        bench.run(3 * hour, step: 10_000)
        #expect(bench.asked.count == 1)
        bench.reads.saw([1], of: sensor.gateway, sensor.sensor)
        bench.run(3 * hour, step: 10_000)
        #expect(bench.asked.count == 2)
        // The same again, as after each connection, is nothing new; of the gateway it is.
        bench.reads.saw([1], of: sensor.gateway, sensor.sensor)
        bench.run(3 * hour, step: 10_000)
        #expect(bench.asked.count == 2)
        bench.reads.saw([2], of: sensor.gateway, nil)
        bench.run(3 * hour, step: 10_000)
        #expect(bench.asked.count == 3)
        bench.run(24 * hour, step: 10_000)
        #expect(bench.asked.count == 4)
        // One that is not there is asked again when its turn comes, and not before.
        bench.answers[sensor] = ReplyError(.sensorOffline, "not there", retryAfterSeconds: 30)
        bench.reads.saw([3], of: sensor.gateway, nil)
        bench.run(5 * hour, step: 10_000)
        #expect(bench.asked.count == 9)
    }

    @Test("wait for none that is read already, and ask no more at a time than is fair")
    func underWay() throws {
        let bench = try Bench(ReadSettings(stepsEvery: 60_000), count: 300, now: start)
        bench.isUnderWay = true
        bench.run(60_000)
        #expect(bench.asked.isEmpty)
        bench.isUnderWay = false
        bench.holds = true
        bench.run(60_000)
        #expect(bench.asked.count == ScheduledReads.mostUnderWay)
        for done in bench.held { done(nil) }
        #expect(Set(bench.asked.map(\.sensor)).count == 300)
    }

    @Test("follow who moves, a clock that is set back, and a sensor that is released")
    func changes() throws {
        let settings = ReadSettings(stepsBeforeMidnight: 60_000)
        let bench = try Bench(settings, now: utc("2026-11-21T20:00:00Z"))
        bench.reads.tick()
        let user = try ID("demo")
        let histories = Histories(bench.parts.store, bench.parts.keys, zone: "Europe/Berlin")
        let moved = bench.now
        try bench.parts.store.change(user) { () throws(VaultError) in
            guard let profile = try? profile(zone: "Europe/Helsinki") else { return }
            _ = try histories.keep(user, now: moved)
            _ = try histories.take(profile, of: user, now: moved)
        }
        bench.reads.moved(user)
        bench.run(2 * hour)
        let midnight = try utc("2026-11-21T22:00:00Z")
        #expect(bench.asked.count == 1 && bench.asked.allSatisfy { (midnight - 61_000..<midnight).contains($0.time) })
        bench.now -= 365 * 24 * hour
        bench.run(25 * hour, step: 10_000)
        #expect((2...3).contains(bench.asked.count))
        bench.asked = []
        try bench.parts.grants.settle([], now: bench.now)
        bench.reads.sensorsChanged(nil)
        bench.run(25 * hour, step: 10_000)
        #expect(bench.asked.isEmpty)
    }
}
