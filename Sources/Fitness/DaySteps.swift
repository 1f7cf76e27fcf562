// The steps of a day, from a counter that somebody reads now and then. A delta belongs to the day of its later count, for when in
// between the steps were made nobody knows; counting begins anew where the count before is older than a day and a half.
//
//     count     100   |    150      20     25
//     delta           |     50      20      5      restarted at 0 before the 20
//     day    Monday   |   Tuesday: 75

/// Steps, by how they were made.
public struct Steps: Hashable, Sendable, Codable {
    /// Walked.
    public var walking: Int
    /// Run.
    public var running: Int

    /// So many of both.
    public init(walking: Int = 0, running: Int = 0) {
        (self.walking, self.running) = (walking, running)
    }

    /// All of them.
    public var total: Int { walking + running }
}

extension StepCounter {
    /// What a counter showed at a moment.
    public struct Count: Hashable, Sendable {
        /// Unix milliseconds.
        public var time: Int64
        /// Steps since it was last restarted.
        public var steps: UInt32

        /// A count.
        public init(time: Int64, steps: UInt32) {
            (self.time, self.steps) = (time, steps)
        }
    }

    /// How much older the count before may be, in milliseconds.
    public static let longestGap: Int64 = 36 * 3_600_000
    /// Up to which interval between two counts the gait is known, in milliseconds: over a longer one a run is mixed with rest.
    static let longestStride: Int64 = 10 * 60_000
    /// From how many steps a minute on somebody runs.
    static let runningCadence: Int64 = 140

    /// The steps of a day by one sensor; nil where it has no count in the day.
    /// - Parameters:
    ///   - counts: in any order, those of `longestGap` before the day included; repeats do not matter.
    ///   - day: the day's intervals (`LocalDays`), in Unix milliseconds.
    public static func day(_ counts: some Sequence<Count>, during day: [Range<Int64>]) -> Steps? {
        var previous: Count?
        var steps: Steps?
        for count in inOrder(counts) {
            defer { previous = count }
            guard day.contains(where: { $0.contains(count.time) }) else { continue }
            var sum = steps ?? Steps()
            if let previous, count.time - previous.time <= longestGap { add(previous, count, to: &sum) }
            steps = sum
        }
        return steps
    }

    /// Each once. Mostly they are in order already: a day may have thousands.
    private static func inOrder(_ counts: some Sequence<Count>) -> [Count] {
        let counts = Array(counts)
        func isBefore(_ one: Count, _ other: Count) -> Bool { (one.time, one.steps) < (other.time, other.steps) }
        if zip(counts, counts.dropFirst()).allSatisfy(isBefore) { return counts }
        return Set(counts).sorted(by: isBefore)
    }

    /// What counts where several sensors were worn by one body: that which counted most; of several the one that counted more running.
    public static func most(of sensors: some Sequence<Steps>) -> Steps? {
        sensors.max { ($0.total, $0.running) < ($1.total, $1.running) }
    }

    private static func add(_ earlier: Count, _ later: Count, to steps: inout Steps) {
        let made = Int(self.steps(from: earlier.steps, to: later.steps))
        let interval = later.time - earlier.time
        let isRunning =
            interval > 0 && interval <= longestStride && Int64(made) * 60_000 >= runningCadence * interval
        if isRunning { steps.running += made } else { steps.walking += made }
    }
}

extension Person {
    /// How far steps go, in metres.
    public func metres(_ steps: Steps) -> Double? { metres(steps: steps.total) }

    /// The net energy of steps in kilocalories, walking and running by themselves.
    public func kilocalories(_ steps: Steps) -> Double? {
        guard let walked = metres(steps: steps.walking).flatMap({ kilocalories(metres: $0, .walking) }),
            let run = metres(steps: steps.running).flatMap({ kilocalories(metres: $0, .running) })
        else { return nil }
        return walked + run
    }
}
