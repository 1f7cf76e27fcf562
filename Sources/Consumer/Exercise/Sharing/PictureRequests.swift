import Daemon
import Desk
import Features
import Files
import Records
import Telemetry
import Workouts

// A picture is larger than a message may be, so it is asked for part by part. Nothing is remembered in between: each
// part is drawn again, which takes some 0.1 s, and the cursor says which bytes come next and of which picture. If
// readings have come meanwhile, the picture has changed, and its parts do not fit each other.

/// Answers `workouts/picture`.
enum PictureRequests {
    /// In bytes.
    static let longestCursor = 64

    /// - Parameter zone: that of people who have named none.
    static func verbs(_ readers: FeatureReaders, zone: String) -> [Verb] {
        let verb = readers.statistics.verb(
            "workouts/picture", .workoutsPicture, bulk: Allowance(perSecond: 2, burst: 30)
        ) { request in
            let (user, picture) = (try request.user, try WorkoutPicture(request))
            let cursor = try request.optionalText("cursor", atMost: longestCursor).map { try Cursor($0) }
            return { source in try part(of: picture, cursor, WorkoutHistory.Asked(source, user, zone)) }
        }
        return [verb]
    }

    private static func part(
        of picture: WorkoutPicture, _ cursor: Cursor?, _ asked: WorkoutHistory.Asked
    ) throws -> JSON {
        let drawing = try asked.drawing(picture.id)
        let bytes = try picture.bytes(drawing, asked.history, in: asked.units())
        let begin = cursor?.offset ?? 0
        let mark = Mark.of(bytes)
        guard begin < bytes.count, cursor.map({ $0.mark == mark }) != false else {
            let words = "the picture has changed meanwhile: ask for it again, without \"cursor\""
            throw ReplyError(.invalid, words, field: "cursor")
        }
        let part = FilePart(of: bytes, from: begin)
        return .object(present: [
            "type": .string(picture.format.mediaType), "length": .integer(Int64(bytes.count)),
            "data": part.data, "next": part.next.map { .string(Cursor(offset: $0, mark: mark).text) },
        ])
    }

    /// Which bytes come next, and of which picture: `49152-1f0a…`.
    private struct Cursor: Sendable {
        let offset: Int
        let mark: UInt64

        init(offset: Int, mark: UInt64) { (self.offset, self.mark) = (offset, mark) }

        init(_ text: String) throws(ReplyError) {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, let offset = Int(parts[0]), offset > 0, let mark = UInt64(parts[1], radix: 16)
            else {
                throw ReplyError(.badRequest, "\"cursor\" has to be the \"next\" of a reply", field: "cursor")
            }
            (self.offset, self.mark) = (offset, mark)
        }

        var text: String { "\(offset)-\(String(mark, radix: 16))" }
    }
}

extension WorkoutHistory.Asked {
    /// What a picture of a workout is drawn from.
    struct Drawing {
        let workout: KeptWorkout
        /// Its figures, with those that only other recordings of it have; nil before they were computed.
        let figures: JSON?
        let samples: WorkoutSamples
        /// Where the way is hidden: always the same of a person, and of nobody else.
        let displacement: Displacement
        /// Whether its times are not those that were recorded.
        let isRetimed: Bool
    }

    /// - Throws: if the person has no such workout that is over.
    func drawing(_ id: ID) throws -> Drawing {
        guard let workout = try rows.workout(id, of: user)?.workout, workout.timer.isOver else {
            throw ReplyError(.notFound, "there is no such workout", field: "id")
        }
        let samples = try WorkoutSamples(of: user, workout, now: workout.started, rows.store, rows.keys)
        let secret = try rows.keys.lookup("hidden ends", user.text)
        return try Drawing(
            workout: workout, figures: figuresWithOthers(workout), samples: samples, displacement: Displacement(secret: secret),
            isRetimed: isRetimed(workout))
    }

    /// Whether a workout was trimmed, split or joined. Its way would then show what was hidden near its earlier ends.
    func isRetimed(_ workout: KeptWorkout) throws(VaultError) -> Bool {
        guard workout.parts.isEmpty, workout.partOf == nil else { return true }
        return try WorkoutVersions(rows.store, rows.keys).versions(of: workout.id, user).contains { version in
            version.kept.id != workout.id || version.kept.events != workout.events
        }
    }
}
