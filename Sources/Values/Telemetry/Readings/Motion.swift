/// What a foot pod or a sensor on a bicycle measures, in the numbers in which it is sealed and sent. What the sensor
/// does not say is nil.
public struct Motion: Hashable, Sendable {
    /// What moves. The raw values are those of a readings block.
    public enum Source: UInt8, CaseIterable, Sendable {
        /// A foot pod: its cadence counts steps.
        case foot = 0
        /// A bicycle: its cadence counts turns of the crank.
        case bicycle = 1
    }

    /// Millimetres a second.
    public let speed: UInt16?
    /// A total distance in decimetres that only rises until the sensor restarts.
    public let distance: UInt32?
    /// Tenths of a step, or of a turn of the crank, in a minute.
    public let cadence: UInt16?
    /// Power in watts.
    public let power: UInt16?
    /// What moves.
    public let source: Source

    /// A measurement from metres a second, metres, steps or turns in a minute, and watts. What cannot be is taken for
    /// unknown.
    public init(
        metresPerSecond: Double? = nil, totalMetres: Double? = nil, cadence: Double? = nil, watts: Double? = nil,
        source: Source
    ) {
        func number(_ value: Double?, times factor: Double, atMost most: Double) -> Double? {
            value.map { ($0 * factor).rounded() }.flatMap { $0 >= 0 && $0 <= most ? $0 : nil }
        }
        speed = number(metresPerSecond, times: 1000, atMost: 65_535).map { UInt16($0) }
        distance = number(totalMetres, times: 10, atMost: 4_294_967_295).map { UInt32($0) }
        self.cadence = number(cadence, times: 10, atMost: 65_535).map { UInt16($0) }
        power = number(watts, times: 1, atMost: 65_535).map { UInt16($0) }
        self.source = source
    }

    init(_ numbers: [Int64?], _ source: Source) {
        speed = numbers[0].map { UInt16(truncatingIfNeeded: $0) }
        distance = numbers[1].map { UInt32(truncatingIfNeeded: $0) }
        cadence = numbers[2].map { UInt16(truncatingIfNeeded: $0) }
        power = numbers[3].map { UInt16(truncatingIfNeeded: $0) }
        self.source = source
    }

    var numbers: [Int64?] {
        [speed.map(Int64.init), distance.map(Int64.init), cadence.map(Int64.init), power.map(Int64.init)]
    }

    /// Whether it says nothing.
    public var isEmpty: Bool { speed == nil && distance == nil && cadence == nil && power == nil }

    /// Metres a second.
    public var metresPerSecond: Double? { speed.map { Double($0) / 1000 } }
    /// Metres in all.
    public var totalMetres: Double? { distance.map { Double($0) / 10 } }
    /// Steps, or turns of the crank, in a minute.
    public var cadencePerMinute: Double? { cadence.map { Double($0) / 10 } }
    /// Watts.
    public var watts: Double? { power.map { Double($0) } }
}

extension Motion.Source: CustomStringConvertible {
    /// As people spell it.
    public var description: String {
        switch self {
        case .foot: "foot"
        case .bicycle: "bicycle"
        }
    }
}

/// Steps that a phone's pedometer has counted in a span of time. The moment of its reading is the end of the span.
public struct PedometerSpan: Hashable, Sendable {
    /// How long the span was, in milliseconds.
    public let milliseconds: UInt32
    /// Steps in it.
    public let steps: UInt32

    /// Steps in a span of some milliseconds.
    public init(milliseconds: UInt32, steps: UInt32) {
        (self.milliseconds, self.steps) = (milliseconds, steps)
    }

    var numbers: [Int64?] { [Int64(milliseconds), Int64(steps)] }
}
