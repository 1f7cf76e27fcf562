public import Fitness

/// What somebody is told with an offer.
public enum PlanNote: Hashable, Sendable, CaseIterable {
    /// Plans are no medical advice.
    case noAdvice
    /// High intensity is not offered first: nothing is known of the person.
    case unknown
    /// High intensity is not offered first: the person is young.
    case young
    /// High intensity is not offered first, because of the body mass index.
    case index
    /// Intervals are moderate.
    case moderate
    /// Intervals are shorter than asked for.
    case shorter
    /// Rests are longer, and there is balance.
    case older

    /// The sentence.
    public var words: TrainingWords {
        switch self {
        case .noAdvice:
            TrainingWords(
                "This is no medical advice. Ask a doctor first if you are ill, pregnant or in pain, or have not exercised for a long time; stop if something hurts.",
                "Dies ist kein ärztlicher Rat. Frage zuerst eine Ärztin oder einen Arzt, wenn du krank, schwanger oder lange ohne Training bist oder Schmerzen hast; höre auf, wenn etwas wehtut."
            )
        case .unknown:
            TrainingWords(
                "High intensity does not come first: your profile lacks your date of birth, height or weight.",
                "Hohe Intensität steht nicht an erster Stelle: In deinem Profil fehlen Geburtsdatum, Größe oder Gewicht."
            )
        case .young:
            TrainingWords(
                "High intensity does not come first: these plans are made for adults.",
                "Hohe Intensität steht nicht an erster Stelle: Diese Pläne sind für Erwachsene gemacht.")
        case .index:
            TrainingWords(
                "High intensity does not come first at your body mass index.",
                "Hohe Intensität steht bei deinem Body-Mass-Index nicht an erster Stelle.")
        case .moderate:
            TrainingWords(
                "The intervals are moderate: zone 3, with rests two to three times as long, and without jumps.",
                "Die Intervalle sind gemäßigt: Zone 3, mit zwei- bis dreimal so langen Pausen und ohne Sprünge.")
        case .shorter:
            TrainingWords(
                "Intense intervals take at most an hour here, and moderate ones half an hour.",
                "Intensive Intervalle dauern hier höchstens eine Stunde, gemäßigte eine halbe.")
        case .older:
            TrainingWords(
                "Rests are longer, there are no jumps, and there is an exercise for your balance: hold on to something.",
                "Die Pausen sind länger, es gibt keine Sprünge, dafür eine Übung für das Gleichgewicht: Halte dich dabei fest."
            )
        }
    }
}

/// Several plans to choose from, or one at random.
public struct PlanOffers: Hashable, Sendable {
    /// How many are offered.
    public static let count = 3

    /// The plans, in the order in which they are offered: three, or one at random; fewer if the catalogue has no more.
    public let plans: [TrainingPlan]
    /// What is said with them.
    public let notes: [PlanNote]

    /// What is offered to somebody who asks.
    public struct Asked: Hashable, Sendable {
        /// What it is to be; nil for any.
        public var kind: TrainingKind?
        /// How long, in minutes.
        public var minutes = 30
        /// What is drawn follows from it.
        public var seed: UInt32
        /// Whether one at random is wanted.
        public var isRandom = false
        /// How experienced the person is.
        public var level = TrainingLevel.beginner
        /// What is at hand.
        public var equipment: Set<Equipment> = []
        /// Which muscles are to come first; nil for those that had least this week.
        public var muscles: [Muscle]?
        /// How many sets each muscle had in the last seven days.
        public var week: [Muscle: Int] = [:]

        /// Half an hour of anything for beginners, with nothing at hand.
        public init(seed: UInt32) { self.seed = seed }
    }

    /// The offer that follows from what is asked, the person and the catalogue: always the same one. Minutes out of range
    /// and too many muscles are no offer.
    public init(_ asked: Asked, for person: Person, _ catalogue: ExerciseCatalogue) throws(PlanProblem) {
        let (limits, caution) = (PlanLimits(person), Caution(person))
        let favoured = asked.muscles ?? PlanRequest.favoured(week: asked.week, seed: asked.seed)
        var generator = PlanGenerator(UInt64(asked.seed) << 8 | 0xFF)
        let startsWithIntervals = generator.below(2) == 0 && !limits.isCareful
        let kinds: [TrainingKind] =
            if let kind = asked.kind {
                [kind, kind, kind]
            } else if startsWithIntervals {
                [.intervals, .weights, .intervals]
            } else {
                [.weights, .intervals, .weights]
            }
        // A plan at random is none of the three.
        let numbers = asked.isRandom ? [PlanRequest.numbers.upperBound] : Array(0..<Self.count)
        var (plans, problem) = ([TrainingPlan](), PlanProblem.tooFewExercises)
        for (number, kind) in zip(numbers, kinds) {
            guard
                let request = PlanRequest(
                    kind, minutes: asked.minutes, seed: asked.seed, number: number, level: asked.level,
                    equipment: asked.equipment, favoured: favoured, limits: limits)
            else { throw .tooFewExercises }
            do throws(PlanProblem) { plans.append(try TrainingPlan(request, catalogue)) } catch { problem = error }
        }
        // Without weights, nothing but intervals would be left to come first.
        if asked.kind == nil, limits.isCareful, plans.first?.kind == .intervals { plans = [] }
        guard !plans.isEmpty else { throw problem }
        self.plans = plans
        notes = Self.notes(asked, limits, caution, hasIntervals: plans.contains { $0.kind == .intervals })
    }

    private static func notes(
        _ asked: Asked, _ limits: PlanLimits, _ caution: Caution?, hasIntervals: Bool
    ) -> [PlanNote] {
        var notes = [PlanNote.noAdvice]
        switch caution {
        case .unknown: notes.append(.unknown)
        case .young: notes.append(.young)
        case .heavy, .thin: notes.append(.index)
        case nil: break
        }
        if limits.isOlder { notes.append(.older) }
        guard hasIntervals else { return notes }
        if limits.isModerate { notes.append(.moderate) }
        let longest = limits.isModerate ? PlanRequest.longestModerateIntervals : PlanRequest.longestIntervals
        return asked.minutes > longest ? notes + [.shorter] : notes
    }
}
