import DaysSupport
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Exercise

@Suite("Workouts whose readings change")
struct WorkoutMarksTests {
    private static let day: Int64 = 86_400_000

    /// What a late block has: heart rates of ten seconds.
    private func late(_ time: Int64) -> [BareReading] {
        (0..<10 as Range<Int64>).map { second in
            let moment = Moment(wall: time + second * 1000, monotonic: UInt64(1_000_000 + second * 1000))
            return BareReading(Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: 140))))
        }
    }

    @Test("are marked once by a batch with a thousand late blocks of one person")
    func thousand() throws {
        let bench = try MarksBench()
        let now = start
        // Fifty workouts of ten minutes in four days.
        let starts = (0..<50).map { now - 4 * Self.day + Int64($0) * 6_000_000 }
        for time in starts { try bench.add(time) }
        var person = PersonsReadings(user: bench.user)
        for number in 0..<1000 as Range<Int64> {
            person.add(late(now - 4 * Self.day + number * 345_600 % (4 * Self.day)), sensor: "home/strap")
        }
        try bench.parts.store.change(bench.user) { () throws(VaultError) in try bench.marks.take([person], now: now) }
        bench.marks.committed()
        let marked = try bench.rows.workouts(of: bench.user, on: 0...WorkoutRows.day(now)).map(\.marks)
        #expect(marked.count == 50 && marked.allSatisfy { $0 == 1 }, "\(marked)")
        // Nothing is remembered when the batch is over: a workout of the meantime is found.
        let id = try bench.add(now - 3_600_000)
        var next = PersonsReadings(user: bench.user)
        next.add(late(now - 3_500_000), sensor: "home/strap")
        try bench.parts.store.change(bench.user) { () throws(VaultError) in try bench.marks.take([next], now: now) }
        #expect(try bench.rows.workout(id, of: bench.user)?.marks == 1)
        bench.marks.rolledBack()
        try bench.parts.store.change(bench.user) { () throws(VaultError) in try bench.marks.take([next], now: now) }
        #expect(try bench.rows.workout(id, of: bench.user)?.marks == 2)
    }

    @Test("are marked where an hour is computed again that has something of them, or heart rates that hold in them")
    func hour() throws {
        let bench = try MarksBench()
        let isMarked = [
            // Those of ten minutes that end half an hour before the hour, and a minute sooner.
            "2026-06-10T09:19:30Z": true, "2026-06-10T09:18:00Z": false, "2026-06-10T10:30:00Z": true,
            // What says how long their first heart rate holds may be in the hour.
            "2026-06-10T11:29:30Z": true, "2026-06-10T11:31:00Z": false,
        ]
        for start in isMarked.keys { try bench.add(start) }
        let now = try utc("2026-06-10T12:00:00Z")
        try bench.parts.store.change(bench.user) { () throws(VaultError) in
            try bench.marks.replace(now / 3_600_000 - 2, of: bench.user, with: true, now: now)
        }
        bench.marks.committed()
        #expect(try bench.marked() == isMarked.filter(\.value).keys.sorted())
    }

    @Test("are counted again where a position is stored that did not come at once, though a heart rate of its time did")
    func sameTime() throws {
        let bench = try MarksBench()
        let history = try bench.days.histories.history(of: bench.user)
        let workout = try KeptWorkout(id: ID("run"), .running, goal: nil, endsAtGoal: false, start: start)
        var running = RunningWorkout(workout, of: bench.user, history, now: start)
        running.beginCounting()
        let moment = Moment(wall: start + 1000, monotonic: 1_001_000)
        let heart = Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: 140)))
        let place = Position(latitude: 48, longitude: 11, source: .receiver)
        let position = Reading(at: moment, .position(try #require(place)))
        running.take([heart], "home/strap", now: start + 1000)
        var stored = PersonsReadings(user: bench.user)
        stored.add([BareReading(heart)], sensor: "home/strap")
        running.stored(stored)
        #expect(!running.mustBeCounted)
        stored.add([BareReading(position)], sensor: "home/strap")
        running.stored(stored)
        #expect(running.mustBeCounted)
    }
}
