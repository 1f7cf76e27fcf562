// The steps of a day, from a counter that somebody reads now and then. A delta belongs to the day of its later count,
// because nobody knows when in between the steps were made; counting starts again if the count before is older than
// a day and a half.
//
//     count     100   |    150      20     25
//     delta           |     50      20      5      restarted at 0 before the 20
//     day    Monday   |   Tuesday: 75
//
// Steps that no person can walk do not count. Sprinters make up to five steps a second, for seconds (Salo et al.,
// Medicine & Science in Sports & Exercise 43(6), 2011), runners three; five are granted for as long as it takes, and
// 20,000 on top, because a counter may report late what it has counted elsewhere. So a day has at most 452,000 steps. A
// count beyond that is left out, and the counts before and after it are compared as if it were not there. If the counts
// after it follow from it, the counter has jumped, and counting starts again with it:
//
//     count     100   4,294,967,295   150         100   3,000,000   3,000,050
//     delta             left out       50              left out         50

/// Steps, by how they were made.
public struct Steps: Hashable, Sendable, Codable {
    /// Walked.
    public var walking: Int
    /// Run.
    public var running: Int
    /// How many counts were left out, because nobody walks that much.
    public var countsLeftOut: Int

    /// This many of each.
    public init(walking: Int = 0, running: Int = 0, countsLeftOut: Int = 0) {
        (self.walking, self.running, self.countsLeftOut) = (walking, running, countsLeftOut)
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
    /// The longest interval between two counts, in milliseconds, over which the gait is known: over a longer one a run
    /// is mixed with rest.
    static let longestStride: Int64 = 10 * 60_000
    /// The cadence, in steps a minute, from which a person is taken to run.
    static let runningCadence: Int64 = 140

    /// The steps of a day by one sensor; nil if it has no count in the day.
    /// - Parameters:
    ///   - counts: in any order, those of `longestGap` before the day included; repeats do not matter.
    ///   - day: the day's intervals (`LocalDays`), in Unix milliseconds.
    public static func day(_ counts: some Sequence<Count>, during day: [Range<Int64>]) -> Steps? {
        guard let first = day.map(\.lowerBound).min() else { return nil }
        var (chain, steps) = (Chain(), Steps?.none)
        // Older counts have no say, so the day is the same whether they are there or not.
        for count in inOrder(counts) where count.time >= first - longestGap {
            let link = chain.add(count)
            guard day.contains(where: { $0.contains(count.time) }) else { continue }
            var sum = steps ?? Steps()
            switch link {
            case .begins: break
            case .follows(let interval, let made): add(made, in: interval, to: &sum)
            case .leftOut: sum.countsLeftOut += 1
            }
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

    /// What counts if several sensors were worn by one body: the sensor that counted most; of several such, the one
    /// that counted more running.
    public static func most(of sensors: some Sequence<Steps>) -> Steps? {
        sensors.max { ($0.total, $0.running) < ($1.total, $1.running) }
    }

    private static func add(_ made: Int, in interval: Int64, to steps: inout Steps) {
        if isRun(made, in: interval) { steps.running += made } else { steps.walking += made }
    }

    /// Whether so many steps in an interval, in milliseconds, were run.
    public static func isRun(_ made: Int, in interval: Int64) -> Bool {
        interval > 0 && interval <= longestStride && Int64(made) * 60_000 >= runningCadence * interval
    }
}

extension Person {
    /// The distance that steps cover, in metres.
    public func metres(_ steps: Steps) -> Double? { metres(steps: steps.total) }

    /// The net energy of steps in kilocalories, walking and running computed separately.
    public func kilocalories(_ steps: Steps) -> Double? {
        guard let walked = metres(steps: steps.walking).flatMap({ kilocalories(metres: $0, .walking) }),
            let run = metres(steps: steps.running).flatMap({ kilocalories(metres: $0, .running) })
        else { return nil }
        return walked + run
    }
}
