import ActivityFiles
import Daemon
import Fitness
import FoundationEssentials
import Glibc
import Telemetry

// Files are read here, as a stream, however large they are: what is hostile in them does not reach the consumer, and a
// takeout of gigabytes does not travel. Each activity goes to the consumer as a FIT file of its own, and heart rates and
// steps of all day as columns of numbers.

/// `vitals workout import`: what other devices and services have recorded.
struct WorkoutImport {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func run() throws -> ExitCode {
        let paths = try arguments.strings("FILE")
        guard !paths.isEmpty else {
            throw arguments.refusal(of: "FILE", "expected files, folders or archives, such as run.fit or export.zip")
        }
        let keepsBoth = try arguments.flag("keep-both")
        let results = try Office.visit(call) { office in
            let sending = Sending(office, isJSON: call.isJSON, keepsBoth: keepsBoth)
            for path in paths { try sending.send(path) }
            return sending
        }
        return try report(results)
    }

    private func report(_ results: Sending) throws -> ExitCode {
        if call.isJSON {
            try Output.write(results.summary.line)
        } else {
            let counts = results.counts
            let workouts = counted(counts["imported"] ?? 0, "workout")
            try Output.write(
                "\(workouts) imported, \(counts["duplicate"] ?? 0) there already, \(counts["refused"] ?? 0) refused; "
                    + "\(grouped(results.records)) heart rates and spans of steps of all day\n")
        }
        guard results.read > 0 else {
            throw Failure(
                .data, "there was nothing to import",
                hint: "it reads FIT, GPX, TCX, Apple Health, and archives of these")
        }
        return .ok
    }
}

/// What is sent to the consumer. Belongs to one thread.
private final class Sending {
    /// How many workouts had which outcome.
    private(set) var counts: [String: Int] = [:]
    /// How many heart rates and spans of steps were sent.
    private(set) var records = 0
    /// How many files and parts of files could be read.
    private(set) var read = 0
    private let office: Office
    private let isJSON: Bool
    private let keepsBoth: Bool
    private var timeline = StepTimeline { LocalTime.midnight(before: $0) }
    private var failure: (any Error)?

    /// Bytes of a part of a file, and columns of a request.
    private static let (longestPart, mostRates, mostSpans) = (45_000, 4000, 1500)

    init(_ office: Office, isJSON: Bool, keepsBoth: Bool) {
        (self.office, self.isJSON, self.keepsBoth) = (office, isJSON, keepsBoth)
    }

    var summary: JSON {
        .object([
            JSON.Member("imported", .integer(Int64(counts["imported"] ?? 0))),
            JSON.Member("duplicates", .integer(Int64(counts["duplicate"] ?? 0))),
            JSON.Member("refused", .integer(Int64(counts["refused"] ?? 0))),
            JSON.Member("records", .integer(Int64(records))),
        ])
    }

    /// Reads a file, a folder or an archive, and sends what is in it.
    func send(_ path: String) throws {
        do {
            let summary = try Takeout.read(path) { item in
                do { try take(item) } catch { failure = error }
                return failure == nil
            }
            if let failure { throw failure }
            if summary.otherFiles > 0 {
                note(
                    "\(path): \(counted(summary.otherFiles, "file")) of other formats \(summary.otherFiles == 1 ? "was" : "were") left out"
                )
            }
        } catch let error as ActivityFileError {
            throw Failure(.data, "\(path): \(error)")
        }
        if isShown { Output.ask("\n", isRaw: true) }
    }

    private func take(_ item: Takeout.Item) throws {
        switch item.result {
        case .failure(let error): note("\(item.name): \(error)")
        case .success(let recordings):
            read += 1
            for omission in recordings.omissions { note("\(item.name): \(omission)") }
            if let damage = recordings.damage { note("\(item.name): \(damage): only what comes before was read") }
            for activity in recordings.activities { try send(activity, item) }
            try send(recordings, item)
        }
        if isShown {
            let workouts = counts.values.reduce(0, +)
            Output.ask("\r\(counted(workouts, "workout")), \(grouped(records)) records   ", isRaw: true)
        }
    }

    private var isShown: Bool { Secret.isTerminal && !isJSON }

    private func note(_ text: String) { Output.note((isShown ? "\r" : "") + escaped(text)) }

    // MARK: Workouts

    private func send(_ activity: Recording, _ item: Takeout.Item) throws {
        var activity = activity
        if activity.device == nil { activity.device = Device(manufacturer: item.format) }
        let bytes: [UInt8]
        do { bytes = try FITFile.write(activity) } catch {
            counts["refused", default: 0] += 1
            return note("\(item.name): \(error)")
        }
        do { try send(bytes, item) } catch let failure as Failure where failure.code == ReplyError.Code.invalid.rawValue
        {
            counts["refused", default: 0] += 1
            note("\(item.name): \(failure.message)")
        }
    }

