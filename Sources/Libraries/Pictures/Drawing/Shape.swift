/// A line or an area: steps of a pen, which fills what it went around, and draws where it went.
public struct Shape: Hashable, Sendable {
    /// What the pen does.
    public enum Step: Hashable, Sendable {
        /// It is lifted, and set down at a place.
        case move(Point)
        /// A straight line to a place.
        case line(Point)
        /// Clockwise around a centre, from one angle to a larger one, at most once around. Angles are in radians from
        /// the right. If the pen is down somewhere else, a straight line leads to where the arc begins.
        case arc(centre: Point, radius: Double, from: Double, to: Double)
        /// A straight line to where it was last set down.
        case close
    }

    /// In order.
    public var steps: [Step]
    /// What fills the area; nil for nothing.
    public var fill: Colour?
    /// How the line is drawn; nil for no line.
    public var stroke: Stroke?

    /// A shape by the steps of its pen.
    public init(_ steps: [Step], fill: Colour? = nil, stroke: Stroke? = nil) {
        (self.steps, self.fill, self.stroke) = (steps, fill, stroke)
    }

    /// Straight lines from place to place.
    public static func line(_ points: some Sequence<Point>, _ stroke: Stroke) -> Shape {
        Shape(points.enumerated().map { $0.offset == 0 ? .move($0.element) : .line($0.element) }, stroke: stroke)
    }

    /// What straight lines from place to place enclose.
    public static func area(_ points: some Sequence<Point>, _ fill: Colour) -> Shape {
        Shape(line(points, Stroke(fill, width: 1)).steps + [.close], fill: fill)
    }

    /// A part of a circle's line; see `Step.arc`.
    public static func arc(
        _ centre: Point, radius: Double, from: Double, to: Double, _ stroke: Stroke
    ) -> Shape { Shape([.arc(centre: centre, radius: radius, from: from, to: to)], stroke: stroke) }

    /// A disc.
    public static func disc(_ centre: Point, radius: Double, _ fill: Colour, stroke: Stroke? = nil) -> Shape {
        Shape([.arc(centre: centre, radius: radius, from: 0, to: 2 * .pi), .close], fill: fill, stroke: stroke)
    }

    /// A rectangle, whose corners may be round.
    public static func rectangle(
        x: Double, y: Double, width: Double, height: Double, radius: Double = 0, fill: Colour? = nil,
        stroke: Stroke? = nil
    ) -> Shape {
        let (right, bottom) = (x + width, y + height)
        guard radius > 0 else {
            let corners = [Point(x, y), Point(right, y), Point(right, bottom), Point(x, bottom)]
            return Shape(
                [.move(corners[0])] + corners.dropFirst().map { .line($0) } + [.close], fill: fill, stroke: stroke)
        }
        let centres = [
            Point(right - radius, y + radius), Point(right - radius, bottom - radius),
            Point(x + radius, bottom - radius),
            Point(x + radius, y + radius),
        ]
        let corners = centres.enumerated().map { index, centre -> Step in
            let start = Double(index - 1) * .pi / 2
            return .arc(centre: centre, radius: radius, from: start, to: start + .pi / 2)
        }
        return Shape(corners + [.close], fill: fill, stroke: stroke)
    }
}

/// How a line is drawn.
public struct Stroke: Hashable, Sendable {
    /// How wide a line may be.
    static let widths = 0.1...1000.0

    /// Its colour.
    public let colour: Colour
    /// Its width, in pixels.
    public let width: Double
    /// Whether ends and corners are round; otherwise ends are cut off where the line ends.
    public let isRound: Bool

    /// A way to draw a line.
    public init(_ colour: Colour, width: Double, isRound: Bool = false) {
        (self.colour, self.width, self.isRound) = (colour, width, isRound)
    }
}

extension Shape.Step {
    /// Whether all its numbers are near enough, and none is no number.
    var isInReach: Bool {
        switch self {
        case .move(let point), .line(let point): point.isInReach
        case .arc(let centre, let radius, let from, let to):
            centre.isInReach && (0...Picture.reach).contains(radius) && abs(from) <= 100
                && (0...2 * Double.pi + 1e-9).contains(to - from)
        case .close: true
        }
    }
}
