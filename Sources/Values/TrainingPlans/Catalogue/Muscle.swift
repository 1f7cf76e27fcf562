/// What an exercise works, by the names of the catalogue. Their order is a part of tokens, and never changes.
public enum Muscle: String, CaseIterable, Hashable, Sendable {
    /// The front of the belly, and its sides.
    case abdominals
    /// The outer sides of the hips.
    case abductors
    /// The inner sides of the thighs.
    case adductors
    /// The fronts of the upper arms.
    case biceps
    /// The backs of the lower legs.
    case calves
    /// The chest.
    case chest
    /// The forearms.
    case forearms
    /// The buttocks.
    case glutes
    /// The backs of the thighs.
    case hamstrings
    /// The broad muscles at the sides of the back.
    case lats
    /// The back below the ribs.
    case lowerBack = "lower back"
    /// The back between the shoulder blades.
    case middleBack = "middle back"
    /// The neck.
    case neck
    /// The fronts of the thighs.
    case quadriceps
    /// The shoulders.
    case shoulders
    /// From the neck to the shoulders and between them.
    case traps
    /// The backs of the upper arms.
    case triceps

    /// The major muscle groups, all of which are to be strengthened in a week (World Health Organization, guidelines on
    /// physical activity, 2020). The guideline does not list them; these are those of the Physical Activity Guidelines for
    /// Americans (2008).
    public enum Group: CaseIterable, Hashable, Sendable {
        /// The legs below the hips.
        case legs
        /// The hips.
        case hips
        /// The back.
        case back
        /// The abdomen.
        case abdomen
        /// The chest.
        case chest
        /// The shoulders.
        case shoulders
        /// The arms.
        case arms

        /// Which muscles belong to it.
        public var muscles: [Muscle] { Muscle.allCases.filter { $0.group == self } }
    }

    /// The group that it belongs to; nil for the neck, which belongs to none.
    public var group: Group? {
        switch self {
        case .quadriceps, .hamstrings, .calves, .adductors: .legs
        case .glutes, .abductors: .hips
        case .lats, .middleBack, .lowerBack, .traps: .back
        case .abdominals: .abdomen
        case .chest: .chest
        case .shoulders: .shoulders
        case .biceps, .triceps, .forearms: .arms
        case .neck: nil
        }
    }

    /// Whether it is one of the large ones, whose exercises come before those of small ones.
    public var isLarge: Bool {
        switch self {
        case .chest, .glutes, .hamstrings, .lats, .lowerBack, .middleBack, .quadriceps: true
        case .abdominals, .abductors, .adductors, .biceps, .calves, .forearms, .neck, .shoulders, .traps, .triceps:
            false
        }
    }

    /// Whether a week without it makes it come first. The others are worked along with their neighbours.
    public var isMissed: Bool {
        switch self {
        case .abductors, .adductors, .forearms, .neck, .traps: false
        case .abdominals, .biceps, .calves, .chest, .glutes, .hamstrings, .lats, .lowerBack, .middleBack, .quadriceps,
            .shoulders, .triceps:
            true
        }
    }

    /// Its name.
    public var words: TrainingWords {
        switch self {
        case .abdominals: TrainingWords("abdominals", "Bauch")
        case .abductors: TrainingWords("abductors", "Abduktoren")
        case .adductors: TrainingWords("adductors", "Adduktoren")
        case .biceps: TrainingWords("biceps", "Bizeps")
        case .calves: TrainingWords("calves", "Waden")
        case .chest: TrainingWords("chest", "Brust")
        case .forearms: TrainingWords("forearms", "Unterarme")
        case .glutes: TrainingWords("glutes", "Gesäß")
        case .hamstrings: TrainingWords("hamstrings", "Beinbeuger")
        case .lats: TrainingWords("lats", "Latissimus")
        case .lowerBack: TrainingWords("lower back", "unterer Rücken")
        case .middleBack: TrainingWords("middle back", "mittlerer Rücken")
        case .neck: TrainingWords("neck", "Hals")
        case .quadriceps: TrainingWords("quadriceps", "Quadrizeps")
        case .shoulders: TrainingWords("shoulders", "Schultern")
        case .traps: TrainingWords("traps", "Trapezmuskel")
        case .triceps: TrainingWords("triceps", "Trizeps")
        }
    }
}
