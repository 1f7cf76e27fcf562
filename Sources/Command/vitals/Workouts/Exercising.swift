import Daemon
import Telemetry

// `vitals workout start`, `pause`, `resume`, `stop` and `cancel`: what a person does with the workout that is under way,
// from any device. What the consumer says in `message` is printed as it says it.

/// Starts, interrupts and ends a workout.
struct Exercising {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func start() throws -> ExitCode {
        let (activity, plan) = (try arguments.optionalString("ACTIVITY"), try arguments.optionalString("plan"))
        guard activity != nil || plan != nil else {
            throw arguments.missing("ACTIVITY", "running, say; or name a plan with --plan")
        }
        guard activity == nil || plan == nil else {
            throw arguments.refusal(of: "plan", "cannot be combined with ACTIVITY: a plan has its own")
        }
        let gear = try arguments.optionalString("gear").map { $0 == "none" ? .null : JSON.string($0) }
        let (goal, zone) = (try goal(hasPlan: plan != nil), try arguments.optionalInteger("zone", in: 1...5))
        let (data, units) = try Office.visit(call) { office in
            let fields: [(String, JSON?)] = [
                ("activity", activity.map(JSON.string)), ("plan", plan.map(JSON.string)), ("goal", goal),
                ("gear", gear), ("zone", zone.map { .integer(Int64($0)) }), try at(),
            ]
            return (try office.askOfWorkouts("start", fields, arguments), office.units())
        }
        let workout = WorkoutText(data["workout"] ?? .null, in: units)
        var words = "started: \(workout.activity)"
        if let goal = workout.goal { words += ", goal \(goal)" }
        if workout.json["goal"]?["enabled"] == true { words += ", which ends it" }
        if let target = workout.target { words += ", heart rate in \(target)" }
        if let gear = workout.gear { words += ", with \(gear)" }
        _ = try say(data, words)
        if !call.isJSON, let problem = data.text("location") { Output.note(problem) }
        return .ok
    }

    /// The goal of this workout alone; nil if it has none of its own. With a plan, --end-at-goal is about the plan's.
    private func goal(hasPlan: Bool) throws -> JSON? {
        let endsAtGoal = try arguments.flag("end-at-goal")
        guard let text = try arguments.optionalString("goal") else {
            guard endsAtGoal else { return nil }
            guard hasPlan else {
                throw arguments.refusal(
                    of: "end-at-goal", "needs --goal; for the chosen goal there is vitals workout goal enable")
            }
            return ["enabled": true]
        }
        let (field, target) = try WorkoutGoals.target(text, of: "goal", arguments)
        return .object([JSON.Member(field, target), JSON.Member("enabled", .bool(endsAtGoal))])
    }

    /// Says what a workout was done with.
    func set() throws -> ExitCode {
        guard let gear = try arguments.optionalString("gear") else {
            throw arguments.missing("gear", "name your gear, or none")
        }
        let data = try Office.visit(call) { office in
            let id = try arguments.string("ID") == "current" ? nil : try office.workout(arguments)
            let fields: [(String, JSON?)] = [
                ("workout", id.map(JSON.string)), ("gear", gear == "none" ? .null : .string(gear)),
            ]
            return try office.askOfWorkouts("set", fields, arguments)
        }
        return try say(data, data["gear"]?.text("name").map { "done with \($0)" } ?? "done without gear")
    }

    /// Pauses or resumes.
    func change(_ verb: String, to state: String) throws -> ExitCode {
        let (data, units) = try Office.visit(call) { office in
            (try office.askOfWorkouts(verb, [at()], arguments), office.units())
        }
        let brief = data["workout"].map { WorkoutText($0, in: units).brief } ?? ""
        return try say(data, "\(state): \(brief)")
    }

