/// The minutes of a workout, and their sums.
struct WorkoutMinutes: Hashable, Sendable {
    private let rules: MinuteRules
    private var first: Int64?
    private var minutes: [WorkoutMinute] = []

    /// Millimetres; nil if they are not known of any minute.
    private(set) var millimetres: Int64?
    /// Steps.
    private(set) var steps: Int64?
    /// Thousandths of a kilocalorie.
    private(set) var calories: Int64?

    init(_ rules: MinuteRules) { self.rules = rules }

    /// Spreads what a source tells of a span of time over the minutes in which the workout was active.
    /// - Parameters:
    ///   - from: Unix milliseconds, before `to`.
    ///   - amount: of the whole span, in the source's unit.
    mutating func add(
        _ amount: Int64, from: Int64, to: Int64, _ source: WritableKeyPath<WorkoutMinute, Share>, _ timer: WorkoutTimer
    ) {
        guard from < to, let started = timer.started else { return }
        first = started / 60_000
        let length = to - from
        for piece in timer.activeSpans(from: from, to: to) {
            var start = piece.lowerBound
            while start < piece.upperBound {
                let end = min(piece.upperBound, (start / 60_000 + 1) * 60_000)
                // The parts of a span add up to the whole, without a rest.
                let part = amount * (end - from) / length - amount * (start - from) / length
                if let index = index(at: start) {
                    let minute = start / 60_000 * 60_000
                    minutes[index][keyPath: source].add(start - minute..<end - minute, part)
                    settle(index)
                }
                start = end
            }
        }
    }

    /// Computes again what follows from a minute.
    private mutating func settle(_ index: Int) {
        let (old, new) = (minutes[index].result, rules.result(of: minutes[index]))
        minutes[index].result = new
        Self.change(&millimetres, old.millimetres, new.millimetres)
        Self.change(&steps, old.steps, new.steps)
        Self.change(&calories, old.calories, new.calories)
    }

    private static func change(_ sum: inout Int64?, _ old: Int32?, _ new: Int32?) {
        guard old != nil || new != nil else { return }
        sum = (sum ?? 0) + Int64(new ?? 0) - Int64(old ?? 0)
    }

    /// Where a minute is kept; nil if the workout is too long.
    private mutating func index(at time: Int64) -> Int? {
        guard let first, time / 60_000 >= first, time / 60_000 - first <= WorkoutFold.longest / 60_000 else {
            return nil
        }
        let index = Int(time / 60_000 - first)
        while minutes.count <= index { minutes.append(WorkoutMinute()) }
        return index
    }
}
