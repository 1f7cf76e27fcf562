import Files
import HouseholdSupport
import Telemetry
import TestSupport
import Testing
import Workouts

@testable import Exercise

@Suite("A training, at a running service", .timeLimit(.minutes(60)))
struct TrainingServiceTests {
    @Test("goes from set to rest and on by its own clock or by its person, and tells each step")
    func steps() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let plan = try house.plan()
            let first = try #require(try plan.list("exercises").first)
            let reply = try house.done("training/start", ["plan": plan["plan"] ?? .null])
            let begun = try #require(reply["training"])
            #expect(reply["workout"]?["activity"] == "weight training")
            #expect(begun.only("number", "set", "phase") == ["number": 1, "phase": "work", "set": 1], "\(begun)")
            #expect(begun["name"] == first["name"] && begun["workout"] == reply["workout"]?["id"])
            let (work, rest) = (Int64(try first.number("work_s")), Int64(try first.number("rest_s")))
            #expect(begun["ends"] == .integer(start + work * 1000))
            try house.publishedTraining("the first set") { $0?["phase"] == "work" }

            house.set(work)
            let resting = try #require(try house.publishedTraining("the rest") { $0?["phase"] == "rest" })
            #expect(resting["ends"] == .integer(start + (work + rest) * 1000) && resting["next"] != nil, "\(resting)")
            house.set(work + rest)
            let second = try #require(try house.publishedTraining("the next exercise") { $0?["phase"] == "work" })
            #expect(second["number"] == 2 && second["name"] == resting["next"])

