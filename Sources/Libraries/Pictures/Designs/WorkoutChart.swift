import Fitness

/// How fast it was, as an area, and how high, as a line, over distance. A pace is drawn as the speed that it is, so that
/// faster is higher, and whoever stands is at the bottom.
struct WorkoutChart {
    /// What is drawn over distance, stretch by stretch, in metres from the first.
    private typealias Curve = [[(metres: Double, value: Double)]]

    private let speeds: Curve
    private let altitudes: Curve
    private let length: Double
    private let swiftness: WorkoutPoster.Swiftness
    private let units: Units

    /// nil if there is nothing to draw.
    init?(_ profile: [[WorkoutPoster.Station]], _ swiftness: WorkoutPoster.Swiftness, _ units: Units) {
        var (speeds, altitudes, start): (Curve, Curve, Double) = ([], [], 0)
        for stretch in profile {
            func curve(_ value: (WorkoutPoster.Station) -> Double?) -> [(metres: Double, value: Double)] {
                stretch.compactMap { station in value(station).map { (start + station.metres, $0) } }
            }
            speeds.append(Self.smooth(curve(\.metresPerSecond)))
            altitudes.append(curve(\.altitude))
            start += stretch.last?.metres ?? 0
        }
        guard start > 0, (speeds + altitudes).contains(where: { $0.count > 1 }) else { return nil }
        (self.speeds, self.altitudes) = (speeds.filter { $0.count > 1 }, altitudes.filter { $0.count > 1 })
        (length, self.swiftness, self.units) = (start, swiftness, units)
    }

    /// Each value as the mean of itself and two on either side: positions waver.
    private static func smooth(_ curve: [(metres: Double, value: Double)]) -> [(metres: Double, value: Double)] {
        curve.indices.map { index in
            let near = curve[max(0, index - 2)...min(curve.count - 1, index + 2)]
            return (curve[index].metres, near.reduce(0) { $0 + $1.value } / Double(near.count))
        }
    }

    /// - Parameter isPartial: whether the distance counts only what is shown.
    func draw(in frame: Sheet.Frame, isPartial: Bool, on sheet: inout Sheet) throws(PictureError) {
        let colours = sheet.colours
        try sheet.card(frame, colours.surface)
        try drawLegend(frame, isPartial, on: &sheet)
        let plot = Sheet.Frame(x: frame.x + 110, y: frame.y + 76, width: frame.width - 210, height: frame.height - 132)
        try drawDistances(plot, on: &sheet)
        if let range = speedRange {
            func y(_ speed: Double) -> Double {
                let share = (speed - range.lowerBound) / (range.upperBound - range.lowerBound)
                return halves(plot.bottom - min(max(share, 0), 1) * plot.height)
            }
            for stretch in speeds {
                let line = stretch.map { Point(x($0.metres, plot), y($0.value)) }
                guard let first = line.first, let last = line.last else { continue }
                let area = [Point(first.x, plot.bottom)] + line + [Point(last.x, plot.bottom)]
                try sheet.draw(.area(area, colours.accentSoft))
            }
            var last = Double.infinity
            for mark in marks(range) {
                let y = y(mark.value).rounded()
                // Slow paces are close to each other.
                guard abs(last - y) >= 30 else { continue }
                last = y
                try sheet.draw(.line([Point(plot.x, y), Point(plot.right, y)], Stroke(colours.line, width: 2)))
                try sheet.write(mark.name, x: plot.x - 16, y: y + 8, size: 22, colours.ink3, anchor: .end)
            }
            for stretch in speeds {
                let line = stretch.map { Point(x($0.metres, plot), y($0.value)) }
                try sheet.draw(.line(line, Stroke(colours.accent, width: 4, isRound: true)))
            }
        }
        try drawAltitudes(plot, on: &sheet)
    }

    private func x(_ metres: Double, _ plot: Sheet.Frame) -> Double {
        halves(plot.x + metres / length * plot.width)
    }

    // MARK: Around the plot

