import DaysSupport
import Files
import Fitness
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days

@Suite("Days", .timeLimit(.minutes(60)))
struct DaysTests {
    @Test(
        "leave out steps that nobody walks, in whatever order they come, say so, and reach no goal by them",
        arguments: 1...4 as ClosedRange<UInt64>)
    func implausible(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let diary = try Diary(zone: "UTC")
        let noon = try utc("2026-11-03T12:00:00Z")
        let counts: [(minutes: Int64, count: UInt32)] = [
            (-2500, 7), (-2200, .max), (-1400, 4000), (-1300, 4_000_000), (-1290, 4_000_100), (-700, 100), (0, 1000),
            (1, .max), (2, 1090), (30, 3_000_000), (31, 1200), (600, 900_000), (601, 900_400), (1500, 900_500),
            (1501, 5), (1502, 77),
        ]
        let session = try diary.parts.session(diary.household)
        try diary.take([session.keyBlock], now: noon)
        for (minutes, counter) in counts.shuffled(using: &random) {
            try diary.take([session.block(count(noon + minutes * 60_000, counter))], now: noon + 2 * 86_400_000)
            #expect(try diary.isExact())
        }
        let totals = try diary.totals("2026-11-03")
        #expect(totals.steps == Steps(walking: 100 + 900 + 90 + 110, running: 400, countsLeftOut: 3), "\(totals)")
        #expect(totals.json["step_counts_left_out"] == 3 && totals.json["steps"] == 1600)
        #expect(totals.goals.values.allSatisfy { $0.reached == nil })
        #expect(try diary.parts.printed(.steps).count == counts.count)
    }

    @Test("have the steps since the count before, which may be of the day before")
    func steps() throws {
        let diary = try Diary()
        try diary.take([
            count(utc("2026-11-02T19:00:00Z"), 5000), count(utc("2026-11-03T07:00:00Z"), 5200),
            count(utc("2026-11-03T19:00:00Z"), 9000), count(utc("2026-11-04T07:00:00Z"), 9100),
        ])
        #expect(try diary.steps("2026-11-02") == 0)
        #expect(try diary.steps("2026-11-03") == 4000)
        #expect(try diary.steps("2026-11-04") == 100)
        #expect(try diary.steps("2026-11-05") == nil)
        // What comes late changes its own day, and the first steps of the next.
        try diary.take([count(utc("2026-11-03T22:00:00Z"), 9080)])
        #expect(try diary.steps("2026-11-03") == 4080)
        #expect(try diary.steps("2026-11-04") == 20)
        #expect(try diary.isExact())
    }

    @Test("begin anew after a day and a half, and where the counter did")
    func beginnings() throws {
        let diary = try Diary(zone: "UTC")
        try diary.take([
            count(utc("2026-11-02T12:00:00Z"), 5000), count(utc("2026-11-04T00:00:00Z"), 5010),
            count(utc("2026-11-05T12:00:00.001Z"), 6000), count(utc("2026-11-05T13:00:00Z"), 30),
            count(utc("2026-11-05T14:00:00Z"), 40),
        ])
        #expect(try diary.steps("2026-11-04") == 10)
        #expect(try diary.steps("2026-11-05") == 40)
        #expect(try diary.isExact())
    }

    @Test("take the sensor that counted most, and what was run apart from what was walked")
    func sensors() throws {
        let diary = try Diary(zone: "UTC")
        let noon = try utc("2026-11-03T12:00:00Z")
        try diary.take([count(noon, 0), count(noon + 60_000, 150), count(noon + 120_000, 250)])
        #expect(try diary.totals("2026-11-03").steps == Steps(walking: 100, running: 150))
        try diary.take([count(noon, 1000), count(noon + 120_000, 1251)], "watch")
        #expect(try diary.totals("2026-11-03").steps == Steps(walking: 251, running: 0))
        #expect(try diary.isExact())
    }

