import Fitness
import TestSupport
import Testing

@testable import Workouts

/// Which positions count, how fast somebody is, and how much they climb.
@Suite(.timeLimit(.minutes(60))) struct PositionTests {
    private func verdicts(_ points: [TrackPoint], _ activity: Activity = .running) -> [PositionFilter.Verdict] {
        var filter = PositionFilter(activity)
        return points.map { filter.add($0) }
    }

    @Test("a point is on the Earth, and what cannot be of it is unknown")
    func points() {
        for latitude in [-90.001, 90.001, .nan, .infinity, -.infinity] {
            #expect(TrackPoint(time: 0, latitude: latitude, longitude: 0) == nil)
            #expect(TrackPoint(time: 0, latitude: 0, longitude: 2 * latitude) == nil)
        }
        for time in [-1, Int64.min, .max] { #expect(TrackPoint(time: time, latitude: 0, longitude: 0) == nil) }
        let odd = TrackPoint(
            time: 0, latitude: 90, longitude: -180, altitude: .nan, accuracy: -1)
        #expect(odd == TrackPoint(time: 0, latitude: 90, longitude: -180))
        #expect(TrackPoint(time: 0, latitude: 0, longitude: 0, altitude: 30_000)?.altitude == nil)
    }

    @Test("a position that may be off by more than 50 m does not count")
    func imprecise() throws {
        let given = verdicts([
            try point(0, 0, accuracy: 50.1), try point(1, 0, accuracy: 50), try point(2, 5, accuracy: 200),
            try point(13, 10),
        ])
        #expect(given[0] == .imprecise && given[1] == .begins && given[2] == .imprecise)
        guard case .counts(let metres, let since) = given[3] else {
            Issue.record("it does not count: \(given[3])")
            return
        }
        #expect(near(metres, 10, 1e-6) && since == at(1))
        var strict = PositionFilter(.running, worstAccuracy: 10)
        let eleven = try point(0, 0, accuracy: 11)
        #expect(strict.add(eleven) == .imprecise)
        var odd = PositionFilter(.running, worstAccuracy: .nan)
        #expect(odd.add(eleven) == .imprecise)
        #expect(PositionFilter(.running, worstAccuracy: .nan) == PositionFilter(.running, worstAccuracy: .nan))
    }

    @Test("a position that is not later than the one before does not count")
    func old() throws {
        let given = verdicts([try point(5, 0), try point(5, 3), try point(4, 3), try point(6, 3)])
        #expect(given[0] == .begins && given[1] == .old && given[2] == .old && given[3].isCredible)
    }

    @Test("a jump is dropped on foot at more than 12 m/s, and on a bicycle at more than 30")
    func jumps() throws {
        let points = [
            try point(0, 0), try point(1, 11.9), try point(2, 30), try point(3, 31), try point(4, 65),
            try point(5, 40),
        ]
        #expect(verdicts(points).map(\.isCredible) == [true, true, false, true, false, true])
        #expect(verdicts(points, .cycling).map(\.isCredible) == [true, true, true, true, false, true])
    }

    @Test("where the first position was wrong, the path begins again after ten seconds, without the distance between")
    func wrongBeginning() throws {
        let points = try [point(0, 5000)] + (1...30).map { try point(Double($0), 3 * Double($0), accuracy: 2) }
        let given = verdicts(points)
        #expect(given[0] == .begins && given[1...10].allSatisfy { $0 == .tooFast } && given[11] == .begins)
        #expect(given.count(where: \.isCredible) == 21)
        var filter = PositionFilter(.running)
        for point in points { _ = filter.add(point) }
        #expect(near(filter.metres, 57, 1e-6))
    }

    @Test("standing still adds nothing, however long it drifts within its accuracy")
    func drift() throws {
        var generator = SeededGenerator(seed: 1)
        var filter = PositionFilter(.walking)
        _ = filter.add(try point(0, 0, accuracy: 10))
        for second in 1...600 {
            let (north, east) = (
                Double.random(in: -5...5, using: &generator), Double.random(in: -5...5, using: &generator)
            )
            let verdict = filter.add(try point(Double(second), north, east, accuracy: 10))
            #expect(verdict.isCredible || verdict == .tooFast)
        }
        #expect(filter.metres == 0)
        // A person who walks on after ten minutes is believed.
        for second in 601...640 {
            _ = filter.add(try point(Double(second), 1.4 * Double(second - 600), accuracy: 10))
        }
        #expect(near(filter.metres, 56, 12))
    }

    @Test("the path is cut between two pieces")
    func pieces() throws {
        var filter = PositionFilter(.running)
        _ = filter.add(try point(0, 0), piece: 0)
        _ = filter.add(try point(11, 25), piece: 0)
        let begins = filter.add(try point(12, 30), piece: 1)
        #expect(begins == .begins)
        _ = filter.add(try point(23, 52), piece: 1)
        #expect(near(filter.metres, 47, 1e-6))
    }

    @Test("points in any order, some twice, become one order", arguments: [1, 2, 3] as [UInt64])
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let points = try (0..<200).map { index in
            try point(
                Double(index / 2), Double.random(in: 0...9, using: &generator),
                accuracy: [nil, 5, 9][index % 3])
        }
        let expected = points.inOrder
        #expect(expected.count == 100 && expected.map(\.time) == (0..<100).map { at(Double($0)) })
        for _ in 0..<5 { #expect((points + points).shuffled(using: &generator).inOrder == expected) }
        #expect([points[1], points[0]].inOrder == [points[1]])
    }

    @Test("ascent is that of all altitudes at once", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func ascent(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var altitude = 100.0
        let altitudes = (0..<2000).map { _ in
            altitude += Double.random(in: -2...2, using: &generator)
            return altitude
        }
        var climb = Climb(.running)
        let gains = altitudes.enumerated().map { climb.add($1, at: at(Double($0))) }
        #expect(climb.metres == ascentMetres(altitudes) && climb.metres > 0)
        #expect(gains.reduce(0, +) == climb.metres)
        let examples: [([Double], Double)] = [([100, 102, 101, 105, 104, 110], 10), ([110, 100, 104], 4)]
        for (altitudes, expected) in examples {
            var climb = Climb(.running)
            for (second, altitude) in altitudes.enumerated() { climb.add(altitude, at: at(2 * Double(second))) }
            climb.add(.nan, at: at(99))
            #expect(climb.metres == expected)
        }
    }

    @Test("speed is that of ten seconds, known once they have passed and unknown after a silence")
    func speed() {
        var window = SpeedWindow()
        for second in 0..<10 { #expect(window.add(metres: 3 * Double(second), at: at(Double(second))) == nil) }
        #expect(near(window.add(metres: 30, at: at(10)), 3, 1e-9))
        // One wild second is a tenth of it.
        #expect(near(window.add(metres: 43, at: at(11)), 4, 1e-9))
        #expect(window.add(metres: 43, at: at(11.1)) == nil && near(window.metresPerSecond, 4, 1e-9))
        #expect(window.add(metres: 100, at: at(41.1)) == nil && window.metresPerSecond == nil)
        for tenth in 0..<100_000 { window.add(metres: Double(tenth), at: at(50 + Double(tenth) / 10)) }
        #expect(near(window.metresPerSecond, 10, 0.1))
        window.cut()
        #expect(window.metresPerSecond == nil && window.time == nil)
    }
}
