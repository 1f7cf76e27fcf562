/// What the formulas need to know about a person. If something is not known, what depends on it is nil, never
/// guessed.
public struct Person: Hashable, Sendable {
    /// The sexes for which the formulas were fitted.
    public enum Sex: Sendable {
        /// Female.
        case female
        /// Male.
        case male
    }

    /// Sex, if the person says.
    public var sex: Sex?
    /// Age in years.
    public var ageYears: Double?
    /// Height in centimetres.
    public var heightCentimetres: Double?
    /// Weight in kilograms.
    public var weightKilograms: Double?
    /// What is known of the heart.
    public var heart: HeartRateFacts
    /// Heart rate at rest, in beats per minute.
    public var restingHeartRate: Double? { heart.resting }

    /// A person of whom this much is known. Numbers that are not positive and finite are taken for unknown.
    public init(
        sex: Sex? = nil, ageYears: Double? = nil, heightCentimetres: Double? = nil, weightKilograms: Double? = nil,
        heart: HeartRateFacts = HeartRateFacts(), restingHeartRate: Double? = nil
    ) {
        func known(_ value: Double?) -> Double? { value.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } }
        self.sex = sex
        self.ageYears = known(ageYears)
        self.heightCentimetres = known(heightCentimetres)
        self.weightKilograms = known(weightKilograms)
        self.heart = heart
        if let rest = known(restingHeartRate) { self.heart.figures[.resting] = rest }
    }
}
