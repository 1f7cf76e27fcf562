import Files
import Telemetry

/// Which of the workouts that are over and must be counted is the next. People take turns, because one may have thousands; a
/// workout that has just ended comes before the others.
struct MarkedWorkouts {
    /// One of each person.
    private var ended: [(user: ID, workout: ID)] = []
    /// The person who had the latest turn, and each person's workout of their latest turn.
    private var (person, workouts) = ("", [String: String]())
    /// Whether any workout was counted in this round of turns.
    private var hasCounted = false

    /// A workout has ended. If another one of the person waits here, this one waits with the marked ones.
    mutating func hasEnded(_ workout: ID, of user: ID) {
        if !ended.contains(where: { $0.user == user }) { ended.append((user, workout)) }
    }

    /// The latest one was counted.
    mutating func wasCounted() { hasCounted = true }

    /// The id of the next workout; nil if no workout waits, or none could be counted in the last round.
    mutating func next(_ rows: WorkoutRows) throws(VaultError) -> String? {
        if !ended.isEmpty { return ended.removeFirst().workout.text }
        var next = try rows.personWithMarks(after: person)
        if next == nil, hasCounted {
            hasCounted = false
            next = try rows.personWithMarks(after: "")
        }
        guard let next else {
            (person, workouts) = ("", [:])
            return nil
        }
        person = next
        var id = try rows.marked(of: next, after: workouts[next] ?? "")
        if id == nil { id = try rows.marked(of: next, after: "") }
        workouts[next] = id
        return id
    }
}
