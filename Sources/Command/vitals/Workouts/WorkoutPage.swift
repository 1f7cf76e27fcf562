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
        let (data, units) = try Office.visit(call) { office in
            let (id, units) = (try office.workout(arguments), office.units())
            let fields: [(String, JSON?)] = [
                ("id", .string(id)), ("points", points.map { .integer(Int64($0)) }),
                // Consumers of earlier versions do not know it.
                ("units", units == .metric ? nil : .string(units.rawValue)),
            ]
            return (try office.askOfWorkouts("show", fields, arguments), units)
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        let text = WorkoutText(data, in: units)
        let sections = [heading(text) + figures(text), zones(text), splits(text), graphs(text), way(data)]
        try Output.write(sections.filter { !$0.isEmpty }.joined(separator: "\n"))
        return .ok
    }

    // MARK: Figures

    /// `running, Saturday, 21 November 2026, 14:00:05 to 14:47:48`
    private func heading(_ text: WorkoutText) -> String {
        var parts = [text.json.text("name"), text.activity].compactMap { $0 }
        if case .integer(let start) = text.json["started"] {
            if let day = CalendarDay(ofMoment: start) { parts.append(day.longName) }
            var times = LocalTime.timeOfDay(start)
            if case .integer(let end) = text.json["ended"] { times += " to \(LocalTime.timeOfDay(end))" }
            parts.append(times)
        }
        return paper.style.bold(parts.joined(separator: ", ")) + "\n"
    }

    private func figures(_ text: WorkoutText) -> String {
        let goal = text.goal.map { target in
            guard let percent = text.percent else { return target }
            return Meter(share: percent / 100, isReached: percent >= 100).drawn(on: paper) + " of \(target)"
        }
        let count = text.json.whole("corrections") ?? 0
        return lines([
            ("Title", text.name), ("Note", note(text.json)), ("Time", text.duration), ("Moving", text.moving),
            ("Distance", text.distance), ("Pace", text.isRide ? nil : text.swimPace ?? text.pace),
            ("Speed", text.speeds), ("Heart rate", text.heartRates), ("Cadence", text.cadence), ("Power", text.power),
            ("Steps", text.steps), ("Ascent", text.ascent), ("Energy", text.energy), ("Load", text.load),
            ("Best times", best(text.json)), ("Goal", goal), ("Target", text.target), ("Gear", text.gear),
            ("Pauses", pauses(text.json)),
            ("Ended by", ended(text.json)), ("Pool", text.pool), ("Part", text.part), ("Also recorded by", text.recordings),
            (
                "Positions",
                text.json["positions_differ"] == true ? "more than a fifth off from the device's distance" : nil
            ),
            ("Added", text.json["by_hand"] == true ? "by hand" : nil),
            ("Corrected", count > 0 ? "\(counted(count, "time")), which vitals workout undo takes back" : nil),
        ])
    }

    /// On one line.
    private func note(_ data: JSON) -> String? {
        guard case .string(let note)? = data["note"] else { return nil }
        return note.split(separator: "\n").map { escaped(String($0)) }.joined(separator: " / ")
    }

    private func best(_ data: JSON) -> String? {
        let times = data.list("best").compactMap { time -> String? in
            guard let metres = time.double("distance_m"), let seconds = time.double("seconds") else { return nil }
            return "\(WorkoutText.race(metres)) in \(WorkoutText.clock(seconds))"
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

    private func zones(_ text: WorkoutText) -> String {
        let seconds = text.zones
        guard !seconds.isEmpty else { return "" }
        let rows = seconds.enumerated().map { index, seconds in
            Bars.Row(
                label: "Zone \(index + 1)", amount: Amount(value: Double(seconds)), goal: nil,
                notes: [WorkoutText.clock(Double(seconds))])
        }
        let origin = ZonesText.words(text.json["zones"]).map { "zones \($0)\n" } ?? ""
        return paper.style.bold("Time in zones of heart rate") + "\n" + Bars(rows: rows).drawn(on: paper) + origin
    }

    // MARK: Splits

    private func splits(_ text: WorkoutText) -> String {
        let (units, isRide) = (text.units, text.isRide)
        // In kilometres or miles. Lengths are told to a tenth of a metre, so the sum of miles would drift.
        var way = 0.0
        let rows = text.json.list("splits").compactMap { split -> [String]? in
            guard let metres = split.double("distance_m"), let seconds = split.double("seconds") else { return nil }
            way += abs(metres - units.way) < 0.1 ? 1 : metres / units.way
            return [
                decimal(way, way == way.rounded() ? 0 : 2), WorkoutText.clock(seconds),
                swiftness(split, metres, seconds, text) ?? "-",
                split.double("ascent_m").map { units.height($0).text } ?? "-",
                split.double("heart_rate").map(Attribute.beats) ?? "-",
            ]
        }
        guard !rows.isEmpty else { return "" }
        return table(
            [units.wayUnit.rawValue.uppercased(), "TIME", isRide ? "SPEED" : "PACE", "ASCENT", "HEART RATE"], rows)
    }

    private func swiftness(_ split: JSON, _ metres: Double, _ seconds: Double, _ text: WorkoutText) -> String? {
        guard !text.isRide else { return seconds > 0 ? text.units.speed(metres / seconds).text : nil }
        // The consumer's is for a kilometre.
        guard text.units != .metric else { return split.text("pace") }
        return Pace(metres: metres, seconds: seconds)?.text(in: text.units)
    }

    // MARK: Graphs

    private func graphs(_ text: WorkoutText) -> String {
        let units = text.units
        let stretches = WorkoutStretches(text.json.list("over_distance"), in: units)
        let swiftness =
            text.isRide
            ? section("Speed over distance, \(units.speed(0).unit.rawValue)", stretches.speed)
            : section("Pace over distance, min/\(units.wayUnit.rawValue)", stretches.pace)
        let altitude = section("Altitude over distance, \(units.height(0).unit.rawValue)", stretches.altitude)
        let hearts = section("Heart rate over time, bpm", heartRates(text.json))
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
        return drawing.isEmpty ? "" : paper.style.bold("The route, north at the top") + "\n" + drawing
    }
}

/// What a workout was like from place to place.
private struct WorkoutStretches {
    private let points: [(middle: Int64, json: JSON)]
    private let width: Int64
    private let units: Units

    init(_ list: [JSON], in units: Units) {
        self.units = units
        points = list.compactMap { point in
            point.double("distance_m").map { (thousandths($0 * (1000 / units.way)), point) }
        }
        // All of them are equally long, and the first begins at zero.
        width = max((points.first?.middle ?? 0) * 2, 1)
    }

    /// The faster, the higher. Stops would leave no room for anything else, so they end at one and a half times the usual pace.
    var pace: Graph? {
        let usual = points.compactMap { pace($0.json)?.seconds(in: units) }.sorted()
        guard !usual.isEmpty else { return nil }
        let slowest = usual[usual.count / 2] * 1.5
        // Negative, so that a fast pace is high.
        let label = { (pace: Double) in WorkoutText.clock(-pace) }
        return graph(steps: RoundScale.stepsOfSeconds, label: label) { point in
            pace(point).map { -min($0.seconds(in: units), slowest) }
        }
    }

    var speed: Graph? { graph { point in pace(point).map { 3600 / $0.seconds(in: units) } } }

    var altitude: Graph? { graph { point in point.double("altitude_m").map { units.height($0).value } } }

    private func pace(_ point: JSON) -> Pace? {
        point.double("pace_s").flatMap { Pace(metres: 1000, seconds: $0) }
    }

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
            from: 0, to: last.to, pieces: pieces, axis: .way(units), longestGap: width, label: label, steps: steps)
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
