import Daemon
import Telemetry

/// `vitals workout forecast`: about how long a race would take, and about how much oxygen somebody uses at the most.
struct RaceForecasts {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) { (self.call, self.arguments) = (call, arguments) }

    func show() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.askOfWorkouts("forecast", [], arguments) }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let rows = data.list("race_times").compactMap { race -> [String]? in
            guard let metres = race.double("distance_m"), let seconds = race.double("seconds"), let from = race["from"],
                let known = from.double("distance_m"), let time = from.double("seconds")
            else { return nil }
            return [
                WorkoutText.race(metres), WorkoutText.clock(seconds), "\(WorkoutText.race(known)) in \(WorkoutText.clock(time))",
                race.text("id") ?? "-",
            ]
        }
        if rows.isEmpty {
            Output.note("no race times: there is no run of the last twelve weeks with a best time over a mile or more")
        } else {
            try Output.write(table(["RACE", "ABOUT", "BY", "ID"], rows))
        }
        guard let uptake = data["oxygen_uptake"], let most = uptake.whole("ml_per_kg_min"), let runs = uptake.whole("runs") else {
            Output.note("no oxygen uptake: it needs your highest heart rate, the one at rest, and a steady, flat run of 20 min outdoors")
            return .ok
        }
        let tolerance = uptake.whole("tolerance_percent").map { " ± \($0) %" } ?? ""
        try Output.write("Oxygen uptake: about \(most) ml/kg/min\(tolerance), by \(counted(runs, "run"))\n")
        return .ok
    }
}
