import Fitness
import Foundation
import TestSupport
import Testing

@testable import Whereabouts

/// How somebody moves, and the way of a day.
@Suite(.timeLimit(.minutes(60))) struct MotionTests {
    /// Fixes every so many seconds, at a speed in metres a second.
    private func way(_ speed: Double, _ minutes: ClosedRange<Double>, every: Double = 1, from start: Double = 0)
        -> [Fix]
    {
        stride(from: minutes.lowerBound * 60, through: minutes.upperBound * 60, by: every).map { second in
            fix(second / 60, start + speed * (second - minutes.lowerBound * 60), accuracy: 5)
        }
    }

    private func judge(_ fixes: [Fix]) -> MotionJudge {
        var judge = MotionJudge()
        for fix in fixes { judge.take(fix) }
        return judge
    }

    @Test(
        "speeds say how somebody moves",
        arguments: [
            (0.0, MotionJudge.State.still), (1.4, .walking), (3.2, .running), (8, .cycling), (25, .driving),
        ])
    func speeds(speed: Double, state: MotionJudge.State) throws {
        for every in [1.0, 10, 60, 240] {
            let judge = judge(way(speed, 0...20, every: every))
            let current = try #require(judge.current(now: at(20)))
            #expect(current.state == state && current.time == at(20))
            #expect(judge.spans.map(\.state) == [state])
            // The first speed needs ten seconds, and the state twenty.
            #expect(judge.exerciseMinutes == (state.isExercise ? (every < 10 ? 19 : 20) : 0))
            #expect(judge.hasMoved == (state != .still))
        }
    }

    @Test("one bad fix is no drive, and drift within the accuracy is no walk")
    func badFix() {
        var fixes = way(0, 0...10)
        fixes[300].place = place(north: 5000)
        #expect(judge(fixes).spans.map(\.state) == [.still] && !judge(fixes).hasMoved)
        var generator = SeededGenerator(seed: 1)
        let drift = (0..<600).map { fix(Double($0) / 60, .random(in: -9...9, using: &generator), accuracy: 20) }
        #expect(judge(drift).spans.map(\.state) == [.still] && !judge(drift).hasMoved)
        let rough = (0..<60).map { fix(Double($0), .random(in: -900...900, using: &generator), accuracy: 1000) }
        #expect(judge(rough).spans.isEmpty && judge(rough).current(now: at(60)) == nil)
    }

    @Test("what the phone's sensors say counts before steps, and steps before speeds")
    func order() throws {
        var judge = judge(way(3.2, 0...30))
        #expect(judge.current(now: at(30))?.state == .running)
        judge.take(steps: 500, from: at(10), to: at(15))
        #expect(judge.spans.map(\.state) == [.running, .walking, .running])
        judge.take(steps: 900, from: at(15), to: at(20))
        judge.take(activities: ["automotive", "stationary"], at: at(12))
        judge.take(activities: ["cycling"], at: at(14))
        judge.take(activities: ["unknown"], at: at(16))
        #expect(judge.spans.map(\.state).contains(.driving))
        let driving = try #require(judge.spans.first { $0.state == .driving })
        #expect(driving.from == at(12) && driving.to == at(14))
        judge.take(activities: ["cycling"], at: at(31))
        #expect(judge.current(now: at(31)) == MotionJudge.Current(state: .cycling, since: at(31), time: at(31)))
        // Late, it says nothing.
        judge.take(activities: ["running"], at: at(30))
        #expect(judge.current(now: at(31))?.state == .cycling)
    }

    @Test("a phone that lies still in a car is driven, and one on a table is not")
    func stillInCar() {
        var car = judge(way(20, 0...20))
        for minute in 0...20 { car.take(activities: ["stationary"], at: at(Double(minute))) }
        #expect(car.current(now: at(20))?.state == .driving)
        var table = judge(way(0, 0...20))
        for minute in 0...20 { table.take(activities: ["stationary"], at: at(Double(minute))) }
        #expect(table.current(now: at(20))?.state == .still && table.spans.count == 1)
    }

    @Test("steps say whether somebody walks or runs; what nobody steps, or too few, says nothing")
    func steps() {
        func spans(_ count: Int, _ minutes: Double) -> [MotionSpan] {
            var judge = MotionJudge()
            judge.take(steps: count, from: at(0), to: at(minutes))
            return judge.spans
        }
        #expect(spans(1000, 10) == [MotionSpan(.walking, from: at(0), to: at(10))])
        #expect(spans(1600, 10) == [MotionSpan(.running, from: at(0), to: at(10))])
        for (count, minutes) in [(100, 10.0), (100_000, 10), (-1, 10), (Int.max, 10), (100, -1), (100, 0), (9000, 90)] {
            #expect(spans(count, minutes).isEmpty)
        }
        var judge = MotionJudge()
        judge.take(steps: 9, from: at(0), to: at(10))
        #expect(!judge.hasMoved)
        judge.take(steps: 10, from: at(10), to: at(20))
        #expect(judge.hasMoved && judge.exerciseMinutes == 0)
        for (from, to) in [(Int64.min, Int64.max), (0, .max), (.min, 0)] { judge.take(steps: 100, from: from, to: to) }
        judge.take(steps: 1000, from: at(30), to: at(40))
        judge.take(steps: 1000, from: at(35), to: at(45))
        #expect(judge.exerciseMinutes == 15)
    }

    @Test("what is known ends: after ten minutes of silence on the way, and after six hours still")
    func silence() {
        let walk = judge(way(1.4, 0...20))
        #expect(walk.current(now: at(30)) != nil && walk.current(now: at(30.1)) == nil)
        let rest = judge(way(0, 0...20))
        #expect(rest.current(now: at(379)) != nil && rest.current(now: at(381)) == nil)
        #expect(rest.current(now: .min) != nil && rest.current(now: .max) == nil)
        // What was between is not known.
        #expect(judge(way(1.4, 0...20) + way(1.4, 60...80, from: 9000)).exerciseMinutes == 39)
    }

    @Test("another day begins without exercise and movement, and goes on as the last one ended")
    func day() {
        var judge = judge(way(1.4, 0...20))
        judge.take(activities: ["walking"], at: at(20))
        judge.beginDay()
        #expect(judge.exerciseMinutes == 0 && !judge.hasMoved && judge.current(now: at(21))?.state == .walking)
        judge.take(activities: ["walking"], at: at(25))
        #expect(judge.exerciseMinutes == 5 && judge.hasMoved)
    }

    @Test("without fixes, what the phone said stays, and fixes can be taken again")
    func withoutReadings() {
        let fixes = way(3.2, 0...20)
        var judge = judge(fixes)
        judge.take(activities: ["walking"], at: at(40))
        var again = judge.withoutReadings()
        #expect(again.spans.map(\.state) == [.walking] && again.hasMoved)
        for fix in fixes { again.take(fix) }
        #expect(again == judge)
    }

    // In eight minutes of the run, the runner was no faster than people walk.
    @Test(
        "the run is a run with a few walks, and the ride is a ride",
        arguments: [
            ("run-9km", MotionJudge.State.running, 0.8), ("ride-41km", .cycling, 0.95),
        ])
    func recordings(name: String, state: MotionJudge.State, least: Double) throws {
        let fixes = try recording(name)
        let judge = judge(fixes)
        let whole = try #require(fixes.last).time - fixes[0].time
        let share = Double(judge.spans.filter { $0.state == state }.reduce(0) { $0 + $1.length }) / Double(whole)
        #expect(share > least, "\(share)")
        #expect(judge.exerciseMinutes >= Int(whole / 60_000) * 95 / 100)
        #expect(!judge.spans.contains { $0.state == .driving })
        #expect(judge.hasMoved)
    }

    @Test("however much comes, little is remembered")
    func bounded() {
        var judge = MotionJudge()
        for index in 0..<20_000 {
            judge.take(activities: [["walking", "running", "cycling"][index % 3]], at: at(Double(index) / 20))
            judge.take(steps: index % 2 == 0 ? 10 : 16, from: at(Double(index) / 10), to: at(Double(index + 1) / 10))
        }
        for speed in 0..<2000 {
            for fix in way(speed % 2 == 0 ? 0 : 3, Double(speed)...Double(speed) + 0.99, every: 6) { judge.take(fix) }
        }
        #expect(judge.spans.count <= 3 * 3 * MotionSpans.most)
    }
}

