import Fitness
import Foundation
import TestSupport
import Testing

@testable import Whereabouts

/// When these tests begin, in Unix milliseconds.
let epoch: Int64 = 1_795_261_200_000

/// A time in minutes since the beginning, in Unix milliseconds.
func at(_ minutes: Double) -> Int64 { epoch + Int64((minutes * 60_000).rounded()) }

/// A place so many metres to the north and to the east of another, as the cosine of its latitude tells: so near, the
/// difference from the sphere does not matter.
func place(north: Double = 0, east: Double = 0, of middle: Place = home) -> Place {
    let degree = 6_371_008.8 * Double.pi / 180
    let longitude = middle.longitude + east / degree / cos(middle.latitude * Double.pi / 180)
    let wrapped = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    return Place(latitude: middle.latitude + north / degree, longitude: wrapped)
}

let home = Place(latitude: 52.52, longitude: 13.405)

/// A fix so many metres from home, to the north.
func fix(_ minutes: Double, _ north: Double, accuracy: Double? = 10) -> Fix {
    Fix(time: at(minutes), place: place(north: north), accuracyMetres: accuracy)
}

/// A circle of 100 m around home.
func garden() throws -> AreaShape { try AreaShape(middle: home, radiusMetres: 100) }

/// What one source says, in its order, and what follows. The state is written and read between every two fixes, as if
/// the service was restarted each time, and has to make no difference.
func crossings(_ fixes: [Fix], of source: String = "phone", _ shape: AreaShape? = nil) throws -> [Crossing] {
    var (watch, restarted) = (AreaWatch(), AreaWatch())
    let shape = try shape ?? garden()
    return try fixes.compactMap { fix in
        let crossing = watch.take(fix, of: source, shape)
        #expect(restarted.take(fix, of: source, shape) == crossing)
        restarted = try #require(AreaWatch(kept: restarted.json))
        #expect(restarted == watch)
        return crossing
    }
}

/// A recording of the project: its places, and the seconds since its beginning.
func recording(_ name: String) throws -> [Fix] {
    let text = try String(contentsOfFile: "\(projectFolder)/deploy/activities/\(name).csv", encoding: .utf8)
    return try text.split(separator: "\n").dropFirst().compactMap { line in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 11, let second = Double(fields[1]) else { throw TestFailure("no row: \(line)") }
        guard let latitude = Double(fields[6]), let longitude = Double(fields[7]) else { return nil }
        return Fix(
            time: at(second / 60), place: Place(latitude: latitude, longitude: longitude), accuracyMetres: 5)
    }
}
