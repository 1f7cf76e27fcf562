import Fitness

/// What can be said of a workout that is under way.
public enum SpokenContent: String, CaseIterable, Hashable, Sendable {
    /// The heart rate now.
    case heartRate = "heart-rate"
    /// The zone of the heart rate now.
    case zone
    /// The mean speed. A speed of now would be that of ten seconds, in which somebody may have waited at a crossing.
    case speed
    /// The mean pace.
    case pace
    /// How far it was.
    case distance
    /// How long it took, without pauses.
    case duration
    /// The steps.
    case steps
    /// The energy.
    case energy
    /// How much of the goal is achieved.
    case goal
}

/// How often something is said.
public enum SpokenInterval: Hashable, Sendable {
    /// Whole minutes, without pauses.
    case minutes(Int)
    /// Kilometres.
    case kilometres(Double)
    /// Miles.
    case miles(Double)

    /// What minutes may be.
    public static let minutesRange = 1...120
    /// What kilometres and miles may be.
    public static let distances = 0.5...50

    /// Whether it is in the range of its kind.
    public var isPossible: Bool {
        switch self {
        case .minutes(let count): Self.minutesRange.contains(count)
        case .kilometres(let length), .miles(let length): Self.distances.contains(length)
        }
    }

    /// How many intervals have passed; nil if that is not known.
    func count(_ figures: WorkoutFigures) -> Int? {
        switch self {
        case .minutes(let count): Int(figures.activeMilliseconds / (60_000 * Int64(count)))
        case .kilometres(let length): whole(figures.metres, length * Units.metric.way)
        case .miles(let length): whole(figures.metres, length * Units.imperial.way)
        }
    }

    private func whole(_ metres: Double?, _ length: Double) -> Int? {
        metres.flatMap { Int(exactly: ($0 / length).rounded(.down)) }
    }
}

/// What a person wants to hear during a workout, and how often. That a workout begins, is interrupted, goes on, has reached its goal
/// or ends is always said.
public struct SpeakingPlan: Hashable, Sendable {
    /// How often it is said.
    public let interval: SpokenInterval
    /// What is said, in this order.
    public let contents: [SpokenContent]

    /// What is said if the person has chosen nothing. Time is known in every workout, with or without sensors.
    public static let usual = SpeakingPlan()

    private init() {
        (interval, contents) = (.minutes(5), [.duration, .distance, .pace, .heartRate])
    }

    /// A plan; nil if the interval cannot be, or contents are missing or there twice.
    public init?(_ interval: SpokenInterval, _ contents: [SpokenContent]) {
        guard interval.isPossible, !contents.isEmpty, Set(contents).count == contents.count else { return nil }
        (self.interval, self.contents) = (interval, contents)
    }
}

/// How far was spoken in a workout. It is given the figures again and again, and says what is due.
public struct SpokenProgress: Hashable, Sendable {
    private let interval: SpokenInterval
    private var spoken: Int?

    /// A workout that has just begun.
    public init(fromTheBeginning interval: SpokenInterval) { (self.interval, spoken) = (interval, 0) }

    /// A workout that has been under way for a while: what has passed with the first figures is not said again.
    public init(joining interval: SpokenInterval) { (self.interval, spoken) = (interval, nil) }

    /// Takes the figures of now.
    /// - Returns: whether something is due: each interval once, and the last one only if several have passed. During a pause nothing
    ///   is due.
    public mutating func isDue(_ figures: WorkoutFigures) -> Bool {
        guard figures.state == .running, let count = interval.count(figures) else { return false }
        guard let spoken else {
            self.spoken = count
            return false
        }
        // Figures that were counted again may be lower than before.
        guard count > spoken else { return false }
        self.spoken = count
        return true
    }
}
