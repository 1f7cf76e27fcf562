import ActivityFiles
import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

/// What attackers tried with files.
@Suite("Files that are meant to harm", .timeLimit(.minutes(60)))
struct ImportLimitTests {
    /// An archive of TCX files that have nothing but activities, made by Python.
    private func archive(files: Int, activities: Int, year: Int) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let script = """
            import sys, zipfile
            files, activities, year = map(int, sys.argv[2:])
            with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
                for f in range(files):
                    one = ''.join('<Activity Sport="Running"><Id>x</Id><Lap StartTime="%d-03-01T%02d:%02d:%02dZ">'
                        '<TotalTimeSeconds>1</TotalTimeSeconds></Lap></Activity>' % (year, n // 20 % 24, n * 3 % 60, f)
                        for n in range(activities))
                    z.writestr('%d.tcx' % f, '<TrainingCenterDatabase><Activities>' + one
                        + '</Activities></TrainingCenterDatabase>')
            """
        let path = folder.path("a.zip")
        _ = try RunningProgram.runPython(["-c", script, path, "\(files)", "\(activities)", "\(year)"])
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    @Test("activities by the thousand in a few bytes neither end the service nor are more than 200 taken")
    func manyActivities() throws {
        let bytes = try archive(files: 100, activities: 150, year: 1990)
        #expect(bytes.count < 200_000)
        try WorkoutHouse.with { house throws in
            house.set(0)
            let told = try house.imported(bytes)
            let outcomes = try told.list("workouts")
            #expect(!outcomes.isEmpty && outcomes.count <= 200)
            #expect(outcomes.allSatisfy { $0["outcome"] == "refused" })
            #expect("\(try told.list("omissions"))".contains("too much for one file"))
            #expect(try house.done("imports/list").list("sources").isEmpty)
        }
    }

    @Test("no more than 50 workouts of a day are taken")
    func manyOfDay() throws {
        let bytes = try archive(files: 1, activities: 200, year: 2025)
        try WorkoutHouse.with { house throws in
            house.set(0)
            let outcomes = try house.imported(bytes).list("workouts")
            #expect(outcomes.count { $0["outcome"] == "imported" } == 50)
            #expect(outcomes.contains { "\($0)".contains("50 workouts of that day") })
            #expect(try house.done("workouts/list", ["limit": 200]).list("workouts").count == 50)
        }
    }

    @Test("what somebody announces and does not send takes no room from others")
    func announced() throws {
        let file = try FITFile.write(
            Recording(
                sport: .walking, start: start - 600_000, end: start,
                samples: [Sample(time: start - 300_000, heartRate: 90)]))
        try AccountService.with { service throws in
            for name in ["a", "b", "c", "d"] {
                let device = try service.device(service.signUp("\(name)@example.org"))
                defer { device.stop() }
                let fields: JSON = ["size": 16_777_216, "data": "AA=="]
                #expect(try device.done("imports/file", fields)["received"] == 1)
            }
            let device = try service.device(service.signUp("e@example.org"))
            defer { device.stop() }
            let fields: JSON = [
                "size": .integer(Int64(file.count)), "data": .string(Data(file).base64EncodedString()),
            ]
            #expect(try device.done("imports/file", fields)["state"] == "done")
        }
    }

    @Test("a file comes in a limited number of parts, and begins again where it is sent again")
    func manyParts() throws {
        try WorkoutHouse.with { house throws in
            house.set(0)
            var (refusal, offset) = (ReplyError?.none, 0)
            while refusal == nil, offset <= 1001 {
                let fields: JSON = ["size": 5000, "offset": .integer(Int64(offset)), "data": "AA=="]
                switch try house.ask("imports/file", fields) {
                case .ok: offset += 1
                // The allowance of requests: the same is asked again when it says. Who asks at once hears nothing in the end.
                case .error(let error) where error.code == .rateLimited:
                    Thread.sleep(forTimeInterval: Double(error.retryAfterSeconds ?? 1))
                case .error(let error): refusal = error
                }
            }
            #expect(offset == 1000)
            #expect(refusal?.message.contains("at most 1000 parts") == true, "\(String(describing: refusal))")
        }
    }

    @Test("more sources than are told from each other are one together")
    func sources() throws {
        try WorkoutHouse.with { house throws in
            house.set(90_000)
            for number in 0..<40 {
                let rates: JSON = ["times": [.integer(start + Int64(number) * 1000)], "bpm": [60]]
                try house.done("imports/records", ["source": .string("watch \(number)"), "heart_rates": rates])
            }
            let sources = try house.done("imports/list").list("sources")
            #expect(sources.count == 32 && sources.last?["source"] == "other sources")
            #expect(try house.stored(.heartRate) == 40)
        }
    }
}
