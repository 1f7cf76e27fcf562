/// A picture that is being drawn, with the parts that our pictures have in common.
struct Sheet {
    /// A rectangle.
    struct Frame {
        var x, y, width, height: Double

        var right: Double { x + width }
        var bottom: Double { y + height }

        /// What is left without so much at each side.
        func inset(_ sideways: Double, _ upright: Double) -> Frame {
            Frame(x: x + sideways, y: y + upright, width: width - 2 * sideways, height: height - 2 * upright)
        }
    }

    private(set) var picture: Picture
    let colours: Theme.Colours

    /// Pixels around everything.
    static let margin = 48.0

    init(width: Int, height: Int, title: String, _ theme: Theme) throws(PictureError) {
        colours = theme.colours
        picture = try Picture(width: width, height: height, title: title, ground: colours.ground)
    }

    mutating func draw(_ shape: Shape) throws(PictureError) { try picture.add(shape) }

    /// A rectangle with round corners and a hairline around it.
    mutating func card(_ frame: Frame, _ fill: Colour) throws(PictureError) {
        try draw(
            .rectangle(
                x: frame.x, y: frame.y, width: frame.width, height: frame.height, radius: 28, fill: fill,
                stroke: Stroke(colours.line, width: 2)))
    }

    mutating func write(
        _ words: String, x: Double, y: Double, size: Double, isBold: Bool = false, _ colour: Colour,
        anchor: Text.Anchor = .start
    ) throws(PictureError) {
        try picture.add(Text([.init(words, size: size, isBold: isBold, colour)], at: Point(x, y), anchor: anchor))
    }

    mutating func write(_ runs: [Text.Run], x: Double, y: Double) throws(PictureError) {
        try picture.add(Text(runs, at: Point(x, y)))
    }

    /// A number, and its unit small and grey behind it.
    mutating func write(_ value: String, unit: String, x: Double, y: Double, size: Double) throws(PictureError) {
        var runs = [Text.Run(value, size: size, isBold: true, colours.ink)]
        if !unit.isEmpty { runs.append(.init("\u{A0}" + unit, size: size / 2, colours.ink2)) }
        try write(runs, x: x, y: y)
    }

    /// The title with a line below it, and the mark at the right.
    mutating func head(_ title: String, _ line: String?) throws(PictureError) {
        let right = Double(picture.width) - Self.margin
        let room = right - Self.margin - 230
        let words = cut(title, to: room, size: 60, isBold: true)
        try write(words, x: Self.margin, y: line == nil ? 112 : 94, size: 60, isBold: true, colours.ink)
        if let line { try write(line, x: Self.margin, y: 138, size: 30, colours.ink2) }
        let centre = Point(right - 166, 86)
        for part in 0..<3 {
            try draw(ringPart(part, of: 3, share: 1, centre, radius: 24, width: 8, colours.accent))
        }
        try draw(.disc(centre, radius: 8, colours.heart))
        try write("Vitals", x: right, y: 98, size: 36, isBold: true, colours.ink, anchor: .end)
    }

    /// A part of a ring that has as many parts as there are goals, clockwise from the top; each fills clockwise.
    /// - Parameter share: how much of it is drawn, 0 to 1.
    func ringPart(
        _ index: Int, of count: Int, share: Double, _ centre: Point, radius: Double, width: Double, _ colour: Colour
    ) -> Shape {
        // Round ends reach half a width further than the arc, so parts that touch would overlap.
        let gap = count > 1 ? width / radius + 0.14 : 0
        let whole = 2 * Double.pi / Double(count)
        let from = Double(index) * whole + gap / 2 - .pi / 2
        let length = (whole - gap) * min(max(share, 0), 1)
        return .arc(
            centre, radius: radius, from: from, to: from + length, Stroke(colour, width: width, isRound: true))
    }
}

/// A coordinate to half a pixel: nobody can measure more of a way than they see.
func halves(_ coordinate: Double) -> Double { (coordinate * 2).rounded() / 2 }

/// 1, 2 or 5 times a power of ten.
struct RoundSteps {
    /// The smallest of them that is at least as large as a number above 0.
    static func atLeast(_ least: Double) -> Double {
        var power = 1e-3
        while power < 1e9 {
            for factor in [1.0, 2, 5] where factor * power >= least { return factor * power }
            power *= 10
        }
        return power
    }

    /// The multiples of a step in a range; none where there would be more than so many.
    static func multiples(of step: Double, in range: ClosedRange<Double>, most: Int = 100) -> [Double] {
        let (first, last) = ((range.lowerBound / step).rounded(.up), (range.upperBound / step).rounded(.down))
        guard first.isFinite, last.isFinite, last >= first, last - first < Double(most) else { return [] }
        return (0...Int(last - first)).map { (first + Double($0)) * step }
    }
}
