// A recording is a CSV file with a header line, one row a record. The columns are found by their names, in any order;
// others are ignored, and an empty field means that nothing was measured:
//
//     elapsed_s         seconds since the start, never falling from row to row; always there
//     heart_rate_bpm    the column is always there, its fields may be empty
//     cadence_rpm, steps, temperature_c, speed_mps, distance_m
//     latitude_deg, longitude_deg, altitude_m      where it was, for an emulated phone
//
// Some watches write two rows for one second. Rows of one time are spread evenly until the time of the next row, over a
// second at most: a sensor does not send two things at once.

import Daemon
import Fitness
import FoundationEssentials
import Telemetry

/// Why a recording cannot be replayed.
struct RecordingError: ExitCodedError, Equatable {
    let file: String
    /// The line in the file, from 1; nil if the file as a whole is wrong.
    let line: Int?
    /// The column's name in the header.
    let column: String?
    let problem: String

    var exitCode = ExitCode.data

    var description: String {
        let place = [line.map { "line \($0)" }, column.map { "column \($0)" }].compactMap { $0 }
        return (["\(file)"] + (place.isEmpty ? [] : [place.joined(separator: ", ")]) + [problem])
            .joined(separator: ": ")
    }
}

/// A recorded activity, once or repeatedly. When it begins again, times, steps and distance continue to rise, as a
/// sensor's own counters would.
struct RecordedActivity: Activity {
    let records: [Record]
    /// How many of the records have a time that differs from the file's, because they share it with the row before.
    let moved: Int
    let isRepeated: Bool
    private var index = 0
    private var elapsed = 0.0
    private var steps: UInt32 = 0
    private var distance = 0.0

    let temperatureSite: TemperatureSite? = nil

    /// Reads a recording.
    /// - Parameters:
    ///   - file: its path.
    ///   - isRepeated: whether it begins again when it is over.
    init(file: String, isRepeated: Bool) throws(RecordingError) {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw RecordingError(
                file: file, line: nil, column: nil, problem: "there is no such file, or it cannot be read",
                exitCode: .noInput)
        }
        try self.init(csv: Array(bytes), name: file, isRepeated: isRepeated)
    }

    init(csv: [UInt8], name: String, isRepeated: Bool) throws(RecordingError) {
        var table = Table(file: name, csv: csv)
        var records: [Record] = []
        try table.readHeader()
        while let record = try table.nextRecord(after: records.last?.elapsed) { records.append(record) }
        guard !records.isEmpty else {
            throw RecordingError(file: name, line: nil, column: nil, problem: "it has no rows")
        }
        (self.records, moved) = Self.spread(records)
        self.isRepeated = isRepeated
    }

    /// Gives each of the records that share a time a time of its own.
    /// - Returns: the records, and how many have a different time now.
    private static func spread(_ records: [Record]) -> (records: [Record], moved: Int) {
        var records = records
        var moved = 0
        var start = 0
        while start < records.count {
            let time = records[start].elapsed
            let end = records[start...].firstIndex { $0.elapsed != time } ?? records.count
            let room = end < records.count ? min(1, records[end].elapsed - time) : 1
            for index in (start + 1)..<max(end, start + 1) {
                records[index].elapsed = time + room * Double(index - start) / Double(end - start)
                moved += 1
            }
            start = end
        }
        return (records, moved)
    }

    mutating func next() -> Record? {
        if index == records.count {
            guard isRepeated, let last = records.last else { return nil }
            elapsed += last.elapsed + 1
            steps &+= records.last { $0.steps != nil }?.steps ?? 0
            distance += records.last { $0.distance != nil }?.distance ?? 0
            index = 0
        }
        var record = records[index]
        index += 1
        record.elapsed += elapsed
        record.steps = record.steps.map { $0 &+ steps }
        record.distance = record.distance.map { $0 + distance }
        return record
    }
}

/// The file, line by line.
private struct Table {
    let file: String
    private let lines: [ArraySlice<UInt8>]
    private var next = 0
    private var columns: [String] = []

