import Fitness

/// A way on plain ground, north at the top, with a scale.
struct WorkoutMap {
    private let way: [[WorkoutPoster.Spot]]
    private let units: Units
    private let areEndsHidden: Bool
    private let frame: Sheet.Frame
    private let centre: (east: Double, north: Double)
    /// Pixels for a metre.
    private let scale: Double

    /// What is smaller is drawn as if it were so large, in metres: positions waver.
    private static let smallest = 60.0

    /// - Parameter way: pieces with at least one place each, and at least one piece.
    init(_ way: [[WorkoutPoster.Spot]], _ units: Units, areEndsHidden: Bool, in frame: Sheet.Frame) {
        (self.way, self.units, self.areEndsHidden, self.frame) = (way, units, areEndsHidden, frame)
        func middle(_ values: some Sequence<Double>) -> (middle: Double, length: Double) {
            let (least, most) = values.reduce((Double.infinity, -Double.infinity)) { (min($0.0, $1), max($0.1, $1)) }
            return (least + (most - least) / 2, most - least)
        }
        let (east, north) = (middle(way.joined().lazy.map(\.east)), middle(way.joined().lazy.map(\.north)))
        centre = (east.middle, north.middle)
        let room = frame.inset(96, 56)
        scale = min(
            room.width / max(east.length, Self.smallest), room.height / max(north.length, Self.smallest))
    }

    func draw(on sheet: inout Sheet) throws(PictureError) {
        let colours = sheet.colours
        try sheet.card(frame, colours.map)
        // Round in the unit that is shown, and between 70 and 175 pixels.
        let ruler = Ruler(units, atLeast: 70 / scale)
        try drawGround(ruler.step * scale, on: &sheet)
        let pieces = way.map { $0.map(point) }
        for stroke in [
            Stroke(colours.surface, width: 15, isRound: true), Stroke(colours.way, width: 8, isRound: true),
        ] {
            for piece in pieces { try sheet.draw(.line(piece.count > 1 ? piece : piece + piece, stroke)) }
        }
        if !areEndsHidden, let start = pieces.first?.first, let end = pieces.last?.last {
            let stroke = Stroke(colours.way, width: 6)
            try sheet.draw(.disc(start, radius: 13, colours.surface, stroke: stroke))
            try sheet.draw(
                .rectangle(
                    x: end.x - 12, y: end.y - 12, width: 24, height: 24, radius: 3, fill: colours.surface,
                    stroke: stroke))
        }
        try drawScale(ruler, on: &sheet)
        try drawNorth(on: &sheet)
        if areEndsHidden {
            try sheet.write(
                "Start and end are hidden", x: frame.right - 32, y: frame.bottom - 30, size: 24, colours.mapInk,
                anchor: .end)
        }
    }

    private func point(_ spot: WorkoutPoster.Spot) -> Point {
        Point(
            halves(frame.x + frame.width / 2 + (spot.east - centre.east) * scale),
            halves(frame.y + frame.height / 2 - (spot.north - centre.north) * scale))
    }

    /// The lines are where the picture wants them, and not where a map has them.
    private func drawGround(_ step: Double, on sheet: inout Sheet) throws(PictureError) {
        let stroke = Stroke(sheet.colours.mapLine, width: 2)
        for index in 1..<100 {
            let x = (frame.x + (Double(index) - 0.5) * step).rounded()
            if x < frame.right - 28 {
                try sheet.draw(.line([Point(x, frame.y + 1), Point(x, frame.bottom - 1)], stroke))
            }
            let y = (frame.y + (Double(index) - 0.5) * step).rounded()
            if y < frame.bottom - 28 {
                try sheet.draw(.line([Point(frame.x + 1, y), Point(frame.right - 1, y)], stroke))
            }
        }
    }

    private func drawScale(_ ruler: Ruler, on sheet: inout Sheet) throws(PictureError) {
        let (x, y, width) = (frame.x + 32, frame.bottom - 34, ruler.step * scale)
        let stroke = Stroke(sheet.colours.mapInk, width: 3)
        let points = [Point(x, y - 8), Point(x, y + 4), Point(x + width, y + 4), Point(x + width, y - 8)]
        try sheet.draw(.line(points, stroke))
        try sheet.write(
            ruler.name(ruler.step), x: x + width + 14, y: y + 6, size: 24, sheet.colours.mapInk)
    }

    private func drawNorth(on sheet: inout Sheet) throws(PictureError) {
        let (x, y) = (frame.x + 46, frame.y + 30)
        let stroke = Stroke(sheet.colours.mapInk, width: 3, isRound: true)
        try sheet.draw(.line([Point(x, y + 34), Point(x, y)], stroke))
        try sheet.draw(.line([Point(x - 9, y + 11), Point(x, y), Point(x + 9, y + 11)], stroke))
        try sheet.write("N", x: x, y: y + 62, size: 24, isBold: true, sheet.colours.mapInk, anchor: .middle)
    }
}
