import ActivityFiles
import Fitness
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Exercise
@testable import vitals_consumer

@Suite("Corrections of workouts", .timeLimit(.minutes(60)))
struct CorrectionTests {
    private func time(_ seconds: Int64) -> JSON { .integer(start + seconds * 1000) }

    // MARK: What is said of a workout

    @Test("a title, a note and an activity are everywhere, and undone one after the other")
    func said() throws {
        try WorkoutHouse.with { house in
            let id = try house.bring(.byWatch())
            let before = try house.figures()
            let told = try house.done("workouts/edit", ["id": id, "title": "Around the lake", "note": "Muddy.\nCold."])
            #expect(try told.list("workouts").first?["name"] == "Around the lake")
            #expect(try house.lines()[0]["name"] == "Around the lake")
            // Its figures stay the same, under the new name.
            #expect(try house.recounted() == 0)
            let shown = try house.shown(id)
            #expect(shown["name"] == "Around the lake" && shown["note"] == "Muddy.\nCold." && shown["corrections"] == 1)
            for format in ["fit", "gpx", "tcx"] {
                let file = try house.exported(id.words, format)
                #expect(String(decoding: file.bytes, as: UTF8.self).contains("Around the lake"), "\(format)")
            }
            let ridden = try house.done("workouts/edit", ["id": id, "activity": "cycling"]).list("workouts")
            #expect(ridden.first?["activity"] == "cycling" && ridden.first?["energy_kcal"] != before[2])
            let day = try house.done("statistics/day", ["day": "2026-11-21"])
            #expect(try #require(day["distances_m"]).number("bicycle") > 2000 && day["distances_m"]?["foot"] == nil)
            try house.settle()
            #expect(try house.recounted() == 0)
            #expect(try house.refused("workouts/edit", ["id": id, "activity": "cycling"]).message.contains("already"))
            // The person's title goes, and the name from the file is back.
            try house.done("workouts/edit", ["id": id, "title": ""])
            #expect(try house.shown(id)["name"] == "Lake")
            for left in [2, 1, nil] as [JSON?] {
                try house.done("workouts/undo", ["id": id])
                #expect(try house.shown(id)["corrections"] == left)
            }
            #expect(try house.figures() == before && house.shown(id)["note"] == nil)
            #expect(try house.refused("workouts/undo", ["id": id]).code == .notAllowed)
            try house.settle()
            #expect(try house.figures() == before && house.recounted() == 0)
        }
    }

    // MARK: Trimming

    @Test(
        "a trimmed workout is, in every figure, one that came that way",
        arguments: [(100, 800), (0, 700), (310, 900)] as [(Int64, Int64)])
    func trimmed(from: Int64, to: Int64) throws {
        try WorkoutHouse.with { house in
            let totals = Totals(distanceMetres: 2900, energyKilocalories: 300)
            let id = try house.bring(.byWatch(totals: totals))
            let whole = try house.figures()
            try house.done("workouts/edit", ["id": id, "from": time(from), "to": time(to)])
            let cut = try house.figures()
            try house.settle()
            #expect(try house.figures() == cut && house.recounted() == 0)
            try WorkoutHouse.with { other in
                // What began in a pause begins with its end.
                _ = try other.bring(.byWatch((from == 310 ? 330 : from)...to))
                #expect(try other.figures() == cut)
            }
            // It is still known as what it was.
            let again = try house.imported(FITFile.write(Recording.byWatch(totals: totals))).list("workouts").first
            #expect(again?["outcome"] == "duplicate" && again?["id"] == id)
            try house.done("workouts/undo", ["id": id, "all": true])
            #expect(try house.figures() == whole && whole != cut)
            try house.settle()
            #expect(try house.recounted() == 0)
        }
    }

