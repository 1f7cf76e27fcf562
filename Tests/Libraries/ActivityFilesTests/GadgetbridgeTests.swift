import Foundation
import TestSupport
import Testing

@testable import ActivityFiles

@Suite("Gadgetbridge's database")
struct GadgetbridgeTests {
    /// Runs Python with a database `d` in a new folder, whose schema is that of Gadgetbridge.
    private func made(_ script: String = "", isWAL: Bool = false) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let begin = """
            import sqlite3, sys
            d = sqlite3.connect(sys.argv[1])
            d.execute('PRAGMA journal_mode = \(isWAL ? "WAL" : "DELETE")')
            d.execute('CREATE TABLE "DEVICE" ("_id" INTEGER PRIMARY KEY, "NAME" TEXT NOT NULL, "MANUFACTURER" TEXT NOT NULL, '
                '"IDENTIFIER" TEXT NOT NULL UNIQUE, "TYPE" INTEGER NOT NULL)')
            d.execute("INSERT INTO DEVICE VALUES (1, 'Amazfit Neo', 'Huami', 'C0:FF:EE:00:00:01', 35)")
            d.execute('CREATE TABLE "MI_BAND_ACTIVITY_SAMPLE" ("TIMESTAMP" INTEGER NOT NULL, "DEVICE_ID" INTEGER NOT NULL, '
                '"USER_ID" INTEGER NOT NULL, "RAW_INTENSITY" INTEGER NOT NULL, "STEPS" INTEGER NOT NULL, '
                '"RAW_KIND" INTEGER NOT NULL, "HEART_RATE" INTEGER NOT NULL, '
                'PRIMARY KEY ("TIMESTAMP", "DEVICE_ID") ON CONFLICT REPLACE) WITHOUT ROWID')
            S = 'INSERT INTO MI_BAND_ACTIVITY_SAMPLE VALUES (?, ?, 1, 0, ?, 1, ?)'

            """
        let path = folder.path("Gadgetbridge")
        _ = try RunningProgram.runPython(["-c", begin + script + "\nd.commit()\nd.close()", path])
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// What a takeout with that file has, and the errors.
    private func read(
        _ bytes: [UInt8], limits: Limits = Limits()
    ) throws -> (found: Recordings, errors: [ActivityFileError]) {
        let folder = try TemporaryFolder()
        let path = folder.path("Gadgetbridge")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var (found, errors) = (Recordings(), [ActivityFileError]())
        _ = try Takeout.read(path, limits: limits) { item in
            switch item.result {
            case .success(let part):
                found.heartRates += part.heartRates
                found.steps += part.steps
                found.omissions += part.omissions
            case .failure(let error): errors.append(error)
            }
            return true
        }
        return (found, errors)
    }

    private static let minutes = """
        d.executemany(S, [(1700000000 + 60 * i, 1, i % 3 * 10, 255 if i % 2 else 60 + i % 40) for i in range(50000)])
        """

    @Test(
        "heart rates and the steps of minutes are read, with the device's name and never its address",
        arguments: [false, true])
    func samples(isWAL: Bool) throws {
        let (found, errors) = try read(made(Self.minutes, isWAL: isWAL))
        #expect(errors.isEmpty && found.omissions.isEmpty)
        #expect(found.heartRates.count == 25_000 && found.steps.count == 33_333)
        let first = HeartRateRecord(time: 1_700_000_000_000, beatsPerMinute: 60, source: "Amazfit Neo")
        #expect(found.heartRates.first == first)
        let steps = StepRecord(
            time: 1_700_000_120_000, steps: 10, span: .since(1_700_000_060_000), source: "Amazfit Neo")
        #expect(found.steps.first == steps)
        #expect(!"\(found)".contains("C0:FF"))
    }

