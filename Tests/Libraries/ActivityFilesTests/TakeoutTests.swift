import ActivityFiles
import Fitness
import Foundation
import TestSupport
import Testing

@Suite("Takeouts", .timeLimit(.minutes(60)))
struct TakeoutTests {
    /// Makes an archive of what stands in a script: `z` is the archive, `F` the folder.
    private func archive(_ folder: TemporaryFolder, _ script: String) throws -> String {
        let path = folder.path("takeout.zip")
        let begin =
            "import gzip, io, sys, zipfile\nF = sys.argv[1]\nz = zipfile.ZipFile(F + '/takeout.zip', 'w', zipfile.ZIP_DEFLATED)\n"
        _ = try RunningProgram.runPython(["-c", begin + script + "\nz.close()", folder.path])
        return path
    }

    private func run(_ folder: TemporaryFolder) throws {
        var activity = try recorded("run-9km")
        activity.samples = Array(activity.samples.prefix(200))
        for format in Format.allCases {
            try Data(try format.write(activity)).write(to: URL(fileURLWithPath: folder.path("a.\(format.rawValue)")))
        }
    }

    private func read(_ path: String, _ limits: Limits = Limits()) throws -> ([Takeout.Item], Takeout.Summary) {
        var items: [Takeout.Item] = []
        let summary = try Takeout.read(path, limits: limits) { item in
            items.append(item)
            return true
        }
        return (items, summary)
    }

    private func error(_ item: Takeout.Item?) -> ActivityFileError? {
        if case .failure(let error)? = item?.result { return error }
        return nil
    }

    private func activities(_ items: [Takeout.Item]) -> [Recording] {
        items.flatMap { (try? $0.result.get().activities) ?? [] }
    }

    @Test("An archive's files are known by what they hold, also compressed and in archives within it")
    func archives() throws {
        let folder = try TemporaryFolder()
        try run(folder)
        let path = try archive(
            folder,
            """
            for f in 'fit', 'gpx', 'tcx':
                b = open(F + '/a.' + f, 'rb').read()
                z.writestr('activities/1.' + f + '.gz', gzip.compress(b))
                z.writestr('../../etc/' + f, b)
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, 'w') as y: y.write(F + '/a.fit', 'x.fit')
            z.writestr('DI_CONNECT/UploadedFiles_0-_Part1.zip', inner.getvalue())
            z.writestr('photo.jpg', b'\\xff\\xd8' + bytes(5000))
            z.writestr('Gadgetbridge', b'SQLite format 3\\0' + bytes(5000))
            z.writestr('empty', b'')
            """)
        let (items, summary) = try read(path)
        #expect(summary.formats == ["ZIP": 2, "FIT": 3, "GPX": 2, "TCX": 2, "SQLite": 1])
        #expect(summary.otherFiles == 2 && !summary.wasStopped)
        #expect(activities(items).count == 7)
        #expect(Set(activities(items).map(\.samples.count)) == [200])
        #expect(error(items.first { $0.format == "SQLite" })?.reason == .malformed)
        #expect(items.contains { $0.name == "DI_CONNECT/UploadedFiles_0-_Part1.zip/x.fit" })
        #expect(!FileManager.default.fileExists(atPath: "/etc/fit"))
    }

    @Test("A folder is read as an archive is, and links in it are not followed")
    func folders() throws {
        let folder = try TemporaryFolder()
        try run(folder)
        let inside = folder.path("inside")
        try FileManager.default.createDirectory(atPath: inside + "/deep/er", withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: folder.path("a.fit"), toPath: inside + "/deep/er/a.fit")
        try FileManager.default.createSymbolicLink(
            atPath: inside + "/link.gpx", withDestinationPath: folder.path("a.gpx"))
        try FileManager.default.createSymbolicLink(atPath: inside + "/all", withDestinationPath: folder.path)
        let (items, summary) = try read(inside)
        #expect(items.map(\.name) == ["deep/er/a.fit"])
        #expect(summary.formats == ["FIT": 1])
        #expect(throws: ActivityFileError.self) { try read(folder.path("nothing")) }
    }

