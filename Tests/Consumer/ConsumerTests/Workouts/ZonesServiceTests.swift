import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Exercise

@Suite("Zones of heart rates, at a running service", .timeLimit(.minutes(60)))
struct ZonesServiceTests {
    /// What is known of the heart of somebody who is 35 years old.
    private func save(_ house: WorkoutHouse, _ heart: [JSON.Member] = []) throws -> JSON {
        let fields: [JSON.Member] = [
            JSON.Member("name", "Ada"), JSON.Member("date_of_birth", "1991-01-01"), JSON.Member("gender", "female"),
            JSON.Member("height_cm", 170), JSON.Member("weight_kg", 60),
            JSON.Member("continuous_heart_rate", true),
        ]
        return try house.done("profile/set", .object(fields + heart))
    }

    private func zones(_ house: WorkoutHouse, ofDay day: JSON) throws -> JSON? {
        try house.done("statistics/day", ["day": day])["heart_rate"]?["zones"]
    }

    private static let byAge: JSON = [
        "by": "age", "bounds": [92, 111, 129, 147, 166], "max_heart_rate": .number(183.5),
    ]
    private static let byLimits: JSON = ["by": "limits", "bounds": [100, 110, 120, 130, 150]]
    private static let limits = [
        JSON.Member("zones_by", "limits"), JSON.Member("zone_limits", [100, 110, 120, 130, 150]),
    ]

    /// The members by their names: what was read comes in their order.
    private func isSame(_ one: JSON?, _ other: JSON) -> Bool {
        one.flatMap { try? JSON(payload: $0.bytes) } == (try? JSON(payload: other.bytes))
    }

    @Test(
        "count from the day on which they are chosen; what was before keeps its own until the person wants it otherwise"
    )
    func past() throws {
        try WorkoutHouse.with { house in
            let profile = try save(house)
            #expect(isSame(profile["zones"], Self.byAge) && profile["bicycle_zones"] == nil)
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(100)
            try house.publish(house.run(0..<90))
            let id = JSON.string(try house.done("workouts/stop").text("id"))
            try house.settle()
            func seconds() throws -> JSON? { try house.done("workouts/show", ["id": id])["heart_rate"]?["zones_s"] }
            #expect(try isSame(zones(house, ofDay: "2026-11-21"), Self.byAge))
            let before = try seconds()
            #expect(before == [0, 0, 90, 0, 0])

            house.set(86_400)
            #expect(try isSame(save(house, Self.limits)["zones"], Self.byLimits))
            #expect(try isSame(house.done("profile/get")["zones"], Self.byLimits))
            // A reading that comes late has its day and its workout counted again, with the zones of then.
            try house.publish(house.run(90..<100))
            try house.settle()
            #expect(try isSame(zones(house, ofDay: "2026-11-21"), Self.byAge))
            #expect(try isSame(house.done("workouts/show", ["id": id])["zones"], Self.byAge))
            #expect(try seconds() == [0, 0, 100, 0, 0] && house.recounted() == 0)
            try house.publish(house.run(86_300..<86_390))
            #expect(try isSame(zones(house, ofDay: "2026-11-22"), Self.byLimits))

            try house.done("statistics/recount", ["from": "2026-11-21", "to": "2026-11-21"])
            try house.settle()
            #expect(try isSame(zones(house, ofDay: "2026-11-21"), Self.byLimits))
            #expect(try isSame(house.done("workouts/show", ["id": id])["zones"], Self.byLimits))
            #expect(try seconds() == [0, 0, 0, 100, 0] && house.recounted() == 0)
        }
    }

    @Test("by threshold are others on a bicycle; everything else has those of a run")
    func bicycle() throws {
        try WorkoutHouse.with { house in
            let saved = try save(
                house, [JSON.Member("zones_by", "threshold"), JSON.Member("threshold_heart_rate", 170)])
            let onFoot: JSON = [
                "by": "threshold", "bounds": [0, 145, 153, 162, 170], "threshold_heart_rate": .number(170),
            ]
            let onBicycle: JSON = [
                "by": "threshold", "bounds": [0, 138, 153, 160, 170], "threshold_heart_rate": .number(170),
            ]
            #expect(isSame(saved["zones"], onFoot) && isSame(saved["bicycle_zones"], onBicycle))
            for (activity, zones, zone) in [("running", onFoot, 1), ("cycling", onBicycle, 2)] as [(String, JSON, JSON)]
            {
                let begun = try house.done("workouts/start", ["activity": .string(activity), "zone": 2])["workout"]
                #expect(isSame(begun?["zones"], zones) && begun?["target_zone"]?["zone"] == 2)
                try house.waitForFigures()
                try house.measure(house.run(0..<1))
                #expect(try house.done("workouts/current")["workout"]?["heart_rate"]?["zone"] == zone)
                try house.done("workouts/cancel")
            }
        }
    }

