import Foundation
import TestSupport
import Testing

/// What somebody brings along, by the commands that they type, to the programs that run.
@Suite("A takeout", .timeLimit(.minutes(60)))
struct TakeoutTests {
    /// Makes an archive as services give them: three runs, one of them in three formats, and Apple's heart rates and
    /// steps of two days.
    private static let archive = """
        import csv, gzip, sys, zipfile
        from datetime import datetime, timedelta, timezone
        rows = list(csv.reader(open(sys.argv[1])))[1:601]
        def at(day, row): return (datetime(2025, 3, day, 7, tzinfo=timezone.utc) + timedelta(seconds=int(row[1])))
        def gpx(day):
            points = ''.join('<trkpt lat="%s" lon="%s"><ele>%s</ele><time>%s</time></trkpt>' % (
                r[6], r[7], r[8], at(day, r).strftime('%Y-%m-%dT%H:%M:%SZ')) for r in rows if r[6])
            return '<gpx version="1.1" creator="watch"><trk><type>running</type><trkseg>' + points + '</trkseg></trk></gpx>'
        def record(kind, time, length, value):
            f = '%Y-%m-%d %H:%M:%S +0000'
            return '<Record type="HKQuantityTypeIdentifier%s" sourceName="Watch" startDate="%s" endDate="%s" value="%s"/>' % (
                kind, time.strftime(f), (time + timedelta(seconds=length)).strftime(f), value)
        days = [datetime(2025, 3, day, 8, tzinfo=timezone.utc) for day in (1, 2)]
        health = ''.join(record('HeartRate', d + timedelta(seconds=5 * i), 0, 60 + i % 40) for d in days for i in range(5000))
        health += ''.join(record('StepCount', d + timedelta(minutes=10 * i), 600, 100) for d in days for i in range(48))
        with zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED) as z:
            z.writestr('apple_health_export/export.xml', '<?xml version="1.0"?><HealthData>' + health + '</HealthData>')
            for day in (10, 11, 12): z.writestr('activities/%d.gpx.gz' % day, gzip.compress(gpx(day).encode()))
            z.writestr('activities/10 again.gpx', gpx(10))
            z.writestr('photo.jpg', b'x' * 5000)
            z.writestr('broken.fit', bytes.fromhex('0e100000ffff00002e4649540000'))
        """

    @Test("of thousands of records comes in once, counts in its days, and goes out as files")
    func wholeWay() throws {
        let folder = try TemporaryFolder()
        let (archive, activity) = (folder.path("takeout.zip"), Household.recording("run-9km.csv"))
        _ = try RunningProgram.runPython(["-c", Self.archive, activity, archive])
        let up = try Up()
        #expect(try up.vitals(["consent", "--record-location", "on"]).status == 0)
        let first = try up.vitals(["workout", "import", archive])
        #expect(first.status == 0, "\(first)")
        #expect(
            first.output.hasPrefix("3 workouts imported, 1 there already, 0 refused; 10,096 heart rates"), "\(first)")
        #expect(first.errors.contains("broken.fit") && first.errors.contains("1 file of other formats was left out"))
        let again = try up.vitals(["workouts", "import", archive, "--json"])
        #expect(again.output == #"{"imported":0,"duplicates":4,"refused":0,"records":10096}"# + "\n", "\(again)")

        let listed = try up.vitals(["workouts", "list", "--json"]).output.split(separator: "\n")
        #expect(listed.count == 3 && listed.allSatisfy { $0.contains(#""source":"GPX"#) || $0.contains("watch") })
        // Steps are counted hour by hour, after they are stored.
        let end = ContinuousClock.now + limit
        var day = ""
        repeat { day = try up.vitals(["day", "2025-03-01", "--json"]).output } while !day.contains(#""steps":4800"#) && .now < end
        #expect(day.contains(#""steps":4800"#), "\(day)")

        let files = folder.path("files")
        #expect(try up.vitals(["workout", "export", "--output", files, "--format", "gpx"]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 3)
        let one = folder.path("one.tcx")
        #expect(try up.vitals(["workout", "export", "latest", "--format", "tcx", "--output", one]).status == 0)
        let twice = try up.vitals(["workout", "export", "latest", "--format", "tcx", "--output", one])
        #expect(twice.status == 74 && twice.errors.contains("--output"), "\(twice)")
        let nothing = try up.vitals(["workout", "import", activity])
        #expect(nothing.status == 65 && nothing.errors.contains("it reads FIT, GPX, TCX"), "\(nothing)")
        #expect(try up.vitals(["workout", "import"]).status == 64)
    }
}
