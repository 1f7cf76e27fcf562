import Fitness
import Foundation
import TestSupport
import Testing

@testable import Whereabouts

/// Circles and polygons on the Earth.
@Suite(.timeLimit(.minutes(60))) struct AreaShapeTests {
    private func square(_ half: Double, around middle: Place = home) throws -> AreaShape {
        try AreaShape(
            corners: [(-1, -1), (-1, 1), (1, 1), (1, -1)].map { north, east in
                place(north: half * north, east: half * east, of: middle)
            })
    }

    /// A ring of places at one latitude.
    private func ring(_ latitude: Double, _ count: Int) -> [Place] {
        (0..<count).map { Place(latitude: latitude, longitude: -180 + 360 * Double($0) / Double(count)) }
    }

    private func near(_ value: Double, _ expected: Double, _ tolerance: Double) -> Bool {
        abs(value - expected) <= tolerance
    }

    @Test("a circle's edge is as far from its middle everywhere, also at a pole and across the date line")
    func circles() throws {
        // A degree of a great circle, by the Earth's mean radius.
        let degree = 111_195.08
        for middle in [
            home, Place(latitude: 90, longitude: 0), Place(latitude: -89.9, longitude: 100),
            Place(latitude: 0, longitude: 180), Place(latitude: 60, longitude: -179.999),
        ] {
            let circle = try AreaShape(middle: middle, radiusMetres: 50_000)
            #expect(circle.signedDistance(of: middle) == -50_000)
            for north in [-1.0, 1] where (-90...90).contains(middle.latitude + north) {
                let there = Place(latitude: middle.latitude + north, longitude: middle.longitude)
                #expect(near(circle.signedDistance(of: there), degree - 50_000, 1))
            }
        }
        let line = try AreaShape(middle: Place(latitude: 0, longitude: 180), radiusMetres: 1000)
        #expect(near(line.signedDistance(of: Place(latitude: 0, longitude: -179.99)), 0.01 * degree - 1000, 0.1))
        let pole = try AreaShape(middle: Place(latitude: 90, longitude: 0), radiusMetres: 1000)
        #expect(near(pole.signedDistance(of: Place(latitude: 89.99, longitude: -120)), 0.01 * degree - 1000, 0.1))
    }

    @Test(
        "a place is as far from a polygon as from its nearest side or corner",
        arguments: [
            home, Place(latitude: 0, longitude: 180), Place(latitude: -70, longitude: -180),
        ])
    func squares(middle: Place) throws {
        let square = try square(1000, around: middle)
        let examples: [(Double, Double, Double)] = [
            (0, 0, -1000), (900, 0, -100), (0, -990, -10), (1500, 0, 500), (0, 1200, 200), (-2000, 500, 1000),
            (1300, 1400, 500), (-1030, -1040, 50),
        ]
        for (north, east, expected) in examples {
            let distance = square.signedDistance(of: place(north: north, east: east, of: middle))
            #expect(near(distance, expected, 2), "\(north) \(east): \(distance)")
        }
    }

    @Test("a polygon may lie around a pole", arguments: [89.0, 86, -89])
    func poles(latitude: Double) throws {
        let cap = try AreaShape(corners: ring(latitude, 36))
        let degree = 111_195.08
        let pole = Place(latitude: latitude > 0 ? 90 : -90, longitude: 77)
        // From the pole, the nearest part of a side is its middle: a right-angled triangle on the sphere.
        let side = atan(tan((90 - abs(latitude)) * .pi / 180) * cos(.pi / 36)) * 6_371_008.8
        #expect(near(cap.signedDistance(of: pole), -side, 1))
        let outside = Place(latitude: latitude > 0 ? latitude - 1 : latitude + 1, longitude: -180 + 50)
        #expect(near(cap.signedDistance(of: outside), degree, 5))
    }

    @Test(
        "the sides of a wide polygon are the shortest ways, which lie north of the parallel between two corners"
    )
    func wide() throws {
        let wide = try AreaShape(
            corners: [(50, 5), (50, 15), (47, 15), (47, 5)].map {
                Place(latitude: Double($0.0), longitude: Double($0.1))
            })
        // tan(latitude in the middle) = tan(50°) / cos(5°): 50.1074°
        #expect(near(wide.signedDistance(of: Place(latitude: 50.1074, longitude: 10)), 0, 20))
        #expect(wide.signedDistance(of: Place(latitude: 50.09, longitude: 10)) < -1000)
        #expect(wide.signedDistance(of: Place(latitude: 50.12, longitude: 10)) > 1000)
        // The other side of the Earth.
        let far = wide.signedDistance(of: Place(latitude: -48, longitude: -170))
        #expect(far > 18_000_000 && far < 20_016_000)
    }

    @Test(
        "inside and outside are those of another computation, whatever the polygon",
        arguments: [1, 2, 3, 4] as [UInt64])
    func anyPolygon(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // A star around home does not cross itself: its corners are at rising angles.
        let corners = (0..<40).map { index in
            let (angle, radius) = (Double(index) / 40 * 2 * .pi, Double.random(in: 200...2000, using: &generator))
            return (north: radius * cos(angle), east: radius * sin(angle))
        }
        let star = try AreaShape(corners: corners.map { place(north: $0.north, east: $0.east) })
        for _ in 0..<300 {
            let north = Double.random(in: -2500...2500, using: &generator)
            let east = Double.random(in: -2500...2500, using: &generator)
            // The sum of the angles at which the sides are seen: a whole turn inside, nothing outside.
            var (turn, nearest) = (0.0, Double.infinity)
            for index in corners.indices {
                let (one, other) = (corners[index], corners[(index + 1) % corners.count])
                let (a, b) = ((one.north - north, one.east - east), (other.north - north, other.east - east))
                turn += atan2(a.0 * b.1 - a.1 * b.0, a.0 * b.0 + a.1 * b.1)
                for step in 0...200 {
                    let share = Double(step) / 200
                    nearest = min(nearest, hypot(a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1)))
                }
            }
            let distance = star.signedDistance(of: place(north: north, east: east))
            guard nearest > 20 else { continue }
            #expect((distance < 0) == (abs(turn) > .pi))
            #expect(near(abs(distance), nearest, 5 + nearest / 500))
        }
    }

    @Test("what cannot be watched is no area")
    func refused() throws {
        func circle(_ middle: Place, _ radius: Double) -> AreaProblem? {
            problem { () throws(AreaProblem) in _ = try AreaShape(middle: middle, radiusMetres: radius) }
        }
        func polygon(_ metres: [(Double, Double)]) -> AreaProblem? {
            problem { () throws(AreaProblem) in
                _ = try AreaShape(corners: metres.map { place(north: $0.0, east: $0.1) })
            }
        }
        for radius in [0, 19.9, -20, 500_001, .nan, .infinity] { #expect(circle(home, radius) == .radius) }
        for latitude in [-90.1, 91, .nan, .infinity] {
            #expect(circle(Place(latitude: latitude, longitude: 0), 100) == .radius)
            #expect(circle(Place(latitude: 0, longitude: 2 * latitude), 100) == .radius)
        }
        #expect(circle(home, 20) == nil && circle(home, 500_000) == nil)
        #expect(polygon([(0, 0), (0, 100)]) == .corners)
        #expect(polygon([(0, 0), (0, 100), (0, 100), (100, 0)]) == .corners)
        #expect(polygon([(0, 0), (0, 100), (100, 0), (0, 0)]) == .corners)
        let many = (0..<101).map { index -> (Double, Double) in
            let angle = Double(index) / 101 * 2 * Double.pi
            return (1000 * cos(angle), 1000 * sin(angle))
        }
        #expect(polygon(many) == .corners && polygon(Array(many.dropLast())) == nil)
        #expect(polygon([(0, 0), (100, 100), (100, 0), (0, 100)]) == .crossing)
        // A corner on another side; a side that goes back over the one before; corners in a line.
        #expect(polygon([(0, 0), (0, 200), (100, 100), (0, 100), (100, 0)]) == .crossing)
        #expect(polygon([(0, 0), (0, 100), (0, 50), (100, 50)]) == .crossing)
        #expect(polygon([(0, 0), (100, 0), (200, 0)]) == .crossing)
        #expect(
            polygon([(0, 0), (1_000_100, 0), (0, 100)]) == .tooWide && polygon([(0, 0), (999_000, 0), (0, 100)]) == nil)
        let nowhere = [Place(latitude: .nan, longitude: 0), home, place(north: 100)]
        #expect(problem { () throws(AreaProblem) in _ = try AreaShape(corners: nowhere) } == .corners)
        let antipodes = [home, Place(latitude: -52.52, longitude: -166.595), place(north: 100)]
        #expect(problem { () throws(AreaProblem) in _ = try AreaShape(corners: antipodes) } == .tooWide)
    }

    @Test("what is not on the Earth is outside")
    func nowhere() throws {
        for shape in [try garden(), try square(100)] {
            #expect(shape.signedDistance(of: Place(latitude: .nan, longitude: 13)) == .infinity)
            #expect(shape.signedDistance(of: Place(latitude: 52, longitude: 200)) == .infinity)
        }
    }

    private func problem(_ body: () throws(AreaProblem) -> Void) -> AreaProblem? {
        do throws(AreaProblem) { try body() } catch { return error }
        return nil
    }
}