/// The way of a day.
@Suite(.timeLimit(.minutes(60))) struct DayPathTests {
    @Test("the way of the run is drawn with few points, all of them of the run and in order, close to all of it")
    func run() throws {
        let fixes = try recording("run-9km")
        var path = DayPath()
        for fix in fixes { path.take(fix) }
        let points = path.points(atMost: 300)
        #expect(points.count == 300 && Set(points).isSubset(of: fixes))
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.time < $1.time })
        #expect(points.first == fixes.first)
        for fix in fixes {
            let way = zip(points, points.dropFirst()).map { one, other in
                // How far a fix is from a side, by the triangle that they form.
                let (a, b) = (one.place.metres(to: fix.place), other.place.metres(to: fix.place))
                let c = one.place.metres(to: other.place)
                guard c > 0, a * a + c * c > b * b, b * b + c * c > a * a else { return min(a, b) }
                let half = (a + b + c) / 2
                return 2 * max(0, half * (half - a) * (half - b) * (half - c)).squareRoot() / c
            }
            #expect((way.min() ?? .infinity) < 25)
        }
        #expect(path.points(atMost: 2).count == 2 && path.points(atMost: 0).isEmpty)
    }

    @Test("fixes in any order, some twice, are one way", arguments: [1, 2, 3] as [UInt64])
    func order(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let fixes = (0..<300).map { fix(Double($0), 20 * Double($0)) }
        var (path, other) = (DayPath(), DayPath())
        for fix in fixes { path.take(fix) }
        for fix in (fixes + fixes).shuffled(using: &generator) { other.take(fix) }
        #expect(other == path && path.points(atMost: 500) == fixes)
    }

    @Test("a rough fix is left out where a better one is near in time, and stays where there is none")
    func rough() {
        var path = DayPath()
        let fixes = [fix(0, 0), fix(5, 800, accuracy: 500), fix(9, 50), fix(30, 900, accuracy: 500), fix(60, 90)]
        for fix in fixes { path.take(fix) }
        #expect(path.points(atMost: 10) == [fixes[0], fixes[2], fixes[3], fixes[4]])
        path.take(fix(29, 70))
        #expect(path.points(atMost: 10).map(\.time) == [at(0), at(9), at(29), at(60)])
    }

    @Test("somebody who stays adds nothing, and a day of any length takes bounded memory")
    func bounded() {
        var path = DayPath()
        for second in 0..<1000 { path.take(fix(Double(second) / 60, Double(second % 5))) }
        #expect(path.points(atMost: 10).count == 1)
        for second in 1000..<50_000 {
            let angle = Double(second) / 40
            path.take(
                Fix(time: at(Double(second) / 60), place: place(north: 5000 * cos(angle), east: 5000 * sin(angle))))
        }
        let count = path.points(atMost: .max).count
        #expect((1000...2000).contains(count))
        path.take(Fix(time: -1, place: home))
        path.take(Fix(time: at(9999), place: Place(latitude: .nan, longitude: 0)))
        #expect(path.points(atMost: .max).count == count)
    }
}
