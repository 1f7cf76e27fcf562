extension StepCounter {
    /// The most steps that anybody makes in a second.
    static let mostPerSecond: Int64 = 5
    /// How many more a counter may report at once, if it is read now and then.
    public static let mostAtOnce: Int64 = 20_000

    /// Counts in the order of their times, each with what it says about the one before. `DaySteps.swift` tells which
    /// counts are left out.
    public struct Chain: Hashable, Sendable {
        /// What a count says about the one before.
        public enum Link: Hashable, Sendable {
            /// Nothing: no count before it is known, or the last one is too old.
            case begins
            /// The number of steps that were made in the interval before it, in milliseconds.
            case follows(interval: Int64, made: Int)
            /// Nobody walks that much: it is left out.
            case leftOut
        }

        /// A count, and by how much the steps up to it are ahead of what anybody makes.
        private struct Place: Hashable, Sendable {
            var count: Count
            var ahead: Int64 = 0

            /// By how much they are ahead at a later time, if none were made since.
            func ahead(at time: Int64) -> Int64 { max(0, ahead - (time - count.time) * mostPerSecond / 1000) }

            /// The place of a later count, and the steps in between; nil if it is too late, or nobody walks that
            /// much.
            func next(_ later: Count, atOnce: Int64) -> (place: Place, made: Int64)? {
                let interval = later.time - count.time
                guard interval <= longestGap else { return nil }
                let made = Int64(steps(from: count.steps, to: later.steps))
                let ahead = max(0, self.ahead + made - interval * mostPerSecond / 1000)
                return ahead <= atOnce ? (Place(count: later, ahead: ahead), made) : nil
            }
        }

        private let atOnce: Int64
        private var last: Place?
        /// The latest count, if it was left out.
        private var suspect: Place?

        /// A chain without counts.
        /// - Parameter atOnce: how many steps a counter may report at once, beyond those that a person makes meanwhile.
        public init(atOnce: Int64 = StepCounter.mostAtOnce) { self.atOnce = atOnce }

        /// Takes the next count.
        public mutating func add(_ count: Count) -> Link {
            for place in [last, suspect] {
                guard let place, let (next, made) = place.next(count, atOnce: atOnce) else { continue }
                (last, suspect) = (next, nil)
                return .follows(interval: count.time - place.count.time, made: Int(made))
            }
            let isKnown = [last, suspect].contains { place in
                place.map { count.time - $0.count.time <= longestGap } ?? false
            }
            guard isKnown else {
                (last, suspect) = (Place(count: count), nil)
                return .begins
            }
            // A counter that jumps repeatedly is not granted more than one that does not.
            let ahead = [last, suspect].compactMap { $0?.ahead(at: count.time) }.max() ?? 0
            suspect = Place(count: count, ahead: ahead)
            return .leftOut
        }
    }
}
