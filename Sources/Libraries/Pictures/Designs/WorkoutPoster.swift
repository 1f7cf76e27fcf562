public import Fitness

// A workout to share: the way on plain ground, the numbers, and pace (of a ride: speed) and altitude over distance.
//
// It says nothing but what it is given. What others must not see of a way is left out before it comes here, of the
// places and of the profile: they are in metres on a plane whose origin nobody else knows, and a profile counts from
// where the way is first shown.

/// What a picture of a workout shows. What is nil or empty has no place in it.
public struct WorkoutPoster: Hashable, Sendable {
    /// A place, in metres from any origin.
    public struct Spot: Hashable, Sendable {
        public let east: Double
        public let north: Double

        public init(east: Double, north: Double) { (self.east, self.north) = (east, north) }
    }

    /// How it was somewhere on the way.
    public struct Station: Hashable, Sendable {
        /// From the beginning of the stretch.
        public let metres: Double
        public let metresPerSecond: Double?
        /// Above sea level, in metres.
        public let altitude: Double?

        public init(metres: Double, metresPerSecond: Double?, altitude: Double?) {
            (self.metres, self.metresPerSecond, self.altitude) = (metres, metresPerSecond, altitude)
        }
    }

    /// What tells how fast it was.
    public enum Swiftness: Hashable, Sendable { case pace, speed }

    /// What was done.
    public var title: String
    public var swiftness: Swiftness
    /// In which everything is shown; it is given in metres.
    public var units = Units.metric
    public var day: CalendarDay?
    public var metres: Double?
    /// Without pauses.
    public var seconds: Double?
    /// The mean.
    public var metresPerSecond: Double?
    /// The mean, in beats per minute.
    public var heartRate: Double?
    public var ascentMetres: Double?
    public var kilocalories: Double?
    /// The way, piece by piece.
    public var way: [[Spot]] = []
    /// What the way was like, stretch by stretch: each begins at 0 metres, where the one before ends.
    public var profile: [[Station]] = []
    /// Whether parts of the way are left out. Then nothing marks where the way begins and ends, and the distance is told
    /// to a tenth of a kilometre, in miles, too: a more exact one, less what is drawn, would be how long the hidden parts are, and
    /// from there people could be followed home (Dhondt et al., A Run a Day Won't Keep the Hacker Away, CCS 2022).
    public var areEndsHidden = true

    /// A poster without numbers.
    public init(title: String, _ swiftness: Swiftness) { (self.title, self.swiftness) = (title, swiftness) }

    /// Both sides of the picture, in pixels; it is less high if there is neither a way nor a profile.
    public static let side = 1200
    private static let gap = 24.0

    /// The picture.
    /// - Throws: where there are more places than a picture may have steps.
    public func picture(_ theme: Theme) throws(PictureError) -> Picture {
        let way = way.filter { !$0.isEmpty }
        let chart = WorkoutChart(profile, swiftness, units)
        let (top, side) = (166.0, Double(Self.side))
        let rows = (facts.count + 2) / 3
        let (factsHeight, chartHeight) = (rows > 0 ? 32 + 102 * Double(rows) : 0, 238.0)
        let isTall = !way.isEmpty || chart != nil
        let height = isTall ? side : top + factsHeight + Sheet.margin
        var sheet = try Sheet(width: Self.side, height: Int(height), title: description, theme)
        try sheet.head(title, day?.longName)
        var frame = Sheet.Frame(x: Sheet.margin, y: top, width: side - 2 * Sheet.margin, height: 0)
        let room = height - Sheet.margin - top - factsHeight - (rows > 0 ? Self.gap : 0)
        if !way.isEmpty {
            frame.height = chart == nil ? room : room - chartHeight - Self.gap
            try WorkoutMap(way, units, areEndsHidden: areEndsHidden, in: frame).draw(on: &sheet)
            frame.y = frame.bottom + Self.gap
        }
        if rows > 0 {
            frame.height = factsHeight
            try draw(facts, in: frame, on: &sheet)
            frame.y = frame.bottom + Self.gap
        }
        if let chart {
            frame.height = side - Sheet.margin - frame.y
            try chart.draw(in: frame, isPartial: areEndsHidden, on: &sheet)
        }
        return sheet.picture
    }

    // MARK: Numbers

    private struct Fact {
        let label, value, unit: String

        init(label: String, value: String, unit: String) {
            (self.label, self.value, self.unit) = (label, value, unit)
        }

        init(_ label: String, _ quantity: Quantity) {
            self.init(label: label, value: quantity.number, unit: quantity.unit.rawValue)
        }
    }

    /// The distance as it is told. It is rounded before it is converted: if somebody showed it in kilometres once and
    /// in miles another time, the two together would otherwise say more than each of them.
    public var toldMetres: Double? {
        guard areEndsHidden else { return metres }
        return metres.map { ($0 / 100).rounded() * 100 }
    }

    /// By the distance that is told: time and pace together would tell the other one.
    public var toldMetresPerSecond: Double? {
        guard areEndsHidden, let told = toldMetres else { return metresPerSecond }
        return metresPerSecond.flatMap { _ in seconds.flatMap { $0 > 0 ? told / $0 : nil } }
    }

    private var facts: [Fact] {
        [
            toldMetres.map { Fact("Distance", distance($0)) },
            seconds.map { Fact(label: "Duration", value: clock($0), unit: "") },
            toldMetresPerSecond.flatMap(swiftnessFact),
            heartRate.map { Fact(label: "Average heart rate", value: decimal($0, 0), unit: "bpm") },
            ascentMetres.map { Fact("Ascent", units.height($0)) },
            kilocalories.map { Fact(label: "Energy", value: decimal($0, 0), unit: "kcal") },
        ].compactMap { $0 }
    }

    private func distance(_ metres: Double) -> Quantity {
        areEndsHidden ? units.ways(metres, decimals: 1) : units.distance(metres)
    }

    private func swiftnessFact(_ metresPerSecond: Double) -> Fact? {
        switch swiftness {
        case .speed: Fact("Average speed", units.speed(metresPerSecond))
        case .pace:
            Pace(metres: metresPerSecond, seconds: 1).map { pace in
                Fact(label: "Average pace", value: pace.text(in: units), unit: "/\(units.wayUnit.rawValue)")
            }
        }
    }

    private func draw(_ facts: [Fact], in frame: Sheet.Frame, on sheet: inout Sheet) throws(PictureError) {
        try sheet.card(frame, sheet.colours.surface)
        for (index, fact) in facts.enumerated() {
            let (row, column) = index.quotientAndRemainder(dividingBy: 3)
            let (x, y) = (frame.x + 36 + Double(column) * frame.width / 3, frame.y + 18 + Double(row) * 102)
            try sheet.write(fact.label, x: x, y: y + 32, size: 24, sheet.colours.ink3)
            try sheet.write(fact.value, unit: fact.unit, x: x, y: y + 82, size: 48)
        }
    }

    /// In words, for people who cannot see it.
    private var description: String {
        let words = facts.map { "\($0.label.lowercased()) \($0.value)\($0.unit.isEmpty ? "" : " \($0.unit)")" }
        return ([title] + [day?.longName].compactMap { $0 } + words).joined(separator: ", ")
    }
}
