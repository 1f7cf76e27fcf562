import Fitness
import TestSupport
import Testing

@testable import Workouts

/// The way by positions, compared with vectors that were made independently.
@Suite(.timeLimit(.minutes(60))) struct PositionVectorTests {
    private func metres(_ points: [TrackPoint], _ activity: Activity = .running) -> Double {
        var filter = PositionFilter(activity)
        for point in points { _ = filter.add(point) }
        return filter.metres
    }

    @Test("the way of positions that move, stand and jump")
    func ways() throws {
        for vector in try Vector.of("way_of", in: "workout") {
            let pieces = try #require(vector.arguments[0] as? [[Any]])
            let points = try pieces.flatMap { piece -> [TrackPoint] in
                let numbers = piece.map { $0 as? Double }
                let known = try numbers.prefix(5).map { try #require($0) }
                return try (Int(known[0])..<Int(known[1])).map { second in
                    let way = known[2] + known[3] * (Double(second) - known[0])
                    let noise = second % 2 == 1 ? known[4] : -known[4]
                    return try point(Double(second), way + noise, accuracy: numbers[5])
                }
            }
            let comment = Comment(rawValue: vector.name)
            #expect(near(metres(points), try #require(vector.expected as? Double), 0.001), comment)
        }
    }

    @Test("the distance between two places")
    func haversine() throws {
        for vector in try Vector.of("haversine", in: "workout") {
            let places = try vector.arguments.map { try #require($0 as? [Double]) }
                .map { Place(latitude: $0[0], longitude: $0[1]) }
            #expect(near(places[0].metres(to: places[1]), try #require(vector.expected as? Double), 0.001))
        }
    }

    @Test("a person who turns round has not stood, and nothing is added to their way", arguments: [3.0, 5, 10])
    func turns(speed: Double) throws {
        let points = try (0...600).map { second -> TrackPoint in
            let along = Double(second % 100)
            let north = speed * (along <= 50 ? along : 100 - along)
            return try point(Double(second), north, accuracy: 1)
        }
        #expect(near(metres(points), 600 * speed, 2 * speed))
    }

    @Test("positions that are half a minute apart are a way, and those on the date line are near each other")
    func sparse() throws {
        let sparse = try (0...40).map { try point(30 * Double($0), 60 * Double($0)) }
        #expect(near(metres(sparse), 2400, 1e-3))
        let places = (0...600).map { second in
            TrackPoint(time: at(Double(second)), latitude: 0, longitude: second % 2 == 0 ? 179.99999 : -179.99999)
        }
        #expect(metres(places.compactMap { $0 }) == 0)
    }

    /// A run at 3 m/s from the first second on, with a stand of a minute in it.
    @Test("a way that is known late is spread over the time that it took")
    func spread() throws {
        let points = try (0...260).map { second -> TrackPoint in
            let moved = second <= 100 ? second : max(100, second - 60)
            return try point(Double(second), 3 * Double(moved), accuracy: 4)
        }
        let course = Course(points, .running, try timer((.start, 0)))
        #expect(near(Way(course).fastest(100)?.seconds, 33.3, 1.5))
        #expect(near(course.stations[5].metres, 15, 0.01) && near(course.stations[90].metres, 270, 4))
        for (one, next) in zip(course.stations, course.stations.dropFirst()) {
            #expect(next.metres >= one.metres)
        }
    }
}
