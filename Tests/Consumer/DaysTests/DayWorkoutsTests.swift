import DaysSupport
import Files
import Fitness
import Records
import Telemetry
import TestSupport
import Testing

@testable import Days

@Suite("Workouts on their days", .timeLimit(.minutes(60)))
struct DayWorkoutsTests {
    private let hour: Int64 = 3_600_000

    private func workout(
        _ id: String, _ activity: String, _ times: Range<Int64>, metres: Double?, kilocalories: Double? = nil
    ) -> DayWorkout {
        DayWorkout(id: id, activity, times, metres: metres, kilocalories: kilocalories, rank: 100)
    }

    private func take(
        _ workout: DayWorkout, _ diary: Diary, silently: Bool = false, wasCounted: Bool = false, now: Int64
    ) throws {
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            try diary.days.take(workout, of: diary.user, silently: silently, wasCounted: wasCounted, now: now)
        }
        diary.days.committed()
    }

    private func remove(_ workout: DayWorkout, _ diary: Diary, now: Int64) throws {
        let id = try ID(workout.id)
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            _ = try diary.days.remove(workout: id, from: workout.times.lowerBound, of: diary.user, now: now)
        }
        diary.days.committed()
    }

    @Test("count beside the steps outside of them, whatever comes first, and go without a trace")
    func both() throws {
        let noon = try utc("2026-11-03T12:00:00Z")
        let run = workout("run", "running", noon..<noon + hour, metres: 9000, kilocalories: 640)
        let counts = [count(noon - hour, 0), count(noon, 1000), count(noon + hour, 9000), count(noon + 2 * hour, 11_000)]
        var all: [DayTotals] = []
        for isFirst in [true, false] {
            let diary = try Diary(zone: "UTC")
            try diary.save(profile(zone: nil, height: 200), now: noon)
            if isFirst { try take(run, diary, now: noon + hour) }
            try diary.take(counts, now: noon + 3 * hour)
            let before = try diary.totals("2026-11-03")
            if !isFirst { try take(run, diary, now: noon + 3 * hour) }
            let totals = try diary.totals("2026-11-03")
            // 3,000 of 11,000 steps, of 83 cm each and 0.5 kcal a kilogram and kilometre.
            #expect(totals.steps?.total == 11_000 && totals.metres == 9000 + 3000 * 0.83)
            #expect(try abs(#require(totals.kilocalories) - (640 + 70 * 2.49 * 0.5)) < 0.001)
            all.append(totals)
            #expect(try diary.isExact() && diary.days.knows(run, of: diary.user))
            // Once more changes nothing, and so does computing all of it again.
            try take(run, diary, now: noon + 3 * hour)
            try diary.parts.store.change(diary.user) { () throws(VaultError) in
                try diary.parts.store.markStale(diary.user, noon - 9 * hour..<noon + 9 * hour)
            }
            try diary.settle()
            #expect(try diary.totals("2026-11-03") == totals)
            try remove(run, diary, now: noon + 3 * hour)
            if !isFirst { #expect(try diary.totals("2026-11-03") == before) }
            #expect(try diary.totals("2026-11-03").metres == 11_000 * 0.83)
        }
        #expect(all[0] == all[1])
    }

    @Test("are of the day on which they began, and take the steps of the next day that are in their time")
    func midnight() throws {
        let midnight = try utc("2026-11-04T00:00:00Z")
        let diary = try Diary(zone: "UTC")
        try diary.save(profile(zone: nil, height: 200), now: midnight)
        try diary.take([count(midnight - hour, 0), count(midnight + hour, 8000), count(midnight + 2 * hour, 9000)])
        let run = workout("run", "running", midnight - hour..<midnight + hour, metres: 20_000)
        try take(run, diary, now: midnight + 2 * hour)
        #expect(try diary.totals("2026-11-03").metres == 20_000 && diary.totals("2026-11-04").metres == 830)
        #expect(try diary.totals("2026-11-04").steps?.total == 9000 && diary.isExact())
        try remove(run, diary, now: midnight + 2 * hour)
        #expect(try diary.totals("2026-11-03").metres == 0 && diary.totals("2026-11-04").metres == 9000 * 0.83)
    }

    @Test("have their steps wherever late counts say that these were made")
    func lateCounts() throws {
        let noon = try utc("2026-11-03T12:00:00Z")
        let ride = workout("ride", "cycling", noon..<noon + hour / 2, metres: 10_000)
        let counts = [
            count(noon - hour, 0), count(noon, 4900), count(noon + hour / 2, 4950), count(noon + hour, 5000),
        ]
        for order in [[0, 3, 1, 2], [0, 1, 2, 3], [3, 2, 1, 0]] {
            let diary = try Diary(zone: "UTC")
            try diary.save(profile(zone: nil, height: 200), now: noon)
            try take(ride, diary, now: noon)
            for index in order { try diary.take([counts[index]], now: noon + 2 * hour) }
            #expect(try diary.totals("2026-11-03").figures?.metres == [.foot: 4950 * 0.83, .bicycle: 10_000], "\(order)")
            #expect(try diary.isExact())
        }
    }

    @Test("take steps that a count of the next day tells, also if they come later")
    func countAfterMidnight() throws {
        let evening = try utc("2026-11-03T22:00:00Z")
        let diary = try Diary(zone: "UTC")
        try diary.save(profile(zone: nil, height: 200), now: evening)
        try diary.take([count(evening - hour, 5000), count(evening + 9 * hour, 15_000)])
        #expect(try diary.totals("2026-11-04").metres == 8300)
        try take(workout("run", "running", evening..<evening + hour, metres: 9000), diary, now: evening + 48 * hour)
        #expect(try diary.totals("2026-11-04").metres == 9000 * 0.83 && diary.totals("2026-11-03").metres == 9000)
        #expect(try diary.isExact())
    }

    @Test("and the steps beside them count as soon as there is a profile")
    func firstProfile() throws {
        let noon = try utc("2026-11-03T12:00:00Z")
        let diary = try Diary(zone: "UTC")
        try diary.take([count(noon - hour, 0), count(noon, 1000)])
        try take(workout("boat", "kayaking", noon..<noon + hour, metres: 5000), diary, now: noon + hour)
        #expect(try diary.totals("2026-11-03").figures?.metres == [.other: 5000])
        try diary.save(profile(zone: nil, height: 200), now: noon + 30 * hour)
        #expect(try diary.totals("2026-11-03").figures?.metres == [.foot: 830, .other: 5000] && diary.isExact())
    }

    @Test("are of another day alone if they are told again for that one")
    func moved() throws {
        let time = try utc("2026-11-03T16:00:00Z")
        let diary = try Diary(zone: "UTC")
        try diary.save(profile(zone: "Europe/Berlin"), now: time - 9 * hour)
        try diary.save(profile(zone: "Asia/Tokyo"), now: time)
        let ride = workout("ride", "cycling", time + 60_000..<time + hour, metres: 20_000)
        try take(ride, diary, now: time + 120_000)
        #expect(try diary.totals("2026-11-04").figures?.metres == [.bicycle: 20_000] && diary.days.knows(ride, of: diary.user))
        // Within ten minutes, that is a correction.
        try diary.save(profile(zone: "Europe/Berlin"), now: time + 180_000)
        #expect(try !diary.days.knows(ride, of: diary.user))
        try take(ride, diary, now: time + 2 * hour)
        #expect(try diary.totals("2026-11-03").figures?.metres == [.bicycle: 20_000])
        #expect(try diary.totals("2026-11-04").figures == nil && diary.isExact())
    }

    @Test("are no rest")
    func rest() throws {
        let diary = try Diary(zone: "UTC")
        let midnight = try utc("2026-11-04T00:00:00Z")
        let night = (0..<5 * 60 as Range<Int64>).map { minute -> Reading in
            let rate: UInt16 = minute < 30 ? 40 : 60
            let wall = midnight + minute * 60_000
            return Reading(
                at: Moment(wall: wall, monotonic: UInt64(wall)), .heartRate(HeartRateMeasurement(beatsPerMinute: rate)))
        }
        let parts = diary.parts
        let minutes = HeartRateMinutes(parts.store, parts.keys)
        var person = PersonsReadings(user: diary.user)
        person.add(night.map { BareReading($0) }, sensor: "home/strap")
        try parts.store.change(diary.user) { () throws(VaultError) in try minutes.take([person], now: midnight + 9 * hour) }
        let resting = try #require(try diary.totals("2026-11-04").heartRate?.resting)
        #expect(abs(resting - (40 + 5 * 60) / 6.0) < 0.5)
        // A workout of the day before that went on into the night.
        try take(workout("run", "running", midnight - hour..<midnight + 60_000, metres: nil), diary, now: midnight + 9 * hour)
        #expect(try diary.totals("2026-11-04").heartRate?.resting == 60)
    }
}
