import ActivityFiles
import Fitness
import Foundation
import TestSupport
import Testing

/// Where PyPI cannot be reached, deploy/install takes Debian's packages, and Debian has none of these.
private let hasPackages: Bool = {
    let packages = "import fit_tool, fitdecode, garmin_fit_sdk, gpxpy, tcxreader"
    return (try? RunningProgram.runPython(["-c", packages])) != nil
}()

/// Other people's readers and writers of the same formats, in Python: Tests/requirements.txt.
@Suite("Activities in other programs", .enabled(if: hasPackages), .timeLimit(.minutes(60)))
struct InteropTests {
    private static let scripts = "\(projectFolder)/Tests/Libraries/ActivityFilesTests/Interop"

    @Test("Garmin's SDK, fitdecode, gpxpy and tcxreader read what was written", arguments: ["run-9km", "ride-41km"])
    func written(name: String) throws {
        var activity = try recorded(name)
        let (first, second) = (activity.samples[99].time, activity.samples[100].time)
        activity.pauses = [Pause(start: first, end: second)]
        let places = activity.samples.compactMap(\.place)
        let folder = try TemporaryFolder()
        let paths = ["fit", "gpx", "tcx"].map { folder.path("activity.\($0)") }
        for (format, path) in zip(Format.allCases, paths) {
            try Data(try format.write(activity)).write(to: URL(fileURLWithPath: path))
        }
        let lines = try RunningProgram.runPython(["\(Self.scripts)/read.py"] + paths).split(separator: "\n")
        let told = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        try #require(told.count == 4)
        let (garmin, fitdecode, gpxpy, tcxreader) = (told[0], told[1], told[2], told[3])
        func number(_ reader: [String: Any], _ key: String) -> Double? { (reader[key] as? NSNumber)?.doubleValue }
        let count = Double(activity.samples.count)
        let heartRates = Double(activity.samples.reduce(0) { $0 + Int($1.heartRate ?? 0) })
        let sport = activity.sport.name
        #expect(number(garmin, "sound") == 1)
        #expect(garmin["type"] as? String == "activity" && garmin["sport"] as? String == sport)
        #expect(number(garmin, "start") == Double(activity.start / 1000))
        #expect(number(garmin, "distance") == activity.totals.distanceMetres)
        #expect(number(garmin, "energy") == 650)
        #expect(number(garmin, "timer") == Double(activity.end - activity.start) / 1000)
        #expect(number(garmin, "records") == count && number(garmin, "heart_rates") == heartRates)
        #expect(number(garmin, "laps") == 1 && number(garmin, "sessions") == 1 && number(garmin, "stops") == 2)
        let north = places.reduce(0) { $0 + $1.latitude }
        #expect(abs((number(garmin, "north") ?? 0) - north) < 0.001)
        let altitude = activity.samples.reduce(0) { $0 + ($1.altitude ?? 0) }
        #expect(abs((number(garmin, "altitude") ?? 0) - altitude) < 0.1 * count)
        if let steps = activity.totals.steps {
            #expect(number(garmin, "strides") == Double(steps / 2))
            #expect((garmin["steps"] as? [Int]) == [steps])
        }
        #expect(number(fitdecode, "records") == count && number(fitdecode, "heart_rates") == heartRates)
        #expect(fitdecode["sport"] as? String == sport)
        #expect(number(gpxpy, "records") == Double(places.count) && number(gpxpy, "segments") == 2)
        #expect(gpxpy["type"] as? String == sport && gpxpy["name"] as? String == name)
        #expect(abs((number(gpxpy, "north") ?? 0) - north) < 0.00001)
        #expect(number(tcxreader, "records") == count && number(tcxreader, "heart_rates") == heartRates)
        #expect(number(tcxreader, "laps") == 1 && number(tcxreader, "energy") == 650)
        #expect(tcxreader["sport"] as? String == (sport == "running" ? "Running" : "Biking"))
    }

    @Test("A file of fit-tool is read")
    func fitTool() throws {
        let folder = try TemporaryFolder()
        _ = try RunningProgram.runPython(["\(Self.scripts)/write.py", folder.path("a.fit")])
        let recordings = try FITFile.read(Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("a.fit")))))
        #expect(recordings.damage == nil && recordings.omissions.isEmpty)
        let activity = try #require(recordings.activities.first)
        let start: Int64 = 1_700_000_000_000
        #expect(activity.sport == .running)
        #expect(activity.start == start && activity.end == start + 80_000 - 0)
        #expect(activity.pauses == [Pause(start: start + 10_000, end: start + 30_000)])
        #expect(activity.device == Device(manufacturer: "garmin", product: "1551", serial: "305419896"))
        #expect(activity.samples.count == 60)
        let sample = activity.samples[10]
        #expect(sample.time == start + 30_000 && sample.heartRate == 110 && sample.cadence == 80 && sample.power == 250)
        #expect(sample.distance == 35 && sample.speed == 3.5 && sample.temperature == -3)
        #expect(abs((sample.altitude ?? 0) - 100.2) < 0.11)
        #expect(abs((sample.place?.latitude ?? 0) - 58.96) < 1e-6)
        #expect(activity.totals.distanceMetres == 210 && activity.totals.durationMilliseconds == 60_000)
        #expect(activity.totals.energyKilocalories == 12)
    }
}
