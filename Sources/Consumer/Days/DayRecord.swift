package import Fitness
package import Telemetry

// What a day is made of, and its results: a row of `days`.
//
// A record holds the day's inputs, each count, temperature and span of a pedometer with its sensor and time, as a set: in
// whichever order and however often they come, the record is the same in the end. The same holds for the
// workouts that began on the day, which Exercise enters. The steps are derived from the inputs, and from those of the days
// before; they are kept, so that a year is read without computing it again. So are distance and energy, with the number of the formulas by which they were computed: neither another profile nor another
// formula changes a day that is over, unless its steps or workouts change or its person asks for it. Those of a day that has none
// are computed from the history when they are read.
//
// Which goals were reached is kept, and not derived: what was announced stays announced.
//
// DayRecordBytes.swift has the layout, and DayRows.swift the table.

/// The record of a day.
package struct DayRecord: Equatable {
    /// A value from a sensor, and its time (Unix milliseconds).
    package struct Entry: Hashable, Comparable {
        package let time: Int64
        /// Steps; thousandths of a degree Celsius; or steps and, in the lower 32 bits, how many milliseconds they took.
        package let value: Int64

        package static func < (one: Entry, other: Entry) -> Bool { (one.time, one.value) < (other.time, other.value) }
    }

    /// What sensors say of a day.
    package enum Input: CaseIterable {
        /// What a step counter showed.
        case count
        /// A body temperature.
        case temperature
        /// Steps that a pedometer counted in a span of time, at its end.
        case span
    }

    /// The entries of a kind of input, by sensor, in order, each once. No list is empty.
    package typealias Entries = [String: [Entry]]

    /// How many are kept of each sensor, the first of the day: one in four seconds, from morning to night. More is a
    /// fault, or a flood.
    package static let capacity = 20_000
    /// How many are kept of all sensors together, the first of the day: each change of a day opens and seals all of it.
    static let capacityOfAll = 60_000
    /// How many workouts of a day count, the first of the day.
    package static let mostWorkouts = 200

    package var steps: Steps?
    /// What the day came to when it was derived; nil if too little was known of the person then.
    package var figures: DayFigures?
    /// The workouts that began on the day and are over, by their id.
    package private(set) var workouts: [String: DayWorkout] = [:]
    package var reached: [Goal: GoalDay.Reached] = [:]
    /// No kind without entries.
    private var inputs: [Input: Entries] = [:]
    /// How many entries there are.
    private var size = 0

    package init() {}

    /// A record from its parts, as they were kept.
    init(
        steps: Steps?, figures: DayFigures?, reached: [Goal: GoalDay.Reached], _ inputs: [Input: Entries],
        workouts: [DayWorkout] = []
    ) {
        (self.steps, self.figures, self.reached) = (steps, figures, reached)
        for workout in workouts { self.workouts[workout.id] = workout }
        self.inputs = inputs.filter { !$0.value.isEmpty }
        measure()
    }

    package subscript(input: Input) -> Entries { inputs[input] ?? [:] }

    /// What step counters showed.
    package var counts: Entries { self[.count] }

    package var isEmpty: Bool { hasNothing && reached.isEmpty }

    /// Whether there is nothing that goals could be reached by.
    var hasNothing: Bool { inputs.isEmpty && workouts.isEmpty }

    /// Whether there are steps to be derived.
    var hasSteps: Bool { inputs[.count] != nil || inputs[.span] != nil }

    /// Whether some of it was left out.
    package var isFull: Bool {
        size >= Self.capacityOfAll || inputs.values.contains { $0.values.contains { $0.count >= Self.capacity } }
    }

    /// Enters a workout that began on the day, in place of what was known of it.
    package mutating func enter(_ workout: DayWorkout) {
        workouts[workout.id] = workout
        guard workouts.count > Self.mostWorkouts else { return }
        let latest = workouts.values.max { ($0.times.lowerBound, $0.id) < ($1.times.lowerBound, $1.id) }
        if let latest { workouts[latest.id] = nil }
    }

    /// Takes out a workout.
    package mutating func remove(workout id: String) { workouts[id] = nil }

    /// Adds what a sensor says; other readings are kept elsewhere.
    package mutating func insert(_ reading: Reading, _ sensor: String) {
        let time = reading.moment.wall
        switch reading.value {
        case .steps(let steps):
            let counter = steps.isDerived ? Self.derived(sensor) : sensor
            insert(Entry(time: time, value: Int64(steps.counter)), .count, counter)
        case .temperature(let temperature):
            insert(Entry(time: time, value: Int64(temperature.thousandths)), .temperature, sensor)
        case .pedometer(let span):
            insert(Entry(time: time, value: Int64(span.steps) << 32 | Int64(span.milliseconds)), .span, sensor)
        case .heartRate, .position, .motion: break
        }
        leaveOutLatest()
    }

    /// A counter that a gateway derived from cadence is different from the sensor's own: in one list each would look
    /// like a restart of the other. No sensor has such a name, because names have no spaces.
    private static func derived(_ sensor: String) -> String { "\(sensor) derived" }

    private mutating func insert(_ entry: Entry, _ input: Input, _ sensor: String) {
        size += Self.insert(entry, &inputs[input, default: [:]][sensor, default: []])
    }

    /// - Returns: how many more entries there are now.
    private static func insert(_ entry: Entry, _ entries: inout [Entry]) -> Int {
        // Most entries come in order.
        var index = entries.count
        if let last = entries.last, entry <= last {
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle] < entry { low = middle + 1 } else { high = middle }
            }
            index = low
            guard entries[index] != entry else { return 0 }
        }
        guard index < capacity else { return 0 }
        let before = entries.count
        entries.insert(entry, at: index)
        if entries.count > capacity { entries.removeLast() }
        return entries.count - before
    }

    /// Adds all entries of another record of the same day.
    package mutating func insert(_ other: DayRecord) {
        for (input, sensors) in other.inputs {
            for (sensor, entries) in sensors {
                Self.insert(entries, &inputs[input, default: [:]][sensor, default: []])
            }
        }
        measure()
        leaveOutLatest()
    }

    private static func insert(_ more: [Entry], _ entries: inout [Entry]) {
        entries = entries.isEmpty ? more : Array(Set(entries).union(more).sorted().prefix(capacity))
    }

    /// Whether any entry is within a range of time.
    func hasInputs(within times: Range<Int64>) -> Bool {
        inputs.values.contains { $0.values.contains { $0.contains { times.contains($0.time) } } }
    }

    /// Takes out the entries within a range of time.
    package mutating func remove(_ times: Range<Int64>) {
        for (input, sensors) in inputs {
            let left = sensors.mapValues { entries in entries.filter { !times.contains($0.time) } }
                .filter { !$0.value.isEmpty }
            inputs[input] = left.isEmpty ? nil : left
        }
        measure()
    }

    private mutating func measure() {
        size = inputs.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
    }

    /// The result of the day's temperatures.
    package var temperature: TemperatureDay? {
        TemperatureDay(
            self[.temperature].flatMap { sensor, entries in
                entries.map {
                    TemperatureReading(sensor: sensor, time: $0.time, celsius: Double($0.value) / 1000)
                }
            })
    }
}