    @Test("have the steps of a pedometer where no counter has more, also when they come late, and forget deleted ones")
    func pedometer() throws {
        let diary = try Diary(zone: "UTC")
        let noon = try utc("2026-11-03T12:00:00Z")
        func span(_ minutes: Int64, _ length: UInt32, _ steps: UInt32) -> Reading {
            let time = noon + minutes * 60_000
            return Reading(
                at: Moment(wall: time, monotonic: UInt64(time)),
                .pedometer(PedometerSpan(milliseconds: length * 60_000, steps: steps)))
        }
        try diary.take([span(60, 60, 900), span(90, 60, 800)], "watch")
        #expect(try diary.steps("2026-11-03") == 1300)
        try diary.take([count(noon, 0), count(noon + 60_000, 150)])
        #expect(try diary.steps("2026-11-03") == 1300)
        try diary.take([span(30, 30, 500)], "watch", now: noon + 86_400_000)
        #expect(try diary.steps("2026-11-03") == 500 + 450 + 400)
        try diary.take([count(noon + 7_200_000, 5000)])
        #expect(try diary.steps("2026-11-03") == 5000)
        // What ends at midnight is of the day that ends, and stays there when its hour is counted again.
        try diary.take([span(720, 60, 1800)], "watch", now: noon + 86_400_000)
        try diary.take([span(730, 5, 70)], "watch", now: noon + 86_400_000)
        // The counter says nothing about that hour.
        #expect(try diary.steps("2026-11-03") == 5000 + 1800 && diary.steps("2026-11-04") == 70)
        #expect(try diary.isExact())
        let rows = DayRows(store: diary.parts.store, keys: diary.parts.keys)
        let kept = try rows.record(of: diary.user, on: calendarDay("2026-11-03"))
        let record = try #require(kept)
        #expect(record[.span].values.reduce(0) { $0 + $1.count } == 4 && DayRecord(record.bytes) == record)
    }

    @Test("keep a sensor's own counter and what a gateway derived from its cadence apart")
    func derived() throws {
        let diary = try Diary(zone: "UTC")
        let noon = try utc("2026-11-03T12:00:00Z")
        func derived(_ time: Int64, _ counter: UInt32) -> Reading {
            Reading(at: count(time, counter).moment, .steps(StepCount(counter, isDerived: true)))
        }
        try diary.take([
            count(noon, 50_000), derived(noon + 1000, 0), count(noon + 60_000, 50_100), derived(noon + 61_000, 90),
            count(noon + 120_000, 50_210),
        ])
        #expect(try diary.steps("2026-11-03") == 210 && diary.isExact())
        // The same where it is all computed again.
        try diary.parts.store.markStale(diary.user, HourSpan.earliest...HourSpan.latest)
        try diary.settle()
        #expect(try diary.steps("2026-11-03") == 210 && diary.isExact())
        try diary.take([derived(noon + 3_600_000, 400)], now: noon + 3_600_000)
        #expect(try diary.steps("2026-11-03") == 400 && diary.isExact())
    }