    @Test("What grows too much is refused, by each of its files, by all of them, and by their number")
    func bombs() throws {
        let folder = try TemporaryFolder()
        let path = try archive(folder, "z.writestr('bomb', b'<gpx>' + b' ' * (300 << 20))")
        let (items, _) = try read(path)
        #expect(error(items.first)?.reason == .tooMuch, "\(items)")
        #expect(error(items.first)?.said.contains("times its size") == true)

        let gzip = try archive(folder, "z.writestr('b.gz', gzip.compress(b'<gpx>' + b' ' * (300 << 20)))")
        let (packed, _) = try read(gzip)
        #expect(error(packed.first)?.reason == .tooMuch, "\(packed)")

        let many = try archive(folder, "for i in range(300): z.writestr('%d' % i, b'')")
        var limits = Limits()
        limits.files = 200
        #expect(throws: ActivityFileError("ZIP", .tooMuch, "300 files; 200 are allowed")) { try read(many, limits) }

        let deep = try archive(
            folder,
            """
            b = b''
            for i in range(20):
                y = io.BytesIO()
                with zipfile.ZipFile(y, 'w') as inner: inner.writestr('a.zip', b)
                b = y.getvalue()
            z.writestr('a.zip', b)
            """)
        let (nested, _) = try read(deep)
        #expect(error(nested.last)?.said == "more than 3 archives within each other")

        // Each file is modest, and all are the same bytes of the archive: as in Fifield's "A better zip bomb".
        let overlapping = try archive(
            folder,
            """
            z.writestr('0', b' ' * (900 << 10))
            for i in range(1, 200):
                e = zipfile.ZipInfo('%d' % i); o = z.infolist()[0]
                e.__dict__ if hasattr(e, '__dict__') else None
                e.header_offset, e.CRC, e.compress_size, e.file_size, e.compress_type = 0, o.CRC, o.compress_size, o.file_size, 8
                e.filename = '0'
                z.filelist.append(e)
            """)
        limits = Limits()
        limits.archiveBytes = 10 << 20
        let (overlaps, _) = try read(overlapping, limits)
        let reasons = overlaps.map { error($0)?.reason }
        #expect(reasons == [.tooMuch])
    }

