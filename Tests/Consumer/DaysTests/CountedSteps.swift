import Fitness

/// The steps of a day by a counter, and of several counters together, told with nothing but arithmetic.
struct CountedSteps {
    /// Between two counts, in Unix milliseconds.
    struct Difference {
        let from: Int64
        let to: Int64
        let made: Int

        var isRun: Bool {
            let minutes = Double(to - from) / 60_000
            return minutes > 0 && minutes <= 10 && Double(made) / minutes >= 140
        }

        /// How many are from a time to another, if it is known when they were made: it is over an hour and a minute at most.
        func made(_ from: Int64, _ to: Int64) -> Double {
            let common = min(self.to, to) - max(self.from, from)
            guard common > 0, self.to - self.from <= 3_660_000 else { return 0 }
            return Double(made) * Double(common) / Double(self.to - self.from)
        }
    }

    /// When it was first heard on the day.
    let heard: Int64
    /// Those whose later count is of the day, in order.
    var differences: [Difference] = []

    private var total: Int { differences.reduce(0) { $0 + $1.made } }

    /// The steps of the source that has most, and in each hour without any of it those of the other that has most then; not rounded.
    static func together(_ sources: [CountedSteps], _ day: [Range<Int64>]) -> (walking: Double, running: Double)? {
        let order = sources.sorted { ($1.total, $0.heard) < ($0.total, $1.heard) }
        guard let main = order.first else { return nil }
        var (walking, running) = (0.0, 0.0)
        func add(_ steps: Double, _ difference: Difference) {
            if difference.isRun { running += steps } else { walking += steps }
        }
        for difference in main.differences { add(Double(difference.made), difference) }
        for part in day.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            var from = part.lowerBound
            while from < part.upperBound {
                let to = min(from + 3_600_000, part.upperBound)
                if !main.differences.contains(where: { $0.made > 0 && $0.from < to && from < $0.to }) {
                    let others = order.dropFirst().map { other in
                        (other, other.differences.reduce(0) { $0 + $1.made(from, to) })
                    }
                    let most = others.max { $0.1 < $1.1 }?.0.differences ?? []
                    for difference in most { add(difference.made(from, to), difference) }
                }
                from = to
            }
        }
        return (walking, running)
    }
}

extension Steps {
    /// What a day has of them, in whole steps.
    init(_ made: (walking: Double, running: Double)) {
        let running = Int(made.running.rounded())
        self.init(walking: Int((made.walking + made.running).rounded()) - running, running: running)
    }
}
