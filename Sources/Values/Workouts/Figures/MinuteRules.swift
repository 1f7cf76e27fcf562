import Fitness

/// What follows from what is known of a minute.
struct MinuteRules: Hashable, Sendable {
    private let (isIndoors, isOnWheel, countsSteps): (Bool, Bool, Bool)
    private let energy: EnergyRules
    private let stepLength: Double?
    /// Slower than this somebody stands, in metres a second.
    private let standing: Double

    init(_ activity: Activity, _ person: Person) {
        (isIndoors, isOnWheel, countsSteps) = (activity.isIndoors, activity.isOnWheel, activity.countsSteps)
        standing = activity.standingMetresPerSecond
        energy = EnergyRules(activity, person)
        stepLength = activity.countsSteps ? person.stepLengthMetres : nil
    }

    /// What follows from a minute.
    func result(of minute: WorkoutMinute) -> WorkoutMinute.Result {
        var result = WorkoutMinute.Result()
        let sensed = minute.sensed
        let steps = countsSteps ? Share([minute.counter, minute.pedometer]) : Share()
        let isStuck = isStuck(minute, sensed, steps)
        var measured = Share(sources(minute, sensed, isStuck: isStuck))
        // Steps stand in for what nothing else has measured.
        let stepped = stepLength == nil ? Share() : steps.without(measured.seconds)
        if isStuck, !isIndoors { measured = Share([measured, minute.still.without(stepped.seconds)]) }
        if !steps.isEmpty { result.steps = steps.amount }
        if !measured.isEmpty || stepLength != nil && !steps.isEmpty {
            result.millimetres = Int32(clamping: Int64(measured.amount) + whole(metres(stepped) * 1000))
        }
        var (total, most) = (Double?.none, -1.0)
        energy.forEachPart(of: minute, measured, stepped, metres: metres(stepped)) { source, kilocalories in
            total = (total ?? 0) + kilocalories
            if kilocalories > most { (result.energySource, most) = (source, kilocalories) }
        }
        result.calories = total.map { Int32(clamping: whole($0 * 1000)) }
        return result
    }

    /// What counts for the distance, the best first. Indoors positions never do; on a bicycle its wheel goes before them, unless
    /// it stands while they move.
    private func sources(_ minute: WorkoutMinute, _ sensed: Share, isStuck: Bool) -> [Share] {
        if isIndoors { return [sensed] }
        let still = isStuck ? [] : [minute.still]
        let path = Double(minute.path.amount + minute.gap.amount)
        let stands = path >= 1.25 * Double(sensed.amount) + standing * Double(sensed.milliseconds)
        if isOnWheel, !stands { return [sensed, minute.path] + still + [minute.gap] }
        return [minute.path] + still + [sensed, minute.gap]
    }

    /// Whether positions stay where they are though the person moves: on a treadmill near a window, or because the
    /// receiver repeats itself. It is so if a sensor or steps have measured a quarter more than the positions, and half
    /// a metre for each second of standing on top; then these seconds are left to the sensor and to the steps.
    private func isStuck(_ minute: WorkoutMinute, _ sensed: Share, _ steps: Share) -> Bool {
        let still = minute.still.without(minute.path.seconds)
        guard !still.isEmpty else { return false }
        let positions = 1.25 * Double(minute.path.amount + minute.gap.amount)
        // Of moments the next position says whether they were a way; steps, which are not as exact, wait for it.
        let stepped = still.milliseconds >= PositionFilter.meanLength ? metres(steps) * 1000 : 0
        let others = max(Double(sensed.amount), stepped)
        // Metres a second are millimetres a millisecond.
        return others >= positions + standing * Double(still.milliseconds)
    }

    private func metres(_ steps: Share) -> Double { (stepLength ?? 0) * Double(steps.amount) }
}
