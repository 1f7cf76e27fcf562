import ActivityFiles
import DaysSupport
import Fitness
import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Exercise

@Suite("Several recordings of one workout at a running service", .timeLimit(.minutes(60)))
struct OtherRecordingsTests {
    /// A run of 50 minutes, as a device has it.
    private func run(by product: String, at begin: Int64, metres: Double?, bpm: UInt16?) throws -> [UInt8] {
        let samples = (0..<300 as Range<Int64>).map { Sample(time: begin + $0 * 10_000, cadence: 80, heartRate: bpm) }
        return try FITFile.write(
            Recording(
                sport: .running, name: "by \(product)", start: begin, end: begin + 3_000_000, samples: samples,
                totals: Totals(distanceMetres: metres),
                device: Device(manufacturer: "garmin", product: product, serial: "1")))
    }

    private func bring(_ house: WorkoutHouse, _ bytes: [UInt8]) throws -> JSON {
        let told = try #require(house.imported(bytes, keepingBoth: true).list("workouts").first)
        #expect(told["outcome"] == "imported", "\(told)")
        try house.settle()
        return .string(try told.text("id"))
    }

    private func total(_ house: WorkoutHouse, _ fields: JSON = [:]) throws -> (workouts: JSON?, metres: JSON?) {
        let all = try house.done("workouts/statistics", fields)
        return (all["workouts"], all["distance_m"]?["total"])
    }

    @Test("are deleted one by one: what another one has stays, and so does what was measured while one was added by hand")
    func deleted() throws {
        try WorkoutHouse.with { house in
            let first = try house.bring(.byWatch())
            var recording = Recording.byWatch(5...900)
            recording.device = Device(manufacturer: "garmin", product: "1551", serial: "2")
            let file = try FITFile.write(recording)
            let second = try bring(house, file)
            #expect(try house.shown(first).list("recordings").count == 1 && !house.shown(first).list("best").isEmpty)
            let (heart, stored) = (try house.shown(first)["heart_rate"], try house.stored(.heartRate))
            try house.done("workouts/delete", ["id": second])
            try house.settle()
            #expect(try house.shown(first)["heart_rate"] == heart && house.stored(.heartRate) == stored)
            // Its first ten minutes belong to no workout any longer.
            try house.done("workouts/edit", ["id": first, "from": .integer(start + 600_000)])
            let made = try house.done(
                "workouts/add", ["activity": "swimming", "started": .integer(start + 100_000), "duration_s": 300])
            let byHand = try #require(made.list("workouts").first?["id"])
            try house.done("workouts/delete", ["id": byHand])
            #expect(try house.stored(.heartRate) == stored)
            let outcome = try house.imported(file, keepingBoth: true).list("workouts").first?["outcome"]
            #expect(outcome == "imported", "what was deleted was the recording alone")
        }
    }

