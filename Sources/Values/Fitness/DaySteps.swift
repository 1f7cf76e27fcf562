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
    ///   - isTimed: whether it is kept when they were made.
    public static func made(
        _ counts: some Sequence<Count>, during day: [Range<Int64>], isTimed: Bool = true
    ) -> Made? {
        guard let first = day.map(\.lowerBound).min() else { return nil }
        var (chain, made) = (Chain(), Made?.none)
        // Older counts have no say, so the day is the same whether they are there or not.
        for count in inOrder(counts) where count.time >= first - longestGap {
            let link = chain.add(count)
            guard day.contains(where: { $0.contains(count.time) }) else { continue }
            var sum = made ?? Made(isTimed: isTimed)
            switch link {
            case .begins: break
            case .follows(let interval, let steps): sum.add(steps, in: [count.time - interval..<count.time])
            case .leftOut: sum.leaveOut()
            }
            made = sum
        }
        return made
    }

    /// Steps of a day by one sensor, and when they were made.
    public struct Made: Hashable, Sendable {
        /// A part of them, not in whole steps.
        struct Part {
            var (walking, running) = (0.0, 0.0)
        }

        /// All of them.
        public private(set) var steps = Steps()
        private let isTimed: Bool
        /// When how many were made, and whether they were run.
        private var pieces: [Piece] = []

        private struct Piece: Hashable {
            let times: [Range<Int64>]
            let steps: Int
            let isRun: Bool
        }

        /// Steps, without the times when they were made.
        public init(_ steps: Steps = Steps(), isTimed: Bool = false) { (self.steps, self.isTimed) = (steps, isTimed) }

        /// Adds some, which were made in certain times.
        mutating func add(_ made: Int, in times: [Range<Int64>]) {
            let isRun = isRun(made, in: length(times))
            if isRun { steps.running += made } else { steps.walking += made }
            if made > 0, isTimed { pieces.append(Piece(times: times, steps: made, isRun: isRun)) }
        }

        mutating func leaveOut() { steps.countsLeftOut += 1 }

        /// Those that were not made in some times, if they were made evenly.
        func outside(_ times: TimeRanges) -> Part {
            guard !times.ranges.isEmpty else {
                return Part(walking: Double(steps.walking), running: Double(steps.running))
            }
            var part = Part()
            for piece in pieces {
                let length = length(piece.times)
                let taken = piece.times.reduce(0) { $0 + times.length(in: $1) }
                let free = length > 0 ? Double(length - taken) / Double(length) : 1
                if piece.isRun { part.running += free * Double(piece.steps) } else { part.walking += free * Double(piece.steps) }
            }
            return part
        }
    }

    private static func length(_ times: [Range<Int64>]) -> Int64 { times.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }

    /// Each once. Mostly they are in order already: a day may have thousands.
    private static func inOrder(_ counts: some Sequence<Count>) -> [Count] {
        let counts = Array(counts)
        func isBefore(_ one: Count, _ other: Count) -> Bool { (one.time, one.steps) < (other.time, other.steps) }
        if zip(counts, counts.dropFirst()).allSatisfy(isBefore) { return counts }
        return Set(counts).sorted(by: isBefore)
    }

    /// What counts if several sensors were worn by one body: the sensor that counted most; of several such, the one
    /// that counted more running.
    public static func most(of sensors: some Sequence<Made>) -> Made? {
        sensors.max { ($0.steps.total, $0.steps.running) < ($1.steps.total, $1.steps.running) }
    }

    /// Whether so many steps in an interval, in milliseconds, were run.
    public static func isRun(_ made: Int, in interval: Int64) -> Bool {
        interval > 0 && interval <= longestStride && Int64(made) * 60_000 >= runningCadence * interval
    }
}

extension Person {
    /// The distance that steps cover, in metres.
    func metres(_ steps: StepCounter.Made.Part) -> Double? {
        stepLengthMetres.map { $0 * (steps.walking + steps.running) }
    }

    /// The net energy of steps in kilocalories, walking and running computed separately.
    func kilocalories(_ steps: StepCounter.Made.Part) -> Double? {
        guard let length = stepLengthMetres, let walked = kilocalories(metres: length * steps.walking, .walking),
            let run = kilocalories(metres: length * steps.running, .running)
        else { return nil }
        return walked + run
    }
}
