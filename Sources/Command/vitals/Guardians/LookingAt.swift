import Daemon
import MQTT
import Telemetry

/// Says below what is the person's own that their programs show a dependent now. Nobody shows guardians days, heart rates or workouts, so
/// these stay the person's own, and must not be taken for somebody else's.
enum LookingAt {
    /// Errors are ignored: the person already has what they asked for.
    static func note(_ call: Call) {
        guard !call.isJSON, let user = call.credential?.user, let name = try? chosen(by: user, call) else { return }
        Output.note(
            "this is your own; you are looking at \(name): vitals place; back with: vitals dependents choose me")
    }

    /// The name of the chosen dependent; nil if the person has chosen nobody.
    private static func chosen(by user: ID, _ call: Call) throws -> String? {
        let broker = Broker(call)
        try broker.connect()
        defer { broker.stop() }
        let kept = try broker.gather([call.topics[user: user, .published("chosen-dependent")]])
        guard let payload = kept.last?.payload, !payload.isEmpty else { return nil }
        let said = try JSON(payload: payload)
        return said.text("name") ?? said.text("dependent")
    }
}
