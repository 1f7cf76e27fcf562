import ActivityFiles
import Foundation
import TestSupport
import Testing

@Suite("Activities in files", .timeLimit(.minutes(60)))
struct RoundTripTests {
    @Test(
        "A recording is the same when it comes back from a file", arguments: Format.allCases, ["run-9km", "ride-41km"])
    func recording(format: Format, name: String) throws {
        let activity = try recorded(name)
        let bytes = try format.write(activity)
        let recordings = try format.read(bytes)
        #expect(recordings.damage == nil)
        #expect(recordings.omissions.isEmpty)
        let again = try #require(recordings.activities.first)
        let expected = format.holds(of: activity)
        #expect(difference(expected, again) == nil)
        let places = again.samples.filter { $0.place != nil }.count
        #expect(places == expected.samples.filter { $0.place != nil }.count)
    }

    @Test(
        "A recording that was made up is the same when it comes back, and then to the last bit",
        arguments: Format.allCases)
    func madeUpActivities(format: Format) throws {
        var recordings = MadeUp(seed: 20, everywhere: format == .gpx)
        for _ in 0..<300 {
            let activity = recordings.next()
            let first = try format.read(try format.write(activity))
            #expect(first.activities.count == 1 && first.damage == nil && first.omissions.isEmpty)
            let again = try #require(first.activities.first)
            #expect(difference(format.holds(of: activity), again) == nil)
            let second = try format.read(try format.write(again))
            #expect(second == first)
        }
    }

    @Test("A damaged file gives a clear error, or what could be read with what is wrong", arguments: Format.allCases)
    func damaged(format: Format) throws {
        var activity = try recorded("run-9km")
        activity.samples = Array(activity.samples.prefix(300))
        let whole = try format.write(activity)
        let sound = try format.read(whole)
        var generator = SeededGenerator(seed: 5)
        var (errors, parts, unchanged) = (0, 0, 0)
        for round in 0..<500 {
            let bytes = broken(whole, round, &generator)
            do {
                let recordings = try format.read(bytes)
                if recordings.damage != nil {
                    parts += 1
                } else {
                    // Text may change within what is still a document: there is no checksum.
                    unchanged += 1
                    if format == .fit { #expect(recordings == sound, "damage went unnoticed") }
                }
            } catch {
                errors += 1
                let said = try #require(error as? ActivityFileError).description
                #expect(said.count < 400 && !said.contains("\n"), "\(said)")
                #expect(said.hasPrefix(format.rawValue.uppercased()), "\(said)")
            }
        }
        #expect(errors + parts + unchanged == 500)
        #expect(parts > 100, "\(errors) errors, \(parts) parts, \(unchanged) unchanged")
        if format != .fit { #expect(unchanged < 200) }
    }

    @Test("A damaged export of Apple Health gives what came before, and what is wrong")
    func damagedHealth() {
        let record = """
            <Record type="HKQuantityTypeIdentifierHeartRate" startDate="2024-05-01 10:00:00 +0200" value="61"/>
            <Workout workoutActivityType="HKWorkoutActivityTypeHiking" startDate="2024-05-01 10:00:00 +0200" duration="9"/>

            """
        let whole = Array("<HealthData>\(String(repeating: record, count: 100))</HealthData>".utf8)
        var generator = SeededGenerator(seed: 6)
        var wrong = 0
        for round in 0..<500 {
            var isWrong = false
            let summary = Takeout.read(bytes: broken(whole, round, &generator), name: "export.xml") { item in
                guard case .failure(let error) = item.result else { return true }
                isWrong = true
                #expect(error.description.hasPrefix("Apple Health, line "), "\(error)")
                return true
            }
            if isWrong || summary.otherFiles == 1 { wrong += 1 }
        }
        #expect(wrong > 300, "\(wrong)")
    }

    @Test("A part of a file is read up to where it ends", arguments: Format.allCases)
    func truncated(format: Format) throws {
        let activity = try recorded("ride-41km")
        let bytes = try format.write(activity)
        let recordings = try format.read(Array(bytes[..<(bytes.count / 2)]))
        let again = try #require(recordings.activities.first)
        #expect(again.samples.count > 2000 && again.samples.count < 2700)
        #expect(recordings.damage?.reason == .truncated)
        #expect(recordings.damage?.position != nil)
    }

    @Test("A file with more than is allowed is read up to there", arguments: Format.allCases)
    func limited(format: Format) throws {
        var limits = Limits()
        limits.samples = 100
        let bytes = try format.write(try recorded("run-9km"))
        let recordings = try format.read(bytes, limits)
        #expect(recordings.activities.first?.samples.count == 100)
        #expect(recordings.damage?.reason == .tooMuch)
    }
}

/// Bytes that were cut, changed, removed, inserted or doubled.
private func broken(_ whole: [UInt8], _ round: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = whole
    let begin = Int.random(in: bytes.indices, using: &generator)
    let part = begin..<min(bytes.count, begin + Int.random(in: 1...2000, using: &generator))
    func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
    switch round % 5 {
    case 0: bytes.removeLast(begin + 1)
    case 1:
        for byte in noise(Int.random(in: 1...8, using: &generator)) {
            bytes[Int.random(in: bytes.indices, using: &generator)] = byte
        }
    case 2: bytes.removeSubrange(part)
    case 3: bytes.insert(contentsOf: noise(Int.random(in: 1...100, using: &generator)), at: begin)
    default: bytes.insert(contentsOf: whole[part], at: part.upperBound)
    }
    return bytes
}
