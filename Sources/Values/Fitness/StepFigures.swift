/// What a day's steps come to in distance and energy, and by which formulas that was computed.
public struct StepFigures: Hashable, Sendable {
    /// The number of today's formulas: `Person.metres(_:)` and `Person.kilocalories(_:)` of a day's steps. Whoever changes what
    /// these come to raises it: days that are kept stay as they were computed.
    public static let formulas = 1

    /// The number of the formulas that it was computed by.
    public let formulas: Int
    /// The distance in metres, if that is known.
    public let metres: Double?
    /// Net kilocalories, if they are known.
    public let kilocalories: Double?

    /// Figures as they were computed at an earlier time; nil if nothing was known.
    public init?(formulas: Int, metres: Double?, kilocalories: Double?) {
        guard metres != nil || kilocalories != nil else { return nil }
        (self.formulas, self.metres, self.kilocalories) = (formulas, metres, kilocalories)
    }

    /// The figures of a person's steps by today's formulas; nil if too little is known of the person.
    public init?(_ steps: Steps, of person: Person) {
        self.init(
            formulas: Self.formulas, metres: person.metres(steps), kilocalories: person.kilocalories(steps))
    }
}
