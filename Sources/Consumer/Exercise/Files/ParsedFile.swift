import ActivityFiles
import Days
import Features
import Fitness
import Readings
import Records
import Telemetry

/// What a file holds, as far as it is taken over.
struct ParsedFile: Sendable {
    /// A workout, or why a recording is none.
    enum Item: Sendable {
        case workout(ImportedWorkout)
        case refused(started: Int64, because: String)
    }

    var items: [Item] = []
    var records: [ImportedRecords] = []
    /// What was left out, and why.
    var omissions: [String] = []
    /// How many files there were of a format that is read.
    var files = 0
    /// Whether a workout is taken over that another one is taken for.
    var keepsBoth = false

    /// Lines about what was left out.
    private static let mostOmissions = 50

    /// What files of people may cost.
    private static var limits: Limits {
        var limits = Limits()
        limits.streamBytes = 64 << 20
        limits.fileBytes = Upload.longestFile
        limits.innerArchiveBytes = Upload.longestFile
        limits.samples = 200_000
        limits.activities = 200
        limits.parts = 5000
        limits.messages = 1_000_000
        limits.definitions = 10_000
        limits.files = 500
        limits.archiveBytes = 128 << 20
        limits.nesting = 2
        return limits
    }

    /// How many samples and records all files of an archive may have together.
    private static let mostSamples = 200_000
    /// How many activities they may have together.
    private static let mostActivities = 200

    init() {}

    /// Reads a file that somebody has sent.
    /// - Parameters:
    ///   - history: of the person, whose days begin in their own zone.
    ///   - locates: whether positions are kept.
    ///   - now: Unix milliseconds.
    init(_ upload: Upload, _ history: History, locates: Bool, now: Int64) throws {
        var (left, activities) = (Self.mostSamples, 0)
        let localDays = history.localDays
        var timeline = StepTimeline { time in
            localDays.intervals(of: localDays.day(of: time)).first?.lowerBound ?? time
        }
        var parsed = ParsedFile()
        parsed.keepsBoth = upload.keepsBoth
        let summary = Takeout.read(bytes: upload.bytes, name: upload.name, limits: Self.limits) { item in
            parsed.files += 1
            switch item.result {
            case .failure(let error): parsed.omit("\(item.name): \(error)")
            case .success(let recordings):
                left -= recordings.size
                activities += recordings.activities.count
                guard left >= 0, activities <= Self.mostActivities else {
                    parsed.omit("\(item.name) and what follows it: too much for one file: send them one by one")
                    return false
                }
                parsed.take(recordings, item, &timeline, locates: locates, now: now)
            }
            return true
        }
        if summary.formats.isEmpty {
            throw ReplyError(.invalid, "this is no FIT, GPX or TCX file, nor an archive of these", field: "data")
        }
        if summary.otherFiles > 0 { parsed.omit("\(summary.otherFiles) files of other formats") }
        guard !parsed.items.isEmpty || !parsed.records.isEmpty else {
            throw ReplyError(.invalid, parsed.omissions.first ?? "there is nothing in it", field: "data")
        }
        self = parsed
    }

    private mutating func take(
        _ recordings: Recordings, _ item: Takeout.Item, _ timeline: inout StepTimeline, locates: Bool, now: Int64
    ) {
        for omission in recordings.omissions { omit("\(item.name): \(omission)") }
        if let damage = recordings.damage { omit("\(item.name): \(damage): only what comes before was read") }
        for recording in recordings.activities {
            do {
                var workout = try ImportedWorkout(
                    recording, id: drawnID(), format: item.format, locates: locates, now: now)
                workout.file = files
                items.append(.workout(workout))
                if workout.workout.origin?.lacksWay == true { omit("\(item.name): \(Self.withoutWay)") }
            } catch {
                items.append(.refused(started: recording.start, because: "\(error)"))
            }
        }
        let times = ImportedWorkout.earliest...now + ImportedWorkout.tolerance
        records += ImportedRecords.all(in: recordings, item.format, &timeline, times)
    }

    private static let withoutWay = """
        the positions were left out: Location Services Disabled: to have them, allow it with `vitals consent --record-location \
        on`, and import the file again
        """

    private mutating func omit(_ words: String) {
        if omissions.count < Self.mostOmissions { omissions.append(words) }
    }
}

extension Recordings {
    /// How many samples and records there are.
    fileprivate var size: Int { activities.reduce(heartRates.count + steps.count) { $0 + $1.samples.count } }
}
