import Foundation
import TestSupport
import Testing

@Suite("A recording as a workout", .timeLimit(.minutes(60)))
struct UpWorkoutTests {
    @Test(
        "deploy/up --workout replays it as strap and phone on a faster clock, and ends with the workout as one JSON object"
    )
    func workout() throws {
        let folder = try TemporaryFolder()
        let piece = try Piece(of: "run-9km.csv", rows: 600..<725)
        let file = try folder.write(piece.text, to: "two minutes.csv")

        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let up = try RunningProgram(
            "\(projectFolder)/deploy/up",
            [
                "--accounts", "--once", "--workout", "running", "--activity", file, "--speed", "8",
                "--port", "\(try freePort())", "--state", folder.path("a home"),
            ],
            environment: [
                "VITALS_PROGRAMS": URL(fileURLWithPath: tests).deletingLastPathComponent().path, "HOME": folder.path,
                "XDG_CONFIG_HOME": "",
            ])
        defer { up.end() }
        #expect(up.exitStatus(within: .seconds(300)) == 0, "\(up.text)")
        let last = try #require(up.lines.last { !$0.isEmpty })
        let workout = try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any], "\(up.text)")
        #expect(workout["activity"] as? String == "running" && workout["id"] is String && workout["started"] is Int)
        #expect(workout["duration_s"] as? Double == piece.seconds.last)
        let (heart, rates) = (try #require(workout["heart_rate"] as? [String: Any]), piece.heartRates)
        #expect(heart["min"] as? Double == rates.min() && heart["max"] as? Double == rates.max())
        let mean = try #require(heart["mean"] as? Double)
        #expect(abs(mean - rates.reduce(0, +) / Double(rates.count)) < 1, "\(mean)")
        let distance = try #require(workout["distance_m"] as? Double)
        #expect((0.98...1.02).contains(distance / (try #require(piece.metres.last))), "\(distance)")
        // The strap's counter is read now and then. What was counted between two readings is taken to be even.
        let steps = try #require(workout["steps"] as? Double)
        #expect((0.9...1).contains(steps / (try #require(piece.steps.last) - piece.steps[0])), "\(steps)")
        let speed = try #require(workout["speed_mps"] as? [String: Any])
        #expect(["mean", "min", "max"].allSatisfy { speed[$0] is Double })
        for name in ["ascent_m", "energy_kcal"] { #expect(workout[name] is Double, "\(name)") }
        #expect(workout["percent"] == nil)
    }
}

/// Some rows of a recording, which begin at no seconds and no metres.
private struct Piece {
    let text: String
    let seconds: [Double]
    let heartRates: [Double]
    /// By the watch that recorded it.
    let metres: [Double]
    /// Since the recording began.
    let steps: [Double]

    init(of name: String, rows: Range<Int>) throws {
        let whole = try String(contentsOfFile: "\(projectFolder)/deploy/activities/\(name)", encoding: .utf8)
        let lines = whole.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let column = { (name: String) in try #require(lines[0].firstIndex { $0 == name }) }
        let (elapsed, rate) = (try column("elapsed_s"), try column("heart_rate_bpm"))
        let (distance, counter) = (try column("distance_m"), try column("steps"))
        var piece = lines[1...][rows].map { $0.map(String.init) }
        for index in [elapsed, distance] {
            let first = try #require(Double(piece[0][index]))
            piece = piece.map { row in
                var row = row
                row[index] =
                    Double(row[index]).map { String(format: index == elapsed ? "%.0f" : "%.2f", $0 - first) } ?? ""
                return row
            }
        }
        seconds = piece.compactMap { Double($0[elapsed]) }
        heartRates = piece.compactMap { Double($0[rate]) }
        metres = piece.compactMap { Double($0[distance]) }
        steps = piece.compactMap { Double($0[counter]) }
        text = ([lines[0].map(String.init)] + piece).map { $0.joined(separator: ",") + "\n" }.joined()
    }
}
