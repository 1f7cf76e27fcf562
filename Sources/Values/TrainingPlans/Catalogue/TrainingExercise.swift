/// How much experience somebody has, or an exercise needs.
public enum TrainingLevel: String, CaseIterable, Hashable, Sendable, Comparable {
    /// None, or none for years.
    case beginner
    /// Half a year or more.
    case intermediate

    public static func < (one: TrainingLevel, other: TrainingLevel) -> Bool {
        one == .beginner && other == .intermediate
    }
}

/// One exercise of a catalogue.
public struct TrainingExercise: Hashable, Sendable {
    /// What kind of exercise it is.
    public enum Category: String, CaseIterable, Hashable, Sendable {
        /// It makes stronger.
        case strength
        /// It consists of jumps, throws and other fast moves.
        case plyometrics
        /// It keeps limbs flexible.
        case stretching
        /// It makes the heart beat faster for a long time.
        case cardio
    }

    /// Which way the work goes.
    public enum Force: String, Hashable, Sendable {
        /// Away from the body.
        case push
        /// Towards it.
        case pull
        /// Nowhere: something is held, for some time instead of some repetitions.
        case hold = "static"
    }

    /// How many joints take part.
    public enum Mechanic: String, Hashable, Sendable {
        /// More than one.
        case compound
        /// One.
        case isolation
    }

    /// What it is marked as, besides its category.
    public enum Use: String, CaseIterable, Hashable, Sendable {
        /// Limbs are moved lightly: it may begin a workout.
        case warmUp = "warm-up"
        /// It is done on one leg, with a hold at hand.
        case balance
        /// Feet or hands leave the ground, though neither category nor name say so.
        case jump
    }

    /// What names it in requests: up to 64 letters, digits, hyphens and underscores.
    public let id: String
    /// Its name, in the language of the catalogue.
    public let name: String
    /// What kind of exercise it is.
    public let category: Category
    /// How much experience it needs.
    public let level: TrainingLevel
    /// Which way the work goes; nil if the catalogue does not say.
    public let force: Force?
    /// How many joints take part; nil if the catalogue does not say.
    public let mechanic: Mechanic?
    /// What it needs.
    public let equipment: Equipment
    /// What it works most; the first one is what plans go by.
    public let primary: [Muscle]
    /// What it works besides.
    public let secondary: [Muscle]
    /// How it is done, step by step; may be empty.
    public let instructions: [String]
    /// What it is marked as.
    public let uses: Set<Use>

    /// Whether somebody lands on their feet or hands in it, as far as category, name and `uses` tell: it is left out
    /// for people whom that might hurt.
    public let hasJumps: Bool

    init(_ fields: ExerciseFields) throws(ExerciseFields.Wrong) {
        id = try fields.id()
        name = try fields.line("name", atMost: Self.longestName)
        category = try fields.word("category")
        level = try fields.word("level")
        force = try fields.wordOrNull("force")
        mechanic = try fields.wordOrNull("mechanic")
        equipment = try fields.wordOrNull("equipment") ?? .bodyOnly
        let primary: [Muscle] = try fields.words("primaryMuscles", 1...Self.mostPrimary)
        self.primary = primary
        secondary = try fields.words("secondaryMuscles", 0...Muscle.allCases.count).filter { !primary.contains($0) }
        instructions = try fields.lines("instructions", atMost: Self.mostInstructions, Self.longestInstruction)
        uses = Set(try fields.wordsIfPresent("uses", 0...Use.allCases.count))
        let words = Set(name.lowercased().split { !$0.isLetter }.map(String.init))
        hasJumps = category == .plyometrics || uses.contains(.jump) || !words.isDisjoint(with: Self.jumping)
    }

    /// In characters.
    public static let longestName = 100
    /// How many steps the instructions may have.
    public static let mostInstructions = 30
    /// One step of the instructions, in characters.
    public static let longestInstruction = 1000
    /// How many muscles an exercise may work most.
    public static let mostPrimary = 4

    /// What names say of jumps that are filed under strength or cardio.
    private static let jumping: Set<String> = [
        "bound", "hop", "hops", "jump", "jumps", "jumping", "leap", "plyo", "skip", "skipping", "sprint", "sprints",
    ]
}
