import Telemetry
import TestSupport
import Testing

@Suite("vitals train", .timeLimit(.minutes(60)))
struct TrainCommandTests {
    private static let token = "1-w-30-7-0-b-0-f-0-1f3a9b12"
    private static let exercise: JSON = [
        "equipment": "body only", "exercise": "Push-Ups", "name": "Push-Ups\u{1B}[2J", "part": "main",
        "primary": ["chest"], "repetitions": 10, "rest_s": 60, "secondary": ["triceps"], "sets": 3,
    ]
    private static let plan: JSON = [
        "duration_s": 1800, "energy_kcal": 123, "exercises": [exercise], "kind": "weights", "level": "beginner",
        "muscles": ["chest"], "plan": .string(token), "title": "Strength: chest",
    ]
    private static let now: JSON = [
        "exercise": "Push-Ups", "kind": "weights", "muscles": ["chest"], "name": "Push-Ups", "number": 3, "of": 7,
        "part": "main", "phase": "work", "plan": .string(token), "repetitions": 10, "set": 2, "sets": 3,
        "time": 1_795_261_361_000, "title": "Strength: chest", "workout": "run-1",
    ]
    private static let choice: JSON = [
        "choice": "choice-1", "duration_s": 1800, "kind": "weights", "plan": .string(token), "time": 1_795_261_361_000,
        "title": "Strength: chest",
    ]
    private static let week: JSON = [
        "chosen": [choice], "duration_s": 3600, "exercises": 4, "from": "2026-11-16",
        "last": ["time": 1_795_261_361_000, "title": "running", "workout": "run-1"],
        "muscles": [["duration_s": 90, "muscle": "chest", "sets": 6], ["duration_s": 30, "muscle": "lats", "sets": 3]],
        "to": "2026-11-22", "workouts": 2,
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("training/offer", ["notes": ["This is no medical advice."], "offers": [Self.plan], "seed": 7])
        consumer.answer("training/week", Self.week)
        return consumer
    }

    /// A topic's message with some members in place of others.
    private static func now(_ changes: KeyValuePairs<String, JSON?>) -> JSON {
        guard case .object(var members) = now else { return now }
        for (name, value) in changes {
            members.removeAll { $0.name == name }
            if let value { members.append(JSON.Member(name, value)) }
        }
        return .object(members)
    }

