import Telemetry

/// How much was done for a muscle.
struct MuscleWork: Equatable, Sendable {
    /// By the catalogue's name.
    let muscle: String
    /// Sets of exercises that work it most.
    var sets = 0
    /// Seconds of these exercises, rests included.
    var seconds = 0
}

extension MuscleWork {
    /// `{"muscle":"chest","sets":6,"duration_s":180}`
    var json: JSON {
        ["muscle": .string(muscle), "sets": .integer(Int64(sets)), "duration_s": .integer(Int64(seconds))]
    }

    init?(kept json: JSON) {
        guard case .string(let muscle)? = json["muscle"], case .integer(let sets)? = json["sets"],
            case .integer(let seconds)? = json["duration_s"]
        else { return nil }
        self.init(muscle: muscle, sets: Int(clamping: sets), seconds: Int(clamping: seconds))
    }
}

extension Sequence<MuscleWork> {
    /// The same with each muscle once, the one with the most sets first.
    var summed: [MuscleWork] {
        var sums: [String: MuscleWork] = [:]
        for work in self {
            sums[work.muscle, default: MuscleWork(muscle: work.muscle)].sets += work.sets
            sums[work.muscle, default: MuscleWork(muscle: work.muscle)].seconds += work.seconds
        }
        return sums.values.sorted { ($1.sets, $1.seconds, $0.muscle) < ($0.sets, $0.seconds, $1.muscle) }
    }
}
