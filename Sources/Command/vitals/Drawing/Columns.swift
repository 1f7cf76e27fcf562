/// Bars that stand side by side, one for each day of a month, with their goals as a line behind them.
///
///     12,310 ┤         █
///            │ ▂       █
///     10,000 ┤─█───▆───█───
///            │ █ ▁ █   █ ▄
///            └─┴───────────
///              1   3
struct Columns {
    /// One column.
    struct Column {
        let amount: Amount?
        let goal: Double?
    }

    /// The first has the number 1.
    let columns: [Column]
    /// A value of the scale in words.
    let label: (Double) -> String

    private static let rows = 8

    /// The drawing, with an axis at its left and one below.
    func drawn(on paper: Paper) -> String {
        let scale = Scale(columns.compactMap(\.amount), columns.compactMap(\.goal))
        var labels: [Int: String] = [Self.rows - 1: label(scale.high)]
        if scale.low > 0 { labels[0] = label(scale.low) }
        if let goal = columns.last(where: { $0.goal != nil })?.goal { labels[row(of: goal, scale)] = label(goal) }
        let margin = labels.values.map(\.count).max() ?? 0
        let isWide = columns.count * 2 + margin + 3 <= paper.width
        var text = ""
        for row in (0..<Self.rows).reversed() {
            let tick = labels[row] == nil ? paper.glyph("│", or: "|") : paper.glyph("┤", or: "+")
            text += (labels[row] ?? "").leftPadded(to: margin) + " \(tick)"
            text += line(row, scale, isWide, paper).trimmed + "\n"
        }
        return text + axis(margin, isWide, paper)
    }

    private func line(_ row: Int, _ scale: Scale, _ isWide: Bool, _ paper: Paper) -> String {
        var text = ""
        // Runs of one colour are coloured as one.
        var (run, isGoal) = ("", false)
        func flush() {
            text += run.allSatisfy { $0 == " " } ? run : isGoal ? paper.style.yellow(run) : paper.style.cyan(run)
            run = ""
        }
        func put(_ character: Character, asGoal: Bool) {
            if asGoal != isGoal {
                flush()
                isGoal = asGoal
            }
            run.append(character)
        }
        for column in columns {
            let hasLine = column.goal.map { self.row(of: $0, scale) == row } ?? false
            let line: Character = hasLine ? paper.glyph("─", or: "-") : " "
            if isWide { put(line, asGoal: hasLine) }
            if let cell = cell(column, row, scale, paper) {
                put(cell, asGoal: false)
            } else {
                put(line, asGoal: hasLine)
            }
        }
        flush()
        return text
    }

    /// The part of a column that is in a row; nil if there is none.
    private func cell(_ column: Column, _ row: Int, _ scale: Scale, _ paper: Paper) -> Character? {
        guard let amount = column.amount else { return nil }
        if let range = amount.range {
            if self.row(of: amount.value, scale) == row { return paper.glyph("●", or: "o") }
            let reach = self.row(of: range.lowerBound, scale)...self.row(of: range.upperBound, scale)
            return reach.contains(row) ? paper.glyph("│", or: "|") : nil
        }
        let eighths = Int((scale.share(amount.value) * Double(Self.rows * 8)).rounded()) - row * 8
        guard eighths > 0 else { return row == 0 && amount.value > 0 ? paper.glyph("▁", or: ".") : nil }
        guard paper.isUnicode else { return eighths >= 4 ? "#" : row == 0 ? "." : nil }
        return Self.pieces[min(eighths, 8) - 1]
    }

    private func row(of value: Double, _ scale: Scale) -> Int {
        min(Int(scale.share(value) * Double(Self.rows)), Self.rows - 1)
    }

    /// The line below, and the numbers of some columns.
    private func axis(_ margin: Int, _ isWide: Bool, _ paper: Paper) -> String {
        let step = isWide ? 2 : 1
        let indent = String(repeating: " ", count: margin + 1)
        let length = columns.count * step
        var numbers = ""
        for number in 1...max(columns.count, 1) where number == 1 || number % 5 == 0 {
            let place = number * step - 1
            guard numbers.isEmpty || numbers.count < place else { continue }
            numbers = numbers.padded(to: place) + "\(number)"
        }
        return indent + String(paper.glyph("└", or: "+")) + String(repeating: paper.glyph("─", or: "-"), count: length)
            + "\n" + indent + " " + numbers + "\n"
    }

    private static let pieces: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
}
