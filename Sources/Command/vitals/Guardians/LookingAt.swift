import Daemon
import MQTT
import Telemetry

/// Says below what is the person's own that their programs show a dependent now, and the dependent's steps and distance of today, if they may be
/// seen. Nobody shows guardians heart rates or workouts, so these stay the person's own, and must not be taken for somebody else's.
enum LookingAt {
    /// Errors are ignored: the person already has what they asked for.
    static func note(_ call: Call) {
        guard !call.isJSON, let user = call.credential?.user, let (dependent, name) = try? chosen(by: user, call) else { return }
        Output.note(
            "this is your own; you are looking at \(name)\(today(of: dependent, call)): vitals place; back with: vitals dependents choose me")
    }

    /// ` (today 4,210 steps, 3.1 km)`; empty if they do not show that, or nothing is known.
    private static func today(of dependent: String, _ call: Call) -> String {
        let found = try? Office.visit(call) { office in
            (try office.ask("dependents/today", [("dependent", .string(dependent))]), office.units())
        }
        guard let (day, units) = found else { return "" }
        let figures = [day.whole("steps").map { "\(grouped($0)) steps" }, day.double("distance_m").map { units.distance($0).text }]
        let known = figures.compactMap { $0 }
        return known.isEmpty ? "" : " (today \(known.joined(separator: ", ")))"
    }

    /// The id and the name of the chosen dependent; nil if the person has chosen nobody.
    private static func chosen(by user: ID, _ call: Call) throws -> (id: String, name: String)? {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        let kept = try broker.gather([call.topics[user: user, .published("chosen-dependent")]])
        guard let payload = kept.last?.payload, !payload.isEmpty else { return nil }
        let said = try JSON(payload: payload)
        return said.text("dependent").map { ($0, said.text("name") ?? $0) }
    }
}
