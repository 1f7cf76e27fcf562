import Foundation
import TestSupport
import Testing

@testable import ActivityFiles

/// Documents that nobody made by accident.
@Suite("Hostile documents", .serialized, .timeLimit(.minutes(60)))
struct HostileDocumentTests {
    private static let point = "<trkpt lat=\"1\" lon=\"1\"><time>2024-05-01T08:01:00Z</time></trkpt>"

    /// A document with points.
    private static func gpx(_ points: String, _ declaration: String = "<?xml version=\"1.0\"?>") -> String {
        "\(declaration)<gpx><trk><name>n\u{E4}me</name><trkseg>\(points)</trkseg></trk></gpx>"
    }

    private func fault(_ bytes: [UInt8]) -> ActivityFileError? {
        faultOfGPX(bytes)
    }

    private func fault(_ text: String) -> ActivityFileError? { fault(Array(text.utf8)) }

    @Test("An element with a million attributes is refused, which libxml2 would compare with each other")
    func attributes() {
        for (before, quote, equals) in [(" ", "\"", "="), ("\n", "'", " =\t "), (" x='>' ", "\"", "=\n")] {
            let many = (0..<300_000).map { "\(before)a\($0)\(equals)\(quote)\(quote)" }.joined()
            let said = fault(Self.gpx(Self.point + "<x \(many)/>"))
            #expect(said?.reason == .tooMuch)
            #expect(said?.said == "an element with very many attributes")
        }
        // What looks like attributes in a text, and some in each of many elements, is none of that.
        let few = String(repeating: "<x a='1' b='2' c='3'/> a = \"1\"", count: 2000)
        #expect(fault(Self.gpx(Self.point + few)) == nil)
        #expect(fault(Self.gpx(Self.point + "<desc>" + String(repeating: "=", count: 5000) + "</desc>")) == nil)
    }

    @Test("An element in hundreds of namespaces is refused; one that nobody declared does no harm")
    func namespaces() {
        let declared = (0..<90).map { "xmlns:n\($0)=\"u\"" }.joined(separator: " ")
        let deep = String(repeating: "<x \(declared)>", count: 3) + String(repeating: "</x>", count: 3)
        let said = fault(Self.gpx(Self.point + deep))
        #expect(said?.said == "more than 200 namespaces at once")
        let wide = String(repeating: "<x \(declared)/>", count: 50)
        #expect(fault(Self.gpx(Self.point + wide)) == nil)
        let undeclared = "<q:x q:y=\"1\"/>" + Self.point.replacingOccurrences(of: "trkpt", with: "q:trkpt")
        #expect(fault(Self.gpx(Self.point + undeclared)) == nil)
    }

    @Test("A document in an encoding that does not contain ASCII is refused, by its mark, its zeros and its word")
    func encodings() throws {
        let text = Self.gpx(Self.point)
        let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let turned = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let widest = text.unicodeScalars.flatMap { [UInt8($0.value & 0xFF), UInt8($0.value >> 8), 0, 0] }
        let foreign: [UInt8] = [0x4C, 0x6F, 0xA7, 0x94, 0x93]
        for bytes in [[0xFF, 0xFE] + wide, [0xFE, 0xFF] + turned, wide, turned, widest, foreign] {
            let said = fault(bytes)
            #expect(said?.reason == .unsupported, "\(bytes.prefix(6))")
            #expect(said?.position == .line(1))
        }
        for name in ["UTF-7", "UTF-16", "utf-16le", "UCS-4", "ISO-2022-JP", "GB18030", "EBCDIC-US", "IBM037", "x", ""] {
            let told = Self.gpx(Self.point, "<?xml version='1.0' encoding = '\(name)'?>")
            #expect(fault(told)?.reason == .unsupported, "\(name)")
            #expect(fault("  \n" + told)?.reason == .unsupported, "\(name)")
            #expect(fault([0xEF, 0xBB, 0xBF] + Array(told.utf8))?.reason == .unsupported, "\(name)")
        }
        let twice = "<?xml version=\"1.0\" encoding=\"UTF-8\" encoding=\"UTF-7\"?>"
        #expect(fault(Self.gpx(Self.point, twice))?.reason == .unsupported)
        #expect(fault("<?xml " + String(repeating: " ", count: 5000) + "?><gpx/>")?.reason == .unsupported)
        #expect(fault(String(repeating: " ", count: 5000) + text)?.reason == .unsupported)
    }

