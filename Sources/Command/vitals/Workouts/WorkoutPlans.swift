import Daemon
import Fitness
import Telemetry

// `vitals workout plans`: what a workout can be started from.

/// Lists, saves and deletes plans.
struct WorkoutPlans {
    private let call: Call
    private let arguments: Arguments

    private init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    /// Does what the command line asks for; nil if it is not about plans.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        let plans = WorkoutPlans(call, arguments)
        return switch arguments.command.dropFirst() {
        case ["plans"], ["plans", "list"]: try plans.list()
        case ["plans", "save"]: try plans.save()
        case ["plans", "delete"]: try plans.delete()
        default: nil
        }
    }

    private func list() throws -> ExitCode {
        let (data, units) = try Office.visit(call) { (try $0.ask("plans/list"), $0.units()) }
        let plans = data.list("plans")
        guard !call.isJSON else { return try print(plans.map(\.line).joined()) }
        let rows = plans.map { plan in
            [
                plan.text("name") ?? "-", plan.text("activity") ?? "-", Self.goal(plan, in: units) ?? "-",
                plan["predefined"] == true ? "everybody's" : "yours",
            ]
        }
        return try print(table(["PLAN", "ACTIVITY", "GOAL", "WHOSE"], rows))
    }

    /// `5.00 km, ends it`
    private static func goal(_ plan: JSON, in units: Units) -> String? {
        guard let goal = WorkoutText(plan, in: units).goal else { return nil }
        return goal + (plan["goal"]?["enabled"] == true ? ", ends it" : "")
    }

    private func save() throws -> ExitCode {
        var fields: [(String, JSON?)] = [
            ("name", .string(try arguments.string("NAME"))), ("activity", .string(try arguments.string("ACTIVITY"))),
        ]
        let endsAtGoal = try arguments.flag("end-at-goal")
        if let text = try arguments.optionalString("goal") {
            let (field, target) = try WorkoutGoals.target(text, of: "goal", arguments)
            fields.append(("goal", .object([JSON.Member(field, target), JSON.Member("enabled", .bool(endsAtGoal))])))
        } else if endsAtGoal {
            throw arguments.refusal(of: "end-at-goal", "needs --goal")
        }
        return try ask("save", fields, "saved")
    }

    private func delete() throws -> ExitCode {
        try ask("delete", [("name", .string(try arguments.string("NAME")))], "deleted")
    }

    private func ask(_ verb: String, _ fields: [(String, JSON?)], _ done: String) throws -> ExitCode {
        var flags = ["name": "NAME", "activity": "ACTIVITY"]
        if verb == "save" { for field in WorkoutGoals.Kind.allCases.map(\.field) + ["kind"] { flags[field] = "goal" } }
        let data = try Office.visit(call) { office in
            try office.ask("plans/\(verb)", fields, naming: flags, arguments, list: "vitals workout plans list")
        }
        let name = data["plan"]?.text("name") ?? "-"
        return try print(call.isJSON ? data.line : "\(done): \(name)\n")
    }

    private func print(_ text: String) throws -> ExitCode {
        try Output.write(text)
        return .ok
    }
}

// MARK: - What can be typed

extension WorkoutPlans {
    static let command = Command(
        name: "plans", summary: "Lists what a workout can be started from, and changes your own plans.",
        examples: [
            Example("vitals workout plans save 'Lunch run' running --goal '30 min' --end-at-goal"),
            Example("vitals workout start --plan 'Lunch run'"),
        ],
        subcommands: [
            Command(name: "list", summary: "Lists all plans."),
            Command(
                name: "save", summary: "Saves a plan, in place of your own one of that name.",
                options: [
                    .value(
                        "goal", "GOAL", "what you want to reach, such as '5000 m', '30 min', '8000 steps' or '400 kcal'"
                    ),
                    .flag("end-at-goal", "ends the workout when this goal is reached"),
                ],
                arguments: [
                    .required("NAME", "what you call it"),
                    .required(
                        "ACTIVITY", "running, walking, cycling, or a name of your own",
                        values: WorkoutCommands.activities),
                ]),
            Command(
                name: "delete", summary: "Deletes one of your own plans.",
                arguments: [.required("NAME", "the plan's name", offers: Offers.ownPlans.rawValue)]),
        ], runsAlone: true)
}
