import Fitness

/// The minutes of a workout, and their sums.
struct WorkoutMinutes: Hashable, Sendable {
    private let rules: MinuteRules
    private var first: Int64?
    private var minutes: [WorkoutMinute] = []
    private var (metres, stepped, energy) = (Sum(), Sum(), Sum())
    /// Thousandths of a kilocalorie, by what gave most of them in each minute.
    private var sources: [EnergySource: Int64] = [:]

    /// Millimetres; nil if they are not known of any minute.
    var millimetres: Int64? { metres.total }
    /// Steps.
    var steps: Int64? { stepped.total }
    /// Thousandths of a kilocalorie.
    var calories: Int64? { energy.total }

    /// What gave most of the energy; nil if there is none.
    var energySource: EnergySource? {
        let most = sources.values.max() ?? 0
        return most > 0 ? EnergySource.allCases.first { sources[$0] == most } : nil
    }

    /// What a goal counts, in its unit, except for time.
    func value(_ kind: WorkoutGoal.Kind) -> Double? {
        switch kind {
        case .distance: millimetres.map { Double($0) / 1000 }
        case .steps: steps.map { Double($0) }
        case .energy: calories.map { Double($0) / 1000 }
        case .duration: nil
        }
    }

    init(_ rules: MinuteRules) { self.rules = rules }

    /// Spreads what a source has measured in a span of time over the minutes in which the workout was active.
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

    /// Covers slots by the mean heart rate of a minute, as far as they begin in active time and before `until`.
    /// - Parameters:
    ///   - slots: by their number since 1970. The first one is in the minute of the mean.
    ///   - until: Unix milliseconds.
    mutating func hold(_ mean: HeartMean, _ slots: Range<Int64>, until: Int64, _ timer: WorkoutTimer) {
        let inMinute = HeldHeartRates.slotsInMinute
        forEachActive(slots, until: until, timer) { minute, slot in
            minute.hold(mean, slot % inMinute, isOwn: slot / inMinute == slots.lowerBound / inMinute)
        }
    }

    /// Covers slots by the best of several sources, and by nothing else.
    /// - Parameters:
    ///   - pieces: in the order of time.
    ///   - end: slots from this one on stay as they are.
    mutating func holdBest(_ pieces: [HeldHeartRates.Piece], before end: Int64, _ timer: WorkoutTimer) {
        let inMinute = HeldHeartRates.slotsInMinute
        for index in minutes.indices where minutes[index].heart != HeartMinute() {
            let begin = ((first ?? 0) + Int64(index)) * inMinute
            guard begin < end else { break }
            minutes[index].heart.forget(first: min(end - begin, inMinute))
            settle(index)
        }
        for piece in pieces where piece.slots.lowerBound < end {
            let mean = HeartMean(piece)
            forEachActive(piece.slots.clamped(to: .min..<end), until: .max, timer) { minute, slot in
                minute.holdBest(mean, slot % inMinute)
            }
        }
    }

    /// When the sum of some minutes reached an amount, in Unix milliseconds: at the end of that minute; nil if it did not.
    func moment(ofCalories least: Int64) -> Int64? {
        var sum: Int64 = 0
        for (index, minute) in minutes.enumerated() {
            sum += Int64(minute.result.calories ?? 0)
            if sum >= least { return ((first ?? 0) + Int64(index) + 1) * 60_000 }
        }
        return nil
    }

    /// Shows those of some slots that begin in active time, by their number since 1970, with their minutes.
    private mutating func forEachActive(
        _ slots: Range<Int64>, until: Int64, _ timer: WorkoutTimer, _ body: (inout HeartMinute, Int64) -> Void
    ) {
        guard let started = timer.started else { return }
        first = started / 60_000
        let length = HeldHeartRates.slotMilliseconds
        for piece in timer.activeSpans(from: slots.lowerBound * length, to: min(slots.upperBound * length, until)) {
            for slot in HeldHeartRates.slots(in: piece) {
                guard let index = index(at: slot * length) else { continue }
                body(&minutes[index].heart, slot)
                settle(index)
            }
        }
    }

    /// Corrects the mean heart rate of a minute, by its number since 1970, if slots hold it.
    mutating func correct(_ mean: HeartMean, _ number: Int64) {
        guard let first, number >= first, number - first < minutes.count else { return }
        let index = Int(number - first)
        if minutes[index].heart.correct(mean) { settle(index) }
    }

    /// Shows all slots that hold a mean heart rate, in the order of their times.
    func forEachHeld(_ body: (HeartMinute.Held) -> Void) {
        for minute in minutes { minute.heart.forEachHeld(body) }
    }

    /// All slots that hold a mean heart rate, in the order of their times.
    var heldHeartRates: [HeldHeartRate] {
        guard let first else { return [] }
        var held: [HeldHeartRate] = []
        for (index, minute) in minutes.enumerated() {
            let start = (first + Int64(index)) * 60_000
            minute.heart.forEachHeld { part in
                for slot in 0..<HeldHeartRates.slotsInMinute where part.slots & 1 << UInt16(slot) != 0 {
                    held.append(
                        HeldHeartRate(time: start + slot * HeldHeartRates.slotMilliseconds, beatsPerMinute: part.mean))
                }
            }
        }
        return held
    }

    /// Computes again what follows from a minute.
    private mutating func settle(_ index: Int) {
        let (old, new) = (minutes[index].result, rules.result(of: minutes[index]))
        minutes[index].result = new
        metres.replace(old.millimetres, new.millimetres)
        stepped.replace(old.steps, new.steps)
        energy.replace(old.calories, new.calories)
        for (result, sign) in [(old, -1), (new, 1)] as [(WorkoutMinute.Result, Int64)] {
            guard let source = result.energySource, let calories = result.calories else { continue }
            let sum = sources[source, default: 0] + sign * Int64(calories)
            sources[source] = sum == 0 ? nil : sum
        }
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

/// A sum over those minutes of which something is known.
private struct Sum: Hashable, Sendable {
    private var sum: Int64 = 0
    private var minutes = 0

    /// The sum; nil if nothing is known of any minute.
    var total: Int64? { minutes > 0 ? sum : nil }

    /// Takes what is known of a minute now, in place of what was known before.
    mutating func replace(_ old: Int32?, _ new: Int32?) {
        sum += Int64(new ?? 0) - Int64(old ?? 0)
        minutes += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    }
}
