import Days
package import Telemetry
package import Workouts

/// A workout as it is kept: what the person has done and wanted. How it went follows from the readings of its time.
package struct KeptWorkout: Equatable, Sendable {
    /// Why a workout has ended.
    package enum End: String, CaseIterable, Sendable {
        /// The person has stopped it.
        case person
        /// Its goal was reached.
        case goal
        /// Nothing was measured for a long time.
        case silence
    }

    package let id: ID
    package let activity: Activity
    /// What the person wanted to reach; nil if nothing.
    package let goal: WorkoutGoal?
    /// Whether reaching the goal ends the workout.
    package let endsAtGoal: Bool
    /// In the order in which they were accepted.
    package private(set) var events: [WorkoutEvent]
    /// What follows from the events.
    package private(set) var timer: WorkoutTimer
    /// Why it has ended; nil while it lasts.
    package private(set) var end: End?
    /// When its goal was reached, in Unix milliseconds, once the person has a notification about that; nil before.
    package var toldGoal: Int64?
    /// Where it was imported from; nil if it was not.
    package var origin: WorkoutOrigin?
    /// The line of a list, as it was last computed; nil before that.
    package var figures: JSON?
    /// The shoes or the bicycle that it was done with; nil if nobody said.
    package var gear: ID?
    /// The zone that the person has chosen for their heart, and what was said of it; nil if they chose none.
    package var target: TargetZone?
    /// Whether the person wants it to count before other recordings of the same workout.
    package var isPreferred = false
    /// What the person calls it; nil if they have not said.
    package var title: String?
    /// What the person has written about it; nil if nothing.
    package var note: String?
    /// The recordings that it was joined from, in the order of their times; empty if it is one.
    var parts: [WorkoutPart] = []
    /// The workout that was split into this one and another; nil without a split.
    var partOf: ID?

    /// A workout that begins.
    /// - Parameter start: Unix milliseconds.
    package init(
        id: ID, _ activity: Activity, goal: WorkoutGoal?, endsAtGoal: Bool, start: Int64
    ) throws(WorkoutEventProblem) {
        self.init(id: id, activity, goal: goal, endsAtGoal: endsAtGoal)
        try add(WorkoutEvent(.start, at: start))
    }

    private init(id: ID, _ activity: Activity, goal: WorkoutGoal?, endsAtGoal: Bool) {
        (self.id, self.activity, self.goal, self.endsAtGoal) = (id, activity, goal, endsAtGoal && goal != nil)
        (events, timer) = ([], WorkoutTimer())
    }

    /// When it began, in Unix milliseconds.
    package var started: Int64 { timer.started ?? 0 }

    /// The times in which something was measured that counts, in Unix milliseconds; until `now` while it lasts.
    package func span(now: Int64) -> Range<Int64> {
        let end = min(timer.ended ?? now, started + WorkoutFold.longest)
        return started..<max(started, end) + 1
    }

    /// Takes an event; throws and changes nothing if it cannot be.
    package mutating func add(_ event: WorkoutEvent, because end: End? = nil) throws(WorkoutEventProblem) {
        try timer.add(event)
        events.append(WorkoutEvent(event.kind, at: timer.latest ?? event.time))
        if timer.isOver { self.end = end ?? .person }
    }
}

extension KeptWorkout {
    /// Ends it at a moment that may be before its latest events, which then did not happen: a goal was reached before
    /// somebody paused, and was only counted later.
    package mutating func end(at time: Int64, because end: End) throws(WorkoutEventProblem) {
        var before = KeptWorkout(id: id, activity, goal: goal, endsAtGoal: endsAtGoal)
        for event in events where event.time <= time || event.kind == .start { try before.add(event) }
        try before.add(WorkoutEvent(.stop, at: time), because: end)
        (before.origin, before.gear, before.figures, before.toldGoal) = (origin, gear, figures, toldGoal)
        (before.target, before.isPreferred) = (target, isPreferred)
        self = before
    }

    /// The same without figures: under another id, of another activity, or with other events.
    func remade(
        as id: ID? = nil, _ activity: Activity? = nil, events: [WorkoutEvent]? = nil, because end: End? = nil
    ) throws(WorkoutEventProblem) -> KeptWorkout {
        var made = KeptWorkout(id: id ?? self.id, activity ?? self.activity, goal: goal, endsAtGoal: endsAtGoal)
        for event in events ?? self.events { try made.add(event, because: end ?? self.end) }
        (made.origin, made.gear, made.toldGoal) = (origin, gear, toldGoal)
        (made.target, made.isPreferred) = (target, isPreferred)
        (made.title, made.note, made.parts, made.partOf) = (title, note, parts, partOf)
        return made
    }
}

