import Fitness
import Foundation
import TestSupport
import Testing

@testable import Whereabouts

/// Leaving an area and entering it, by one phone: a circle of 100 m around home.
@Suite(.timeLimit(.minutes(60))) struct AreaWatchTests {
    private func left(_ minutes: Double) -> Crossing { Crossing(kind: .left, time: at(minutes)) }
    private func entered(_ minutes: Double) -> Crossing { Crossing(kind: .entered, time: at(minutes)) }

    @Test("an area is left and entered with the second fix on the other side, at the time of the first")
    func crossing() throws {
        let way = [0, 0, 150, 300, 300, 150, 20, 0].enumerated().map { fix(Double($0), $1) }
        #expect(try crossings(way) == [left(2), entered(6)])
    }

    @Test("the first side that is known is no crossing, on either side")
    func first() throws {
        #expect(try crossings([fix(0, 500), fix(1, 500), fix(2, 500)]).isEmpty)
        #expect(try crossings([fix(0, 0), fix(1, 0), fix(2, 0)]).isEmpty)
        #expect(try crossings([fix(0, 500), fix(1, 500), fix(2, 0), fix(3, 0)]) == [entered(2)])
        // A phone that says something once an hour.
        #expect(try crossings([fix(0, 0), fix(60, 500), fix(120, 500)]) == [left(60)])
    }

    @Test("what jitters at the border within its accuracy crosses nothing", arguments: [1, 2, 3] as [UInt64])
    func jitter(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let inside = [fix(0, 0), fix(1, 0)]
        let jitter = (0..<500).map {
            fix(2 + Double($0) / 60, 100 + .random(in: -19...19, using: &generator), accuracy: 20)
        }
        #expect(try crossings(inside + jitter).isEmpty)
        #expect(try crossings(inside + jitter + [fix(20, 200), fix(21, 200)]) == [left(20)])
    }

    @Test("one bad fix crosses nothing, wherever it is and however precise it says it is")
    func badFix() throws {
        for far in [200.0, 5000, 400_000] {
            for every in 2...5 {
                let fixes = (0..<60).map { fix(Double($0) / 60, $0 % every == 1 ? far : 0, accuracy: 3) }
                #expect(try crossings(fixes).isEmpty)
            }
        }
        // One that is back inside while somebody is away does not enter.
        #expect(try crossings([fix(0, 0), fix(1, 500), fix(2, 500), fix(3, 0), fix(4, 500), fix(5, 500)]) == [left(1)])
    }

    @Test("a fix that may be on either side breaks a row, and a minute outlasts it")
    func row() throws {
        // Its accuracy is 30: 110 m north may be inside.
        let doubtful = fix(2.2, 110, accuracy: 30)
        #expect(try crossings([fix(0, 0), fix(2, 150), doubtful, fix(2.4, 150)]).isEmpty)
        #expect(try crossings([fix(0, 0), fix(2, 150), doubtful, fix(3, 150)]) == [left(2)])
        // A doubtful one that is rather inside speaks against it.
        let inside = fix(2.2, 90, accuracy: 30)
        #expect(try crossings([fix(0, 0), fix(2, 150), inside, fix(3.1, 150)]).isEmpty)
        // A rough one says nothing at all.
        let rough = fix(2.2, 0, accuracy: 2000)
        #expect(try crossings([fix(0, 0), fix(2, 150), rough, fix(2.4, 150)]) == [left(2)])
    }

    @Test("a fix counts by its accuracy, and one without as that of a phone in a street")
    func accuracy() throws {
        #expect(try crossings([fix(0, 0), fix(1, 600, accuracy: 501), fix(2, 600, accuracy: 501)]).isEmpty)
        #expect(try crossings([fix(0, 0), fix(1, 600, accuracy: 499), fix(2, 600, accuracy: 499)]) == [left(1)])
        #expect(try crossings([fix(0, 0), fix(1, 125, accuracy: nil), fix(2, 125, accuracy: nil)]).isEmpty)
        #expect(try crossings([fix(0, 0), fix(1, 135, accuracy: nil), fix(2, 135, accuracy: nil)]) == [left(1)])
        #expect(try crossings([fix(0, 0), fix(1, 125, accuracy: -1), fix(2, 125, accuracy: .nan)]).isEmpty)
    }

    @Test("a small area can be entered by a phone that is less precise than the area is large, but not by a cell tower")
    func smallArea() throws {
        let small = try AreaShape(middle: home, radiusMetres: 30)
        let away = [fix(0, 500), fix(1, 500)]
        #expect(try crossings(away + [fix(2, 5, accuracy: 65), fix(3, 5, accuracy: 65)], small) == [entered(2)])
        #expect(try crossings(away + [fix(2, 5, accuracy: 800), fix(3, 5, accuracy: 800)], small).isEmpty)
        let square = try AreaShape(
            corners: [(-30, -30), (-30, 30), (30, 30), (30, -30)].map { place(north: $0.0, east: $0.1) })
        #expect(try crossings(away + [fix(2, 5, accuracy: 65), fix(3, 5, accuracy: 65)], square) == [entered(2)])
    }

    @Test("after a tunnel of 20 minutes, two fixes on the other side are enough, and none is needed on the same side")
    func tunnel() throws {
        let before = [fix(0, 0), fix(1, 50)]
        #expect(try crossings(before + [fix(21, 9000), fix(22, 9500)]) == [left(21)])
        #expect(try crossings(before + [fix(21, 50), fix(22, 0)]).isEmpty)
        #expect(try crossings(before + [fix(21, 9000), fix(42, 0), fix(63, 0)]).isEmpty)
    }

    @Test("what comes hours late in order says what it said at its time, and what comes twice says nothing more")
    func late() throws {
        let way = [0.0, 0, 300, 300, 300, 0, 0].enumerated().map { fix(Double($0), $1) }
        let expected = [left(2), entered(5)]
        let now = at(6 * 60)
        var watch = AreaWatch()
        let shape = try garden()
        #expect(way.compactMap { watch.take($0, of: "phone", shape, now: now) } == expected)
        #expect(way.compactMap { watch.take($0, of: "phone", shape, now: now) }.isEmpty)
        #expect(try crossings(way.flatMap { [$0, $0] }) == expected)
        #expect(try crossings(way + way) == expected)
        // Two days late is no news.
        var another = AreaWatch()
        #expect(way.compactMap { another.take($0, of: "phone", shape, now: at(2 * 1440)) }.isEmpty)
        #expect(another == AreaWatch())
    }

    @Test(
        "what comes in any order makes crossings that alternate, in the order of their times",
        arguments: [1, 2, 3, 4, 5] as [UInt64])
    func shuffled(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let way = (0..<200).map { fix(Double($0), ($0 / 20) % 2 == 0 ? 0 : 400) }
        for _ in 0..<20 {
            // As a network does it: what is near in time is exchanged.
            let order = way.indices.map { ($0 + Int.random(in: 0...8, using: &generator), $0) }.sorted { $0 < $1 }
            let shuffled = order.map { way[$0.1] }
            let all = try crossings(shuffled)
            alternate(all)
            #expect(all.count <= 9)
        }
        alternate(try crossings(way.shuffled(using: &generator)))
        #expect(try crossings(way).count == 9)
    }

    @Test(
        "a phone whose clock is an hour behind or five minutes ahead is watched, and says no time that is to come"
    )
    func clocks() throws {
        let shape = try garden()
        let way = [0.0, 0, 300, 300, 0, 0]
        for (off, expected) in [(-60.0, [left(-58), entered(-56)]), (5, [left(2), entered(4)])] {
            var watch = AreaWatch()
            let told = way.enumerated().compactMap { minute, north in
                watch.take(fix(Double(minute) + off, north), of: "phone", shape, now: at(Double(minute)))
            }
            // Two fixes make a crossing: what is ahead is of the moment at which it became certain.
            let late = off > 0 ? [Crossing(kind: .left, time: at(3)), Crossing(kind: .entered, time: at(5))] : expected
            #expect(told == late)
        }
        // A phone in the next year is watched, too, and once its clock is right, it is believed again after ten
        // minutes.
        var watch = AreaWatch()
        let wrong = way.enumerated().compactMap { minute, north in
            watch.take(fix(525_600 + Double(minute), north), of: "phone", shape, now: at(Double(minute)))
        }
        #expect(wrong.map(\.kind) == [.left, .entered] && wrong.allSatisfy { $0.time <= at(6) })
        let right = way.enumerated().compactMap { minute, north in
            watch.take(fix(20 + Double(minute), north), of: "phone", shape, now: at(20 + Double(minute)))
        }
        #expect(right == [left(22), entered(24)])
        #expect(watch.take(Fix(time: .max, place: home), of: "phone", shape, now: at(0)) == nil)
        #expect(watch.take(Fix(time: .min, place: home), of: "phone", shape, now: .min) == nil)
        // At the end of all times nothing overflows.
        #expect(watch.take(.left, at: .max, of: "phone", now: .max)?.kind == .left)
    }

    @Test(
        "after a gap without consent, a new watch begins with the first side, and one that was kept tells the crossing"
    )
    func gap() throws {
        let (before, after) = ([fix(0, 0), fix(1, 0)], [fix(300, 900), fix(301, 900), fix(302, 900)])
        #expect(try crossings(before).isEmpty && crossings(after).isEmpty)
        #expect(try crossings(before + after) == [left(300)])
        // Also if the phone has been forgotten in the meantime.
        let days = [fix(5000, 900), fix(5001, 900)]
        #expect(try crossings(before + days) == [left(5000)])
        #expect(
            try crossings(before + [fix(300, 900), fix(301, 900), fix(5000, 0), fix(5001, 0)]) == [
                left(300), entered(5000),
            ])
    }

    @Test(
        "random walks: crossings alternate, and each has two fixes on its side by more than their accuracy",
        arguments: 1...20 as ClosedRange<UInt64>)
    func randomWalks(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let shape = try garden()
        var (north, east, time) = (0.0, 0.0, 0.0)
        let fixes = (0..<1500).map { _ -> Fix in
            north = (north + .random(in: -25...25, using: &generator)) * 0.99
            east = (east + .random(in: -25...25, using: &generator)) * 0.99
            time += .random(in: 0.01...3, using: &generator)
            let accuracy = Double.random(in: 3...60, using: &generator)
            let isBad = Int.random(in: 0..<20, using: &generator) == 0
            let there =
                isBad ? place(north: .random(in: -2000...2000, using: &generator)) : place(north: north, east: east)
            return Fix(time: at(time), place: there, accuracyMetres: accuracy)
        }
        let all = try crossings(fixes)
        alternate(all)
        var watch = AreaWatch()
        for (index, fix) in fixes.enumerated() {
            guard let crossing = watch.take(fix, of: "phone", shape) else { continue }
            // The first fix that showed it, and this one, are both certain, and nothing certain between them speaks
            // against it.
            let start = try #require(fixes.firstIndex { $0.time == crossing.time })
            #expect(start < index)
            let distances = fixes[start...index].map { fix in
                (crossing.kind == .left ? 1 : -1) * shape.signedDistance(of: fix.place)
            }
            let least = crossing.kind == .left ? .infinity : 50.0
            for (distance, fix) in [(distances[0], fixes[start]), (distances[distances.count - 1], fixes[index])] {
                #expect(distance > min(least, fix.accuracyMetres ?? 0))
            }
            #expect(distances.allSatisfy { $0 >= 0 })
        }
    }

    @Test("the run of 9 km leaves a circle of 300 m around its start, and enters it, when another computation says so")
    func run() throws {
        let fixes = try recording("run-9km")
        let start = try #require(fixes.first).place
        let all = try crossings(fixes, try AreaShape(middle: start, radiusMetres: 300))
        // On a plane that touches the Earth at the start, two certain fixes in a row make a side.
        let degree = 6_371_008.8 * Double.pi / 180
        var (expected, side, turn): ([Crossing], Bool, Int64?) = ([], true, nil)
        for fix in fixes {
            let north = (fix.place.latitude - start.latitude) * degree
            let east = (fix.place.longitude - start.longitude) * degree * cos(start.latitude * .pi / 180)
            let far = hypot(north, east) - 300
            let isCertain = abs(far) > 5
            guard isCertain, (far < 0) != side else {
                if isCertain || (far < 0) == side { turn = nil }
                continue
            }
            guard let since = turn else {
                turn = fix.time
                continue
            }
            side.toggle()
            expected.append(Crossing(kind: side ? .entered : .left, time: since))
            turn = nil
        }
        #expect(all == expected && all.count >= 2 && all.first?.kind == .left)
    }

    @Test("what is no place and no time is passed over")
    func impossible() throws {
        let shape = try garden()
        var watch = AreaWatch()
        for latitude in [Double.nan, .infinity, 91] {
            let nowhere = Place(latitude: latitude, longitude: 0)
            #expect(watch.take(Fix(time: at(0), place: nowhere), of: "phone", shape) == nil)
        }
        #expect(watch.take(Fix(time: -1, place: home), of: "phone", shape) == nil)
        #expect(watch == AreaWatch() && watch.isInside == nil && watch.latest == nil)
    }
}

/// Records it unless each crossing is the opposite of the one before, and later.
func alternate(_ crossings: [Crossing]) {
    for (one, next) in zip(crossings, crossings.dropFirst()) {
        #expect(one.kind != next.kind && one.time < next.time)
    }
}
