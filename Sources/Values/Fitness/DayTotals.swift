/// The totals of a day. What is not known of it is nil.
public struct DayTotals: Hashable, Sendable, Codable {
    /// The day.
    public var day: CalendarDay
    /// Steps.
    public var steps: Steps?
    /// How far the person went, and what energy that took.
    public var figures: DayFigures?
    /// Body temperatures.
    public var temperature: TemperatureDay?
    /// Heart rates.
    public var heartRate: HeartRateDay?
    /// The state of the day's goals.
    public var goals: [Goal: GoalDay]

    /// A day of which this much is known.
    public init(
        _ day: CalendarDay, steps: Steps? = nil, figures: DayFigures? = nil,
        temperature: TemperatureDay? = nil, heartRate: HeartRateDay? = nil, goals: [Goal: GoalDay] = [:]
    ) {
        self.day = day
        (self.steps, self.figures) = (steps, figures)
        (self.temperature, self.heartRate, self.goals) = (temperature, heartRate, goals)
    }

    /// Whether anything was recorded on it.
    public var isRecorded: Bool { steps != nil || figures != nil || temperature != nil || heartRate != nil }

    /// The whole distance in metres; nil if no part is known.
    public var metres: Double? { figures?.allMetres }
    /// What energy the day took beyond rest, in kilocalories; nil if no part is known.
    public var kilocalories: Double? { figures?.kilocalories }

    /// The distance on foot in metres; nil if nothing is known of it.
    public var metresOnFoot: Double? { figures?.metres[.foot] }

    /// How far a goal's value has come, in the goal's unit, in all ways; nil if it is not known.
    public subscript(goal: Goal) -> Double? {
        switch goal {
        case .steps: steps.map { Double($0.total) }
        case .distance: metres
        case .energy: kilocalories
        }
    }

    /// The same, by what the person wanted of it.
    public subscript(goal: Goal, targets: GoalTargets) -> Double? {
        goal == .distance && targets.isDistanceOnFoot ? metresOnFoot : self[goal]
    }
}
