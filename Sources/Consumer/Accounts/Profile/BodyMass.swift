package import Contract
package import Days
package import Fitness
package import Telemetry

extension Profile {
    /// The body mass index, and its class where there is one. The classes are for adults: the World Health Organization has others up to
    /// the age of nineteen.
    package func bodyMass(on today: CalendarDay) -> [JSON.Member] {
        guard let index = bodyMassIndex else { return [] }
        var members = [JSON.Member("bmi", .number((index.value * 10).rounded() / 10))]
        if dateOfBirth.age(on: today) >= 19 {
            members.append(JSON.Member("bmi_class", .string(index.category.words)))
        }
        return members
    }

    /// What `bodyMass` has.
    package static let bodyMassFields: [PayloadSchema.Field] = [
        .known("bmi", .number.about("body mass index")),
        .known("bmi_class", .word(BodyMassIndex.Class.allCases.map(\.words)).about("from the age of 19")),
    ]
}

extension BodyMassIndex.Class {
    /// As replies have it.
    fileprivate var words: String {
        switch self {
        case .severeThinness: "severe-thinness"
        case .moderateThinness: "moderate-thinness"
        case .mildThinness: "mild-thinness"
        case .normal: "normal"
        case .preObese: "pre-obese"
        case .obeseI: "obese-1"
        case .obeseII: "obese-2"
        case .obeseIII: "obese-3"
        }
    }
}
