/// The order in which exercises are done.
enum Arrangement {
    /// Exercises with several joints before those with one, and large muscles before small ones (American College of
    /// Sports Medicine, 2009); within that, no muscle twice in succession where that can be avoided, and favoured ones
    /// first.
    static func ofWeights(_ exercises: [TrainingExercise], favoured: [Muscle]) -> [TrainingExercise] {
        func block(_ exercise: TrainingExercise) -> Int {
            (exercise.mechanic == .compound ? 0 : 2) + (exercise.primary[0].isLarge ? 0 : 1)
        }
        return (0..<4).reduce(into: []) { arranged, number in
            let block = exercises.filter { block($0) == number }
            arranged += apart(block, after: arranged.last?.primary[0], favoured: favoured)
        }
    }

    /// No muscle twice in succession where that can be avoided, and favoured ones as early as that allows; otherwise in
    /// the order in which they are given.
    static func apart(
        _ exercises: [TrainingExercise], after last: Muscle? = nil, favoured: [Muscle]
    ) -> [TrainingExercise] {
        func rank(_ exercise: TrainingExercise) -> Int {
            favoured.firstIndex(of: exercise.primary[0]) ?? favoured.count
        }
        let ordered = exercises.enumerated().sorted { one, other in
            (rank(one.element), one.offset) < (rank(other.element), other.offset)
        }
        var (rest, arranged, last) = (ordered.map(\.element), [TrainingExercise](), last)
        while !rest.isEmpty {
            let index =
                rest.indices.first { index in
                    rest[index].primary[0] != last && canBeApart(rest, without: index)
                } ?? rest.indices.first { rest[$0].primary[0] != last } ?? 0
            last = rest[index].primary[0]
            arranged.append(rest.remove(at: index))
        }
        return arranged
    }

    /// Whether what is left after one of them can be put so that no muscle comes twice in succession: none of them is
    /// more than half of it.
    private static func canBeApart(_ exercises: [TrainingExercise], without index: Int) -> Bool {
        let muscle = exercises[index].primary[0]
        var counts: [Muscle: Int] = [:]
        for exercise in exercises { counts[exercise.primary[0], default: 0] += 1 }
        counts[muscle, default: 0] -= 1
        let left = exercises.count - 1
        return counts.allSatisfy { $0.value <= ($0.key == muscle ? left : left + 1) / 2 }
    }
}
