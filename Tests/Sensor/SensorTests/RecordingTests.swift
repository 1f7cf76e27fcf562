import Foundation
import Telemetry
import Testing

import var TestSupport.projectFolder

@testable import vitals_sensor

/// The folder of the recordings that come with the project.
let activities = URL(fileURLWithPath: projectFolder).appendingPathComponent("deploy/activities")

@Suite("Activities")
struct RecordingTests {
    private func read(_ text: String, isRepeated: Bool = false) throws -> RecordedActivity {
        try RecordedActivity(csv: Array(text.utf8), name: "a.csv", isRepeated: isRepeated)
    }

    /// What is wrong with a recording; nil if nothing is.
    private func problem(_ body: () throws -> RecordedActivity) -> String? {
        do {
            _ = try body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func all(_ activity: RecordedActivity) -> [Record] {
        var activity = activity
        var records: [Record] = []
        while let record = activity.next() { records.append(record) }
        return records
    }

    @Test(
        "the project's recordings are read whole",
        arguments: [("run-9km.csv", 2809, 2808, 7654), ("ride-41km.csv", 4700, 4671, nil)]
            as [(String, Int, Int, UInt32?)])
    func recordings(file: String, rows: Int, heartRates: Int, steps: UInt32?) throws {
        let records = all(try RecordedActivity(file: activities.appendingPathComponent(file).path, isRepeated: false))
        #expect(records.count == rows)
        #expect(records.filter { $0.beatsPerMinute != nil }.count == heartRates)
        #expect(records.last?.steps == steps)
    }

    @Test("columns are found by name, in any order; others are left alone, and empty fields are no values")
    func columns() throws {
        let records = all(
            try read("\u{FEFF}colour,heart_rate_bpm,elapsed_s,temperature_c\r\nred,70,0,36.97\r\nblue,,1.5,\r\n\r\n"))
        #expect(
            records == [
                Record(elapsed: 0, beatsPerMinute: 70, temperature: .number(mantissa: 3697, exponent: -2)),
                Record(elapsed: 1.5),
            ])
    }

    @Test("rows of one time are spread until the next row, over a second at most")
    func sameTime() throws {
        let text = "elapsed_s,heart_rate_bpm\n0,70\n0,71\n1,72\n1,73\n1,74\n1,75\n1.5,76\n9,77\n9,78\n20,79\n20,80\n"
        let recording = try read(text)
        #expect(recording.moved == 6)
        let records = all(recording)
        #expect(records.map(\.elapsed) == [0, 0.5, 1, 1.125, 1.25, 1.375, 1.5, 9, 9.5, 20, 20.5])
        #expect(records.map(\.beatsPerMinute) == (70...80).map { UInt16($0) })
        var repeated = try read("elapsed_s,heart_rate_bpm\n0,70\n0,71\n", isRepeated: true)
        #expect((0..<4).map { _ in repeated.next()?.elapsed } == [0, 0.5, 1.5, 2])
    }

    @Test("a recording that begins again continues in time, steps and distance")
    func repeats() throws {
        var activity = try read(
            "elapsed_s,heart_rate_bpm,steps,distance_m\n0,70,0,0\n2,80,5,9.5\n", isRepeated: true)
        var records: [Record] = []
        for _ in 0..<5 { if let record = activity.next() { records.append(record) } }
        #expect(records.map(\.elapsed) == [0, 2, 3, 5, 6])
        #expect(records.map(\.steps) == [0, 5, 5, 10, 10])
        #expect(records.map(\.distance) == [0, 9.5, 9.5, 19, 19])
    }

    @Test(
        "a bad recording is refused with its place",
        arguments: [
            ("", "a.csv: line 1, column elapsed_s: the header names no such column"),
            ("elapsed_s\n0", "a.csv: line 1, column heart_rate_bpm: the header names no such column"),
            ("elapsed_s,heart_rate_bpm\n", "a.csv: it has no rows"),
            ("elapsed_s,heart_rate_bpm\n0,70,1", "a.csv: line 2: 3 fields, but the header names 2 columns"),
            ("elapsed_s,heart_rate_bpm\n,70", "a.csv: line 2, column elapsed_s: is empty"),
            (
                "elapsed_s,heart_rate_bpm\n-1,70",
                "a.csv: line 2, column elapsed_s: \"-1\" is not a number from 0.0 to 1000000000.0"
            ),
            (
                "elapsed_s,heart_rate_bpm\nnan,70",
                "a.csv: line 2, column elapsed_s: \"nan\" is not a number from 0.0 to 1000000000.0"
            ),
            (
                "elapsed_s,heart_rate_bpm\n1,70\n\n0,71",
                "a.csv: line 4, column elapsed_s: 0.0 is earlier than the row before"
            ),
            (
                "elapsed_s,heart_rate_bpm\n0,fast",
                "a.csv: line 2, column heart_rate_bpm: \"fast\" is not a whole number from 0 to 65535"
            ),
            (
                "elapsed_s,heart_rate_bpm\n0,70000",
                "a.csv: line 2, column heart_rate_bpm: \"70000\" is not a whole number from 0 to 65535"
            ),
            (
                "elapsed_s,heart_rate_bpm,steps\n0,70,-1",
                "a.csv: line 2, column steps: \"-1\" is not a whole number from 0 to 4294967295"
            ),
            (
                "elapsed_s,heart_rate_bpm,temperature_c\n0,70,warm",
                "a.csv: line 2, column temperature_c: \"warm\" is not a temperature"
            ),
        ])
    func badRecordings(text: String, message: String) throws {
        #expect(problem { try read(text) } == message)
    }

    @Test("a file that is not there is named")
    func missing() throws {
        let problem = problem { try RecordedActivity(file: "/nonexistent/run.csv", isRepeated: false) }
        #expect(problem == "/nonexistent/run.csv: there is no such file, or it cannot be read")
    }

    @Test(
        "decimal numbers keep their decimals",
        arguments: [
            ("36.97", 3697, -2), ("21", 21, 0), ("-0.5", -5, -1), ("36.90", 3690, -2), ("0", 0, 0),
        ] as [(String, Int32, Int8)])
    func decimals(text: String, mantissa: Int32, exponent: Int8) {
        #expect(MedicalFloat(decimal: text) == .number(mantissa: mantissa, exponent: exponent))
    }

    @Test(
        "what is not a decimal number is refused",
        arguments: ["", ".", "36.", ".5", "1e3", "36.97.1", "1234567", "3-6", "36.-5"])
    func notDecimal(text: String) { #expect(MedicalFloat(decimal: text) == nil) }

    @Test("a made-up person is plausible, and the same for the same seed")
    func synthesised() throws {
        var first = SynthesisedActivity(seed: 7)
        var second = SynthesisedActivity(seed: 7)
        var other = SynthesisedActivity(seed: 8)
        var records: [Record] = []
        var isDifferent = false
        for _ in 0..<900 {
            guard let record = first.next() else { break }
            let (same, different) = (second.next(), other.next())
            #expect(same == record)
            isDifferent = isDifferent || different != record
            records.append(record)
        }
        #expect(isDifferent)
        let rates = records.compactMap(\.beatsPerMinute)
        #expect(rates.count == 900 && rates.allSatisfy { (50...180).contains($0) })
        #expect(rates.max().map { $0 > 140 } == true)
        #expect(records.compactMap(\.steps) == records.compactMap(\.steps).sorted())
        let temperatures = try records.compactMap(\.temperature).map { try $0.thousandths() }
        #expect(temperatures.count == 900 && temperatures.allSatisfy { (36_500...37_500).contains($0) })
        // The beats fill the time.
        let beats = records.flatMap(\.rrIntervals).reduce(0.0) { $0 + Double($1) / 1024 }
        #expect((895...900).contains(beats))
    }
}

@Suite("A replay, as a client sees it")
struct ReplayTests {
    @Test("sends every heart rate of the recording once and in order, then ends the link and is gone")
    func wholeRecording() throws {
        let file = activities.appendingPathComponent("run-9km.csv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let recorded = lines.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        let bench = try Bench(rows: lines.dropFirst().map(String.init), speed: 2000, header: String(lines[0]))
        try bench.connect()
        bench.client.clear()
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        let values = bench.client.wait("the end of the link", within: .seconds(60)) {
            $0.contains("dev ServicesResolved=false Connected=false")
        }
        .filter { $0.hasPrefix("dev/service000e/char000f Value=") }.map {
            $0.dropFirst("dev/service000e/char000f Value=".count)
        }
        let rates = values.map { UInt8($0.dropFirst(2).prefix(2), radix: 16).map { "\($0)" } ?? "?" }
        #expect(rates.count == 2808)
        #expect(rates == recorded.map { String($0[2]) }.filter { !$0.isEmpty })
        #expect(bench.printed.all.contains("replayed 2808 heart rates"))
        #expect(bench.client.device("Connect").outcome == "Failed: le-connection-abort-by-local")
    }

    @Test("reads steps and temperature of the last record that was sent, and counts on from what was commanded")
    func stepsAndTemperature() throws {
        let bench = try Bench(rows: ["0,70,10,21", "0.01,80,12,21.5", "0.02,,15,22", "3600,90,99,23"])
        try bench.connect()
        #expect(bench.client.read(Path.steps) == .success([.bytes([0, 0, 0, 0])]))
        #expect(bench.client.characteristic(Path.temperatureIndication, "StartNotify").outcome == "ok")
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        bench.client.wait(for: "dev/service0025/char0026 Value=0016000000")
        #expect(bench.client.read(Path.steps) == .success([.bytes([15, 0, 0, 0])]))
        #expect(bench.client.read(Path.temperature) == .success([.bytes([22, 0, 0, 0])]))
        #expect(bench.peripheral { $0.heartRateCount } == 2)
        bench.command("steps 4294967295")
        #expect(bench.client.read(Path.steps) == .success([.bytes([255, 255, 255, 255])]))
        bench.command("temperature nan")
        #expect(bench.client.read(Path.temperature) == .success([.bytes([0xFF, 0xFF, 0x7F, 0])]))
        bench.command("temperature 36.97")
        #expect(bench.client.read(Path.temperature) == .success([.bytes([0x71, 0x0E, 0, 0xFE])]))
        bench.command("temperature recorded")
        #expect(bench.client.read(Path.temperature) == .success([.bytes([22, 0, 0, 0])]))
    }

    @Test("begins with the first client that listens, and continues in time while none does")
    func beginsWithFirstListener() throws {
        let bench = try Bench(rows: ["0,70,1,", "300,80,2,", "600,90,3,", "1e8,90,3,"], speed: 10_000)
        try bench.connect()
        #expect(bench.peripheral { $0.heartRateCount } == 0)
        #expect(bench.client.characteristic(Path.heartRate, "StartNotify").outcome == "ok")
        #expect(bench.client.characteristic(Path.heartRate, "StopNotify").outcome == "ok")
        // A client that listens again hears what is measured by then.
        bench.client.clear()
        #expect(bench.client.characteristic(Path.battery, "StartNotify").outcome == "ok")
        bench.client.wait(for: "dev/service0016/char0017 Value=5e")
        #expect(bench.client.read(Path.steps) == .success([.bytes([3, 0, 0, 0])]))
    }
}
