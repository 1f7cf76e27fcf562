import Days
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
    /// How many days with versions a part has at most.
    private static let daysInPart = 31
    /// No line is as long, in bytes: a position counts lines and bytes in one number.
    private static let longestLine: Int64 = 1 << 24

    /// What workouts were before they were corrected, one on each line, from the latest to the earliest.
    fileprivate static let originals = ExportSection(
        "workout-originals.jsonl",
        """
        What your workouts were before you corrected them, one on each line: \"workout\" is what it was, and \"kept_for\" the id of the \
        workout in workouts.jsonl, with the number of the correction.
        """
    ) { source, position throws(VaultError) in
        let versions = WorkoutVersions(source.store, source.keys)
        // Days are walked backwards. The position names the day to continue from, the line in it, and the byte in that line.
        let last = position.time == -Moment.limit ? Int64.max : position.time
        let days = try versions.days(of: source.user, upTo: last, limit: daysInPart)
        guard let earliest = days.last else { return nil }
        var part = ExportPart(file: position.section)
        let count = days.first == position.time ? max(0, position.count) : 0
        var (first, begin) = (Int(clamping: count / longestLine), Int(clamping: count % longestLine))
        for day in days {
            for (index, id) in try versions.ids(of: source.user, on: day).enumerated().dropFirst(first) {
                let version = try versions.version(id, of: source.user)
                let bytes = Array((version.map(line) ?? "").utf8)
                begin = min(begin, bytes.count)
                var end = min(begin + ExportPart.maximumLength - part.text.utf8.count, bytes.count)
                // Between characters.
                while end > begin, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
                part.text += String(decoding: bytes[begin..<end], as: UTF8.self)
                guard end == bytes.count else {
                    let done = Int64(index) * longestLine + Int64(end)
                    part.next = ExportPosition(section: position.section, time: day, count: done)
                    return part
                }
                begin = 0
            }
            (first, begin) = (0, 0)
        }
        if days.count == daysInPart { part.next = ExportPosition(section: position.section, time: earliest - 1) }
        return part
    }

    private static func line(_ version: WorkoutVersion) -> String {
        let kept = version.json.with("kept_for", .string(version.workout.text))
        let line = kept.with("number", .integer(version.number))
        return String(decoding: line.bytes, as: UTF8.self) + "\n"
    }
}
