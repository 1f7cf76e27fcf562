// Several sensors count the steps of one body: a phone and a band. The one with the most counts for the day. If it has
// made none in an hour, because it lay on a table, the others count there:
//
//     hour      8      9     10     11     12     13
//     phone  3000    500      .      .    700      .      4200 in all
//     band      .      .      .      .   4000    300      4300: the main source
//     day    3000    500      .      .   4000    300      7800
//
// A difference over at most an hour was made evenly in it. Of one over a longer time nobody knows the hours, so it is the day's, and
// in none of the hours that it touches anything else counts.

extension StepCounter {
    /// A difference over at most so long has its hours, in milliseconds: an hour, and a minute, because a sensor that is read
    /// each hour is not read at the second.
    private static let longestOfHours: Int64 = 61 * 60_000

    /// What the sources of a day come to together; nil without sources.
    /// - Parameters:
    ///   - sources: of several that are as good, the first one goes before.
    ///   - day: the day's intervals (`LocalDays`), in Unix milliseconds.
    public static func together(_ sources: [Made], in day: [Range<Int64>]) -> Made? {
        let order = sources.indices.sorted { one, other in
            if sources[one].goesBefore(sources[other]) { return true }
            return !sources[other].goesBefore(sources[one]) && one < other
        }
        guard let main = order.first else { return nil }
        let hours = hours(of: day)
        var (made, own) = (sources[main], sources[main].parts(of: hours))
        let others = order.dropFirst().map { sources[$0].parts(of: hours) }
        for index in hours.indices where own[index].steps == 0 && !own[index].isTouched {
            for other in others where other[index].steps > own[index].steps { own[index] = other[index] }
            for piece in own[index].pieces { made.add(piece) }
        }
        return made
    }

    /// The hours of a day by the person's clock. An hour that comes twice is two.
    private static func hours(of day: [Range<Int64>]) -> [Range<Int64>] {
        let hour: Int64 = 3_600_000
        return day.sorted { $0.lowerBound < $1.lowerBound }.flatMap { times in
            stride(from: times.lowerBound, to: times.upperBound, by: Int(hour)).map {
                $0..<min($0 + hour, times.upperBound)
            }
        }
    }

    /// What a source has of an hour.
    fileprivate struct HourPart {
        var steps = 0.0
        var pieces: [Made.Piece] = []
        /// Whether steps were made in a longer time that the hour is part of.
        var isTouched = false
    }
}

extension StepCounter.Made {
    /// What it has of some hours, in their order.
    fileprivate func parts(of hours: [Range<Int64>]) -> [StepCounter.HourPart] {
        // Of steps without times nobody knows the hours, either.
        let none = StepCounter.HourPart(isTouched: !isTimed && steps.total > 0)
        var parts = [StepCounter.HourPart](repeating: none, count: hours.count)
        for piece in pieces {
            let length = piece.length
            let hasHours = length > 0 && length <= StepCounter.longestOfHours
            for times in piece.times {
                var index = hours.firstPlace { $0.upperBound > times.lowerBound }
                while index < hours.count, hours[index].lowerBound < times.upperBound {
                    let common = hours[index].clamped(to: times)
                    if hasHours {
                        let steps = piece.steps * Double(common.upperBound - common.lowerBound) / Double(length)
                        parts[index].steps += steps
                        parts[index].pieces.append(Piece(times: [common], steps: steps, isRun: piece.isRun))
                    } else {
                        parts[index].isTouched = true
                    }
                    index += 1
                }
            }
        }
        return parts
    }

    /// These, and what workouts on foot have counted themselves beyond them in their time.
    /// - Parameters:
    ///   - workouts: those that began on the day, in any order.
    ///   - others: those that began on days before.
    public func with(_ workouts: [DayWorkout], after others: [DayWorkout]) -> StepCounter.Made {
        var made = self
        for (workout, share) in DayWorkout.counted(workouts, after: others) where workout.kind.distance == .foot {
            guard let own = workout.steps else { continue }
            let more = share * (own - inside(TimeRanges([workout.times])))
            // A workout has whole steps, and shares of differences at its ends.
            guard more >= Self.leastMore else { continue }
            let isRun = workout.activity.lowercased().hasPrefix("run")
            made.add(Piece(times: [workout.times], steps: more, isRun: isRun))
        }
        return made
    }

    /// From how many steps on a difference counts.
    private static let leastMore = 2.0
}

extension RandomAccessCollection where Index == Int {
    /// The first index where something holds that stays so; the end if it never does.
    fileprivate func firstPlace(_ holds: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
