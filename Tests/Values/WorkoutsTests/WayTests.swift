import Fitness
import TestSupport
import Testing

@testable import Workouts

/// Splits, best times and moving time, compared with vectors that were made independently.
@Suite(.timeLimit(.minutes(60))) struct WayVectorTests {
    private func way(_ rows: [[Double]]) -> Way { Way(rows.map { Way.Mark(seconds: $0[0], metres: $0[1], piece: 0) }) }

    @Test("splits are as long as they are, with what is left at the end")
    func splits() throws {
        for vector in try Vector.of("splits", in: "workout") {
            let expected = try #require(vector.expected as? [[Double]])
            let splits = try way(vector.rows(0)).splits(timer((.start, 0)))
            #expect(splits.count == expected.count)
            for (split, expected) in zip(splits, expected) {
                #expect(near(split.metres, expected[0], 0.001) && near(split.seconds, expected[1], 0.001), "\(split)")
            }
        }
    }

    @Test("the shortest time over a distance")
    func fastest() throws {
        for vector in try Vector.of("fastest", in: "workout") {
            let metres = try #require(vector.arguments[1] as? Double)
            let expected = vector.expected as? Double
            #expect(try way(vector.rows(0)).fastest(metres)?.seconds == expected, Comment(rawValue: vector.name))
        }
    }

    @Test("nobody on foot is faster than the world's best, and a bicycle may be")
    func believable() throws {
        for vector in try Vector.of("believable", in: "workout") {
            let numbers = try vector.arguments.map { try #require($0 as? Double) }
            #expect(BestTime.isBelievable(numbers[0], seconds: numbers[1], .running) == (vector.expected as? Bool))
            #expect(BestTime.isBelievable(numbers[0], seconds: numbers[1], .cycling))
        }
        let marathon = way([[0, 0], [7400, 43_000]])
        #expect(
            marathon.bestTimes(.running).map(\.metres) == [
                400, 1000, Units.metresPerMile, 5000, 10_000, 21_097.5, 42_195,
            ])
        #expect(
            way([[0, 0], [6800, 43_000]]).bestTimes(.running).map(\.metres) == [
                400, 1000, Units.metresPerMile, 5000, 10_000,
            ])
        #expect(way([[0, 0], [6800, 43_000]]).bestTimes(.cycling).count == 7)
        let treadmill = try #require(Activity(named: "Treadmill"))
        #expect(marathon.bestTimes(treadmill).isEmpty && treadmill.isIndoors && !Activity.running.isIndoors)
    }

    @Test("moving time is that at the speed of somebody who moves")
    func moving() throws {
        for vector in try Vector.of("moving_time", in: "workout") {
            let speeds = try vector.rows(0).map { (seconds: $0[0], metresPerSecond: $0[1]) }
            let standing = try #require(vector.arguments[1] as? Double)
            #expect(Way.moving(speeds, standing: standing) == vector.expected as? Double)
        }
    }

    @Test("ascent has a hysteresis of 3 m, and of 10 m where only satellites tell altitudes")
    func ascent() throws {
        for vector in try Vector.of("ascent", in: "workout") {
            let altitudes = try #require(vector.arguments[0] as? [Double])
            let isOfSatellites = vector.arguments[1] as? Double == 10
            var fold = try begun()
            for (second, altitude) in altitudes.enumerated() {
                fold.add(
                    .position(
                        try point(
                            Double(second), 3 * Double(second), altitude: altitude, isOfSatellites: isOfSatellites)))
            }
            #expect(fold.figures(at: at(5)).ascentMetres == vector.expected as? Double, Comment(rawValue: vector.name))
        }
        // A phone's altitudes rise and fall by 8 m.
        for (isOfSatellites, expected) in [(false, 80.0), (true, 0)] {
            let points = try (0...20).map { second in
                try point(
                    10 * Double(second), 30 * Double(second), altitude: second % 2 == 0 ? 100 : 108,
                    isOfSatellites: isOfSatellites)
            }
            let course = Course(points, .running, try timer((.start, 0)))
            #expect(course.ascentMetres == expected)
            #expect(course.climbs?.reduce(0) { $0 + $1.metres } == expected)
        }
    }
}