    @Test("offers plans with what to do, and asks for what the command line says")
    func offer() throws {
        let consumer = try signedIn()
        let offer = try consumer.vitals("train")
        #expect(offer.output.hasPrefix("Strength: chest, 30 min, about 123 kcal, beginner\nPART"), "\(offer)")
        #expect(offer.output.contains("3 x 10") && offer.output.contains("60 s") && !offer.output.contains("\u{1B}"))
        #expect(offer.output.hasSuffix("train start \(Self.token)\n"), "\(offer)")
        #expect(offer.errors.contains("no medical advice") && offer.errors.contains("train offer --seed 7"), "\(offer)")
        #expect(try consumer.last().fields == [:])
        _ = try consumer.vitals(
            "train", "offer", "--kind", "weights", "--minutes", "45", "--equipment", "dumbbell, bands", "--muscles",
            "chest,lower back", "--seed", "7", "--random")
        let asked = try consumer.last().fields
        let again = try consumer.vitals("train", "offer", "--minutes", "45", "--muscles", "chest,lower back", "--seed", "3", "--random")
        let port = consumer.broker.port
        #expect(
            again.errors.hasSuffix(
                "vitals --port \(port) train offer --minutes 45 --muscles 'chest,lower back' --random --seed 7\n"), "\(again)")
        #expect(asked["kind"] == "weights" && asked["minutes"] == 45 && asked["random"] == true && asked["seed"] == 7)
        #expect(asked["equipment"] == ["dumbbell", "bands"] && asked["muscles"] == ["chest", "lower back"], "\(asked)")
        let json = try consumer.vitals("train", "offer", "--json", "--equipment", "none")
        #expect(try consumer.last().fields == ["equipment": []])
        #expect(try JSON(payload: Array(json.output.utf8))["seed"] == 7)
        let wrong = try consumer.vitals("train", "offer", "--minutes", "long")
        #expect(wrong.status == 64 && wrong.errors.contains("10 to 90 minutes"), "\(wrong)")
        let words = "there are no exercises here yet: the operator has to install the file"
        for (option, text, problem) in [
            ("minutes", "9", "has to be a whole number from 10 to 90"),
            ("kind", "yoga", "has to be one of weights, intervals"),
        ] {
            consumer.refuse("training/offer", ReplyError(.invalid, "\"\(option)\" \(problem)", field: option))
            let refused = try consumer.vitals("train", "offer", "--\(option)", text)
            #expect(refused.status == 64 && refused.errors.hasPrefix("vitals: --\(option): \(problem)\n"), "\(refused)")
        }
        consumer.refuse("training/offer", ReplyError(.notReady, words))
        let none = try consumer.vitals("train")
        #expect(none.status == 69 && none.errors.contains(words), "\(none)")
    }

    @Test("starts a plan or a choice, goes on, and says what is to be done now")
    func follow() throws {
        let consumer = try signedIn()
        consumer.answer("training/start", ["training": Self.now, "workout": ["id": "run-1"]])
        let started = try consumer.vitals("train", "start", Self.token)
        #expect(
            started.output == "started: Strength: chest\n3 of 7  Push-Ups, set 2 of 3, 10 repetitions\n", "\(started)")
        #expect(try consumer.last().fields == ["plan": .string(Self.token)])
        _ = try consumer.vitals("train", "start", "strength: CHEST")
        #expect(try consumer.last().fields == ["choice": "choice-1"])

        let resting = Self.now(["phase": "rest", "ends": 1_795_261_401_500, "next": "Squat"])
        consumer.answer("training/next", resting)
        #expect(try consumer.vitals("train", "next").output == "3 of 7  rest 0:41, next: Squat\n")
        consumer.answer("training/skip", Self.now(["repetitions": nil, "ends": 1_795_261_391_000, "zone": 4, "in_zone": false]))
        #expect(
            try consumer.vitals("train", "skip").output
                == "3 of 7  Push-Ups, set 2 of 3, 0:30, not in zone 4\n")
        consumer.answer("training/current", ["training": Self.now(["phase": "paused", "repetitions": nil, "left_s": 25])])
        #expect(
            try consumer.vitals("train", "now").output == "3 of 7  paused: Push-Ups, set 2 of 3, 0:25 left\n")
        consumer.answer("training/current", ["training": Self.now(["phase": "over"])])
        let over = try consumer.vitals("train", "now")
        #expect(over.output.hasPrefix("3 of 7  done: vitals ") && over.output.hasSuffix("workout stop\n"), "\(over)")
        consumer.answer("training/current", ["training": .null])
        let nothing = try consumer.vitals("train", "now")
        #expect(nothing.output.isEmpty && nothing.errors.contains("no training is under way"), "\(nothing)")
        consumer.refuse("training/previous", ReplyError(.notAllowed, "the training is paused: resume the workout first"))
        let paused = try consumer.vitals("train", "previous")
        #expect(paused.status != 0 && paused.errors.contains("workout resume"), "\(paused)")
    }

    @Test("follows what the consumer says, line by line, until it is over")
    func watch() throws {
        let consumer = try signedIn()
        consumer.answer("training/current", ["training": Self.now])
        let topic = "vitals/v1/users/ada/training"
        consumer.keep(topic, Self.now)
        let program = try consumer.watchedTerminal("train watch")
        #expect(program.prints("3 of 7  Push-Ups, set 2 of 3, 10 repetitions"))
        consumer.keep(topic, Self.now(["phase": "rest", "ends": 1_795_261_421_000]))
        #expect(program.prints("rest 1:00") && program.prints("rest 0:5"))
        consumer.clear(topic)
        #expect(program.prints("the training is over") && program.exitStatus() == 0)
        // A home without accounts publishes nothing of its people.
        let asking = try consumer.watchedTerminal("train watch --username eve")
        #expect(asking.prints("3 of 7  Push-Ups, set 2 of 3, 10 repetitions"))
        consumer.answer("training/current", ["training": Self.now(["phase": "rest", "ends": 1_795_261_421_000])])
        #expect(asking.prints("rest 1:00"))
        consumer.answer("training/current", ["training": .null])
        #expect(asking.prints("the training is over") && asking.exitStatus() == 0)
    }

    @Test("shows weeks and days, chooses and un-chooses")
    func weeks() throws {
        let consumer = try signedIn()
        let week = try consumer.vitals("train", "week", "2026-11-21")
        #expect(try consumer.last().fields == ["day": "2026-11-21"])
        for words in ["2026-11-16 to 2026-11-22", "60 min", "chest 6, lats 3", ": running", "choice-1", "30 min  no"] {
            #expect(week.output.contains(words), "\(words): \(week)")
        }
        guard case .object(let members) = Self.week else { throw TestFailure("no week") }
        let others = members.filter { !["chosen", "from", "to"].contains($0.name) }
        let past = [JSON.Member("chosen", []), JSON.Member("from", "2020-01-06"), JSON.Member("to", "2020-01-12")]
        consumer.answer("training/week", .object(others + past))
        let earlier = try consumer.vitals("train", "week", "2020-01-08")
        #expect(earlier.errors.contains("nothing was chosen") && !earlier.errors.contains("train choose"), "\(earlier)")
        #expect(try consumer.vitals("train", "week").errors.contains("train choose PLAN"))
        consumer.answer("training/week", Self.week)
        consumer.answer("training/choose", Self.week)
        #expect(try consumer.vitals("train", "choose", Self.token).status == 0)
        #expect(try consumer.last().fields == ["plan": .string(Self.token)])
        consumer.refuse("training/choose", ReplyError(.notAllowed, "you have chosen 14 plans", field: "plan"))
        #expect(try consumer.vitals("train", "choose", Self.token).errors.contains("train unchoose CHOICE takes one back"))
        consumer.answer("training/unchoose", Self.week)
        #expect(try consumer.vitals("train", "unchoose", "Strength: chest").status == 0)
        #expect(try consumer.last().fields == ["choice": "choice-1"])
        #expect(try consumer.vitals("completion", "choices").output == "Strength: chest\n")
        consumer.answer(
            "training/day",
            [
                "bmi": .number(20.8), "bmi_class": "normal", "day": "2026-11-21", "duration_s": 1800, "energy_kcal": 321,
                "muscles": [], "picture": true, "progress": ["steps": .number(80.4)], "workouts": 1,
            ])
        let day = try consumer.vitals("train", "day").output
        for words in ["321 kcal", "steps 80 %", "20.8, normal", "Picture"] { #expect(day.contains(words), "\(day)") }
    }

    @Test("lists exercises to the last page, shows one, and says what is at hand")
    func exercises() throws {
        let consumer = try signedIn()
        consumer.answer("training/exercises") { fields in
            let entry: JSON = [
                "category": "strength", "equipment": "body only", "exercise": fields["after"] ?? "Push-Ups",
                "level": "beginner", "name": "Push-Ups", "primary": ["chest"], "secondary": [],
            ]
            return Reply(.ok(fields["after"] == nil ? ["exercises": [entry], "next": "Squat"] : ["exercises": [entry]]))
        }
        let list = try consumer.vitals("train", "exercises", "--muscle", "chest")
        #expect(list.output.split(separator: "\n").count == 3 && list.output.contains("Squat"), "\(list)")
        #expect(try consumer.last().fields == ["after": "Squat", "muscle": "chest"])
        consumer.answer(
            "training/exercise",
            [
                "category": "strength", "equipment": "body only", "exercise": "Push-Ups", "instructions": ["Lie down."],
                "level": "beginner", "name": "Push-Ups", "primary": ["chest"], "secondary": ["triceps"],
            ])
        let one = try consumer.vitals("train", "exercise", "Push-Ups").output
        #expect(one.contains("Besides") && one.hasSuffix("1. Lie down.\n"), "\(one)")
        let kept: JSON = [
            "equipment": ["bands"], "exercises": 466, "known_equipment": ["body only", "bands", "barbell"],
            "level": "beginner", "muscles": ["chest"],
        ]
        consumer.answer("training/get", kept)
        consumer.answer("training/set", kept)
        let equipment = try consumer.vitals("train", "equipment").output
        #expect(equipment.contains("bands      yes") && equipment.contains("barbell    no"), "\(equipment)")
        #expect(try consumer.vitals("train", "level", "beginner").output == "beginner\n")
        #expect(try consumer.last().fields == ["level": "beginner"])
        for (words, field, option) in [(["level", "expert"], "level", "LEVEL"), (["equipment", "dumbell"], "equipment", "NAMES")] {
            consumer.refuse("training/set", ReplyError(.invalid, "\"\(field)\" is wrong", field: field))
            let refused = try consumer.vitals(["train"] + words)
            #expect(refused.status == 64 && refused.errors.hasPrefix("vitals: \(option): is wrong\n"), "\(refused)")
        }
        consumer.answer("training/set", kept)
        _ = try consumer.vitals("train", "equipment", "none")
        #expect(try consumer.last().fields == ["equipment": []])
    }
}
