import Files
import Fitness
import Records
import Telemetry

/// A plan that a person has chosen for a week.
struct ChosenPlan: Equatable, Sendable {
    let id: ID
    /// The Monday of its week.
    let week: CalendarDay
    /// The plan's token.
    let plan: String
    let kind: String
    let title: String
    let seconds: Int
    /// When it was chosen, in Unix milliseconds.
    let time: Int64
    /// The workout in which it was done; nil if it was not.
    var done: ID?
}

extension ChosenPlan {
    /// `{"choice":…,"plan":…,"kind":…,"title":…,"duration_s":1800,"time":…,"done":…}`
    var json: JSON {
        .object(present: [
            "choice": .string(id.text), "plan": .string(plan), "kind": .string(kind), "title": .string(title),
            "duration_s": .integer(Int64(seconds)), "time": .integer(time), "done": done.map { .string($0.text) },
        ])
    }

    fileprivate init?(kept json: JSON, _ week: CalendarDay) {
        guard let id = json.id("choice"), case .string(let plan)? = json["plan"],
            case .string(let kind)? = json["kind"], case .string(let title)? = json["title"],
            case .integer(let seconds)? = json["duration_s"], case .integer(let time)? = json["time"]
        else { return nil }
        self.init(
            id: id, week: week, plan: plan, kind: kind, title: title, seconds: Int(clamping: seconds), time: time,
            done: json.id("done"))
    }
}

/// What a person has chosen for each of the latest weeks, as it is kept: the document "training-selection".
struct WeekSelection: Equatable, Sendable {
    static let document = "training-selection"
    /// How many plans may be chosen for a week.
    static let most = 14
    /// For how many weeks it is kept what was chosen; those that are the longest ago go first.
    static let mostWeeks = 12

    /// In the order in which they were chosen.
    private(set) var chosen: [ChosenPlan] = []

    /// Those of the week that begins on a Monday.
    func chosen(in week: CalendarDay) -> [ChosenPlan] { chosen.filter { $0.week == week } }

    subscript(id: ID) -> ChosenPlan? { chosen.first { $0.id == id } }

    /// The choice of a plan in a week that was not done yet; nil if there is none.
    func open(_ plan: String, in week: CalendarDay) -> ChosenPlan? {
        chosen(in: week).first { $0.plan == plan && $0.done == nil }
    }

    /// What is done by following a plan in a week: the choice that was named, if it is one of this week that was not done yet,
    /// and otherwise any such choice of the plan. A choice that was done stays done in the workout in which it was; nil if
    /// there is none.
    func followed(_ named: ChosenPlan?, _ plan: String, in week: CalendarDay) -> ChosenPlan? {
        if let named, named.week == week, named.done == nil { return named }
        return open(plan, in: week)
    }

    /// Adds a plan, unless its week is full.
    /// - Returns: whether it was added.
    mutating func add(_ plan: ChosenPlan) -> Bool {
        guard chosen(in: plan.week).count < Self.most else { return false }
        chosen.append(plan)
        for week in Set(chosen.map(\.week)).sorted().dropLast(Self.mostWeeks) { chosen.removeAll { $0.week == week } }
        return true
    }

    /// - Returns: what was removed; nil if there was no such choice.
    mutating func remove(_ id: ID) -> ChosenPlan? {
        guard let index = chosen.firstIndex(where: { $0.id == id }) else { return nil }
        return chosen.remove(at: index)
    }

    /// Marks a choice as done in a workout.
    mutating func markDone(_ id: ID, in workout: ID) {
        for index in chosen.indices where chosen[index].id == id { chosen[index].done = workout }
    }

    /// A workout is gone: what was done in it was not.
    mutating func remove(workout: ID) {
        for index in chosen.indices where chosen[index].done == workout { chosen[index].done = nil }
    }
}

// MARK: As it is kept

extension WeekSelection {
    /// Of a person; empty if there is none.
    init(_ documents: Documents, of user: ID) throws(VaultError) {
        guard case .object(let weeks)? = try documents.read(Self.document, of: user) else { return }
        for member in weeks {
            guard let week = CalendarDay(member.name), case .array(let plans) = member.value else { continue }
            chosen += plans.compactMap { ChosenPlan(kept: $0, week) }
        }
        chosen.sort { ($0.time, $0.id.text) < ($1.time, $1.id.text) }
    }

    /// By the Monday of each week.
    func json(_ plan: (ChosenPlan) -> JSON = \.json) -> JSON {
        .object(
            Set(chosen.map(\.week)).sorted().map { week in
                JSON.Member("\(week)", .array(chosen(in: week).map(plan)))
            })
    }

    /// Keeps it, within a transaction.
    func keep(_ documents: Documents, of user: ID) throws(VaultError) {
        guard !chosen.isEmpty else { return try documents.remove(Self.document, of: user) }
        try documents.write(json(), Self.document, of: user)
    }
}
