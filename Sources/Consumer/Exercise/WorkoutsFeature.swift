package import Features
import Fitness
import Readings
import Records
import Storage
import Telemetry
import Workouts

extension Feature {
    /// Workouts: what people do on purpose, and how it went.
    package static let workouts = Feature(
        name: "workouts", schema: WorkoutRows.schema, sealedTables: [WorkoutRows.table],
        documents: [
            FeatureDocument(name: WorkoutGoalDocument.name, exported: .shown(in: "workout-goal.json")),
            FeatureDocument(name: WorkoutPlanDocument.name, exported: .shown(in: "workout-plans.json")),
            FeatureDocument(name: GearDocument.name, exported: .shown(in: "workout-gear.json")),
            FeatureDocument(
                name: RecordedKinds.document,
                exported: .hidden(
                    because: "the service's own note that a workout is under way, which workouts.jsonl has")),
        ],
        exports: [
            .document("workout-goal.json", "What you want to reach in a workout.") { source throws(VaultError) in
                try source.documents.read(WorkoutGoalDocument.name, of: source.user)
            },
            .document("workout-plans.json", "Your own plans of workouts.") { source throws(VaultError) in
                try source.documents.read(WorkoutPlanDocument.name, of: source.user)
            },
            .document(
                "workout-gear.json",
                """
                Your shoes and bicycles: what you use them for, and how far they had come when you added them. What they did since then \
                is in workouts.jsonl, where each workout has the id of its gear.
                """
            ) { source throws(VaultError) in try source.documents.read(GearDocument.name, of: source.user) },
            .workouts,
        ],
        derivations: [{ WorkoutMarks($0) }],
        verbs: { parts in
            let zone = parts.context.settings.timeZone
            return WorkoutHistory.verbs(parts.readers, parts.context, zone: zone)
                + PictureRequests.verbs(parts.readers, zone: zone)
                + WorkoutReports.verbs(parts.readers, parts.context) + WorkoutDeletion(parts).verbs
                + WorkoutPreference(parts).verbs
                + GearRequests(parts).verbs + PlanRequests(parts).verbs + HeartSuggestions.verbs(parts.readers, parts.context)
                + WorkoutForecast.verbs(parts.readers, parts.context)
        },
        service: { RunningWorkouts($0) }, topics: [FeatureTopic(.workout, isRetained: true, WorkoutFigures.schema)],
        notifications: [.workoutGoal, .workoutEnded], settings: WorkoutSettings.self)
}

extension ExportSection {
    /// How many days with workouts a part looks at.
    private static let daysInPart = 31

    /// All workouts, one on each line, from the latest to the earliest.
    fileprivate static let workouts = ExportSection(
        "workouts.jsonl",
        """
        Your workouts, one on each line: what you did and when, with pauses, what you wanted to reach, and how it went. Where you went and your \
        heart rates are in position.csv and heart-rate.csv.
        """
    ) { source, position throws(VaultError) in
        let rows = WorkoutRows(source.store, source.keys)
        // Days are walked backwards; the position says up to which.
        let last = position.time == -Moment.limit ? Int64.max : position.time
        let days = try rows.days(of: source.user, upTo: last, limit: daysInPart)
        guard let latest = days.first, let earliest = days.last else { return nil }
        var part = ExportPart(file: position.section)
        for entry in try rows.workouts(of: source.user, on: earliest...latest) {
            guard case .object(let members) = entry.workout.json else { continue }
            let line = JSON.object([JSON.Member("id", .string(entry.workout.id.text))] + members)
            part.text += String(decoding: line.bytes, as: UTF8.self) + "\n"
        }
        if days.count == daysInPart { part.next = ExportPosition(section: position.section, time: earliest - 1) }
        return part
    }
}