            let main = try house.skipToRepetitions()
            #expect(main["ends"] == nil && main["phase"] == "work", "\(main)")
            let after = try house.done("training/next")
            #expect(after["phase"] == "rest" && after["ends"] != nil, "\(after)")
            let back = try house.done("training/previous")
            #expect(back.only("number", "set", "phase") == main.only("number", "set", "phase"), "\(back)")
            try house.done("training/next")
            let next = try house.done("training/next")
            #expect(next["phase"] == "work" && next["set"] == 2, "\(next)")
            #expect(try house.done("training/current")["training"]?["set"] == 2)
        }
    }

    @Test("stands still while its workout is paused, and goes on where it was")
    func pauses() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let plan = try house.plan()
            let work = Int64(try house.plan().list("exercises")[0].number("work_s"))
            try house.train(plan)
            house.set(work - 5)
            try house.done("workouts/pause")
            let paused = try #require(try house.publishedTraining("the pause") { $0?["phase"] == "paused" })
            #expect(paused["left_s"] == 5 && paused["ends"] == nil && paused["number"] == 1, "\(paused)")
            #expect(try house.refused("training/next").message.contains("resume the workout"))
            house.set(work + 500)
            #expect(try house.done("training/current")["training"]?["phase"] == "paused")
            try house.done("workouts/resume")
            // The set that was paused was published, too.
            let ends = start + (work + 505) * 1000
            #expect(try house.publishedTraining("the set again") { $0?["ends"] == .integer(ends) }?["phase"] == "work")
        }
    }

    @Test("goes on after a restart, and what was done is counted once, also if somebody asks again")
    func restarts() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let plan = try house.plan()
            try house.train(plan)
            let main = try house.skipToRepetitions()
            let place = "vitals/v1/users/demo/responses/again"
            let first = try #require(try house.ask(again: [1, 2, 3], "training/next", at: place).data)
            #expect(first["phase"] == "rest" && first["number"] == main["number"])
            try house.restart()
            let again = try #require(try house.ask(again: [1, 2, 3], "training/next", at: place).data)
            #expect(again == first)
            house.set(300)
            // The rest was over long ago.
            let set = try #require(try house.publishedTraining("the second set") {
                $0?["phase"] == "work" && $0?["set"] == 2
            })
            #expect(set["set"] == 2 && set["number"] == main["number"], "\(set)")
            try house.done("training/next")
            try house.restart()
            try house.done("workouts/stop")
            try house.publishedTraining("the end") { $0 == nil }
            let week = try house.done("training/week")
            let muscle = try #require(try main.list("muscles").first)
            let worked = try #require(try week.list("muscles").first { $0["muscle"] == muscle })
            #expect(worked["sets"] == 2 && week["workouts"] == 1 && week["exercises"] == 1, "\(week)")
            #expect(week["last"]?["title"] == plan["title"] && week["duration_s"] == 300, "\(week)")
            #expect(try house.done("training/current")["training"] == .null)
            #expect(try house.refused("training/next").code == .notFound)
        }
    }

    @Test("a removal that is asked for again after a restart gets the same reply")
    func takenAway() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let choice = try house.done("training/choose", ["plan": house.plan()["plan"] ?? .null])["choice"]
            let gear = try house.done("gear/add", ["name": "Blue shoes", "kind": "shoes"])["gear"]
            try house.done("plans/save", ["name": "Hills", "activity": "running"])
            let asked: [(verb: String, fields: JSON)] = [
                ("training/unchoose", ["choice": choice ?? .null]), ("gear/delete", ["gear": gear?["id"] ?? .null]),
                ("plans/delete", ["name": "Hills"]),
            ]
            func ask() throws -> [JSON] {
                try asked.enumerated().map { number, ask in
                    let place = "vitals/v1/users/demo/responses/again"
                    let outcome = try house.ask(again: [UInt8(number)], ask.verb, ask.fields, at: place)
                    return try #require(outcome.data, "\(ask.verb): \(outcome)")
                }
            }
            let first = try ask()
            try house.restart()
            #expect(try ask() == first)
            for (verb, fields) in asked { #expect(try house.refused(verb, fields).code == .notFound) }
        }
    }

    @Test("a workout is started, paused, resumed, stopped and deleted once, also if somebody asks again after a restart")
    func workoutOnce() throws {
        try WorkoutHouse.training { house in
            let place = "vitals/v1/users/demo/responses/again"
            for (number, verb) in ["start", "pause", "resume", "stop"].enumerated() {
                house.set(Int64(number) * 60)
                func ask() throws -> JSON {
                    let fields: JSON = verb == "start" ? ["activity": "running"] : [:]
                    let outcome = try house.ask(again: [UInt8(number)], "workouts/\(verb)", fields, at: place)
                    return try #require(outcome.data, "\(verb): \(outcome)")
                }
                let first = try ask()
                try house.restart()
                let again = try ask()
                #expect(again["id"] == first["id"] && again["state"] == first["state"], "\(verb): \(first), \(again)")
                #expect(again["workout"]?["id"] == first["workout"]?["id"], "\(verb): \(first), \(again)")
            }
            let list = try house.done("workouts/list").list("workouts")
            #expect(list.count == 1 && list.first?["duration_s"] == 120, "\(list)")
            for number in 1...2 {
                let id: JSON = ["id": list.first?["id"] ?? .null]
                let outcome = try house.ask(again: [9], "workouts/delete", id, at: place)
                let done = try #require(outcome.data, "\(outcome)")
                #expect(done["message"] != nil && (done["deleted"] != nil) == (number == 1), "\(done)")
                try house.restart()
            }
        }
    }

    @Test("that ended while nobody could write it down is counted at the next start, and its topic is emptied")
    func endedMeanwhile() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            try house.train(try house.plan())
            let main = try house.skipToRepetitions()
            try house.done("training/next")
            house.set(500)
            // The workout's end is in its row, and the training's row says nothing of it.
            try house.restart { running in
                guard let running, let demo = try? ID("demo"), var entry = try? running.rows.underWay(of: demo) else {
                    return
                }
                try? entry.workout.add(WorkoutEvent(.stop, at: start + 400_000))
                try? running.context.store.change(demo) { () throws(VaultError) in
                    try running.rows.write(entry.workout, of: demo)
                }
            }
            try house.publishedTraining("the end") { $0 == nil }
            let muscles = try house.done("training/week").list("muscles")
            #expect(try muscles.contains { try $0["muscle"] == main.list("muscles").first && $0["sets"] == 1 }, "\(muscles)")
        }
    }

    @Test("of somebody without sensors is not ended before they last did something")
    func silence() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            try house.train(try house.plan())
            house.set(300)
            _ = try house.skipToRepetitions()
            // The set, and the rest after it: then the next set waits.
            try house.done("training/next")
            try house.done("training/next")
            try house.restart()
            try house.wait { running in running.running.values.contains { !$0.mustBeCounted } }
            house.set(1000)
            _ = try house.notified("workout-ended")
            #expect(try house.done("training/week")["duration_s"] == 300)
        }
    }

    @Test("that was abandoned is not longer after a restart: it ends when the set that waits for its person began")
    func abandoned() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            try house.train(try house.plan())
            _ = try house.skipToRepetitions()
            house.set(60)
            let ends = try house.done("training/next").number("ends")
            house.set(400)
            try house.restart()
            try house.wait { running in running.running.values.contains { !$0.mustBeCounted } }
            // Silence counts from the restart on.
            house.set(1100)
            _ = try house.notified("workout-ended")
            let seconds = (ends - Double(start)) / 1000
            #expect(try house.done("training/week").number("duration_s") == seconds && seconds < 400)
        }
    }

    @Test("that ended before somebody said so counts what was done until then, with and without a restart", arguments: [false, true])
    func endedEarlier(_ restarts: Bool) throws {
        try WorkoutHouse.training { house in
            house.set(0)
            try house.train(try house.plan("intervals"))
            var now = try house.done("training/current")["training"] ?? .null
            while now["part"] != "main" { now = try house.done("training/skip") }
            house.set(400)
            // By then, several sets have gone by.
            let later = try house.done("training/current")["training"]
            #expect(later?["number"] != now["number"] || later?["set"] != now["set"])
            if restarts { try house.restart() }
            try house.done("workouts/stop", ["at": .integer(start + 5000)])
            let week = try house.done("training/week")
            #expect(try week["duration_s"] == 5 && week["exercises"] == 0 && week.list("muscles").isEmpty, "\(week)")
        }
    }

    @Test("takes energy by its plan's estimate where nothing was measured, and by its own figures where they say it")
    func energy() throws {
        try WorkoutHouse.training { house in
            try house.saveProfile("en", "metric", voice: false)
            house.set(0)
            let plan = try house.plan()
            try house.train(plan)
            _ = try house.skipToRepetitions()
            house.set(240)
            try house.done("training/next")
            house.set(241)
            try house.done("workouts/stop")
            // 3.5 MET at 60 kg for four minutes.
            #expect(try house.done("training/day").number("energy_kcal") == 14)

            house.set(1000)
            try house.train(plan)
            _ = try house.skipToRepetitions()
            house.set(1240)
            try house.done("training/next")
            try house.publish(house.run(1000..<1240, bpm: 150))
            try house.done("workouts/stop")
            try house.settle()
            let measured = try house.done("training/day").number("energy_kcal") - 14
            #expect(measured > 20 && measured < 45, "\(measured)")
        }
    }

    @Test("is done after its last set: that is said, and nothing follows")
    func over() throws {
        try WorkoutHouse.training { house in
            try house.saveProfile("en", "metric")
            let listener = try VoiceListener(house)
            house.set(0)
            var now = try house.train(try house.plan())
            while now["number"] != now["of"] { now = try house.done("training/skip") }
            #expect(now["part"] == "cool-down" && now["phase"] == "work", "\(now)")
            house.set(Int64((try now.number("ends") - Double(start)) / 1000))
            let over = try #require(try house.publishedTraining("the end of the plan") { $0?["phase"] == "over" })
            #expect(over["ends"] == nil && over["next"] == nil, "\(over)")
            var spoken = try listener.next()
            while spoken.kind != "training" || spoken.text != "The training is done." { spoken = try listener.next() }
            for verb in ["next", "previous", "skip"] {
                let error = try house.refused("training/\(verb)")
                #expect(error.code == .notAllowed && error.message.contains("stop the workout"), "\(error)")
            }
            #expect(try house.done("training/current")["training"]?["phase"] == "over")
            try house.done("workouts/stop")
            #expect(try house.done("training/current")["training"] == .null)
        }
    }

    @Test("of a choice that was done already, or of an earlier week, leaves the choice as it was")
    func again() throws {
        try WorkoutHouse.training { house in
            /// A training with one set, from some second on.
            func done(_ choice: JSON, _ second: Int64) throws -> JSON {
                house.set(second)
                let workout = try house.done("training/start", ["choice": choice])["workout"]?["id"] ?? .null
                _ = try house.skipToRepetitions()
                house.set(second + 30)
                try house.done("training/next")
                try house.done("workouts/stop")
                return workout
            }
            house.set(0)
            let (one, other) = (try house.plan(), try house.plan(seed: 8))
            let choice = try house.done("training/choose", ["plan": one["plan"] ?? .null])["choice"] ?? .null
            // They are listed in the order in which they were chosen.
            house.set(1)
            let left = try house.done("training/choose", ["plan": other["plan"] ?? .null])["choice"] ?? .null
            let first = try done(choice, 100)
            let second = try done(choice, 200)
            try house.done("workouts/delete", ["id": second])
            func chosen() throws -> [JSON] { try house.done("training/week", ["day": "2026-11-21"]).list("chosen") }
            #expect(try chosen().map { $0["done"] } == [first, nil] && first != second)
            let later = try done(left, 7 * 86_400)
            #expect(try chosen().map { $0["done"] } == [first, nil])
            let week = try house.done("training/week")
            #expect(try week["workouts"] == 1 && week.list("chosen").isEmpty && week["last"]?["workout"] == later, "\(week)")
        }
    }

    @Test("of intervals says whether the heart beats as it is meant to, while anything is measured")
    func zones() throws {
        try WorkoutHouse.training { house in
            try house.saveProfile("en", "metric", voice: false)
            house.set(0)
            try house.train(try house.plan("intervals"))
            var now = try house.done("training/current")["training"] ?? .null
            while now["part"] != "main" { now = try house.done("training/skip") }
            #expect(now["zone"] == 4 && now["in_zone"] == nil && now["phase"] == "work", "\(now)")
            try house.waitForFigures()
            // At 35, zone 4 begins at 147 beats.
            try house.measure(house.run(0..<2, bpm: 150))
            try house.publishedTraining("in the zone") { $0?["in_zone"] == true }
            house.set(1)
            try house.measure(house.run(2..<3, bpm: 120))
            try house.publishedTraining("below the zone") { $0?["in_zone"] == false }
            #expect(try house.done("training/current")["training"]?["in_zone"] == false)
        }
    }

    @Test("is said aloud, step by step, in the language of its person, if they want to hear anything")
    func voice() throws {
        try WorkoutHouse.training { house in
            try house.saveProfile("de", "metric")
            let listener = try VoiceListener(house)
            house.set(0)
            let plan = try house.plan()
            let name = try plan.list("exercises")[0].text("name")
            let begun = try house.train(plan)
            #expect(try listener.next() == Spoken("start", "Training gestartet: Krafttraining.", "de"))
            let seconds = Int64(try plan.list("exercises")[0].number("work_s"))
            #expect(try listener.next() == Spoken("training", "\(name), \(seconds) Sekunden.", "de"), "\(begun)")
            try house.saveProfile("en", "metric")
            let rest = Int64(try plan.list("exercises")[0].number("rest_s"))
            house.set(seconds)
            let next = try plan.list("exercises")[1].text("name")
            #expect(try listener.next() == Spoken("training", "Rest \(rest) seconds. Next: \(next)."))
            try house.saveProfile("en", "metric", voice: false)
            let main = try house.skipToRepetitions()
            try house.saveProfile("en", "metric")
            try house.done("training/previous")
            try house.done("training/skip")
            let sentence = "\(try main.text("name")), set 1 of \(Int64(try main.number("sets"))), "
            let effort = "\(Int64(try main.number("repetitions"))) repetitions."
            var spoken = try listener.next()
            while spoken.text != sentence + effort { spoken = try listener.next() }
        }
    }

    @Test("is gone with its workout, cancelled or deleted, and not with anybody else's")
    func removed() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let plan = try house.plan()
            let choice = try house.done("training/choose", ["plan": plan["plan"] ?? .null])["choice"] ?? .null
            try house.train(plan)
            _ = try house.skipToRepetitions()
            try house.done("training/next")
            try house.done("workouts/cancel")
            try house.publishedTraining("the end") { $0 == nil }
            let cancelled = try house.done("training/week")
            #expect(try cancelled["workouts"] == 0 && cancelled.list("muscles").isEmpty, "\(cancelled)")
            #expect(try cancelled.list("chosen").first?["done"] == nil)

            house.set(100)
            let reply = try house.done("training/start", ["choice": choice])
            let workout = try #require(reply["workout"]?["id"])
            _ = try house.skipToRepetitions()
            try house.done("training/next")
            house.set(200)
            try house.done("workouts/stop")
            let week = try house.done("training/week")
            #expect(try week.list("chosen").first?["done"] == workout && !week.list("muscles").isEmpty, "\(week)")
            let day = try house.done("training/day")
            #expect(day["workouts"] == 1 && day["duration_s"] == 100 && day["picture"] == false, "\(day)")
            #expect(day["muscles"] == week["muscles"])
            try house.done("workouts/delete", ["id": workout])
            let after = try house.done("training/week")
            #expect(try after.list("muscles").isEmpty && after["workouts"] == 0, "\(after)")
            #expect(try after.list("chosen").first?["done"] == nil)
        }
    }

    @Test("ends for good when everything of its person is forgotten")
    func reset() throws {
        try WorkoutHouse.training { house in
            house.set(0)
            let plan = try house.plan()
            try house.done("training/set", ["equipment": ["dumbbell"]])
            try house.done("training/choose", ["plan": plan["plan"] ?? .null])
            try house.train(plan)
            try house.publishedTraining("the first set") { $0 != nil }
            let confirmation = try house.done("reset-all/ask")["confirmation"] ?? .null
            try house.done("reset-all/confirm", ["confirmation": confirmation])
            try house.publishedTraining("the end") { $0 == nil }
            #expect(try house.done("training/current")["training"] == .null)
            #expect(try house.done("training/get")["equipment"] == [])
            let week = try house.done("training/week")
            #expect(try week.list("chosen").isEmpty && week["workouts"] == 0, "\(week)")
        }
    }
}
