package import Contract
package import Fitness
import Records
package import Telemetry

// What a profile says of the heart: `zones_by`, `max_heart_rate`, `resting_heart_rate`, `threshold_heart_rate` and `zone_limits`. What is
// left out of a request stays as it was, and null takes it back.

extension HeartRateFacts.Figure {
    /// Its field in a profile.
    package var field: String {
        switch self {
        case .maximum: "max_heart_rate"
        case .resting: "resting_heart_rate"
        case .threshold: "threshold_heart_rate"
        }
    }

    fileprivate var words: String {
        switch self {
        case .maximum: "the highest heart rate"
        case .resting: "the heart rate at rest"
        case .threshold: "the heart rate at the threshold"
        }
    }
}

extension HeartRateFacts {
    package static let (methodField, limitsField) = ("zones_by", "zone_limits")

    /// What a request says.
    /// - Parameters:
    ///   - old: what was known.
    ///   - person: who says it, as they are today.
    init(_ fields: JSON, old: HeartRateFacts, of person: Person) throws(ReplyError) {
        self = old
        for figure in Figure.allCases {
            guard let value = fields[figure.field] else { continue }
            if value != .null, value.double == nil { throw Self.refusal(.impossible(figure)) }
            figures[figure] = value.double
        }
        switch fields[Self.limitsField] {
        case nil: break
        case .null?: limits = nil
        case .array(let list)?:
            let numbers = list.compactMap(\.double)
            guard numbers.count == list.count else { throw Self.refusal(.impossibleLimit) }
            limits = numbers
        default: throw Self.refusal(.notFiveLimits)
        }
        switch fields[Self.methodField] {
        case nil:
            // An own maximum counts at once, and one that is taken back no longer does.
            if method == .age, maximum != nil, maximum != old.maximum { method = .maximum }
            if method == .maximum, maximum == nil { method = .age }
        case .null?: method = .age
        case .string(let text)?:
            guard let chosen = HeartRateZones.Method(rawValue: text) else { throw Self.unknownMethod }
            method = chosen
        default: throw Self.unknownMethod
        }
        if self != old, let problem = problem(of: person) { throw Self.refusal(problem) }
    }

    private static let unknownMethod = ReplyError(
        .invalid, "zones are by \(HeartRateZones.Method.allCases.map(\.rawValue).joined(separator: ", "))",
        field: methodField)

    private static func refusal(_ problem: Problem) -> ReplyError {
        let range = "\(Int(heartRates.lowerBound)) to \(Int(heartRates.upperBound)) bpm"
        let (words, field): (String, String) =
            switch problem {
            case .impossible(let figure): ("\(figure.words) has to be from \(range)", figure.field)
            case .notAbove(let higher, let lower): ("\(higher.words) has to be above \(lower.words)", higher.field)
            case .noReserve: ("the highest heart rate has to be above the heart rate at rest", Figure.resting.field)
            case .notFiveLimits:
                ("zone limits are \(zones) heart rates, where the zones 1 to \(zones) begin", limitsField)
            case .impossibleLimit: ("each zone limit has to be from \(range)", limitsField)
            case .limitsDoNotRise: ("each zone limit has to be above the one before", limitsField)
            case .missing(let figure): ("zones of this kind need \(figure.words)", figure.field)
            case .missingLimits: ("zones by limits need their limits", limitsField)
            }
        return ReplyError(.invalid, words, field: field)
    }

    // MARK: As it is kept

    /// The members of a profile.
    package var members: [JSON.Member] {
        [JSON.Member(Self.methodField, .string(method.rawValue))]
            + Figure.allCases.compactMap { figure in figures[figure].map { JSON.Member(figure.field, .number($0)) } }
            + (limits.map { [JSON.Member(Self.limitsField, .array($0.map(JSON.number)))] } ?? [])
    }

    /// Reads what was kept, without checking again whether it would be allowed today. Somebody who said nothing has zones by age.
    package init(kept json: JSON) {
        self.init()
        if case .string(let text)? = json[Self.methodField] { method = HeartRateZones.Method(rawValue: text) ?? .age }
        for figure in Figure.allCases { figures[figure] = json[figure.field]?.double }
        if case .array(let list)? = json[Self.limitsField] { limits = list.compactMap(\.double) }
    }
}

extension HeartRateZones {
    /// Where zones begin, as people get it, and what that was computed from.
    package var json: JSON {
        .object(present: [
            "by": .string(method.rawValue), "bounds": .array(shown.map { .integer(Int64($0)) }),
            HeartRateFacts.Figure.maximum.field: maximum.map { .number($0, decimals: 1) },
            HeartRateFacts.Figure.resting.field: resting.map { .number($0, decimals: 1) },
            HeartRateFacts.Figure.threshold.field: threshold.map { .number($0, decimals: 1) },
        ])
    }
}

extension HeartRateZones {
    /// What `json` has.
    package static let schema = PayloadSchema.object(
        "HeartRateZones", "Where zones begin, and what that was computed from, in beats per minute.",
        [
            .always("by", .word(Method.allCases.map(\.rawValue))),
            .always(
                "bounds",
                .array(of: .count, atMost: Int64(HeartRateFacts.zones)).about(
                    "the lowest whole heart rate of the zones 1 to 5")),
        ] + HeartRateFacts.Figure.allCases.map { .known($0.field, .number) })

    /// The zones that a heart rate of a day or a workout was judged by.
    package static let field = PayloadSchema.Field.known("zones", schema)
}
