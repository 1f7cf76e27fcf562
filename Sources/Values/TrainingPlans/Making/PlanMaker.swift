/// Makes the exercises of a plan. What it draws follows from the request alone.
struct PlanMaker {
    private let request: PlanRequest
    /// What the person may do, with what is at hand.
    private let allowed: [TrainingExercise]
    private var generator: PlanGenerator
    private var used: Set<String> = []

    init(_ request: PlanRequest, _ catalogue: ExerciseCatalogue) {
        self.request = request
        allowed = catalogue.exercises.filter { exercise in
            exercise.level <= request.level && request.equipment.contains(exercise.equipment)
                && !(request.limits.hasNoJumps && exercise.hasJumps)
        }
        // Plans of one seed have nothing in common, nor have the kinds.
        let kind: UInt64 = request.kind == .weights ? 0 : 1
        generator = PlanGenerator(UInt64(request.seed) << 8 | kind << 7 | UInt64(request.number))
    }

    /// Warm-up, balance for older people, the main part, and cool-down.
    mutating func exercises() throws(PlanProblem) -> [PlannedExercise] {
        let balance = request.limits.isOlder ? balance() : nil
        let time = TimePlan(minutes: request.plannedMinutes, hasBalance: balance != nil)
        let warmUp = try moves(.warmUp, time)
        let main =
            switch request.kind {
            case .weights: try weights(time.main)
            case .intervals: try intervals(time.main)
            }
        let exercises = try warmUp + (balance.map { [$0] } ?? []) + main + moves(.coolDown, time)
        // Where next to everything is held and nothing repeated, no rest makes up for it.
        let minutes = request.plannedMinutes
        guard abs(TrainingPlan.seconds(of: exercises) - minutes * 60) <= minutes * 6 else { throw .tooFewExercises }
        return exercises
    }

    // MARK: Before and after

    private mutating func balance() -> PlannedExercise? {
        guard let exercise = generator.one(of: allowed.filter { $0.uses.contains(.balance) }) else { return nil }
        used.insert(exercise.id)
        return PlannedExercise(
            exercise, .balance, sets: TimePlan.balanceSets, .seconds(TimePlan.balanceWork),
            restSeconds: TimePlan.balanceRest)
    }

    /// Moves that are marked for it begin a workout, and other stretching ends it; where there are too few of them, any
    /// stretching does.
    private mutating func moves(
        _ part: PlannedExercise.Part, _ time: TimePlan
    ) throws(PlanProblem) -> [PlannedExercise] {
        let stretching = allowed.filter {
            ($0.category == .stretching || $0.uses.contains(.warmUp)) && !used.contains($0.id)
        }
        let meant = generator.shuffled(stretching.filter { $0.uses.contains(.warmUp) == (part == .warmUp) })
        let others = generator.shuffled(stretching.filter { $0.uses.contains(.warmUp) != (part == .warmUp) })
        let chosen = (meant + others).prefix(time.moves)
        guard chosen.count == time.moves else { throw .tooFewExercises }
        used.formUnion(chosen.map(\.id))
        return chosen.map { exercise in
            PlannedExercise(
                exercise, part, sets: 1, .seconds(time.moveSeconds), restSeconds: TimePlan.changing,
                zone: part == .warmUp ? 2 : nil)
        }
    }

    // MARK: Weights

    /// How long something is held, in seconds, where nothing is repeated.
    private static let hold = 30
    private static let mostExercises = 12

