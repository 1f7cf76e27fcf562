import Foundation
import TestSupport
import Testing

@testable import ActivityFiles

/// Names of recordings, devices and files, in every script.
@Suite("Names", .timeLimit(.minutes(60)))
struct NameTests {
    private static let start: Int64 = 1_714_550_400_000

    private func kept(_ text: String, _ limit: Int = 200) -> String? { ActivityFiles.kept(text.utf8, limit) }

    @Test("The joiners of emoji and of Persian words stay, and no other character without a shape does")
    func joiners() {
        for text in ["👨‍👩‍👧 Sunday run", "دوی خانه‌ها", "क्‍ष"] { #expect(kept(text) == text) }
        #expect(kept("\u{200D}a \u{200C}b\u{200D}") == "a b")
        for text in ["\u{200D}", " \u{200C}\u{200D} ", "\u{202E}", "\u{FEFF}"] { #expect(kept(text) == nil) }
        #expect(kept("a\u{202E}b\u{2066}c\u{200B}d") == "a b c d")
    }

    @Test("A text is cut between characters, wherever that is", arguments: 1...40)
    func cut(limit: Int) throws {
        for text in ["é", "晨跑", "👨‍👩‍👧‍👦", "a😀"] {
            let long = String(repeating: text, count: 200)
            let short = try #require(kept(long, limit))
            #expect(long.unicodeScalars.starts(with: short.unicodeScalars) && short.count <= limit)
        }
    }

    @Test("A name that is too long for FIT is cut between characters")
    func fit() throws {
        for (name, expected) in [
            ("a" + String(repeating: "é", count: 150), "a" + String(repeating: "é", count: 126)),
            (String(repeating: "😀", count: 80), String(repeating: "😀", count: 63)),
        ] {
            let recording = Recording(sport: .other(name), name: name, start: Self.start, end: Self.start)
            let again = try FITFile.read(try FITFile.write(recording)).activities.first
            #expect(again?.name == expected && again?.sport == .other(expected))
        }
    }

    @Test(
        "A maker has FIT's word, also where TCX has the name of a device only",
        arguments: [
            ("Polar Vantage V2", "polar_electro", "Vantage V2"), ("Wahoo ELEMNT", "wahoo_fitness", "ELEMNT"),
            ("Garmin Edge 810", "garmin", "Edge 810"),
        ])
    func makers(name: String, maker: String, product: String) throws {
        let document = """
            <TrainingCenterDatabase><Activities><Activity><Lap StartTime="2024-05-01T08:00:00Z"/>
            <Creator><Name>\(name)</Name></Creator></Activity></Activities></TrainingCenterDatabase>
            """
        let recording = try #require(try TCXFile.read(Array(document.utf8)).activities.first)
        #expect(recording.device == Device(manufacturer: maker, product: product))
        let written = String(decoding: try TCXFile.write(recording), as: UTF8.self)
        #expect(written.contains("<Name>\(name)</Name>"))
        #expect(try FITFile.read(try FITFile.write(recording)).activities.first?.device == recording.device)
    }

    // MARK: Names of files

    private func names(_ read: ((Takeout.Item) -> Bool) throws -> Takeout.Summary) rethrows -> [String] {
        var names: [String] = []
        _ = try read { item in
            if case .success = item.result { names.append(item.name) }
            return true
        }
        return names
    }

    private func route() throws -> [UInt8] {
        var recording = try recorded("run-9km")
        recording.samples = Array(recording.samples.prefix(50))
        return try GPXFile.write(recording)
    }

    private let export = """
        <HealthData><Workout workoutActivityType="HKWorkoutActivityTypeRunning" startDate="2024-05-01 10:00:00 +0200">\
        <FileReference path="/workout-routes/ä.gpx"/></Workout></HealthData>
        """

    @Test("Names in an archive that are not UTF-8 are read as its code page has them, and found")
    func codePage() throws {
        let folder = try TemporaryFolder()
        try Data(try route()).write(to: URL(fileURLWithPath: folder.path("g")))
        try folder.write(export, to: "export.xml")
        let script = """
            import sys, zipfile
            F = sys.argv[1]
            with zipfile.ZipFile(F + '/z', 'w') as z:
                z.write(F + '/g', 'workout-routes/@.gpx')
                z.write(F + '/g', '@.gpx')
                z.write(F + '/export.xml', 'export.xml')
            b = open(F + '/z', 'rb').read().replace(b'@.gpx', b'\\x84.gpx')
            open(F + '/z', 'wb').write(b)
            """
        _ = try RunningProgram.runPython(["-c", script, folder.path])
        let read = try names { try Takeout.read(folder.path("z"), each: $0) }
        #expect(read == ["ä.gpx", "export.xml"])
        var samples = 0
        _ = try Takeout.read(folder.path("z")) { item in
            samples += (try? item.result.get().activities.first?.samples.count) ?? 0
            return true
        }
        #expect(samples == 100)
    }

    @Test("Files of a folder whose names are not UTF-8, or differ in their bytes only, are all read")
    func bytes() throws {
        let folder = try TemporaryFolder()
        let content = Data(try route())
        try FileManager.default.createDirectory(
            atPath: folder.path("in/workout-routes"), withIntermediateDirectories: true)
        let names: [[UInt8]] = [
            [0xE4, 0x2E], [0xE5, 0x2E], Array("\u{E9}.".utf8), Array("e\u{301}.".utf8), Array("z".utf8),
        ]
        let script = """
            import os, sys
            for name in sys.argv[2:]:
                for folder in b'/in/', b'/in/workout-routes/':
                    os.link(sys.argv[1] + '/g', os.fsencode(sys.argv[1]) + folder + bytes.fromhex(name))
            """
        try content.write(to: URL(fileURLWithPath: folder.path("g")))
        let spelled = names.map { name in name.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
        _ = try RunningProgram.runPython(["-c", script, folder.path] + spelled)
        // Of the routes, one belongs to a workout.
        try folder.write(export.replacingOccurrences(of: "ä.gpx", with: "\u{E9}."), to: "in/export.xml")
        let read = try self.names { try Takeout.read(folder.path("in"), each: $0) }
        #expect(read.count == 2 * names.count)
        let expected = ["export.xml", "e\u{301}.", "z", "é.", "\u{FFFD}.", "\u{FFFD}."]
        #expect(read.filter { !$0.contains("/") } == expected)
    }
}
