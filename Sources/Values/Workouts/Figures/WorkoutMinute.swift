// A workout is kept by minutes of UTC: which seconds of each minute every source has told of, and how much it told. So
// sources can be put together when all that they say of a minute is there, in whatever order it came; and a workout
// takes some 140 bytes a minute, however many samples there are. All sums are whole numbers: they do not depend on the
// order.

/// What one source has told of a minute, or several together.
struct Share: Hashable, Sendable {
    /// Of which seconds it has told something: bit n stands for the second n.
    private(set) var seconds: UInt64 = 0
    /// Of how many milliseconds.
    private(set) var milliseconds: Int32 = 0
    /// What it has told, in the source's unit.
    private(set) var amount: Int32 = 0

    /// Nothing.
    init() {}

    /// Several sources, the best first: each fills the seconds of which the ones before it told nothing.
    init(_ sources: Share...) {
        for source in sources {
            let part = source.without(seconds)
            seconds |= part.seconds
            add(Int64(part.milliseconds), Int64(part.amount))
        }
    }

    /// Adds what was told of a span of a minute: from a millisecond up to another.
    mutating func add(_ span: Range<Int64>, _ amount: Int64) {
        guard let first = span.first, let last = span.last, first >= 0, last < 60_000 else { return }
        for second in first / 1000...last / 1000 { seconds |= 1 << UInt64(second) }
        add(last - first + 1, amount)
    }

    /// Sums stay within their type, whatever a source tells.
    private mutating func add(_ milliseconds: Int64, _ amount: Int64) {
        self.milliseconds = Int32(clamping: Int64(self.milliseconds) + milliseconds)
        self.amount = Int32(clamping: Int64(self.amount) + Int64(Int32(clamping: amount)))
    }

    /// The part that was told of other seconds. Within a minute the source is taken to be steady.
    func without(_ others: UInt64) -> Share {
        var part = Share()
        part.seconds = seconds & ~others
        let (left, all) = (Int64(part.seconds.nonzeroBitCount), Int64(seconds.nonzeroBitCount))
        guard left > 0 else { return part }
        part.add(Int64(milliseconds) * left / all, Int64(amount) * left / all)
        return part
    }

    /// Whether it has told nothing.
    var isEmpty: Bool { seconds == 0 }

    /// The amount by its time: that of a rate which was summed up over milliseconds.
    var mean: Double { Double(amount) / Double(max(1, milliseconds)) }

    /// In minutes.
    var minutes: Double { Double(milliseconds) / 60_000 }
}

/// What is known of a minute of a workout.
struct WorkoutMinute: Hashable, Sendable {
    /// Millimetres by positions that follow each other.
    var path = Share()
    /// Millimetres by a sensor's speed or total distance.
    var sensor = Share()
    /// Millimetres between positions with a long silence in between: the way may have been longer.
    var gap = Share()
    /// Steps by a counter.
    var counter = Share()
    /// Steps by a phone's pedometer.
    var pedometer = Share()
    /// Millimetres climbed, while altitudes were known.
    var climb = Share()
    /// Beats per minute, times milliseconds.
    var heart = Share()

    /// What follows; computed again whenever the minute changes.
    var result = Result()

    /// What follows from a minute; nil if it cannot be known.
    struct Result: Hashable, Sendable {
        var millimetres: Int32?
        var steps: Int32?
        /// Thousandths of a kilocalorie.
        var calories: Int32?
    }
}

/// A whole number near another, within what a sum of many can hold; 0 for what is no number.
func whole(_ number: Double) -> Int64 {
    number.isNaN ? 0 : Int64(max(-1e15, min(1e15, number)).rounded())
}