extension KeptWorkout {
    /// Whether its figures are those of another one: nothing was corrected that they follow from.
    func counts(like other: KeptWorkout) -> Bool { measures(like: other) && name == other.name }

    /// Whether its figures are those of another one, which may be called something else.
    func measures(like other: KeptWorkout) -> Bool {
        events == other.events && activity == other.activity && end == other.end && origin == other.origin
            && parts == other.parts
    }

    /// When a workout of the last day has ended with its goal reached, if its person was not told because the readings came late.
    /// - Parameter before: the figures so far: what they reached is no news.
    func goalReachedUnsaid(since before: JSON?, now: Int64) -> Int64? {
        guard before?["percent"]?.double ?? 0 < 100, goal != nil, end != .goal, toldGoal == nil, origin == nil, let ended = timer.ended, now - ended < 86_400_000,
            let percent = figures?["percent"]?.double, percent >= 100
        else { return nil }
        return ended
    }
}

// MARK: As it is sealed

extension KeptWorkout {
    /// `{"activity":…,"events":[["start",…],…],"goal":{"kind":…,"target":…,"ends":…},"end":…,"told_goal":…,"origin":…,`
    /// `"figures":…,"gear":…,"target":…,"preferred":true,"title":…,"note":…,"parts":…,"part_of":…}`
    package var json: JSON {
        .object(present: [
            "activity": .string(activity.name),
            "events": .array(events.map { [.string($0.kind.rawValue), .integer($0.time)] }),
            "goal": goal.map {
                ["kind": .string($0.kind.rawValue), "target": .number($0.target), "ends": .bool(endsAtGoal)]
            },
            "end": end.map { .string($0.rawValue) }, "told_goal": toldGoal.map { .integer($0) }, "origin": origin?.json, "figures": figures,
            "gear": gear.map { .string($0.text) }, "target": target?.kept, "preferred": isPreferred ? true : nil,
            "title": title.map { .string($0) }, "note": note.map { .string($0) },
            "parts": parts.isEmpty ? nil : .array(parts.map(\.json)), "part_of": partOf.map { .string($0.text) },
        ])
    }

    static let figuresMember = "figures"

    /// A workout as it was sealed; nil if it is none.
    package init?(id: ID, kept json: JSON) {
        guard case .string(let name)? = json["activity"], let activity = Activity(named: name),
            case .array(let events)? = json["events"]
        else { return nil }
        var (goal, endsAtGoal): (WorkoutGoal?, Bool) = (nil, false)
        if case .string(let kind)? = json["goal"]?["kind"], let target = json["goal"]?["target"]?.double {
            goal = WorkoutGoal.Kind(rawValue: kind).flatMap { WorkoutGoal($0, target: target) }
            endsAtGoal = json["goal"]?["ends"] == true
        }
        self.init(id: id, activity, goal: goal, endsAtGoal: endsAtGoal)
        for event in events {
            guard case .array(let parts) = event, parts.count == 2, case .string(let name) = parts[0],
                let kind = WorkoutEvent.Kind(rawValue: name), case .integer(let time) = parts[1]
            else { return nil }
            do { try add(WorkoutEvent(kind, at: time)) } catch { return nil }
        }
        if timer.isOver, case .string(let end)? = json["end"] { self.end = End(rawValue: end) ?? .person }
        if case .integer(let time)? = json["told_goal"] { toldGoal = time }
        origin = json["origin"].flatMap(WorkoutOrigin.init)
        figures = json[Self.figuresMember]
        if case .string(let text)? = json["gear"] { gear = try? ID(text) }
        target = json["target"].flatMap(TargetZone.init(kept:))
        isPreferred = json["preferred"] == true
        if case .string(let text)? = json["title"] { title = text }
        if case .string(let text)? = json["note"] { note = text }
        if case .array(let kept)? = json["parts"] { parts = kept.compactMap(WorkoutPart.init) }
        if case .string(let text)? = json["part_of"] { partOf = try? ID(text) }
    }
}
