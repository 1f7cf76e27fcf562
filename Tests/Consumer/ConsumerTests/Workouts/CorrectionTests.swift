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
    // MARK: What is corrected

    /// What a watch has recorded: a heart rate and a place each second, with a pause of thirty seconds after five minutes.
    private func recording(_ seconds: ClosedRange<Int64> = 0...900, totals: Totals = Totals()) -> Recording {
        let samples = seconds.map { second -> Sample in
            var sample = Sample(time: start + second * 1000)
            sample.heartRate = UInt16(120 + second / 20)
            sample.place = Place(latitude: 48 + Double(second) * 3 / 111_195.08, longitude: 11)
            sample.altitude = 500
            return sample
        }
        let pause = Pause(start: start + 300_000, end: start + 330_000)
        return Recording(
            sport: .running, name: "Lake", start: start + seconds.lowerBound * 1000,
            end: start + seconds.upperBound * 1000,
            pauses: seconds.contains(300) && seconds.contains(330) ? [pause] : [], samples: samples, totals: totals,
            device: Device(manufacturer: "garmin", product: "3113", serial: "1"))
    }

    private func time(_ seconds: Int64) -> JSON { .integer(start + seconds * 1000) }

    /// A house with such a recording.
    /// - Returns: the id of the workout.
    private func bring(_ recording: Recording, to house: WorkoutHouse) throws -> JSON {
        house.set(20_000)
        try house.done("consent/set", ["record_location": true])
        try house.done(
            "profile/set",
            ["name": "Ada", "date_of_birth": "1991-01-01", "gender": "female", "height_cm": 170, "weight_kg": 60])
        try house.done("goals/set", ["distance_m": 2000])
        let outcome = try #require(house.imported(FITFile.write(recording)).list("workouts").first)
        #expect(outcome["outcome"] == "imported", "\(outcome)")
        try house.settle()
        return .string(try outcome.text("id"))
    }

    private func lines(_ house: WorkoutHouse) throws -> [JSON] { try house.done("workouts/list").list("workouts") }

    private func show(_ house: WorkoutHouse, _ id: JSON) throws -> JSON { try house.done("workouts/show", ["id": id]) }

    /// Everything that follows from workouts, without their ids.
    private func figures(_ house: WorkoutHouse) throws -> [JSON] {
        let day = try house.done("statistics/day", ["day": "2026-11-21"])
        let goal = day["goals"]?["distance_m"]?["reached"] ?? .null
        let week = try house.done("statistics/week", ["day": "2026-11-21"])["summary"]
        let ofDays: [JSON] = [day, week ?? .null].flatMap { one in
            ["distance_m", "distances_m", "energy_kcal", "active_energy_kcal"].map { one[$0] ?? .null }
        }
        let replies = try ["list", "statistics", "records", "load"].map {
            try house.done("workouts/\($0)").without("id")
        }
        return ofDays + [goal] + replies
    }

    // MARK: What is said of a workout

    @Test("a title, a note and an activity are everywhere, and undone one after the other")
    func said() throws {
        try WorkoutHouse.with { house in
            let id = try bring(recording(), to: house)
            let before = try figures(house)
            let told = try house.done("workouts/edit", ["id": id, "title": "Around the lake", "note": "Muddy.\nCold."])
            #expect(try told.list("workouts").first?["name"] == "Around the lake")
            #expect(try lines(house)[0]["name"] == "Around the lake")
            let shown = try show(house, id)
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
            // A name of one's own goes, and that of the file is there again.
            try house.done("workouts/edit", ["id": id, "title": ""])
            #expect(try show(house, id)["name"] == "Lake")
            for left in [2, 1, nil] as [JSON?] {
                try house.done("workouts/undo", ["id": id])
                #expect(try show(house, id)["corrections"] == left)
            }
            #expect(try figures(house) == before && show(house, id)["note"] == nil)
            #expect(try house.refused("workouts/undo", ["id": id]).code == .notAllowed)
            try house.settle()
            #expect(try figures(house) == before && house.recounted() == 0)
        }
    }

    // MARK: Trimming

    @Test(
        "a trimmed workout is, in every figure, one that came that way", arguments: [(100, 800), (0, 700), (310, 900)])
    func trimmed(from: Int64, to: Int64) throws {
        try WorkoutHouse.with { house in
            let totals = Totals(distanceMetres: 2900, energyKilocalories: 300)
            let id = try bring(recording(totals: totals), to: house)
            let whole = try figures(house)
            try house.done("workouts/edit", ["id": id, "from": time(from), "to": time(to)])
            let cut = try figures(house)
            try house.settle()
            #expect(try figures(house) == cut && house.recounted() == 0)
            try WorkoutHouse.with { other in
                // What began in a pause begins with its end.
                _ = try bring(recording((from == 310 ? 330 : from)...to), to: other)
                #expect(try figures(other) == cut)
            }
            // It is still known as what it was.
            let again = try house.imported(FITFile.write(recording(totals: totals))).list("workouts").first
            #expect(again?["outcome"] == "duplicate" && again?["id"] == id)
            try house.done("workouts/undo", ["id": id, "all": true])
            #expect(try figures(house) == whole && whole != cut)
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
            #expect(try days()[0] == nil && show(house, id)["started"] == time(midnight + 1))
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
            let id = try bring(recording(totals: Totals(distanceMetres: 2900)), to: house)
            let (whole, shown) = (try figures(house), try show(house, id))
            for at in [400, 315] as [Int64] {
                let parts = try house.done("workouts/split", ["id": id, "at": time(at)]).list("workouts")
                #expect(parts.count == 2 && parts[0]["id"] == id)
                #expect(try lines(house).count == 2)
                let second = try #require(parts[1]["id"])
                #expect(try show(house, second)["part_of"] == id)
                #expect(try house.refused("workouts/undo", ["id": second]).message.contains(id.words))
                let metres = try parts.map { try $0.number("distance_m") }
                #expect(abs(metres[0] + metres[1] - 2610) < 30, "\(metres)")
                try house.settle()
                #expect(try house.recounted() == 0)
                try house.done("workouts/join", ["ids": [second, id]])
                #expect(try figures(house) == whole)
                #expect(try show(house, id).without("corrections") == shown, "its pause and its charts, too")
                // The other part comes back, and goes with the split.
                try house.done("workouts/undo", ["id": id])
                #expect(try lines(house).count == 2)
                try house.done("workouts/undo", ["id": id])
                try house.settle()
                #expect(try figures(house) == whole && show(house, id) == shown && house.recounted() == 0)
            }
        }
    }

    @Test("recordings of two devices are joined with each one's heart rates and distances, and a pause in between")
    func joined() throws {
        try WorkoutHouse.with { house in
            let first = try bring(recording(0...200, totals: Totals(distanceMetres: 700)), to: house)
            var other = recording(400...600, totals: Totals(distanceMetres: 500))
            other.device = Device(manufacturer: "polar", product: "2", serial: "2")
            let second = try #require(house.imported(FITFile.write(other)).list("workouts").first?["id"])
            try house.settle()
            let apart = try figures(house)
            let joined = try #require(house.done("workouts/join", ["ids": [second, first]]).list("workouts").first)
            #expect(joined["id"] == first && joined["ended"] == time(600))
            #expect(try joined.number("distance_m") == 1200 && joined.number("duration_s") == 400)
            let heart = try #require(joined["heart_rate"])
            #expect(heart["min"] == 120 && heart["max"] == 150 && heart["recorded_s"] == 400, "\(heart)")
            let pauses = try show(house, first).list("pauses")
            #expect(pauses == [["from": time(200), "to": time(400)]])
            #expect(try house.refused("workouts/show", ["id": second]).code == .notFound)
            try house.settle()
            #expect(try lines(house).count == 1 && house.recounted() == 0)
            #expect(try house.imported(FITFile.write(other)).list("workouts").first?["outcome"] == "duplicate")
            try house.done("workouts/undo", ["id": first])
            try house.settle()
            #expect(try figures(house) == apart && house.recounted() == 0)
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
            #expect(try show(house, id)["note"] == "No watch." && show(house, id)["path"] == nil)
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
            let id = try bring(recording(), to: house)
            try house.done("workouts/edit", ["id": id, "from": time(100)])
            let second = try #require(
                house.done("workouts/split", ["id": id, "at": time(500)]).list("workouts").last?["id"])
            let distance = try show(house, second)["distance_m"]
            try house.done("workouts/delete", ["id": id])
            try house.settle()
            #expect(try show(house, second)["distance_m"] == distance && lines(house).count == 1)
            // 901 were there, and those until the split went.
            #expect(try house.stored(.heartRate) == 401)
            #expect(try house.imported(FITFile.write(recording())).list("workouts").first?["outcome"] == "refused")
            #expect(try house.recounted() == 0)
        }
        try WorkoutHouse.with { house in
            let id = try bring(recording(), to: house)
            let second = try #require(
                house.done("workouts/split", ["id": id, "at": time(500)]).list("workouts").last?["id"])
            try house.done("workouts/delete", ["id": second])
            #expect(try house.refused("workouts/undo", ["id": id]).message.contains("was deleted"))
            #expect(try lines(house).count == 1)
        }
    }

    // MARK: Refusals

    @Test("what cannot be is refused, with the field and the reason, and changes nothing")
    func refused() throws {
        try WorkoutHouse.with { house in
            let id = try bring(recording(), to: house)
            let before = try figures(house)
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
            // No more than can be undone.
            for number in 1...30 { try house.done("workouts/edit", ["id": id, "title": .string("\(number)")]) }
            #expect(try house.refused("workouts/edit", ["id": id, "title": "x"]).message.contains("30 times"))
            try house.done("workouts/undo", ["id": id, "all": true])
            #expect(try figures(house) == before)
        }
    }

    @Test("only what follows soon can be joined, with nothing in between")
    func apart() throws {
        try WorkoutHouse.with { house in
            house.set(80_000)
            func add(_ from: Int64, _ to: Int64) throws -> JSON {
                try #require(
                    house.imported(FITFile.write(recording(from...to)), keepingBoth: true).list("workouts").first?["id"]
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
            #expect(try lines(house).count == 3)
        }
    }
}

extension JSON {
    /// The same without members of a name, wherever they are.
    fileprivate func without(_ name: String) -> JSON {
        switch self {
        case .object(let members):
            .object(members.filter { $0.name != name }.map { Member($0.name, $0.value.without(name)) })
        case .array(let values): .array(values.map { $0.without(name) })
        default: self
        }
    }

    fileprivate var words: String { if case .string(let text) = self { text } else { "" } }
}
