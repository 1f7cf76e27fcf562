import Fitness
import TestSupport
import Testing

@testable import Workouts

/// What a workout's figures are made of.
@Suite(.timeLimit(.minutes(60))) struct FigureTests {
    /// A position each second, at a steady speed to the north, so accurate that each counts.
    private func walk(
        _ fold: inout WorkoutFold, _ metresPerSecond: Double, _ seconds: ClosedRange<Int>, altitude: Double? = nil
    ) throws {
        for second in seconds {
            let time = Double(second)
            fold.add(.position(try point(time, metresPerSecond * time, altitude: altitude, accuracy: 1)))
        }
    }

    private func heart(_ fold: inout WorkoutFold, _ beatsPerMinute: Int, _ seconds: ClosedRange<Int>) {
        for second in seconds {
            let reading = HeartRateReading(time: at(Double(second)), beatsPerMinute: beatsPerMinute)
            fold.add(.heartRate(reading))
        }
    }

    @Test("nothing is known of a workout without samples but its duration")
    func nothing() throws {
        let fold = try begun(goal: WorkoutGoal(.distance, target: 100))
        let figures = fold.figures(at: at(90))
        #expect(figures.activeMilliseconds == 90_000 && figures.state == .running && figures.started == at(0))
        #expect(figures.metres == nil && figures.steps == nil && figures.kilocalories == nil)
        #expect(figures.heartRate == nil && figures.speed == nil && figures.ascentMetres == nil)
        #expect(figures.cadence == nil && figures.power == nil && figures.percent == nil && figures.energySource == nil)
        #expect(figures.goalReached == nil && figures.ended == nil)
    }

    @Test("energy by heart rate is Keytel's, less what the body takes at rest")
    func keytel() throws {
        for (sex, age, weight, rate, expected) in [
            (Person.Sex.male, 35.0, 75.0, 150, 441.0 - 37.5), (.female, 30, 60, 140, 264.2 - 30),
        ] {
            let person = Person(sex: sex, ageYears: age, weightKilograms: weight)
            let rowing = try #require(Activity(named: "Rowing"))
            var fold = try begun(rowing, person)
            heart(&fold, rate, 0...1800)
            #expect(near(fold.figures(at: at(1800)).kilocalories, expected, 0.06))
            #expect(fold.figures(at: at(1800)).energySource == .heartRate)
        }
    }

    @Test("energy on foot is by speed and grade, less what the body takes at rest, and on the level without altitudes")
    func speedEnergy() throws {
        let person = Person(weightKilograms: 70)
        var level = try begun(.walking, person)
        try walk(&level, 80 / 60, 0...1800, altitude: 100)
        #expect(near(level.figures(at: at(1800)).kilocalories, 120.75 - 35, 0.05))
        var flat = try begun(.running, person)
        try walk(&flat, 2.7, 0...1800)
        #expect(near(flat.figures(at: at(1800)).kilocalories, 376.95 - 35, 0.05))
        #expect(flat.figures(at: at(1800)).energySource == .speed)
        var hill = try begun(.running, person)
        for second in 0...600 {
            let time = Double(second)
            hill.add(.position(try point(time, 2.5 * time, altitude: 100 + 0.25 * time)))
        }
        // Level: 162 m/min, (3.5 + 32.4) × 70 / 200 × 30. Hill: 150 m/min at 10 %, (3.5 + 30 + 13.5) × 70 / 200 × 10,
        // with up to 3 m that the hysteresis keeps back.
        #expect(near(hill.figures(at: at(600)).kilocalories, 164.5 - 70 / 6, 1.5))
    }

    @Test("energy by steps is net, and so is the distance that they stand for")
    func stepEnergy() throws {
        let person = Person(sex: .male, heightCentimetres: 175, weightKilograms: 70)
        var fold = try begun(.walking, person)
        for second in 0...6000 where second % 3 == 0 {
            fold.add(.steps(StepReading(time: at(Double(second)), counter: UInt32(second * 10 / 6))))
        }
        let figures = fold.figures(at: at(6000))
        #expect(figures.steps == 10_000 && near(figures.metres, 7262.5, 0.1))
        #expect(figures.energySource == .steps)
        #expect(near(figures.kilocalories, 254.19, 0.05) && near(figures.speed?.mean, 7262.5 / 6000, 1e-4))
        #expect(figures.speed?.now == nil && figures.ascentMetres == nil)
    }

    @Test("energy is absent where the profile lacks what it needs")
    func noProfile() throws {
        for person in [Person(), Person(sex: .male, ageYears: 35), Person(heightCentimetres: 175)] {
            var fold = try begun(.running, person)
            heart(&fold, 150, 0...60)
            try walk(&fold, 3, 0...60, altitude: 10)
            fold.add(.steps(StepReading(time: at(0), counter: 0)))
            fold.add(.steps(StepReading(time: at(60), counter: 160)))
            let figures = fold.figures(at: at(60))
            #expect(figures.kilocalories == nil && near(figures.metres, 180, 0.1) && figures.steps == 160)
            #expect((figures.heartRate?.zoneMilliseconds == nil) == (person.ageYears == nil))
            #expect(figures.heartRate?.banister == nil && figures.heartRate?.mean == 150)
        }
        // Steps without a height say nothing of the distance, nor of the energy.
        var fold = try begun(.running, Person(weightKilograms: 70))
        fold.add(.steps(StepReading(time: at(0), counter: 0)))
        fold.add(.steps(StepReading(time: at(60), counter: 160)))
        #expect(fold.figures(at: at(60)).metres == nil && fold.figures(at: at(60)).kilocalories == nil)
        #expect(fold.figures(at: at(60)).steps == 160)
    }

    @Test("heart rates at rest, and those of ages that the formula was not fitted to, give way to speed")
    func outOfRange() throws {
        var rest = try begun()
        heart(&rest, 90, 0...600)
        #expect(rest.figures(at: at(600)).kilocalories == nil)
        try walk(&rest, 2.7, 0...600)
        // 35.9 ml/kg/min, less 1,623.75 kcal a day at rest, or 1 kcal/kg/h where the height is not known.
        #expect(near(rest.figures(at: at(600)).kilocalories, 125.65 - 1623.75 / 144, 0.05))
        var old = try begun(.running, Person(sex: .male, ageYears: 60, weightKilograms: 70))
        heart(&old, 150, 0...600)
        try walk(&old, 2.7, 0...600)
        #expect(near(old.figures(at: at(600)).kilocalories, 125.65 - 70 / 6, 0.05))
    }

    @Test("zones have the time for which each minute's heart rate held, and loads follow from them")
    func zones() throws {
        var fold = try begun()
        heart(&fold, 100, 0...60)
        heart(&fold, 170, 61...121)
        heart(&fold, 0, 122...125)
        heart(&fold, 170, 140...150)
        let heart = try #require(fold.figures(at: at(150)).heartRate)
        // Each minute has its own mean. Of the third one, five seconds before the silence are known, and ten after it.
        let second = (100 + 59 * 170) / 60.0
        #expect(heart.zoneMilliseconds == [60_000, 0, 0, 0, 75_000] && heart.samples == 133)
        #expect(heart.recordedMilliseconds == 135_000 && near(heart.edwards, 1 + 5 * 1.25, 1e-9))
        #expect(near(heart.mean, (12 * 100 + 12 * second + 3 * 170) / 27, 1e-9))
        let impulse = try #require(TrainingImpulse(person))
        let loads = [(100, 1), (second, 1), (170, 0.25)].map { impulse.load(heartRate: $0.0, minutes: $0.1) }
        let load = loads.reduce(0, +)
        #expect(near(heart.banister, load, 1e-9))
        #expect(heart.now == 170 && heart.zone == 5 && fold.figures(at: at(181)).heartRate?.now == nil)
        #expect(fold.figures(at: at(181)).heartRate?.zone == nil)
    }

    @Test("pauses count nowhere: neither path, steps, heart rates nor time")
    func pauses() throws {
        var fold = try begun()
        func tell(_ seconds: ClosedRange<Int>) throws {
            for second in seconds {
                let time = Double(second)
                fold.add(.position(try point(time, 3 * time, altitude: 100 + time, accuracy: 1)))
                fold.add(.heartRate(HeartRateReading(time: at(time), beatsPerMinute: 100 + second / 10)))
                fold.add(.steps(StepReading(time: at(time), counter: UInt32(2 * second))))
            }
        }
        try tell(0...60)
        try fold.add(WorkoutEvent(.pause, at: at(60)))
        try tell(61...119)
        try fold.add(WorkoutEvent(.resume, at: at(120)))
        try tell(120...180)
        try fold.add(WorkoutEvent(.stop, at: at(180)))
        try tell(181...200)
        let figures = fold.figures(at: at(200))
        #expect(!fold.needsRecount && figures.activeMilliseconds == 120_000)
        #expect(near(figures.metres, 360, 0.1) && figures.steps == 240)
        #expect(figures.ascentMetres == 120 && figures.heartRate?.samples == 120)
        // A value of the moment of a pause, or of the stop, is not of the time before it.
        #expect(figures.heartRate?.minimum == 100 && figures.heartRate?.maximum == 117)
        #expect(figures.heartRate?.zoneMilliseconds?.reduce(0, +) == 120_000)
        #expect(near(figures.speed?.mean, 3, 1e-3) && figures.ended == at(180))
    }

    @Test("a pause of moments is a pause, too: no way leads over it, and no slot of a heart rate begins in it")
    func shortPause() throws {
        var fold = try begun()
        func tell(_ second: Double) throws {
            fold.add(.position(try point(second, 3 * second)))
            fold.add(.heartRate(HeartRateReading(time: at(second), beatsPerMinute: 150)))
            fold.add(.motion(MotionReading(time: at(second), metresPerSecond: 3, totalMetres: 3 * second)))
        }
        for second in 0...10 { try tell(Double(second)) }
        try fold.add(WorkoutEvent(.pause, at: at(10)))
        try fold.add(WorkoutEvent(.resume, at: at(13)))
        for second in 14...20 { try tell(Double(second)) }
        let figures = fold.figures(at: at(20))
        #expect(near(figures.metres, 48, 0.01))
        // Three slots of five seconds begin in active time: after 0, 5 and 15 s.
        #expect(figures.heartRate?.recordedMilliseconds == 15_000)
    }

    @Test("distance is by positions, else by a sensor, else by steps, for each part of a minute")
    func sources() throws {
        var fold = try begun()
        // Steps all the time, 1.45 m/s; a sensor from the second minute on, 2 m/s; positions in the third, 3 m/s.
        for second in 0...240 {
            fold.add(.steps(StepReading(time: at(Double(second)), counter: UInt32(2 * second))))
        }
        for second in 60...240 {
            fold.add(.motion(MotionReading(time: at(Double(second)), metresPerSecond: 2, cadence: 160)))
        }
        try walk(&fold, 3, 120...210)
        let step = try #require(person.stepLengthMetres)
        let figures = fold.figures(at: at(240))
        // A minute of steps; 90 s by the sensor, and 90 s by positions.
        let stepped: Double = 120 * step
        #expect(near(figures.metres, stepped + 450, 0.2) && figures.steps == 480)
        #expect(near(figures.speed?.now, 3, 1e-6) && figures.cadence?.mean == 160)
        // A silence of half a minute and more is left to others.
        fold.add(.motion(MotionReading(time: at(241), metresPerSecond: 2)))
        fold.add(.position(try point(260, 3 * 260)))
        // A second more by the sensor, and 19 s of the way between the positions.
        #expect(near(fold.figures(at: at(260)).metres, stepped + 509, 2))
    }

    @Test("a total distance bridges silences, and a counter that restarts goes on from 0")
    func counters() throws {
        var fold = try begun()
        for (second, total, counter) in [(0.0, 500.0, 9000 as UInt32), (40, 600, 9100), (80, 690, 30)] {
            fold.add(.motion(MotionReading(time: at(second), totalMetres: total)))
            fold.add(.steps(StepReading(time: at(second), counter: counter)))
        }
        #expect(fold.figures(at: at(80)).metres == 190 && fold.figures(at: at(80)).steps == 130)
        // What cannot be is not believed: 5 km in ten seconds, a thousand steps in one.
        fold.add(.motion(MotionReading(time: at(90), totalMetres: 5690)))
        fold.add(.steps(StepReading(time: at(81), counter: 1030)))
        fold.add(.motion(MotionReading(time: at(91), totalMetres: 3, cadence: 0)))
        #expect(fold.figures(at: at(91)).metres == 190 && fold.figures(at: at(91)).steps == 130)
        #expect(fold.figures(at: at(91)).cadence == nil)
    }

    @Test("a phone's pedometer counts where there is no counter, each span once")
    func pedometer() throws {
        var fold = try begun(.walking)
        let spans: [(Double, Double, UInt32)] = [(0, 60, 100), (30, 90, 90), (60, 120, 110), (120, 180, 120)]
        for (from, to, steps) in spans {
            let span = try #require(PedometerReading(from: at(from), to: at(to), steps: steps))
            fold.add(.pedometer(span))
        }
        #expect(fold.figures(at: at(180)).steps == 330)
        fold.add(.steps(StepReading(time: at(120), counter: 7)))
        fold.add(.steps(StepReading(time: at(180), counter: 67)))
        #expect(fold.figures(at: at(180)).steps == 270)
        #expect(PedometerReading(from: 5, to: 5, steps: 1) == nil)
    }

    @Test("steps are not counted on a bicycle, nor if most of them were made at another time")
    func noSteps() throws {
        var ride = try begun(.cycling)
        ride.add(.steps(StepReading(time: at(0), counter: 0)))
        ride.add(.steps(StepReading(time: at(60), counter: 100)))
        #expect(ride.figures(at: at(60)).steps == nil && ride.figures(at: at(60)).metres == nil)
        var fold = try begun()
        fold.add(.steps(StepReading(time: at(-120), counter: 0)))
        fold.add(.steps(StepReading(time: at(100), counter: 200)))
        #expect(fold.figures(at: at(100)).steps == nil)
        // Of the steps that a stop cuts in two, the first part counts.
        try fold.add(WorkoutEvent(.stop, at: at(190)))
        fold.add(.steps(StepReading(time: at(200), counter: 300)))
        #expect(fold.figures(at: at(200)).steps == 90)
    }

    @Test("speed and power of a bicycle's sensors")
    func sensors() throws {
        var fold = try begun(.cycling)
        for second in 0...100 {
            let watts = Double(second)
            fold.add(.motion(MotionReading(time: at(watts), metresPerSecond: watts / 10, watts: watts)))
        }
        let figures = fold.figures(at: at(100))
        #expect(figures.power?.mean == 50 && figures.power?.maximum == 100 && figures.power?.now == 100)
        #expect(figures.speed?.now == 10 && figures.speed?.minimum == 0 && figures.speed?.maximum == 10)
        #expect(near(figures.metres, 505, 1e-6) && figures.speed?.paceNow?.text == "1:40")
        #expect(figures.speed?.paceSlowest == nil && fold.figures(at: at(131)).speed?.now == nil)
    }

    @Test("work is energy before a heart rate is, and what gave most of the energy is named")
    func work() throws {
        var fold = try begun(.cycling)
        // Ten minutes at 200 W with speeds, and ten of the heart alone.
        for second in 0...600 {
            fold.add(.motion(MotionReading(time: at(Double(second)), metresPerSecond: 8, watts: 200)))
        }
        heart(&fold, 150, 0...1200)
        let rest = 1623.75 / 1440
        let byHeart = try #require(person.kilocalories(heartRate: 150, minutes: 1)) - rest
        let byWork = 12 / 4.184 / 0.24 - rest
        #expect(near(fold.figures(at: at(1200)).kilocalories, 10 * (byWork + byHeart), 0.05))
        #expect(byHeart > byWork && fold.figures(at: at(1200)).energySource == .heartRate)
        heart(&fold, 90, 1201...1800)
        #expect(near(fold.figures(at: at(1800)).kilocalories, 10 * (byWork + byHeart), 0.2))
        // A meter that says nothing is no reason to know nothing.
        var idle = try begun(.cycling)
        for second in 0...600 { idle.add(.motion(MotionReading(time: at(Double(second)), watts: 0))) }
        heart(&idle, 150, 0...600)
        #expect(near(idle.figures(at: at(600)).kilocalories, 10 * byHeart, 0.05))
        var table = try begun(.cycling)
        for second in 0...600 { table.add(.motion(MotionReading(time: at(Double(second)), metresPerSecond: 8))) }
        #expect(near(table.figures(at: at(600)).kilocalories, 12 * 70 / 6 - 10 * rest, 0.05))
        #expect(table.figures(at: at(600)).energySource == .activity)
    }

    @Test("a goal is reached at the moment at which its value is")
    func goals() throws {
        var far = try begun(goal: WorkoutGoal(.distance, target: 300))
        try walk(&far, 3, 0...99)
        #expect(near(far.figures(at: at(99)).percent, 99, 0.01) && far.figures(at: at(99)).goalReached == nil)
        try walk(&far, 3, 100...120)
        #expect([at(100), at(101)].contains(far.figures(at: at(120)).goalReached))
        var steps = try begun(goal: WorkoutGoal(.steps, target: 100))
        for second in 0...60 {
            steps.add(.steps(StepReading(time: at(Double(second)), counter: UInt32(2 * second))))
        }
        #expect(steps.figures(at: at(60)).goalReached == at(50) && steps.figures(at: at(60)).percent == 120)
        var energy = try begun(goal: WorkoutGoal(.energy, target: 10))
        heart(&energy, 150, 0...120)
        let gross = try #require(person.kilocalories(heartRate: 150, minutes: 1))
        let rate = try #require(person.netKilocalories(gross: gross, minutes: 1))
        // Slots of five seconds count: the last one is known with the second sample after it.
        #expect(energy.figures(at: at(120)).goalReached == at((120 / rate).rounded(.up) * 5 + 1))
        var time = try begun(goal: WorkoutGoal(.duration, target: 100))
        try time.add(WorkoutEvent(.pause, at: at(40)))
        try time.add(WorkoutEvent(.resume, at: at(70)))
        #expect(time.figures(at: at(129)).goalReached == nil && near(time.figures(at: at(120)).percent, 90, 1e-9))
        #expect(time.figures(at: at(130)).goalReached == at(130) && time.figures(at: at(500)).goalReached == at(130))
    }

    @Test("an altitude that nobody can have climbed to begins the climb again")
    func impossibleClimb() throws {
        let way: [(Double, Double)] = [(0, 20), (1, 107), (2, 108), (10, 112), (60, 112), (61, 199), (62, 112)]
        for (activity, expected) in [(Activity.running, 5.0), (.cycling, 5)] {
            var fold = try begun(activity)
            for (second, altitude) in way { fold.add(.position(try point(second, 3 * second, altitude: altitude))) }
            #expect(fold.figures(at: at(62)).ascentMetres == expected)
        }
        // Ten metres in a second: a rider may come over a ramp at speed, a runner may not.
        for (activity, expected) in [(Activity.running, 0.0), (.cycling, 10)] {
            var fold = try begun(activity)
            for (second, altitude) in [(0.0, 100.0), (1, 110)] {
                fold.add(.position(try point(second, 3 * second, altitude: altitude)))
            }
            #expect(fold.figures(at: at(1)).ascentMetres == expected)
        }
        // The formula's example, each second.
        var example = try begun()
        for (second, altitude) in [100.0, 102, 101, 105, 104, 110].enumerated() {
            example.add(.position(try point(Double(second), 3 * Double(second), altitude: altitude)))
        }
        #expect(example.figures(at: at(5)).ascentMetres == 10)
    }

    @Test("what comes late, or again, is told apart")
    func late() throws {
        var fold = try begun()
        let first = WorkoutSample.heartRate(HeartRateReading(time: at(5), beatsPerMinute: 100))
        #expect(fold.add(first) == .counted)
        #expect(fold.add(first) == .ignored && !fold.needsRecount)
        let other = WorkoutSample.heartRate(HeartRateReading(time: at(5), beatsPerMinute: 101))
        var same = fold
        #expect(same.add(other) == .late && same.needsRecount)
        #expect(same.figures(at: at(5)) == fold.figures(at: at(5)))
        // A pause that began before what was counted.
        var paused = fold
        try paused.add(WorkoutEvent(.pause, at: at(5)))
        #expect(!paused.needsRecount)
        var early = fold
        try early.add(WorkoutEvent(.pause, at: at(4)))
        #expect(early.needsRecount)
    }
}
