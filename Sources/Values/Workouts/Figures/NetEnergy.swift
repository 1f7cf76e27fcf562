public import Fitness

/// What the energy of a workout is known by.
public enum EnergySource: String, CaseIterable, Hashable, Sendable {
    /// What a device or a machine states itself.
    case device
    /// Work, by a power meter.
    case power
    /// Heart rate, sex, age and weight.
    case heartRate = "heart-rate"
    /// Speed and grade on foot.
    case speed
    /// The activity's metabolic equivalent.
    case activity
    /// Steps, and the distance that they stand for.
    case steps
}

extension Person {
    /// What a device may state at most, in kilocalories a kilogram and hour: more is an error of the device.
    private static let mostOfDevice = 25.0

    /// Energy beyond rest in kilocalories, never below 0; nil if the weight is not known.
    /// - Parameter gross: with what the body takes at rest, in kilocalories.
    public func netKilocalories(gross: Double, minutes: Double) -> Double? {
        restingKilocalories(minutes: minutes).map { max(0, gross - $0) }
    }

    /// The energy that a device states itself, beyond rest, in kilocalories. Nil if it is not above 0, is more than
    /// anybody can take (25 kcal/kg/h), or the weight is not known that rest follows from.
    /// - Parameters:
    ///   - minutes: of active time.
    ///   - isNet: whether the device has left out rest itself.
    public func netKilocalories(device stated: Double, minutes: Double, isNet: Bool = false) -> Double? {
        let weight = weightKilograms ?? ProfileRules.weights.upperBound
        guard stated > 0, stated <= Self.mostOfDevice * weight * minutes / 60 else { return nil }
        return isNet ? stated : netKilocalories(gross: stated, minutes: minutes)
    }
}

/// The energy of a minute beyond rest, by the best formula that the data allows, for each part of it:
/// 1. work (gross efficiency of cycling: 20 to 25 %);
/// 2. heart rate (Keytel et al.), where the mean that holds is at least 57 % of the maximum, at ages from 18 to 45;
///    above 90 % it counts as there;
/// 3. on foot: speed and grade (American College of Sports Medicine), on the level where altitudes are not known;
/// 4. the activity's metabolic equivalent by speed (Compendium of Physical Activities);
/// 5. on foot: the distance that steps stand for, 0.5 or 1 kcal/kg/km, which is net, while the others are gross.
struct EnergyRules: Hashable, Sendable {
    /// The grade at which the equations end, as a fraction: a lift is no hill.
    private static let steepest = 0.4
    /// Up to where walking is walking, and from where running is running, in metres a minute. Between them the activity
    /// decides.
    private static let (walking, running) = (134.0, 80.0)
    /// How much of what the body takes becomes work on the pedals.
    private static let efficiency = 0.24
    private static let kilojoulesPerKilocalorie = 4.184

    private let activity: Activity
    private let person: Person
    private let heartRates: ClosedRange<Double>?

    init(_ activity: Activity, _ person: Person) {
        (self.activity, self.person) = (activity, person)
        heartRates = person.heartRatesOfEnergy
    }

    /// Shows the parts of a minute whose energy is known: by what, and how much it is in kilocalories.
    /// - Parameters:
    ///   - measured: millimetres by positions and sensors.
    ///   - stepped: what only steps have measured.
    ///   - metres: the distance for which these stand.
    func forEachPart(
        of minute: WorkoutMinute, _ measured: Share, _ stepped: Share, metres: Double,
        _ body: (EnergySource, Double) -> Void
    ) {
        var known: UInt64 = 0
        func show(_ source: EnergySource, _ gross: Double?, _ minutes: Double, _ seconds: UInt64) {
            guard let gross, let net = person.netKilocalories(gross: gross, minutes: minutes) else { return }
            body(source, net)
            known |= seconds
        }
        let work = minute.work
        // A meter that measures nothing at all for a minute says nothing.
        if work.amount > 0 { show(.power, kilocalories(work: work), work.minutes, work.seconds) }
        minute.heart.forEachHeld { held in
            let seconds = held.seconds & ~known
            let minutes = Double(seconds.nonzeroBitCount) / 60
            guard seconds != 0, let rates = heartRates, held.mean >= rates.lowerBound else { return }
            let rate = min(held.mean, rates.upperBound)
            show(.heartRate, person.kilocalories(heartRate: rate, minutes: minutes), minutes, seconds)
        }
        let moved = measured.without(known)
        if !moved.isEmpty {
            let source: EnergySource = activity.gait == nil ? .activity : .speed
            show(source, kilocalories(measured, minute, minutes: moved.minutes), moved.minutes, moved.seconds)
        }
        let walked = stepped.without(known)
        guard let gait = activity.gait, !walked.isEmpty, stepped.amount > 0 else { return }
        let share = Double(walked.amount) / Double(stepped.amount)
        if let energy = person.kilocalories(metres: metres * share, gait) { body(.steps, energy) }
    }

    /// Gross energy by work in watts times milliseconds.
    private func kilocalories(work: Share) -> Double {
        Double(work.amount) / 1e6 / Self.kilojoulesPerKilocalorie / Self.efficiency
    }

    /// Gross energy by the speed and the grade of what was measured in a minute.
    private func kilocalories(_ measured: Share, _ minute: WorkoutMinute, minutes: Double) -> Double? {
        // Millimetres by milliseconds are metres by seconds.
        let speed = measured.mean
        if let gait = activity.gait {
            let grade = min(Self.steepest, Double(minute.climb.amount) / Double(max(1, measured.amount)))
            let metresPerMinute = speed * 60
            let isRunning = metresPerMinute > (gait == .running ? Self.running : Self.walking)
            return person.kilocalories(
                metresPerMinute: metresPerMinute, grade: grade, minutes: minutes, isRunning ? .running : .walking)
        }
        let milesPerHour = speed * 3600 / Units.metresPerMile
        return activity.equivalents.flatMap { MetabolicEquivalent.value($0, milesPerHour: milesPerHour) }
            .flatMap { person.kilocalories(metabolicEquivalent: $0, hours: minutes / 60) }
    }
}
