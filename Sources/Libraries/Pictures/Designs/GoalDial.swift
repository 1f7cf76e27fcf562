/// A goal of a day: a ring that closes as the goal comes near, with a few lines in it.
public struct GoalDial: Hashable, Sendable {
    /// What the picture shows, for people who cannot see it.
    public let title: String
    /// How much of the goal was reached: 1 for all of it; nil where there is no goal.
    public let share: Double?
    public let isReached: Bool
    /// The largest of the lines.
    public let headline: String
    /// The lines below it.
    public let lines: [String]

    public init(title: String, share: Double?, isReached: Bool, headline: String, lines: [String]) {
        (self.title, self.share, self.isReached) = (title, share, isReached)
        (self.headline, self.lines) = (headline, lines)
    }

    /// Both sides of the picture, in pixels.
    public static let side = 960
    private static let (radius, width) = (336.0, 72.0)
    /// How wide a line may be in the ring.
    private static let room = 520.0

    /// The picture.
    public func picture(_ theme: Theme) throws(PictureError) -> Picture {
        var sheet = try Sheet(width: Self.side, height: Self.side, title: title, theme)
        let colours = sheet.colours
        let centre = Point(Double(Self.side) / 2, Double(Self.side) / 2)
        try sheet.draw(part(1, colours.well, at: centre, of: sheet))
        let share = share.map { $0 > 0 ? min($0, 1) : 0 } ?? 0
        // An arc of no length with round ends would be a dot.
        if share > 0.001 { try sheet.draw(part(share, colours.accent, at: centre, of: sheet)) }
        if isReached { try drawTick(at: Point(centre.x, 290), on: &sheet) }
        try write(headline, y: 452, size: 120, isBold: true, colours.ink, on: &sheet)
        for (index, line) in lines.enumerated() {
            let ink = index == 0 ? colours.ink : colours.ink2
            try write(line, y: 540 + 68 * Double(index), size: index == 0 ? 56 : 42, ink, on: &sheet)
        }
        return sheet.picture
    }

    private func part(_ share: Double, _ colour: Colour, at centre: Point, of sheet: Sheet) -> Shape {
        sheet.ringPart(0, of: 1, share: share, centre, radius: Self.radius, width: Self.width, colour)
    }

    /// A mark above the lines.
    private func drawTick(at middle: Point, on sheet: inout Sheet) throws(PictureError) {
        let points = [(-40.0, 0.0), (-12, 28), (44, -32)].map { Point(middle.x + $0.0, middle.y + $0.1) }
        try sheet.draw(.line(points, Stroke(sheet.colours.accent, width: 18, isRound: true)))
    }

    /// A line in the middle, smaller where there is less room than it needs.
    private func write(
        _ words: String, y: Double, size: Double, isBold: Bool = false, _ colour: Colour, on sheet: inout Sheet
    ) throws(PictureError) {
        let width = roughWidth(words, size: size, isBold: isBold)
        let fitting = max(24, min(size, size * Self.room / max(width, 1)))
        try sheet.write(
            cut(words, to: Self.room, size: fitting, isBold: isBold), x: Double(Self.side) / 2, y: y, size: fitting,
            isBold: isBold, colour, anchor: .middle)
    }
}
