import Daemon
import Telemetry

/// `vitals workout load`: what training has built up, day by day.
struct TrainingLoad {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func draw() throws -> ExitCode {
        let count = try arguments.integer("days", in: 1...700)
        let data = try Office.visit(call) { office in
            try office.askOfWorkouts("load", [("days", .integer(Int64(count)))], arguments)
        }
        let days = data.list("days")
        guard !call.isJSON else {
            try Output.write(days.map(\.line).joined())
            return .ok
        }
        guard let last = days.last else {
            Output.note("no workouts: vitals workout start running")
            return .ok
        }
        let paper = Paper()
        var text = drawing("Fitness, and as a shade how far fatigue is from it", days, paper) { day in
            day.double("fitness").map { ($0, day.double("fatigue") ?? $0) }
        }
        text += drawing("Form: fitness less fatigue", days, paper) { day in day.double("form").map { ($0, $0) } }
        let numbers = ["load", "fitness", "fatigue", "form"].compactMap { name in
            last.double(name).map { "\(name) \(decimal($0, 0))" }
        }
        try Output.write(text + paper.wrapped([last.text("day") ?? "today"] + numbers))
        return .ok
    }

    /// A graph of two values of each day: the line goes through the first.
    private func drawing(
        _ title: String, _ days: [JSON], _ paper: Paper, _ values: (JSON) -> (Double, Double)?
    ) -> String {
        let pieces = days.compactMap { day -> Graph.Piece? in
            guard let (value, other) = values(day), let name = day.text("day"),
                let moment = LocalMoment(name, now: unixMilliseconds()), moment.start < moment.end
            else { return nil }
            return Graph.Piece(
                from: moment.start, to: moment.end, min: min(value, other), mean: value, max: max(value, other))
        }
        guard let first = pieces.first, let last = pieces.last else { return "" }
        let graph = Graph(from: first.from, to: last.to, pieces: pieces)
        return paper.style.bold(title) + "\n" + graph.drawn(on: paper)
    }
}
