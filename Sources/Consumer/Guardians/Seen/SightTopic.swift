import Contract
import Features
import Files
import Records
import Telemetry
import Whereabouts

/// What a guardian is shown of a dependent, each on a topic of the guardian's.
enum SightTopic: String, CaseIterable {
    /// Where they were last.
    case location
    /// Their way of the day.
    case path
    /// What they do, and how much they exercised today.
    case motion
    /// Their phone's battery, and whether sensors are on.
    case status

    /// Of which consents one has to be given.
    var sights: Set<Sight> {
        switch self {
        case .location, .path: [.location]
        case .motion: [.motion]
        case .status: [.location, .motion]
        }
    }

    func isAllowed(_ tie: GuardianTie) -> Bool { !sights.isDisjoint(with: tie.allowed) }

    /// How long it is not published again, in milliseconds: a message a second is what people can follow.
    var pause: UInt64 {
        switch self {
        case .location: 1000
        case .path: 60_000
        case .motion, .status: 5000
        }
    }
}

extension UserTopic {
    static func sight(_ topic: SightTopic, of dependent: ID) -> UserTopic {
        .published("dependents/\(dependent)/\(topic.rawValue)")
    }

    /// The dependent and what is shown of them; nil if it is no such topic.
    var sight: (dependent: ID, topic: SightTopic)? {
        guard case .published(let name) = self, name.utf8.starts(with: "dependents/".utf8) else { return nil }
        let levels = name.split(separator: "/")
        guard levels.count == 3, let topic = SightTopic(rawValue: String(levels[2])),
            let dependent = decoded({ () throws(MalformedValue) in try ID(String(levels[1])) })
        else { return nil }
        return (dependent, topic)
    }

    /// Whom a guardian looks at now.
    static let chosenDependent = UserTopic.published("chosen-dependent")
}

// MARK: What they say

extension FeatureTopic {
    private static let degrees = PayloadSchema.number
    /// Unix milliseconds, degrees of latitude, degrees of longitude.
    private static let points = PayloadSchema.array(
        of: .array(of: .number, atMost: 3), atMost: Int64(Watched.mostPoints))

    static let sights = [
        FeatureTopic(
            "dependents/+/location", isRetained: true, isTakenBackByFeature: true,
            .object(
                "DependentLocation", "Where a dependent was last, as they let their guardian see.",
                [
                    .always("time", .time), .always("lat", degrees), .always("lon", degrees),
                    .known("accuracy_m", .number), .known("altitude_m", .number), .known("name", .text),
                ])),
        FeatureTopic(
            "dependents/+/path", isRetained: true, isTakenBackByFeature: true,
            .object(
                "DependentPath", "A dependent's route of the day: times and places.",
                [.always("day", .day), .always("points", points)])),
        FeatureTopic(
            "dependents/+/motion", isRetained: true, isTakenBackByFeature: true,
            .object(
                "DependentMotion", "What a dependent does, and for how many minutes they have exercised today.",
                [
                    .always("time", .time), .always("state", .word(MotionJudge.State.allCases.map(\.rawValue))),
                    .always("since", .time), .always("exercise_min", .count),
                ])),
        FeatureTopic(
            "dependents/+/status", isRetained: true, isTakenBackByFeature: true,
            .object(
                "DependentStatus", "The battery of a dependent's phone, and whether their sensors are on.",
                [
                    .always("time", .time), .known("battery_percent", .percent), .known("charging", .bool),
                    .known("phone", .time),
                    .always(
                        "sensors",
                        .array(
                            of: .object(
                                "DependentSensor", "A sensor of a dependent's.",
                                [.always("sensor", .text), .always("online", .bool)]))),
                ])),
        FeatureTopic(
            .chosenDependent, isRetained: true,
            .object("ChosenDependent", "Whom a guardian looks at now.", [.always("dependent", .id), .known("name", .text)])),
    ]
}
