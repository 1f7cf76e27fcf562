/// Takes exercises from a catalogue, none of them twice: those for favoured muscles first, then for each major muscle
/// group that is not covered yet, and then for all groups in turn.
struct Selection {
    /// What is left, by the muscle that it works most.
    private var left: [Muscle: [TrainingExercise]]
    private(set) var chosen: [TrainingExercise] = []

    init(_ candidates: [TrainingExercise]) { left = Dictionary(grouping: candidates) { $0.primary[0] } }

    /// Chooses exercises.
    /// - Parameters:
    ///   - count: how many; there are fewer if there are no more.
    ///   - isPreferred: what is taken twice out of three times, where there is a choice.
    mutating func choose(
        _ count: Int, favoured: [Muscle], _ generator: inout PlanGenerator,
        preferring isPreferred: (TrainingExercise) -> Bool
    ) {
        for muscle in favoured where chosen.count < count { take([muscle], &generator, preferring: isPreferred) }
        var groups = generator.shuffled(Muscle.Group.allCases)
        let covered = Set(chosen.compactMap(\.primary[0].group))
        groups = groups.filter { !covered.contains($0) } + groups.filter(covered.contains)
        // What is covered already is not the first to come again.
        var turn = groups.prefix(groups.count - covered.count)
        while chosen.count < count {
            let before = chosen.count
            for group in turn where chosen.count < count { take(group.muscles, &generator, preferring: isPreferred) }
            guard chosen.count > before || turn.count < groups.count else { return }
            turn = groups[...]
        }
    }

    /// Takes an exercise for one of some muscles, if there is any.
    private mutating func take(
        _ muscles: [Muscle], _ generator: inout PlanGenerator, preferring isPreferred: (TrainingExercise) -> Bool
    ) {
        // First the muscle, and then the exercise: otherwise the muscle with most of them would always come.
        let possible = muscles.filter { left[$0]?.isEmpty == false }
        let missing = possible.filter { muscle in !chosen.contains { $0.primary[0] == muscle } }
        guard let muscle = generator.one(of: missing.isEmpty ? possible : missing), let all = left[muscle] else {
            return
        }
        let preferred = all.filter(isPreferred)
        let takesPreferred = generator.below(3) < 2 && !preferred.isEmpty
        guard let exercise = generator.one(of: takesPreferred ? preferred : all) else { return }
        chosen.append(exercise)
        left[muscle]?.removeAll { $0.id == exercise.id }
    }
}
