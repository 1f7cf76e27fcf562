package import Telemetry

/// The kinds of readings as people spell them.
package enum ReadingKind: String, CaseIterable {
    case heartRate = "heart-rate"
    case steps
    case temperature
    case position
    case motion
    case pedometer

    /// The same kind as Telemetry numbers it.
    package var kind: Reading.Kind {
        switch self {
        case .heartRate: .heartRate
        case .steps: .steps
        case .temperature: .temperature
        case .position: .position
        case .motion: .motion
        case .pedometer: .pedometer
        }
    }

    package var bit: Grant.Kinds { Grant.Kinds(kind) }
}
