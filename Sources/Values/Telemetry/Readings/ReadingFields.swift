// Kinds of readings that are several numbers. Blocks and packed hours have a column for each of them, and know nothing
// else about them.

/// One of the numbers of a reading.
package struct ReadingField: Sendable {
    /// What errors call it.
    package let name: String
    /// What it may be.
    package let range: ClosedRange<Int64>
    /// Whether a reading may be without it.
    package let isOptional: Bool
    /// Whether it changes steadily, so that second differences are smaller than first ones.
    package let isSteady: Bool

    private init(_ name: String, _ range: ClosedRange<Int64>, isOptional: Bool = true, isSteady: Bool = false) {
        (self.name, self.range, self.isOptional, self.isSteady) = (name, range, isOptional, isSteady)
    }

    fileprivate static let position = [
        ReadingField("latitude", Position.latitudes, isOptional: false, isSteady: true),
        ReadingField("longitude", Position.longitudes, isOptional: false, isSteady: true),
        ReadingField("altitude", Position.altitudes),
        ReadingField("accuracy", 0...Int64(UInt16.max)),
    ]
    fileprivate static let motion = [
        ReadingField("speed", 0...Int64(UInt16.max)),
        ReadingField("distance", 0...Int64(UInt32.max), isSteady: true),
        ReadingField("cadence", 0...Int64(UInt16.max)),
        ReadingField("power", 0...Int64(UInt16.max)),
    ]
    fileprivate static let pedometer = [
        ReadingField("milliseconds", 0...Int64(UInt32.max), isOptional: false),
        ReadingField("steps", 0...Int64(UInt32.max), isOptional: false),
    ]
}

extension Reading.Kind {
    /// The numbers of its readings, in the order of their columns; none if they are written in another way.
    package var fields: [ReadingField] {
        switch self {
        case .heartRate, .steps, .temperature: []
        case .position: ReadingField.position
        case .motion: ReadingField.motion
        case .pedometer: ReadingField.pedometer
        }
    }
}

extension Reading.Value {
    /// A number, or nil, for each of the kind's fields.
    package var numbers: [Int64?] {
        switch self {
        case .heartRate, .steps, .temperature: []
        case .position(let position): position.numbers
        case .motion(let motion): motion.numbers
        case .pedometer(let span): span.numbers
        }
    }

    /// A value from numbers that are in the ranges of the kind's fields.
    /// - Parameter state: the source; 0 where there is none.
    /// - Throws: if the state is none of the kind's, or the kind has no fields.
    package init(_ kind: Reading.Kind, numbers: [Int64?], state: UInt8) throws(MalformedValue) {
        let value: Reading.Value? =
            switch kind {
            case .heartRate, .steps, .temperature: nil
            case .position: Position.Source(rawValue: state).map { .position(Position(numbers, $0)) }
            case .motion: Motion.Source(rawValue: state).map { .motion(Motion(numbers, $0)) }
            case .pedometer:
                state == 0
                    ? .pedometer(
                        PedometerSpan(
                            milliseconds: UInt32(truncatingIfNeeded: numbers[0] ?? 0),
                            steps: UInt32(truncatingIfNeeded: numbers[1] ?? 0)))
                    : nil
            }
        guard let value else { throw MalformedValue("readings", .unsupported("state \(state)")) }
        self = value
    }

    /// What is kept in a column of its own because it rarely changes: contact, derivation, site or source.
    package var state: UInt8 {
        switch self {
        case .heartRate(let heartRate): heartRate.contact.rawValue
        case .steps(let steps): steps.isDerived ? 1 : 0
        case .temperature(let temperature): temperature.site?.rawValue ?? 0
        case .position(let position): position.source.rawValue
        case .motion(let motion): motion.source.rawValue
        case .pedometer: 0
        }
    }

    /// Whether a state may be of a kind.
    package static func isState(_ state: UInt8, of kind: Reading.Kind) -> Bool {
        switch kind {
        case .heartRate: HeartRateMeasurement.Contact(rawValue: state) != nil
        case .steps: state <= 1
        case .temperature: state == 0 || TemperatureSite(rawValue: state) != nil
        case .position: Position.Source(rawValue: state) != nil
        case .motion: Motion.Source(rawValue: state) != nil
        case .pedometer: state == 0
        }
    }
}
