import Daemon
import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@Suite("Plans of trainings, at a running service", .timeLimit(.minutes(60)))
struct TrainingPlansTests {
    @Test("are offered by what the person says and is, and the same seed leads to the same ones")
    func offers() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let unknown = try house.done("training/offer", ["seed": 5])
            #expect(try unknown.list("offers").count == 3 && unknown["seed"] == 5)
            #expect(try unknown.list("offers").first?["kind"] == "weights")
            #expect(try unknown.list("notes").contains { $0.words.contains("your profile lacks") }, "\(unknown)")
            #expect(try unknown.list("offers").allSatisfy { $0["energy_kcal"] == nil })
            #expect(try house.done("training/offer", ["seed": 5]) == unknown)
            #expect(try house.done("training/offer", ["seed": 6]) != unknown)
            let drawn = try house.done("training/offer", ["random": true])
            #expect(try drawn.list("offers").count == 1)
            #expect(try house.done("training/offer", ["random": true, "seed": drawn["seed"] ?? 0]) == drawn)

            try house.saveProfile("de", "metric")
            let known = try house.done("training/offer", ["seed": 5])
            #expect(try known.list("notes").count == 1 && known.list("notes")[0].words.contains("Rat"), "\(known)")
            #expect(try known.list("offers").allSatisfy { try $0.number("energy_kcal") > 20 })
            let exercises = try known.list("offers").flatMap { try $0.list("exercises") }
            #expect(exercises.allSatisfy { $0["equipment"] == "body only" })
            #expect(try known.list("offers").allSatisfy { (1500...2100).contains(try $0.number("duration_s")) })

