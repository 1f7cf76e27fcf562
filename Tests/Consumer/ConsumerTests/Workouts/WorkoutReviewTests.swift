import ActivityFiles
import Fitness
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Exercise

@Suite("The review of a workout that is over", .timeLimit(.minutes(60)))
struct WorkoutReviewTests {
    /// A run of ten minutes to the north, at 4 m/s by the device and a hundredth less by positions, with a stand from 300 s to 400 s.
    private func run(_ sport: Sport = .running, metres total: Double? = 2000) -> Recording {
        let samples = (0...600 as ClosedRange<Int64>).map { second in
            let metres = 4 * Double(second <= 300 ? second : max(300, second - 100))
            let place = Place(latitude: 48 + 0.99 * metres / 111_195.08, longitude: 11)
            return Sample(time: start + second * 1000, place: place, distance: metres, heartRate: 140)
        }
        return Recording(
            sport: sport, start: start, end: start + 600_000, samples: samples, totals: Totals(distanceMetres: total),
            device: Device(manufacturer: "garmin", product: "1551", serial: "1"))
    }

    private func shown(_ house: WorkoutHouse, _ recording: Recording) throws -> JSON {
        let outcome = try #require(house.imported(FITFile.write(recording)).list("workouts").first)
        #expect(outcome["outcome"] == "imported", "\(outcome)")
        try house.settle()
        return try house.done("workouts/show", ["id": .string(outcome.text("id"))])
    }

    private func line(_ house: WorkoutHouse) throws -> JSON {
        try #require(house.done("workouts/list").list("workouts").first)
    }

    @Test("splits and best times are of the distance that the device says, and moving time leaves a stand out")
    func ways() throws {
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.done("consent/set", ["record_location": true])
            let told = try shown(house, run())
            #expect(
                try told.list("splits").map { try $0.number("distance_m") } == [1000, 1000]
                    && told["positions_differ"] == nil)
            #expect(try told.list("splits").map { try $0.number("seconds") } == [250, 350])
            #expect(try told.list("splits").allSatisfy { $0["heart_rate"] == 140 })
            #expect(try told.list("best").map { try $0.number("distance_m") } == [400, 1000, 1609.344])
            #expect(try told.list("best").map { try $0.number("seconds") } == [100, 250, 502.3])
            #expect(try abs(told.number("moving_s") - 500) < 11 && told.number("duration_s") == 600)
            #expect(try line(house)["moving_s"] == told["moving_s"] && line(house)["best"] != nil)
            let records = try house.done("workouts/records").list("records")
            #expect(records.compactMap { $0["fastest_400_m_s"] ?? $0["fastest_1609_m_s"] } == [100, .number(502.3)])
            #expect(try house.recounted() == 0)
        }
    }

    @Test(
        "indoors there are splits of what the machine says, and no best times; nor where positions differ from the device"
    )
    func indoors() throws {
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.done("consent/set", ["record_location": true])
            let treadmill = try shown(house, run(.other("treadmill")))
            #expect(
                try treadmill.list("splits").count == 2 && treadmill["best"] == nil && treadmill["over_distance"] == nil
            )
            #expect(treadmill["positions_differ"] == nil && treadmill["moving_s"] != nil)
            try house.done("workouts/delete", ["id": .string(treadmill.text("id"))])
        }
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.done("consent/set", ["record_location": true])
            var short = run(metres: 1200)
            for index in short.samples.indices {
                short.samples[index].distance = short.samples[index].distance.map { $0 * 0.6 }
            }
            let told = try shown(house, short)
            #expect(told["positions_differ"] == true && told["best"] == nil)
            #expect(try told.list("splits").map { try $0.number("distance_m") } == [1000, 200])
        }
    }

    @Test("earlier workouts are marked by the upgrade, and have what is new once they are counted again")
    func upgrade() throws {
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.done("consent/set", ["record_location": true])
            let before = try shown(house, run())
            let wanted = try line(house)
            // As the version before kept it: without what is new, and without the step that marks it.
            try house.restart { running in
                guard let running else { return }
                do {
                    let rows = running.rows
                    let id = try ID(before.text("id"))
                    guard var entry = try rows.workout(id, of: ID("demo")),
                        case .object(let members)? = entry.workout.figures
                    else {
                        throw TestFailure("the workout is missing")
                    }
                    entry.workout.figures = .object(members.filter { $0.name != "moving_s" && $0.name != "best" })
                    try rows.write(entry.workout, of: entry.user)
                    let database = rows.store.database
                    try database.execute("DELETE FROM migrations WHERE name = 'workouts/4'")
                    try database.execute("PRAGMA user_version = \(database.version - 1)")
                } catch { Issue.record("\(error)") }
            }
            try house.restart()
            try house.settle()
            #expect(try line(house) == wanted && wanted["moving_s"] != nil && house.recounted() == 0)
        }
    }
}
