package import Features
import Files
import Records
import Telemetry

extension Feature {
    /// What people correct of their workouts, and what these were before.
    package static let workoutCorrections = Feature(
        name: "workout corrections", schema: WorkoutVersions.schema, sealedTables: [WorkoutVersions.table],
        exports: [.originals], verbs: { CorrectionRequests($0).verbs })
}

extension ExportSection {
    /// How many days with versions a part looks at.
    private static let daysInPart = 31

    /// What workouts were before they were corrected, one on each line, from the latest to the earliest.
    fileprivate static let originals = ExportSection(
        "workout-originals.jsonl",
        """
        What your workouts were before you corrected them, one on each line: \"workout\" is what it was, and \"kept_for\" the id of the \
        workout in workouts.jsonl, with the number of the correction.
        """
    ) { source, position throws(VaultError) in
        let versions = WorkoutVersions(source.store, source.keys)
        // Days are walked backwards; the position says up to which.
        let last = position.time == -Moment.limit ? Int64.max : position.time
        let days = try versions.days(of: source.user, upTo: last, limit: daysInPart)
        guard let latest = days.first, let earliest = days.last else { return nil }
        var part = ExportPart(file: position.section)
        for version in try versions.versions(of: source.user, on: earliest...latest) {
            let line = version.json.with("kept_for", .string(version.workout.text)).with(
                "number", .integer(version.number))
            part.text += String(decoding: line.bytes, as: UTF8.self) + "\n"
        }
        if days.count == daysInPart { part.next = ExportPosition(section: position.section, time: earliest - 1) }
        return part
    }
}