            let set = try house.done("training/set", ["equipment": ["dumbbell", "bands"], "level": "intermediate"])
            #expect(set["equipment"] == ["dumbbell", "bands"] && set["level"] == "intermediate", "\(set)")
            #expect(try house.done("training/get") == set)
            let fields: JSON = ["kind": "weights", "minutes": 60, "muscles": ["chest"], "seed": 5]
            let equipped = try house.done("training/offer", fields)
            let tools = Set(try equipped.list("offers").flatMap { try $0.list("exercises") }.map { $0["equipment"] })
            #expect(tools.isSubset(of: ["body only", "dumbbell", "bands"]) && tools.count > 1, "\(tools)")
            #expect(try equipped.list("offers").allSatisfy { try $0.list("muscles").contains("chest") })
        }
    }

    /// What cannot be asked, and the field that is named.
    private static let wrong: [(String, JSON, field: String)] = [
        ("offer", ["minutes": 9], "minutes"), ("offer", ["minutes": 91], "minutes"), ("offer", ["kind": "yoga"], "kind"),
        ("offer", ["equipment": ["sofa"]], "equipment"), ("offer", ["equipment": ["bands", "bands"]], "equipment"),
        ("offer", ["muscles": ["heart"]], "muscles"), ("offer", ["seed": -1], "seed"),
        ("offer", ["seed": 4_294_967_296], "seed"), ("set", ["level": "expert"], "level"),
        ("set", ["equipment": "bands"], "equipment"), ("choose", ["plan": "1-w-30"], "plan"), ("choose", [:], "plan"),
        ("start", [:], "plan"), ("start", ["plan": "x", "choice": "x"], "plan"), ("start", ["plan": "x"], "plan"),
        ("start", ["choice": "nobody"], "choice"), ("unchoose", ["choice": "nobody"], "choice"),
        ("exercise", ["exercise": "Sofa"], "exercise"), ("exercises", ["after": "Sofa"], "after"),
        ("week", ["day": "soon"], "day"), ("day", ["day": "2026-02-30"], "day"),
    ]

    @Test("cannot be asked for in any way: what is wrong is named")
    func refused() throws {
        try WorkoutHouse.training { house in
            for (verb, fields, field) in Self.wrong {
                #expect(try house.refused("training/\(verb)", fields).field == field, "\(verb) \(fields)")
            }
            let level = try house.refused("training/set", ["level": "expert"])
            #expect(level.message == "\"level\" has to be one of beginner, intermediate", "\(level)")
            let unknown = try house.refused("training/set", ["equipment": ["bands", "dumbell"]])
            #expect(unknown.message.hasPrefix("\"equipment\" has \"dumbell\", and can have "), "\(unknown)")
            let twice = try house.refused("training/set", ["equipment": ["bands", "bands"]])
            #expect(twice.message == "\"equipment\" has \"bands\" twice", "\(twice)")
            #expect(try house.refused("training/next").code == .notFound)
            try house.done("workouts/start", ["activity": "running"])
            let plan = try house.plan()
            #expect(try house.refused("training/start", ["plan": plan["plan"] ?? .null]).code == .busy)
        }
    }

    @Test("are chosen for the week and taken back, each once, and not more than the week can hold")
    func choices() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let plan = try house.plan()
            let first = try house.done("training/choose", ["plan": plan["plan"] ?? .null])
            #expect(first["from"] == "2026-11-16" && first["to"] == "2026-11-22", "\(first)")
            let chosen = try #require(try first.list("chosen").first)
            #expect(chosen["choice"] == first["choice"] && chosen["title"] == plan["title"], "\(chosen)")
            #expect(chosen["duration_s"] == plan["duration_s"] && chosen["time"] == .integer(start))
            #expect(try house.done("training/choose", ["plan": plan["plan"] ?? .null]) == first)
            let gone = try house.done("training/unchoose", ["choice": first["choice"] ?? .null])
            #expect(try gone.list("chosen").isEmpty)
            for seed in 1...14 {
                try house.done("training/choose", ["plan": house.plan(seed: Int64(seed))["plan"] ?? .null])
            }
            let error = try house.refused("training/choose", ["plan": house.plan(seed: 15)["plan"] ?? .null])
            #expect(error.code == .notAllowed, "\(error)")
            // Another week is empty.
            house.set(7 * 86_400)
            #expect(try house.done("training/week").list("chosen").isEmpty)
            #expect(try house.done("training/week", ["day": "2026-11-21"]).list("chosen").count == 14)
        }
    }

    @Test("that were made without a limit that the person has now are neither chosen nor started, and the reason is said")
    func limits() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            try house.saveProfile("en", "metric")
            let plan = try house.plan()["plan"] ?? .null
            let choice = try house.done("training/choose", ["plan": plan])["choice"] ?? .null
            try house.done(
                "profile/set",
                [
                    "name": "Ada", "date_of_birth": "1950-01-01", "gender": "female", "height_cm": 170, "weight_kg": 60,
                    "locale": "en", "units": "metric",
                ])
            for (verb, fields, field) in [
                ("choose", ["plan": plan], "plan"), ("start", ["plan": plan], "plan"),
                ("start", ["choice": choice], "choice"),
            ] as [(String, JSON, String)] {
                let error = try house.refused("training/\(verb)", fields)
                #expect(error.code == .invalid && error.field == field, "\(verb): \(error)")
                #expect(error.message.contains("65 or older: ask for another offer"), "\(verb): \(error)")
            }
            #expect(try house.done("training/current")["training"] == .null)
            try house.train(try house.plan())
        }
    }

    @Test("are made of exercises that can be listed, page by page, and read")
    func exercises() throws {
        try WorkoutHouse.training { house in
            let count = try house.done("training/get").number("exercises")
            var (seen, part): ([JSON], JSON?) = ([], [:])
            while let asked = part {
                let page = try house.done("training/exercises", asked)
                #expect(try page.list("exercises").count <= 50)
                seen += try page.list("exercises").map { $0["exercise"] ?? .null }
                part = page["next"].map { ["after": $0] }
            }
            #expect(Double(seen.count) == count && Set(seen).count == seen.count && seen.count > 400)
            let chest = try house.done("training/exercises", ["muscle": "chest", "text": "PUSH-UP"]).list("exercises")
            #expect(!chest.isEmpty && chest.allSatisfy { $0.words.lowercased().contains("push-up") })
            let one = try house.done("training/exercise", ["exercise": chest[0]["exercise"] ?? .null])
            #expect(try one["name"] == chest[0]["name"] && !one.list("instructions").isEmpty)
        }
    }

    @Test(
        "are not made without exercises, and the person is told what the operator has to do",
        .enabled(if: !FileManager.default.fileExists(atPath: "/usr/share/vitals/exercises.json")))
    func none() throws {
        try WorkoutHouse.with { house in
            for verb in ["get", "offer", "exercises"] {
                let error = try house.refused("training/\(verb)")
                #expect(error.code == .notReady && error.message.contains("training: { exercises:"), "\(error)")
            }
            #expect(try house.done("training/week")["workouts"] == 0)
        }
    }

    @Test("are made of another file as soon as a running service has read its settings again, and a training goes on")
    func reloaded() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let training = try house.train(house.plan())
            let all = try String(contentsOfFile: "\(projectFolder)/deploy/training/exercises.json", encoding: .utf8)
            let some = all.split(separator: "\n").filter { $0.contains(#""equipment": "body only""#) }.prefix(80)
                .map { line in String(line.hasSuffix(",") ? line.dropLast() : line) }
            let path = house.household.path("exercises.json")
            try "[\n\(some.joined(separator: ",\n"))\n]\n".write(toFile: path, atomically: true, encoding: .utf8)
            try house.reload("training: { exercises: \"\(path)\" },")
            #expect(try house.done("training/get")["exercises"] == 80)
            let known = try some.map { try JSON(payload: Array($0.utf8))["id"] }
            let planned = try house.plan(seed: 8).list("exercises").map { $0["exercise"] }
            #expect(!planned.isEmpty && planned.allSatisfy(known.contains), "\(planned)")
            let now = try house.done("training/current")["training"] ?? .null
            #expect(now["workout"] == training["workout"] && now["exercise"] == training["exercise"])
        }
    }

    @Test("are not made of a broken file: it is refused with line and reason, and so is one that is not there")
    func broken() throws {
        let household = try Household()
        let path = household.path("exercises.json")
        func problem() throws -> String {
            let error = thrown(SettingsError.self) {
                try household.settings(port: 1, more: "training: { exercises: \"exercises.json\" },")
            }
            return "\(try #require(error))"
        }
        #expect(try problem().contains("there is no file"))
        try "[\n{\"id\": \"Plank\"}\n]\n".write(toFile: path, atomically: true, encoding: .utf8)
        let words = try problem()
        #expect(words.contains("line 2") && words.contains("Plank") && words.contains("training.exercises"), "\(words)")
        try "[]".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try problem().contains("line 1"))
    }
}

extension JSON {
    /// A text, or the value as it is written.
    fileprivate var words: String {
        if case .string(let text) = self { text } else { String(decoding: bytes, as: UTF8.self) }
    }
}
