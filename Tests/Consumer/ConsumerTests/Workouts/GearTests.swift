import HouseholdSupport
import Telemetry
import TestSupport
import Testing
import Workouts

@testable import Exercise

@Suite("Gear", .timeLimit(.minutes(60)))
struct GearTests {
    private func isNear(_ metres: Double, _ expected: Double) -> Bool { abs(metres - expected) < 4 }

    private func gear(_ number: Int, _ name: String, _ activities: [Activity] = []) throws -> Gear {
        Gear(
            id: try ID("gear-\(number)"), name: name, kind: .shoes, metresBefore: 1_000_000_000, activities: activities,
            isRetired: false, added: start)
    }

    @Test("no two pieces have one name, and an activity has one piece that is used by default")
    func names() throws {
        var list = GearList()
        try list.put(gear(1, "Blue", [.running, .walking]))
        #expect(throws: GearProblem.nameTaken) { try list.put(gear(2, "BLUE")) }
        try list.put(gear(2, "Red", [.running]))
        #expect(list.usual(for: .running)?.name == "Red" && list.usual(for: .walking)?.name == "Blue")
        #expect(list.usual(for: .cycling) == nil)
        #expect(
            list.piece("rED")?.id.text == "gear-2" && list.piece("gear-1")?.name == "Blue" && list.piece("x") == nil)
        var retired = try gear(2, "Red", [.running])
        retired.isRetired = true
        try list.put(retired)
        #expect(list.usual(for: .running) == nil && list.pieces.count == 2)
        list.remove(retired.id)
        #expect(list.pieces.map(\.name) == ["Blue"] && list.json(of: retired.id) == nil)
    }

    @Test("a hundred pieces with the longest of names fit into a document, and come out of it as they were")
    func most() throws {
        var list = GearList()
        // Characters that take the most room as JSON.
        func name(_ number: Int) -> String { String(repeating: "\"", count: 61) + "\(100 + number)" }
        for number in 0..<GearList.most { try list.put(gear(number, name(number))) }
        #expect(throws: GearProblem.tooMany) { try list.put(gear(100, "One more")) }
        for number in 0..<GearList.mostActivities / Gear.mostActivities {
            let activities = try (0..<Gear.mostActivities).map {
                Activity.custom(try #require(Activity.Name(name(number * 10 + $0 + 200))))
            }
            try list.put(gear(number, name(number), activities))
        }
        #expect(throws: GearProblem.tooManyActivities) { try list.put(gear(99, name(99), [.running])) }
        let json = JSON.object([JSON.Member("gear", .array(list.pieces.map { .object($0.members) }))])
        #expect(json.bytes.count < JSON.maximumLength)
        guard case .array(let kept)? = try JSON(payload: json.bytes)["gear"] else { throw TestFailure("no gear") }
        #expect(kept.compactMap(Gear.init) == list.pieces)
    }

    @Test(
        "a workout gets its activity's gear, can be given another, and its distance counts late readings and deletions")
    func wholeWay() throws {
        try WorkoutHouse.with { house in
            let blue = try house.done(
                "gear/add", ["name": "Blue shoes", "kind": "shoes", "before_m": 120_000, "activities": ["running"]])
            let id = try #require(blue["gear"]).text("id")
            try house.done("gear/add", ["name": "Red shoes", "kind": "shoes"])
            func pieces() throws -> [JSON] { try house.done("gear/list").list("gear") }
            func metres(_ index: Int) throws -> Double { try pieces()[index].number("distance_m") }
            #expect(try metres(0) == 120_000 && metres(1) == 0 && pieces()[0]["workouts"] == 0)

            house.set(0)
            let started = try house.done("workouts/start", ["activity": "running"])
            #expect(started["workout"]?["gear"] == ["id": .string(id), "name": "Blue shoes"])
            #expect(try house.published("the gear") { $0?["gear"]?["name"] == "Blue shoes" } != nil)
            try house.done("workouts/set", ["gear": "red SHOES"])
            #expect(try house.published("other gear") { $0?["gear"]?["name"] == "Red shoes" } != nil)
            // It is still that after a restart.
            try house.restart()
            #expect(try house.done("workouts/current")["workout"]?["gear"]?["name"] == "Red shoes")
            house.set(200)
            try house.publish(house.run(0..<100))
            let run = try house.done("workouts/stop").text("id")
            try house.settle()
            #expect(try isNear(metres(1), 297) && metres(0) == 120_000)
            #expect(try house.done("workouts/list").list("workouts")[0]["gear"]?["name"] == "Red shoes")

            let set = try house.done("workouts/set", ["workout": .string(run), "gear": .string(id)])
            #expect(set["gear"]?["name"] == "Blue shoes")
            #expect(try house.done("workouts/show", ["id": .string(run)])["gear"]?["name"] == "Blue shoes")
            #expect(try isNear(metres(0), 120_297) && metres(1) == 0)
            func total() throws -> Double {
                let report = try house.done("workouts/report", ["period": "day"])
                return try #require(report["total"]).number("distance_m")
            }
            #expect(try isNear(total(), 297))
            house.set(4000)
            try house.publish(house.run(100..<200))
            try house.settle()
            #expect(try isNear(metres(0), 120_597) && isNear(total(), 597))
            #expect(try house.recounted() == 0)
            let piece = try pieces()[0]
            #expect(piece["last_used"] == .integer(start) && piece["workouts"] == 1 && piece["duration_s"] == 200)

            try house.done("workouts/delete", ["id": .string(run)])
            #expect(try metres(0) == 120_000 && pieces()[0]["last_used"] == nil)
        }
    }

    @Test("gear is changed, retired and deleted; the workouts stay")
    func changes() throws {
        try WorkoutHouse.with { house in
            try house.done("gear/add", ["name": "Thunder", "kind": "bicycle", "activities": ["cycling", "cycling"]])
            func ride() throws -> JSON? {
                let gear = try house.done("workouts/start", ["activity": "cycling"])["workout"]?["gear"]
                try house.done("workouts/cancel")
                return gear
            }
            #expect(try ride()?["name"] == "Thunder")
            let changed = try house.done("gear/change", ["gear": "thunder", "name": "Lightning", "before_m": 5])
            #expect(changed["gear"]?["activities"] == ["cycling"] && changed["gear"]?["before_m"] == 5)
            try house.done("gear/change", ["gear": "Lightning", "retired": true])
            #expect(try ride() == nil)
            // What somebody names is used even so.
            try house.done("workouts/start", ["activity": "cycling", "gear": "Lightning"])
            let id = try house.done("workouts/stop").text("id")
            try house.done("gear/change", ["gear": "Lightning", "retired": false])
            #expect(
                try house.done("workouts/start", ["activity": "cycling", "gear": .null])["workout"]?["gear"] == nil)
            try house.done("workouts/cancel")
            try house.done("gear/delete", ["gear": "Lightning"])
            #expect(try house.done("gear/list").list("gear").isEmpty)
            #expect(try house.done("workouts/list").list("workouts").map { $0["gear"] } == [nil])
            #expect(try house.done("workouts/show", ["id": .string(id)])["gear"] == nil)
        }
    }

    @Test("what cannot be is an error that says which field is wrong")
    func refusals() throws {
        try WorkoutHouse.with { house in
            let shoes: JSON = ["name": "Shoes", "kind": "shoes"]
            try house.done("gear/add", shoes)
            #expect(try house.refused("gear/add", shoes).field == "name")
            for (fields, field) in [
                (["kind": "shoes"], "name"), (["name": "A"], "kind"), (["name": "A", "kind": "hat"], "kind"),
                (["name": "a\nb", "kind": "shoes"], "name"), (["name": " ", "kind": "shoes"], "name"),
                (["name": .string(String(repeating: "a", count: 65)), "kind": "shoes"], "name"),
                (["name": "A", "kind": "shoes", "before_m": -1], "before_m"),
                (["name": "A", "kind": "shoes", "before_m": .number(1e9 + 1)], "before_m"),
                (["name": "A", "kind": "shoes", "before_m": "far"], "before_m"),
                (["name": "A", "kind": "shoes", "activities": ["\n"]], "activities"),
                (["name": "A", "kind": "shoes", "activities": .array((0..<9).map { .string("\($0)") })], "activities"),
                (["name": "A", "kind": "shoes", "retired": "no"], "retired"),
            ] as [(JSON, String)] {
                let error = try house.refused("gear/add", fields)
                #expect(error.field == field && [.invalid, .badRequest].contains(error.code), "\(fields): \(error)")
            }
            for verb in ["gear/change", "gear/delete"] {
                #expect(try house.refused(verb, ["gear": "none"]).code == .notFound)
                #expect(try house.refused(verb).field == "gear")
            }
            #expect(try house.refused("workouts/start", ["activity": "running", "gear": "none"]).field == "gear")
            #expect(try house.refused("workouts/set").field == "gear")
            #expect(try house.refused("workouts/set", ["gear": "Shoes"]).code == .notFound)
            #expect(try house.refused("workouts/set", ["gear": "Shoes", "workout": "nothing"]).field == "workout")
            #expect(try house.done("gear/list").list("gear").count == 1)
        }
    }
}