    @Test("one of the person's own is trimmed across midnight, to the next day and back, and late readings count in it")
    func own() throws {
        try WorkoutHouse.with { house in
            // Four minutes before midnight.
            let midnight = (start / 86_400_000 + 1) * 86_400 - start / 1000
            house.set(midnight - 240)
            try house.done("workouts/start", ["activity": "running"])
            house.set(midnight + 240)
            let readings = try house.run(midnight - 240..<midnight + 240)
            try house.publish(Array(readings.prefix(readings.count / 2)))
            let id: JSON = .string(try house.done("workouts/stop").text("id"))
            try house.settle()
            let days = {
                try ["2026-11-21", "2026-11-22"].map {
                    try house.done("statistics/day", ["day": .string($0)])["distance_m"]
                }
            }
            let before = try days()
            #expect(before[0] != nil && before[1] == nil)
            try house.done("workouts/edit", ["id": id, "from": time(midnight + 1)])
            #expect(try days()[0] == nil && house.shown(id)["started"] == time(midnight + 1))
            try house.publish(Array(readings.suffix(readings.count / 2)))
            try house.settle()
            #expect(try abs(#require(days()[1]?.double) - 717) < 10)
            #expect(try house.recounted() == 0)
            try house.done("workouts/undo", ["id": id])
            try house.settle()
            #expect(try abs(#require(days()[0]?.double) - 1440) < 20 && days()[1] == nil && house.recounted() == 0)
        }
    }

    // MARK: Splitting and joining

    @Test("what is split and joined again is what it was, with the same pause, and so it is when the split is undone")
    func splitAndJoined() throws {
        try WorkoutHouse.with { house in
            let id = try house.bring(.byWatch(totals: Totals(distanceMetres: 2900)))
            let (whole, shown) = (try house.figures(), try house.shown(id))
            for at in [400, 315] as [Int64] {
                let parts = try house.done("workouts/split", ["id": id, "at": time(at)]).list("workouts")
                #expect(parts.count == 2 && parts[0]["id"] == id)
                #expect(try house.lines().count == 2)
                let second = try #require(parts[1]["id"])
                #expect(try house.shown(second)["part_of"] == id)
                #expect(try house.refused("workouts/undo", ["id": second]).message.contains(id.words))
                let metres = try parts.map { try $0.number("distance_m") }
                #expect(abs(metres[0] + metres[1] - 2610) < 30, "\(metres)")
                try house.settle()
                #expect(try house.recounted() == 0)
                try house.done("workouts/join", ["ids": [second, id]])
                #expect(try house.figures() == whole)
                #expect(try house.shown(id).without("corrections") == shown, "its pause and its charts, too")
                // The other part comes back, and goes with the split.
                try house.done("workouts/undo", ["id": id])
                #expect(try house.lines().count == 2)
                try house.done("workouts/undo", ["id": id])
                try house.settle()
                #expect(try house.figures() == whole && house.shown(id) == shown && house.recounted() == 0)
            }
        }
    }

    @Test("of a part that was joined again nothing is left when all is undone, unless it was itself split")
    func allUndone() throws {
        try WorkoutHouse.with { house in
            let id = try house.bring(.byWatch())
            let whole = try house.figures()
            func split(_ id: JSON, _ seconds: Int64) throws -> JSON {
                let parts = try house.done("workouts/split", ["id": id, "at": time(seconds)]).list("workouts")
                return try #require(parts.last?["id"])
            }
            let second = try split(id, 400)
            try house.done("workouts/edit", ["id": second, "title": "Second"])
            try house.done("workouts/join", ["ids": [id, second]])
            try house.done("workouts/undo", ["id": id, "all": true])
            #expect(try house.figures() == whole && house.lines().count == 1)
            var left: Int64?
            try house.restart { running in
                guard let rows = running?.rows else { return }
                do { left = try WorkoutVersions(rows.store, rows.keys).count(of: ID("demo")) } catch { Issue.record("\(error)") }
            }
            #expect(left == 0)
            let again = try split(id, 400)
            let third = try split(again, 600)
            try house.done("workouts/join", ["ids": [id, again, third]])
            let refusal = try house.refused("workouts/undo", ["id": id, "all": true])
            #expect(refusal.field == "all" && refusal.message.contains("one correction after the other"), "\(refusal)")
            for one in [id, again, id] { try house.done("workouts/undo", ["id": one]) }
            #expect(try house.figures() == whole && house.lines().count == 1)
            try house.settle()
            #expect(try house.recounted() == 0)
        }
    }