    @Test("it is also found in an archive, and a service does not read what strangers send as one")
    func archives() throws {
        let folder = try TemporaryFolder()
        let bytes = try made(Self.minutes)
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("database")))
        let script = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1] + '/backup.zip', 'w', zipfile.ZIP_DEFLATED) as z:
                z.write(sys.argv[1] + '/database', 'database/Gadgetbridge')
            """
        _ = try RunningProgram.runPython(["-c", script, folder.path])
        var count = 0
        _ = try Takeout.read(folder.path("backup.zip")) { item in
            #expect(item.format == "Gadgetbridge" && item.name == "database/Gadgetbridge")
            count += (try? item.result.get().heartRates.count) ?? 0
            return true
        }
        #expect(count == 25_000)
        var refusal: ActivityFileError?
        _ = Takeout.read(bytes: bytes, name: "x") { item in
            if case .failure(let error) = item.result { refusal = error }
            return true
        }
        #expect(refusal?.reason == .unsupported && refusal?.said.contains("vitals workout import") == true)
    }

    @Test("what no sensor can have measured is left out, and nothing that the file says is run")
    func hostile() throws {
        let bytes = try made(
            """
            d.execute("UPDATE DEVICE SET NAME = ?", ('N' * 5000 + chr(27) + '[2J',))
            rows = [(-5, 1, 1, 60), (2**62, 1, 1, 61), (1700000000, 1, 5000, 300), (1700000060, 2, -1, 0),
                    (1700000120, 1, 7, 80)]
            d.executemany(S, rows)
            d.execute('CREATE TABLE T_ACTIVITY_SAMPLE (TIMESTAMP, DEVICE_ID, STEPS, HEART_RATE AS (TIMESTAMP % 200))')
            d.execute("INSERT INTO T_ACTIVITY_SAMPLE VALUES ('x', zeroblob(900), 1.5), (1700000180, 'y', '7')")
            d.execute('CREATE TABLE "a""b_ACTIVITY_SAMPLE" (TIMESTAMP, DEVICE_ID, HEART_RATE)')
            d.execute('INSERT INTO "a""b_ACTIVITY_SAMPLE" VALUES (1700000240, 1, 90)')
            d.execute('CREATE VIEW V_ACTIVITY_SAMPLE AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) '
                      'SELECT 1700000000 + x AS TIMESTAMP, 1 AS DEVICE_ID, 70 AS HEART_RATE FROM c')
            d.execute('CREATE VIRTUAL TABLE F_ACTIVITY_SAMPLE USING fts5(TIMESTAMP, DEVICE_ID, HEART_RATE)')
            """)
        let (found, errors) = try read(bytes)
        #expect(errors.isEmpty)
        #expect(found.heartRates.map(\.beatsPerMinute).sorted() == [80, 90])
        #expect(found.steps.map(\.steps) == [7])
        #expect(found.heartRates.allSatisfy { ($0.source ?? "").count <= 80 })
        #expect(found.omissions == ["4 samples that cannot be"])
        #expect(
            try read(made("d.execute('DROP TABLE MI_BAND_ACTIVITY_SAMPLE')")).errors.map(\.reason) == [.unsupported])
    }

    @Test("steps that a device counts since midnight are read as that")
    func counters() throws {
        let bytes = try made(
            """
            d.execute('CREATE TABLE GARMIN_ACTIVITY_SAMPLE (TIMESTAMP, DEVICE_ID, STEPS, HEART_RATE)')
            d.executemany('INSERT INTO GARMIN_ACTIVITY_SAMPLE VALUES (?, 1, ?, 255)',
                [(1700000000 + 60 * i, n) for i, n in enumerate([0, 10, 50, 12000, 300000])])
            """)
        let (found, _) = try read(bytes)
        #expect(found.steps.map(\.steps) == [0, 10, 50, 12_000])
        #expect(found.steps.allSatisfy { $0.span == .counter } && found.steps.last?.time == 1_700_000_180_000)
        #expect(found.omissions == ["1 samples that cannot be"])
    }

    @Test("no more rows than allowed are read, and a database that is too large is not")
    func limits() throws {
        let bytes = try made(Self.minutes)
        var limits = Limits()
        limits.rows = 1000
        let (found, _) = try read(bytes, limits: limits)
        #expect(found.heartRates.count == 500 && found.omissions == ["what comes after 1000 samples"])
        limits = Limits()
        limits.innerArchiveBytes = 100_000
        #expect(try read(bytes, limits: limits).errors.map(\.reason) == [.tooMuch])
    }

    @Test("a small file whose pages lead to each other without an end is given up", arguments: ["table", "schema"])
    func endless(what: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("Gadgetbridge")
        let script = "\(projectFolder)/Tests/Libraries/ActivityFilesTests/Interop/endless_database.py"
        _ = try RunningProgram.runPython([script, what, path])
        let (found, errors) = try read(Array(try Data(contentsOf: URL(fileURLWithPath: path))))
        // Of devices, no more are read than there can be; then the samples.
        #expect(what == "table" ? errors.isEmpty && found.heartRates.count == 1 : errors.map(\.reason) == [.malformed])
    }

    @Test("500 damaged databases are errors, or have what could be read, and none ends the program")
    func damaged() throws {
        let bytes = try made(
            "d.executemany(S, [(1700000000 + 60 * i, 1, 10, 60) for i in range(400)])")
        var dice = SeededGenerator(seed: 77)
        var errors = 0
        for number in 0..<500 {
            var damaged = bytes
            if number % 5 == 0 { damaged.removeLast(Int.random(in: 1..<bytes.count, using: &dice)) }
            for _ in 0...number % 20 where !damaged.isEmpty {
                let place = Int.random(
                    in: number % 3 == 0 ? 0..<min(200, damaged.count) : 0..<damaged.count, using: &dice)
                damaged[place] = .random(in: 0...255, using: &dice)
            }
            let result = try read(damaged)
            errors += result.errors.count
            #expect(result.found.heartRates.count <= 400 * 4, "\(number)")
        }
        #expect(errors > 100)
    }
}
