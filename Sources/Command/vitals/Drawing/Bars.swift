/// What one day or one month has of something.
struct Amount {
    /// The value, or the mean of several.
    let value: Double
    /// From the lowest to the highest, for values whose sum means nothing: temperatures and heart rates.
    var range: ClosedRange<Double>?

    /// The most that a drawing has to hold.
    fileprivate var top: Double { range?.upperBound ?? value }
    fileprivate var bottom: Double { range?.lowerBound ?? 0 }
}

/// The range of a drawing. Amounts begin at 0, ranges at the lowest of them.
struct Scale {
    let low: Double
    let high: Double

    init(_ amounts: [Amount], _ goals: [Double]) {
        low = amounts.isEmpty ? 0 : amounts.map(\.bottom).min() ?? 0
        let top = (amounts.map(\.top) + goals).max() ?? 0
        high = top > low ? top : low + 1
    }

    /// Where a value lies: 0 at the bottom, 1 at the top.
    func share(_ value: Double) -> Double { min(max((value - low) / (high - low), 0), 1) }
}

/// Bars from left to right, a line each, with a goal as a line across; ranges as lines with a point for their mean.
///
///     Mon 16  ████████████████████████▌     │          8,042   80 %
///     Tue 17  ██████████████████████████████│█████▌   12,310  123 %
struct Bars {
    /// One line.
    struct Row {
        let label: String
        let amount: Amount?
        let goal: Double?
        /// What follows the bar, in columns.
        let notes: [String]
    }

    let rows: [Row]

    /// A line for each row.
    func drawn(on paper: Paper) -> String {
        let labels = rows.map(\.label.count).max() ?? 0
        let columns = rows.map(\.notes.count).max() ?? 0
        let notes = (0..<columns).map { column in
            rows.map { column < $0.notes.count ? $0.notes[column].count : 0 }.max() ?? 0
        }
        let plot = max(8, paper.width - labels - 2 - notes.reduce(0) { $0 + $1 + 2 })
        let scale = Scale(rows.compactMap(\.amount), rows.compactMap(\.goal))
        return rows.map { row in
            let texts = row.notes.enumerated().map { "  " + $1.leftPadded(to: notes[$0]) }.joined()
            return (row.label.padded(to: labels) + "  " + cells(row, plot, scale, paper) + texts).trimmed + "\n"
        }.joined()
    }

    /// The bar itself; its last column is left for the goal.
    private func cells(_ row: Row, _ plot: Int, _ scale: Scale, _ paper: Paper) -> String {
        let length = plot - 1
        var cells = [Character](repeating: " ", count: plot)
        if let range = row.amount?.range, let mean = row.amount?.value {
            let place = { (value: Double) in Int((scale.share(value) * Double(length)).rounded()) }
            for index in place(range.lowerBound)...place(range.upperBound) { cells[index] = paper.glyph("─", or: "-") }
            cells[place(mean)] = paper.glyph("●", or: "o")
        } else if let value = row.amount?.value {
            let eighths = Int((scale.share(value) * Double(length * 8)).rounded())
            for index in 0..<(eighths / 8) { cells[index] = paper.glyph("█", or: "#") }
            let rest = eighths % 8
            // However short the bar, something shows of a value that is not 0.
            let piece = rest == 0 && eighths == 0 && value > 0 ? 1 : rest
            if piece > 0 { cells[eighths / 8] = paper.isUnicode ? Self.pieces[piece - 1] : piece > 3 ? "#" : "." }
        }
        guard let goal = row.goal else { return paper.style.cyan(String(cells)) }
        let mark = Int((scale.share(goal) * Double(length)).rounded())
        let (before, after) = (String(cells[..<mark]), String(cells[(mark + 1)...]))
        let line = String(paper.glyph("│", or: "|"))
        return paper.style.cyan(before) + paper.style.yellow(line) + paper.style.cyan(after)
    }

    private static let pieces: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}