    private func drawLegend(_ frame: Sheet.Frame, _ isPartial: Bool, on sheet: inout Sheet) throws(PictureError) {
        let y = frame.y + 46
        var runs: [Text.Run] = []
        if !speeds.isEmpty {
            let (way, speed) = (units.wayUnit.rawValue, units.speed(0).unit.rawValue)
            let words = swiftness == .pace ? "Pace, min/\(way)" : "Speed, \(speed)"
            runs.append(.init(words, size: 24, isBold: true, sheet.colours.accent))
        }
        let over = "over the distance" + (isPartial ? " that is shown" : "")
        runs.append(.init((runs.isEmpty ? "" : "\u{A0}\u{A0}") + over, size: 24, sheet.colours.ink3))
        try sheet.write(runs, x: frame.x + 36, y: y)
        guard !altitudes.isEmpty else { return }
        try sheet.write(
            "Altitude, \(units.height(0).unit.rawValue)", x: frame.right - 36, y: y, size: 24, isBold: true,
            sheet.colours.ink3, anchor: .end)
    }

    private func drawDistances(_ plot: Sheet.Frame, on sheet: inout Sheet) throws(PictureError) {
        let axis = Stroke(sheet.colours.line, width: 2)
        try sheet.draw(.line([Point(plot.x, plot.bottom), Point(plot.right, plot.bottom)], axis))
        let ruler = Ruler(units, atLeast: length / 8, isLong: length >= units.way)
        for metres in RoundSteps.multiples(of: ruler.step, in: ruler.step...max(length, ruler.step)) {
            let x = x(metres, plot).rounded()
            try sheet.draw(.line([Point(x, plot.bottom), Point(x, plot.bottom + 8)], axis))
            try sheet.write(
                ruler.name(metres), x: x, y: plot.bottom + 36, size: 22, sheet.colours.ink3, anchor: .middle)
        }
    }

    // MARK: Speed

    /// Which speeds the plot has room for: a moment that is much slower or faster than all others is cut off.
    private var speedRange: ClosedRange<Double>? {
        let sorted = speeds.joined().map(\.value).sorted()
        guard !sorted.isEmpty else { return nil }
        func quantile(_ share: Double) -> Double { sorted[Int(share * Double(sorted.count - 1))] }
        let (slow, middle, fast) = (quantile(0.05), quantile(0.5), quantile(0.98))
        let spread = max(fast - slow, 0.1 * middle, 0.1)
        return max(0, slow - 0.3 * spread)...fast + 0.15 * spread
    }

    /// Round paces or speeds in a range with their names, the fastest first, at most six.
    private func marks(_ range: ClosedRange<Double>) -> [(value: Double, name: String)] {
        switch swiftness {
        case .speed:
            let (least, most) = (units.speed(range.lowerBound).value, units.speed(range.upperBound).value)
            let step = RoundSteps.atLeast(max((most - least) / 4, 1))
            return RoundSteps.multiples(of: step, in: least...most).reversed()
                .map { ($0 / units.speed(1).value, decimal($0, 0)) }
        case .pace:
            let (least, most) = (units.way / range.upperBound, min(units.way / max(range.lowerBound, 0.001), 3600))
            guard least < most else { return [] }
            for step in [15.0, 30, 60, 120, 300, 600, 1200] {
                let paces = RoundSteps.multiples(of: step, in: least...most)
                if paces.count <= 6 { return paces.map { (units.way / $0, clock($0)) } }
            }
            return []
        }
    }

    // MARK: Altitude

    private func drawAltitudes(_ plot: Sheet.Frame, on sheet: inout Sheet) throws(PictureError) {
        let shown = altitudes.map { $0.map { (metres: $0.metres, value: units.height($0.value).value) } }
        let all = shown.joined().map(\.value)
        guard let least = all.min(), let most = all.max() else { return }
        let middle = least + (most - least) / 2
        // A flat way is not drawn as mountains.
        let half = max((most - least) / 2 * 1.15, units.height(20).value)
        let range = (middle - half)...(middle + half)
        func y(_ altitude: Double) -> Double {
            halves(plot.bottom - (altitude - range.lowerBound) / (2 * half) * plot.height)
        }
        for altitude in RoundSteps.multiples(of: RoundSteps.atLeast(2 * half / 4), in: range) {
            try sheet.write(
                decimal(altitude, 0), x: plot.right + 64, y: y(altitude) + 8, size: 22, sheet.colours.ink3, anchor: .end
            )
        }
        for stretch in shown {
            let line = stretch.map { Point(x($0.metres, plot), y($0.value)) }
            try sheet.draw(.line(line, Stroke(sheet.colours.ink3, width: 3, isRound: true)))
        }
    }
}