    @Test("are refused if no heart can have them, at the field that is wrong, and nothing changes")
    func refused() throws {
        try WorkoutHouse.with { house in
            let before = try save(house, [JSON.Member("max_heart_rate", 190), JSON.Member("resting_heart_rate", 50)])
            #expect(before["profile"]?["zones_by"] == "maximum")
            let wrong: [([JSON.Member], field: String)] = [
                ([JSON.Member("max_heart_rate", 241)], "max_heart_rate"),
                ([JSON.Member("max_heart_rate", "fast")], "max_heart_rate"),
                ([JSON.Member("resting_heart_rate", 24)], "resting_heart_rate"),
                ([JSON.Member("max_heart_rate", 49)], "max_heart_rate"),
                ([JSON.Member("zone_limits", [1, 2])], "zone_limits"),
                ([JSON.Member("zone_limits", "95-120")], "zone_limits"),
                ([JSON.Member("zone_limits", [95, 120, 120, 155, 170])], "zone_limits"),
                ([JSON.Member("zone_limits", [95, 120, "x", 155, 170])], "zone_limits"),
                ([JSON.Member("zones_by", "mood")], "zones_by"),
                ([JSON.Member("zones_by", "limits")], "zone_limits"),
                ([JSON.Member("zones_by", "threshold")], "threshold_heart_rate"),
            ]
            for (heart, field) in wrong {
                let fields: JSON = [
                    "name": "Ada", "date_of_birth": "1991-01-01", "gender": "female", "height_cm": 170, "weight_kg": 60,
                ]
                let error = try house.refused("profile/set", heart.reduce(fields) { $0.with($1.name, $1.value) })
                #expect(error.field == field && error.code == .invalid, "\(heart): \(error)")
            }
            #expect(try house.done("profile/get")["profile"] == before["profile"])
            // What is taken back no longer counts.
            #expect(try isSame(save(house, [JSON.Member("max_heart_rate", .null)])["zones"], Self.byAge))
        }
    }

    @Test("with a heart rate at rest make the reserve and the training impulse")
    func reserve() throws {
        try WorkoutHouse.with { house in
            let saved = try save(
                house,
                [
                    JSON.Member("zones_by", "reserve"), JSON.Member("max_heart_rate", 190),
                    JSON.Member("resting_heart_rate", 50),
                ])
            #expect(saved["zones"]?["bounds"] == [120, 134, 148, 162, 176])
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(100)
            try house.publish(house.run(0..<100))
            let id = JSON.string(try house.done("workouts/stop").text("id"))
            try house.settle()
            let heart = try #require(try house.done("workouts/show", ["id": id])["heart_rate"])
            // 100 s at 140: nine fourteenths of the reserve, by Banister's formula for women.
            #expect(try heart["zones_s"] == [0, 100, 0, 0, 0] && abs(heart.number("trimp") - 2.7) < 0.1, "\(heart)")
        }
    }
}

@Suite("A target zone, at a running service", .timeLimit(.minutes(60)))
struct TargetZoneServiceTests {
    @Test("is left and found again with a word each, also after a restart, and the topic shows it")
    func told() throws {
        try WorkoutHouse.with { house in
            let listener = try VoiceListener(house)
            try house.saveProfile("en", "metric")
            house.set(0)
            try house.done("workouts/start", ["activity": "running", "zone": 2])
            #expect(try listener.next() == Spoken("start", "Workout started: running. Heart rate in zone 2."))
            try house.waitForFigures()
            try house.measure(house.run(0..<1))
            try house.waitForSecond()
            house.set(12)
            try house.measure(house.run(1..<13))
            #expect(try listener.next() == Spoken("zone", "Above zone 2: heart rate 140."))
            let shown = try house.published("that the zone was left") { $0?["target_zone"]?["said"] != nil }
            let target: JSON = [
                "zone": 2, "from": 111, "to": 129, "now": "above", "said": "above", "said_at": .integer(start + 12_000),
            ]
            #expect(
                shown?["target_zone"].flatMap { try? JSON(payload: $0.bytes) } == (try? JSON(payload: target.bytes)))

            try house.restart()
            try house.waitForFigures()
            // It is still above, ten seconds long, and nothing is said of that.
            try house.measure(house.run(13..<14))
            try house.waitForSecond()
            house.set(30)
            try house.measure(house.run(14..<31))
            try house.waitForSecond()
            house.set(31)
            try house.measure(house.run(31..<32, bpm: 120))
            try house.waitForSecond()
            house.set(42)
            try house.measure(house.run(32..<43, bpm: 120))
            #expect(try listener.next() == Spoken("zone", "Back in zone 2."))
            let id = JSON.string(try house.done("workouts/stop").text("id"))
            #expect(try listener.next().kind == "end")
            let kept = try house.done("workouts/show", ["id": id])["target_zone"]
            #expect(kept?["zone"] == 2 && kept?["from"] == 111 && kept?["now"] == nil)
        }
    }

    @Test("needs zones, and is one of five")
    func refused() throws {
        try WorkoutHouse.with { house in
            let unknown = try house.refused("workouts/start", ["activity": "running", "zone": 2])
            #expect(unknown.code == .notAllowed && unknown.field == "zone")
            try house.saveProfile("en", "metric")
            for zone in [0, 6] as [JSON] {
                #expect(try house.refused("workouts/start", ["activity": "running", "zone": zone]).field == "zone")
            }
            #expect(try house.done("workouts/current") == ["workout": .null])
        }
    }
}
