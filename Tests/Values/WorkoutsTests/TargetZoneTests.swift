import Testing

@testable import Workouts

@Suite("A target zone")
struct TargetZoneTests {
    /// A workout that goes on second by second.
    struct Run {
        var target: TargetZone
        var second = 0
        var said: [String] = []

        init(_ zone: Int = 3) throws { target = try #require(TargetZone(zone: zone)) }

        /// Goes on for some seconds with a heart rate in a zone.
        mutating func go(_ seconds: Int, _ zone: Int?, isActive: Bool = true) {
            for _ in 0..<seconds {
                if let place = target.look(zone, isActive: isActive, at: Int64(second) * 1000) {
                    said.append("\(second) \(place)")
                }
                second += 1
            }
        }
    }

    @Test("is one of the five")
    func zones() {
        #expect(TargetZone(zone: 0) == nil && TargetZone(zone: 6) == nil && TargetZone(zone: 5)?.zone == 5)
    }

    @Test("says that it is left after ten seconds, and once that one is back")
    func leaving() throws {
        var run = try Run()
        run.go(60, 3)
        run.go(60, 4)
        run.go(60, 3)
        #expect(run.said == ["70 above", "130 within"])
    }

    @Test("says nothing of a heart rate that crosses a bound again and again")
    func crossing() throws {
        var run = try Run()
        for _ in 0..<60 {
            run.go(9, 3)
            run.go(9, 4)
        }
        #expect(run.said == [])
    }

    @Test("says nothing below it in the first three minutes, unless it was reached, and again after a pause")
    func beginning() throws {
        var run = try Run()
        run.go(200, 1)
        #expect(run.said == ["180 below"])
        run = try Run()
        run.go(20, 1)
        run.go(20, 3)
        run.go(20, 2)
        #expect(run.said == ["50 below"])
        run.go(600, 1, isActive: false)
        run.go(400, 1)
        #expect(run.said == ["50 below", "840 below"])
    }

    @Test("says a side again after five minutes, and the other one after one")
    func often() throws {
        var run = try Run()
        run.go(700, 5)
        #expect(run.said == ["10 above", "310 above", "610 above"])
        run = try Run()
        run.go(20, 4)
        run.go(100, 2)
        #expect(run.said == ["10 above", "70 below"])
        run = try Run()
        run.go(20, 4)
        run.go(12, 3)
        run.go(100, 4)
        // Within a minute after it was said, nothing is said of leaving again.
        #expect(run.said == ["10 above", "30 within", "70 above"])
    }

    @Test("begins its ten seconds again if the heart rate is not known, or the workout interrupted")
    func breaks() throws {
        var run = try Run()
        run.go(5, 3)
        for _ in 0..<20 {
            run.go(9, 5)
            run.go(1, nil)
            run.go(9, 5)
            run.go(1, 5, isActive: false)
        }
        #expect(run.said == [])
    }

    @Test("says nothing twice after a restart")
    func restart() throws {
        var run = try Run()
        run.go(20, 4)
        let said = try #require(run.target.said)
        #expect(said == TargetZone.Said(.above, at: 10_000, left: 10_000))
        run.target = try #require(TargetZone(zone: 3, said: said))
        run.go(50, 4)
        #expect(run.said == ["10 above"])
        run.go(20, 3)
        #expect(run.said == ["10 above", "80 within"])
        run.target = try #require(TargetZone(zone: 3, said: run.target.said))
        run.go(50, 3)
        #expect(
            run.said == ["10 above", "80 within"]
                && run.target.said == TargetZone.Said(.within, at: 80_000, left: 10_000))
    }
}
