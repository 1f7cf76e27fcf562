import ActivityFiles
import Fitness
import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@Suite("Files of workouts at a running service", .timeLimit(.minutes(60)))
struct ImportTests {
    @Test(
        "come in with the figures that Python computes from the recording, go out, and come in again as the same workout",
        arguments: [("run-9km", "running"), ("ride-41km", "cycling")])
    func roundTrip(_ name: String, _ activity: String) throws {
        let expected = try expected(name, activity)
        var recording = try recording(name)
        // What a device says of the whole would count.
        recording.totals = Totals()
        let bytes = try FITFile.write(recording)
        try WorkoutHouse.with { house throws in
            house.set(20_000)
            try house.done("consent/set", ["record_location": true])
            let first = try house.imported(bytes)
            #expect(first["omissions"] == nil && first["state"] == "done")
            let outcome = try #require(first.list("workouts").first)
            #expect(outcome["outcome"] == "imported" && outcome["started"] == .integer(start), "\(outcome)")
            try house.settle()
            let shown = try house.done("workouts/show", ["id": .string(outcome.text("id"))])
            #expect(try shown.number("duration_s") == expected.duration)
            #expect(abs(try shown.number("distance_m") / expected.metres - 1) < 0.005)
            #expect(abs(try shown.number("ascent_m") - expected.ascent) < 0.5)
            let heart = try #require(shown["heart_rate"])
            #expect(try heart.number("min") == Double(expected.minimum))
            #expect(try heart.number("max") == Double(expected.maximum))
            #expect(abs(try heart.number("mean") - expected.mean) < 0.06)
            #expect(shown["source"] == "garmin 1551 3868201" && shown["name"] == .string(name))
            // The same file again changes nothing.
            let stored = try house.counted(.heartRate)
            #expect(stored > 1000)
            let again = try house.imported(bytes)
            #expect(try again.list("workouts").first?["outcome"] == "duplicate")
            #expect(try house.counted(.heartRate) == stored && house.done("workouts/list").list("workouts").count == 1)
            // Out, and in at another home.
            for format in ["fit", "gpx", "tcx"] {
                let id = try house.done("workouts/list").list("workouts")[0].text("id")
                let listed = try house.line()
                let file = try house.exported(id, format)
                #expect(file.name == "2026-11-21-\(activity).\(format)")
                try WorkoutHouse.with { other throws in
                    other.set(20_000)
                    try other.done("consent/set", ["record_location": true])
                    let told = try other.imported(file.bytes)
                    #expect(try told.list("workouts").first?["outcome"] == "imported", "\(format): \(told)")
                    try other.settle()
                    let line = try other.line()
                    for figure in ["duration_s", "distance_m", "ascent_m", "started", "heart_rate", "activity"] {
                        #expect(line[figure] == listed[figure], "\(format): \(figure)")
                    }
                }
            }
            #expect(try house.recounted() == 0)
            try house.done("workouts/delete", ["id": .string(house.line().text("id"))])
            let refused = try #require(house.imported(bytes).list("workouts").first)
            #expect(refused["outcome"] == "refused" && "\(refused)".contains("for good"))
        }
    }

    @Test("without consent to location, the way is left out and can be brought later")
    func consent() throws {
        let bytes = try FITFile.write(recording("run-9km"))
        try WorkoutHouse.with { house throws in
            house.set(20_000)
            let first = try house.imported(bytes)
            #expect(try first.list("omissions").count == 1)
            #expect("\(try first.list("omissions")[0])".contains("Location Services Disabled"))
            #expect(try house.stored(.position) == 0 && house.stored(.heartRate) > 1000)
            try house.settle()
            let id = try house.line().text("id")
            #expect(try house.line()["distance_m"] != nil, "the file says how far it was")
            try house.done("consent/set", ["record_location": true])
            #expect(try house.imported(bytes).list("workouts").first?["outcome"] == "imported")
            try house.settle()
            #expect(try house.stored(.position) > 1000)
            #expect(try house.line().text("id") == id)
            #expect(try house.imported(bytes).list("workouts").first?["outcome"] == "duplicate")
            // A workout without places lacks none.
            try house.done("consent/set", ["record_location": false])
            let indoors = Recording(
                sport: .cycling, start: start - 86_400_000, end: start - 86_340_000,
                samples: [Sample(time: start - 86_350_000, heartRate: 120)])
            for outcome in ["imported", "duplicate"] {
                let told = try house.imported(FITFile.write(indoors))
                #expect(try told.list("workouts").first?["outcome"] == .string(outcome))
            }
            #expect(try house.recounted() == 0)
        }
    }

