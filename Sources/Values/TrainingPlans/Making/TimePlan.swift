// How long each part of a plan is, and how many sets fill it. Times are whole seconds, most of them multiples of five, as
// people count them.

/// The parts of a plan besides the main one, and what is left for it.
struct TimePlan {
    /// A balance exercise is done once on each leg.
    static let balanceSets = 2
    static let (balanceWork, balanceRest) = (30, 15)
    /// What is left after each move of a warm-up or cool-down, to change to the next one.
    static let changing = 10

    /// Warm-up and cool-down each: an eighth of the time, from one minute to five.
    let edge: Int
    /// What is left for the main part.
    let main: Int

    init(minutes: Int, hasBalance: Bool) {
        let total = minutes * 60
        edge = min(max(total / 8 / 30 * 30, 60), 300)
        main = total - 2 * edge - (hasBalance ? Self.balanceSets * (Self.balanceWork + Self.balanceRest) : 0)
    }

    /// How many moves a warm-up or cool-down has, of about a minute.
    var moves: Int { max(2, edge / 60) }

    /// How long one of these moves is done.
    var moveSeconds: Int { edge / moves - Self.changing }
}

/// How many sets fill a time, and how long the rest after each of them is.
struct SetFit {
    /// How long a set takes.
    let work: Int
    let rest: Int
    let sets: Int

    /// Sets whose rests are within a range; one of those that fill the time; nil if none do.
    /// - Parameter mostSets: there are not more of them.
    init?(
        filling seconds: Int, work: Int, rests: ClosedRange<Int>, mostSets: Int, _ generator: inout PlanGenerator
    ) {
        let longest = work + rests.upperBound
        let (fewest, most) = ((seconds + longest - 1) / longest, min(seconds / (work + rests.lowerBound), mostSets))
        guard fewest <= most, fewest > 0 else { return nil }
        sets = generator.number(in: fewest...most)
        self.work = work
        rest = Self.rest(filling: seconds, work: sets * work, sets: sets, rests)
    }

    /// The rest after each of some sets, in steps of five seconds, within a range.
    static func rest(filling seconds: Int, work: Int, sets: Int, _ rests: ClosedRange<Int>) -> Int {
        let rest = Double(seconds - work) / Double(sets)
        return min(max(Int((rest / 5).rounded()) * 5, rests.lowerBound), rests.upperBound)
    }
}
