import Fitness
import Telemetry

/// What a person does, record by record: recorded, or made up.
protocol Activity: Sendable {
    /// Where temperatures are taken; nil if nobody knows.
    var temperatureSite: TemperatureSite? { get }

    /// The next record, in order of time; nil when it is over.
    mutating func next() -> Record?
}

/// One record of an activity. What is nil was not measured.
struct Record: Equatable, Sendable {
    /// Seconds since the activity began.
    var elapsed: Double
    var beatsPerMinute: UInt16?
    /// Times between the beats since the last record, oldest first, in 1/1024 s.
    var rrIntervals: [UInt16] = []
    /// Steps since the activity began.
    var steps: UInt32?
    /// Degrees Celsius.
    var temperature: MedicalFloat?
    /// Strides of one leg, or turns of the cranks, per minute.
    var cadencePerMinute: Double?
    var metresPerSecond: Double?
    /// Metres since the activity began.
    var distance: Double?
    /// Where it was.
    var place: Place?
    /// Metres above sea level.
    var altitude: Double?
}