    @Test("heart rates and steps of all day count in their days, once, where the sensor counted most")
    func records() throws {
        try WorkoutHouse.with { house throws in
            house.set(90_000)
            let spans: JSON = [
                "times": [.integer(start + 600_000), 900_000], "lengths": [600_000, 900_000], "steps": [800, 1500],
            ]
            let rates: JSON = ["times": [.integer(start), 60_000, 60_000], "bpm": [61, 62, 63]]
            let fields: JSON = ["source": "Apple Watch", "heart_rates": rates, "steps": spans]
            for _ in 0..<2 {
                let told = try house.done("imports/records", fields)
                #expect(told["state"] == "done" && told["readings"] == 5)
                #expect(try house.stored(.heartRate) == 3 && house.stored(.pedometer) == 2)
            }
            let sources = try house.done("imports/list").list("sources")
            #expect(sources.count == 1 && sources[0]["source"] == "Apple Watch")
            try house.settle()
            let day = try house.done("statistics/day", ["day": "2026-11-21"])
            #expect("\(day)".contains("2300"), "\(day)")
            #expect(try house.recounted() == 0)
        }
    }

    @Test("of very many workouts come with as many in a reply as anybody reads, and a long one with as many points")
    func manyWorkouts() throws {
        try WorkoutHouse.with { house throws in
            house.set(20_000)
            try house.done("consent/set", ["record_location": true])
            let whole = try recording("ride-41km")
            _ = try house.imported(FITFile.write(whole))
            for number in 1...260 {
                let begin = start - Int64(number) * 86_400_000
                let name = String(repeating: "\(number % 10)", count: 190)
                var one = Recording(sport: .other("Sport \(number)"), name: name, start: begin, end: begin + 600_000)
                one.device = Device(product: String(repeating: "p", count: 90))
                one.totals = Totals(distanceMetres: 5000, energyKilocalories: 400, ascentMetres: 20, steps: 7000)
                _ = try house.imported(FITFile.write(one))
            }
            try house.settle()
            var (ids, to, replies) = (Set<String>(), JSON?.none, 0)
            repeat {
                let data = try house.done("workouts/list", .object(present: ["limit": 200, "to": to]))
                #expect(data.bytes.count < JSON.maximumLength)
                for line in try data.list("workouts") { #expect(ids.insert(try line.text("id")).inserted) }
                (to, replies) = (data["next_to"], replies + 1)
            } while to != nil
            #expect(ids.count == 261 && replies > 2)
            #expect(try house.done("workouts/records").bytes.count < JSON.maximumLength)
            #expect(try house.done("workouts/load", ["days": 700]).list("days").count > 200)
            let latest = try house.done("workouts/list", ["limit": 1]).list("workouts")[0].text("id")
            let shown = try house.done("workouts/show", ["id": .string(latest), "points": 1000])
            #expect(shown.bytes.count < JSON.maximumLength && shown.bytes.count > JSON.maximumLength / 2)
        }
    }

    /// A made-up file: see its README.md.
    private func made(_ file: String) throws -> [UInt8] {
        let folder = "\(projectFolder)/Tests/Libraries/ActivityFilesTests/Cases"
        return try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")))
    }

    @Test("distance, time and heart rate are the device's where its samples say less, or something else")
    func deviceFirst() throws {
        let wanted: [(file: String, seconds: Double, metres: Double, bpm: Double?)] = [
            ("f01-pause-without-timer-events.fit", 3600, 10_800, 140), ("f14-pool-swim-lengths.fit", 1200, 1000, 125),
            ("f22-session-timestamp-is-start.fit", 2400, 8000, 150), ("f25b-fifty-metre-pool.fit", 1200, 1000, nil),
            ("f27-indoors-with-jitter.fit", 600, 60, 90),
        ]
        try WorkoutHouse.with { house throws in
            house.set(20_000)
            try house.done("consent/set", ["record_location": true])
            for (file, seconds, metres, bpm) in wanted {
                let outcome = try #require(house.imported(made(file)).list("workouts").first)
                #expect(outcome["outcome"] == "imported", "\(file): \(outcome)")
                try house.settle()
                let shown = try house.done("workouts/show", ["id": .string(outcome.text("id"))])
                #expect(try shown.number("duration_s") == seconds && shown.number("distance_m") == metres, "\(file): \(shown)")
                #expect(shown["heart_rate"]?["mean"]?.double == bpm, "\(file)")
                let mean = try #require(shown["speed_mps"]?["mean"]?.double, "\(file)")
                #expect(abs(mean - metres / seconds) < 0.001, "\(file)")
                #expect(shown["positions_differ"] == nil, "\(file)")
            }
            // Positions that say something else make neither splits nor a curve over distance.
            var far = try recording("run-9km")
            far.totals = Totals(distanceMetres: 5000)
            let outcome = try #require(house.imported(FITFile.write(far)).list("workouts").first)
            try house.settle()
            let other = try house.done("workouts/show", ["id": .string(outcome.text("id"))])
            #expect(try other.number("distance_m") == 5000 && other["positions_differ"] == true && other["splits"] == nil)
            // What nobody can do is not believed.
            var wrong = Recording(sport: .walking, start: start - 86_400_000, end: start - 86_340_000)
            wrong.totals = Totals(distanceMetres: 42_949_000, ascentMetres: 9_000, meanHeartRate: 250, highestHeartRate: 254)
            #expect(try house.imported(FITFile.write(wrong)).list("workouts").first?["outcome"] == "imported")
            try house.settle()
            let shown = try #require(house.done("workouts/list").list("workouts").first { $0["activity"] == "walking" && $0["duration_s"] == 60 })
            #expect(["distance_m", "ascent_m", "heart_rate"].allSatisfy { shown[$0] == nil }, "\(shown)")
            // Nor do they make a record.
            let doubted = try #require(house.done("workouts/list").list("workouts").first { $0["distance_m"] == 5000 })
            #expect(doubted["best"] == nil)
        }
    }

    @Test("what does not overlap is never the same, sessions of a file are not, and both can be kept")
    func sameness() throws {
        try WorkoutHouse.with { house throws in
            house.set(20_000)
            let files = [
                ("f23a-false-start.fit", 1), ("f23b-the-run-40-seconds-later.fit", 1), ("g26-short-track-then-long.gpx", 2),
                ("f03-triathlon-summary-first.fit", 3),
            ]
            for (file, count) in files {
                for outcome in ["imported", "duplicate"] {
                    let told = try house.imported(made(file)).list("workouts")
                    #expect(told.map { $0["outcome"] } == Array(repeating: .string(outcome), count: count), "\(file): \(told)")
                }
            }
            // The triathlon once more, with its summary at the end: the same sessions.
            let last = try made("f03-triathlon-summary-last.fit")
            let again = try house.imported(last).list("workouts")
            #expect(again.count == 3)
            // As another device has recorded the run, and once more.
            let run = try #require(FITFile.read(made("f23b-the-run-40-seconds-later.fit")).activities.first)
            var other = run
            (other.start, other.end) = (run.start + 30_000, run.end + 30_000)
            other.samples = other.samples.filter { $0.time >= other.start }
            (other.device, other.pauses, other.laps) = (Device(manufacturer: "polar_electro", product: "7"), [], [])
            let bytes = try FITFile.write(other)
            let known = try #require(house.imported(bytes).list("workouts").first)
            #expect(known["outcome"] == "duplicate" && known["source"] == "garmin 9999 1234", "\(known)")
            #expect(known["started"] == .integer(run.start))
            for outcome in ["imported", "duplicate"] {
                let kept = try #require(house.imported(bytes, keepingBoth: true).list("workouts").first)
                #expect(kept["outcome"] == .string(outcome) && kept["source"] == "polar_electro 7", "\(kept)")
            }
        }
    }

    @Test("one run in files of two devices in an archive is one workout")
    func archive() throws {
        let run = try #require(FITFile.read(made("f23b-the-run-40-seconds-later.fit")).activities.first)
        var other = run
        other.device = Device(manufacturer: "polar_electro", product: "7")
        let folder = try TemporaryFolder()
        let names = ["run.fit", "run.tcx"]
        for (name, bytes) in zip(names, [try FITFile.write(run), try TCXFile.write(other)]) {
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
        }
        let script = "import sys, zipfile, os\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n    for f in sys.argv[2:]: z.write(f, os.path.basename(f))"
        let path = folder.path("all.zip")
        _ = try RunningProgram.runPython(["-c", script, path] + names.map { folder.path($0) })
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        try WorkoutHouse.with { house throws in
            house.set(20_000)
            let told = try house.imported(bytes).list("workouts")
            #expect(told.map { $0["outcome"] } == ["imported", "duplicate"], "\(told)")
            #expect(try house.done("workouts/list").list("workouts").count == 1)
        }
    }

    @Test("what a file says of all day does not take the place of what one's own sensors measured in a workout")
    func ownFirst() throws {
        try WorkoutHouse.with { house throws in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(300)
            try house.publish(house.run(0..<300, bpm: 150))
            try house.done("workouts/stop")
            let rates: JSON = ["times": [.integer(start - 20_000), 100_000, 100_000], "bpm": [61, 62, 63]]
            try house.done("imports/records", ["source": "watch", "heart_rates": rates])
            try house.settle()
            #expect(try house.line()["heart_rate"]?["mean"] == 150)
            #expect(try house.stored(.heartRate) == 303 && house.recounted() == 0)
        }
    }

    @Test("what a file says of heart rates fills what one's own sensor has not measured in a workout")
    func filled() throws {
        try WorkoutHouse.with { house throws in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(300)
            try house.publish(house.run(0..<180, bpm: 150))
            try house.done("workouts/stop")
            let rates: JSON = [
                "times": .array((0..<60).map { .integer($0 == 0 ? start : 5000) }), "bpm": .array((0..<60).map { _ in 60 }),
            ]
            try house.done("imports/records", ["source": "watch", "heart_rates": rates])
            try house.settle()
            let heart = try #require(house.line()["heart_rate"])
            // Three minutes of one, and two of the other.
            #expect(heart["mean"] == 114 && heart["min"] == 60 && heart["max"] == 150, "\(heart)")
            #expect(try house.recounted() == 0)
        }
    }

    @Test("what overlaps a workout of one's own is a duplicate, and what cannot be is refused with a reason")
    func overlaps() throws {
        try WorkoutHouse.with { house throws in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(600)
            try house.done("workouts/stop")
            house.set(20_000)
            var one = try recording("run-9km")
            // The file begins at 0 s.
            let began = one.start
            (one.start, one.end) = (began + 100_000, began + 640_000)
            one.samples.removeAll { !(one.start...one.end).contains($0.time) }
            (one.laps, one.pauses, one.totals) = ([], [], Totals())
            let known = try #require(house.imported(FITFile.write(one)).list("workouts").first)
            #expect(known["outcome"] == "duplicate" && known["started"] == .integer(start) && known["source"] == nil)
            for (shift, words) in [(Int64(86_400_000), "future"), (-900_000_000_000, "before the year 2000")] {
                var moved = Recording(sport: .walking, start: start + shift, end: start + shift + 60_000)
                moved.totals.distanceMetres = 100
                let outcome = try #require(house.imported(TCXFile.write(moved)).list("workouts").first)
                #expect(outcome["outcome"] == "refused" && "\(outcome)".contains(words), "\(outcome)")
            }
            #expect(try house.stored(.heartRate) == 0)
        }
    }

    @Test("whatever is no file, too large, or sent out of order is refused, and costs nothing")
    func hostile() throws {
        try WorkoutHouse.with { house throws in
            func refusal(_ fields: JSON) throws -> ReplyError { try house.refused("imports/file", fields) }
            #expect(try refusal([:]).field == "size")
            #expect(try refusal(["size": 0]).field == "size")
            let tooLarge = try refusal(["size": .integer(17 << 20), "data": "AAAA"])
            #expect(tooLarge.field == "size" && tooLarge.message.contains("at most 16 MiB"))
            #expect(try refusal(["size": 3, "data": "?"]).field == "data")
            #expect(try refusal(["size": 3, "data": ""]).field == "data")
            #expect(try refusal(["size": 2, "data": "AAAA"]).field == "data")
            let long = String(repeating: "A", count: 60_004)
            #expect(try refusal(["size": 100_000, "data": .string(long)]).message.contains("at most 45000 bytes"))
            #expect(try refusal(["size": 9, "offset": 3, "data": "AAAA"]).message.contains("again from byte 0"))
            #expect(
                try refusal(["size": 3, "name": .string(String(repeating: "n", count: 201)), "data": "AAAA"]).field
                    == "name")
            #expect(try house.refused("imports/result").code == .notFound)
            #expect(try house.done("imports/file", ["size": 9, "data": "AAAA"])["received"] == 3)
            #expect(try refusal(["size": 9, "offset": 6, "data": "AAAA"]).message.contains("byte 3"))
            #expect(try refusal(["size": 8, "offset": 3, "data": "AAAA"]).field == "offset")
            // A part whose reply was lost comes again.
            #expect(try house.done("imports/file", ["size": 9, "data": "AAAA"])["received"] == 3)
            #expect(try refusal(["size": 3, "data": "AAAA"]).message.contains("no FIT, GPX or TCX file"))
            var damaged = try FITFile.write(recording("run-9km"))
            damaged.removeLast(damaged.count - 100)
            #expect(throws: TestFailure.self) { try house.imported(damaged) }
            #expect(try house.done("imports/list").list("sources").isEmpty)
        }
    }

