import Fitness

/// A line through the means of what was measured, over time or on a way, and the area between the lowest and the highest
/// as a shade.
///
///     160 ┤       ⢀⣀
///         │     ░⢠⠎░⠱⡀░
///      80 ┤⠤⠤⠤⠤⠤⠔⠁   ⠈⠒⠒⠤⠤⠤
///         └┬────────┬────────
///          13:00    13:30
///
/// Each character holds 2 by 4 points, the dots of Braille; one, if the terminal shows ASCII only. Where nothing was
/// measured, there is a gap.
struct Graph {
    /// What was measured in a piece of time, or on a piece of the way.
    struct Piece {
        /// In the unit of the axis below.
        let from: Int64
        let to: Int64
        let min: Double
        let mean: Double
        let max: Double
    }

    /// What the axis below shows.
    enum Axis {
        /// Unix milliseconds, as clocks and calendars.
        case clock
        /// Milliseconds that have passed.
        case elapsed
        /// Millionths of a kilometre or a mile.
        case way(Units)
    }

    /// In the unit of the axis below.
    let from: Int64
    let to: Int64
    /// In order.
    let pieces: [Piece]
    var axis = Axis.clock
    /// How far a piece may be from the one before for the line to go on, in the unit of the axis below.
    var longestGap: Int64 = 5000
    /// A value of the scale in words.
    var label: (Double) -> String = { decimal($0, 0) }
    /// How far the marks of the scale may be from each other.
    var steps = RoundScale.steps

    /// Columns that the axis at the left takes, unless its labels are longer.
    static let margin = 5
    private static let rows = 12

    /// The number of pieces that makes a drawing as fine as possible.
    static func points(on paper: Paper) -> Int { (paper.width - margin) * (paper.isUnicode ? 2 : 1) }

    /// The drawing, with both axes.
    func drawn(on paper: Paper) -> String {
        let scale = RoundScale(
            pieces.map(\.min).min() ?? 0, pieces.map(\.max).max() ?? 1, ticks: Self.rows * 2 / 3, steps)
        let margin = max(Self.margin, 2 + (scale.ticks.map { label($0).count }.max() ?? 0))
        var raster = Raster(columns: paper.width - margin, rows: Self.rows, dots: paper.isUnicode ? (2, 4) : (1, 1))
        plot(in: &raster, scale)
        var labels: [Int: String] = [:]
        for tick in scale.ticks { labels[raster.row(of: scale.share(tick))] = label(tick) }
        var text = ""
        for row in 0..<Self.rows {
            let tick = labels[row] == nil ? paper.glyph("│", or: "|") : paper.glyph("┤", or: "+")
            text += (labels[row] ?? "").leftPadded(to: margin - 2) + " \(tick)"
            text += raster.line(row, on: paper).trimmed + "\n"
        }
        return text + below(raster.columns, margin, paper)
    }

    /// The axis below.
    private func below(_ columns: Int, _ margin: Int, _ paper: Paper) -> String {
        switch axis {
        case .clock: TimeAxis(from: from, to: to, columns: columns, margin: margin).drawn(on: paper)
        case .elapsed: NumberAxis.elapsed(from: from, to: to, columns: columns, margin: margin).drawn(on: paper)
        case .way(let units):
            NumberAxis.way(units, from: from, to: to, columns: columns, margin: margin).drawn(on: paper)
        }
    }

    private func plot(in raster: inout Raster, _ scale: RoundScale) {
        let span = Double(max(to - from, 1))
        let width = raster.width
        func place(_ time: Int64) -> Double { Double(time - from) / span * Double(width) }
        var before: (piece: Piece, x: Int)?
        for piece in merged(width) {
            let first = min(max(Int(place(piece.from)), 0), width - 1)
            let last = min(max(Int(place(piece.to).rounded(.up)) - 1, first), width - 1)
            for x in first...last {
                raster.shade(x, scale.share(piece.min)...scale.share(piece.max))
                raster.mark(x, scale.share(piece.mean))
            }
            if let before, piece.from - before.piece.to <= longestGap {
                let shares = (scale.share(before.piece.mean), scale.share(piece.mean))
                raster.join(from: (before.x, shares.0), to: (first, shares.1))
            }
            before = (piece, last)
        }
    }

    /// Merges the pieces that share a dot.
    private func merged(_ width: Int) -> [Piece] {
        guard pieces.count > width else { return pieces }
        let groups = Dictionary(grouping: pieces) { piece in
            Int(Double(piece.from - from) / Double(max(to - from, 1)) * Double(width))
        }
        return groups.sorted { $0.key < $1.key }.compactMap { _, pieces in
            guard let first = pieces.first, let last = pieces.last else { return nil }
            return Piece(
                from: first.from, to: last.to, min: pieces.map(\.min).min() ?? first.min,
                mean: pieces.reduce(0) { $0 + $1.mean } / Double(pieces.count),
                max: pieces.map(\.max).max() ?? first.max)
        }
    }
}

/// A scale from one round number to another.
struct RoundScale {
    let ticks: [Double]

    /// How far one mark may be from the next.
    static let steps: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    /// The same where the values are seconds.
    static let stepsOfSeconds: [Double] = [5, 10, 15, 30, 60, 120, 300, 600, 1800]

    init(_ least: Double, _ most: Double, ticks count: Int, _ steps: [Double] = RoundScale.steps) {
        let enough = steps.first { (most / $0).rounded(.up) - (least / $0).rounded(.down) <= Double(count) }
        let step = enough ?? steps.last ?? 1
        let low = (least / step).rounded(.down)
        let high = max((most / step).rounded(.up), low + 1)
        ticks = (0...Int(min(high - low, 1000))).map { (low + Double($0)) * step }
    }

    /// Where a value lies: 0 at the bottom, 1 at the top.
    func share(_ value: Double) -> Double {
        guard let low = ticks.first, let high = ticks.last, high > low else { return 0 }
        return min(max((value - low) / (high - low), 0), 1)
    }
}
