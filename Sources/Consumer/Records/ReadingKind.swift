package import Telemetry

/// The kinds of readings as people spell them.
package enum ReadingKind: String, CaseIterable {
    case heartRate = "heart-rate"
    case steps
    case temperature

    /// The same kind as Telemetry numbers it.
    package var kind: Reading.Kind {
        switch self {
        case .heartRate: .heartRate
        case .steps: .steps
        case .temperature: .temperature
        }
    }

    package var bit: Grant.Kinds { Grant.Kinds(kind) }
}

extension Grant.Kinds {
    /// A kind alone.
    package init(_ kind: Reading.Kind) {
        switch kind {
        case .heartRate: self = .heartRate
        case .steps: self = .steps
        case .temperature: self = .temperature
        }
    }
}
