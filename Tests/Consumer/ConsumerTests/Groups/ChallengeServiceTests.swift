import Files
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Exercise
@testable import Groups
@testable import vitals_consumer

@Suite("Challenges, at a running service", .timeLimit(.minutes(60)))
struct ChallengeServiceTests {
    @Test("count metres, minutes of workouts and workouts that began on their days, and nobody else's")
    func measures() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let group = try circle.group(of: ada, with: [bob])
            // Half an hour, and three quarters of one and half a minute; the third one began the day before.
            let hour: Int64 = 3_600_000
            let spans: [(String, Int64, Int64)] = [
                ("one", start, 1_800_000), ("two", start + 2 * hour, 2_730_000), ("old", start - 10 * hour, 600_000),
            ]
            circle.advance(4 * hour)
            try circle.onSession { context in
                for (name, began, lasted) in spans {
                    var run = try KeptWorkout(id: ID(name), .running, goal: nil, endsAtGoal: false, start: began)
                    try run.end(at: began + lasted, because: .person)
                    run.figures = ["started": .integer(began), "duration_s": .integer(lasted / 1000)]
                    try context.store.change(ada) { () throws(VaultError) in
                        try WorkoutRows(context.store, context.keys).write(run, of: ada)
                    }
                }
            }
            try circle.walk(ada, at: start, 0, 5000)
            try circle.walk(bob, at: start, 0, 1000)
            func metres(_ user: ID) throws -> Int64 {
                switch try circle.done(user, "statistics/today")["distance_m"] {
                case .integer(let metres)?: return metres
                case .number(let metres)?: return Int64(metres.rounded())
                case let other: throw TestFailure("\(String(describing: other))")
                }
            }
            let (far, near) = (try metres(ada), try metres(bob))
            #expect(far > near && near > 0)
            try circle.exercise(bob, "ride", start - 7_200_000, 3_600_000, metres: 20_000, "cycling")
            for (measure, rows) in [
                ("minutes", ["1 Ada 75", "2 Bob 0"]), ("workouts", ["1 Ada 2", "2 Bob 0"]),
                ("distance", ["1 Ada \(far)", "2 Bob \(near)"]),
                ("all-distance", ["1 Bob \(near + 20_000)", "2 Ada \(far)"]),
            ] {
                try circle.done(
                    ada, "groups/challenge", ["group": group, "measure": .string(measure), "period": "week"])
                #expect(try circle.table(bob, group) == rows, "\(measure)")
                if measure == "all-distance" {
                    let told = try circle.told(bob, "challenge-begun")
                    #expect(told.first?.contains("distance in all ways") == true, "\(told)")
                }
                try circle.done(ada, "groups/end-challenge", ["group": group])
            }
        }
    }
}
