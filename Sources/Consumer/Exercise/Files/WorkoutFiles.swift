import ActivityFiles
import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Foundation
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
        let time: UInt64
    }

    private let context: PeopleContext
    private let readers: FeatureReaders
    private var made: [ID: Made] = [:]

    /// Bytes of a part.
    private static let longestPart = 45_000
    /// A file is kept for its other parts for so many milliseconds, and all of them have so many bytes at most.
    private static let (memory, mostBytes): (UInt64, Int) = (60_000, 32 << 20)

    init(_ parts: FeatureParts) { (context, readers) = (parts.context, parts.readers) }

    var verbs: [Verb] {
        [
            Verb(
                "workouts/file", bulk: Allowance(perSecond: 50, burst: 500),
                .later { [self] request in request.answering { try answer(request) } })
        ]
    }

    private func answer(_ request: PeopleRequest) throws {
        let (user, id) = (try request.user, try request.id("id"))
        guard let format = Format(rawValue: try request.optionalText("format", atMost: 8) ?? "fit") else {
            throw ReplyError(.invalid, "\"format\" is fit, gpx or tcx", field: "format")
        }
        let offset = Int(try request.optionalInteger("offset", in: 0...Int64(Int32.max)) ?? 0)
        let now = millisecondsSinceBoot()
        made = made.filter { $0.value.time + Self.memory > now }
        if offset > 0, let known = made[user], known.id == id, known.format == format {
            return request.done(try Self.part(known, offset))
        }
        let zone = context.settings.timeZone
        // Two things come back: the reply, and the file for its other parts.
        readers.exports.answer(request) { [self] source in
            let made = try Self.make(id, format, of: user, source, zone, now)
            context.session.loop.perform { [self] in keep(made, of: user) }
            return try Self.part(made, offset)
        }
    }

    private func keep(_ file: Made, of user: ID) {
        made[user] = nil
        guard file.bytes.count > Self.longestPart, !context.doors.isBeingForgotten(user),
            made.values.reduce(file.bytes.count, { $0 + $1.bytes.count }) <= Self.mostBytes
        else { return }
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
        let samples = try WorkoutSamples(of: user, workout.span(now: end), source.store, source.keys)
        let line = workout.line(workout.fold(samples.all, history), now: end)
        let bytes: [UInt8]
        do { bytes = try format.write(workout.recording(samples.all, line)) } catch {
            throw ReplyError(.notSupported, "\(error)", field: "format")
        }
        let day = history.localDays.day(of: workout.started)
        let activity = workout.activity.name.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        return Made(
            id: id, format: format, name: "\(day)-\(String(activity)).\(format.rawValue)", bytes: bytes, time: now)
    }

    private static func part(_ file: Made, _ offset: Int) throws -> JSON {
        guard offset < file.bytes.count else {
            throw ReplyError(.invalid, "the file has \(file.bytes.count) bytes", field: "offset")
        }
        let part = file.bytes[offset..<min(offset + longestPart, file.bytes.count)]
        return .object(present: [
            "name": .string(file.name), "size": .integer(Int64(file.bytes.count)),
            "data": .string(Data(part).base64EncodedString()),
            "next": part.endIndex < file.bytes.count ? .integer(Int64(part.endIndex)) : nil,
        ])
    }
}
