import Daemon
import Days
import Desk
import Features
import Files
import Readings
import Records
import Telemetry
import Workouts

// A person's shoes and bicycles, and how far each has come. That follows from the figures of the workouts that were done
// with it: readings that come late count, and a workout that is deleted does not.

/// Answers `gear/…`. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
final class GearRequests: @unchecked Sendable {
    private let context: PeopleContext
    private let readers: FeatureReaders
    private var document: GearDocument { GearDocument(documents: context.documents) }

    init(_ parts: FeatureParts) { (context, readers) = (parts.context, parts.readers) }

    var verbs: [Verb] {
        let zone = context.settings.timeZone
        return [
            readers.statistics.verb("gear/list", .gearList) { request in
                let user = try request.user
                return { source in try Self.list(WorkoutHistory.Asked(source, user, zone)) }
            },
            Verb("gear/add", .gearAdd, .atOnce { [self] in try add($0) }),
            Verb("gear/change", .gearChange, .atOnce { [self] in try change($0) }),
            Verb("gear/delete", .gearDelete, .atOnce { [self] in try delete($0) }),
        ]
    }

    // MARK: Changes

    private func add(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        guard let kind = try Self.kind(request) else {
            throw ReplyError(.badRequest, "\"kind\" is missing: shoes, bicycle or other", field: "kind")
        }
        let gear = Gear(
            id: try drawnID(), name: try request.workoutName(), kind: kind,
            metresBefore: try Self.metres(request) ?? 0, activities: try Self.activities(request) ?? [],
            isRetired: try request.optionalBool("retired") ?? false, added: context.now())
        return try context.answered.once(request, now: context.now()) { try put(gear, of: user) }
    }

    private func change(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        return try context.store.attempt(naming: [user]) {
            var gear = try request.gear(in: document.read(user))
            if request.fields["name"] != nil { gear.name = try request.workoutName() }
            gear.kind = try Self.kind(request) ?? gear.kind
            gear.metresBefore = try Self.metres(request) ?? gear.metresBefore
            gear.activities = try Self.activities(request) ?? gear.activities
            gear.isRetired = try request.optionalBool("retired") ?? gear.isRetired
            return try put(gear, of: user)
        }.get()
    }

    /// Keeps a piece, within a transaction.
    private func put(_ gear: Gear, of user: ID) throws -> JSON {
        var list = try document.read(user)
        do throws(GearProblem) { try list.put(gear) } catch {
            switch error {
            case .nameTaken: throw ReplyError(.invalid, "you have gear of that name already", field: "name")
            case .tooMany:
                throw ReplyError(.notAllowed, "you have \(GearList.most) pieces of gear: delete some", field: "name")
            case .tooManyActivities:
                let words = "you have gear for \(GearList.mostActivities) activities: take some away from other gear"
                throw ReplyError(.notAllowed, words, field: "activities")
            }
        }
        try document.write(list, of: user)
        return ["gear": .object(gear.members)]
    }

    private func delete(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        return try context.answered.once(request, now: context.now()) {
            var list = try document.read(user)
            let gear = try request.gear(in: list)
            list.remove(gear.id)
            try document.write(list, of: user)
            return ["gear": .object(gear.members)]
        }
    }

    // MARK: Fields

    private static func kind(_ request: PeopleRequest) throws(ReplyError) -> Gear.Kind? {
        guard let text = try request.optionalText("kind", atMost: 16) else { return nil }
        guard let kind = Gear.Kind(rawValue: text) else {
            throw ReplyError(.invalid, "\"kind\" is shoes, bicycle or other", field: "kind")
        }
        return kind
    }

    private static func metres(_ request: PeopleRequest) throws(ReplyError) -> Double? {
        guard let value = request.fields["before_m"], value != .null else { return nil }
        guard let metres = value.double, Gear.metres.contains(metres) else {
            throw ReplyError(.invalid, "\"before_m\" is a number of metres from 0 to 1000000000", field: "before_m")
        }
        return metres
    }

    /// Activities, each once.
    private static func activities(_ request: PeopleRequest) throws(ReplyError) -> [Activity]? {
        guard let names = try request.optionalTexts("activities", atMost: Gear.mostActivities) else { return nil }
        var activities: [Activity] = []
        for name in names {
            guard WorkoutNames.isName(name), PlainText.isHarmless(name), let activity = Activity(named: name) else {
                throw ReplyError(
                    .invalid, "\"activities\" are running, walking, cycling, or names of your own", field: "activities")
            }
            if !activities.contains(activity) { activities.append(activity) }
        }
        return activities
    }

    // MARK: How far it has come

    /// What was done with a piece.
    private struct Use {
        var (metres, seconds) = (0.0, 0.0)
        var workouts = 0
        /// When the latest workout with it began, in Unix milliseconds.
        var latest: Int64?

        mutating func add(_ summary: WorkoutSummary) {
            metres += summary[.distance] ?? 0
            seconds += summary[.duration] ?? 0
            workouts += 1
            latest = max(latest ?? summary.started, summary.started)
        }
    }

    private static func list(_ asked: WorkoutHistory.Asked) throws -> JSON {
        let list = try asked.gear()
        guard !list.pieces.isEmpty else { return ["gear": .array([])] }
        var uses: [ID: Use] = [:]
        try asked.each(WorkoutHistory.Filter()) { workout throws(VaultError) in
            if let gear = workout.gear, let summary = workout.summary { uses[gear, default: Use()].add(summary) }
        }
        let pieces = list.pieces.map { gear -> JSON in
            let use = uses[gear.id] ?? Use()
            return .object(
                gear.members
                    + present([
                        ("distance_m", rounded(gear.metresBefore + use.metres, 1)),
                        ("duration_s", rounded(use.seconds, 1)), ("workouts", .integer(Int64(use.workouts))),
                        ("last_used", use.latest.map { .integer($0) }),
                    ]))
        }
        return ["gear": .array(pieces)]
    }
}
