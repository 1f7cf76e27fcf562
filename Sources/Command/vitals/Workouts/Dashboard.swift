import Fitness
import Telemetry

/// The workout that is under way, as a few lines that a terminal shows again and again in the same place.
struct Dashboard {
    /// Without line ends.
    let lines: [String]

    /// - Parameter later: the seconds that have passed since the consumer said this.
    init(_ workout: JSON, in units: Units, on paper: Paper, later: Double = 0) {
        let text = WorkoutText(workout, in: units)
        let isPaused = workout["state"] == "paused"
        let seconds = workout.double("duration_s").map { WorkoutText.clock($0 + (isPaused ? 0 : later)) }
        let goal = text.goal.map { target in
            Meter(share: (text.percent ?? 0) / 100, isReached: (text.percent ?? 0) >= 100).drawn(on: paper)
                + " of \(target)"
        }
        let state = isPaused ? paper.style.yellow("paused") : paper.style.green("under way")
        let rows: [(String, String?)] = [
            ("Time", seconds.map(paper.style.bold)), ("Distance", text.distance.map(paper.style.bold)),
            ("Pace", text.isRide ? nil : Self.now(text.paceNow, text.pace, paper)),
            ("Speed", Self.now(text.speedNow, text.speed, paper)), ("Heart rate", Self.heart(text, paper)),
            ("Target", Self.target(text, paper)),
            ("Cadence", Self.now(Self.rate(workout, "cadence", "rpm"), text.cadence, paper)),
            ("Power", Self.now(Self.rate(workout, "power_w", "W"), text.power, paper)), ("Steps", text.steps),
            ("Ascent", text.ascent), ("Energy", text.energy), ("Goal", goal),
            ("Gear", text.gear),
        ]
        lines =
            ["\(paper.style.bold(text.activity)), \(state)"]
            + vitals.lines(rows).split(separator: "\n").map(String.init)
    }

    /// `5:10 /km, mean 5:19 /km`
    private static func now(_ now: String?, _ mean: String?, _ paper: Paper) -> String? {
        guard let now else { return mean.map { "mean \($0)" } }
        return paper.style.bold(now) + (mean.map { ", mean \($0)" } ?? "")
    }

    /// `149 bpm, zone 4, mean 148 bpm, 91 bpm to 171 bpm`
    private static func heart(_ text: WorkoutText, _ paper: Paper) -> String? {
        let now = text.heart?.double("now").map { paper.style.bold(Attribute.beats($0)) }
        let zone = text.heart?.whole("zone").map { "zone \($0)" }
        let parts = [now, zone, text.heartRates.map { "mean \($0)" }].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// `zone 2 (113 to 130 bpm), above`
    private static func target(_ text: WorkoutText, _ paper: Paper) -> String? {
        guard let target = text.target else { return nil }
        switch text.json["target_zone"]?.text("now") {
        case "within": return "\(target), \(paper.style.green("within"))"
        case "below": return "\(target), \(paper.style.yellow("below"))"
        case "above": return "\(target), \(paper.style.yellow("above"))"
        default: return target
        }
    }

    private static func rate(_ workout: JSON, _ member: String, _ unit: String) -> String? {
        workout[member]?.double("now").map { "\(decimal($0, 0)) \(unit)" }
    }
}
