// A workout is kept by minutes of UTC: which seconds of each minute every source has measured, and how much. So sources
// can be put together when all that they have measured of a minute is there, in whatever order it came; and a workout
// takes some 150 bytes a minute, and 80 more where a sensor measures a distance or work, however many samples there are.
// All sums are whole numbers: they do not depend on the order.

/// What one source has measured of a minute, or several together.
struct Share: Hashable, Sendable {
    /// Which seconds it has measured: bit n stands for the second n.
    private(set) var seconds: UInt64 = 0
    /// How many milliseconds it has measured.
    private(set) var milliseconds: Int32 = 0
    /// What it has measured, in the source's unit.
    private(set) var amount: Int32 = 0

    /// Nothing.
    init() {}

    /// Several sources, the best first: each fills the seconds that the ones before it did not measure.
    init(_ sources: [Share]) {
        for source in sources {
            let part = source.without(seconds)
            seconds |= part.seconds
            add(Int64(part.milliseconds), Int64(part.amount))
        }
    }

    /// Adds what was measured in a span of a minute: from a millisecond up to another.
    mutating func add(_ span: Range<Int64>, _ amount: Int64) {
        guard let first = span.first, let last = span.last, first >= 0, last < 60_000 else { return }
        for second in first / 1000...last / 1000 { seconds |= 1 << UInt64(second) }
        add(last - first + 1, amount)
    }

    /// Sums stay within their type, whatever a source measures.
    private mutating func add(_ milliseconds: Int64, _ amount: Int64) {
        self.milliseconds = Int32(clamping: Int64(self.milliseconds) + milliseconds)
        self.amount = Int32(clamping: Int64(self.amount) + Int64(Int32(clamping: amount)))
    }

    /// The part that was measured in other seconds. Within a minute the source is taken to be steady.
    func without(_ others: UInt64) -> Share {
        var part = Share()
        part.seconds = seconds & ~others
        let (left, all) = (Int64(part.seconds.nonzeroBitCount), Int64(seconds.nonzeroBitCount))
        guard left > 0 else { return part }
        part.add(Int64(milliseconds) * left / all, Int64(amount) * left / all)
        return part
    }

    /// Whether it has measured nothing.
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
    /// No millimetres at all, by positions that stay within their accuracy of a place.
    var still = Share()
    /// What each sensor measures, in the order of the sensors' numbers.
    private var sensors: [Sensed] = []
    /// Millimetres between positions with a long silence or a stand in between: the way may have been longer.
    var gap = Share()
    /// Steps by a counter.
    var counter = Share()
    /// Steps by a phone's pedometer.
    var pedometer = Share()
    /// Millimetres climbed, while altitudes were known.
    var climb = Share()
    /// Heart rates.
    var heart = HeartMinute()

    private struct Sensed: Hashable, Sendable {
        let number: UInt8
        /// Millimetres by its speed or its total distance.
        var way = Share()
        /// Watts times milliseconds.
        var work = Share()
    }

    private subscript(number: UInt8) -> Sensed {
        get { sensors.first { $0.number == number } ?? Sensed(number: number) }
        set {
            let index = sensors.firstIndex { $0.number >= number } ?? sensors.count
            if index == sensors.count || sensors[index].number != number { sensors.insert(newValue, at: index) }
            sensors[index] = newValue
        }
    }

    /// Millimetres by a sensor's speed or total distance.
    subscript(sensor number: UInt8) -> Share {
        get { self[number].way }
        set { self[number].way = newValue }
    }

    /// Work by a sensor's power, in watts times milliseconds.
    subscript(work number: UInt8) -> Share {
        get { self[number].work }
        set { self[number].work = newValue }
    }

    /// Millimetres by all sensors. Of several that measure the same, that with the lowest number counts.
    var sensed: Share { Share(sensors.map(\.way)) }

    /// Work by all sensors, likewise.
    var work: Share { Share(sensors.map(\.work)) }

    /// What follows; computed again whenever the minute changes.
    var result = Result()

    /// What follows from a minute; nil if it cannot be known.
    struct Result: Hashable, Sendable {
        @Compact var millimetres: Int32?
        @Compact var steps: Int32?
        /// Thousandths of a kilocalorie, beyond rest.
        @Compact var calories: Int32?
        /// What gave most of them.
        var energySource: EnergySource?
    }
}

/// A number or nil, in four bytes: the least number stands for nil.
@propertyWrapper struct Compact: Hashable, Sendable {
    private var number = Int32.min

    init(wrappedValue: Int32?) { self.wrappedValue = wrappedValue }

    var wrappedValue: Int32? {
        get { number == .min ? nil : number }
        set { number = newValue ?? .min }
    }
}

/// A whole number near another, within what a sum of many can hold; 0 for what is no number.
func whole(_ number: Double) -> Int64 {
    number.isNaN ? 0 : Int64(max(-1e15, min(1e15, number)).rounded())
}
