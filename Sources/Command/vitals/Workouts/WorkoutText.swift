import Daemon
import Fitness
import Telemetry

// How a workout went, as people read it. What is not known is left out.

/// The words for what a reply says of a workout.
struct WorkoutText {
    let json: JSON
    /// Those of the person who reads it.
    let units: Units

    init(_ json: JSON, in units: Units) { (self.json, self.units) = (json, units) }

    /// Whether speed means more than pace.
    var isRide: Bool { json["activity"] == "cycling" }

    var activity: String { json.text("activity") ?? "-" }
    /// What the person, or the file that it is from, calls it.
    var name: String? { json.text("name") }
    var duration: String? { json.double("duration_s").map(Self.clock) }
    /// How long the person moved, if that is clearly less.
    var moving: String? { json.double("moving_s").map(Self.clock) }
    var distance: String? { json.double("distance_m").map { units.distance($0).text } }
    var steps: String? { json.double("steps").map { decimal($0, 0) } }
    var energy: String? { json.double("energy_kcal").map(Attribute.kilocalories) }
    var ascent: String? { json.double("ascent_m").map { units.height($0).text } }
    var cadence: String? { spread("cadence") { "\(decimal($0, 0)) rpm" } }
    var power: String? { spread("power_w") { "\(decimal($0, 0)) W" } }
    var load: String? { heart?.double("load").map { decimal($0, 0) } }
    var heart: JSON? { json["heart_rate"] }
    private var motion: JSON? { json["speed_mps"] }

    /// `5:19 /km`
    var pace: String? { pace("pace", "mean") }
    var paceNow: String? { pace("pace_now", "now") }
    /// `28.3 km/h`
    var speed: String? { motion?.double("mean").map { units.speed($0).text } }
    var speedNow: String? { motion?.double("now").map { units.speed($0).text } }
    /// The more telling of the two.
    var swiftness: String? { isRide ? speed : pace ?? speed }

    /// A pace where the consumer tells one; it tells those for a kilometre, so one for a mile comes from the speed.
    private func pace(_ member: String, _ speed: String) -> String? {
        guard let motion, let told = motion.text(member) else { return nil }
        guard units != .metric else { return "\(told) /\(units.wayUnit.rawValue)" }
        return motion.double(speed).flatMap { units.pace(metres: $0, seconds: 1) }
    }

    /// `1:52 /100 m`, of swimming.
    var swimPace: String? { motion?.text("pace_100m").map { "\($0) /100 m" } }

    /// `25 m, 32 lengths, 3 rests, together 1:30`
    var pool: String? {
        guard let pool = json["pool"], let metres = pool.double("length_m") else { return nil }
        var parts = ["\(decimal(metres, metres == metres.rounded() ? 0 : 2)) m"]
        if let lengths = pool.whole("lengths") { parts.append(counted(lengths, "length")) }
        if let rests = pool.whole("rests"), let seconds = pool.double("rest_s") {
            parts.append("\(counted(rests, "rest")), together \(Self.clock(seconds))")
        }
        return parts.joined(separator: ", ")
    }

    /// `2 of 3`: which part it is of an activity with several sports.
    var part: String? {
        guard let session = json["session"], let number = session.whole("number"), let count = session.whole("of")
        else { return nil }
        return "\(number) of \(count)"
    }

    /// `garmin 3113 (n7u2c4x5k3mq6z7a), which counts instead`
    var recordings: String? {
        let all = json.list("recordings").map { one in
            Self.recording(one)
                + (one["counts"] == true
                    ? ", which counts instead: vitals workout prefer \(json.text("id") ?? "ID")" : "")
        }
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    /// `garmin 3113 (n7u2c4x5k3mq6z7a)`
    static func recording(_ json: JSON) -> String {
        "\(json.text("source") ?? "recorded here") (\(json.text("id") ?? "-"))"
    }

    /// What it is done with.
    var gear: String? { json["gear"]?.text("name") }

    /// `148 bpm`
    var heartRate: String? { heart?.double("mean").map(Attribute.beats) }

    /// `148 bpm, 91 bpm to 171 bpm`
    var heartRates: String? {
        guard let heart, let mean = heart.double("mean") else { return nil }
        let bpm = Attribute.beats
        guard let least = heart.double("min"), let most = heart.double("max") else { return bpm(mean) }
        return "\(bpm(mean)), \(bpm(least)) to \(bpm(most))"
    }

    /// `11.3 km/h, most 16.6 km/h`
    var speeds: String? {
        speed.map { mean in mean + (motion?.double("max").map { ", most \(units.speed($0).text)" } ?? "") }
    }

    /// Seconds in zones 1 to 5; none if nobody knows the zones.
    var zones: [Int] {
        let seconds = (heart?.list("zones_s") ?? []).compactMap { zone -> Int? in
            guard case .integer(let seconds) = zone, (0...10_000_000).contains(seconds) else { return nil }
            return Int(seconds)
        }
        return seconds.contains { $0 > 0 } ? seconds : []
    }

    /// `5.00 km`, what the workout should come to.
    var goal: String? { json["goal"].flatMap(target) }

    /// `zone 2 (113 to 130 bpm)`, the chosen zone of heart rate.
    var target: String? { ZonesText.target(json["target_zone"]) }

    /// How much of the goal was reached, in percent; never 100 by rounding.
    var percent: Double? { json.double("percent").map { $0.rounded(.down) } }

    /// `12:30  2.31 km  5:19 /km  149 bpm`, as far as it is known.
    var brief: String { [duration, distance, swiftness, heartRate].compactMap { $0 }.joined(separator: "  ") }

    /// What a goal's target is, in words.
    private func target(_ goal: JSON) -> String? {
        WorkoutGoals.Kind.allCases.lazy.compactMap { kind in
            goal.double(kind.field).map { kind.text($0, in: units) }
        }.first
    }

    /// `47:43`
    static func clock(_ seconds: Double) -> String { vitals.clock(seconds: Int(min(max(seconds, 0), 1e9))) }

    /// The distance of a best time. Races are called that in every country.
    static func race(_ metres: Double) -> String {
        let names = [(Units.metresPerMile, "1 mi"), (21_097.5, "half-marathon"), (42_195, "marathon")]
        if let name = names.first(where: { abs(metres - $0.0) < 1 }) { return name.1 }
        return metres < 1000 ? "\(decimal(metres, 0)) m" : "\(decimal(metres / 1000, 0)) km"
    }

    private func spread(_ member: String, _ text: (Double) -> String) -> String? {
        guard let rate = json[member], let mean = rate.double("mean") else { return nil }
        return text(mean) + (rate.double("max").map { ", most \(text($0))" } ?? "")
    }
}