    @Test("have temperatures, each once, of all sensors")
    func temperatures() throws {
        let diary = try Diary(zone: "UTC")
        let noon = try utc("2026-11-03T12:00:00Z")
        try diary.take([temperature(noon, 36_500), temperature(noon + 1000, 37_500), temperature(noon, 36_500)])
        try diary.take([temperature(noon + 500, 39_000)], "watch")
        let totals = try #require(try diary.totals("2026-11-03").temperature)
        #expect(totals.minimum == 36.5 && totals.maximum == 39 && totals.last == 37.5)
        #expect(abs(totals.mean - 113.0 / 3) < 1e-9)
        #expect(try diary.totals("2026-11-03").steps == nil && diary.isExact())
        #expect(
            try diary.totals("2026-11-03").json["temperature_c"]
                == ["mean": .number(37.67), "min": .number(36.5), "max": .number(39), "last": .number(37.5)])
    }

    @Test("come to distance and energy with the body of that day, and to nothing where nobody said what it is")
    func bodies() throws {
        let diary = try Diary(zone: "UTC")
        for day in [3, 4, 5] {
            let noon = try utc("2026-11-0\(day)T12:00:00Z")
            try diary.take([count(noon, 0), count(noon + 3_600_000, 10_000)])
        }
        #expect(try diary.totals("2026-11-04").metres == nil)
        try diary.save(profile(zone: nil), now: utc("2026-11-04T20:00:00Z"))
        // The worked examples of the formulas.
        for day in ["2026-11-03", "2026-11-04", "2026-11-05"] {
            let totals = try diary.totals(day)
            #expect(abs((totals.metres ?? 0) - 7262.5) < 1e-9 && abs((totals.kilocalories ?? 0) - 254.1875) < 1e-9)
        }
        try diary.save(profile(zone: nil, height: 200, weight: 80), now: utc("2026-11-05T20:00:00Z"))
        #expect(abs(try (diary.totals("2026-11-04").metres ?? 0) - 7262.5) < 1e-9)
        #expect(abs(try (diary.totals("2026-11-05").metres ?? 0) - 8300) < 1e-9)
        try diary.save(profile(zone: nil, height: 200, gender: .undisclosed), now: utc("2026-11-05T21:00:00Z"))
        let json = try diary.totals("2026-11-05").json
        #expect(json["steps"] == 10_000 && json["distance_m"] == 8280 && json["energy_kcal"] == 290)
        #expect(
            json["goals"]
                == ["steps": ["target": 10_000, "value": 10_000, "percent": .number(100), "reached": false]])
    }

    @Test("keep goals that were reached, told in the same transaction: where telling fails, nothing is kept")
    func goals() throws {
        let (goals, changed) = (Herald(), ChangedPeople())
        let diary = try Diary(zone: "UTC", goals: goals)
        diary.changes.add(changed)
        let noon = try utc("2026-11-03T12:00:00Z")
        let session = try diary.parts.session(diary.household)
        let blocks = [session.keyBlock, try session.block(count(noon, 0), count(noon + 1000, 10_000))]
        #expect(throws: VaultError.self) { try diary.take(blocks, now: noon) }
        #expect(try diary.parts.count("days") == 0 && diary.parts.count("blocks") == 0 && changed.all.isEmpty)
        goals.fails = false
        try diary.take(blocks, now: noon + 5)
        #expect(goals.told == ["steps 2026-11-03 2026-11-03"] && changed.all == [[diary.user]])
        let reached = GoalDay.Reached(target: 10_000, time: noon + 5)
        #expect(try diary.totals("2026-11-03").goals[.steps]?.reached == reached)
        // It comes again, and more of it.
        try diary.take(blocks, now: noon + 6)
        #expect(changed.all.count == 1)
        try diary.take([count(noon + 2000, 12_000)], now: noon + 7)
        #expect(goals.told.count == 1 && changed.all.count == 2)
        #expect(try diary.totals("2026-11-03").goals[.steps]?.reached == reached)
        // Another target is reached as it is set.
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            var targets = GoalTargets.first
            targets[.steps] = 20_000
            try diary.days.histories.setTargets(
                targets, of: diary.user, from: CalendarDay(daysSince1970: noon / 86_400_000 + 1), now: noon)
            try diary.days.reconsider(diary.user, now: noon + 86_400_000)
        }
        #expect(try diary.totals("2026-11-04").goals[.steps] == GoalDay(target: 20_000, value: nil))
        #expect(try diary.totals("2026-11-03").goals[.steps]?.target == 10_000 && diary.isExact())
    }

    @Test("keep the first of a flood, in whichever order it comes, and find room again")
    func flood() throws {
        var blocks: [[UInt8]] = []
        var expected: Int?
        for isReversed in [false, true] {
            let diary = try Diary(zone: "UTC")
            let noon = try utc("2026-11-03T01:00:00Z")
            let session = try diary.parts.session(diary.household)
            let all = (0..<DayRecord.capacity + 5000).map { count(noon + Int64($0), UInt32($0)) }
            blocks = try stride(from: 0, to: all.count, by: 50).map { try session.block(Array(all[$0..<$0 + 50])) }
            if isReversed { blocks.reverse() }
            try diary.take([session.keyBlock] + blocks, now: noon)
            expected = expected ?? DayRecord.capacity - 1
            #expect(try diary.steps("2026-11-03") == expected && diary.isExact())
            // A clock that was wrong takes all of them to the day before.
            let clock = try ClockBody(boot: BootID(high: 0, low: 1), correction: -86_400_000, until: UInt64(noon + 100))
            try diary.take([session.seal(.clock, clock.bytes)], now: noon)
            #expect(try diary.steps("2026-11-02") == 99 && diary.isExact())
        }
    }

    @Test("are entered a few at a time, and the rest as stale hours, where a batch has readings of many")
    func manyAtOnce() throws {
        let diary = try Diary(zone: "UTC")
        let session = try diary.parts.session(diary.household)
        var blocks = [session.keyBlock]
        for number in 0..<40 as Range<Int64> {
            let day = start + number * 86_400_000
            blocks.append(try session.block(count(day, UInt32(number) * 100)))
            blocks.append(try session.block(count(day + 60_000, UInt32(number) * 100 + 50)))
        }
        _ = try diary.parts.take(all: blocks, wall: start + 40 * 86_400_000)
        // Eight, and yesterday.
        #expect(try diary.parts.count("days") == 9 && diary.parts.count("stale") > 0)
        try diary.settle()
        #expect(try diary.parts.count("days") == 40 && diary.isExact())
    }

    @Test("keep the first of a flood by many sensors, in whichever order and however often it comes")
    func floodOfSensors() throws {
        var generator = SeededGenerator(seed: 1)
        let warm = try Temperature(thousandths: 37_000)
        var all: [(reading: Reading, sensor: String)] = []
        for number in 0..<DayRecord.capacityOfAll + 10_000 {
            let time = start + Int64(number / 3)
            let isCount = number % 2 == 0
            let reading =
                isCount
                ? count(time, UInt32(number / 7))
                : Reading(at: Moment(wall: time, monotonic: 1), .temperature(warm))
            all.append((reading, "home/sensor\(number % 7)"))
        }
        var records: [DayRecord] = []
        for order in [all, all.shuffled(using: &generator), all.reversed()] {
            var record = DayRecord()
            for one in order { record.insert(one.reading, one.sensor) }
            for one in order.prefix(1000) { record.insert(one.reading, one.sensor) }
            records.append(record)
        }
        var halves = (DayRecord(), DayRecord())
        for one in all.prefix(40_000) { halves.0.insert(one.reading, one.sensor) }
        for one in all.dropFirst(30_000) { halves.1.insert(one.reading, one.sensor) }
        halves.1.insert(halves.0)
        records.append(halves.1)
        records.append(try #require(DayRecord(records[0].bytes)))
        var times: [Int64] = []
        for entries in records[0].counts.values { times += entries.map(\.time) }
        for entries in records[0][.temperature].values { times += entries.map(\.time) }
        #expect(times.count == DayRecord.capacityOfAll && records[0].isFull)
        #expect(times.max() == start + Int64(DayRecord.capacityOfAll - 1) / 3)
        for record in records { #expect(record == records[0]) }
        var rest = records[0]
        rest.remove(start..<start + 10)
        #expect(!rest.isFull && rest != records[0])
    }

    @Test("open under the secret that sealed them, are sealed to their person and day, and hold no word in the clear")
    func sealed() throws {
        let diary = try Diary(zone: "UTC")
        let noon = try utc("2026-11-03T12:00:00Z")
        try diary.take([count(noon, 1000), count(noon + 1000, 1100)])
        _ = try diary.parts.keys.rotate(diary.user)
        try diary.take([count(noon + 86_400_000, 1200)])
        #expect(try diary.steps("2026-11-03") == 100 && diary.steps("2026-11-04") == 100)
        let database = diary.parts.store.database
        let sealed = try database.query("SELECT sealed FROM days", row: Row.blob)
        let sensor = Array("home/strap".utf8)
        #expect(sealed.count == 2)
        for row in sealed { #expect(!row.indices.contains { row[$0...].starts(with: sensor) }) }
        try database.execute("UPDATE days SET day = day + 1 WHERE secret_version = 2")
        #expect(try diary.steps("2026-11-05") == nil && !diary.isExact())
    }
}

/// Notes each goal as it is reached, or fails to.
private final class Herald: GoalEvaluation {
    var fails = true
    private(set) var told: [String] = []

    func evaluate(
        _ goals: inout [Goal: GoalDay], on day: CalendarDay, today: CalendarDay, of user: ID, silently: Bool, now: Int64
    ) throws(VaultError) {
        for goal in goals.keys where goals[goal]?.isEnough == true && goals[goal]?.reached == nil {
            if fails { throw VaultError("tell", .inputOutput, said: "no") }
            if !silently { told.append("\(goal) \(day) \(today)") }
            let target = goals[goal]?.target ?? 0
            goals[goal]?.reached = GoalDay.Reached(target: target, time: now)
        }
    }

    func evaluate(
        _ goals: inout [WeekGoal: GoalDay], of week: CalendarWeek, today: CalendarDay, of user: ID, silently: Bool,
        now: Int64
    ) {}
}

/// Notes whose days have changed.
private final class ChangedPeople: PeopleObserver {
    private(set) var all: [Set<ID>] = []

    func changed(_ users: Set<ID>) { all.append(users) }
}
