/// How somebody moves on foot.
public enum Gait: Sendable {
    /// Walking.
    case walking
    /// Running.
    case running
}

extension Person {
    /// Net energy of a distance on foot in kilocalories: 0.5 kcal/kg/km walking, 1.0 running.
    public func kilocalories(metres: Double, _ gait: Gait) -> Double? {
        weightKilograms.map { $0 * metres / 1000 * (gait == .walking ? 0.5 : 1) }
    }

    /// Gross energy in kilocalories at a steady speed (the metabolic equations of the American College of Sports
    /// Medicine).
    ///
    /// Oxygen uptake in ml/kg/min is 3.5 + 0.1 S + 1.8 S G walking and 3.5 + 0.2 S + 0.9 S G running, with S in m/min
    /// and G the grade as a fraction; a litre of oxygen is 5 kcal.
    public func kilocalories(
        metresPerMinute speed: Double, grade: Double = 0, minutes: Double, _ gait: Gait
    ) -> Double? {
        let uptake =
            switch gait {
            case .walking: 3.5 + 0.1 * speed + 1.8 * speed * grade
            case .running: 3.5 + 0.2 * speed + 0.9 * speed * grade
            }
        return weightKilograms.map { uptake * $0 / 200 * minutes }
    }

    /// Gross energy in kilocalories of an activity with a known metabolic equivalent (Compendium of Physical
    /// Activities).
    public func kilocalories(metabolicEquivalent: Double, hours: Double) -> Double? {
        weightKilograms.map { metabolicEquivalent * $0 * hours }
    }

    /// Energy in kilocalories from heart rate (Keytel et al. 2005), never below 0.
    ///
    /// Fitted to ages 18 to 45 at 57 to 90 % of the maximum heart rate: it means nothing at rest.
    public func kilocalories(heartRate: Double, minutes: Double) -> Double? {
        guard let sex, let weight = weightKilograms, let age = ageYears else { return nil }
        let kilojoulesPerMinute =
            switch sex {
            case .male: -55.0969 + 0.6309 * heartRate + 0.1988 * weight + 0.2017 * age
            case .female: -20.4022 + 0.4472 * heartRate - 0.1263 * weight + 0.074 * age
            }
        return max(0, kilojoulesPerMinute / 4.184 * minutes)
    }

    /// The heart rates in beats per minute at which energy is known by them: 57 to 90 % of the maximum, the range to
    /// which the formula was fitted. Above it the upper end counts, below it nothing does. Nil if sex or weight are not
    /// known, and outside the ages 18 to 45.
    public var heartRatesOfEnergy: ClosedRange<Double>? {
        guard let age = ageYears, (18...45).contains(age), let maximum = maximumHeartRate, sex != nil,
            weightKilograms != nil
        else { return nil }
        return 0.57 * maximum...0.9 * maximum
    }

    /// Basal metabolic rate in kilocalories a day (Mifflin and St Jeor 1990).
    public var basalKilocaloriesPerDay: Double? {
        guard let sex, let weight = weightKilograms, let height = heightCentimetres, let age = ageYears else {
            return nil
        }
        return 10 * weight + 6.25 * height - 5 * age + (sex == .male ? 5 : -161)
    }

    /// What the body uses at rest in so many minutes, in kilocalories: of the basal rate, or 1 kcal/kg/h if age, sex or height are not
    /// known. Nil if the weight is not known.
    public func restingKilocalories(minutes: Double) -> Double? {
        (basalKilocaloriesPerDay.map { $0 / 1440 } ?? weightKilograms.map { $0 / 60 }).map { max(0, $0) * minutes }
    }
}
