import TestSupport
import Testing

@testable import TrainingPlans

/// The reader of catalogues.
@Suite("Exercise catalogues", .timeLimit(.minutes(60))) struct CatalogueTests {
    /// One exercise with some members that differ: a value of nil leaves one out.
    private func exercise(_ differing: [String: String?] = [:]) -> String {
        var members: [String: String?] = [
            "id": "\"Plank\"", "name": "\"Plank\"", "category": "\"strength\"", "level": "\"beginner\"",
            "force": "\"static\"", "mechanic": "null", "equipment": "null", "primaryMuscles": "[\"abdominals\"]",
            "secondaryMuscles": "[]", "instructions": "[\"Hold it.\"]",
        ]
        for (name, value) in differing { members[name] = .some(value) }
        let spelt = members.compactMap { name, value in value.map { "\"\(name)\": \($0)" } }
        return "{\(spelt.sorted().joined(separator: ", "))}"
    }

    private func problem(_ text: String) -> String? {
        thrown(CatalogueProblem.self) { try ExerciseCatalogue(Array(text.utf8)) }?.description
    }

    @Test("the project's own is read, with all muscles, and what plans need")
    func own() throws {
        let catalogue = try catalogue()
        #expect(catalogue.exercises.count == 466)
        let plank = try #require(catalogue["Plank"])
        #expect(plank.name == "Plank" && plank.force == .hold && plank.equipment == .bodyOnly && !plank.hasJumps)
        #expect(plank.primary == [.abdominals] && plank.instructions.count == 2)
        #expect(catalogue["Knee_Tuck_Jump"]?.hasJumps == true && catalogue["Freehand_Jump_Squat"]?.hasJumps == true)
        #expect(catalogue["plank"] == nil)
        for muscle in Muscle.allCases { #expect(catalogue.exercises.contains { $0.primary == [muscle] }, "\(muscle)") }
        #expect(catalogue.exercises.count { $0.uses.contains(.balance) } == 4)
        #expect(catalogue.exercises.count { $0.uses.contains(.warmUp) } == 9)
        // Neither category nor name say it of these.
        for id in [
            "Groiners", "Clock_Push-Up", "Dumbbell_Clean", "Double_Kettlebell_Jerk", "One-Arm_Kettlebell_Clean_and_Jerk",
            "One-Arm_Kettlebell_Jerk", "One-Arm_Kettlebell_Push_Press", "One-Arm_Kettlebell_Split_Jerk", "Rope_Climb",
        ] { #expect(catalogue[id]?.hasJumps == true, "\(id)") }
    }

    @Test("exercises are found by what they work, what they need, their level and a part of their name")
    func found() throws {
        let catalogue = try catalogue()
        let pushing = catalogue.exercises(muscle: .chest, equipment: .bodyOnly, level: .beginner, text: "PUSH-UP w")
        #expect(pushing.map(\.id) == ["Incline_Push-Up_Wide", "Push-Up_Wide"])
        #expect(catalogue.exercises().count == 466 && catalogue.exercises(text: "no such name").isEmpty)
        // Also what is worked besides.
        #expect(catalogue.exercises(muscle: .triceps).contains { !$0.primary.contains(.triceps) })
    }

    @Test("a file may be spread over lines, and have members that nobody knows")
    func spread() throws {
        let text = "\n[\n\n" + exercise(["images": "[{\"a\": [1]}]", "name": "\"A \\\"}]\\\" B\""])
        let spread = text.replacing(", \"", with: ",\n  \"") + "\n,\r\n" + exercise(["id": "\"B\""]) + "\n]\n "
        let catalogue = try ExerciseCatalogue(Array(spread.utf8))
        #expect(catalogue.exercises.map(\.id) == ["Plank", "B"] && catalogue["Plank"]?.name == "A \"}]\" B")
        let broken = exercise(["instructions": "[\"One.\\n\\tTwo.\\r\\n\"]"])
        #expect(try ExerciseCatalogue(Array("[\(broken)]".utf8)).exercises[0].instructions == ["One. Two."])
        // What is worked most is not worked besides.
        let both = exercise(["secondaryMuscles": "[\"abdominals\", \"chest\"]"])
        #expect(try ExerciseCatalogue(Array("[\(both)]".utf8)).exercises[0].secondary == [.chest])
    }

    @Test("what is wrong with an exercise is said, with its id and the line on which it begins")
    func wrong() {
        let long = String(repeating: "x", count: 101)
        let wrong: [([String: String?], String)] = [
            (["primaryMuscles": "[\"belly\"]"], "its primaryMuscles \"belly\" is not known"),
            (["primaryMuscles": "[]"], "its primaryMuscles are 0, and not 1 to 4"),
            (["primaryMuscles": "\"chest\""], "its primaryMuscles is not a list"),
            (["primaryMuscles": "[1]"], "its primaryMuscles are not texts"),
            (["secondaryMuscles": "[\"chest\", \"chest\"]"], "its secondaryMuscles have \"chest\" twice"),
            (["secondaryMuscles": nil], "it has no secondaryMuscles"), (["level": nil], "it has no level"),
            (["level": "\"expert\""], "its level \"expert\" is not known"),
            (["level": "null"], "its level is not a text"), (["mechanic": nil], "it has no mechanic"),
            (["category": "\"powerlifting\""], "its category \"powerlifting\" is not known"),
            (["equipment": "\"sofa\\u001b[2J\\u202e\""], "its equipment \"sofa?[2J?\" is not known"),
            (["name": nil], "it has no name"), (["name": "\" \""], "its name is blank, or not a line of plain text"),
            (["name": "\"a\\nb\""], "its name is blank, or not a line of plain text"),
            (["name": "\"\(long)\""], "its name is longer than 100 characters"),
            (["instructions": "[\"a\\u0007\"]"], "one of its instructions is blank, or not a line of plain text"),
            (["instructions": "null"], "its instructions is not a list"),
            (["uses": "[\"warm\"]"], "its uses \"warm\" is not known"),
            (["force": "1"], "its force is not a text"),
        ]
        for (differing, reason) in wrong {
            let text = "[\n" + exercise(["id": "\"First\""]) + ",\n\n" + exercise(differing) + "\n]"
            #expect(problem(text) == "line 4: exercise Plank: \(reason)")
        }
        let id = "its id is not 1 to 64 letters, digits, hyphens and underscores"
        for text in ["\"\"", "\"a b\"", "\"ä\"", "\"a/b\"", "\"\(long)\""] {
            #expect(problem("[\(exercise(["id": text]))]") == "line 1: exercise: \(id)")
        }
        #expect(problem("[\(exercise(["id": nil]))]") == "line 1: exercise: it has no id")
        #expect(
            problem("[\(exercise()),\n\(exercise())]") == "line 2: exercise Plank: this id was there before")
    }

    @Test("what is no list of exercises is refused where it goes wrong")
    func malformed() {
        let one = exercise()
        let wrong = [
            ("", "line 1: a list, which begins with [, is expected"),
            ("\n\n{}", "line 3: a list, which begins with [, is expected"),
            ("\u{FEFF}[]", "line 1: a list, which begins with [, is expected"),
            ("[]", "line 1: there is no exercise"), ("[\n1]", "line 2: exercise: it has no id"),
            ("[\(one)\n", "line 2: a comma or ] is expected after an element"),
            ("[\(one)\n\(one)]", "line 2: a comma or ] is expected after an element"),
            ("[\(one),\n]", "line 2: an element is missing"),
            ("[\(one)]\n\n[]", "line 3: nothing may follow the end of the list"),
            ("[\n{\"id\": \"a", "line 2: an element does not end: a bracket or a quotation mark is missing"),
            ("[{\"a\\", "line 1: an element does not end: a bracket or a quotation mark is missing"),
            ("[\n\n{]", "line 3: exercise: it is not JSON"), ("[{\"a\":1,}]", "line 1: exercise: it is not JSON"),
            ("[{\"id\":\"a\",\"id\":\"b\"}]", "line 1: exercise: it has two members with the same name"),
            (
                "[{\"a\":\(String(repeating: "[", count: 16))\(String(repeating: "]", count: 16))}]",
                "line 1: exercise: it is nested more than 16 deep"
            ),
        ]
        for (text, description) in wrong { #expect(problem(text) == description, "\(text.prefix(40))") }
        let notText = thrown(CatalogueProblem.self) {
            try ExerciseCatalogue(Array("[{\"id\":\"".utf8) + [0xFF] + Array("\"}]".utf8))
        }
        #expect(notText?.description == "line 1: exercise: its bytes are not UTF-8")
    }

    @Test("what is too long or too many is refused, before it costs anything")
    func tooMuch() throws {
        let many = (0...ExerciseCatalogue.most).map { exercise(["id": "\"a\($0)\""]) }
        #expect(
            try ExerciseCatalogue(Array("[\(many.dropLast().joined(separator: ","))]".utf8)).exercises.count == 2000)
        #expect(problem("[\(many.joined(separator: ",\n"))]") == "line 2001: there are more than 2000 exercises")
        let long = String(repeating: " ", count: ExerciseCatalogue.longestExercise)
        let reason = "an element is longer than 16384 bytes, or lacks a bracket or a quotation mark"
        #expect(problem("[\n{\"id\":\(long)\"a\"}]") == "line 2: \(reason)")
        // Brackets without end are not followed.
        #expect(problem("[{" + String(repeating: "[", count: 1_000_000)) == "line 1: \(reason)")
        let file = "[\(String(repeating: "\n", count: ExerciseCatalogue.longestFile))]"
        #expect(problem(file) == "line 1: the file is longer than 2097152 bytes")
    }
}
