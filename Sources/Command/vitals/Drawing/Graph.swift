/// A line through the means of what was measured, over time, and the area between the lowest and the highest as a
/// shade.
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
    /// What was measured in a piece of time.
    struct Piece {
        /// Unix milliseconds.
        let from: Int64
        let to: Int64
        let min: Double
        let mean: Double
        let max: Double
    }

    /// Unix milliseconds.
    let from: Int64
    let to: Int64
    /// In order.
    let pieces: [Piece]

    /// Columns that the axis at the left takes.
    static let margin = 5
    private static let rows = 12

    /// The number of pieces that makes a drawing as fine as possible.
    static func points(on paper: Paper) -> Int { (paper.width - margin) * (paper.isUnicode ? 2 : 1) }

    /// The drawing, with both axes.
    func drawn(on paper: Paper) -> String {
        let scale = RoundScale(
            pieces.map(\.min).min() ?? 0, pieces.map(\.max).max() ?? 1, ticks: Self.rows * 2 / 3)
        var raster = Raster(
            columns: paper.width - Self.margin, rows: Self.rows, dots: paper.isUnicode ? (2, 4) : (1, 1))
        plot(in: &raster, scale)
        var labels: [Int: String] = [:]
        for tick in scale.ticks { labels[raster.row(of: scale.share(tick))] = decimal(tick, 0) }
        var text = ""
        for row in 0..<Self.rows {
            let label = labels[row].map { $0.leftPadded(to: 3) + " \(paper.glyph("┤", or: "+"))" }
            text += (label ?? "    \(paper.glyph("│", or: "|"))") + raster.line(row, on: paper).trimmed + "\n"
        }
        return text + TimeAxis(from: from, to: to, columns: raster.columns).drawn(on: paper)
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
            if let before, piece.from - before.piece.to <= Self.longestPause {
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

    /// How late a measurement may be for the line to go on.
    private static let longestPause: Int64 = 5000
}

/// A scale from one round number to another.
struct RoundScale {
    let ticks: [Double]

    init(_ least: Double, _ most: Double, ticks count: Int) {
        let steps: [Double] = [1, 2, 5, 10, 20, 50, 100, 200]
        let step = steps.first { (most / $0).rounded(.up) - (least / $0).rounded(.down) <= Double(count) } ?? 500
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

/// Characters that are made of dots, and a shade behind them.
private struct Raster {
    let columns: Int
    let rows: Int
    private let dots: (across: Int, down: Int)
    /// Braille's bits, by character; any bit is the whole character if it is one dot.
    private var marks: [UInt8]
    private var shades: [Bool]

    init(columns: Int, rows: Int, dots: (across: Int, down: Int)) {
        (self.columns, self.rows, self.dots) = (columns, rows, dots)
        marks = Array(repeating: 0, count: columns * rows)
        shades = Array(repeating: false, count: columns * rows)
    }

    /// In dots.
    var width: Int { columns * dots.across }
    private var height: Int { rows * dots.down }

    /// How many dots from the top: 0 for a share of 1.
    private func y(_ share: Double) -> Int { Int(((1 - share) * Double(height - 1)).rounded()) }

    /// The row of characters where a share lies.
    func row(of share: Double) -> Int { y(share) / dots.down }

    mutating func mark(_ x: Int, _ share: Double) { mark(x, y: y(share)) }

    private mutating func mark(_ x: Int, y: Int) {
        // Dots 1, 2, 3 and 7 are the left ones from the top, 4, 5, 6 and 8 the right ones (Unicode, block 2800).
        let bits: [[UInt8]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]
        marks[y / dots.down * columns + x / dots.across] |= bits[x % dots.across][y % dots.down]
    }

    /// Draws a straight line, without a step between its dots.
    mutating func join(from first: (x: Int, share: Double), to last: (x: Int, share: Double)) {
        var before = y(first.share)
        guard last.x > first.x else {
            for y in min(before, y(last.share))...max(before, y(last.share)) { mark(last.x, y: y) }
            return
        }
        for x in (first.x + 1)...last.x {
            let part = Double(x - first.x) / Double(last.x - first.x)
            let now = y(first.share + (last.share - first.share) * part)
            // The dots between two neighbours belong to the one that comes later.
            for y in (now > before ? before + 1...now : min(now, max(before - 1, now))...max(before - 1, now)) {
                mark(x, y: y)
            }
            before = now
        }
    }

    mutating func shade(_ x: Int, _ shares: ClosedRange<Double>) {
        for row in row(of: shares.upperBound)...row(of: shares.lowerBound) {
            shades[row * columns + x / dots.across] = true
        }
    }

    func line(_ row: Int, on paper: Paper) -> String {
        var text = ""
        var (run, isShade) = ("", false)
        func flush() {
            text += run.allSatisfy { $0 == " " } ? run : isShade ? paper.style.dim(run) : paper.style.cyan(run)
            run = ""
        }
        for index in (row * columns)..<((row + 1) * columns) {
            let bits = marks[index]
            let isEmpty = bits == 0
            if isEmpty != isShade {
                flush()
                isShade = isEmpty
            }
            if isEmpty {
                run.append(shades[index] ? paper.glyph("░", or: ":") : " ")
            } else {
                run.append(paper.isUnicode ? Character(Self.braille(bits)) : "*")
            }
        }
        flush()
        return text
    }

    private static func braille(_ bits: UInt8) -> Unicode.Scalar { Unicode.Scalar(0x2800 + UInt32(bits)) ?? "*" }
}
