import ActivityFiles
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Exercise

@Suite("Corrections of workouts that are refused", .timeLimit(.minutes(60)))
struct CorrectionRefusalTests {
    private func time(_ seconds: Int64) -> JSON { .integer(start + seconds * 1000) }

    @Test("what cannot be is refused, with the field and the reason, and changes nothing")
    func refused() throws {
        try WorkoutHouse.with { house in
            let id = try house.bring(.byWatch())
            let before = try house.figures()
            let long = String(repeating: "x", count: 65)
            let wrong: [(String, JSON, String, String)] = [
                ("edit", ["id": "none", "title": "x"], "id", "no such workout"),
                ("edit", ["id": id], "", "say what to change"),
                ("edit", ["id": id, "title": .string(long)], "title", "64 bytes"),
                ("edit", ["id": id, "title": "a\nb"], "title", "one line"),
                ("edit", ["id": id, "note": .string(String(repeating: "x", count: 1001))], "note", "1000 characters"),
                ("edit", ["id": id, "note": .string(String(repeating: "x", count: 4001))], "note", "4000 bytes"),
                ("edit", ["id": id, "activity": "\u{7}"], "activity", "a name of your own"),
                ("edit", ["id": id, "from": time(-1)], "from", "within the workout"),
                ("edit", ["id": id, "to": time(901)], "to", "within the workout"),
                ("edit", ["id": id, "from": time(500), "to": time(400)], "to", "later than"),
                ("edit", ["id": id, "from": time(305), "to": time(320)], "from", "paused all that time"),
                ("split", ["id": id], "at", "missing"), ("split", ["id": id, "at": time(900)], "at", "within"),
                ("join", ["ids": [id]], "ids", "2 to 10"), ("join", ["ids": [id, id]], "ids", "different"),
                ("join", ["ids": [id, "none"]], "ids", "no such workout"), ("join", [:], "ids", "missing"),
                ("add", ["activity": "running", "duration_s": 60], "started", "missing"),
                ("add", ["activity": "running", "started": time(1000)], "duration_s", "missing"),
                ("add", ["activity": "running", "started": time(19_990), "duration_s": 60], "duration_s", "future"),
                ("add", ["activity": "running", "started": time(1000), "duration_s": 172_801], "duration_s", "172800"),
                ("add", ["started": time(1000), "duration_s": 60], "activity", "missing"),
                (
                    "add", ["activity": "running", "started": time(1000), "duration_s": 60, "distance_m": 5000],
                    "distance_m", "nobody"
                ),
                (
                    "add", ["activity": "running", "started": time(1000), "duration_s": 60, "energy_kcal": 5000],
                    "energy_kcal", "nobody"
                ),
                (
                    "add", ["activity": "running", "started": time(1000), "duration_s": 60, "heart_rate": 250],
                    "heart_rate", "240"
                ),
            ]
            for (verb, fields, field, words) in wrong {
                let error = try house.refused("workouts/\(verb)", fields)
                #expect(error.message.contains(words) && error.field ?? "" == field, "\(verb) \(fields): \(error)")
            }
            // What is under way.
            try house.done("workouts/start", ["activity": "running"])
            let running = try #require(house.done("workouts/current")["workout"]?["id"])
            for (verb, more) in [("edit", ["title": "x"]), ("split", ["at": time(1)]), ("undo", [:])]
                as [(String, JSON)]
            {
                let error = try house.refused("workouts/\(verb)", more.with("id", running))
                #expect(error.code == .notAllowed && error.message.contains("under way"), "\(error)")
            }
            #expect(try house.refused("workouts/join", ["ids": [id, running]]).message.contains("under way"))
            try house.done("workouts/cancel")
            // A workout has at most as many corrections as can be undone.
            for number in 1...30 { try house.done("workouts/edit", ["id": id, "title": .string("\(number)")]) }
            #expect(try house.refused("workouts/edit", ["id": id, "title": "x"]).message.contains("30 times"))
            try house.done("workouts/undo", ["id": id, "all": true])
            #expect(try house.figures() == before)
        }
    }

    @Test("there are no more parts in a day, no more versions of a person, and no long counts one after the other")
    func limits() throws {
        try WorkoutHouse.with { house in
            let id = try house.bring(.byWatch())
            func fill(_ body: @escaping (WorkoutRows, ID) throws -> Void) throws {
                try house.restart { running in
                    guard let rows = running?.rows else { return }
                    do {
                        let user = try ID("demo")
                        try rows.store.attempt(naming: [user]) { try body(rows, user) }.get()
                    } catch { Issue.record("\(error)") }
                }
            }
            try fill { rows, user in
                for number in 1...49 as ClosedRange<Int64> {
                    let began = start - number * 10_000
                    var short = try KeptWorkout(id: drawnID(), .running, goal: nil, endsAtGoal: false, start: began)
                    try short.end(at: began + 5000, because: .person)
                    try rows.write(short, of: user)
                }
            }
            let full = try house.refused("workouts/split", ["id": id, "at": time(400)])
            #expect(full.field == "at" && full.message.contains("50 workouts of that day"), "\(full)")
            try fill { rows, user in
                let kept = try KeptWorkout(id: drawnID(), .running, goal: nil, endsAtGoal: false, start: start)
                let versions = WorkoutVersions(rows.store, rows.keys)
                for number in 1...3000 as ClosedRange<Int64> {
                    let version = WorkoutVersion(id: try drawnID(), workout: kept.id, number: number, kept: kept, made: nil)
                    try versions.write(version, of: user)
                }
            }
            #expect(try house.refused("workouts/edit", ["id": id, "title": "x"]).message.contains("undo corrections"))
        }
        #expect(Corrected(samples: 400_000).rest == 20_000 && Corrected(samples: 10_000).rest == nil)
    }

    @Test("only what follows soon can be joined, with nothing in between")
    func apart() throws {
        try WorkoutHouse.with { house in
            house.set(80_000)
            func add(_ from: Int64, _ to: Int64) throws -> JSON {
                try #require(
                    house.imported(FITFile.write(Recording.byWatch(from...to)), keepingBoth: true).list("workouts")
                        .first?["id"]
                )
            }
            let (first, between, second, late) = (
                try add(0, 100), try add(150, 160), try add(200, 300), try add(21_901, 22_000)
            )
            let over = try add(250, 400)
            try house.settle()
            for (ids, words) in [
                ([first, second], "in between"), ([second, over], "overlap"), ([second, late], "6 hours"),
            ] { #expect(try house.refused("workouts/join", ["ids": .array(ids)]).message.contains(words)) }
            try house.done("workouts/join", ["ids": .array([first, second, between])])
            #expect(try house.lines().count == 3)
        }
    }
}