    private mutating func weights(_ seconds: Int) throws(PlanProblem) -> [PlannedExercise] {
        let isBeginner = request.level == .beginner
        let mostSets = isBeginner || request.limits.isOlder ? 3 : 4
        let rests = request.limits.isOlder ? 120...180 : isBeginner ? 60...120 : 90...150
        var selection = Selection(allowed.filter { $0.category == .strength && !used.contains($0.id) })
        for repetitions in generator.shuffled(Array(request.limits.isOlder ? 10...15 : 8...12)) {
            let work = repetitions * PlannedExercise.secondsOfRepetition
            guard
                let fit = SetFit(
                    filling: seconds, work: work, rests: rests, mostSets: Self.mostExercises * mostSets, &generator)
            else { continue }
            let usual = (fit.sets + mostSets - 2) / (mostSets - 1)
            selection.choose(
                min(max(usual, min(fit.sets, 4)), Self.mostExercises), favoured: request.favoured, &generator
            ) { $0.mechanic == .compound }
            guard selection.chosen.count * mostSets >= fit.sets else { throw .tooFewExercises }
            let arranged = Arrangement.ofWeights(selection.chosen, favoured: request.favoured)
            let exercises = Self.shared(fit.sets, among: arranged) { exercise, sets in
                PlannedExercise(
                    exercise, .main, sets: sets,
                    exercise.force == .hold ? .seconds(Self.hold) : .repetitions(repetitions), restSeconds: fit.rest)
            }
            return Self.rested(exercises, filling: seconds, rests)
        }
        throw .tooFewExercises
    }

    /// Sets, shared among exercises: the first ones have one more where they cannot be shared evenly.
    private static func shared(
        _ sets: Int, among exercises: [TrainingExercise], _ planned: (TrainingExercise, Int) -> PlannedExercise
    ) -> [PlannedExercise] {
        let (each, more) = sets.quotientAndRemainder(dividingBy: exercises.count)
        return exercises.enumerated().map { planned($0.element, each + ($0.offset < more ? 1 : 0)) }
    }

    /// The same with rests that make up for what is held for another time than was reckoned with.
    private static func rested(
        _ exercises: [PlannedExercise], filling seconds: Int, _ rests: ClosedRange<Int>
    ) -> [PlannedExercise] {
        let work = exercises.reduce(0) { $0 + $1.sets * $1.workSeconds }
        let sets = exercises.reduce(0) { $0 + $1.sets }
        let rest = SetFit.rest(filling: seconds, work: work, sets: sets, rests)
        return exercises.map { exercise in
            var exercise = exercise
            exercise.restSeconds = rest
            return exercise
        }
    }

    // MARK: Intervals

    private mutating func intervals(_ seconds: Int) throws(PlanProblem) -> [PlannedExercise] {
        let isEasy = request.level == .beginner || request.limits.isModerate
        let zone = request.limits.isModerate ? 3 : 4
        var selection = Selection(
            allowed.filter { exercise in
                let isFast = exercise.category == .cardio || exercise.category == .plyometrics
                let isWhole = isFast || exercise.category == .strength && exercise.mechanic == .compound
                return isWhole && exercise.force != .hold && !used.contains(exercise.id)
                    && (exercise.category == .cardio || exercise.equipment.isLight)
            })
        for work in generator.shuffled(isEasy ? [20, 25, 30] : [30, 40, 45]) {
            let rests = isEasy ? 2 * work...3 * work : work...3 * work / 2
            guard
                let fit = SetFit(
                    filling: seconds, work: work, rests: rests, mostSets: Self.mostExercises * TrainingPlan.mostSets,
                    &generator)
            else { continue }
            selection.choose(
                min(max((fit.sets + 2) / 3, 3), Self.mostExercises), favoured: request.favoured, &generator
            ) { $0.category != .strength }
            guard !selection.chosen.isEmpty, selection.chosen.count * TrainingPlan.mostSets >= fit.sets,
                selection.chosen.count <= fit.sets
            else { throw .tooFewExercises }
            let arranged = Arrangement.apart(selection.chosen, favoured: request.favoured)
            return Self.shared(fit.sets, among: arranged) { exercise, sets in
                PlannedExercise(exercise, .main, sets: sets, .seconds(work), restSeconds: fit.rest, zone: zone)
            }
        }
        throw .tooFewExercises
    }
}