    @Test("A damaged archive gives errors, and never ends the program")
    func damaged() throws {
        let folder = try TemporaryFolder()
        try run(folder)
        let path = try archive(folder, "for f in 'fit', 'gpx', 'tcx': z.write(F + '/a.' + f, f)")
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var generator = SeededGenerator(seed: 3)
        var reasons: [ActivityFileError.Reason: Int] = [:]
        var (sound, unknown) = (0, 0)
        for _ in 0..<500 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                bytes.removeLast(Int.random(in: 0..<bytes.count / 2, using: &generator))
            }
            let summary = Takeout.read(bytes: bytes, name: "it") { item in
                if let error = error(item) { reasons[error.reason, default: 0] += 1 } else { sound += 1 }
                return true
            }
            // Where its first bytes are changed, it is no archive any longer.
            if summary.formats.isEmpty { unknown += 1 }
        }
        #expect(Set(reasons.keys) == [.malformed, .unsupported])
        #expect(reasons[.malformed, default: 0] + unknown > 600, "\(reasons), \(sound), \(unknown)")
    }

    @Test("It stops when it is told to")
    func stopped() throws {
        let folder = try TemporaryFolder()
        try run(folder)
        let path = try archive(folder, "for i in range(10): z.write(F + '/a.fit', '%d' % i)")
        var count = 0
        let summary = try Takeout.read(path) { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3 && summary.wasStopped)
    }

    // MARK: Apple Health

    private static let health = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 12 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
        <!ATTLIST VisionPrescription
          type CDATA #REQUIRED
        <!ELEMENT Oops
        ]>
        <HealthData locale="de_DE">
         <ExportDate value="2024-05-02 09:00:00 +0200"/>
         <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Ada&#39;s\u{0B} Watch &amp; co" unit="count/min" startDate="2024-05-01 10:00:00 +0200" endDate="2024-05-01 10:00:00 +0200" value="61.6"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Telephone" unit="count" startDate="2024-05-01 10:00:00 +0200" endDate="2024-05-01 10:10:00 +0200" value="512"/>
         <Correlation><Record type="HKQuantityTypeIdentifierHeartRate" startDate="2024-05-01 10:00:00 +0200" value="99"/></Correlation>
         <Record type="HKQuantityTypeIdentifierBodyMass" startDate="2024-05-01 10:00:00 +0200" value="70"/>
         <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" sourceName="Watch" device="&lt;&lt;HKDevice: 0x2813&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:10.1&gt;" startDate="2024-05-01 10:00:00 +0200" endDate="2024-05-01 10:40:00 +0200">
          <MetadataEntry key="HKElevationAscended" value="1234 cm"/>
          <WorkoutEvent type="HKWorkoutEventTypePause" date="2024-05-01 10:10:00 +0200"/>
          <WorkoutEvent type="HKWorkoutEventTypeResume" date="2024-05-01 10:19:30 +0200"/>
          <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="300.5" unit="kcal"/>
          <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="5.25" unit="km"/>
          <WorkoutStatistics type="HKQuantityTypeIdentifierStepCount" sum="4800" unit="count"/>
          <WorkoutRoute sourceName="Watch"><FileReference path="/workout-routes/route.gpx"/></WorkoutRoute>
          <WorkoutRoute sourceName="Watch"><FileReference path="/../../../etc/passwd"/></WorkoutRoute>
         </Workout>
         <Workout workoutActivityType="HKWorkoutActivityTypeCrossTraining" duration="1" durationUnit="hr" totalDistance="1" totalDistanceUnit="mi" startDate="2024-05-01 10:00:00 +0200" endDate="2024-05-01 11:00:00 +0200"/>
        </HealthData>
        """

    @Test("An export of Apple Health gives its records, and its workouts with their places")
    func appleHealth() throws {
        let folder = try TemporaryFolder()
        try run(folder)
        try folder.write(Self.health, to: "export.xml")
        let path = try archive(
            folder,
            """
            z.write(F + '/a.gpx', 'apple_health_export/workout-routes/other.gpx')
            z.write(F + '/a.gpx', 'apple_health_export/workout-routes/route.gpx')
            z.write(F + '/export.xml', 'apple_health_export/Exportieren.xml')
            """)
        let (items, summary) = try read(path)
        #expect(summary.formats == ["ZIP": 1, "Apple Health": 1, "GPX": 1])
        let parts = items.compactMap { try? $0.result.get() }
        #expect(parts.count == items.count)
        let start: Int64 = 1_714_550_400_000
        #expect(
            parts.flatMap(\.heartRates) == [
                HeartRateRecord(time: start, beatsPerMinute: 62, source: "Ada's Watch & co")
            ])
        #expect(
            parts.flatMap(\.steps) == [
                StepRecord(time: start + 600_000, steps: 512, span: .since(start), source: "Telephone")
            ])
        let activities = parts.flatMap(\.activities)
        try #require(activities.count == 3)
        var running = activities[0]
        #expect(running.samples.count == 200)
        running.samples = []
        var expected = Recording(
            sport: .running, start: start, end: start + 2_400_000,
            pauses: [Pause(start: start + 600_000, end: start + 1_170_000)],
            totals: Totals(
                distanceMetres: 5250, durationMilliseconds: 1_830_000, energyKilocalories: 300.5, ascentMetres: 12.34,
                steps: 4800),
            device: Device(manufacturer: "Apple Inc.", product: "Watch6,1"))
        expected.totals.isEnergyBeyondRest = true
        #expect(running == expected)
        #expect(activities[1].sport == .other("cross training") && activities[1].totals.distanceMetres == 1609.344)
        #expect(parts.flatMap(\.omissions) == ["1 routes that are not there, or cannot be read"])
    }

    @Test("A damaged export gives what came before, and its entities are refused")
    func damagedHealth() throws {
        let cut = Self.health.replacingOccurrences(
            of: "<Workout workoutActivityType=\"HKWorkoutActivityTypeCross", with: "<Workout <")
        var items: [Takeout.Item] = []
        _ = Takeout.read(bytes: Array(cut.utf8), name: "export.xml") {
            items.append($0)
            return true
        }
        #expect(activities(items).count == 1)
        #expect(error(items.last)?.reason == .malformed)
        #expect(error(items.last)?.position == .line(25))
        let entity = Self.health.replacingOccurrences(
            of: "<!ELEMENT Oops", with: "<!ENTITY x SYSTEM \"file:///etc/passwd\">")
        items = []
        _ = Takeout.read(bytes: Array(entity.utf8), name: "export.xml") {
            items.append($0)
            return true
        }
        #expect(items.count == 1)
        #expect(error(items.last)?.reason == .unsupported)
    }
}
