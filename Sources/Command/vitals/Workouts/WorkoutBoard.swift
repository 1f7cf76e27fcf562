import Daemon
import Fitness
import Glibc
import Telemetry

/// The workout that is under way, at the end of what `vitals watch` prints. On a terminal it is a dashboard that is
/// drawn again in the same place, each second and whenever the consumer says something; elsewhere a line each time.
struct WorkoutBoard {
    /// Where the consumer tells of it; nil if nobody asks.
    let topic: String?
    private let paper = Paper()
    private let isTerminal = isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb"
    private var latest: (workout: JSON, heard: ContinuousClock.Instant)?
    /// How many lines of the dashboard the terminal shows.
    private var height = 0

    /// - Parameter person: who is signed in and follows the workout; nil if nobody does.
    init(of person: ID?, _ call: Call) {
        topic = person.map { call.topics[user: $0, .published("workout")] }
    }

    /// Whether there is a dashboard.
    var isShown: Bool { isTerminal && latest != nil }

    /// Takes what the consumer says of the workout; nothing says that it is over.
    mutating func take(_ payload: [UInt8], _ units: Units, in lines: inout String) {
        guard !payload.isEmpty else {
            if latest != nil { lines += Hints.completed("the workout is over: vitals workout show latest\n") }
            latest = nil
            return
        }
        guard let workout = try? JSON(payload: payload) else { return }
        latest = (workout, .now)
        guard !isTerminal else { return }
        let text = WorkoutText(workout, in: units)
        let time = workout.double("time").map { LocalTime.timeOfDay(Int64(min(max($0, 0), 1e15))) + "  " } ?? ""
        lines += "\(time)\(text.activity)  \(text.brief)\n"
    }

    /// Lines to print, with the dashboard below them in place of the one before.
    mutating func painted(below lines: String, _ units: Units) -> String {
        let erasing = height > 0 ? "\u{1B}[\(height)A\r\u{1B}[J" : ""
        height = 0
        guard isTerminal, let (workout, heard) = latest else { return erasing + lines }
        let board = Dashboard(
            workout, in: units, on: paper, later: (ContinuousClock.now - heard) / .seconds(1)
        ).lines
        height = board.count
        // A line that is too long for the terminal is cut, so that each takes one line there.
        return erasing + lines + "\u{1B}[?7l" + board.joined(separator: "\n") + "\n\u{1B}[?7h"
    }
}
