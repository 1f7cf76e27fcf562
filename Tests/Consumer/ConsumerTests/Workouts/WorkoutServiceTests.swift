import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Exercise
@testable import Features

@Suite("Workouts, asked for at a running service", .timeLimit(.minutes(60)))
struct WorkoutServiceTests {
    @Test("a run with a pause and a restart: figures while it lasts, and afterwards those of what counts")
    func wholeWay() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            let started = try house.done("workouts/start", ["activity": "running"])
            #expect(started["workout"]?["state"] == "running")
            #expect(try started.text("location").hasPrefix("Location Services Disabled"))
            house.set(100)
            try house.publish(house.run(0..<100))
            let live = try house.published("300 m") { try! $0?["distance_m"] != nil && $0!.number("distance_m") > 295 }
            #expect(try #require(live).number("duration_s") == 100)
            let soFar = try house.done("workouts/show", ["id": .string(#require(live).text("id"))])
            #expect(soFar["state"] == "running" && soFar["ended"] == nil)
            #expect(try soFar.number("duration_s") == 100 && soFar.list("path").count == 1)
            #expect(try house.done("workouts/pause")["workout"]?["state"] == "paused")
            house.set(160)
            try house.publish(house.run(100..<160))
            try house.restart()
            #expect(try house.done("workouts/current")["workout"]?["state"] == "paused")
            #expect(try house.done("workouts/resume")["workout"]?["state"] == "running")
            house.set(260)
            try house.publish(house.run(160..<260, bpm: 160))
            house.set(261)
            let stopped = try house.done("workouts/stop")
            #expect(try house.published("nothing") { $0 == nil } == nil)
            let shown = try house.done("workouts/show", ["id": .string(stopped.text("id"))])
            #expect(try shown.number("duration_s") == 201)
            // 99 steps of 3 m before the pause, and 99 after it.
            #expect(abs(try shown.number("distance_m") - 594) < 4)
            let heart = try #require(shown["heart_rate"])
            #expect(try heart.number("min") == 140 && heart.number("max") == 160)
            // Slots of five seconds have the mean of their minute: four of them that of a minute of which forty seconds were paused.
            let shared = Double(40 * 140 + 20 * 160) / 60
            #expect(abs(try heart.number("mean") - (20 * 140 + 4 * shared + 16 * 160) / 40) < 0.06)
            #expect(try shown.list("path").count == 2 && shown.list("pauses").count == 1)
            #expect(shown["ended_by"] == "person" && shown["percent"] == nil && shown["energy_kcal"] == nil)
            let listed = try house.done("workouts/list")
            #expect(try listed.list("workouts").count == 1)
            #expect(try listed.list("workouts")[0].number("distance_m") == shown.number("distance_m"))
        }
    }

    @Test("a list has the fields that somebody names, with what every line has")
    func listedFields() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(100)
            try house.publish(house.run(0..<100))
            _ = try house.published("a distance") { $0?["distance_m"] != nil }
            try house.done("workouts/stop")
            try house.done("gear/add", ["name": "Red shoes", "kind": "shoes"])
            try house.done("workouts/set", ["gear": "Red shoes", "workout": house.listed()["id"] ?? .null])
            try house.settle()
            let whole = try house.listed()
            #expect(try whole.number("duration_s") == 100)
            #expect(
                try house.listed(["distance_m", "heart_rate.mean", "heart_rate.max", "gear.name", "percent"])
                    == .object(present: [
                        "distance_m": whole["distance_m"], "gear": ["name": "Red shoes"],
                        "heart_rate": ["max": whole["heart_rate"]?["max"] ?? .null, "mean": 140],
                        "id": whole["id"], "started": whole["started"],
                    ]))
            #expect(try house.listed([]) == .object(present: ["id": whole["id"], "started": whole["started"]]))
            // A field and one of its own: the whole field.
            for both: [JSON] in [["heart_rate", "heart_rate.min"], ["heart_rate.min", "heart_rate"]] {
                #expect(try house.listed(both)["heart_rate"] == whole["heart_rate"])
            }
            for wrong: [JSON] in [
                ["distance"], ["heart_rate.maximum"], ["heart_rate.mean.x"], [""], ["."], ["heart_rate."],
            ] {
                let error = try house.refused("workouts/list", ["fields": .array(wrong)])
                #expect(error.code == .invalid && error.field == "fields", "\(error)")
            }
            for wrong in [JSON.string("id"), [1], .array(Array(repeating: "id", count: LineFields.most + 1))] {
                #expect(try house.refused("workouts/list", ["fields": wrong]).code == .badRequest)
            }
        }
    }

    @Test("steps until the end are counted, although the counter is read after it")
    func stepsAtTheEnd() throws {
        try WorkoutHouse.with { house in
            func count(_ steps: UInt32, at second: Int64) -> Reading {
                let moment = Moment(wall: start + second * 1000, monotonic: UInt64(1_000_000 + second * 1000))
                return Reading(at: moment, .steps(StepCount(steps)))
            }
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(50)
            try house.publish([count(100, at: -10), count(160, at: 30)])
            try house.done("workouts/stop")
            try house.settle()
            #expect(try house.listed().number("steps") == 45)
            // What came after a minute says nothing about the workout.
            house.set(130)
            try house.publish([count(300, at: 111)])
            try house.settle()
            #expect(try house.listed().number("steps") == 45)
            try house.publish([count(200, at: 55)])
            try house.settle()
            #expect(try house.listed().number("steps") == 45 + 32)
        }
    }

    @Test("one at a time, from any device, and what cannot be is an error that says what to do")
    func oneAtATime() throws {
        try WorkoutHouse.with { house in
            for verb in ["pause", "resume", "stop", "cancel"] {
                let error = try house.refused("workouts/\(verb)")
                #expect(error.code == .notFound && error.message.contains("start one"), "\(error)")
            }
            #expect(try house.refused("workouts/start").field == "activity")
            for activity in ["", "\u{200B}"] as [JSON] {
                #expect(try house.refused("workouts/start", ["activity": activity]).code == .invalid)
            }
            try house.done("workouts/start", ["activity": "juggling"])
            #expect(try house.refused("workouts/start", ["activity": "running"]).code == .busy)
            #expect(try house.refused("workouts/resume").code == .notAllowed)
            try house.done("workouts/pause")
            #expect(try house.refused("workouts/pause").code == .notAllowed)
            #expect(try house.done("workouts/cancel")["state"] == "cancelled")
            #expect(try house.done("workouts/list").list("workouts").isEmpty)
            #expect(try house.done("workouts/current")["workout"] == .null)
            #expect(try house.refused("workouts/show", ["id": "nothing"]).code == .notFound)
            #expect(try house.refused("workouts/delete", ["id": "nothing"]).code == .notFound)
        }
    }

    @Test("what is done while a workout is being counted is not forgotten by its figures")
    func doneMeanwhile() throws {
        try WorkoutHouse.with { house throws in
            house.set(0)
            let gate = DispatchSemaphore(value: 0)
            try house.imports().onLoop { imports in
                imports.readers.background.read { _ in
                    gate.wait()
                } completion: { (_: Result<Void, any Error>) in
                }
            }
            try house.done("workouts/start", ["activity": "running"])
            try house.wait { !$0.counting.isEmpty }
            #expect(try house.done("workouts/pause")["workout"]?["state"] == "paused")
            gate.signal()
            try house.wait { $0.counting.isEmpty }
            #expect(try house.done("workouts/current")["workout"]?["state"] == "paused")
        }
    }

    @Test("goals have the words that people are told, and do not change during a workout")
    func words() throws {
        try WorkoutHouse.with { house in
            func refusal(_ fields: JSON) throws -> String { try house.refused("workouts/goal", fields).message }
            #expect(try refusal(["enabled": true]) == "Select Goal Type")
            #expect(try refusal(["kind": "distance"]) == "Empty Fields")
            #expect(try refusal(["distance_m": ""]) == "Empty Fields")
            #expect(try refusal(["distance_m": 0]) == "Enter Proper Distance")
            #expect(try refusal(["duration_s": "x"]) == "Enter Proper Duration")
            #expect(try refusal(["energy_kcal": -1]) == "Enter Proper Calories")
            #expect(try house.done("workouts/goal", ["distance_m": 5000])["message"] == "Goal Saved Successfully")
            #expect(try house.done("workouts/goal", ["duration_s": 600])["message"] == "Goal Saved Successfully")
            #expect(try house.done("workouts/goal", ["kind": "distance"])["message"] == "Goal Selected")
            #expect(try house.done("workouts/goal", ["enabled": true])["message"] == "Workout goal enabled")
            #expect(try house.done("workouts/goal", ["enabled": false])["message"] == "Workout goal disabled")
            let goals = try house.done("workouts/goal")
            #expect(goals["chosen"] == "distance" && goals["enabled"] == false)
            #expect(goals["targets"] == ["distance_m": 5000, "duration_s": 600])
            try house.done("workouts/start", ["activity": "cycling"])
            #expect(try refusal(["distance_m": 6000]).hasPrefix("The goal cannot be changed during a workout"))
            #expect(try house.done("workouts/goal")["targets"] == ["distance_m": 5000, "duration_s": 600])
        }
    }

    @Test("a goal is told once when it is reached; one that is enabled ends the workout with the time at which it was")
    func goals() throws {
        try WorkoutHouse.with { house in
            var known: Set<String> = []
            for isEnabled in [false, true] {
                let begin: Int64 = isEnabled ? 1000 : 0
                house.set(begin)
                try house.done("workouts/goal", ["distance_m": 150, "enabled": .bool(isEnabled)])
                try house.done("workouts/start", ["activity": "running"])
                house.set(begin + 100)
                try house.publish(house.run(begin..<begin + 100))
                // One that was told before comes again after a restart.
                var told: JSON
                repeat { told = try house.notified("workout-goal") } while try known.contains(told.text("id"))
                known.insert(try told.text("id"))
                #expect(try told.text("text").contains("150 m"))
                guard isEnabled else {
                    #expect(try house.done("workouts/current")["workout"]?["state"] == "running")
                    // It is told once, also if the service does not remember.
                    try house.restart()
                    try house.publish(house.run(100..<110))
                    _ = try house.published("the goal, counted again") { $0?["distance_m"] != nil }
                    try house.done("workouts/stop")
                    try house.settle()
                    continue
                }
                #expect(try house.done("workouts/current")["workout"] == .null)
                let line = try #require(try house.done("workouts/list").list("workouts").first)
                #expect(line["ended_by"] == "goal")
                #expect(abs(try line.number("duration_s") - 51) <= 2)
            }
            try house.restart()
            let told = try house.done("notifications/list", ["all": true]).list("notifications")
            #expect(told.filter { $0["kind"] == "workout-goal" }.count == 2)
        }
    }

    @Test("a goal that was reached before somebody paused ends the workout when it was reached")
    func goalBeforePause() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            let goal: JSON = ["duration_s": 60, "enabled": true]
            try house.done("workouts/start", ["activity": "running", "goal": goal])
            house.set(100)
            // If the service has ended it by now, there is nothing to pause.
            _ = try house.ask("workouts/pause")
            _ = try house.notified("workout-goal")
            let line = try house.done("workouts/list").list("workouts")[0]
            #expect(try line.number("duration_s") == 60 && line["ended_by"] == "goal")
            #expect(line["ended"] == .integer(start + 60_000))
        }
    }

    @Test("a goal of time is reached without any reading")
    func duration() throws {
        try WorkoutHouse.with { house in
            try house.done(
                "workouts/start", ["activity": "walking", "goal": ["duration_s": 120, "enabled": true]])
            house.set(121)
            #expect(try house.notified("workout-goal").text("text").contains("2 min"))
            let line = try #require(try house.done("workouts/list").list("workouts").first)
            #expect(try line.number("duration_s") == 120 && line.number("percent") == 100)
        }
    }

    @Test("what somebody forgot to do is done at the time that they name, of the last day")
    func at() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            try house.publish(house.run(0..<100))
            house.set(3600)
            func time(_ seconds: Int64) -> JSON { .integer(start + seconds * 1000) }
            for wrong in [time(3602), time(3600 - 86_401)] {
                #expect(try house.refused("workouts/start", ["activity": "running", "at": wrong]).field == "at")
            }
            try house.done("workouts/start", ["activity": "running", "at": time(10)])
            // A clock that is a little behind is not refused.
            #expect(try house.refused("workouts/stop", ["at": time(-51)]).field == "at")
            let id = try house.done("workouts/stop", ["at": time(60)]).text("id")
            let shown = try house.done("workouts/show", ["id": .string(id)])
            #expect(try shown.number("duration_s") == 50)
            #expect(abs(try shown.number("distance_m") - 150) < 4)
        }
    }

    @Test("a workout that nobody ends is ended after a silence, at its last reading, and says so")
    func silence() throws {
        try WorkoutHouse.with { house in
            try house.done("workouts/start", ["activity": "running"])
            house.set(60)
            try house.publish(house.run(0..<60))
            _ = try house.published("a distance") { $0?["distance_m"] != nil }
            house.set(60 + 601)
            _ = try house.notified("workout-ended")
            let line = try #require(try house.done("workouts/list").list("workouts").first)
            #expect(line["ended_by"] == "silence")
            #expect(try line.number("duration_s") == 59)
        }
    }

    @Test("heart rates that are deleted during a workout go from its figures")
    func deletedMeanwhile() throws {
        try WorkoutHouse.with { house in
            try house.done("workouts/start", ["activity": "running"])
            house.set(100)
            try house.publish(house.run(0..<50, bpm: 180))
            try house.publish(house.run(50..<100, bpm: 140))
            _ = try house.published("all heart rates") { $0?["heart_rate"]?["max"] == 180 }
            try house.done("heart-rate/delete", ["from": .integer(start), "to": .integer(start + 50_000)])
            let left = try house.published("what is left") { $0?["heart_rate"]?["max"] == 140 }
            #expect(left?["heart_rate"]?["mean"] == 140)
        }
    }

    @Test("a workout does not begin before the end of another one")
    func overlap() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(600)
            try house.done("workouts/stop")
            let error = try house.refused("workouts/start", ["activity": "running", "at": .integer(start + 300_000)])
            #expect(error.field == "at" && error.message.contains("another workout"))
            try house.done("workouts/start", ["activity": "running", "at": .integer(start + 600_000)])
        }
    }

    @Test("readings that come late are counted in, and a deleted workout takes its heart rates with it")
    func lateAndDeleted() throws {
        try WorkoutHouse.with { house in
            try house.done("workouts/start", ["activity": "running"])
            house.set(200)
            try house.publish(house.run(0..<100))
            let id = try house.done("workouts/stop").text("id")
            let before = try house.done("workouts/show", ["id": .string(id)])
            #expect(try before.number("distance_m") < 300)
            house.set(4000)
            try house.publish(house.run(100..<200))
            try house.settle()
            let listed = try #require(try house.done("workouts/list").list("workouts").first)
            #expect(abs(try listed.number("distance_m") - 597) < 4)
            #expect(try house.recounted() == 0)
            let after = try house.done("workouts/show", ["id": .string(id)])
            #expect(abs(try after.number("distance_m") - 597) < 4)
            #expect(try house.stored(.heartRate) == 200 && house.stored(.position) == 200)
            let deleted = try house.done("workouts/delete", ["id": .string(id)])
            #expect(deleted["message"] == "Workout details deleted")
            #expect(try deleted.number("deleted") == 200)
            // The way is gone, too: a workout of the same time finds nothing.
            #expect(try house.stored(.heartRate) == 0 && house.stored(.position) == 0)
            #expect(try house.refused("workouts/show", ["id": .string(id)]).code == .notFound)
        }
    }
}

extension WorkoutHouse {
    /// The only workout of a list.
    /// - Parameter fields: what is asked of it; everything if it is nil.
    fileprivate func listed(_ fields: [JSON]? = nil) throws -> JSON {
        let data = try done("workouts/list", .object(present: ["fields": fields.map(JSON.array)]))
        return try #require(data.list("workouts").first)
    }
}
