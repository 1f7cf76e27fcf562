import Contract
import Exercise
package import Features
import Files
import Fitness
import Readings
import Records
import Storage
import Telemetry

extension Feature {
    /// Plans of exercises: what people choose, follow and have done.
    package static let training = Feature(
        name: "training", schema: TrainingRows.schema, sealedTables: [TrainingRows.table],
        documents: [
            FeatureDocument(name: TrainingPreferences.document, exported: .shown(in: "training.json")),
            FeatureDocument(name: WeekSelection.document, exported: .shown(in: "training.json")),
        ],
        exports: [
            .document(
                "training.json",
                """
                What you have said of your training, and the plans that you have chosen for the latest weeks, by the Monday of each week.
                """
            ) { source throws(VaultError) in
                let preferences = try TrainingPreferences(source.documents, of: source.user)
                let selection = try WeekSelection(source.documents, of: source.user)
                guard preferences != TrainingPreferences() || !selection.chosen.isEmpty else { return nil }
                return .object(
                    present: [
                        "equipment": .array(preferences.equipment.map(JSON.string)),
                        "level": preferences.level.map(JSON.string),
                        "weeks": selection.json { $0.json.dated("time") { iso8601(unixMilliseconds: $0) } },
                    ])
            },
            .trainings,
        ],
        verbs: { parts in
            WeekQuestions.verbs(parts.readers, parts.context) + PlanQuestions(parts).verbs + ChoiceRequests(parts).verbs
        },
        service: { parts in parts.earlier(RunningWorkouts.self).map { Trainings(parts, $0) } },
        topics: [FeatureTopic(.training, isRetained: true, RequestContract.trainingNow)],
        settings: TrainingSettings.self)
}

extension ExportSection {
    /// How many days with trainings a part looks at.
    private static let daysInPart = 31

    /// All trainings, one on each line, from the latest to the earliest.
    fileprivate static let trainings = ExportSection(
        "trainings.jsonl",
        """
        Your workouts that followed a plan, one on each line: the plan, and what you did for each muscle. The workout itself is in \
        workouts.jsonl.
        """
    ) { source, position throws(VaultError) in
        let rows = TrainingRows(source.documents)
        // Days are walked backwards; the position says up to which.
        let last = position.time == -Moment.limit ? Int64.max : position.time
        let days = try rows.days(of: source.user, upTo: last, limit: daysInPart)
        guard let latest = days.first, let earliest = days.last else { return nil }
        var part = ExportPart(file: position.section)
        for record in try rows.records(of: source.user, on: earliest...latest) {
            let line = JSON.object(record.members).dated("started") { iso8601(unixMilliseconds: $0) }
            part.text += String(decoding: line.bytes, as: UTF8.self) + "\n"
        }
        if days.count == daysInPart { part.next = ExportPosition(section: position.section, time: earliest - 1) }
        return part
    }
}
