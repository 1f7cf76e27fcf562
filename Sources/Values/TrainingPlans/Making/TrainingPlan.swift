public import Fitness
public import Telemetry

/// Why there is no plan.
public enum PlanProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is no token.
    case malformedToken
    /// The catalogue was replaced, and no longer leads to the plan of this token.
    case otherCatalogue
    /// The catalogue has too few exercises for what was asked.
    case tooFewExercises
    /// The plan was made for people below 65, and the person is older.
    case ignoresAge
    /// The plan was made for people with whom no care is called for.
    case ignores(Caution)

    /// What it is, and what to do.
    public var description: String {
        switch self {
        case .malformedToken: "this is no plan: take one that was offered"
        case .otherCatalogue: "the exercises have changed since this plan was offered: ask for another offer"
        case .tooFewExercises:
            "there are too few exercises for this equipment, level and time: ask for fewer minutes, or for more equipment"
        case .ignoresAge: Self.ignoring("that you are \(Int(PlanLimits.older)) or older")
        case .ignores(.unknown): Self.ignoring("that your profile lacks your date of birth, height or weight")
        case .ignores(.young): Self.ignoring("that you are younger than \(Int(PlanLimits.adult))")
        case .ignores(.heavy), .ignores(.thin): Self.ignoring("your body mass index")
        }
    }

    private static func ignoring(_ fact: String) -> String {
        "this plan does not take into account \(fact): ask for another offer"
    }
}

/// A workout to follow, from warm-up to cool-down.
public struct TrainingPlan: Hashable, Sendable {
    /// No exercise of a plan has more sets.
    static let mostSets = 6
    /// No plan has more exercises.
    static let mostExercises = 40

    /// What names it.
    public let token: String
    /// What it is for.
    public let kind: TrainingKind
    /// For whom it is.
    public let level: TrainingLevel
    /// What to do, in this order.
    public let exercises: [PlannedExercise]

    /// The plan that follows from a request and a catalogue: always the same one.
    public init(_ request: PlanRequest, _ catalogue: ExerciseCatalogue) throws(PlanProblem) {
        var maker = PlanMaker(request, catalogue)
        exercises = try maker.exercises()
        token = PlanToken(request, checksum: PlanToken.checksum(of: exercises)).text
        (kind, level) = (request.kind, request.level)
    }

    /// The plan of a token.
    public init(token text: String, _ catalogue: ExerciseCatalogue) throws(PlanProblem) {
        guard let token = PlanToken(text) else { throw .malformedToken }
        do throws(PlanProblem) { try self.init(token.request, catalogue) } catch { throw .otherCatalogue }
        guard self.token == text else { throw .otherCatalogue }
    }

    /// Refuses it for a person who has a limit without which it was made. A plan's name says for whom it was made, and
    /// anybody may type it; and what was right when it was chosen may be too hard now.
    public func check(for person: Person) throws(PlanProblem) {
        guard let made = PlanToken(token)?.request.limits else { throw .malformedToken }
        if PlanLimits(person).isOlder, !made.isOlder { throw .ignoresAge }
        if let caution = Caution(person), !made.isCareful { throw .ignores(caution) }
    }

    /// How long it takes, in seconds, from the first set to the end of the last one.
    public var seconds: Int { Self.seconds(of: exercises) }

    static func seconds(of exercises: [PlannedExercise]) -> Int {
        exercises.reduce(0) { $0 + $1.seconds } - (exercises.last?.restSeconds ?? 0)
    }

    /// What its main part works: most first, and then besides, each in the order in which they come.
    public var muscles: [Muscle] {
        let main = exercises.filter { $0.part == .main }
        return (main.flatMap(\.primary) + main.flatMap(\.secondary)).reduce(into: []) { muscles, muscle in
            if !muscles.contains(muscle) { muscles.append(muscle) }
        }
    }

    /// What people call it: its kind, and the first two muscles that it works most.
    public var title: TrainingWords {
        let first = muscles.prefix(2).map(\.words)
        let english = first.map(\.english).joined(separator: " and ")
        let german = first.map(\.german).joined(separator: " und ")
        return switch kind {
        case .weights: TrainingWords("Strength: \(english)", "Kraft: \(german)")
        case .intervals: TrainingWords("Intervals: \(english)", "Intervalle: \(german)")
        }
    }

    /// An estimate of what it takes, in kilocalories; nil if the person's weight is not known.
    public func kilocalories(_ person: Person) -> Double? {
        guard person.weightKilograms != nil else { return nil }
        return exercises.reduce(0) { $0 + (kilocalories(of: $1, seconds: Double($1.seconds), person) ?? 0) }
    }

    /// An estimate for some seconds of an exercise of it, with its rests.
    func kilocalories(of exercise: PlannedExercise, seconds: Double, _ person: Person) -> Double? {
        person.kilocalories(
            metabolicEquivalent: PlanEnergy.equivalent(of: exercise, kind), hours: seconds / 3600)
    }
}

/// How much more energy the parts of a plan take than rest, rests included (2024 Adult Compendium of Physical
/// Activities, conditioning exercise).
enum PlanEnergy {
    static func equivalent(of exercise: PlannedExercise, _ kind: TrainingKind) -> Double {
        switch (exercise.part, kind) {
        // 02101, stretching, mild.
        case (.warmUp, _), (.balance, _), (.coolDown, _): 2.3
        // 02054, resistance training, multiple exercises, 8 to 15 repetitions at varied resistance.
        case (.main, .weights): 3.5
        // 02210, high intensity interval exercise, moderate effort; 02035, circuit training, moderate effort.
        case (.main, .intervals): (exercise.zone ?? 0) >= 4 ? 7.0 : 5.0
        }
    }
}

// MARK: As JSON

extension TrainingPlan {
    /// As it is published; the title in the person's language.
    public func json(title: String, kilocalories: Double? = nil) -> JSON {
        .object(present: [
            "plan": .string(token), "kind": .string(kind.rawValue), "title": .string(title),
            "level": .string(level.rawValue), "duration_s": .integer(Int64(seconds)),
            "energy_kcal": kilocalories.map { .integer(Int64($0.rounded())) },
            "muscles": .array(muscles.map { .string($0.rawValue) }),
            "exercises": .array(exercises.map(\.json)),
        ])
    }

    /// What has to be kept to go on with it, whatever becomes of the catalogue: some 8 KB.
    var state: JSON {
        [
            "plan": .string(token), "kind": .string(kind.rawValue), "level": .string(level.rawValue),
            "exercises": .array(exercises.map(\.json)),
        ]
    }

    init(kept json: JSON) throws(KeptState.Malformed) {
        let kept = try KeptState(json)
        guard let token = try kept.textIfPresent("plan"), PlanToken(token) != nil,
            let kind = try kept.wordIfPresent("kind", TrainingKind.self),
            let level = try kept.wordIfPresent("level", TrainingLevel.self)
        else { throw KeptState.Malformed() }
        var exercises: [PlannedExercise] = []
        for json in try kept.list("exercises", atMost: Self.mostExercises) {
            exercises.append(try PlannedExercise(kept: json))
        }
        guard !exercises.isEmpty else { throw KeptState.Malformed() }
        (self.token, self.kind, self.level, self.exercises) = (token, kind, level, exercises)
    }
}
