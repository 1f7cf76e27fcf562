import ActivityFiles
import Foundation
import TestSupport
import Testing

/// Files with one thing that is easily read wrong: see Cases/README.md.
@Suite("Made-up files of devices and programs")
struct CasesTests {
    private static let folder = "\(projectFolder)/Tests/Libraries/ActivityFilesTests/Cases"

    /// What a file has to come to. Tolerances: 3 s, 3 %, 2 beats a minute.
    struct Case: CustomTestStringConvertible, Sendable {
        let file: String
        let activities: [Expected]

        init(_ file: String, _ activities: Expected...) { (self.file, self.activities) = (file, activities) }

        var testDescription: String { file }
    }

    /// An activity: how long it was active, how far it was as the device or the file says it, its mean heart rate.
    struct Expected: Sendable {
        let seconds: Double
        var metres: Double?
        var heartRate: Double?

        init(_ seconds: Double, _ metres: Double? = nil, bpm: Double? = nil) {
            (self.seconds, self.metres, heartRate) = (seconds, metres, bpm)
        }
    }

    private static let cases = [
        Case("f01-pause-without-timer-events.fit", Expected(3600, 10_800, bpm: 140)),
        Case("f03-triathlon-summary-first.fit", Expected(600, 600), Expected(1200, 9600), Expected(900, 2700)),
        Case("f03-triathlon-summary-last.fit", Expected(600, 600), Expected(1200, 9600), Expected(900, 2700)),
        Case("f04-compressed-speed-distance.fit", Expected(600, 1800, bpm: 140)),
        Case("f07-developer-heart-rate.fit", Expected(600, 1800, bpm: 141)),
        Case("f07c-developer-heart-rate-alone.fit", Expected(600, 1800, bpm: 141)),
        Case("f11-stray-record-27-days-later.fit", Expected(600, 1800, bpm: 140)),
        Case("f11b-elapsed-27-days.fit", Expected(600, 1800, bpm: 140)),
        Case("f11c-first-record-year-before.fit", Expected(600, 1800, bpm: 140)),
        Case("f14-pool-swim-lengths.fit", Expected(1200, 1000, bpm: 125)),
        Case("f22-session-timestamp-is-start.fit", Expected(2400, 8000, bpm: 150)),
        Case("f23a-false-start.fit", Expected(8)),
        Case("f23b-the-run-40-seconds-later.fit", Expected(1800, 5400)),
        Case("f24-strap-heart-rates-in-chained-parts.fit", Expected(600, 600, bpm: 140)),
        Case("f25-pool-lengths-with-rests.fit", Expected(1280, 800)),
        Case("f25b-fifty-metre-pool.fit", Expected(1200, 1000)),
        Case("f27-indoors-with-jitter.fit", Expected(600, 60, bpm: 90)),
        Case("g02-utf16.gpx", Expected(600, bpm: 140)),
        Case("g08c-heartrate-element.gpx", Expected(600, bpm: 140)),
        Case("g09b-times-without-seconds.gpx", Expected(600, bpm: 140)),
        Case("g26-short-track-then-long.gpx", Expected(60), Expected(600)),
        Case("t03-total-time-less-than-span.tcx", Expected(1200)),
        Case("t10-lap-times-wrong-total.tcx", Expected(600)),
        Case("t11-rest-lap-of-zero-metres.tcx", Expected(660, 1800)),
    ]

    @Test("are taken as they are", arguments: cases)
    func taken(_ wanted: Case) throws {
        let activities = try Self.read(wanted.file).flatMap { try $0.get().activities }
        try #require(activities.count == wanted.activities.count, "\(activities.map(\.sport))")
        for (activity, expected) in zip(activities, wanted.activities) {
            let told = Self.figures(activity)
            #expect(abs(told.seconds - expected.seconds) <= 3, "\(told)")
            if let metres = expected.metres { #expect(abs((told.metres ?? 0) - metres) <= metres * 0.03, "\(told)") }
            if let bpm = expected.heartRate { #expect(abs((told.heartRate ?? 0) - bpm) <= 2, "\(told)") }
        }
    }

    @Test(
        "have parts in their order, with a common name, without the changes between sports",
        arguments: ["first", "last"])
    func sessions(_ summary: String) throws {
        let recordings = try #require(Self.read("f03-triathlon-summary-\(summary).fit").first).get()
        let parts = recordings.activities
        #expect(parts.map { $0.session?.number } == [1, 2, 3] && parts.allSatisfy { $0.session?.count == 3 })
        #expect(parts.allSatisfy { $0.session?.begun == parts[0].start && $0.name == "swimming, cycling, running" })
        #expect(recordings.omissions == ["2 transitions between activities"])
        // One of them alone knows its place.
        let again = try FITFile.read(FITFile.write(parts[1])).activities
        #expect(again.map(\.session) == [parts[1].session] && again[0].name == parts[1].name)
        let multisport = try #require(Self.read("t06-multisport.tcx").first).get().activities
        #expect(multisport.map { $0.session?.number } == [1, 2] && multisport[1].name == "running, cycling")
        // Two activities in a file are not parts of one.
        #expect(
            try Self.read("t05-two-activities.tcx").flatMap { try $0.get().activities }.allSatisfy { $0.session == nil }
        )
    }

    @Test(
        "say how long the pool is, and how many lengths were swum",
        arguments: [
            // Its lengths and its distance say how long the pool is.
            ("f14-pool-swim-lengths.fit", Pool(metres: 25, lengths: 40)), ("f25-pool-lengths-with-rests.fit", nil),
            ("f01-pause-without-timer-events.fit", nil),
        ])
    func pools(_ file: String, _ pool: Pool?) throws {
        var swim = try #require(Self.read(file).first?.get().activities.first)
        #expect(swim.pool == pool)
        for pool in [pool, Pool(metres: 33.33, lengths: 12), Pool(metres: 50, lengths: nil)] {
            swim.pool = pool
            #expect(try FITFile.read(FITFile.write(swim)).activities.first?.pool == pool)
        }
        (swim.pool, swim.totals.distanceMetres, swim.samples) = (Pool(metres: 50, lengths: 30), nil, [])
        #expect(try FITFile.read(FITFile.write(swim)).activities.first?.totals.distanceMetres == 1500)
    }

    @Test("are pools only if they can be")
    func pools() {
        for metres in [nil, 0, 4.9, 201, .nan, .infinity] as [Double?] {
            #expect(Pool(metres: metres, lengths: 3) == nil)
        }
        #expect(
            Pool(metres: 33.33, lengths: 0)?.lengths == nil && Pool(metres: 33.33, lengths: 100_001)?.lengths == nil)
    }

