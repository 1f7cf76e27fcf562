import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

/// Pictures of recorded workouts, from a running service; measured by Python, which knows the recording.
@Suite("Pictures of workouts at a running service", .timeLimit(.minutes(60)))
struct PictureServiceTests {
    /// See picture.py.
    private struct Measured: Decodable {
        let places, pieces, way, hidden, decimals: Int
        let farthest, missed, nearest: Double
        let texts: [String]
    }

    /// A whole picture, in as many parts as it takes.
    private func picture(_ id: JSON, _ format: String, _ fields: [JSON.Member], _ house: WorkoutHouse) throws -> Data {
        var (whole, cursor, length): (Data, JSON?, Int?) = (Data(), nil, nil)
        repeat {
            let members = [JSON.Member("id", id), JSON.Member("format", .string(format))] + fields
            let part = try house.done(
                "workouts/picture", .object(members + (cursor.map { [JSON.Member("cursor", $0)] } ?? [])))
            guard case .string(let text)? = part["data"], let data = Data(base64Encoded: text) else {
                throw TestFailure("no data in \(part)")
            }
            #expect(text.utf8.count <= 60 * 1024 && part["type"] == (format == "svg" ? "image/svg+xml" : "image/png"))
            whole += data
            cursor = part["next"]
            length = Int(try part.number("length"))
        } while cursor != nil
        #expect(whole.count == length)
        return whole
    }

    private func measured(
        _ name: String, _ id: JSON, _ hidden: Int64?, _ house: WorkoutHouse, _ fields: [JSON.Member] = []
    ) throws -> Measured {
        let folder = try TemporaryFolder()
        let fields = fields + (hidden.map { [JSON.Member("hidden_m", .integer($0))] } ?? [])
        for format in ["svg", "png"] {
            try picture(id, format, fields, house).write(to: URL(fileURLWithPath: "\(folder.path)/p.\(format)"))
        }
        let text = try RunningProgram.runPython([
            "\(projectFolder)/Tests/Consumer/ConsumerTests/Workouts/picture.py", "\(folder.path)/p.svg",
            "\(folder.path)/p.png", "\(projectFolder)/deploy/activities/\(name).csv", "\(hidden ?? 200)",
        ])
        return try JSONDecoder().decode(Measured.self, from: Data(text.utf8))
    }

    @Test(
        "show the way where it was, and nothing of it within 200 m of start and end",
        arguments: [("run-9km", "running", "Average pace", "8.9"), ("ride-41km", "cycling", "Average speed", "41.4")])
    func recorded(_ name: String, _ activity: String, _ swiftness: String, _ kilometres: String) throws {
        try WorkoutHouse.with { house in
            let id = try house.replay(name, as: activity)
            let usual = try measured(name, id, nil, house)
            #expect(usual.places > 200 && usual.pieces >= 1)
            #expect(usual.farthest < 10 && usual.missed < 25, "\(usual.farthest) \(usual.missed)")
            #expect(usual.nearest > 197 && usual.hidden == 0 && usual.way > 5000, "\(usual.nearest) \(usual.hidden)")
            #expect(usual.decimals <= 2)
            let day = "Saturday, 21 November 2026"
            for text in [swiftness, "\(kilometres)\u{A0}km", "Start and end are hidden", day, "Average heart rate"] {
                #expect(usual.texts.contains(text), "\(text) is missing in \(usual.texts)")
            }
            let far = try measured(name, id, 300, house, [JSON.Member("without", ["date", "heart-rate"])])
            #expect(far.nearest > 297 && far.hidden == 0 && far.way > 5000)
            #expect(!far.texts.contains { $0.contains("2026") || $0.contains("eart") || $0.contains("bpm") })
            let whole = try measured(name, id, 0, house)
            #expect(whole.nearest < 5 && !whole.texts.contains("Start and end are hidden"))
            let dark = String(decoding: try picture(id, "svg", [JSON.Member("theme", "dark")], house), as: UTF8.self)
            #expect(dark.contains("stroke=\"#ff5a52\"") && !dark.contains("#d3202c"))
        }
    }

    @Test("hide the same in each picture of a person, and something else where nobody knows that secret")
    func displaced() throws {
        let pictures = try (0..<2).map { _ in
            var pictures: [Data] = []
            try WorkoutHouse.with { house in
                try house.done("workouts/start", ["activity": "running"])
                house.set(400)
                try house.publish(house.run(0..<400))
                let id = JSON.string(try house.done("workouts/stop").text("id"))
                for hidden: Int64 in [200, 200, 0] {
                    pictures.append(try picture(id, "svg", [JSON.Member("hidden_m", .integer(hidden))], house))
                }
            }
            return pictures
        }
        // The same run, kept by two services.
        #expect(pictures[0][2] == pictures[1][2])
        for own in pictures { #expect(own[0] == own[1] && own[0] != own[2]) }
        #expect(pictures[0][0] != pictures[1][0])
    }

    @Test("are refused where the request means nothing, the workout is another's or under way, or they have changed")
    func refused() throws {
        try WorkoutHouse.with { house in
            try house.done("workouts/start", ["activity": "Nordic <skating>"])
            let current = try #require(try house.done("workouts/current")["workout"]?["id"])
            #expect(try house.refused("workouts/picture", ["id": current]).code == .notFound)
            house.set(400)
            try house.publish(house.run(0..<400))
            let id = JSON.string(try house.done("workouts/stop").text("id"))
            #expect(try house.refused("workouts/picture", ["id": "nothing"]).code == .notFound)
            let wrong: [(String, JSON)] = [
                ("format", "jpeg"), ("theme", "pink"), ("hidden_m", -1), ("hidden_m", 5001), ("hidden_m", "200"),
                ("without", "date"), ("without", ["path"]), ("without", ["date", "date", "date"]), ("cursor", ""),
                ("cursor", "1"), ("cursor", "-1-0"), ("cursor", "9223372036854775808-0"), ("cursor", "0-0"),
            ]
            for (field, value) in wrong {
                let fields = JSON.object([JSON.Member(field, value), JSON.Member("id", id)])
                let error = try house.refused("workouts/picture", fields)
                #expect(error.code == .badRequest && error.field == field, "\(error)")
            }
            let first = try house.done("workouts/picture", ["format": "png", "id": id])
            let next = try #require(first["next"])
            let different: JSON = ["cursor": next, "format": "png", "hidden_m": 0, "id": id]
            let other = try house.refused("workouts/picture", different)
            #expect(other.code == .invalid && other.field == "cursor" && other.message.contains("again"))
            let beyond = try house.refused("workouts/picture", ["cursor": "9000000-0", "id": id])
            #expect(beyond.code == .invalid && beyond.field == "cursor")
            let svg = String(decoding: try picture(id, "svg", [], house), as: UTF8.self)
            #expect(svg.contains(">Nordic &lt;skating&gt;<"))
            // 1,200 m straight on, of which 200 m are hidden at each end; a way of which all is hidden is not drawn.
            #expect(svg.contains("stroke=\"#d3202c\""))
            let hidden = try picture(id, "svg", [JSON.Member("hidden_m", 5000)], house)
            #expect(!String(decoding: hidden, as: UTF8.self).contains("#d3202c"))
        }
    }
}