    private func send(_ bytes: [UInt8], _ item: Takeout.Item) throws {
        var told = JSON.null
        for attempt in 1... {
            do {
                told = try whole(bytes)
                break
            } catch let failure as Failure where Self.isDropped(failure) && attempt < Self.attempts {
                note("\(item.name): \(failure.message); sending it again")
                // Several that take each other's room would otherwise do so again.
                usleep(UInt32(attempt) * 1_000_000 + .random(in: 0..<1_000_000))
            }
        }
        for workout in told.list("workouts") {
            counts[workout.text("outcome") ?? "refused", default: 0] += 1
            if let reason = workout.text("reason") { note("\(item.name): \(reason)") }
            if workout.text("outcome") == "duplicate", workout["same"] != true {
                let source = workout.text("source").map { ", from \($0)" } ?? ", recorded here"
                let what = "\(workout.text("activity") ?? "workout"), \(workout.time("started") ?? "-")\(source)"
                note("\(item.name): there already: \(what); --keep-both keeps both")
            }
        }
        for omission in told.list("omissions") {
            guard case .string(let text) = omission else { continue }
            note("\(item.name): \(text)")
        }
    }

    /// How often a file is sent if the consumer drops it halfway.
    private static let attempts = 3
    private static func isDropped(_ failure: Failure) -> Bool {
        failure.field == "offset" || failure.code == ReplyError.Code.timeout.rawValue
            || failure.code == ReplyError.Code.notFound.rawValue
    }

    /// Sends a file, and says what came of it.
    private func whole(_ bytes: [UInt8]) throws -> JSON {
        var (offset, told) = (0, JSON.null)
        while offset < bytes.count {
            let part = bytes[offset..<min(offset + Self.longestPart, bytes.count)]
            told = try office.askPatiently(
                "imports/file",
                [
                    ("name", "activity.fit"), ("size", .integer(Int64(bytes.count))),
                    ("offset", .integer(Int64(offset))), ("data", .string(Data(part).base64EncodedString())),
                    ("keep_both", keepsBoth ? true : nil),
                ])
            offset = part.endIndex
        }
        return try finished(told)
    }

    /// What came of it, when everything is stored.
    private func finished(_ told: JSON) throws -> JSON {
        var told = told
        while told["state"] != "done" { told = try office.askPatiently("imports/result", []) }
        return told
    }

    // MARK: Records

    private func send(_ recordings: Recordings, _ item: Takeout.Item) throws {
        let now = unixMilliseconds()
        let rates = Dictionary(grouping: recordings.heartRates.filter { (1...300).contains($0.beatsPerMinute) }) {
            $0.source ?? item.format
        }
        for (source, rates) in rates.sorted(by: { $0.key < $1.key }) {
            let inOrder = rates.filter { Self.times(now).contains($0.time) }.sorted { $0.time < $1.time }
            for part in inOrder.parts(of: Self.mostRates) {
                try send(
                    source, "heart_rates",
                    [("times", Self.differences(part.map(\.time))), ("bpm", part.map { Int64($0.beatsPerMinute) })])
            }
        }
        let spans = Dictionary(grouping: timeline.spans(of: recordings.steps)) { $0.source ?? item.format }
        for (source, spans) in spans.sorted(by: { $0.key < $1.key }) {
            let inOrder = spans.filter { Self.times(now).contains($0.to) && Self.canBe($0) }.sorted { $0.to < $1.to }
            for part in inOrder.parts(of: Self.mostSpans) {
                try send(
                    source, "steps",
                    [
                        ("times", Self.differences(part.map(\.to))), ("lengths", part.map { $0.to - $0.from }),
                        ("steps", part.map { Int64($0.steps) }),
                    ])
            }
        }
    }

    private func send(_ source: String, _ field: String, _ columns: [(String, [Int64])]) throws {
        let json = JSON.object(
            columns.map { name, numbers in JSON.Member(name, .array(numbers.map { .integer($0) })) })
        let told = try office.askPatiently(
            "imports/records", [("source", .string(String(source.prefix(100)))), (field, json)])
        records += try finished(told).whole("readings") ?? 0
    }

    /// What the consumer takes: from the year 2000 until now.
    private static func times(_ now: Int64) -> ClosedRange<Int64> { 946_684_800_000...now }

    /// Whether somebody can have made the steps of a span, of at most 36 hours.
    private static func canBe(_ span: StepSpan) -> Bool {
        let length = span.to - span.from
        return (1...StepCounter.longestGap).contains(length) && Int64(span.steps) <= StepCounter.mostIn(length)
    }

    private static func differences(_ times: [Int64]) -> [Int64] {
        zip(times, [0] + times.dropLast()).map { $0 - $1 }
    }
}

extension Array {
    /// Its elements, so many at a time.
    fileprivate func parts(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
