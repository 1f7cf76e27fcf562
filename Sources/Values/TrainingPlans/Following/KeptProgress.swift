public import Telemetry

// So that somebody can go on after the service was restarted, also if the catalogue was replaced meanwhile: the plan is kept
// along.

extension PlanProgress {
    /// All of it, as JSON: some 8 KB, and at most 64 KiB.
    public var json: JSON {
        .object(present: [
            "plan": plan.state, "exercise": .integer(Int64(index)), "set": .integer(Int64(set)),
            "rest": isRest ? true : nil, "over": isOver ? true : nil,
            "since": .integer(since), "latest": .integer(latest),
            "done": .array(done.map { .array([.integer(Int64($0.sets)), .integer($0.milliseconds)]) }),
        ])
    }

    /// What was kept; nil if it is no such state.
    public init?(kept json: JSON) {
        do throws(KeptState.Malformed) { try self.init(json) } catch { return nil }
    }

    private init(_ json: JSON) throws(KeptState.Malformed) {
        let kept = try KeptState(json)
        self.init(try TrainingPlan(kept: json["plan"] ?? .null), at: try kept.time("since"))
        latest = try kept.time("latest")
        index = Int(try kept.integer("exercise", in: 0...Int64(plan.exercises.count - 1)))
        set = Int(try kept.integer("set", in: 0...Int64(exercise.sets - 1)))
        (isRest, isOver) = (try kept.flag("rest"), try kept.flag("over"))
        let entries = try kept.list("done", atMost: plan.exercises.count)
        guard entries.count == plan.exercises.count, since <= latest else { throw KeptState.Malformed() }
        for (index, entry) in entries.enumerated() {
            guard case .array(let numbers) = entry, numbers.count == 2, case .integer(let sets) = numbers[0],
                case .integer(let milliseconds) = numbers[1],
                (0..<Int64(1) << Int64(plan.exercises[index].sets)).contains(sets),
                (0...KeptState.times.upperBound).contains(milliseconds)
            else { throw KeptState.Malformed() }
            done[index] = Done(sets: UInt8(sets), milliseconds: milliseconds)
        }
    }
}