    @Test("and all others are read, or refused with a reason, whole and in 500 damaged variants")
    func damaged() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0 != "README.md" }
            .sorted()
        #expect(files.count > 60)
        var generator = SeededGenerator(seed: 40)
        for number in 0..<500 {
            let file = files[number % files.count]
            var bytes = try Self.bytes(of: file)
            // A few bytes of it, or one large part.
            if number / files.count % 2 == 0 {
                for _ in 0..<Int.random(in: 1...20, using: &generator) { Self.damage(&bytes, 16, &generator) }
            } else {
                Self.damage(&bytes, bytes.count, &generator)
            }
            Self.check(Self.read(bytes, file), file)
        }
        for file in files { Self.check(try Self.read(file), file) }
    }

    /// Changes, cuts, doubles, moves or empties a part of at most so many bytes.
    private static func damage(_ bytes: inout [UInt8], _ most: Int, _ generator: inout SeededGenerator) {
        guard bytes.count > 1 else { return }
        let at = Int.random(in: bytes.indices, using: &generator)
        let part = at..<min(bytes.count, at + Int.random(in: 1...most, using: &generator))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.removeSubrange(part)
        case 3: bytes.insert(contentsOf: bytes[part], at: at)
        case 4: bytes.replaceSubrange(part, with: repeatElement(0, count: part.count))
        case 5: bytes.removeSubrange(at...)
        default:
            let moved = Array(bytes[part])
            bytes.removeSubrange(part)
            bytes.insert(contentsOf: moved, at: Int.random(in: 0...bytes.count, using: &generator))
        }
    }

    private static func check(_ results: [Result<Recordings, ActivityFileError>], _ file: String) {
        for result in results {
            switch result {
            case .failure(let error): #expect(!error.said.isEmpty && !error.format.isEmpty, "\(file)")
            case .success(let recordings):
                #expect(!recordings.isEmpty && recordings.damage?.said.isEmpty != true, "\(file)")
                for activity in recordings.activities {
                    let whole = activity.start...activity.end
                    #expect(
                        activity.pauses.allSatisfy { whole.contains($0.start) && whole.contains($0.end) }, "\(file)")
                    #expect(
                        zip(activity.pauses, activity.pauses.dropFirst()).allSatisfy { $0.end <= $1.start }, "\(file)")
                    #expect(figures(activity).seconds >= 0, "\(file)")
                }
            }
        }
    }

    private static func bytes(of file: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")))
    }

    private static func read(_ file: String) throws -> [Result<Recordings, ActivityFileError>] {
        read(try bytes(of: file), file)
    }

    private static func read(_ bytes: [UInt8], _ name: String) -> [Result<Recordings, ActivityFileError>] {
        var results: [Result<Recordings, ActivityFileError>] = []
        _ = Takeout.read(bytes: bytes, name: name) { item in
            results.append(item.result)
            return true
        }
        return results
    }

    private static func figures(_ activity: Recording) -> (seconds: Double, metres: Double?, heartRate: Double?) {
        let paused = activity.pauses.reduce(0) { $0 + $1.end - $1.start }
        let rates = activity.samples.compactMap(\.heartRate).map(Double.init)
        let mean =
            rates.isEmpty ? activity.totals.meanHeartRate.map(Double.init) : rates.reduce(0, +) / Double(rates.count)
        return (
            Double(activity.end - activity.start - paused) / 1000,
            activity.totals.distanceMetres ?? activity.samples.compactMap(\.distance).max(), mean
        )
    }
}
