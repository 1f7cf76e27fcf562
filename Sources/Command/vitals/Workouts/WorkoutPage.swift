import Daemon
import Fitness
import Telemetry

// `vitals workout show`: everything about one workout on a page, from the figures down to the way.

/// Shows one workout.
struct WorkoutPage {
    private let call: Call
    private let arguments: Arguments
    private let paper = Paper()

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    func show() throws -> ExitCode {
        let asked = try arguments.optionalInteger("points", in: 2...1000)
        let points = asked ?? (call.isJSON ? nil : min(Graph.points(on: paper), 1000))
        let data = try Office.visit(call) { office in
            let id = try office.workout(arguments)
            let fields: [(String, JSON?)] = [("id", .string(id)), ("points", points.map { .integer(Int64($0)) })]
            return try office.askOfWorkouts("show", fields, arguments)
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let sections = [heading(data) + figures(data), zones(data), splits(data), graphs(data), way(data)]
        try Output.write(sections.filter { !$0.isEmpty }.joined(separator: "\n"))
        return .ok
    }

    // MARK: Figures

    /// `running, Saturday, 21 November 2026, 14:00:05 to 14:47:48`
    private func heading(_ data: JSON) -> String {
        var parts = [WorkoutText(data).activity]
        if case .integer(let start) = data["started"] {
            if let day = CalendarDay(ofMoment: start) { parts.append(day.longName) }
            var times = LocalTime.timeOfDay(start)
            if case .integer(let end) = data["ended"] { times += " to \(LocalTime.timeOfDay(end))" }
            parts.append(times)
        }
        return paper.style.bold(parts.joined(separator: ", ")) + "\n"
    }

    private func figures(_ data: JSON) -> String {
        let text = WorkoutText(data)
        let goal = text.goal.map { target in
            guard let percent = text.percent else { return target }
            return Meter(share: percent / 100, isReached: percent >= 100).drawn(on: paper) + " of \(target)"
        }
        return lines([
            ("Time", text.duration), ("Distance", text.distance), ("Pace", text.isRide ? nil : text.pace),
            ("Speed", text.speeds), ("Heart rate", text.heartRates), ("Cadence", text.cadence), ("Power", text.power),
            ("Steps", text.steps), ("Ascent", text.ascent), ("Energy", text.energy), ("Load", text.load),
            ("Best times", best(data)), ("Goal", goal), ("Gear", text.gear), ("Pauses", pauses(data)),
            ("Ended by", ended(data)),
        ])
    }

    private func best(_ data: JSON) -> String? {
        let times = data.list("best").compactMap { time -> String? in
            guard let metres = time.double("distance_m"), let seconds = time.double("seconds") else { return nil }
            return "\(decimal(metres / 1000, 0)) km in \(WorkoutText.clock(seconds))"
        }
        return times.isEmpty ? nil : times.joined(separator: ", ")
    }

    private func pauses(_ data: JSON) -> String? {
        let seconds = data.list("pauses").compactMap { pause -> Double? in
            guard let from = pause.double("from"), let to = pause.double("to") else { return nil }
            return (to - from) / 1000
        }
        guard !seconds.isEmpty else { return nil }
        return "\(seconds.count), together \(WorkoutText.clock(seconds.reduce(0, +)))"
    }

    private func ended(_ data: JSON) -> String? {
        switch data["ended_by"] {
        case "goal": "its goal"
        case "silence": "silence: nothing was measured for a long time"
        default: nil
        }
    }

    private func zones(_ data: JSON) -> String {
        let seconds = WorkoutText(data).zones
        guard !seconds.isEmpty else { return "" }
        let rows = seconds.enumerated().map { index, seconds in
            Bars.Row(
                label: "Zone \(index + 1)", amount: Amount(value: Double(seconds)), goal: nil,
                notes: [WorkoutText.clock(Double(seconds))])
        }
        return paper.style.bold("Time in zones of heart rate") + "\n" + Bars(rows: rows).drawn(on: paper)
    }

    // MARK: Splits

    private func splits(_ data: JSON) -> String {
        let isRide = WorkoutText(data).isRide
        var way = 0.0
        let rows = data.list("splits").compactMap { split -> [String]? in
            guard let metres = split.double("distance_m"), let seconds = split.double("seconds") else { return nil }
            way += metres
            let speed = seconds > 0 ? "\(decimal(metres / seconds * 3.6, 1)) km/h" : "-"
            return [
                decimal(way / 1000, abs(way.remainder(dividingBy: 1000)) < 0.5 ? 0 : 2), WorkoutText.clock(seconds),
                isRide ? speed : split.text("pace") ?? "-",
                split.double("ascent_m").map { "\(decimal($0, 0)) m" } ?? "-",
                split.double("heart_rate").map(Attribute.heartRate.text) ?? "-",
            ]
        }
        guard !rows.isEmpty else { return "" }
        return table(["KM", "TIME", isRide ? "SPEED" : "PACE", "ASCENT", "HEART RATE"], rows)
    }

    // MARK: Graphs

    private func graphs(_ data: JSON) -> String {
        let stretches = WorkoutStretches(data.list("over_distance"))
        let swiftness =
            WorkoutText(data).isRide
            ? section("Speed over distance, km/h", stretches.speed)
            : section("Pace over distance, min/km", stretches.pace)
        let altitude = section("Altitude over distance, m", stretches.altitude)
        let hearts = section("Heart rate over time, bpm", heartRates(data))
        return [swiftness, altitude, hearts].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func section(_ title: String, _ graph: Graph?) -> String {
        guard let graph, !graph.pieces.isEmpty else { return "" }
        return paper.style.bold(title) + "\n" + graph.drawn(on: paper)
    }

    private func heartRates(_ data: JSON) -> Graph? {
        let points = data.list("heart_rates").compactMap { point -> (middle: Int64, json: JSON)? in
            point.double("seconds").map { (thousandths($0), point) }
        }
        // Parts without heart rates are left out, and the others are equally far from each other.
        let middles = points.map(\.middle)
        guard let first = middles.first, let last = middles.last else { return nil }
        let width = max(zip(middles, middles.dropFirst()).map { $1 - $0 }.min() ?? 2 * first, 1)
        let pieces = points.compactMap { middle, point -> Graph.Piece? in
            guard let mean = point.double("mean") else { return nil }
            let (least, most) = (point.double("min") ?? mean, point.double("max") ?? mean)
            return Graph.Piece(
                from: middle - width / 2, to: middle + width / 2, min: min(least, mean), mean: mean,
                max: max(most, mean))
        }
        let end = max(thousandths(data.double("duration_s") ?? 0), last + width / 2)
        return Graph(from: 0, to: end, pieces: pieces, axis: .elapsed, longestGap: max(width, 5000))
    }

    // MARK: The way

    private func way(_ data: JSON) -> String {
        let pieces = data.list("path").map { piece -> [PathDrawing.Point] in
            guard case .array(let points) = piece else { return [] }
            return points.compactMap { point in
                guard case .array(let degrees) = point, degrees.count == 2, let latitude = degrees[0].degrees,
                    let longitude = degrees[1].degrees
                else { return nil }
                return PathDrawing.Point(latitude: latitude, longitude: longitude)
            }
        }
        let drawing = PathDrawing(pieces: pieces).drawn(on: paper)
        return drawing.isEmpty ? "" : paper.style.bold("The way, north at the top") + "\n" + drawing
    }
}

/// What a workout was like from place to place.
private struct WorkoutStretches {
    private let points: [(middle: Int64, json: JSON)]
    private let width: Int64

    init(_ list: [JSON]) {
        points = list.compactMap { point in point.double("distance_m").map { (thousandths($0), point) } }
        // All of them are equally long, and the first begins at zero.
        width = max((points.first?.middle ?? 0) * 2, 1)
    }

    /// The faster, the higher. Stops would leave no room for anything else, so they end at one and a half times the usual pace.
    var pace: Graph? {
        let usual = points.compactMap { $0.json.double("pace_s") }.filter { $0 > 0 }.sorted()
        guard !usual.isEmpty else { return nil }
        let slowest = usual[usual.count / 2] * 1.5
        // Negative, so that a fast pace is high.
        let label = { (pace: Double) in WorkoutText.clock(-pace) }
        return graph(steps: RoundScale.stepsOfSeconds, label: label) { point in
            point.double("pace_s").flatMap { $0 > 0 ? -min($0, slowest) : nil }
        }
    }

    var speed: Graph? { graph { point in point.double("pace_s").flatMap { $0 > 0 ? 3600 / $0 : nil } } }

    var altitude: Graph? { graph { $0.double("altitude_m") } }

    private func graph(
        steps: [Double] = RoundScale.steps, label: @escaping (Double) -> String = { decimal($0, 0) },
        _ value: (JSON) -> Double?
    ) -> Graph? {
        let pieces = points.compactMap { middle, json in
            value(json).map {
                Graph.Piece(from: middle - width / 2, to: middle + width / 2, min: $0, mean: $0, max: $0)
            }
        }
        guard let last = pieces.last else { return nil }
        return Graph(
            from: 0, to: last.to, pieces: pieces, axis: .way, longestGap: width, label: label, steps: steps)
    }
}

/// Thousandths of a number, within what a drawing can take.
private func thousandths(_ number: Double) -> Int64 { Int64(min(max(number, 0), 1e10) * 1000) }

extension JSON {
    /// A number of degrees.
    var degrees: Double? {
        switch self {
        case .integer(let whole): (-360...360).contains(whole) ? Double(whole) : nil
        case .number(let number): (-360...360).contains(number) ? number : nil
        default: nil
        }
    }
}
