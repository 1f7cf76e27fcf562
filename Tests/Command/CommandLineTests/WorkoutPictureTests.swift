import Foundation
import Synchronization
import Telemetry
import TestSupport
import Testing

@Suite("vitals workout picture", .timeLimit(.minutes(60)))
struct WorkoutPictureTests {
    /// A consumer whose picture of a workout has these parts.
    private func consumer(_ parts: [String]) throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("workouts/list", ["workouts": [["id": "w7"]]])
        consumer.answer("workouts/picture") { fields in
            let index = if case .string(let cursor)? = fields["cursor"] { Int(cursor) ?? 0 } else { 0 }
            let data = Data(parts[index].utf8).base64EncodedString()
            let next = index + 1 < parts.count ? JSON.string("\(index + 1)") : nil
            return Reply(.ok(.object(present: ["data": .string(data), "type": "image/png", "next": next])))
        }
        return consumer
    }

    @Test("a picture is written with all of its parts, for its owner alone, and hides what the person says")
    func written() throws {
        let consumer = try consumer(["one,", "two,", "three"])
        let file = consumer.home.path + "/run.PNG"
        let outcome = try consumer.vitals("workout", "picture", "latest", "--output", file)
        #expect(outcome == (0, "\(file): 13 bytes\n", ""))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "one,two,three")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try consumer.last().fields == ["cursor": "2", "format": "png", "id": "w7"])
        for (words, fields) in [
            (["--hide", "0.5 km"], ["hidden_m": 500]), (["--hide", "300m"], ["hidden_m": 300]),
            (["--hide-nothing"], ["hidden_m": 0]), (["--dark"], ["theme": "dark"]),
            (["--without", "heart-rate,date"], ["without": ["heart-rate", "date"]]),
        ] as [([String], JSON)] {
            let svg = consumer.home.path + "/run.svg"
            let outcome = try consumer.vitals(["workout", "picture", "w1", "--output", svg, "--json"] + words)
            #expect(outcome.output == "{\"file\":\"\(svg)\",\"bytes\":13}\n", "\(outcome)")
            guard case .object(let members) = fields else { continue }
            let expected = members + [("cursor", "2"), ("format", "svg"), ("id", "w1")].map { JSON.Member($0.0, $0.1) }
            #expect(try consumer.last().fields == .object(expected.sorted { $0.name < $1.name }))
        }
    }

    @Test(
        "a command line that means nothing is refused before anything is asked",
        arguments: [
            (["w1"], "--output"), (["--output", "/nowhere/a.png"], "ID"),
            (["w1", "--output", "run.jpg"], "--output: expected a file's name that ends with .png or .svg"),
            (["w1", "--output", "png"], "--output: expected"),
            (["w1", "--output", "/nowhere/a.png", "--hide", "far"], "--hide: expected a distance from 1 m to 5 km"),
            (["w1", "--output", "/nowhere/a.png", "--hide", "200"], "--hide: expected a distance"),
            (["w1", "--output", "/nowhere/a.png", "--hide", "0m"], "--hide: expected a distance"),
            (["w1", "--output", "/nowhere/a.png", "--hide", "nanm"], "--hide: expected a distance"),
            (["w1", "--output", "/nowhere/a.png", "--hide", "6km"], "--hide: expected a distance"),
            (["w1", "--output", "/nowhere/a.png", "--hide", "2km", "--hide-nothing"], "--hide: --hide-nothing says"),
            (["w1", "--output", "/nowhere/a.png", "--without", "path"], "--without: expected heart-rate, date"),
            (["w1", "--output", "/nowhere/a.png", "--without", "date,"], "--without: expected heart-rate, date"),
        ])
    func usage(words: [String], problem: String) throws {
        let consumer = try consumer([""])
        let outcome = try consumer.vitals(["workout", "picture"] + words)
        #expect(outcome.status == 64 && outcome.errors.hasPrefix("vitals: \(problem)"), "\(outcome)")
        #expect(try consumer.last().name == "sign-in")
    }

    @Test("a picture that changes meanwhile is asked for again, three times, and nothing half is written")
    func changes() throws {
        let consumer = try consumer(["one,", "two"])
        let file = consumer.home.path + "/run.png"
        let changed = ReplyError(.invalid, "the picture has changed meanwhile", field: "cursor")
        let part: JSON = ["data": "b25l", "next": "1"]
        let hasChanged = Mutex(false)
        consumer.answer("workouts/picture") { fields in
            // Its first part is another one from then on.
            if hasChanged.withLock({ $0 }) { return Reply(.ok(["data": "dHdv"])) }
            guard fields["cursor"] != nil else { return Reply(.ok(part)) }
            hasChanged.withLock { $0 = true }
            return Reply(.error(changed))
        }
        #expect(try consumer.vitals("workout", "picture", "w1", "--output", file).output == "\(file): 3 bytes\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "two")
        consumer.answer("workouts/picture") { fields in
            fields["cursor"] == nil ? Reply(.ok(part)) : Reply(.error(changed))
        }
        let second = consumer.home.path + "/second.png"
        let outcome = try consumer.vitals("workout", "picture", "w1", "--output", second)
        #expect(outcome.status == 75 && outcome.errors.contains("still coming in"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: second))
    }

    @Test("what cannot be a picture is told, and so is a file that cannot be written")
    func problems() throws {
        let consumer = try consumer(["x"])
        let file = consumer.home.path + "/run.png"
        for data: JSON in ["!", "", 5, .null] {
            consumer.answer("workouts/picture", .object([JSON.Member("data", data)]))
            let outcome = try consumer.vitals("workout", "picture", "w1", "--output", file)
            #expect(outcome.status == 76 && outcome.errors.contains("is not base64"), "\(outcome)")
        }
        consumer.refuse("workouts/picture", ReplyError(.notFound, "there is no such workout", field: "id"))
        let missing = try consumer.vitals("workout", "picture", "w1", "--output", file)
        #expect(missing.status == 67 && missing.errors.contains("workout list shows the ids"), "\(missing)")
        consumer.answer("workouts/picture", ["data": "eA=="])
        let nowhere = try consumer.vitals("workout", "picture", "w1", "--output", "/nowhere/run.png")
        #expect(nowhere.status == 74 && nowhere.errors.contains("/nowhere/run.png cannot be written"), "\(nowhere)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }
}