// MARK: - What is left out

extension DayRecord {
    /// An entry of all, in the order in which entries are left out.
    private struct Place: Comparable {
        let entry: Entry
        let sensor: String
        let input: Input

        static func < (one: Place, other: Place) -> Bool {
            if one.entry != other.entry { return one.entry < other.entry }
            return one.sensor == other.sensor ? one.input.rank < other.input.rank : one.sensor < other.sensor
        }
    }

    /// Leaves out the latest entries of all sensors while there are too many. The rest is the same in whichever order
    /// they came: an entry that was left out was later than as many others as a day keeps, and there are always that
    /// many.
    private mutating func leaveOutLatest() {
        // If two days' entries are put together, many are too many at once: they are looked for together.
        if size > Self.capacityOfAll + 64 { leaveOutAllLatest() }
        while size > Self.capacityOfAll {
            guard let latest = latest else { return }
            removeLast(latest)
            size -= 1
        }
    }

    private mutating func leaveOutAllLatest() {
        var all: [Place] = []
        all.reserveCapacity(size)
        for (input, sensors) in inputs {
            for (sensor, entries) in sensors {
                for entry in entries { all.append(Place(entry: entry, sensor: sensor, input: input)) }
            }
        }
        all.sort()
        for place in all[Self.capacityOfAll...] { removeLast(place) }
        size = Self.capacityOfAll
    }

    private var latest: Place? {
        var latest: Place?
        for (input, sensors) in inputs {
            for (sensor, entries) in sensors {
                guard let entry = entries.last else { continue }
                let place = Place(entry: entry, sensor: sensor, input: input)
                if latest.map({ $0 < place }) ?? true { latest = place }
            }
        }
        return latest
    }

    private mutating func removeLast(_ place: Place) {
        inputs[place.input]?[place.sensor]?.removeLast()
        if inputs[place.input]?[place.sensor]?.isEmpty == true { inputs[place.input]?[place.sensor] = nil }
        if inputs[place.input]?.isEmpty == true { inputs[place.input] = nil }
    }
}

extension DayRecord.Input {
    /// Of entries that are the same otherwise, the one with the highest rank is left out first.
    fileprivate var rank: Int {
        switch self {
        case .temperature: 0
        case .count: 1
        case .span: 2
        }
    }
}
