import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@Suite("What is said of workouts, at a running service", .timeLimit(.minutes(60)))
struct VoiceServiceTests {
    @Test(
        "is what the person has chosen, while they want to hear anything, in the language and units that they have then"
    )
    func chosen() throws {
        try WorkoutHouse.with { house in
            let listener = try VoiceListener(house)
            try house.saveProfile("en-GB", "metric")
            let plan = try house.done("voice/set", ["minutes": 1, "say": ["duration", "heart-rate"]])
            #expect(plan == ["minutes": 1, "say": ["duration", "heart-rate"], "voice": true], "\(plan)")
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            #expect(try listener.next() == Spoken("start", "Workout started: running."))
            try house.waitForFigures()
            house.set(59)
            try house.measure(house.run(0..<59))
            house.set(60)
            #expect(try listener.next() == Spoken("progress", "1 minute, heart rate 140."))

            try house.saveProfile("de-AT", "imperial")
            house.set(61)
            try house.done("workouts/pause")
            #expect(try listener.next() == Spoken("pause", "Training unterbrochen.", "de"))
            house.set(200)
            try house.done("workouts/resume")
            #expect(try listener.next() == Spoken("resume", "Training fortgesetzt.", "de"))
            try house.done("voice/set", ["say": ["distance"]])
            // One minute and a second were active, so the next is due 59 s later.
            try house.waitForSecond()
            house.set(259)
            #expect(try listener.next() == Spoken("progress", "0,1 Meilen.", "de"))

            try house.saveProfile("de", "imperial", voice: false)
            #expect(try house.done("voice/get")["voice"] == false)
            try house.done("workouts/pause")
            try house.saveProfile("en", "imperial")
            house.set(400)
            try house.done("workouts/resume")
            #expect(try listener.next() == Spoken("resume", "Workout resumed."))
            try house.done("workouts/stop")
            #expect(try listener.next() == Spoken("end", "Workout ended: 2 minutes, 0.1 miles."))
        }
    }

    @Test("has a goal once, when it does not end the workout and when it does; and after a restart nothing twice")
    func goalsAndRestart() throws {
        try WorkoutHouse.with { house in
            let listener = try VoiceListener(house)
            try house.saveProfile("xx-XX", "metric")
            try house.done("voice/set", ["minutes": 1, "say": ["duration"]])
            house.set(0)
            try house.done("workouts/start", ["activity": "cycling", "goal": ["duration_s": 61]])
            #expect(try listener.next() == Spoken("start", "Workout started: cycling. Goal: 1 minute 1 second."))
            try house.waitForFigures()
            house.set(62)
            #expect(try listener.next() == Spoken("goal", "Goal reached: 1 minute 1 second."))
            #expect(try listener.next() == Spoken("progress", "1 minute 2 seconds."))
            try house.restart()
            try house.waitForSecond()
            house.set(120)
            #expect(try listener.next() == Spoken("progress", "2 minutes."))
            try house.done("workouts/cancel")
            #expect(try listener.next() == Spoken("end", "Workout cancelled."))

            try house.done("workouts/start", ["activity": "cycling", "goal": ["duration_s": 30, "enabled": true]])
            #expect(try listener.next() == Spoken("start", "Workout started: cycling. Goal: 30 seconds."))
            try house.waitForFigures()
            house.set(151)
            #expect(try listener.next() == Spoken("goal", "Goal reached: 30 seconds."))
            #expect(try listener.next() == Spoken("end", "Workout ended: 30 seconds."))
            // Nothing else is said before what comes next.
            try house.done("workouts/start", ["activity": "walking"])
            #expect(try listener.next() == Spoken("start", "Workout started: walking."))
        }
    }

    @Test(
        "is no news a minute later: neither what people say that they have done, nor what was due while nobody looked")
    func late() throws {
        try WorkoutHouse.with { house in
            let listener = try VoiceListener(house)
            try house.saveProfile("en", "metric")
            try house.done("voice/set", ["minutes": 1, "say": ["duration"]])
            house.set(3600)
            try house.done("workouts/start", ["activity": "running", "at": .integer(start)])
            try house.waitForFigures()
            try house.waitForSecond()
            house.set(3660)
            #expect(try listener.next() == Spoken("progress", "1 hour 1 minute."))
            try house.done("workouts/stop", ["at": .integer(start + 3_590_000)])

            try house.done("workouts/start", ["activity": "walking", "goal": ["duration_s": 30, "enabled": true]])
            #expect(try listener.next() == Spoken("start", "Workout started: walking. Goal: 30 seconds."))
            house.set(3900)
            try house.waitForEnd()
            try house.done("workouts/start", ["activity": "cycling"])
            #expect(try listener.next() == Spoken("start", "Workout started: cycling."))
        }
    }

    /// What cannot be a plan, and the field that is named.
    private static let wrong: [(JSON, field: String)] = [
        (["minutes": 0], "minutes"), (["minutes": 121], "minutes"), (["kilometres": .number(0.4)], "kilometres"),
        (["miles": 51], "miles"), (["miles": "far"], "miles"), (["minutes": 1, "miles": 1], "minutes"),
        (["say": []], "say"), (["say": ["pace", "pace"]], "say"), (["say": ["weather"]], "say"),
        (["say": "pace"], "say"), (["say": .array(Array(repeating: "pace", count: 10))], "say"),
    ]

    @Test("is planned by the person: a plan that cannot be is refused, and changes nothing")
    func refused() throws {
        try WorkoutHouse.with { house in
            let before = try house.done("voice/get")
            #expect(before == ["minutes": 5, "say": ["duration", "distance", "pace", "heart-rate"], "voice": false])
            for (fields, field) in Self.wrong {
                #expect(try house.refused("voice/set", fields).field == field, "\(fields)")
            }
            #expect(try house.done("voice/get") == before)
            #expect(try house.done("voice/set", ["kilometres": .number(0.5)])["kilometres"] == .number(0.5))
            let changed = try house.done("voice/set", ["miles": 2])
            #expect(changed["kilometres"] == nil && changed["minutes"] == nil && changed["say"] == before["say"])
        }
    }
}
