import Foundation
import TestSupport
import Testing

@testable import ActivityFiles

/// Archives that nobody made by accident.
@Suite("Hostile archives", .serialized, .timeLimit(.minutes(60)))
struct HostileArchiveTests {
    /// A local file header and an entry of the directory for an empty file (APPNOTE.TXT, 4.3.7 and 4.3.12).
    private static let file: [UInt8] = {
        var bytes: [UInt8] = [0x50, 0x4B, 3, 4, 20]
        bytes += zeros(21)
        return bytes + ([1, 0, 0, 0, 0x61] as [UInt8])
    }()

    private static func entry(_ name: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 1, 2, 20, 0, 20]
        bytes += zeros(21)
        bytes += little(name.count, 2)
        bytes += zeros(16)
        return bytes + name
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    /// Numbers of some widths, in bytes, one after the other.
    private static func little(_ numbers: [(value: Int, width: Int)]) -> [UInt8] {
        numbers.flatMap { little($0.value, $0.width) }
    }

    /// The end of an archive whose directory begins behind `file`.
    private static func end(_ count: Int, _ size: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
        bytes += little([(count, 2), (count, 2), (size, 4), (file.count, 4), (0, 2)])
        return bytes
    }

    /// The larger form of that end, for more than 65,535 entries.
    private static func largeEnd(_ count: Int, _ size: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 6, 6]
        bytes += little([(44, 8), (45, 2), (45, 2), (0, 8), (count, 8), (count, 8), (size, 8), (file.count, 8)])
        bytes += [0x50, 0x4B, 6, 7] as [UInt8]
        bytes += little([(0, 4), (file.count + size, 8), (1, 4)])
        bytes += [0x50, 0x4B, 5, 6, 0, 0, 0, 0] as [UInt8]
        bytes += [UInt8](repeating: 0xFF, count: 12)
        return bytes + zeros(2)
    }

    private static func archive(_ names: some Sequence<[UInt8]>, _ end: (Int, Int) -> [UInt8]) -> [UInt8] {
        var bytes = file
        var count = 0
        for name in names {
            bytes += entry(name)
            count += 1
        }
        return bytes + end(count, bytes.count - file.count)
    }

    /// The error that an archive is answered with, in memory and as a file.
    private func fault(_ bytes: [UInt8], _ limits: Limits = Limits()) throws -> ActivityFileError? {
        var fault: ActivityFileError?
        _ = Takeout.read(bytes: bytes, name: "it", limits: limits) { item in
            if case .failure(let error) = item.result { fault = fault ?? error }
            return true
        }
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path("it.zip")))
        do throws(ActivityFileError) {
            _ = try Takeout.read(folder.path("it.zip"), limits: limits) { _ in true }
            #expect(fault?.reason != .tooMuch)
        } catch { #expect(error.reason == fault?.reason) }
        return fault
    }

    @Test("An archive with a million files is refused before libzip reads its directory")
    func million() throws {
        let many = Self.archive((0..<300_000).map { Array("\($0)".utf8) }, Self.largeEnd)
        #expect(try fault(many)?.description == "ZIP: 300000 files; 200000 are allowed")
    }

    @Test("An archive that tells a few files and has very many is refused")
    func untold() throws {
        // libzip reads 65,536 more where the directory goes on.
        let wrapped = Self.archive((0..<65_546).map { Array("\($0)".utf8) }) { Self.end($0 & 0xFFFF, $1) }
        var limits = Limits()
        limits.files = 1000
        #expect(try fault(wrapped, limits)?.description == "ZIP: 1001 files; 1000 are allowed")
        #expect(try fault(wrapped) == nil)
    }

    @Test("A directory that ends a thousand times counts a thousand times")
    func ends() throws {
        let many = Self.archive((0..<20_000).map { Array("\($0)".utf8) }) { count, size in
            (0..<1000).flatMap { _ in Self.end(count, size) }
        }
        #expect(try fault(many)?.description == "ZIP: 220000 files; 200000 are allowed")
    }

    @Test("Names that all have the same hash are refused", arguments: [false, true])
    func alike(isTranslated: Bool) throws {
        // 33 times one letter and the next: both pairs come to the same. What is no UTF-8, libzip translates from code
        // page 437 before it makes the hash; so there may be few of these, whatever they are.
        let pairs: [[UInt8]] = isTranslated ? [[0x80, 0x61], [0x80, 0x62]] : [[0x41, 0x61], [0x42, 0x40]]
        let names = (0..<30_000).map { number in (0..<17).flatMap { pairs[(number >> $0) & 1] } }
        let said = try fault(Self.archive(names) { Self.end($0, $1) })
        #expect(said?.reason == .tooMuch)
        #expect(said?.said == "too many names that take long to tell apart")
    }

    @Test("A directory with very long names is refused, and a directory that leads nowhere is an error")
    func long() throws {
        var limits = Limits()
        limits.files = 100
        let name = [UInt8](repeating: 0x61, count: 60_000)
        let said = try fault(Self.archive([name, name, name]) { Self.end($0, $1) }, limits)
        #expect(said?.said == "the directory is too large for its files")
        for offset in [0, 1 << 20, 0xFFFF_FFFF] {
            var bytes = Self.archive([[0x61]]) { Self.end($0, $1) }
            bytes.replaceSubrange(bytes.count - 6..<bytes.count - 2, with: Self.little(offset, 4))
            #expect(try fault(bytes) != nil)
        }
        var large = Self.archive([[0x61]], Self.largeEnd)
        let pointer = large.count - 22 - 12
        for offset in [Int.max, -1, large.count] {
            large.replaceSubrange(pointer..<pointer + 8, with: Self.little(offset, 8))
            #expect(try fault(large) != nil)
        }
    }

    // MARK: What lies in an archive

    /// Makes an archive of what stands in a script: `z` is the archive, `a` a recording as FIT, `g` as GPX.
    private func made(_ script: String) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        var activity = try recorded("run-9km")
        activity.samples = Array(activity.samples.prefix(200))
        try Data(try FITFile.write(activity)).write(to: URL(fileURLWithPath: folder.path("a")))
        try Data(try GPXFile.write(activity)).write(to: URL(fileURLWithPath: folder.path("g")))
        let begin = """
            import gzip, io, sys, warnings, zipfile
            warnings.simplefilter('ignore')
            F = sys.argv[1]
            a = open(F + '/a', 'rb').read()
            g = open(F + '/g', 'rb').read()
            z = zipfile.ZipFile(F + '/z', 'w', zipfile.ZIP_DEFLATED)

            """
        _ = try RunningProgram.runPython(["-c", begin + script + "\nz.close()", folder.path])
        return Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("z"))))
    }

    private func read(_ bytes: [UInt8], _ limits: Limits = Limits()) -> [Takeout.Item] {
        var items: [Takeout.Item] = []
        _ = Takeout.read(bytes: bytes, name: "it", limits: limits) {
            items.append($0)
            return true
        }
        return items
    }

    private func errors(_ items: [Takeout.Item]) -> [ActivityFileError] {
        items.compactMap { item in
            if case .failure(let error) = item.result { return error }
            return nil
        }
    }

    @Test("The same name twice, a folder with bytes in it and an encrypted file do no harm")
    func odd() throws {
        let bytes = try made(
            """
            z.writestr('a.fit', a)
            z.writestr('a.fit', a)
            z.writestr('folder/', a)
            z.writestr('secret', a)
            z.infolist()[-1].flag_bits |= 1
            """)
        let items = read(bytes)
        #expect(items.map(\.name) == ["it/a.fit", "it/a.fit", "it/secret"])
        #expect(errors(items) == [ActivityFileError("ZIP", .unsupported, "the file is encrypted")])
    }

    @Test("A file that is compressed in a rare way is refused, and so is what is compressed twice")
    func rare() throws {
        let items = read(
            try made(
                """
                z.writestr('b', a, zipfile.ZIP_BZIP2)
                z.writestr('l', a, zipfile.ZIP_LZMA)
                z.writestr('gg', gzip.compress(gzip.compress(a)))
                y = io.BytesIO()
                with zipfile.ZipFile(y, 'w') as inner: inner.writestr('a', a)
                z.writestr('gz', gzip.compress(y.getvalue()))
                """))
        #expect(errors(items).map(\.reason) == [.unsupported, .unsupported, .unsupported, .unsupported])
        #expect(
            errors(items).map(\.said).suffix(2) == ["a gzip file within a gzip file", "an archive within a gzip file"])
    }

    @Test("What all gzip files of an archive hold is counted together, and nothing is read after it is too much")
    func gzipTogether() throws {
        var limits = Limits()
        limits.archiveBytes = 10 << 20
        limits.ratio = 2000
        let items = read(
            try made("for i in range(20): z.writestr('%d' % i, gzip.compress(b'<gpx>' + b' ' * (4 << 20)))"), limits)
        #expect(errors(items).map(\.reason) == [.truncated, .truncated, .tooMuch])
        #expect(errors(items).last?.said == "the archive's files hold more than 10485760 bytes")
    }

    @Test("A file that says it is larger in the archive than the archive may not grow more for it")
    func lie() throws {
        var bytes = try made("z.writestr('a', b'<gpx>' + b' ' * (3 << 20))")
        // The compressed size in the directory; the end tells where that begins.
        let end = bytes.count - 22
        let begin = (0..<4).reduce(0) { $0 | Int(bytes[end + 16 + $1]) << ($1 * 8) }
        bytes.replaceSubrange(begin + 20..<begin + 24, with: [0xFF, 0xFF, 0xFF, 0x7F])
        let said = errors(read(bytes))
        #expect(said.count == 1)
        #expect(said.first?.reason == .tooMuch || said.first?.reason == .malformed, "\(said)")
    }

    @Test("Archives within each other share what they may take of the memory")
    func memory() throws {
        var limits = Limits()
        limits.innerArchiveBytes = 150_000
        let bytes = try made(
            """
            import random
            y = io.BytesIO()
            with zipfile.ZipFile(y, 'w') as inner: inner.writestr('r', random.Random(1).randbytes(50_000))
            x = io.BytesIO()
            with zipfile.ZipFile(x, 'w') as outer: outer.writestr('y.zip', y.getvalue())
            z.writestr('x.zip', x.getvalue())
            """)
        #expect(errors(read(bytes, limits)).map(\.reason) == [.tooMuch])
        limits.innerArchiveBytes = 200_000
        #expect(errors(read(bytes, limits)).isEmpty)
    }

    @Test("A gzip file that gives one byte at a time is fed to the parser in larger pieces")
    func single() throws {
        let bytes = try made("z.writestr('a', b''.join(gzip.compress(bytes([b]), 1) for b in g[:20000]))")
        let items = read(bytes)
        let told = try #require(try items.first?.result.get())
        #expect((told.activities.first?.samples.count ?? 0) > 20)
        #expect(told.damage?.reason == .truncated)
        // The parser looks through all that it has for each piece; so there must be few of them.
        let script = "z.writestr('a', b''.join(gzip.compress(bytes([b]), 1) for b in g[:20000]), zipfile.ZIP_STORED)"
        let member = try made(script)
        let begin = try #require(member.indices.first { member[$0...].starts(with: [0x1F, 0x8B, 0x08]) })
        let unpacked = try GunzipSource(MemorySource(Array(member[begin...])), Limits())
        let stream = ByteStream(unpacked, atMost: 1 << 20)
        var pieces: [Int] = []
        while let piece = try? stream.next() { pieces.append(piece.count) }
        #expect(pieces == [20_000])
        // What came before the damage is there.
        let half = try made("z.writestr('a', gzip.compress(g)[:-2000])")
        let part = try #require(try read(half).first?.result.get())
        #expect((part.activities.first?.samples.count ?? 0) > 20)
        #expect(part.damage?.format == "gzip" && part.damage?.reason == .truncated)
    }

    @Test("A source's small pieces come together, and its fault after them")
    func pieces() throws {
        final class Drops: ByteSource {
            private var count = 0
            func read(into buffer: UnsafeMutableRawBufferPointer) throws(ActivityFileError) -> Int {
                count += 1
                guard count <= 100 else { throw ActivityFileError("file", .unreadable, "dry") }
                buffer[0] = UInt8(count)
                return 1
            }
        }
        let stream = ByteStream(Drops(), atMost: 1000)
        #expect(try stream.peek(10) == Array(1...10))
        #expect(try stream.next().map(Array.init) == Array(1...10))
        #expect(try stream.next().map(Array.init) == Array(11...100))
        #expect(throws: ActivityFileError("file", .unreadable, "dry")) { try stream.next() }
    }

    // MARK: Apple Health

    private func health(_ workouts: String) -> String { "<HealthData>\(workouts)</HealthData>" }

    private func workout(_ inside: String, _ attributes: String = "") -> String {
        """
        <Workout workoutActivityType="HKWorkoutActivityTypeRunning" startDate="2024-05-01 10:00:00 +0200" \(attributes)>\
        \(inside)</Workout>
        """
    }

    @Test("A route is read for one workout only, however many name it")
    func routes() throws {
        let route = workout("<FileReference path=\"/workout-routes/r.gpx\"/>")
        let items = read(
            try made(
                """
                z.writestr('e/workout-routes/r.gpx', g)
                z.writestr('e/export.xml', '''\(health(route + route))''')
                """))
        let parts = try items.map { try $0.result.get() }
        #expect(parts.flatMap(\.activities).map(\.samples.count) == [200, 0])
        #expect(parts.flatMap(\.omissions) == ["1 routes that are not there, or cannot be read"])
    }

    @Test("A workout has no more routes and events than are allowed together")
    func many() throws {
        var limits = Limits()
        limits.activities = 5
        limits.parts = 3
        let routes = workout(String(repeating: "<FileReference path=\"/r\"/>", count: 20))
        let laps = (10..<50).map { second in
            "<WorkoutEvent type=\"HKWorkoutEventTypeLap\" date=\"2024-05-01 10:00:\(second) +0200\" duration=\"1\""
                + " durationUnit=\"s\"/>"
        }
        let document = Array(health(String(repeating: routes, count: 2) + workout(laps.joined())).utf8)
        let parts = try read(document, limits).map { try $0.result.get() }
        #expect(parts.flatMap(\.omissions) == ["10 routes that are not there, or cannot be read"])
        #expect(parts.last?.activities.first?.laps.count == 3)
    }

    @Test("Numbers that no device tells are left out of a workout")
    func numbers() throws {
        let inside = """
            <MetadataEntry key="HKElevationAscended" value="nan m"/>
            <WorkoutEvent type="HKWorkoutEventTypeLap" date="2024-05-01 10:00:10 +0200" duration="1e300" durationUnit="hr"/>
            <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" sum="1e307" unit="km"/>
            <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="1e300" unit="kcal"/>
            <WorkoutStatistics type="HKQuantityTypeIdentifierStepCount" sum="1e300" unit="count"/>
            """
        let steps = """
            <Record type="HKQuantityTypeIdentifierStepCount" startDate="2024-05-01 10:00:00 +0200" value="1e300"/>
            <Record type="HKQuantityTypeIdentifierHeartRate" startDate="2024-05-01 10:00:00 +0200" value="1e300"/>
            """
        let document = health(steps + workout(inside, "duration=\"1e300\" durationUnit=\"hr\""))
        let parts = try read(Array(document.utf8)).map { try $0.result.get() }
        #expect(parts.flatMap(\.steps).isEmpty && parts.flatMap(\.heartRates).isEmpty)
        #expect(parts.flatMap(\.activities).map(\.totals) == [Totals()])
        #expect(parts.flatMap(\.activities).flatMap(\.laps).isEmpty)
    }

    @Test("An attribute of ampersands alone is read, and ampersands that are escaped twice stay so once")
    func ampersands() throws {
        let text = "device=\"\(String(repeating: "&amp;", count: 2000))\""
        let document = health(String(repeating: workout("", text), count: 60))
        let counts = try read(Array(document.utf8)).map { try $0.result.get().activities.count }
        #expect(counts == [Int](repeating: 1, count: 60))
        let named = "sourceName=\"&amp;#38; &amp;amp; &#38;lt;\""
        let items = read(Array(health(workout("", named)).utf8))
        #expect(try items.first?.result.get().activities.first?.device?.product == "&#38; &amp; &lt;")
    }

    @Test("Names of files that only look the same are different")
    func lookalikes() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("workout-routes"), withIntermediateDirectories: true)
        let route = try GPXFile.write(try recorded("run-9km"))
        #expect(FileManager.default.createFile(atPath: folder.path("workout-routes/\u{E9}"), contents: Data(route)))
        try folder.write(health(workout("<FileReference path=\"/workout-routes/e\u{301}\"/>")), to: "export.xml")
        var items: [Takeout.Item] = []
        _ = try Takeout.read(folder.path) {
            items.append($0)
            return true
        }
        let omissions = try items.flatMap { try $0.result.get().omissions }
        #expect(omissions == ["1 routes that are not there, or cannot be read"])
    }
}
