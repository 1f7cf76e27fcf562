import Desk
import Fitness
import Telemetry

/// Heart rates and steps of all day by one source, as `imports/records` has them:
///
///     {"source":"Apple Watch","heart_rates":{"times":[1700000000000,5000],"bpm":[61,62]},
///      "steps":{"times":[1700000060000],"lengths":[60000],"steps":[80]}}
///
/// Times are in Unix milliseconds, each but the first since the one before; those of steps are the ends of spans, whose
/// lengths are in milliseconds.
struct RecordsRequest {
    let records: ImportedRecords

    /// How many heart rates, and how many spans.
    static let most = 8192
    /// Of a source's name, in bytes.
    static let longestSource = 400

    /// - Parameter now: Unix milliseconds.
    init(_ request: PeopleRequest, now: Int64) throws(ReplyError) {
        let source = try request.text("source", atMost: Self.longestSource)
        var readings: [Reading] = []
        let times = ImportedWorkout.earliest...now + ImportedWorkout.tolerance
        if let columns = try Self.columns(request, "heart_rates", ["times", "bpm"], times) {
            for (time, bpm) in zip(columns[0], columns[1]) {
                guard let reading = ImportedRecords.heartRate(time, bpm) else {
                    throw ReplyError(.invalid, "a heart rate is from 1 to 300", field: "heart_rates")
                }
                readings.append(reading)
            }
        }
        if let columns = try Self.columns(request, "steps", ["times", "lengths", "steps"], times) {
            for (index, time) in columns[0].enumerated() {
                let (length, steps) = (columns[1][index], columns[2][index])
                guard (1...StepCounter.longestGap).contains(length),
                    let reading = ImportedRecords.steps(from: time - length, to: time, steps)
                else {
                    let words = "a span of steps lasts from 1 ms to 36 hours, and nobody makes more than 5 a second"
                    throw ReplyError(.invalid, words, field: "steps")
                }
                readings.append(reading)
            }
        }
        guard !readings.isEmpty else {
            throw ReplyError(.badRequest, "\"heart_rates\" or \"steps\" is missing", field: "heart_rates")
        }
        readings.sort { $0.moment.wall < $1.moment.wall }
        records = ImportedRecords(source: ImportSources.shortened(source), readings: readings)
    }

    private static let numbersAllowed = -Moment.limit...Moment.limit

    /// Lists of whole numbers that are equally long; the first one's are times. Nil if the field is absent.
    private static func columns(
        _ request: PeopleRequest, _ field: String, _ names: [String], _ times: ClosedRange<Int64>
    ) throws(ReplyError) -> [[Int64]]? {
        guard let json = request.fields[field], json != .null else { return nil }
        let wrong = ReplyError(
            .badRequest,
            "\"\(field)\" has to have lists of at most \(most) whole numbers that are equally long: \(names.joined(separator: ", "))",
            field: field)
        var columns: [[Int64]] = []
        for name in names {
            guard case .array(let values)? = json[name], values.count <= most else { throw wrong }
            var numbers: [Int64] = []
            numbers.reserveCapacity(values.count)
            for value in values {
                guard case .integer(let number) = value, numbersAllowed.contains(number) else { throw wrong }
                numbers.append(number)
            }
            columns.append(numbers)
        }
        guard Set(columns.map(\.count)).count == 1 else { throw wrong }
        var time: Int64 = 0
        for index in columns[0].indices {
            time += columns[0][index]
            guard times.contains(time) else {
                throw ReplyError(.invalid, "a time is from the year 2000 until now, in Unix milliseconds", field: field)
            }
            columns[0][index] = time
        }
        return columns
    }
}
