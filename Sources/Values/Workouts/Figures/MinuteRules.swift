import Fitness

/// What follows from what is known of a minute.
///
/// Energy is by the best formula that the data allows, for each part of a minute:
/// 1. heart rate (Keytel et al.), where its mean is at least 57 % of the maximum, at ages from 18 to 45; above 90 % it
///    counts as there;
/// 2. on foot, where altitudes are known: speed and grade (American College of Sports Medicine);
/// 3. speed (Compendium of Physical Activities);
/// 4. on foot: distance, 0.5 or 1 kcal/kg/km, which is net, while the others are gross.
struct MinuteRules: Hashable, Sendable {
    /// The grade at which the equations end, as a fraction: a lift is no hill.
    private static let steepest = 0.4
    /// Up to where walking is walking, and from where running is running, in metres a minute. Between them the activity
    /// decides.
    private static let (walking, running) = (134.0, 80.0)

    private let activity: Activity
    private let person: Person
    private let stepLength: Double?
    private let heartRates: ClosedRange<Double>?

    init(_ activity: Activity, _ person: Person) {
        (self.activity, self.person) = (activity, person)
        stepLength = activity.countsSteps ? person.stepLengthMetres : nil
        heartRates = person.heartRatesOfEnergy
    }

    /// What follows from a minute.
    func result(of minute: WorkoutMinute) -> WorkoutMinute.Result {
        var result = WorkoutMinute.Result()
        let sensed = minute.sensed
        let steps = activity.countsSteps ? Share([minute.counter, minute.pedometer]) : Share()
        let isStuck = isStuck(minute, sensed, steps)
        var measured = Share(
            isStuck ? [minute.path, sensed, minute.gap] : [minute.path, minute.still, sensed, minute.gap])
        // Steps stand in for what nothing else has measured.
        let stepped = stepLength == nil ? Share() : steps.without(measured.seconds)
        if isStuck { measured = Share([measured, minute.still.without(stepped.seconds)]) }
        if !steps.isEmpty { result.steps = steps.amount }
        if !measured.isEmpty || stepLength != nil && !steps.isEmpty {
            result.millimetres = Int32(clamping: Int64(measured.amount) + whole(metres(stepped) * 1000))
        }
        result.calories = calories(minute, measured, stepped).map { Int32(clamping: whole($0 * 1000)) }
        return result
    }

    /// Whether positions stay where they are though the person moves: on a treadmill near a window, or because the
    /// receiver repeats itself. It is so if a sensor or steps have measured a quarter more than the positions, and half
    /// a metre for each second of standing on top; then these seconds are left to the sensor and to the steps.
    private func isStuck(_ minute: WorkoutMinute, _ sensed: Share, _ steps: Share) -> Bool {
        let still = minute.still.without(minute.path.seconds)
        guard !still.isEmpty else { return false }
        let positions = 1.25 * Double(minute.path.amount + minute.gap.amount)
        let others = max(Double(sensed.amount), metres(steps) * 1000)
        // Metres a second are millimetres a millisecond.
        return others >= positions + PositionFilter.standing * Double(still.milliseconds)
    }

    private func metres(_ steps: Share) -> Double { (stepLength ?? 0) * Double(steps.amount) }

    /// Kilocalories; nil if they cannot be known.
    private func calories(_ minute: WorkoutMinute, _ measured: Share, _ stepped: Share) -> Double? {
        var (total, known) = (Double?.none, UInt64(0))
        if let rates = heartRates, !minute.heart.isEmpty, minute.heart.mean >= rates.lowerBound {
            let rate = min(minute.heart.mean, rates.upperBound)
            total = person.kilocalories(heartRate: rate, minutes: minute.heart.minutes)
            known = minute.heart.seconds
        }
        let moved = measured.without(known)
        if !moved.isEmpty, let energy = kilocalories(measured, minute, minutes: moved.minutes) {
            total = (total ?? 0) + energy
        }
        let walked = stepped.without(known)
        if let gait = activity.gait, !walked.isEmpty, let energy = person.kilocalories(metres: metres(walked), gait) {
            total = (total ?? 0) + energy
        }
        return total
    }

    /// Energy by the speed and the grade of what was measured in a minute.
    private func kilocalories(_ measured: Share, _ minute: WorkoutMinute, minutes: Double) -> Double? {
        // Millimetres by milliseconds are metres by seconds.
        let speed = measured.mean
        if let gait = activity.gait, !minute.climb.isEmpty {
            let grade = min(Self.steepest, Double(minute.climb.amount) / Double(max(1, measured.amount)))
            let metresPerMinute = speed * 60
            let isRunning = metresPerMinute > (gait == .running ? Self.running : Self.walking)
            return person.kilocalories(
                metresPerMinute: metresPerMinute, grade: grade, minutes: minutes, isRunning ? .running : .walking)
        }
        if let row = activity.equivalents,
            let equivalent = MetabolicEquivalent.value(row, milesPerHour: speed * 3600 / 1609.344)
        {
            return person.kilocalories(metabolicEquivalent: equivalent, hours: minutes / 60)
        }
        // Too slow or too fast for the table.
        return activity.gait.flatMap { person.kilocalories(metres: speed * minutes * 60, $0) }
    }
}
