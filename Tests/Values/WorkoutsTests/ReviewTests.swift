import Fitness
import TestSupport
import Testing

@testable import Workouts

/// What is told of a workout afterwards.
@Suite(.timeLimit(.minutes(60))) struct ReviewTests {
    /// A way whose speeds follow each other, each for a minute.
    private func course(_ speeds: [Double], altitude: (Double) -> Double? = { _ in nil }) throws -> Course {
        var (metres, points) = (0.0, [try point(0, 0, altitude: altitude(0))])
        for (minute, speed) in speeds.enumerated() {
            for second in 1...60 {
                metres += speed
                points.append(try point(Double(60 * minute + second), metres, altitude: altitude(metres)))
            }
        }
        return Course(points, .cycling, try timer((.start, 0)))
    }

    @Test("a kilometre has its time, ascent and heart rate, and the last part is what is left")
    func splits() throws {
        let speeds = [5.0, 5, 5, 5, 10, 10]
        let course = try course(speeds) { $0 < 1000 ? $0 / 10 : 100 }
        let hearts = (0..<72).filter { $0 != 40 }.map {
            HeldHeartRate(time: at(5 * Double($0)), beatsPerMinute: $0 < 40 ? 120 : 150)
        }
        let splits = Way(course).splits(climbs: course.climbs, hearts: hearts, try timer((.start, 0)))
        #expect(splits.count == 3 && near(splits[0].seconds, 200, 1e-3) && near(splits[1].seconds, 120, 1e-3))
        #expect(near(splits[2].metres, 400, 1e-3) && near(splits[2].seconds, 40, 1e-3))
        #expect(splits[0].heartRate == 120 && splits[1].heartRate == 150 && splits[2].heartRate == 150)
        #expect(near(splits[0].ascentMetres, 100, 3) && splits[1].ascentMetres == 0)
        #expect(splits[0].pace?.text == "3:20" && splits[1].pace?.text == "2:00")
        let none = Course([], .running, try timer((.start, 0)))
        #expect(
            Way(none).splits(try timer((.start, 0))).isEmpty && Way(none).bestTimes(.running).isEmpty
                && none.metres == 0)
        for length in [0, -1, .nan, 1e-9, .infinity] as [Double] {
            #expect(Way(course).splits(every: length, try timer((.start, 0))).count <= 1)
        }
    }

    @Test("a way of exactly two kilometres has two splits")
    func exact() throws {
        // Sums of fractions end a little above or below.
        for minutes in 2...20 {
            let course = try course(Array(repeating: 2000 / Double(60 * minutes), count: minutes))
            let splits = Way(course).splits(try timer((.start, 0)))
            #expect(splits.count == 2 && near(splits.last?.metres, 1000, 1e-3))
        }
    }

    /// Every window that begins or ends at a tenth of a second, one by one.
    @Test("the fastest window is found wherever it is", arguments: [1, 2, 3, 4] as [UInt64])
    func fastest(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let speeds = (0..<12).map { _ in Double.random(in: 0...20, using: &generator) }
        let course = try course(speeds)
        let tenths = (0...7200).map { tenth -> Double in
            let (second, part) = (min(719, tenth / 10), Double(tenth - min(719, tenth / 10) * 10) / 10)
            let (one, other) = (course.stations[second].metres, course.stations[second + 1].metres)
            return one + (other - one) * part
        }
        for distance in [500.0, 1000, 2500] {
            var (best, end) = (Double.infinity, 0)
            for start in tenths.indices {
                while end < tenths.count, tenths[end] < tenths[start] + distance { end += 1 }
                guard end < tenths.count else { break }
                best = min(best, Double(end - start) / 10)
            }
            let found = Way(course).fastest(distance)
            #expect(near(found?.seconds, best, 0.21) && (found?.seconds ?? 0) <= best + 1e-6)
        }
        let way = Way(course)
        #expect(way.fastest(way.metres + 1) == nil && way.fastest(-1) == nil && way.fastest(.nan) == nil)
    }

    @Test("the simplified path keeps its ends and its corners, and never has more places than wanted")
    func simplification() throws {
        let corner = (0...100).map { place(Double($0)) } + (1...100).map { place(100, Double($0)) }
        #expect(simplified([corner], to: 3) == [[corner[0], corner[100], corner[200]]])
        #expect(simplified([corner], to: 500) == [corner] && simplified([corner], to: 0).isEmpty)
        #expect(simplified([], to: 5).isEmpty && simplified([[], corner, []], to: 300) == [corner])
        var generator = SeededGenerator(seed: 3)
        let pieces = (0..<50).map { piece in
            (0..<piece).map { _ in
                place(.random(in: 0...999, using: &generator), .random(in: 0...99, using: &generator))
            }
        }
        for count in [0, 1, 2, 10, 49, 98, 100, 500, 5000] {
            let path = simplified(pieces, to: count)
            #expect(path.joined().count == min(count, 1225) && !path.contains { $0.isEmpty })
            if count >= 100 { #expect(path.map(\.first) == pieces.dropFirst().map(\.first)) }
        }
        // Of two ends the one that takes less away goes first, whichever comes first.
        let (long, short) = ([place(0), place(100)], [place(500), place(501)])
        #expect(simplified([long, short], to: 3) == [long, [short[1]]])
        #expect(simplified([long, short], to: 2) == [long] && simplified([short, long], to: 2) == [long])
        // Over the date line there is no long way around.
        let east = [(179.98, 0), (-179.98, 0.001), (-179.94, 0), (-179.9, 0.02), (-179.86, 0)]
            .map { Place(latitude: $0.1, longitude: $0.0) }
        let left = [east[0]] + Array(east[2...])
        #expect(simplified([east], to: 4) == [left])
    }

    @Test("a long path is simplified within moments, whatever its shape")
    func longPath() {
        var generator = SeededGenerator(seed: 9)
        let path = (0..<100_000).map { index in
            place(Double(index), index % 3 == 0 ? 0 : .random(in: 0...5, using: &generator))
        }
        #expect(simplified([path], to: 1000)[0].count == 1000)
        let odd = [Place(latitude: .nan, longitude: .infinity), Place(latitude: 1e300, longitude: -1e300)]
        let mixed = odd + Array(path.prefix(10)) + odd
        #expect(simplified([mixed], to: 5).joined().count == 5)
    }

    @Test("no place within 200 m of the start or the end is shown, whenever somebody came by")
    func privacy() {
        // Out for 1 km, past the door again, and on to an end elsewhere.
        let out = (0...100).map { place(10 * Double($0)) }
        let path = [out + out.reversed(), (0...60).map { place(0, -10 * Double($0)) }]
        let shown = hidingEnds(of: path)
        let (start, end) = (place(0), place(0, -600))
        #expect(shown.joined().allSatisfy { $0.metres(to: start) > 200 && $0.metres(to: end) > 200 })
        let kept = path.joined().filter { $0.metres(to: start) > 200 && $0.metres(to: end) > 200 }
        #expect(Array(shown.joined()) == kept && shown.count == 2)
        // A path that passes the door in between is cut there.
        let loop = [place(0)] + (-50...50).map { place(10 * Double($0), 5) } + [place(2000)]
        #expect(hidingEnds(of: [loop]).map(\.count) == [31, 31])
        // So is one whose places lie far apart, but whose line passes the door.
        let sparse = [place(0), place(900), place(-900), place(-900, 900), place(900, 900), place(5000)]
        #expect(hidingEnds(of: [sparse]).map(\.count) == [1, 3])
        #expect(hidingEnds(of: []).isEmpty && hidingEnds(of: [[]]).isEmpty && hidingEnds(of: [[place(0)]]).isEmpty)
        #expect(hidingEnds(of: path, within: .nan).isEmpty && hidingEnds(of: path, within: .infinity).isEmpty)
        let odd = Place(latitude: .nan, longitude: 0)
        #expect(hidingEnds(of: [[place(0), odd, place(500), place(1000)]]).joined().count == 1)
    }

    /// The first position was wrong, the second piece begins at the door, and the third one a walk away from it.
    @Test("beginnings and ends are hidden until the pieces are longer than what is hidden")
    func privacyOfPieces() {
        let way = (0...100).map { place(10 * Double($0), 30_000) }
        let home = (0...10).map { place(10 * Double($0)) }
        let shop = [place(0, 3000), place(0, 3050)]
        let beginning = [[place(90_000)], home, shop, way]
        let kept = way.filter { $0.metres(to: way[0]) > 200 && $0.metres(to: way[100]) > 200 }
        // 100 m at home and 50 m at the shop are less than 200, so the third piece's beginning is hidden, too.
        #expect(hidingEnds(of: beginning) == [kept])
        #expect(hidingEnds(of: beginning.reversed().map { $0.reversed() }) == [kept.reversed()])
        // Later visits of a hidden beginning are hidden as well.
        let again = [[place(90_000)], home, way + [place(150), place(1000, 9000)]]
        let isAtHome: (Place) -> Bool = { $0.metres(to: place(0)) <= 200 }
        #expect(!hidingEnds(of: again).joined().contains(where: isAtHome))
        // From the end of a piece that is long enough on, everything is shown.
        let pieces = [(0...30).map { place(10 * Double($0)) }, (0...60).map { place(5000 + 10 * Double($0)) }]
        #expect(hidingEnds(of: pieces + [way])[1] == pieces[1])
    }

    @Test("what is shown of a recorded way is its path for others, and says nothing of how far it was to there")
    func privacyOfCourse() throws {
        for name in ["run-9km", "ride-41km"] {
            let recording = try Recording(name)
            let timer = try timer((.start, 0), (.pause, 900), (.resume, 960), (.stop, recording.seconds))
            let course = Course(recording.points, name == "run-9km" ? .running : .cycling, timer)
            let shown = course.shown()
            let path = hidingEnds(of: course.path)
            #expect(shown.flatMap(\.path) == path && path.count > 1)
            #expect(shown.allSatisfy { $0.stations[0].metres == 0 && $0.stations[0].seconds == 0 })
            #expect(shown.allSatisfy { $0.ascentMetres == nil })
            // The recorded way leaves its beginning and its end in a straight enough line.
            let length = shown.reduce(0) { $0 + $1.metres }
            #expect((400.0...1000).contains(course.metres - length), "\(course.metres) \(length)")
            for (one, next) in shown.flatMap({ zip($0.stations, $0.stations.dropFirst()) }) {
                #expect(next.metres >= one.metres && next.seconds >= one.seconds)
            }
            #expect(course.shown(hiding: 0) == [course])
            for wrong in [Double.nan, .infinity, 50_000] { #expect(course.shown(hiding: wrong).isEmpty) }
        }
    }

    @Test("the middle of what is hidden is somewhere else, and what is within 200 m of the end itself is hidden still")
    func displaced() {
        // A grid of places around an end, each reached from far away, so that only circles hide it.
        let grid = stride(from: -450.0, through: 450, by: 10).flatMap { north in
            stride(from: -450.0, through: 450, by: 10).map { place(north, $0) }
        }
        let end = place(0)
        let path = [[end, place(90_000)]] + grid.map { [$0] } + [[place(90_000), end]]
        var middles: Set<Int> = []
        for seed in UInt8(0)..<32 {
            let displacement = Displacement(secret: [seed &* 151, 7, seed, 9, seed &* 77, 1, 2, 3])
            let size = (displacement.east * displacement.east + displacement.north * displacement.north).squareRoot()
            #expect(size <= 0.5)
            let shown = Set(hidingEnds(of: path, within: 200, displacement).joined())
            let hidden = grid.filter { !shown.contains($0) }
            #expect(grid.allSatisfy { $0.metres(to: end) > 200 || !shown.contains($0) })
            #expect(hidden.allSatisfy { $0.metres(to: end) <= 402 })
            let plane = Plane(at: end)
            let ways = hidden.map { plane.way(to: $0) }
            let east = ways.reduce(0) { $0 + $1.east } / Double(ways.count)
            let north = ways.reduce(0) { $0 + $1.north } / Double(ways.count)
            #expect(abs(east - 200 * displacement.east) < 5 && abs(north - 200 * displacement.north) < 5)
            // Hiding another distance shows the same middle, and how large the circle is says nothing of how far it is off.
            let less = Set(hidingEnds(of: path, within: 100, displacement).joined())
            let around = grid.filter { !less.contains($0) }.map { plane.way(to: $0) }
            #expect(abs(around.reduce(0) { $0 + $1.east } / Double(around.count) - east) < 5)
            #expect(abs(around.reduce(0) { $0 + $1.north } / Double(around.count) - north) < 5)
            #expect(abs(Double(hidden.count) * 100 - Double.pi * 300 * 300) < 4000)
            #expect(abs(Double(around.count) * 100 - Double.pi * 200 * 200) < 3000)
            middles.insert(Int(east / 20) * 100 + Int(north / 20))
        }
        #expect(middles.count > 15)
        #expect(Displacement(secret: [1, 2, 3, 4, 5, 6, 7, 8, 9]) == Displacement(secret: [1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(Displacement(secret: []) == .none)
        // Where the plane meets a pole or the date line, what is near is hidden still.
        for end in [Place(latitude: 89.9999, longitude: 10), Place(latitude: 0, longitude: 180)] {
            let away = Place(latitude: end.latitude - 0.1, longitude: end.longitude)
            let near = Plane(at: end).place(east: 0, north: -150)
            let shown = hidingEnds(
                of: [[end, near, away, end]], within: 200, Displacement(secret: [64, 0, 0, 0, 255]))
            #expect(!shown.joined().contains { $0.metres(to: end) <= 200 })
        }
    }

    @Test("where a way comes by its start, or stands there, it is shown in two stretches")
    func privacyOfVisits() throws {
        // A second and 10 m each: out for a kilometre, back to the door, a minute at it, and out the other way.
        let metres = (0...100).map { 10 * Double($0) }
        let way = metres + metres.reversed() + Array(repeating: 0, count: 60) + metres.map { -$0 }
        let points = try way.enumerated().map { try point(Double($0.offset), $0.element) }
        let course = Course(points, .running, try timer((.start, 0), (.stop, Double(way.count))))
        let shown = course.shown()
        #expect(shown.flatMap(\.path) == hidingEnds(of: course.path) && shown.count == 2)
        // 210 m to 1,000 m and back, and from 210 m until 210 m before the end.
        for (stretch, metres) in zip(shown, [1580.0, 580]) {
            #expect(abs(stretch.metres - metres) < 25, "\(stretch.metres)")
            #expect(abs((stretch.stations.last?.seconds ?? 0) - metres / 10) <= 4)
        }
    }

    @Test("charts have as many points as are wanted, and say what is not known")
    func charts() throws {
        let timer = try timer((.start, 0), (.pause, 100), (.resume, 200))
        let course = try course([5, 10]) { $0 < 450 ? 10 : 20 }
        let series = course.series(points: 9)
        #expect(series.map { ($0.metres / 50).rounded() } == [1, 3, 5, 7, 9, 11, 13, 15, 17])
        #expect(near(series[0].pace?.secondsPerKilometre, 200, 0.01) && series[0].altitude == 10)
        #expect(near(series[8].pace?.secondsPerKilometre, 100, 0.01) && series[8].altitude == 20)
        #expect(try self.course([5]).series(points: 3).allSatisfy { $0.altitude == nil && $0.pace != nil })
        let rates = (0...300).map { HeartRateReading(time: at(Double($0)), beatsPerMinute: $0 < 150 ? 100 : 140) }
        let points = HeartRateSeries.points((rates + rates).shuffled(), timer, points: 20)
        #expect(points.map(\.seconds) == (0..<20).map { 5 + 10 * Double($0) })
        #expect(points.prefix(9).allSatisfy { $0.mean == 100 } && points.last?.mean == 140)
        #expect(HeartRateSeries.points([], timer, points: 5).isEmpty)
        #expect(HeartRateSeries.points(rates, timer, points: .min).isEmpty)
    }

    @Test("Banister's load is minutes by the share of the reserve and its weight")
    func banister() throws {
        let man = Person(sex: .male, ageYears: 30, restingHeartRate: 60)
        let woman = Person(sex: .female, ageYears: 30, restingHeartRate: 60)
        // x = 0.7; 30 × 0.7 × 0.64 e^(1.92 × 0.7), and 0.86 e^(1.67 × 0.7)
        let half = try #require(man.heartRate(reserve: 0.7))
        #expect(near(TrainingImpulse(man)?.load(heartRate: half, minutes: 30), 51.533, 0.001))
        #expect(near(TrainingImpulse(woman)?.load(heartRate: half, minutes: 30), 58.132, 0.001))
        #expect(TrainingImpulse(man)?.load(heartRate: 50, minutes: 30) == 0)
        let most = TrainingImpulse(man)?.load(heartRate: 187, minutes: 1)
        #expect(TrainingImpulse(man)?.load(heartRate: 400, minutes: 1) == most)
        let unfit = Person(sex: .male, ageYears: 30, restingHeartRate: 190)
        for person in [Person(), Person(sex: .male, ageYears: 30), unfit] { #expect(TrainingImpulse(person) == nil) }
    }

    @Test("fitness follows the load in weeks and fatigue in days, and form is what rest leaves of them")
    func curve() throws {
        let days = TrainingDay.curve(Array(repeating: 100, count: 400) + Array(repeating: 0, count: 14))
        #expect(near(days[399].fitness, 100, 0.01) && near(days[399].fatigue, 100, 1e-6))
        // After 42 days of the same load it is 1 - 1/e of it, and after 7 days so is fatigue.
        #expect(near(days[41].fitness, 63.212, 0.001) && near(days[6].fatigue, 63.212, 0.001))
        #expect(days[0].form == 0 && near(days[1].form, days[0].fitness - days[0].fatigue, 1e-12))
        #expect(days[20].form < 0 && days[413].form > 50)
        let odd = TrainingDay.curve([.nan, -5, .infinity, 10])
        #expect(odd.map(\.load) == [0, 0, 0, 10] && odd[2].fitness == 0)
        #expect(TrainingDay.curve(repeatElement(1.0, count: 60_000)).count == TrainingDay.mostDays)
    }
}
