/// The totals of a day. What is not known of it is nil.
public struct DayTotals: Hashable, Sendable, Codable {
    /// The day.
    public var day: CalendarDay
    /// Steps.
    public var steps: Steps?
    /// The distance they cover, in metres.
    public var metres: Double?
    /// What energy they took, net, in kilocalories.
    public var kilocalories: Double?
    /// Body temperatures.
    public var temperature: TemperatureDay?
    /// Heart rates.
    public var heartRate: HeartRateDay?
    /// The state of the day's goals.
    public var goals: [Goal: GoalDay]

    /// A day of which this much is known.
    public init(
        _ day: CalendarDay, steps: Steps? = nil, metres: Double? = nil, kilocalories: Double? = nil,
        temperature: TemperatureDay? = nil, heartRate: HeartRateDay? = nil, goals: [Goal: GoalDay] = [:]
    ) {
        self.day = day
        (self.steps, self.metres, self.kilocalories) = (steps, metres, kilocalories)
        (self.temperature, self.heartRate, self.goals) = (temperature, heartRate, goals)
    }

    /// Whether anything was recorded on it.
    public var isRecorded: Bool { steps != nil || temperature != nil || heartRate != nil }

    /// How far a goal's value has come, in the goal's unit; nil if it is not known.
    public subscript(goal: Goal) -> Double? {
        switch goal {
        case .steps: steps.map { Double($0.total) }
        case .distance: metres
        case .energy: kilocalories
        }
    }
}