    @Test("recordings of two devices are joined with each one's heart rates and distances, and a pause in between")
    func joined() throws {
        try WorkoutHouse.with { house in
            let first = try house.bring(.byWatch(0...200, totals: Totals(distanceMetres: 700)))
            var other = Recording.byWatch(400...600, totals: Totals(distanceMetres: 500))
            other.device = Device(manufacturer: "polar", product: "2", serial: "2")
            let second = try #require(house.imported(FITFile.write(other)).list("workouts").first?["id"])
            try house.settle()
            let apart = try house.figures()
            let joined = try #require(house.done("workouts/join", ["ids": [second, first]]).list("workouts").first)
            #expect(joined["id"] == first && joined["ended"] == time(600))
            #expect(try joined.number("distance_m") == 1200 && joined.number("duration_s") == 400)
            let heart = try #require(joined["heart_rate"])
            #expect(heart["min"] == 120 && heart["max"] == 129 && heart["recorded_s"] == 400, "\(heart)")
            let pauses = try house.shown(first).list("pauses")
            #expect(pauses == [["from": time(200), "to": time(400)]])
            #expect(try house.refused("workouts/show", ["id": second]).code == .notFound)
            try house.settle()
            #expect(try house.lines().count == 1 && house.recounted() == 0)
            #expect(try house.imported(FITFile.write(other)).list("workouts").first?["outcome"] == "duplicate")
            try house.done("workouts/undo", ["id": first])
            try house.settle()
            #expect(try house.figures() == apart && house.recounted() == 0)
        }
    }

    // MARK: Adding and deleting

    @Test("what is added by hand counts with what its person says, and has no best times")
    func added() throws {
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.publish(house.run(0..<1800))
            let fields: JSON = [
                "activity": "running", "started": time(0), "duration_s": 1800, "distance_m": 5000, "energy_kcal": 300,
                "heart_rate": 150, "title": "Forgotten", "note": "No watch.",
            ]
            let told = try #require(house.done("workouts/add", fields).list("workouts").first)
            let id = try #require(told["id"])
            #expect(
                told["by_hand"] == true && told["source"] == nil && told["best"] == nil && told["name"] == "Forgotten")
            #expect(told["distance_m"] == 5000 && told["energy_kcal"] == 300 && told["duration_s"] == 1800)
            #expect(told["heart_rate"] == ["mean": 150] && told["speed_mps"]?["pace"] == "6:00")
            #expect(try house.shown(id)["note"] == "No watch." && house.shown(id)["path"] == nil)
            #expect(try house.done("statistics/day", ["day": "2026-11-21"])["distance_m"] == 5000)
            let records = try house.done("workouts/records").list("records")
            #expect(
                records.contains { $0["farthest_m"] == 5000 } && !records.contains { $0["fastest_1000_m_s"] != nil })
            #expect(try house.refused("workouts/add", fields).message.contains("of that time already"))
            try house.done("workouts/edit", ["id": id, "activity": "walking"])
            for (verb, more) in [("edit", ["to": time(900)]), ("split", ["at": time(900)])] as [(String, JSON)] {
                #expect(try house.refused("workouts/\(verb)", more.with("id", id)).message.contains("by hand"))
            }
            try house.settle()
            #expect(try house.recounted() == 0)
            try house.done("workouts/delete", ["id": id])
            #expect(try house.done("statistics/day", ["day": "2026-11-21"])["distance_m"] == nil)
        }
    }

    @Test("who deletes a corrected workout deletes what it was, too, but no other part")
    func deleted() throws {
        try WorkoutHouse.with { house in
            let id = try house.bring(.byWatch())
            try house.done("workouts/edit", ["id": id, "from": time(100)])
            let second = try #require(
                house.done("workouts/split", ["id": id, "at": time(500)]).list("workouts").last?["id"])
            let distance = try house.shown(second)["distance_m"]
            try house.done("workouts/delete", ["id": id])
            try house.settle()
            #expect(try house.shown(second)["distance_m"] == distance && house.lines().count == 1)
            // 901 were there, and those until the split went.
            #expect(try house.stored(.heartRate) == 401)
            #expect(
                try house.imported(FITFile.write(Recording.byWatch())).list("workouts").first?["outcome"] == "refused")
            #expect(try house.recounted() == 0)
        }
        try WorkoutHouse.with { house in
            let id = try house.bring(.byWatch())
            let second = try #require(
                house.done("workouts/split", ["id": id, "at": time(500)]).list("workouts").last?["id"])
            try house.done("workouts/delete", ["id": second])
            #expect(try house.refused("workouts/undo", ["id": id]).message.contains("was deleted"))
            #expect(try house.lines().count == 1)
        }
    }
}

extension JSON {
    fileprivate var words: String { if case .string(let text) = self { text } else { "" } }
}
