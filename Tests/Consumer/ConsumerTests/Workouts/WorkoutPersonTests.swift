import DaysSupport
import Files
import Fitness
import HouseholdSupport
import Telemetry
import TestSupport
import Testing
import Workouts

@testable import Days
@testable import Exercise
@testable import Records

/// What a person says of themselves after a workout, without a service.
@Suite("Workouts and what people say of themselves")
struct WorkoutPersonTests {
    /// Berlin's day changes at 22:00 UTC.
    private static let starts = [
        "2026-06-01T10:00:00Z", "2026-06-09T21:30:00Z", "2026-06-09T22:30:00Z", "2026-06-10T08:00:00Z",
    ]

    @Test("exactly those are counted again that began on a day on which the person is now known to be another")
    func exact() throws {
        let bench = try MarksBench()
        for start in Self.starts { try bench.add(start) }
        let isOver = try bench.add("2026-06-10T09:00:00Z", isOver: false)
        // Nothing was known before: what is said first holds for all days.
        try bench.save(profile(zone: "Europe/Berlin"), "2026-06-10T12:00:00Z")
        #expect(try bench.marked() == Self.starts)
        #expect(try bench.rows.workout(isOver, of: bench.user)?.marks == 0)
        // From today on.
        try bench.save(profile(zone: "Europe/Berlin", weight: 80), "2026-06-10T12:00:00Z")
        #expect(try bench.marked() == Array(Self.starts[2...]))
        try bench.save(profile(zone: "Europe/Berlin", weight: 80), "2026-06-10T12:00:00Z")
        try bench.save(profile(zone: "Asia/Tokyo", weight: 80), "2026-06-10T13:00:00Z")
        #expect(try bench.marked() == [])
    }

    @Test("where the consumer is moved, and that is corrected, those count again that are of another day now")
    func moved() throws {
        let bench = try MarksBench(zone: "Europe/Berlin")
        try bench.save(profile(zone: nil), "2026-06-01T12:00:00Z")
        // Berlin's tenth.
        try bench.save(profile(zone: nil, weight: 80), "2026-06-09T23:00:00Z")
        let start = "2026-06-10T01:02:00Z"
        try bench.add(start)
        try bench.move(to: "Asia/Tokyo", "2026-06-10T01:00:00Z")
        #expect(try bench.marked() == [])
        // There it is still the ninth.
        try bench.move(to: "America/New_York", "2026-06-10T01:05:00Z")
        #expect(try bench.marked() == [start])
    }

    @Test("at a running service: the figures follow, as a recount finds them")
    func served() throws {
        try WorkoutHouse.with { house in
            try house.done("workouts/start", ["activity": "running"])
            house.set(100)
            try house.publish(house.run(0..<100))
            _ = try house.published("a mean") { $0?["heart_rate"]?["mean"] == 140 }
            try house.done("workouts/stop")
            try house.settle()
            #expect(try #require(try house.done("workouts/list").list("workouts").first)["energy_kcal"] == nil)
            try house.done("profile/set", properProfile)
            try house.settle()
            #expect(try house.recounted() == 0)
            let light = try #require(try house.done("workouts/list").list("workouts").first).number("energy_kcal")
            guard case .object(var fields) = properProfile else { throw TestFailure("no fields") }
            fields.removeAll { $0.name == "weight_kg" }
            try house.done("profile/set", .object(fields + [JSON.Member("weight_kg", 90)]))
            try house.settle()
            #expect(try house.recounted() == 0)
            let heavy = try #require(try house.done("workouts/list").list("workouts").first).number("energy_kcal")
            #expect(heavy != light)
        }
    }

    @Test("one that is under way goes on as the person whom the profile says now")
    func underWay() throws {
        try WorkoutHouse.with { house in
            try house.done("workouts/start", ["activity": "running"])
            house.set(100)
            try house.publish(house.run(0..<100))
            _ = try house.published("a distance") { $0?["distance_m"] != nil && $0?["energy_kcal"] == nil }
            try house.done("profile/set", properProfile)
            #expect(try house.published("the energy") { $0?["energy_kcal"] != nil } != nil)
        }
    }
}

/// What keeps and marks workouts, and a person, without a broker.
final class MarksBench {
    let household: Household
    var parts: Parts
    let days: Days
    let marks: WorkoutMarks
    let rows: WorkoutRows
    let user: ID
    private let changes: PeopleChanges
    private var count = 0

    init(zone: String = "UTC", people: String = Household.peopleWithPositions) throws {
        household = try Household()
        let changes = PeopleChanges()
        self.changes = changes
        var made: (Days, WorkoutMarks)?
        parts = try household.open(people: people, adding: WorkoutRows.schema) { store, keys in
            let all = DerivationParts(store, keys, zone: zone, changes: changes)
            let both = (Days(all), WorkoutMarks(all))
            made = both
            return [both.0, both.1]
        }
        guard let (days, marks) = made else { throw TestFailure("nothing is derived") }
        (self.days, self.marks) = (days, marks)
        rows = WorkoutRows(parts.store, parts.keys)
        user = try ID("demo")
        try parts.store.database.execute("PRAGMA synchronous = OFF")
    }

    /// Keeps a workout of ten minutes.
    @discardableResult
    func add(_ start: Int64, isOver: Bool = true) throws -> ID {
        count += 1
        guard let activity = Activity(named: "running") else { throw TestFailure("no activity") }
        let id = try ID("workout-\(count)")
        var workout = try KeptWorkout(id: id, activity, goal: nil, endsAtGoal: false, start: start)
        if isOver { try workout.add(WorkoutEvent(.stop, at: start + 600_000)) }
        try parts.store.change(user) { [workout] () throws(VaultError) in try rows.write(workout, of: user) }
        return id
    }

    @discardableResult
    func add(_ start: String, isOver: Bool = true) throws -> ID { try add(utc(start), isOver: isOver) }

    /// Saves a profile as `profile/set` does.
    func save(_ profile: Profile, _ time: String) throws {
        let now = try utc(time)
        try parts.store.change(user) { () throws(VaultError) in
            try days.take(profile, of: user, now: now)
            try Documents(store: parts.store, keys: parts.keys).write(profile.json, "profile", of: user)
        }
        days.committed()
        marks.committed()
    }

    /// The consumer is in another zone from now on.
    func move(to zone: String, _ time: String) throws {
        let now = try utc(time)
        let histories = Histories(parts.store, parts.keys, zone: zone, observer: changes)
        try parts.store.change(user) { () throws(VaultError) in _ = try histories.keep(user, now: now) }
    }

    /// When those began that are marked, the earliest first; they are marked no longer.
    func marked() throws -> [String] {
        let found = try rows.workouts(of: user, on: -1_000_000...1_000_000).filter { $0.marks > 0 }
        for entry in found {
            try parts.store.change(user) { () throws(VaultError) in try rows.unmark(entry.workout.id, entry.marks) }
        }
        return found.map { iso8601(unixSeconds: $0.workout.started / 1000) }.sorted()
    }
}
