import Files
import Storage

// What Gadgetbridge exports as its database: an SQLite file, by its documentation called `Gadgetbridge`, without an
// extension. Each kind of device has a table of its own, such as MI_BAND_ACTIVITY_SAMPLE, and what they have in common
// are the columns that Gadgetbridge's generator of tables adds to all of them (GBDaoGenerator.java,
// addCommonActivitySampleProperties): TIMESTAMP in Unix seconds, DEVICE_ID, and, where the device knows, STEPS of the
// minute that begins then and HEART_RATE. DEVICE has the devices' names. The steps of some devices are those of the day
// so far: Gadgetbridge's own readers of them say so (convertCumulativeSteps).

/// Reads heart rates and steps of all day from a Gadgetbridge database.
enum GadgetbridgeDatabase {
    /// What these databases are called where people are told.
    static let format = "Gadgetbridge"

    private static let suffix = "_ACTIVITY_SAMPLE"
    /// Tables with the steps of the day so far.
    private static let counters: Set = ["GARMIN_ACTIVITY_SAMPLE", "CMF_ACTIVITY_SAMPLE", "FITBIT_ACTIVITY_SAMPLE"]
    /// The most steps of a day.
    private static let mostInDay: Int64 = 200_000
    /// What Gadgetbridge itself takes for a heart rate: 255, 0 and -1 say that there was none (HeartRateUtils.java).
    private static let heartRates: ClosedRange<Int64> = 11...249
    /// The steps that somebody can make in a minute.
    private static let steps: ClosedRange<Int64> = 1...300
    /// Seconds from 1970 to the year 9999.
    private static let seconds: ClosedRange<Int64> = 1...253_402_300_799
    /// Records of a batch.
    private static let most = 20_000
    private static let mostDevices = 1000

    /// Reads a database.
    /// - Parameters:
    ///   - bytes: the file, which may be changed.
    ///   - batch: is called with heart rates and steps, some thousands at once, and says whether to go on.
    /// - Throws: where it is another program's database, or damaged; what came before was read.
    static func read(
        _ bytes: UnsafeMutableRawBufferPointer, _ limits: Limits, _ batch: (Recordings) -> Bool
    ) throws(ActivityFileError) {
        do throws(VaultError) {
            try ForeignDatabase.with(bytes) { database throws(VaultError) in
                try read(database, limits, batch)
            }
        } catch {
            if error.reason == .foreign { throw ActivityFileError("SQLite", .unsupported, error.said) }
            throw ActivityFileError(format, .malformed, "the database is damaged")
        }
    }

    private static func read(
        _ database: ForeignDatabase, _ limits: Limits, _ batch: (Recordings) -> Bool
    ) throws(VaultError) {
        let tables = try database.tables()
        let samples = tables.filter { $0.hasSuffix(suffix) }.sorted()
        guard !samples.isEmpty else {
            throw VaultError(
                "read a database", .foreign, said: "a database that is not Gadgetbridge's: nothing in it is known here")
        }
        let devices = tables.contains("DEVICE") ? try names(database) : [:]
        var reading = SampleReading(limits.rows)
        for table in samples where !reading.isTooMuch {
            let columns = Set(try database.columns(of: table))
            guard columns.isSuperset(of: ["TIMESTAMP", "DEVICE_ID"]) else { continue }
            let values = ["STEPS", "HEART_RATE"].filter(columns.contains)
            guard !values.isEmpty else { continue }
            var goesOn = true
            reading.isCounter = counters.contains(table)
            do throws(VaultError) {
                try database.forEach(in: table, ["TIMESTAMP", "DEVICE_ID"] + values) { row in
                    reading.take(row, values, devices)
                    if reading.count >= most { goesOn = batch(reading.flush()) }
                    return goesOn && !reading.isTooMuch
                }
            } catch {
                // What comes before the damage was read.
                _ = batch(reading.flush())
                throw error
            }
            guard goesOn else { return }
        }
        let last = reading.flush()
        if !last.isEmpty || !last.omissions.isEmpty { _ = batch(last) }
    }

    /// The names of the devices, by their ids. Their addresses stay where they are.
    private static func names(_ database: ForeignDatabase) throws(VaultError) -> [Int64: String] {
        guard try Set(database.columns(of: "DEVICE")).isSuperset(of: ["_id", "NAME"]) else { return [:] }
        var (names, rows): ([Int64: String], Int) = ([:], 0)
        try database.forEach(in: "DEVICE", ["_id", "NAME"]) { row in
            rows += 1
            if case .integer(let id) = row[0], case .text(let name) = row[1], let name = kept(name.utf8, 80) {
                names[id] = name
            }
            return rows < mostDevices
        }
        return names
    }

    /// Makes records of rows.
    private struct SampleReading {
        private(set) var isTooMuch = false
        /// Whether steps are those of the day so far.
        var isCounter = false
        private var recordings = Recordings()
        private var (rows, impossible) = (0, 0)
        private let mostRows: Int

        init(_ mostRows: Int) { self.mostRows = mostRows }

        var count: Int { recordings.heartRates.count + recordings.steps.count }

        mutating func take(_ row: [Value], _ names: [String], _ devices: [Int64: String]) {
            rows += 1
            isTooMuch = rows > mostRows
            guard !isTooMuch else { return }
            guard case .integer(let second) = row[0], seconds.contains(second) else {
                impossible += 1
                return
            }
            var source: String?
            if case .integer(let device) = row[1] { source = devices[device] }
            let time = second * 1000
            for (name, value) in zip(names, row.dropFirst(2)) {
                guard case .integer(let value) = value else { continue }
                if name == "HEART_RATE" {
                    guard heartRates.contains(value) else { continue }
                    recordings.heartRates.append(
                        HeartRateRecord(time: time, beatsPerMinute: UInt16(value), source: source))
                } else if isCounter {
                    guard (0...mostInDay).contains(value) else {
                        impossible += 1
                        continue
                    }
                    recordings.steps.append(StepRecord(time: time, steps: Int(value), span: .counter, source: source))
                } else if steps.contains(value) {
                    recordings.steps.append(
                        StepRecord(time: time + 60_000, steps: Int(value), span: .since(time), source: source))
                } else if value > steps.upperBound {
                    impossible += 1
                }
            }
        }

        /// What has come since the last time.
        mutating func flush() -> Recordings {
            defer { (recordings, impossible) = (Recordings(), 0) }
            if impossible > 0 { recordings.omissions.append("\(impossible) samples that cannot be") }
            if isTooMuch { recordings.omissions.append("what comes after \(mostRows) samples") }
            return recordings
        }
    }
}
