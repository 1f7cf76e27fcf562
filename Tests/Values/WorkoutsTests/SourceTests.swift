import Fitness
import TestSupport
import Testing

@testable import Workouts

/// Which of several sources counts, and for how long.
@Suite(.timeLimit(.minutes(60))) struct SourceTests {
    private func heart(_ seconds: Double, _ beatsPerMinute: Int) -> WorkoutSample {
        .heartRate(HeartRateReading(time: at(seconds), beatsPerMinute: beatsPerMinute))
    }

    private func steps(_ seconds: Double, _ counter: UInt32) -> WorkoutSample {
        .steps(StepReading(time: at(seconds), counter: counter))
    }

    @Test("a grade is what was climbed by the distance from which the speed is")
    func grade() throws {
        var fold = try begun(.running, Person(weightKilograms: 70))
        // Positions climb 6 m in 20 s; for 40 s more a foot pod says 3 m/s.
        for second in 0...20 {
            let time = Double(second)
            fold.add(.position(try point(time, 3 * time, altitude: 100 + 0.3 * time)))
        }
        for second in 20...60 { fold.add(.motion(MotionReading(time: at(Double(second)), metresPerSecond: 3))) }
        // 180 m/min and 6 m in 180: 3.5 + 0.2 × 180 + 0.9 × 6 = 44.9 ml/kg/min for a minute, less rest.
        #expect(near(fold.figures(at: at(60)).kilocalories, 44.9 * 70 / 200 - 70 / 60, 0.3))
    }

    @Test("a heart rate of moments before the start holds until the first one after it, and does not count itself")
    func heartBeforeStart() throws {
        var fold = WorkoutFold(.running, person: person)
        #expect(fold.add(heart(-3, 60)) == .ignored)
        try fold.add(WorkoutEvent(.start, at: epoch))
        for second in 7...15 { #expect(fold.add(heart(Double(second), 170)) == .counted) }
        let figures = try #require(fold.figures(at: at(15)).heartRate)
        // Five seconds at 60, which are in no zone, and ten at 170.
        #expect(figures.recordedMilliseconds == 15_000 && figures.zoneMilliseconds == [0, 0, 0, 0, 10_000])
        #expect(figures.samples == 9 && near(figures.mean, 400 / 3.0, 1e-9) && figures.minimum == 170)
        let samples = (7...15).map { heart(Double($0), 170) } + [heart(-3, 60)]
        let events = [WorkoutEvent(.start, at: epoch)]
        #expect(try WorkoutFold(.running, person: person, events: events, samples: samples) == fold)
        // What is not plausible is not the one before, and neither is what is too long ago.
        for (second, rate) in [(-3.0, 0), (-1000, 60)] {
            let samples = [heart(second, rate), heart(7, 170)]
            let fold = try WorkoutFold(.running, person: person, events: events, samples: samples)
            #expect(fold.figures(at: at(15)).heartRate?.recordedMilliseconds == 10_000)
        }
    }

    /// A band measures once in five minutes, a strap each second; both pause, and both have spikes.
    @Test("heart rates of now are those of a recount of what came so far", arguments: [1.0, 7, 60, 300])
    func heartOfNow(interval: Double) throws {
        var generator = SeededGenerator(seed: UInt64(interval))
        var (fold, events, samples) = (WorkoutFold(.running, person: person), [WorkoutEvent](), [WorkoutSample]())
        var changes = [(100.0, WorkoutEvent.Kind.start), (700, .pause), (833, .resume), (2000, .stop)][...]
        for second in stride(from: 0.0, through: 2400, by: interval) where Bool.random(using: &generator) {
            while let (time, kind) = changes.first, time <= second {
                events.append(WorkoutEvent(kind, at: at(time)))
                try fold.add(events[events.count - 1])
                changes.removeFirst()
            }
            samples.append(heart(second, .random(in: 0...9, using: &generator) == 0 ? 230 : 140 + Int(second / 100)))
            fold.add(samples[samples.count - 1])
            guard samples.count % 8 == 0 || interval > 9 else { continue }
            let recount = try WorkoutFold(.running, person: person, events: events, samples: samples.shuffled())
            for now in [second, second + 100] { #expect(fold.figures(at: at(now)) == recount.figures(at: at(now))) }
        }
        #expect(changes.isEmpty && !fold.needsRecount && fold.figures(at: at(2400)).heartRate != nil)
    }

    @Test("steps are counted from the count before the start, whether the start was known by then or not")
    func stepsBeforeStart() throws {
        var fold = WorkoutFold(.running, person: person)
        fold.add(steps(-10, 100))
        try fold.add(WorkoutEvent(.start, at: epoch))
        fold.add(steps(50, 220))
        #expect(fold.figures(at: at(50)).steps == 100 && !fold.needsRecount)
    }

    @Test("a counter's glitch is left out, and a counter that has jumped goes on")
    func glitch() throws {
        for wild in [4_294_967_295, 3000, 5400] as [UInt32] {
            var fold = try begun()
            let counts: [(Double, UInt32)] = [(0, 5000), (50, 5100), (51, wild), (52, 5104), (100, 5200)]
            for (second, counter) in counts { fold.add(steps(second, counter)) }
            #expect(fold.figures(at: at(100)).steps == 200)
        }
        var jumped = try begun()
        for (second, counter) in [(0.0, 100 as UInt32), (50, 200), (60, 3_000_000), (110, 3_000_100)] {
            jumped.add(steps(second, counter))
        }
        #expect(jumped.figures(at: at(110)).steps == 200)
    }

    @Test("a sum is unknown again when the last minute of which it was known is not")
    func unknownAgain() throws {
        let rowing = try #require(Activity(named: "Rowing"))
        var fold = try begun(rowing)
        for second in 0...10 { fold.add(heart(Double(second), 150)) }
        #expect(fold.figures(at: at(10)).kilocalories != nil)
        for second in 11...59 { fold.add(heart(Double(second), 80)) }
        #expect(fold.figures(at: at(59)).kilocalories == nil)
    }

    @Test("two sensors measure at one time, and of what both measure the lower number counts")
    func sensors() throws {
        var samples: [WorkoutSample] = []
        for second in 0...60 {
            let time = at(Double(second))
            // A power meter with a speed of its own, and a foot pod.
            samples.append(.motion(MotionReading(sensor: 2, time: time, metresPerSecond: 4, watts: 250)))
            samples.append(.motion(MotionReading(sensor: 1, time: time, metresPerSecond: 3, cadence: 170)))
        }
        // From then on there is only the power meter.
        for second in 61...90 {
            samples.append(.motion(MotionReading(sensor: 2, time: at(Double(second)), metresPerSecond: 4, watts: 250)))
        }
        var fold = try begun()
        for sample in samples { #expect(fold.add(sample) == .counted) }
        let figures = fold.figures(at: at(90))
        #expect(figures.metres == 60 * 3 + 30 * 4 && figures.cadence?.mean == 170 && figures.power?.mean == 250)
        #expect(figures.speed?.now == 3 && figures.speed?.maximum == 3 && fold.figures(at: at(91)).speed?.now == 4)
        let events = [WorkoutEvent(.start, at: epoch)]
        for _ in 0..<3 {
            let shuffled = (samples + samples).shuffled()
            #expect(try WorkoutFold(.running, person: person, events: events, samples: shuffled) == fold)
        }
        // Each of them keeps its own order.
        #expect(fold.add(.motion(MotionReading(sensor: 1, time: at(80), cadence: 160))) == .counted)
        #expect(fold.add(.motion(MotionReading(sensor: 2, time: at(80), cadence: 160))) == .late)
    }

    @Test("the speed now is the sensor's where the latest positions are too old")
    func speedNow() throws {
        var fold = try begun(.cycling)
        for second in 0...20 { fold.add(.position(try point(Double(second), 5 * Double(second)))) }
        for second in 0...100 { fold.add(.motion(MotionReading(time: at(Double(second)), metresPerSecond: 7))) }
        #expect(near(fold.figures(at: at(25)).speed?.now, 5, 1e-6))
        #expect(fold.figures(at: at(100)).speed?.now == 7)
        #expect(near(fold.figures(at: at(100)).speed?.maximum, 5, 1e-6))
    }
}

/// A workout whose positions stay where they are, or come in steps.
@Suite(.timeLimit(.minutes(60))) struct StandingTests {
    /// Positions each second, all within their accuracy of one place.
    private func stand(_ fold: inout WorkoutFold, _ seconds: ClosedRange<Int>, north: Double = 0) throws {
        for second in seconds {
            let drift = Double(second % 5)
            fold.add(.position(try point(Double(second), north + drift, accuracy: 20)))
        }
    }

    @Test("positions that stand give way to a foot pod that says that the person runs")
    func treadmill() throws {
        var fold = try begun()
        try stand(&fold, 0...600)
        for second in 0...600 { fold.add(.motion(MotionReading(time: at(Double(second)), metresPerSecond: 3))) }
        let figures = fold.figures(at: at(600))
        #expect(near(figures.metres, 1800, 5) && near(figures.speed?.now, 3, 1e-9))
        #expect(near(figures.kilocalories, 39.5 * 70 / 20 - 1623.75 / 144, 1))
    }

    @Test("positions that stand give way to steps that are a walk, but not to a few steps")
    func indoors() throws {
        let length = try #require(person.stepLengthMetres)
        for (perMinute, isWalk) in [(110, true), (20, false)] {
            var fold = try begun(.walking)
            try stand(&fold, 0...600)
            for minute in 0...10 {
                fold.add(.steps(StepReading(time: at(Double(60 * minute)), counter: UInt32(perMinute * minute))))
            }
            let expected = isWalk ? 1100 * length : 0
            #expect(near(fold.figures(at: at(600)).metres, expected, 5))
        }
    }

    @Test("a person who waits at a light has not walked, though a foot pod and steps go on before and after")
    func light() throws {
        var fold = try begun()
        var (north, counter) = (0.0, 0.0)
        for second in 0...240 {
            let isRunning = second <= 70 || second > 140
            if second > 0, isRunning { (north, counter) = (north + 3, counter + 2.8) }
            let time = Double(second)
            fold.add(.position(try point(time, north, accuracy: 4)))
            fold.add(.steps(StepReading(time: at(time), counter: UInt32(counter))))
            fold.add(.motion(MotionReading(time: at(time), metresPerSecond: isRunning ? 3.1 : 0)))
        }
        #expect(near(fold.figures(at: at(240)).metres, 510, 12))
    }

    /// With an accuracy of 20 m a walker's distance is counted every fifteen seconds.
    @Test("a distance that is counted in steps as large as the accuracy is spread over the time that it took")
    func stairs() throws {
        var fold = try begun(.walking, Person(weightKilograms: 70))
        for second in 0...900 {
            fold.add(.position(try point(Double(second), 1.4 * Double(second), accuracy: 20)))
            // A sensor that measures half of it must not fill the seconds between.
            fold.add(.motion(MotionReading(time: at(Double(second)), metresPerSecond: 0.7)))
        }
        let figures = fold.figures(at: at(900))
        #expect(near(figures.metres, 1260, 21))
        let speed = try #require(figures.speed)
        #expect(near(speed.minimum, 1.4, 0.01) && near(speed.maximum, 1.4, 0.01) && near(speed.now, 1.4, 0.01))
        // 84 m/min: 11.9 ml/kg/min, less 1 kcal/kg/h.
        #expect(near(figures.kilocalories, 11.9 * 70 / 200 * 15 - 70 / 4, 1))
    }

    @Test("a person who stops is known to stand, and one who waited and walks on has walked no more than that")
    func stopping() throws {
        var fold = try begun(.walking)
        for second in 0...100 { fold.add(.position(try point(Double(second), 1.4 * Double(second), accuracy: 5))) }
        for second in 101...300 { fold.add(.position(try point(Double(second), 141, accuracy: 5))) }
        #expect(fold.figures(at: at(300)).speed?.now == 0 && near(fold.figures(at: at(300)).metres, 140, 6))
        for second in 301...400 {
            fold.add(.position(try point(Double(second), 141 + 1.4 * Double(second - 300), accuracy: 5)))
        }
        #expect(near(fold.figures(at: at(400)).metres, 281, 6))
    }
}

/// When a goal is reached.
@Suite(.timeLimit(.minutes(60))) struct GoalReachedTests {
    private func agrees(_ figures: WorkoutFigures) -> Bool {
        (figures.goalReached != nil) == ((figures.percent ?? 0) >= 100)
    }

    @Test("a goal that steps after the stop complete was reached at the stop")
    func afterStop() throws {
        var fold = try begun(goal: WorkoutGoal(.steps, target: 100))
        fold.add(.steps(StepReading(time: at(0), counter: 0)))
        try fold.add(WorkoutEvent(.stop, at: at(60)))
        fold.add(.steps(StepReading(time: at(70), counter: 140)))
        let figures = fold.figures(at: at(100))
        #expect(figures.percent == 120 && figures.goalReached == at(60))
        #expect(agrees(fold.figures(at: at(50))))
    }

    @Test("a goal that better samples take away again was not reached")
    func takenAway() throws {
        let step = try #require(person.stepLengthMetres)
        var fold = try begun(goal: WorkoutGoal(.distance, target: 100))
        fold.add(.steps(StepReading(time: at(0), counter: 0)))
        fold.add(.steps(StepReading(time: at(55), counter: 150)))
        #expect(150 * step > 100 && fold.figures(at: at(55)).goalReached == at(55))
        for second in 0...55 { fold.add(.position(try point(Double(second), Double(second), accuracy: 0.5))) }
        let figures = fold.figures(at: at(55))
        #expect(near(figures.metres, 55, 1) && figures.goalReached == nil && agrees(figures))
    }

    @Test("a time is reached when its share is 100 %, whatever fractions it has")
    func fractions() throws {
        for target in [1, 1.001, 1.0004, 2.0049, 4.35, 8.2, 1001.0000001, 99_999.9999] {
            let fold = try begun(goal: WorkoutGoal(.duration, target: target))
            for milliseconds in -2...2 {
                let now = epoch + Int64((target * 1000).rounded()) + Int64(milliseconds)
                #expect(agrees(fold.figures(at: now)))
            }
        }
        for target in stride(from: 1.0, to: 50, by: 0.37) {
            let goal = try #require(WorkoutGoal(.distance, target: target))
            let shares = [target.nextDown, target, target.nextUp].map { (goal.percent($0) ?? 0) >= 100 }
            #expect(shares == [false, true, true])
        }
    }
}