    init(file: String, csv: [UInt8]) {
        self.file = file
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = csv.starts(with: byteOrderMark) ? csv.dropFirst(3) : csv[...]
        lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    }

    mutating func readHeader() throws(RecordingError) {
        columns = fields(lines.first ?? [])
        next = 1
        for required in ["elapsed_s", "heart_rate_bpm"] where !columns.contains(required) {
            throw error("the header names no such column", in: required)
        }
    }

    mutating func nextRecord(after last: Double?) throws(RecordingError) -> Record? {
        while next < lines.count, lines[next].isEmpty { next += 1 }
        guard next < lines.count else { return nil }
        let values = fields(lines[next])
        next += 1
        guard values.count == columns.count else {
            throw error("\(values.count) fields, but the header names \(columns.count) columns")
        }
        // Of two columns with the same name the first counts.
        let row = Dictionary(zip(columns, values)) { first, _ in first }
        guard let elapsed = try number("elapsed_s", row, in: 0...1e9) else {
            throw error("is empty", in: "elapsed_s")
        }
        if let last, elapsed < last { throw error("\(elapsed) is earlier than the row before", in: "elapsed_s") }
        return Record(
            elapsed: elapsed,
            beatsPerMinute: try integer("heart_rate_bpm", row, upTo: 65_535).map { UInt16($0) },
            steps: try integer("steps", row, upTo: Int(UInt32.max)).map { UInt32($0) },
            temperature: try temperature("temperature_c", row),
            cadencePerMinute: try number("cadence_rpm", row, in: 0...1e4),
            metresPerSecond: try number("speed_mps", row, in: 0...255),
            distance: try number("distance_m", row, in: 0...1e8), place: try place(row),
            altitude: try number("altitude_m", row, in: -12_000...100_000))
    }

    private func place(_ row: [String: String]) throws(RecordingError) -> Place? {
        guard let latitude = try number("latitude_deg", row, in: -90...90),
            let longitude = try number("longitude_deg", row, in: -180...180)
        else { return nil }
        return Place(latitude: latitude, longitude: longitude)
    }

    private func fields(_ line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { field in
            String(decoding: field, as: UTF8.self).trimmed
        }
    }

    private func integer(_ column: String, _ row: [String: String], upTo limit: Int) throws(RecordingError) -> Int? {
        guard let text = row[column], !text.isEmpty else { return nil }
        guard let value = Int(text), (0...limit).contains(value) else {
            throw error("\"\(text)\" is not a whole number from 0 to \(limit)", in: column)
        }
        return value
    }

    private func number(
        _ column: String, _ row: [String: String], in range: ClosedRange<Double>
    ) throws(RecordingError) -> Double? {
        guard let text = row[column], !text.isEmpty else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw error("\"\(text)\" is not a number from \(range.lowerBound) to \(range.upperBound)", in: column)
        }
        return value
    }

    private func temperature(_ column: String, _ row: [String: String]) throws(RecordingError) -> MedicalFloat? {
        guard let text = row[column], !text.isEmpty else { return nil }
        guard let value = MedicalFloat(decimal: text) else {
            throw error("\"\(text)\" is not a temperature", in: column)
        }
        return value
    }

    /// An error in the row that was read last.
    private func error(_ problem: String, in column: String? = nil) -> RecordingError {
        RecordingError(file: file, line: next, column: column, problem: problem)
    }
}

extension MedicalFloat {
    /// A decimal number as it is written, with as many decimals: `36.97` is 3697 * 10^-2, `nan` is NaN. Nil for
    /// anything else, and for more than six digits, which not every number of a FLOAT has.
    init?(decimal text: String) {
        if text.lowercased() == "nan" {
            self = .notANumber
            return
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : ""
        let digits = parts[0] + decimals
        guard !parts[0].isEmpty, parts.count == 1 || !decimals.isEmpty, decimals.allSatisfy(\.isASCIIDigit),
            digits.drop(while: { $0 == "-" }).count <= 6, let mantissa = Int32(digits)
        else { return nil }
        self = .number(mantissa: mantissa, exponent: Int8(-decimals.count))
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