    @Test("fill what posts and pictures show of the one that counts")
    func others() throws {
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.done("profile/set", properProfile)
            _ = try bring(house, run(by: "1551", at: start, metres: nil, bpm: 150))
            let watch = try bring(house, run(by: "3113", at: start + 20_000, metres: 9000, bpm: nil))
            try house.done("posts/add", ["workout": watch, "friends": true, "heart_rate": true, "text": "Look"])
            let post = try house.done("posts/list", ["own": true]).list("posts").first
            #expect(post?["workout"]?["heart_rate"] == 150, "\(String(describing: post))")
            let pictures = try ([[], ["heart-rate"]] as [JSON]).map { without in
                try house.done("workouts/picture", ["id": watch, "format": "svg", "without": without])["data"]
            }
            #expect(pictures[0] != nil && pictures[0] != pictures[1], "the picture shows the strap's heart rate")
        }
    }

    @Test("count once in statistics, records, load, reports, gear and days, until the person chooses the other one")
    func once() throws {
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.done("profile/set", properProfile)
            let gear = try #require(house.done("gear/add", ["name": "Shoes", "kind": "shoes"])["gear"]).text("id")
            let strap = try bring(house, run(by: "1551", at: start, metres: nil, bpm: 150))
            let load = try self.load(house)
            #expect(load > 10)
            let watch = try bring(house, run(by: "3113", at: start + 20_000, metres: 9000, bpm: nil))
            for id in [strap, watch] { try house.done("workouts/set", ["workout": id, "gear": .string(gear)]) }
            // The watch says how far it was, so it has more; the heart rates are the strap's.
            let shown = try house.done("workouts/show", ["id": watch])
            #expect(shown["counts"] == nil && shown["distance_m"] == 9000 && shown["heart_rate"]?["mean"] == 150)
            let other = try #require(shown.list("recordings").first)
            #expect(other["id"] == strap && other["source"] == "garmin 1551 1" && other["counts"] == false, "\(other)")
            let hidden = try house.done("workouts/show", ["id": strap])
            #expect(try hidden["counts"] == false && hidden.list("recordings").first?["counts"] == true)
            #expect(hidden["distance_m"] != 9000)
            #expect(try total(house) == (1, 9000) && total(house, ["activity": "running"]) == (1, 9000))
            #expect(abs(try self.load(house) / load - 1) < 0.1, "a second recording is no second load")
            let report = try #require(house.done("workouts/report", ["day": "2026-11-21"])["total"])
            #expect(report["workouts"] == 1 && report["distance_m"] == 9000)
            #expect(try house.done("gear/list").list("gear").first?["distance_m"] == 9000)
            let records = try house.done("workouts/records").list("records")
            #expect(records.allSatisfy { $0["id"] == watch } && !records.isEmpty, "\(records)")
            // Between the starts of both nothing began that counts; both are in the list.
            #expect(try total(house, ["from": .integer(start + 1)]).workouts == 1)
            #expect(try total(house, ["to": .integer(start + 1)]).workouts == 0)
            let listed = try house.done("workouts/list").list("workouts")
            #expect(listed.map { $0["id"] } == [watch, strap] && listed.map { $0["counts"] } == [nil, false], "\(listed)")
            #expect(listed[0]["distance_m"] == 9000 && listed[0]["heart_rate"]?["mean"] == 150)
            // Wherever a part of the list ends.
            for fields in [[:], ["fields": ["counts", "heart_rate.mean"]]] as [[String: JSON]] {
                func ask(_ more: [String: JSON]) throws -> [JSON] {
                    let members = fields.merging(more) { $1 }.map { JSON.Member($0.key, $0.value) }
                    return try house.done("workouts/list", .object(members)).list("workouts")
                }
                #expect(try ask(["limit": 1]).map { $0["heart_rate"]?["mean"] } == [150])
                #expect(try ask(["to": .integer(start + 1)]).map { $0["counts"] } == [false])
            }
            // What is chosen counts, and still has what only the other one knows.
            let third = try bring(house, run(by: "2050", at: start + 30_000, metres: 8700, bpm: nil))
            #expect(try total(house) == (1, 9000))
            #expect(try house.done("workouts/prefer", ["id": third]).list("recordings").count == 2)
            #expect(try total(house) == (1, 8700))
            #expect(try house.done("statistics/day", ["day": "2026-11-21"])["distance_m"] == 8700)
            #expect(try house.done("workouts/show", ["id": watch])["counts"] == false)
            try house.done("workouts/prefer", ["id": strap])
            #expect(try total(house).metres == 9000, "of the others, the watch has more")
            #expect(try house.done("statistics/day", ["day": "2026-11-21"])["distance_m"] == 9000)
            #expect(try house.recounted() == 0)
            // What is deleted makes room for the others.
            try house.done("workouts/delete", ["id": strap])
            #expect(try total(house) == (1, 9000) && house.recounted() == 0)
        }
    }

    private func load(_ house: WorkoutHouse) throws -> Double {
        try house.done("workouts/load").list("days").reduce(0) { $0 + (try $1.number("load")) }
    }

    @Test("there is something to choose only between several of one workout that is over")
    func refusals() throws {
        try WorkoutHouse.with { house in
            house.set(20_000)
            let only = try bring(house, run(by: "1551", at: start, metres: 9000, bpm: 150))
            #expect(try house.refused("workouts/prefer", ["id": only]).code == .notAllowed)
            #expect(try house.refused("workouts/prefer", ["id": "nothing"]).code == .notFound)
            try house.done("workouts/start", ["activity": "running"])
            let current = try #require(house.done("workouts/current")["workout"]).text("id")
            #expect(try house.refused("workouts/prefer", ["id": .string(current)]).code == .notAllowed)
        }
    }

    @Test("on both sides of midnight, of many days, count once each, wherever a question begins")
    func manyDays() throws {
        let (day, count): (Int64, Int64) = (86_400_000, 70)
        let midnight = start - start % day
        var activities = ""
        for number in 1...count {
            for (begin, seconds, metres) in [(-20_000 as Int64, 3020, 9000), (10_000, 3000, 1)] {
                let time = spelt(midnight - number * day + begin)
                activities += """
                    <Activity Sport="Running"><Id>\(time)</Id><Lap StartTime="\(time)"><TotalTimeSeconds>\(seconds)</TotalTimeSeconds>\
                    <DistanceMeters>\(metres)</DistanceMeters><Calories>0</Calories></Lap></Activity>
                    """
            }
        }
        let file = "<TrainingCenterDatabase><Activities>\(activities)</Activities></TrainingCenterDatabase>"
        try WorkoutHouse.with(more: "time_zone: \"UTC\",") { house in
            house.set(20_000)
            let told = try house.imported(Array(file.utf8)).list("workouts")
            #expect(told.count == Int(2 * count) && told.allSatisfy { $0["outcome"] == "imported" })
            try house.settle()
            #expect(try total(house) == (.integer(count), .integer(count * 9000)))
            // One of each two does not count, also where a list reads them with different days.
            for limit in [200, 8] {
                var (lines, to): ([JSON], JSON?) = ([], nil)
                repeat {
                    let reply = try house.done("workouts/list", .object(present: ["limit": .integer(Int64(limit)), "to": to]))
                    (lines, to) = (lines + (try reply.list("workouts")), reply["next_to"])
                } while to != nil
                #expect(lines.count == told.count && lines.count { $0["counts"] == false } == Int(count), "\(limit)")
            }
            // At midnight, the one that counts has begun already.
            for days in [1, 5, 64, count] {
                let from: JSON = .integer(midnight - days * day)
                let metres: JSON? = days == 1 ? nil : .integer((days - 1) * 9000)
                #expect(try total(house, ["from": from]) == (.integer(days - 1), metres))
                #expect(try total(house, ["to": from]).workouts == .integer(count - days + 1))
            }
        }
    }

    private func made(_ file: String) throws -> [UInt8] {
        let folder = "\(projectFolder)/Tests/Libraries/ActivityFilesTests/Cases"
        return try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")))
    }

    @Test("are not made of the parts of a triathlon, which have a common name and their order in lists and details")
    func triathlon() throws {
        try WorkoutHouse.with { house in
            house.set(20_000)
            #expect(try house.imported(made("f03-triathlon-summary-first.fit")).list("workouts").count == 3)
            try house.settle()
            let parts = try house.done("workouts/list", ["fields": ["name", "session"]]).list("workouts")
            #expect(
                parts.map { $0["session"]?["number"] } == [3, 2, 1] && parts.allSatisfy { $0["session"]?["of"] == 3 })
            #expect(parts.allSatisfy { $0["name"] == "swimming, cycling, running" }, "\(parts)")
            let ride = try house.done("workouts/show", ["id": .string(parts[1].text("id"))])
            #expect(
                ride["session"] == ["number": 2, "of": 3] && ride["recordings"] == nil && ride["activity"] == "cycling")
            #expect(try total(house).workouts == 3 && house.recounted() == 0)
            // An exported part still says which part it is, even alone.
            let file = try house.exported(parts[1].text("id"), "fit")
            #expect(try FITFile.read(file.bytes).activities.first?.session?.number == 2)
        }
    }

    @Test("of a swim say the pool, its lengths, the rests and the pace over 100 m")
    func pool() throws {
        let begin = start - 86_400_000
        let laps = [(0, 600, 500.0), (600, 90, 0), (690, 510, 500)].map { from, seconds, metres in
            Lap(
                start: begin + Int64(from) * 1000, end: begin + Int64(from + seconds) * 1000,
                totals: Totals(distanceMetres: metres, durationMilliseconds: Int64(seconds) * 1000))
        }
        let swim = Recording(
            sport: .other("swimming"), start: begin, end: begin + 1_200_000, laps: laps,
            totals: Totals(distanceMetres: 1000), pool: Pool(metres: 25, lengths: 40))
        try WorkoutHouse.with { house in
            house.set(20_000)
            let id = try bring(house, FITFile.write(swim))
            let shown = try house.done("workouts/show", ["id": id])
            #expect(shown["pool"] == ["length_m": 25, "lengths": 40, "rest_s": 90, "rests": 1], "\(shown)")
            #expect(shown["speed_mps"]?["pace_100m"] == "2:00" && shown["distance_m"] == 1000)
        }
    }

    /// A time in UTC as XML has it.
    private func spelt(_ time: Int64) -> String {
        let days = time.floorDivided(by: 86_400_000)
        let seconds = (time - days * 86_400_000) / 1000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(CalendarDay(daysSince1970: days))T\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))Z"
    }
}