/// A way by positions or by a sensor.
@Suite(.timeLimit(.minutes(60))) struct WayTests {
    /// 3 m/s, with a stand from 300 s to 400 s.
    private func metres(_ second: Int) -> Double { 3 * Double(second <= 300 ? second : max(300, second - 100)) }

    @Test("moving time leaves a stand out, and has what nobody measured", arguments: [4.0, 45])
    func moving(accuracy: Double) throws {
        let points = try (0...600).map { try point(Double($0), metres($0), accuracy: accuracy) }
        let way = Way(Course(points, .running, try timer((.start, 0))))
        #expect(near(way.movingSeconds(of: 600, .running), 500, 25))
        // The first hundred seconds have no positions; with less than four fifths nothing is known.
        let later = Way(Course(points.dropFirst(100), .running, try timer((.start, 0))))
        #expect(near(later.movingSeconds(of: 600, .running), 500, 25))
        let little = Way(Course(points.dropFirst(200), .running, try timer((.start, 0))))
        #expect(little.movingSeconds(of: 600, .running) == nil && way.movingSeconds(of: 0, .running) == nil)
    }

    @Test("a pause is neither moved nor stood in")
    func pauses() throws {
        let points = try (0...600).map { try point(Double($0), metres($0), accuracy: 4) }
        let paused = Way(Course(points, .running, try timer((.start, 0), (.pause, 300), (.resume, 400))))
        #expect(paused.marks.last?.seconds == 500 && paused.movingSeconds(of: 500, .running) == 500)
    }

    @Test("the way of a wheel is its total, or its speed, of the first sensor that has one")
    func sensors() throws {
        let totals = (0...600).map { second in
            MotionReading(sensor: 2, time: at(Double(second)), totalMetres: metres(second), cadence: 80)
        }
        let cadences = (0...600).map { MotionReading(sensor: 1, time: at(Double($0)), cadence: 80) }
        let speeds = (0...600).map { second in
            MotionReading(sensor: 3, time: at(Double(second)), metresPerSecond: second > 300 && second <= 400 ? 0 : 2.9)
        }
        let timer = try timer((.start, 0))
        let way = try #require(Way((totals + cadences + speeds + totals).shuffled(), .cycling, timer))
        #expect(near(way.metres, 1500, 1e-6) && way.marks.count == totals.count)
        #expect(way.movingSeconds(of: 600, .cycling) == 500)
        let bySpeed = try #require(Way(speeds.shuffled(), .cycling, timer))
        #expect(near(bySpeed.metres, 1450, 1e-6) && bySpeed.movingSeconds(of: 600, .cycling) == 500)
        #expect(Way(cadences, .cycling, timer) == nil && Way([], .cycling, timer) == nil)
        #expect(near(way.fastest(900)?.seconds, 300, 1e-6) && way.splits(timer).count == 2)
    }

    @Test("a split's heart rate weighs each value by how long it holds")
    func hearts() throws {
        // A value each second for a minute, then one each minute for nine; the first of these holds for five seconds.
        var fold = try begun()
        for second in 0..<60 { fold.add(.heartRate(HeartRateReading(time: at(Double(second)), beatsPerMinute: 100))) }
        for minute in 1...9 {
            fold.add(.heartRate(HeartRateReading(time: at(Double(60 * minute)), beatsPerMinute: 150)))
        }
        let hearts = fold.heldHeartRates(at: at(600))
        #expect(hearts.count == 109 && hearts.map(\.time) == hearts.map(\.time).sorted())
        let way = Way([Way.Mark(seconds: 0, metres: 0, piece: 0), Way.Mark(seconds: 600, metres: 2000, piece: 0)])
        let splits = way.splits(hearts: hearts, fold.timer)
        #expect(
            splits.count == 2 && near(splits[0].heartRate, (12 * 100 + 37 * 150) / 49, 0.001)
                && splits[1].heartRate == 150)
    }

    @Test(
        "a wheel goes before positions on a bicycle, positions before a foot pod on foot, and neither counts in a pool")
    func sources() throws {
        func fold(_ activity: Activity, _ speed: Double) throws -> Double? {
            var fold = try begun(activity)
            for second in 0...600 {
                let time = Double(second)
                fold.add(.position(try point(time, 5 * time, accuracy: 3)))
                fold.add(.motion(MotionReading(time: at(time), metresPerSecond: speed)))
            }
            return fold.figures(at: at(600)).metres
        }
        #expect(try near(fold(.cycling, 4.5), 2700, 1e-3) && near(fold(.running, 4.5), 3000, 10))
        // A wheel that does not turn while positions move has lost its magnet.
        #expect(try near(fold(.cycling, 0), 3000, 10))
        let machine = try #require(Activity(named: "Indoor cycling"))
        #expect(try near(fold(machine, 4.5), 2700, 1e-3))
        let pool = try #require(Activity(named: "lap swimming"))
        var swim = try begun(pool)
        for second in 0...600 { swim.add(.position(try point(Double(second), 5 * Double(second)))) }
        #expect(swim.figures(at: at(600)).metres == nil)
    }
}
