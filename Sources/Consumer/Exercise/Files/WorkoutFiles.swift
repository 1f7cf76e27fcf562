import ActivityFiles
import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Readings
import Records
import Telemetry
import Workouts

/// Answers `workouts/file`: a workout as FIT, GPX or TCX, in parts. Belongs to the session's thread.
// Proof of @unchecked: as its first line says.
final class WorkoutFiles: @unchecked Sendable {
    /// The formats that are written.
    enum Format: String, CaseIterable {
        case fit, gpx, tcx

        func write(_ recording: Recording) throws(ActivityFileError) -> [UInt8] {
            switch self {
            case .fit: try FITFile.write(recording)
            case .gpx: try GPXFile.write(recording)
            case .tcx: try TCXFile.write(recording)
            }
        }
    }

    /// A file that was made, of which somebody has not all parts yet.
    private struct Made {
        let id: ID
        let format: Format
        let name: String
        let bytes: [UInt8]
        /// Says which file it is: of another one, no part fits.
        let mark: String
        let time: UInt64
    }

    private let context: PeopleContext
    private let readers: FeatureReaders
    private let rows: WorkoutRows
    private var made: [ID: Made] = [:]
    /// How often something was forgotten: what was made before is not kept.
    private var generation: UInt64 = 0

    /// Of a mark, in bytes.
    static let longestMark = 32
    /// A file is kept for its other parts for so many milliseconds, and all of them have so many bytes at most.
    private static let (memory, mostBytes): (UInt64, Int) = (60_000, 32 << 20)

    init(_ parts: FeatureParts) {
        (context, readers) = (parts.context, parts.readers)
        rows = WorkoutRows(parts.context.store, parts.context.keys)
    }

    var verb: Verb {
        Verb(
            "workouts/file", .workoutsFile, bulk: Allowance(perSecond: 50, burst: 500),
            .later { [self] request in request.answering { try answer(request) } })
    }

    /// Drops what was made for a person.
    func forget(_ user: ID) {
        made[user] = nil
        generation += 1
    }

    /// Drops what was made too long ago.
    func tidy(_ now: UInt64) { made = made.filter { $0.value.time + Self.memory > now } }

    private func answer(_ request: PeopleRequest) throws {
        let (user, id) = (try request.user, try request.id("id"))
        guard let format = Format(rawValue: try request.optionalText("format", atMost: 8) ?? "fit") else {
            throw ReplyError(.invalid, "\"format\" is fit, gpx or tcx", field: "format")
        }
        let offset = Int(try request.optionalInteger("offset", in: 0...Int64(Int32.max)) ?? 0)
        let now = millisecondsSinceBoot()
        let mark = try request.optionalText("mark", atMost: Self.longestMark)
        if offset > 0, let known = made[user], known.id == id, known.format == format, known.mark == mark,
            // It may have been deleted.
            try rows.workout(id, of: user) != nil
        {
            return request.done(try Self.part(known, offset))
        }
        let (zone, generation) = (context.settings.timeZone, generation)
        // Two things come back: the reply, and the file for its other parts.
        readers.exports.answer(request) { [self] source in
            let made = try Self.make(id, format, of: user, source, zone, now)
            guard offset == 0 || made.mark == mark else {
                let words = "the workout has changed meanwhile: ask for its file again, from offset 0"
                throw ReplyError(.invalid, words, field: "mark")
            }
            context.session.loop.perform { [self] in keep(made, of: user, generation) }
            return try Self.part(made, offset)
        }
    }

    private func keep(_ file: Made, of user: ID, _ generation: UInt64) {
        made[user] = nil
        guard file.bytes.count > FilePart.longest, generation == self.generation else { return }
        // The oldest of others make room.
        while made.values.reduce(file.bytes.count, { $0 + $1.bytes.count }) > Self.mostBytes,
            let oldest = made.min(by: { $0.value.time < $1.value.time })
        {
            made[oldest.key] = nil
        }
        made[user] = file
    }

    private static func make(
        _ id: ID, _ format: Format, of user: ID, _ source: ReadSource, _ zone: String, _ now: UInt64
    ) throws -> Made {
        guard let workout = try WorkoutRows(source.store, source.keys).workout(id, of: user)?.workout,
            workout.timer.isOver
        else { throw ReplyError(.notFound, "there is no such workout", field: "id") }
        let history = try Histories(source.store, source.keys, zone: zone).history(of: user)
        let end = workout.timer.ended ?? workout.started
        let samples = try WorkoutSamples(of: user, workout, now: end, source.store, source.keys)
        let line = workout.line(workout.fold(samples, history), history, now: end)
        let bytes: [UInt8]
        do { bytes = try format.write(workout.recording(samples.all, line, of: history.person(at: workout.started))) } catch {
            throw ReplyError(.notSupported, "\(error)", field: "format")
        }
        guard bytes.count <= Upload.longestFile else {
            let words = "the file would have more than \(Upload.longestFile >> 20) MiB: take fit, which is smaller"
            throw ReplyError(.notSupported, words, field: "format")
        }
        let day = history.localDays.day(of: workout.started)
        let activity = workout.activity.name.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        return Made(
            id: id, format: format, name: "\(day)-\(String(activity)).\(format.rawValue)", bytes: bytes,
            mark: String(Mark.of(bytes), radix: 16), time: now)
    }

    private static func part(_ file: Made, _ offset: Int) throws -> JSON {
        guard offset < file.bytes.count else {
            throw ReplyError(.invalid, "the file has \(file.bytes.count) bytes", field: "offset")
        }
        let part = FilePart(of: file.bytes, from: offset)
        return .object(present: [
            "name": .string(file.name), "size": .integer(Int64(file.bytes.count)), "offset": .integer(Int64(offset)),
            "mark": .string(file.mark), "data": part.data, "next": part.next.map { .integer(Int64($0)) },
        ])
    }
}