    func stop() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.askOfWorkouts("stop", [at()], arguments) }
        _ = try say(data, "stopped")
        if !call.isJSON, let id = data.text("id") { Output.note("how it went: vitals workout show \(id)") }
        return .ok
    }

    /// The field for when it was done; nothing for now.
    private func at() throws -> (String, JSON?) {
        guard let text = try arguments.optionalString("at") else { return ("at", nil) }
        guard let moment = LocalMoment(text, now: unixMilliseconds()) else {
            throw arguments.refusal(of: "at", "expected \(LocalMoment.expected), found \(escaped(text))")
        }
        return ("at", .integer(moment.start))
    }

    func cancel() throws -> ExitCode {
        try Confirmation.refuseUnasked(arguments)
        return try Office.visit(call) { office in
            let data = try office.askOfWorkouts("current", [], arguments)
            if let workout = data["workout"], workout != .null {
                let text = WorkoutText(workout, in: office.units())
                try Confirmation.ask("\(text.activity), \(text.brief): keep nothing of it?", arguments)
            }
            return try say(try office.askOfWorkouts("cancel", [], arguments), "cancelled")
        }
    }

    /// The workout that is under way.
    func current() throws -> ExitCode {
        let (data, units) = try Office.visit(call) { office in
            (try office.askOfWorkouts("current", [], arguments), office.units())
        }
        guard !call.isJSON else { return try print(data.line) }
        guard let workout = data["workout"], workout != .null else {
            Output.note("no workout is under way: vitals workout start running")
            return .ok
        }
        return try print(Dashboard(workout, in: units, on: Paper()).lines.joined(separator: "\n") + "\n")
    }

    /// Prints a reply: its own words if it has some, otherwise ours.
    private func say(_ data: JSON, _ words: String) throws -> ExitCode {
        try print(call.isJSON ? data.line : (data.text("message") ?? words) + "\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

/// Asking before something is done that cannot be undone.
enum Confirmation {
    /// Nothing must be gone just because there was nobody to ask.
    static func refuseUnasked(_ arguments: Arguments) throws {
        guard try arguments.flag("yes") || Secret.isTerminal else {
            throw Failure(
                .usage, "what is deleted cannot be brought back, and there is no terminal to ask at",
                hint: "if you are sure, add --yes")
        }
    }

    /// Asks, unless the command line says yes.
    static func ask(_ question: String, _ arguments: Arguments) throws {
        guard try arguments.flag("yes") || isConfirmed(question) else {
            throw Failure(.declined, "nothing was changed")
        }
    }
}

extension Office {
    /// Asks `workouts/…`. A refusal says what to do on the command line.
    func askOfWorkouts(_ verb: String, _ fields: [(String, JSON?)], _ arguments: Arguments) throws -> JSON {
        do {
            return try arguments.naming(["at": "at", "zone": "zone"]) { try ask("workouts/\(verb)", fields) }
        } catch let error as Failure {
            if error.field == "activity", error.code == ReplyError.Code.invalid.rawValue {
                throw arguments.refusal(
                    of: ["start", "add"].contains(verb) ? "ACTIVITY" : "activity",
                    "expected running, walking, cycling, or a name of your own with at most 64 bytes")
            }
            guard error.hint == nil, let hint = Self.hint(verb, error) else { throw error }
            throw Failure(error.exitCode, error.message, hint: hint, code: error.code, field: error.field)
        }
    }

    /// What a person can do about a refusal.
    private static func hint(_ verb: String, _ error: Failure) -> String? {
        let code = error.code.flatMap(ReplyError.Code.init)
        let ends = "vitals workout stop, or vitals workout cancel"
        switch error.field {
        case "gear": return "vitals workout gear list shows what there is"
        case "plan": return "vitals workout plans list shows what there is"
        case "zone": return "vitals profile edit"
        default: break
        }
        switch (verb, code) {
        case ("start", .busy): return ends
        case ("pause", .notFound), ("resume", .notFound), ("stop", .notFound), ("cancel", .notFound):
            return "vitals workout start running"
        case ("set", .notFound) where error.field == nil: return "vitals workout set latest"
        case ("edit", .notAllowed), ("split", .notAllowed), ("join", .notAllowed), ("undo", .notAllowed):
            return error.message.hasPrefix("the workout is under way") ? ends : nil
        case ("edit", .notFound), ("split", .notFound), ("join", .notFound), ("undo", .notFound), ("show", .notFound),
            ("delete", .notFound), ("set", .notFound):
            return "vitals workout list shows the ids"
        case ("goal", .notAllowed), ("delete", .notAllowed): return ends
        case ("goal", .invalid), ("start", .invalid):
            return error.message == "Select Goal Type"
                ? "vitals workout goal set '5000 m'" : "a goal is such as \(WorkoutGoals.expected)"
        case ("delete", .invalid): return "vitals heart-rate delete --from yesterday --to today"
        default: return nil
        }
    }
}
