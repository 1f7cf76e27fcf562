import Days
import Desk
import Fitness
import Pictures
import Telemetry
import Workouts

// A workout as a picture that people share. What is near its start and its end is left out here, before anything is
// drawn: so no consumer of the picture, such as a page or somebody's post, ever has it.

/// What a person wants to see of a workout in a picture.
struct WorkoutPicture: Sendable {
    enum Format: String, Sendable, CaseIterable {
        case svg, png

        var mediaType: String { self == .svg ? "image/svg+xml" : "image/png" }
    }

    /// What can be left out.
    enum Part: String, Sendable, CaseIterable {
        case heartRate = "heart-rate"
        case date
    }

    let id: ID
    let format: Format
    let theme: Theme
    /// How far from its start and its end the way is hidden, in metres; 0 hides nothing.
    let hidden: Double
    let without: Set<Part>

    /// How much can be hidden, in metres.
    static let hideable: ClosedRange<Int64> = 0...5000
    /// How many places are drawn, and how many points the chart has.
    private static let (places, points) = (1500, 150)

    init(_ request: PeopleRequest) throws(ReplyError) {
        id = try request.id("id")
        format = try Self.choice("format", request) ?? .svg
        theme = try Self.choice("theme", request) ?? .light
        let metres = try request.optionalInteger("hidden_m", in: Self.hideable)
        hidden = metres.map(Double.init) ?? hiddenMetres
        var without: Set<Part> = []
        for name in try request.optionalTexts("without", atMost: Part.allCases.count) ?? [] {
            guard let part = Part(rawValue: name) else { throw Self.refusal("without", of: Part.self) }
            without.insert(part)
        }
        self.without = without
    }

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ field: String, _ request: PeopleRequest
    ) throws(ReplyError) -> Choice? {
        guard let name = try request.optionalText(field, atMost: 64) else { return nil }
        guard let choice = Choice(rawValue: name) else { throw refusal(field, of: Choice.self) }
        return choice
    }

    private static func refusal<Choice: CaseIterable & RawRepresentable<String>>(
        _ field: String, of _: Choice.Type
    ) -> ReplyError {
        let names = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        return ReplyError(.badRequest, "\"\(field)\" has to be \(names)", field: field)
    }

    /// A picture as people get it who want nothing else.
    init(of id: ID) {
        (self.id, format, theme, hidden, without) = (id, .png, .light, hiddenMetres, [])
    }

    // MARK: What is drawn

    /// The picture's bytes: the same for the same readings and units.
    func bytes(_ drawing: WorkoutHistory.Asked.Drawing, _ history: History, in units: Units) throws -> [UInt8] {
        let picture = try poster(drawing, history, in: units).picture(theme)
        return format == .svg ? Array(picture.svg.utf8) : try picture.png()
    }

    func poster(_ drawing: WorkoutHistory.Asked.Drawing, _ history: History, in units: Units) -> WorkoutPoster {
        let (workout, samples) = (drawing.workout, drawing.samples)
        let course = workout.course(samples)
        let figures = workout.fold(samples, history).figures(at: workout.timer.ended ?? workout.started)
        var poster = WorkoutPoster(
            title: workout.activity.title, workout.activity == .cycling ? .speed : .pace)
        poster.units = units
        if !without.contains(.date) { poster.day = history.localDays.day(of: workout.started) }
        if !without.contains(.heartRate) {
            poster.heartRate = figures.heartRate?.mean ?? workout.origin?.meanHeartRate.map(Double.init)
                ?? drawing.figures?["heart_rate"]?["mean"]?.double
        }
        poster.metres = workout.metres(figures) ?? drawing.figures?["distance_m"]?.double
        poster.seconds = Double(workout.activeMilliseconds(figures)) / 1000
        // To the second, it would say how long what is hidden is.
        if hidden > 0, !course.stations.isEmpty {
            poster.seconds = (Double(workout.activeMilliseconds(figures)) / 60_000).rounded() * 60
        }
        poster.metresPerSecond = workout.metresPerSecond(figures) ?? figures.speed?.mean ?? drawing.figures?["speed_mps"]?["mean"]?.double
        poster.ascentMetres = workout.ascentMetres(figures) ?? drawing.figures?["ascent_m"]?.double
        poster.kilocalories =
            workout.kilocalories(figures, of: history.person(at: workout.started)) ?? drawing.figures?["energy_kcal"]?.double
        let isHidden = hidden > 0 && drawing.isRetimed
        let shown = isHidden ? [] : course.shown(hiding: hidden, drawing.displacement)
        poster.areEndsHidden = hidden > 0 && !course.stations.isEmpty
        poster.way = Self.way(shown)
        poster.profile = Self.profile(shown)
        return poster
    }

    /// The way on a plane that touches the Earth at one of its places that are shown. It is hidden first and simplified
    /// then: a simplified path has other ends.
    private static func way(_ shown: [Course]) -> [[WorkoutPoster.Spot]] {
        let path = simplified(shown.flatMap(\.path), to: places)
        guard let first = path.first(where: { !$0.isEmpty })?.first else { return [] }
        let plane = Plane(at: first)
        return path.map { piece in
            piece.map { place in
                let way = plane.way(to: place)
                return WorkoutPoster.Spot(east: way.east, north: way.north)
            }
        }
    }

    /// What the stretches were like, each with as many points as it is long. Those that are shorter than a hundredth of
    /// all are left out: nobody would see them.
    private static func profile(_ shown: [Course]) -> [[WorkoutPoster.Station]] {
        let length = shown.reduce(0) { $0 + $1.metres }
        guard length > 0 else { return [] }
        return shown.filter { $0.metres > length / 100 }.map { stretch in
            let count = max(2, Int((Double(points) * stretch.metres / length).rounded()))
            return stretch.series(points: count).map { point in
                WorkoutPoster.Station(
                    metres: point.metres, metresPerSecond: point.pace.map { 1000 / $0.secondsPerKilometre },
                    altitude: point.altitude)
            }
        }
    }
}

extension Activity {
    /// What somebody has done, as a picture's title.
    fileprivate var title: String {
        switch self {
        case .running: "Run"
        case .walking: "Walk"
        case .cycling: "Ride"
        case .custom(let name): name.text
        }
    }
}
