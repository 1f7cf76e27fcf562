/// Body mass index, kg/m^2, with the classes of the World Health Organization for adults.
public struct BodyMassIndex: Hashable, Sendable {
    /// The classes; each begins where the one before ends.
    public enum Class: Sendable, CaseIterable {
        /// Below 16.
        case severeThinness
        /// From 16.
        case moderateThinness
        /// From 17.
        case mildThinness
        /// From 18.5.
        case normal
        /// From 25.
        case preObese
        /// From 30.
        case obeseI
        /// From 35.
        case obeseII
        /// From 40.
        case obeseIII
    }

    /// Kilograms per square metre.
    public let value: Double

    /// The index of a person; nil unless weight and height are known.
    public init?(_ person: Person) {
        guard let weight = person.weightKilograms, let height = person.heightCentimetres else { return nil }
        value = weight / (height / 100 * height / 100)
    }

    /// The class.
    public var category: Class {
        switch value {
        case ..<16: .severeThinness
        case ..<17: .moderateThinness
        case ..<18.5: .mildThinness
        case ..<25: .normal
        case ..<30: .preObese
        case ..<35: .obeseI
        case ..<40: .obeseII
        default: .obeseIII
        }
    }
}