    @Test("records that no sensor can have made are refused")
    func hostileRecords() throws {
        try WorkoutHouse.with { house throws in
            house.set(0)
            func refusal(_ field: String, _ columns: JSON) throws -> ReplyError {
                try house.refused(
                    "imports/records", .object([JSON.Member("source", "x"), JSON.Member(field, columns)]))
            }
            let now = JSON.integer(start)
            #expect(try house.refused("imports/records", [:]).field == "source")
            #expect(try house.refused("imports/records", ["source": "x"]).code == .badRequest)
            #expect(try refusal("heart_rates", ["times": [now]]).field == "heart_rates")
            #expect(try refusal("heart_rates", ["times": [now], "bpm": []]).field == "heart_rates")
            #expect(try refusal("heart_rates", ["times": [now], "bpm": [0]]).message.contains("1 to 300"))
            #expect(try refusal("heart_rates", ["times": [now], "bpm": ["60"]]).code == .badRequest)
            #expect(try refusal("heart_rates", ["times": [.integer(.min)], "bpm": [60]]).code == .badRequest)
            #expect(try refusal("heart_rates", ["times": [0], "bpm": [60]]).message.contains("year 2000"))
            #expect(try refusal("heart_rates", ["times": [.integer(start + 999_999)], "bpm": [60]]).code == .invalid)
            let steps: [JSON] = [
                ["times": [now], "lengths": [0], "steps": [1]], ["times": [now], "lengths": [1000], "steps": [6]],
                ["times": [now], "lengths": [200_000_000], "steps": [1]],
                ["times": [now], "lengths": [1000], "steps": [-1]],
            ]
            for columns in steps { #expect(try refusal("steps", columns).message.contains("5 a second")) }
            let many = JSON.array(Array(repeating: 1, count: 8193))
            #expect(try refusal("heart_rates", ["times": many, "bpm": many]).code == .badRequest)
            #expect(try house.stored(.heartRate) == 0 && house.stored(.pedometer) == 0)
        }
    }
}

/// A recording of the project as a device would have it, beginning at `start`.
private func recording(_ name: String) throws -> Recording {
    var samples: [Int64: Sample] = [:]
    for reading in try recorded(name) {
        let time = reading.moment.wall
        var sample = samples[time] ?? Sample(time: time)
        switch reading.value {
        case .heartRate(let heart): sample.heartRate = heart.beatsPerMinute
        case .position(let position):
            sample.place = Place(latitude: position.latitudeDegrees, longitude: position.longitudeDegrees)
            sample.altitude = position.altitudeMetres
        default: break
        }
        samples[time] = sample
    }
    let inOrder = samples.values.sorted { $0.time < $1.time }
    return Recording(
        sport: name.hasPrefix("run") ? .running : .cycling, name: name, start: start,
        end: try #require(inOrder.last).time, samples: inOrder, totals: Totals(distanceMetres: 9000),
        device: Device(manufacturer: "garmin", product: "1551", serial: "3868201"))
}

extension WorkoutHouse {
    /// Sends a file in parts, and waits for what came of it.
    func imported(_ bytes: [UInt8], keepingBoth: Bool = false) throws -> JSON {
        let place = try sent(bytes, keepingBoth: keepingBoth)
        guard var told = try reply(at: place).data else { throw TestFailure("the file was not taken") }
        while told["state"] != "done" { told = try done("imports/result") }
        return told
    }

