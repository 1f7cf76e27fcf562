import Daemon
import Fitness
import Telemetry

/// A workout that a post shows, in words, and its way.
struct PostedWorkout {
    private let json: JSON
    private let units: Units

    init(_ json: JSON, _ units: Units) { (self.json, self.units) = (json, units) }

    /// `running, 2026-11-21: 8.92 km, 47:43, 5:19 /km`
    var line: String {
        let figures: [String?] = [
            json.double("distance_m").map { units.distance($0).text },
            json.whole("duration_s").map { clock(seconds: $0) },
            json.double("speed_mps").flatMap { units.pace(metres: $0, seconds: 1) },
            json.double("ascent_m").map { "\(units.height($0).text) up" },
            json.double("energy_kcal").map { "\(grouped(Int($0.rounded()))) kcal" },
            json.double("heart_rate").map { "\(Int($0.rounded())) bpm" },
        ]
        let known = figures.compactMap { $0 }.joined(separator: ", ")
        let head = "\(json.text("activity") ?? "-"), \(json.text("day") ?? "-")"
        return known.isEmpty ? head : "\(head): \(known)"
    }

    /// Draws the way in a reply, north at the top; empty if the reply has no way.
    static func drawing(_ data: JSON) -> String {
        // A degree is as long everywhere here: the way has no place on the Earth.
        let metresOfDegree = 111_195.0
        let pieces = data.list("way").map { piece -> [PathDrawing.Point] in
            guard case .array(let points) = piece else { return [] }
            return points.compactMap { point in
                guard case .array(let numbers) = point, numbers.count == 2, let east = metres(numbers[0]),
                    let north = metres(numbers[1])
                else { return nil }
                return PathDrawing.Point(latitude: north / metresOfDegree, longitude: east / metresOfDegree)
            }
        }
        return PathDrawing(pieces: pieces).drawn(on: Paper())
    }

    private static func metres(_ number: JSON) -> Double? {
        switch number {
        case .integer(let whole): Double(whole)
        case .number(let number): number.isFinite ? number : nil
        default: nil
        }
    }
}