    @Test("A document is read in the encoding that it tells, and one that tells a wrong one is refused")
    func declared() throws {
        for name in ["UTF-8", "utf-8", "ISO-8859-1", "windows-1252"] {
            let text = Self.gpx(Self.point, "<?xml version=\"1.0\" encoding=\"\(name)\"?>")
            let isWide = name.lowercased() == "utf-8"
            let bytes = isWide ? Array(text.utf8) : text.unicodeScalars.map { UInt8($0.value) }
            #expect(try GPXFile.read(bytes).activities.first?.name == "n\u{E4}me", "\(name)")
        }
        let latin = Self.gpx(Self.point).unicodeScalars.map { UInt8($0.value) }
        #expect(fault(latin)?.reason == .malformed)
    }

    @Test("Numbers that no device measures are left out, and a year that has five digits is none")
    func numbers() throws {
        let inside = """
            <time>2024-05-01T08:01:00Z</time><ele>1e300</ele><hr>1e300</hr><cad>-1</cad><atemp>-1e300</atemp>
            <speed>1e10</speed><power>1e300</power><distance>1e308</distance>
            """
        let samples = try GPXFile.read(Array(Self.gpx("<trkpt lat=\"1\" lon=\"1\">\(inside)</trkpt>").utf8)).activities
            .flatMap(\.samples)
        var bare = try GPXFile.read(Array(Self.gpx(Self.point).utf8)).activities.flatMap(\.samples)
        #expect(samples == bare)
        for time in ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"] {
            let point = Self.point.replacingOccurrences(of: "2024-05-01T08:01:00Z", with: time)
            #expect(fault(Self.gpx(point))?.said == "1 points with a time that cannot be read", "\(time)")
        }
        for time in Recording.dates.lowerBound...Recording.dates.lowerBound + 1 {
            bare[0].time = time
            let activity = Recording(sport: .running, start: time, end: time, samples: bare)
            for format in [Format.gpx, .tcx] {
                #expect(try format.read(try format.write(activity)).activities.first?.samples.first?.time == time)
            }
        }
    }

    @Test("An activity in a year before 1 or after 9999 cannot be written", arguments: [Format.gpx, .tcx])
    func dates(format: Format) throws {
        let place = try GPXFile.read(Array(Self.gpx(Self.point).utf8)).activities.flatMap(\.samples)
        for time in [Int64.min, .max, Recording.dates.lowerBound - 1, Recording.dates.upperBound + 1] {
            var wrong: [Recording] = []
            let right = Recording(sport: .running, start: 0, end: 10, samples: place)
            for part in 0..<6 {
                var activity = right
                switch part {
                case 0: activity.start = time
                case 1: activity.end = time
                case 2: activity.pauses = [Pause(start: time, end: 0)]
                case 3: activity.pauses = [Pause(start: 0, end: time)]
                case 4: activity.laps = [Lap(start: 0, end: time)]
                default: activity.samples[0].time = time
                }
                wrong.append(activity)
            }
            for activity in wrong { #expect(throws: ActivityFileError.self) { try format.write(activity) } }
        }
    }

    // MARK: TCX

    private func tcx(_ activities: String) -> [UInt8] {
        Array("<TrainingCenterDatabase><Activities>\(activities)</Activities></TrainingCenterDatabase>".utf8)
    }

    private func lap(_ start: String, _ inside: String) -> String {
        "<Lap StartTime=\"2024-05-01T\(start)Z\">\(inside)</Lap>"
    }

    @Test("Laps whose totals no number can hold have no such totals, and the whole has none either")
    func totals() throws {
        for number in ["1e300", "9e18", "4611686018427387904", "-1", "1e999", "nan"] {
            let inside = """
                <TotalTimeSeconds>\(number)</TotalTimeSeconds><DistanceMeters>\(number)</DistanceMeters>
                <Calories>\(number)</Calories><Extensions><LX><Steps>\(number)</Steps></LX></Extensions>
                """
            let laps = lap("08:00:00", inside) + lap("08:01:00", inside)
            let recordings = try TCXFile.read(tcx("<Activity Sport=\"Running\">\(laps)</Activity>"))
            #expect(recordings.activities.map(\.totals) == [Totals()], "\(number)")
        }
    }

    @Test("Laps are in the order of time, whatever the order that they came in")
    func order() throws {
        let laps = lap("08:01:00", "<TotalTimeSeconds>5</TotalTimeSeconds>") + lap("08:00:00", "") + lap("08:00:30", "")
        let activity = try #require(try TCXFile.read(tcx("<Activity>\(laps)</Activity>")).activities.first)
        let start: Int64 = 1_714_550_400_000
        #expect(activity.laps.map(\.start) == [start, start + 30_000, start + 60_000])
        #expect(activity.laps.map(\.end) == [start + 30_000, start + 60_000, start + 65_000])
        #expect(activity.start == start && activity.end == start + 65_000)
    }

    @Test("Laps are limited in each activity and in all together, and activities are limited, too")
    func parts() throws {
        var limits = Limits()
        limits.parts = 10
        let laps = String(repeating: lap("08:00:00", ""), count: 9)
        func read(_ activities: String) throws -> Recordings { try TCXFile.read(tcx(activities), limits: limits) }
        let together = try read(String(repeating: "<Activity>\(laps)</Activity>", count: 12))
        #expect(together.activities.count == 12 && together.activities.last?.laps.isEmpty == true)
        #expect(together.damage?.reason == .tooMuch)
        let one = try read("<Activity>\(laps)\(laps)</Activity>")
        #expect(one.activities.first?.laps.count == 10 && one.damage?.reason == .tooMuch)

        limits.activities = 3
        let many = try read(String(repeating: "<Activity>\(lap("08:00:00", ""))</Activity>", count: 5))
        #expect(many.activities.count == 3 && many.omissions == ["2 activities after the first 3"])
        let track = "<trk><trkseg>\(Self.point)</trkseg></trk>"
        let tracks = "<gpx>\(String(repeating: track, count: 5))</gpx>"
        let told = try GPXFile.read(Array(tracks.utf8), limits: limits)
        #expect(told.activities.count == 3 && told.omissions == ["2 tracks after the first 3"])
    }

    // MARK: Documents without an end

    /// Repeats some bytes for as long as it is asked.
    private final class Endless: ByteSource {
        private let bytes: [UInt8]
        private var head: [UInt8]
        private var given = 0
        let most: Int

        init(_ head: String, _ bytes: String, _ most: Int) {
            self.head = Array(head.utf8)
            self.bytes = Array(String(repeating: bytes, count: 1 + 8192 / bytes.utf8.count).utf8)
            self.most = most
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws(ActivityFileError) -> Int {
            guard given < most else { return 0 }
            let piece = head.isEmpty ? bytes : head
            head = []
            let count = min(piece.count, buffer.count)
            piece.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            given += count
            return count
        }
    }

    @Test(
        "What has no end is refused soon, or read without keeping it",
        arguments: [
            ("<gpx><!--", "- ", true), ("<gpx><?x ", "? ", true), ("<gpx><![CDATA[", "] ", true),
            ("<gpx><x a=\"", "> ", true), ("<gpx><x a='", "&#65;", true), ("<gpx><", "n", true), ("<gpx></", "n", true),
            ("<gpx>&", "n", true), ("<gpx>&#", "1", true), ("<gpx>", "t ", false), ("<gpx>", "&#65;", false),
            ("<gpx>", "<x/>", false), ("<gpx>", "<?x?><!---->", false), ("<gpx><x ", "xmlns='u' ", true),
        ] as [(String, String, Bool)])
    func endless(head: String, bytes: String, isRefused: Bool) {
        // libxml2 keeps 10 MB.
        let source = Endless(head, bytes, isRefused ? 16 << 20 : 3 << 20)
        var limits = Limits()
        limits.streamBytes = source.most - (1 << 20)
        var said: ActivityFileError?
        do throws(ActivityFileError) {
            _ = try GPXFile.read(ByteStream(source, atMost: limits.streamBytes), limits)
        } catch { said = error }
        #expect((said?.said == "more than \(limits.streamBytes) bytes") != isRefused, "\(said?.description ?? "")")
        #expect(said != nil)
    }
}
