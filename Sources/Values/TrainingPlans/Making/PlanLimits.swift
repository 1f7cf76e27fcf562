public import Fitness

/// What a plan has to respect about a person, and nothing else about them.
public struct PlanLimits: Hashable, Sendable {
    /// From this age on, in years, rests are longer, there are no jumps, and balance is trained (World Health Organization,
    /// 2020, has guidelines of their own for people of 65 years and more).
    public static let older = 65.0
    /// Below this age, in years, the classes of the body mass index mean something else.
    public static let adult = 18.0

    /// Rests are longer, there are no jumps, balance is trained, and intervals are moderate.
    public var isOlder: Bool
    /// There are no jumps, intervals are moderate, and they are not what is offered first.
    public var isCareful: Bool

    /// Limits from their parts.
    public init(isOlder: Bool = false, isCareful: Bool = false) {
        (self.isOlder, self.isCareful) = (isOlder, isCareful)
    }

    /// What is to be taken into account about a person.
    public init(_ person: Person) {
        self.init(isOlder: (person.ageYears ?? 0) >= Self.older, isCareful: Caution(person) != nil)
    }

    /// Whether intervals are moderate.
    public var isModerate: Bool { isOlder || isCareful }

    /// Whether jumps are left out.
    public var hasNoJumps: Bool { isOlder || isCareful }
}

/// Why high intensity is not offered first.
public enum Caution: Hashable, Sendable, CaseIterable {
    /// Age, weight or height are not known.
    case unknown
    /// The person is no adult.
    case young
    /// The body mass index is 30 or more.
    case heavy
    /// The body mass index is below 17.
    case thin

    /// The first reason that holds; nil if none does.
    public init?(_ person: Person) {
        guard let age = person.ageYears, let index = BodyMassIndex(person) else {
            self = .unknown
            return
        }
        guard age >= PlanLimits.adult else {
            self = .young
            return
        }
        switch index.category {
        case .obeseI, .obeseII, .obeseIII: self = .heavy
        case .severeThinness, .moderateThinness: self = .thin
        case .mildThinness, .normal, .preObese: return nil
        }
    }
}
