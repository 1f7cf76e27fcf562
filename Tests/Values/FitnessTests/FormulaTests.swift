import Testing

@testable import Fitness

/// Every worked example of the formulas, and what happens if an input is missing.
@Suite struct FormulaTests {
    func near(_ value: Double?, _ expected: Double, _ tolerance: Double) -> Bool {
        value.map { abs($0 - expected) <= tolerance } ?? false
    }

    @Test("steps become metres by height and sex")
    func distance() {
        #expect(near(Person(sex: .male, heightCentimetres: 175).stepLengthMetres, 0.72625, 1e-9))
        #expect(near(Person(sex: .female, heightCentimetres: 100).stepLengthMetres, 0.413, 1e-9))
        #expect(near(Person(heightCentimetres: 100).stepLengthMetres, 0.414, 1e-9))
    }

    @Test("a counter that restarts loses nothing that it counted since")
    func counter() {
        #expect(StepCounter.steps(over: [100, 150, 150, 20, 25]) == 75)
        #expect(StepCounter.steps(over: [5]) == 0 && StepCounter.steps(over: []) == 0)
        #expect(StepCounter.steps(over: [0, .max, 0, .max]) == 2 * UInt64(UInt32.max))
    }

    @Test("energy from distance, speed, activity and heart rate")
    func energy() {
        let seventy = Person(weightKilograms: 70)
        #expect(near(seventy.kilocalories(metres: 7262.5, .walking), 254.19, 0.005))
        #expect(near(seventy.kilocalories(metres: 7262.5, .running), 508.375, 0.005))
        #expect(near(seventy.kilocalories(metresPerMinute: 80, minutes: 30, .walking), 120.75, 1e-6))
        #expect(near(seventy.kilocalories(metresPerMinute: 100, grade: 0.1, minutes: 1, .running), 11.375, 1e-6))
        #expect(near(seventy.kilocalories(metabolicEquivalent: 9.3, hours: 0.5), 325.5, 1e-6))
        let man = Person(sex: .male, ageYears: 35, weightKilograms: 75)
        #expect(near(man.kilocalories(heartRate: 150, minutes: 30), 441.0, 0.05))
        let woman = Person(sex: .female, ageYears: 30, weightKilograms: 60)
        #expect(near(woman.kilocalories(heartRate: 140, minutes: 30), 264.2, 0.05))
        #expect(man.kilocalories(heartRate: 40, minutes: 30) == 0)
    }

    @Test("basal rate")
    func basal() {
        let man = Person(sex: .male, ageYears: 35, heightCentimetres: 175, weightKilograms: 80)
        let woman = Person(sex: .female, ageYears: 30, heightCentimetres: 165, weightKilograms: 60)
        #expect(man.basalKilocaloriesPerDay == 1723.75 && woman.basalKilocaloriesPerDay == 1320.25)
    }

    @Test(
        "body mass index, in its classes",
        arguments: [
            (15.9, .severeThinness), (16, .moderateThinness), (17, .mildThinness), (18.5, .normal), (24.99, .normal),
            (25, .preObese), (30, .obeseI), (35, .obeseII), (40, .obeseIII),
        ] as [(Double, BodyMassIndex.Class)])
    func bodyMassIndex(weight: Double, category: BodyMassIndex.Class) {
        #expect(BodyMassIndex(Person(heightCentimetres: 100, weightKilograms: weight))?.category == category)
        #expect(near(BodyMassIndex(Person(heightCentimetres: 170, weightKilograms: 58))?.value, 20.1, 0.05))
    }

    @Test("maximum heart rate and zones")
    func zones() {
        let person = Person(ageYears: 30, restingHeartRate: 60)
        #expect(near(person.maximumHeartRate, 187, 1e-9))
        #expect(near(person.heartRate(reserve: 0.7), 148.9, 0.05))
        #expect([50, 93, 94, 112, 113, 131, 150, 169, 200].map { person.zones()?.zone(of: $0) } == [0, 0, 1, 1, 2, 3, 4, 5, 5])
    }

    @Test("what the body uses at rest is a share of the basal rate, or follows from the weight alone")
    func resting() {
        let ada = Person(sex: .male, ageYears: 35, heightCentimetres: 175, weightKilograms: 75)
        #expect(near(ada.restingKilocalories(minutes: 30), 441.0 - 406.130208, 1e-6))
        #expect(near(Person(ageYears: 40, heightCentimetres: 170, weightKilograms: 70).restingKilocalories(minutes: 60), 70, 1e-9))
        #expect(Person(sex: .male, ageYears: 35, heightCentimetres: 175).restingKilocalories(minutes: 1) == nil)
    }

    @Test("heart rate variability, only between neighbours that are valid")
    func variability() {
        #expect(near(HeartRateVariability.rmssd([800, 810, 790, 805]), 15.55, 0.005))
        #expect(near(HeartRateVariability.sdnn([800, 810, 790, 805]), 8.54, 0.005))
        #expect(near(HeartRateVariability.rmssd([800, 810, nil, 900, 910]), 10, 1e-9))
        #expect(HeartRateVariability.rmssd([800, nil, 810]) == nil && HeartRateVariability.sdnn([800]) == nil)
    }

    @Test("distance on the globe")
    func haversine() {
        let metres = Place(latitude: 40.6, longitude: -73.8).metres(to: Place(latitude: 51.6, longitude: -0.5))
        #expect(near(metres, 5_536_892, 1))
        #expect(near(Place(latitude: 0, longitude: 0).metres(to: Place(latitude: 0, longitude: 180)), 20_015_114, 1))
    }

    @Test("ascent without noise, and pace")
    func ascentAndPace() throws {
        #expect(ascentMetres([100, 102, 101, 105, 104, 110]) == 10)
        #expect(ascentMetres([100, 101, 100, 102, 100]) == 0)
        #expect(ascentMetres([110, 100, 104]) == 4 && ascentMetres([]) == 0)
        let pace = try #require(Pace(metres: 10_000, seconds: 3000))
        #expect(pace.secondsPerKilometre == 300 && pace.kilometresPerHour == 12 && pace.text == "5:00")
        #expect(Pace(metres: 1000, seconds: 365)?.text == "6:05")
        #expect(Pace(metres: 0, seconds: 1) == nil)
    }

    @Test("what lacks an input is nil")
    func missing() {
        let nobody = Person(ageYears: .nan, heightCentimetres: 0, weightKilograms: -1)
        #expect(nobody == Person())
        #expect(nobody.stepLengthMetres == nil && nobody.kilocalories(metres: 1, .walking) == nil)
        #expect(nobody.kilocalories(metresPerMinute: 1, minutes: 1, .walking) == nil)
        #expect(nobody.kilocalories(metabolicEquivalent: 1, hours: 1) == nil)
        #expect(nobody.kilocalories(heartRate: 100, minutes: 1) == nil && nobody.basalKilocaloriesPerDay == nil)
        #expect(nobody.maximumHeartRate == nil && nobody.zones() == nil)
        #expect(nobody.heartRate(reserve: 0.5) == nil && BodyMassIndex(nobody) == nil)
        #expect(Person(weightKilograms: 70).kilocalories(heartRate: 100, minutes: 1) == nil)
    }
}
