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
            var sum = made ?? Made(heard: count.time, isTimed: isTimed)
            switch link {
            case .begins: break
            case .follows(let interval, let steps): sum.add(steps, in: [count.time - interval..<count.time])
            case .leftOut: sum.leaveOut()
            }
            made = sum
        }
        return made
    }

    /// Steps of a day by one sensor, or by several together, and when they were made.
    public struct Made: Hashable, Sendable {
        /// A part of them, not in whole steps.
        struct Part: Hashable {
            var (walking, running) = (0.0, 0.0)
            var total: Double { walking + running }

            mutating func add(_ steps: Double, isRun: Bool) {
                if isRun { running += steps } else { walking += steps }
            }
        }

        /// Some of them, which were made evenly in certain times.
        struct Piece: Hashable {
            let times: [Range<Int64>]
            let steps: Double
            let isRun: Bool

            /// How long its times are, in milliseconds.
            var length: Int64 { StepCounter.length(times) }
        }

        private var all: Part
        private var leftOut: Int
        let isTimed: Bool
        /// When how many were made, and whether they were run; none if that is not kept.
        private(set) var pieces: [Piece] = []
        /// When the sensor was first heard on the day, in Unix milliseconds.
        private(set) var firstHeard: Int64?

        /// The whole, in whole steps.
        public var steps: Steps {
            let running = Int(all.running.rounded())
            return Steps(walking: Int(all.total.rounded()) - running, running: running, countsLeftOut: leftOut)
        }

        /// Steps, without the times when they were made.
        public init(_ steps: Steps = Steps(), isTimed: Bool = false) {
            (all, leftOut) = (Part(walking: Double(steps.walking), running: Double(steps.running)), steps.countsLeftOut)
            self.isTimed = isTimed
        }

        /// Steps of a sensor that was heard, in Unix milliseconds.
        init(heard time: Int64, isTimed: Bool) {
            self.init(isTimed: isTimed)
            firstHeard = time
        }

        /// Adds some, which were made in certain times.
        mutating func add(_ made: Int, in times: [Range<Int64>]) {
            add(Piece(times: times, steps: Double(made), isRun: isRun(made, in: StepCounter.length(times))))
        }

        /// Adds some.
        mutating func add(_ piece: Piece) {
            all.add(piece.steps, isRun: piece.isRun)
            if piece.steps > 0, isTimed { pieces.append(piece) }
        }

        mutating func leaveOut() { leftOut += 1 }

        /// Those that were not made in some times, if they were made evenly.
        func outside(_ times: TimeRanges) -> Part {
            guard !times.ranges.isEmpty else { return all }
            var part = Part()
            for piece in pieces {
                let length = piece.length
                let taken = piece.times.reduce(0) { $0 + times.length(in: $1) }
                let free = length > 0 ? Double(length - taken) / Double(length) : 1
                part.add(free * piece.steps, isRun: piece.isRun)
            }
            return part
        }

        /// How many were made in some times.
        func inside(_ times: TimeRanges) -> Double {
            times.ranges.isEmpty ? 0 : max(0, all.total - outside(times).total)
        }

        /// Whether it is the day's main source, rather than another: it has more steps, or as many and was heard first.
        func goesBefore(_ other: Made) -> Bool {
            if all.total != other.all.total { return all.total > other.all.total }
            let heard = (firstHeard ?? .max, other.firstHeard ?? .max)
            return heard.0 == heard.1 ? all.running > other.all.running : heard.0 < heard.1
        }
    }

    static func length(_ times: [Range<Int64>]) -> Int64 { times.reduce(0) { $0 + $1.upperBound - $1.lowerBound } }

    /// Each once. Mostly they are in order already: a day may have thousands.
    private static func inOrder(_ counts: some Sequence<Count>) -> [Count] {
        let counts = Array(counts)
        func isBefore(_ one: Count, _ other: Count) -> Bool { (one.time, one.steps) < (other.time, other.steps) }
        if zip(counts, counts.dropFirst()).allSatisfy(isBefore) { return counts }
        return Set(counts).sorted(by: isBefore)
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