    /// Sends a file in parts.
    /// - Returns: the topic on which the last of them is answered.
    func sent(_ bytes: [UInt8], keepingBoth: Bool = false) throws -> String {
        var offset = 0
        while true {
            let part = bytes[offset..<min(offset + 45_000, bytes.count)]
            let fields: JSON = [
                "name": "a file", "size": .integer(Int64(bytes.count)), "offset": .integer(Int64(offset)),
                "data": .string(Data(part).base64EncodedString()), "keep_both": .bool(keepingBoth),
            ]
            if part.endIndex == bytes.count { return asked("imports/file", fields) }
            try done("imports/file", fields)
            offset = part.endIndex
        }
    }

    /// A workout as a file.
    func exported(_ id: String, _ format: String) throws -> (name: String, bytes: [UInt8]) {
        var (bytes, offset, name, mark): ([UInt8], JSON?, String, JSON?) = ([], 0, "", nil)
        while let begin = offset {
            let asked: JSON = .object(present: [
                "id": .string(id), "format": .string(format), "offset": begin, "mark": mark,
            ])
            let part = try done("workouts/file", asked)
            mark = part["mark"]
            bytes += Array(try #require(Data(base64Encoded: part.text("data"))))
            (offset, name) = (part["next"], try part.text("name"))
        }
        return (name, bytes)
    }

    /// The only workout of a list.
    fileprivate func line() throws -> JSON { try #require(done("workouts/list").list("workouts").first) }
}
